/* `armdyn serve`: builds the parts from the ground up, waits for a signal, and takes them down in the reverse order
 * within the time that options.stop_timeout allows. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "armdyn/armdyn.h"
#include "server/alarms/alarms.h"
#include "server/app.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/memory.h"
#include "server/base/pool.h"
#include "server/cmd/command.h"
#include "server/cmd/stand_by.h"
#include "server/config/options.h"
#include "server/gateway/gateway.h"
#include "server/http/address.h"
#include "server/http/auth.h"
#include "server/http/events.h"
#include "server/http/idempotency.h"
#include "server/http/server.h"
#include "server/http/tls.h"
#include "server/jobs/jobs.h"
#include "server/mqtt/mqtt.h"
#include "server/orders/orders.h"
#include "server/robots/cache.h"
#include "server/routes/event_log.h"
#include "server/routes/events.h"
#include "server/routes/handlers.h"
#include "server/routes/webhooks.h"
#include "server/store/store.h"
#include "server/transfers/observer.h"
#include "server/transfers/summing.h"
#include "server/trials/trials.h"
#include "server/watch/watch.h"
#include "server/webhooks/webhooks.h"

enum { COMPUTE_QUEUE = 1200, CHILDREN_S = 5, MEMORY_S = 20 };

static const int64_t SECOND = 1000000000;

struct service {
  struct options options;
  struct app app;
  struct http *http;
  struct tls *tls; /* NULL = plain HTTP */
  int listen_fd, control_fd;
  char name[192]; /* "http://HOST:PORT" or "https://..." */
  bool announced; /* it has said where it listens */
  bool fenced;    /* another node has taken its place */
};

static enum armdyn_status make_directory(const char *path, struct armdyn_error *error)
{
  if (!mkdir(path, 0700) || errno == EEXIST) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "", "--data: cannot make '%s': %s", path, strerror(errno));
}

/* Who reads this line may connect. */
static void say_where(void *context)
{
  struct service *s = context;
  if (s->announced) return;
  s->announced = true;
  printf("listening on %s\n", s->name);
  if (fflush(stdout)) clearerr(stdout); /* who starts a service need not listen to it */
}

static void reload(void *context, struct auth *auth)
{
  struct service *s = context;
  struct armdyn_error error = { "", "" };
  if (auth_reload(auth, &error))
    log_event(LOG_ERROR, "the admin key was not reloaded; the former one stays", "reason", error.message, NULL);
  else
    log_event(LOG_INFO, "reloaded", "admin_key_file", s->options.admin_key_file, NULL);
  if (!s->tls) return;
  if (tls_reload(s->tls, &error))
    log_event(LOG_ERROR, "the TLS certificate was not reloaded; the former one stays", "reason", error.message, NULL);
  else
    log_event(LOG_INFO, "reloaded", "tls_certificate", s->options.tls_certificate, NULL);
}

/* -- standing by for the node that holds the store -- */

static enum armdyn_status check_node_address(const struct options *options, struct armdyn_error *error)
{
  struct address address;
  if (!*options->node_address) return ARMDYN_OK;
  if (!address_parse(options->node_address, &address) || !*address.host || !strcmp(address.port, "0"))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--node-address: '%s' is no HOST:PORT", options->node_address);
  if (store_is_on_server(options->store)) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "",
                       "--node-address: '%s' is for nodes at one PostgreSQL (--store): a store in a file has one node",
                       options->node_address);
}

static enum armdyn_status take_store(void *context, struct armdyn_error *error)
{
  struct service *s = context;
  const struct store_place place = { s->options.data, s->options.store, s->options.node_address };
  return store_open_at(&place, &s->app.store, error);
}

static enum armdyn_status open_store(struct service *s, struct armdyn_error *error)
{
  const struct stand_by_setup standing = { &s->options, s->tls, s->listen_fd, say_where, take_store, reload, s };
  enum armdyn_status status = take_store(s, error);
  if (status != ARMDYN_EBUSY || !*s->options.node_address || (status = stand_by(&standing, error))) return status;
  log_event(LOG_WARNING, "nobody held the store any more: this node serves from now on", NULL);
  return ARMDYN_OK;
}

static enum armdyn_status start_store(struct service *s, struct armdyn_error *error)
{
  const struct options *options = &s->options;
  if (*options->store)
    setenv("ARMDYN_STORE", options->store, 1); /* workers read it, too, and no list of processes shows it */
  const enum armdyn_status status = open_store(s, error);
  return status ? status : auth_new(options->admin_key_file, s->app.store, &s->app.auth, error);
}

/* Who hears of jobs and transfers that get on. */
static void job_changed(void *app, const char *id)
{
  const struct app *of = app;
  events_job_changed(of->events, id);
  orders_look(of->orders);
}

