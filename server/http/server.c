#include "server/http/server.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/pool.h"
#include "server/http/internal.h"

enum { LAST_ANSWERS_S = 1 }; /* for clients to take them, once all else has ended */
static const int64_t SECOND = 1000000000;

static void log_from_below(void *nothing, const char *format, va_list arguments)
{
  (void)nothing;
  if (!log_wants(LOG_DEBUG)) return;
  char text[512];
  vsnprintf(text, sizeof text, format, arguments);
  text[strcspn(text, "\n")] = '\0';
  log_event(LOG_DEBUG, text, "from", "libmicrohttpd", NULL);
}

static void panic_from_below(void *nothing, const char *file, unsigned line, const char *reason)
{
  (void)nothing;
  log_event(LOG_ERROR, "libmicrohttpd gave up", "file", file, "line", LOG_NUMBER(line), "reason", reason, NULL);
  abort();
}

static void make_prefix(struct http *http)
{
  static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
  unsigned char random[8] = { 0 };
  if (getrandom(random, sizeof random, 0) != sizeof random) {
    int64_t now = clock_wall_ms();
    memcpy(random, &now, sizeof random);
  }
  for (int i = 0; i < 8; i++) http->request_prefix[i] = digits[random[i] & 31];
}

static enum armdyn_status start_daemon(struct http *http, int listen_fd, struct armdyn_error *error)
{
  const struct options *options = http->app->options;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  unsigned threads = options->http_threads ? (unsigned)options->http_threads
                                           : (unsigned)(cores > THREADS_LEAST ? cores : THREADS_LEAST);
  http->slots = (size_t)threads * CONNECTIONS_PER_THREAD;
  /* clang-format off */
  struct MHD_OptionItem items[] = {
    /* first: what goes wrong in the others is told through it */
    { MHD_OPTION_EXTERNAL_LOGGER,         (intptr_t)log_from_below,         NULL },
    { MHD_OPTION_LISTEN_SOCKET,           listen_fd,                        NULL },
    { MHD_OPTION_THREAD_POOL_SIZE,        threads,                          NULL },
    { MHD_OPTION_CONNECTION_LIMIT,        (intptr_t)http->slots,            NULL },
    { MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY,                NULL },
    { MHD_OPTION_PER_IP_CONNECTION_LIMIT, options->connections_per_address, NULL },
    { MHD_OPTION_STRICT_FOR_CLIENT,       1,                                NULL },
    { MHD_OPTION_SIGPIPE_HANDLED_BY_APP,  1,                                NULL },
    { MHD_OPTION_URI_LOG_CALLBACK,        (intptr_t)exchange_begin,         http },
    { MHD_OPTION_NOTIFY_COMPLETED,        (intptr_t)exchange_end,           http },
    { MHD_OPTION_NOTIFY_CONNECTION,       (intptr_t)connection_notify,      http },
    { MHD_OPTION_END,                     0,                                NULL },
  };
  /* clang-format on */
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO | MHD_USE_ERROR_LOG;
  MHD_set_panic_func(panic_from_below, NULL);
  http->daemon = MHD_start_daemon(flags, 0, NULL, NULL, exchange_serve, http, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
  if (http->daemon) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "the HTTP service cannot start: %s", strerror(errno));
}

static void free_http(struct http *http)
{
  watch_stop(http);
  pool_free(http->blocking);
  router_free(http->router);
  pthread_mutex_destroy(&http->lock);
  free(http);
}

enum armdyn_status http_start(const struct http_setup *setup, struct http **out, struct armdyn_error *error)
{
  struct http *http = calloc(1, sizeof *http);
  if (!http) return ARMDYN_EMEMORY;
  pthread_mutex_init(&http->lock, NULL);
  http->app = setup->app;
  http->auth = setup->auth;
  http->listen_fd = -1;
  http->body_timeout = http->app->options->body_timeout * SECOND;
  http->idle_timeout = http->app->options->idle_timeout * SECOND;
  make_prefix(http);

  enum armdyn_status status = ARMDYN_EMEMORY;
  http->router = router_new(setup->routes, setup->route_count);
  http->blocking = pool_new(BLOCKING_THREADS, QUEUE_MOST);
  if (!http->router || !http->blocking) goto out;
  if ((status = watch_start(http))) goto out;
  if ((status = start_daemon(http, setup->listen_fd, error))) goto out;
  *out = http;
  http = NULL;
out:
  if (http) free_http(http);
  return status;
}

void http_quiesce(struct http *http)
{
  atomic_store(&http->stopping, true);
  /* Event threads may still have the socket in hand, so it is shut now and closed when they have ended. */
  http->listen_fd = MHD_quiesce_daemon(http->daemon);
  if (http->listen_fd >= 0) shutdown(http->listen_fd, SHUT_RDWR);
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
    busy += phase == PHASE_SERVING || (which >= RUNNING_OR_SENDING && phase == PHASE_SENDING) ||
            (which >= ANY && phase == PHASE_READING);
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
  MHD_stop_daemon(http->daemon);
  if (http->listen_fd >= 0) close(http->listen_fd);
  free_http(http);
}
