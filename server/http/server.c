#include "server/http/server.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/pool.h"
#include "server/http/acceptor.h"
#include "server/http/address.h"
#include "server/http/audit.h"
#include "server/http/internal.h"

enum { LAST_ANSWERS_S = 1 }; /* for clients to take them, once all else has ended */
static const int64_t SECOND = 1000000000;

static void make_chance(struct http *http)
{
  static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
  unsigned char random[8] = { 0 };
  if (getrandom(random, sizeof random, 0) != sizeof random) {
    int64_t now = clock_wall_ms();
    memcpy(random, &now, sizeof random);
  }
  if (getrandom(&http->trace_seed, sizeof http->trace_seed, 0) != sizeof http->trace_seed)
    memcpy(&http->trace_seed, random, sizeof random);
  for (int i = 0; i < 8; i++) http->request_prefix[i] = digits[random[i] & 31];
}

static enum armdyn_status start_threads(struct http *http, const struct http_setup *setup, struct armdyn_error *error)
{
  const struct options *options = http->app->options;
  long found = sysconf(_SC_NPROCESSORS_ONLN);
  unsigned cores = found > 0 ? (unsigned)found : 1;
  const unsigned threads = (unsigned)options->http_threads;
  http->slots = (size_t)threads * CONNECTIONS_PER_THREAD;
  const struct acceptor_setup acceptor = { .http = http,
                                           .listen_fd = setup->listen_fd,
                                           .control_fd = setup->control_fd,
                                           .tls = setup->tls,
                                           .threads = threads,
                                           .least = (cores + 1) / 2 };
  enum armdyn_status status = acceptor_start(&acceptor, &http->acceptor);
  return status ? armdyn_refuse(error, status, "", "the HTTP service cannot start its threads: %s", strerror(errno))
                : status;
}

static void free_http(struct http *http)
{
  watch_stop(http);
  pool_free(http->uploads);
  pool_free(http->urgent);
  pool_free(http->blocking);
  auditor_stop(http->auditor);
  throttle_free(http->throttle);
  throttle_free(http->strangers);
  tally_free(http->tally);
  router_free(http->router);
  pthread_mutex_destroy(&http->lock);
  free(http);
}

/* The names of the option, and the address that is listened to. */
static enum armdyn_status learn_names(struct http *http, struct armdyn_error *error)
{
  const struct options *options = http->app->options;
  struct address address;
  enum armdyn_status status = host_names_parse("--host-names", options->host_names, &http->names, error);
  if (!status && address_parse(options->listen, &address) && *address.host)
    snprintf(http->names.listened, HOST_NAME_SIZE, address.v6 ? "[%s]" : "%s", address.host);
  return status;
}

enum armdyn_status http_start(const struct http_setup *setup, struct http **out, struct armdyn_error *error)
{
  struct http *http = calloc(1, sizeof *http);
  if (!http) return ARMDYN_EMEMORY;
  pthread_mutex_init(&http->lock, NULL);
  http->app = setup->app;
  http->auth = setup->auth;
  http->tls = setup->tls;
  http->body_timeout = http->app->options->body_timeout * SECOND;
  http->upload_most = MB(http->app->options->upload_limit);
  http->upload_cpu = http->app->options->upload_cpu_time ? http->app->options->upload_cpu_time * SECOND : INT64_MAX;
  http->idle_timeout = http->app->options->idle_timeout * SECOND;
  make_chance(http);

  enum armdyn_status status =
      ranges_parse("--trusted-proxies", http->app->options->trusted_proxies, &http->trusted, error);
  if (!status) status = learn_names(http, error);
  if (status) goto out;
  status = ARMDYN_EMEMORY;
  http->router = router_new(setup->routes, setup->route_count);
  http->blocking = pool_new(BLOCKING_THREADS, QUEUE_MOST, 0);
  http->urgent = pool_new(URGENT_THREADS, QUEUE_MOST, 0);
  http->uploads = pool_new((size_t)http->app->options->upload_threads, QUEUE_MOST, UPLOADS_BEHIND);
  http->throttle = throttle_new();
  http->strangers = throttle_new();
  http->tally = tally_new(setup->routes, setup->route_count);
  if (!http->router || !http->blocking || !http->urgent || !http->uploads) goto out;
  if (!http->throttle || !http->strangers || !http->tally) goto out;
  if ((status = auditor_start(http->app, &http->auditor))) goto out;
  if ((status = watch_start(http))) goto out;
  if ((status = start_threads(http, setup, error))) goto out;
  *out = http;
  http = NULL;
out:
  if (http) free_http(http);
  return status;
}

void http_quiesce(struct http *http)
{
  atomic_store(&http->stopping, true);
  acceptor_quiesce(http->acceptor);
}

/* Requests that arrive, run or go out; those that somebody waits with do not count. */
enum busy { RUNNING, RUNNING_OR_SENDING, ANY };

static size_t count_busy(struct http *http, enum busy which)
{
  size_t busy = 0;
  pthread_mutex_lock(&http->lock);
  for (const struct connection *c = http->connections; c; c = c->next) {
    int phase = atomic_load(&c->phase);
    if (c->waiting) continue;
    busy += phase == PHASE_SERVING || phase == PHASE_TAKING ||
            (which >= RUNNING_OR_SENDING && phase == PHASE_SENDING) || (which >= ANY && phase == PHASE_READING);
  }
  pthread_mutex_unlock(&http->lock);
  return busy;
}

static void pause_ms(long ms)
{
  nanosleep(&(struct timespec){ .tv_nsec = ms * 1000 * 1000 }, NULL);
}

void http_drain(struct http *http, int64_t deadline_ns)
{
  while (count_busy(http, ANY) && clock_monotonic_ns() < deadline_ns) pause_ms(5);
  atomic_store(&http->refusing, true);
  while (count_busy(http, RUNNING)) pause_ms(2); /* a handler cannot be broken off */
}

/* libmicrohttpd aborts the process when it is stopped with a suspended connection, so nobody may be left waiting. */
static void dismiss_waiting(struct http *http)
{
  for (;;) {
    struct MHD_Connection *mhd = NULL;
    pthread_mutex_lock(&http->lock);
    struct connection *c = http->connections;
    while (c && !c->waiting) c = c->next;
    if (c) {
      struct exchange *x = c->waiting;
      c->waiting = NULL;
      mhd = x->mhd;
      atomic_store(&x->state, EXCHANGE_GONE); /* under the lock nobody else can have resumed it */
      connection_refuse(c, PROBLEM_UNAVAILABLE, "the service stops", x->request_id);
    }
    pthread_mutex_unlock(&http->lock);
    if (!mhd) return;
    MHD_resume_connection(mhd);
  }
}

void http_stop(struct http *http)
{
  http_drain(http, 0);
  dismiss_waiting(http);
  int64_t deadline = clock_monotonic_ns() + LAST_ANSWERS_S * SECOND;
  while (count_busy(http, RUNNING) || (count_busy(http, RUNNING_OR_SENDING) && clock_monotonic_ns() < deadline))
    pause_ms(2);
  acceptor_stop(http->acceptor);
  free_http(http);
}