static void transfer_changed(void *app, const char *id)
{
  const struct app *of = app;
  events_transfer_changed(of->events, id);
  orders_look(of->orders);
}

/* What stands behind the calls. */
static enum armdyn_status start_rooms(struct app *app, const struct options *options, struct armdyn_error *error)
{
  app->robots = robots_new(app->store);
  app->trials = trials_new();
  app->replays = replays_new();
  app->pool = pool_new((size_t)options->compute_threads, COMPUTE_QUEUE, 0);
  app->events = events_new(app);
  const struct announce controllers = { events_controller_changed, app->events };
  app->observer = observer_new(app, &controllers);
  const struct order_listeners orders = { { events_order_changed, app->events },
                                          { events_queue_changed, app->events } };
  app->orders = orders_new(app, &orders);
  if (!app->orders || !app->robots || !app->trials || !app->replays || !app->pool || !app->events || !app->observer)
    return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory or threads to start with");
  const struct announce jobs = { job_changed, app }, transfers = { transfer_changed, app };
  enum armdyn_status status = watches_start(app->store, app->robots, &app->watches, error);
  if (status) return status;
  const struct telemetry_tap tap = watches_tap(app->watches);
  status = gateway_start(app->store, app->robots, options, &transfers, &tap, &app->gateway, error);
  if (!status) status = jobs_start(app->store, options, &jobs, &app->jobs, error);
  const struct webhooks_setup webhooks = { app->store, options, app, webhook_message };
  if (!status) status = webhooks_start(&webhooks, &app->webhooks, error);
  const struct mqtt_setup mqtt = { app->store, options, event_encode };
  if (!status) status = mqtt_start(&mqtt, &app->mqtt, error);
  if (!status) status = hub_start(app->events);
  if (!status) status = orders_start(app->orders, error);
  if (!status) status = summing_start(app, &app->summing, error);
  return status ? status : alarms_start(app, &app->alarms, error);
}

static enum armdyn_status start_tls(const struct options *options, struct tls **tls, struct armdyn_error *error)
{
  const struct tls_setup setup = { options->tls_certificate, options->tls_key, options->idle_timeout * SECOND };
  if (!*setup.certificate && !*setup.key) return ARMDYN_OK;
  if (!*setup.certificate || !*setup.key)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--tls-certificate and --tls-key need each other: %s is missing",
                         *setup.certificate ? "--tls-key" : "--tls-certificate");
  return tls_start(&setup, tls, error);
}

/* Bottom up; what was started when one fails is stopped by stop(). */
static enum armdyn_status start(struct service *s, struct armdyn_error *error)
{
  const struct options *options = &s->options;
  enum armdyn_status status = check_node_address(options, error);
  if (!status) status = start_tls(options, &s->tls, error);
  if (status) return status;
  if ((status = address_listen(options->listen, s->tls ? "https" : "http", &s->listen_fd, s->name, error)))
    return status;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  options_settle(&s->options, address_is_loopback(s->listen_fd), cores > 0 ? cores : 1);
  if ((status = make_directory(options->data, error))) return status;
  s->app.options = options;
  if ((status = start_store(s, error))) return status;
  if (!auth_has_keys(s->app.auth) && !address_is_loopback(s->listen_fd))
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "--listen: '%s' is reachable from other machines and there is no API key: make one with "
                         "`armdyn key create --role admin`, give --admin-key-file, or listen on loopback (127.0.0.1 or "
                         "[::1])",
                         options->listen);
  if ((status = start_rooms(&s->app, options, error))) return status;

  if ((status = address_listen_local(options->data, &s->control_fd, error))) return status;
  const struct http_setup setup = { &s->app, s->app.auth, routes, route_count, s->listen_fd, s->tls, s->control_fd };
  if ((status = http_start(&setup, &s->http, error))) return status;
  s->listen_fd = s->control_fd = -1; /* handed over */
  return ARMDYN_OK;
}

/* Top down. Requests that run have until half of the time, jobs and transfers until a second before its end. Who waits
 * for a job is answered when jobs stop, so HTTP ends last. */
