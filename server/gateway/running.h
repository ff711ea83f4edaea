/* A running transfer as its two parts see it: download.c has its life from the first connection to its end, loading.c
 * brings the words to the controller. */
#ifndef SERVER_GATEWAY_RUNNING_H
#define SERVER_GATEWAY_RUNNING_H

#include "server/gateway/download.h"

enum { FRUITLESS_MOST = 10 }; /* looks without progress, or connections lost without any */

struct running {
  struct transfer_order *order;
  const struct profile_head *head; /* of the order */
  struct client *client;
  const struct download_port *port;
  struct transfer_report now;
  bool ended;

  int64_t beat_due_ns, seen_due_ns;
  uint16_t instance;   /* of the controller when BEGIN or STREAM was carried out */
  int begun;           /* how often that was */
  bool closed;         /* COMMIT was carried out */
  bool more;           /* of a stream: there is room for more at once */
  int fruitless;       /* of a stream: looks in a row that found nothing taken */
  bool started;        /* START was rung, by us, or the controller was seen playing */
  struct wish unrung;  /* a START whose connection broke before it was rung; WISH_NONE: there is none */
  bool leaving;        /* the service is gone; the motion is brought to its end */
  bool confirmed;      /* the controller said that nothing moves */
  int64_t ready_ns;    /* when it became ready */
  int64_t started_ns;  /* when START was rung */
  int64_t lost_ns;     /* since when it is out of sight; 0: it is not */
  unsigned jitter;     /* of rand_r */
  int64_t feed_due_ns; /* of a stream: the next look whether there is room */
  struct telemetry telemetry;
  struct armdyn_error error;
};

/* -- download.c -- */

/* A new state of the transfer, with its reason ("" = none) and problem (enum problem; -1 = none). */
void running_report(struct running *r, enum transfer_state state, int problem, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* While it connects or loads, for wait_ms: STOP and LEAVE end it, everything else comes too early. */
void running_hear(struct running *r, int wait_ms);
/* Connect (again) until the deadline, with growing pauses. OK; EUNAVAILABLE after it; EINPUT: something else answers
 * there; ECANCELLED: the transfer ended meanwhile. */
enum armdyn_status running_regain(struct running *r, int64_t deadline_ns);
/* How long to wait before the attempt-th attempt to connect, from 0: twice as long each time, with jitter, so that many
 * gateways do not come back all at once. */
int running_pause_ms(struct running *r, int attempt);
/* A heartbeat, if it is due; and while it loads, what there is to see too. */
enum armdyn_status running_beat(struct running *r);
enum armdyn_status running_stay_in_touch(struct running *r);

/* -- loading.c -- */

/* Can this controller play it, in which format, and is it free? ECONFLICT with the reason. */
enum armdyn_status loading_check(struct running *r);
/* Bring the profile, or of a stream as much as the controller has room for, there, through lost connections, resuming
 * where the controller is. OK: it can be armed; ECONFLICT, EUNAVAILABLE, ECANCELLED: the transfer has ended. */
enum armdyn_status loading_run(struct running *r);
/* Of a stream: send what there is room for, close it after the last sample. *more: there is room for more at once. */
enum armdyn_status loading_feed(struct running *r, bool *more);

#endif
