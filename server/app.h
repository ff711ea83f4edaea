/* Everything that `armdyn serve` consists of, handed to whoever serves a request. Built and torn down in cmd/serve.c. */
#ifndef SERVER_APP_H
#define SERVER_APP_H

struct app {
  const struct options *options; /* config/options.h */
  struct store *store;           /* store/store.h */
  struct robots *robots;         /* robots/cache.h: compiled robots in memory */
  struct pool *pool;             /* base/pool.h: compute threads */
  struct jobs *jobs;             /* jobs/jobs.h */
  struct gateway *gateway;       /* gateway/gateway.h: the gateway process, seen from here */
  struct auth *auth;             /* http/auth.h: who may call */
  struct webhooks *webhooks;     /* webhooks/webhooks.h: tells others that jobs have ended */
  struct mqtt *mqtt;             /* mqtt/mqtt.h: publishes the log of events; NULL: it is off */
  struct hub *events;            /* http/events.h: what streams tell of */
  struct summing *summing;       /* transfers/summing.h: what was measured of motions that have ended */
  struct observer *observer;     /* transfers/observer.h: looks at controllers for them */
  struct orders *orders;         /* orders/orders.h: from job orders to motions */
  struct alarms *alarms;         /* alarms/alarms.h: what is wrong */
  struct watches *watches;       /* watch/watch.h: arms whose parameters are followed */
  struct trials *trials;         /* trials/trials.h: controllers that are being tested */
  struct replays *replays;       /* http/idempotency.h: requests with an Idempotency-Key that run now */
  const struct stand_in
      *stand_in; /* http/stand_in.h: a node that stands by, without most of the above; NULL: it serves */
};

#endif