static void stop(struct service *s)
{
  struct app *app = &s->app;
  int64_t now = clock_monotonic_ns(), time = s->options.stop_timeout * SECOND;
  if (s->http) {
    http_quiesce(s->http);
    hub_quiesce(app->events); /* else streams would be waited for */
    http_drain(s->http, now + time / 2);
  }
  alarms_stop(app->alarms);     /* what stops now is no reason for one */
  hub_stop(app->events);        /* it describes jobs and transfers */
  webhooks_stop(app->webhooks); /* so do they; what ends from now on is told after the next start */
  summing_stop(app->summing);
  orders_stop(app->orders); /* nothing more is loaded or started */
  int64_t most = now + time - (time > 2 * SECOND ? SECOND : time / 2);
  if (app->jobs) jobs_stop(app->jobs, most);
  gateway_stop(app->gateway, most);
  watches_stop(app->watches); /* it has heard the last of them */
  mqtt_stop(app->mqtt);       /* it has published what ended until now */
  if (s->http) http_stop(s->http);
  tls_stop(s->tls);
  alarms_free(app->alarms);
  watches_free(app->watches);
  orders_free(app->orders);
  hub_free(app->events);
  observer_free(app->observer);
  pool_free(app->pool);
  replays_free(app->replays);
  trials_free(app->trials);
  if (app->robots) robots_free(app->robots);
  auth_free(app->auth);
  if (app->store) store_close(app->store);
  if (s->listen_fd >= 0) close(s->listen_fd);
  if (s->control_fd >= 0) close(s->control_fd);
}

/* Signals come here and nowhere else: every thread is born with them blocked. Between them freed memory is given back. */
static void await_end(struct service *s, const sigset_t *signals)
{
  const bool has_others = *s->options.node_address;
  for (int seconds = 0;;) {
    const int pause = has_others ? 1 : MEMORY_S;
    int signal = sigtimedwait(signals, NULL, &(struct timespec){ .tv_sec = pause });
    if (signal == SIGHUP) reload(s, s->app.auth);
    if (signal < 0 && errno == EAGAIN && (seconds += pause) % MEMORY_S == 0) memory_give_back();
    if (has_others && store_is_fenced(s->app.store)) {
      s->fenced = true;
      log_event(LOG_ERROR, "stopping: whoever asks here is to be answered by the node that holds the store", NULL);
      return;
    }
    if (signal < 0 || signal == SIGHUP) continue;
    log_event(LOG_INFO, "stopping", "signal", strsignal(signal), NULL);
    return;
  }
}

/* Whoever reads "listening on" may use everything, so the children get a moment to come up; one that does not is told
 * by /readyz. */
static void await_children(const struct service *s)
{
  int64_t deadline = clock_monotonic_ns() + CHILDREN_S * SECOND;
  while (!(jobs_ready(s->app.jobs, NULL) && gateway_ready(s->app.gateway, NULL)) && clock_monotonic_ns() < deadline)
    nanosleep(&(struct timespec){ .tv_nsec = 2 * 1000 * 1000 }, NULL);
}

static void announce(struct service *s)
{
  if (!auth_has_keys(s->app.auth))
    log_event(LOG_WARNING, "there is no API key: everybody on this machine may do everything", NULL);
  log_event(LOG_INFO, "ready", "version", armdyn_version(), "address", s->name, "data", s->options.data, NULL);
  say_where(s);
}

/* 1,200 connections have a place, twice as many descriptors when they are encrypted, and 1,024 is the usual limit. */
static void raise_descriptors(void)
{
  const rlim_t enough = 16384;
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= enough) return;
  files.rlim_cur = files.rlim_max < enough ? files.rlim_max : enough;
  if (setrlimit(RLIMIT_NOFILE, &files)) log_event(LOG_WARNING, "the limit of file descriptors stays low", NULL);
}

static int refuse_usage(const struct armdyn_error *error)
{
  fprintf(stderr, "armdyn serve: %s\n", error->message);
  return 2;
}

int command_serve(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") && strcmp(argv[i], "-h")) continue;
    printf("usage: armdyn serve [OPTION...]\n\n");
    options_help();
    return 0;
  }
  struct service s = { .listen_fd = -1, .control_fd = -1 };
  struct armdyn_error error = { "", "" };
  if (options_parse(argc, argv, &s.options, &error)) return refuse_usage(&error);
  memory_set_up(argv - 1); /* main() took the program's name off */

  enum log_level level = LOG_INFO;
  log_level_of(s.options.log_level, &level);
  log_set_level(level);
  sigset_t signals;
  signals_of_service(&signals);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  signal(SIGPIPE, SIG_IGN);
  log_start();
  raise_descriptors();

  enum armdyn_status status = start(&s, &error);
  if (!status) {
    await_children(&s);
    announce(&s);
    await_end(&s, &signals);
  }
  stop(&s);
  if (!status) log_event(LOG_INFO, "stopped", NULL);
  log_stop();
  if (!status || status == ARMDYN_ECANCELLED) return s.fenced;
  const char *reason = *error.message ? error.message : armdyn_status_text(status);
  fprintf(stderr, "armdyn serve: %s\n", reason);
  return status == ARMDYN_EINPUT ? 2 : 1;
}
