#include "server/http/acceptor.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/log.h"
#include "server/base/slice.h"
#include "server/http/address.h"
#include "server/http/internal.h"
#include "server/http/tls.h"

enum {
  CONTROL_MOST = 4, /* connections of control.sock in one thread, beside the others */
  FILL_MOST = 100,  /* of a thread, before another one is taken in */
  LOOK_AGAIN_MS = 20,
  RESERVE_LOOKS = 100 /* so many times for room in the reserve */
};
/* An event thread answers in microseconds, so it shall not wait for others' long turns on a busy machine. */
static const uint64_t SLICE_NS = 100000;

struct acceptor {
  struct acceptor_setup setup;
  struct event_thread *threads, *reserve;
  size_t started; /* the last one is the reserve */
  pthread_t thread;
  bool accepting;
  int stop_fd; /* eventfd */
};

/* What libmicrohttpd said last on this thread; it speaks before it closes a connection. */
static _Thread_local char last_words[256];

static void log_from_below(void *nothing, const char *format, va_list arguments)
{
  (void)nothing;
  vsnprintf(last_words, sizeof last_words, format, arguments);
  last_words[strcspn(last_words, "\n")] = '\0';
  log_event(LOG_DEBUG, last_words, "from", "libmicrohttpd", NULL);
}

const char *acceptor_last_words(void)
{
  return *last_words ? last_words : "libmicrohttpd gave it up";
}

static void panic_from_below(void *nothing, const char *file, unsigned line, const char *reason)
{
  (void)nothing;
  log_event(LOG_ERROR, "libmicrohttpd gave up", "file", file, "line", LOG_NUMBER(line), "reason", reason, NULL);
  log_stop(); /* so that it is read */
  abort();
}

static bool start_thread(struct http *http, struct event_thread *thread)
{
  /* clang-format off */
  struct MHD_OptionItem items[] = {
    /* first: what goes wrong in the others is told through it */
    { MHD_OPTION_EXTERNAL_LOGGER,         (intptr_t)log_from_below,              NULL },
    { MHD_OPTION_CONNECTION_LIMIT,        CONNECTIONS_PER_THREAD + CONTROL_MOST, NULL },
    { MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY,                     NULL },
    { MHD_OPTION_STRICT_FOR_CLIENT,       1,                                     NULL },
    { MHD_OPTION_SIGPIPE_HANDLED_BY_APP,  1,                                     NULL },
    { MHD_OPTION_URI_LOG_CALLBACK,        (intptr_t)exchange_begin,              http },
    { MHD_OPTION_NOTIFY_COMPLETED,        (intptr_t)exchange_end,                http },
    { MHD_OPTION_NOTIFY_CONNECTION,       (intptr_t)connection_notify,           thread },
    { MHD_OPTION_END,                     0,                                     NULL },
  };
  /* clang-format on */
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO |
                   MHD_USE_ERROR_LOG;
  thread->http = http;
  thread->daemon =
      MHD_start_daemon(flags, 0, NULL, NULL, exchange_serve, http, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
  return thread->daemon != NULL;
}

/* -- giving connections to threads -- */

static size_t connections_of(const struct event_thread *thread)
{
  return atomic_load_explicit(&thread->connections, memory_order_relaxed);
}

/* The thread with the fewest among those that are needed; NULL: all are full. */
static struct event_thread *choose(const struct acceptor *a, size_t most)
{
  size_t total = 0;
  for (size_t i = 0; i < a->setup.threads; i++) total += connections_of(&a->threads[i]);
  size_t needed = total / FILL_MOST + 1;
  if (needed < a->setup.least) needed = a->setup.least;
  if (needed > a->setup.threads) needed = a->setup.threads;
  struct event_thread *best = a->threads;
  for (size_t i = 1; i < needed; i++)
    if (connections_of(&a->threads[i]) < connections_of(best)) best = &a->threads[i];
  return connections_of(best) < most ? best : NULL;
}

/* The socket of this machine (control.sock) is nobody's address. */
static bool same_address(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
  unsigned char key_a[ADDRESS_KEY_SIZE], key_b[ADDRESS_KEY_SIZE];
  if (a->ss_family == AF_UNIX || b->ss_family == AF_UNIX) return false;
  address_key((const struct sockaddr *)a, key_a);
  address_key((const struct sockaddr *)b, key_b);
  return !memcmp(key_a, key_b, sizeof key_a);
}

/* Trusted proxies call for many clients; this machine's own programs are known, unless the option limits them, too. */
static size_t most_of(const struct http *http, const struct sockaddr_storage *peer)
{
  const struct options *options = http->app->options;
  if (peer->ss_family == AF_UNIX || ranges_have(&http->trusted, peer)) return 0;
  if (options->own_address_is_free && address_is_own(peer)) return 0;
  return (size_t)options->connections_per_address;
}

bool acceptor_address_is_full(struct http *http, const struct sockaddr_storage *address)
{
  const size_t most = most_of(http, address);
  size_t count = 0;
  pthread_mutex_lock(&http->lock);
  for (const struct connection *c = http->connections; c && most; c = c->next) count += same_address(&c->peer, address);
  pthread_mutex_unlock(&http->lock);
  return most && count >= most;
}

/* Whoever has been there longest goes, as soon as its thread sees that; it may need a moment. NULL: it does not get to it. */
static struct event_thread *choose_reserve(const struct acceptor *a)
{
  struct pollfd end = { .fd = a->stop_fd, .events = POLLIN };
  for (int looks = 0; looks < RESERVE_LOOKS; looks++) {
    if (connections_of(a->reserve) >= RESERVE_CONNECTIONS) connection_make_room(a->setup.http);
    if (connections_of(a->reserve) < CONNECTIONS_PER_THREAD) return a->reserve;
    if (poll(&end, 1, LOOK_AGAIN_MS) > 0) break;
  }
  return NULL;
}

static void log_turned_away(const struct sockaddr_storage *peer)
{
  char address[ADDRESS_TEXT_SIZE];
  address_text(peer, address);
  log_event(LOG_WARNING, "a connection was closed unheard: even the reserve is full", "address", address, NULL);
}

/* false: nobody has room even in the reserve, or nobody came. */
static bool accept_one(struct acceptor *a, int listen_fd, size_t most)
{
  struct event_thread *thread = choose(a, most);
  struct sockaddr_storage peer = { 0 };
  socklen_t size = sizeof peer;
  int fd = accept4(listen_fd, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return errno == ECONNABORTED || errno == EINTR;
  if (!thread || acceptor_address_is_full(a->setup.http, &peer)) thread = choose_reserve(a);
  if (!thread) {
    log_turned_away(&peer);
    close(fd);
    return false;
  }
  if (a->setup.tls && listen_fd == a->setup.listen_fd && (fd = tls_relay(a->setup.tls, fd)) < 0) return true;
  atomic_fetch_add(&thread->connections, 1);
  if (MHD_add_connection(thread->daemon, fd, (struct sockaddr *)&peer, size) != MHD_YES) { /* closes fd */
    atomic_fetch_sub(&thread->connections, 1);
    log_event(LOG_WARNING, "a connection could not be taken", "reason", strerror(errno), NULL);
  }
  return true;
}

static void *accept_all(void *context)
{
  struct acceptor *a = context;
  struct pollfd fds[] = { { .fd = a->stop_fd, .events = POLLIN },
                          { .fd = a->setup.listen_fd, .events = POLLIN },
                          { .fd = a->setup.control_fd, .events = POLLIN } };
  for (;;) {
    poll(fds, 3, -1);
    if (fds[0].revents) return NULL;
    bool more = true;
    if (fds[1].revents) more = accept_one(a, a->setup.listen_fd, CONNECTIONS_PER_THREAD);
    if (fds[2].revents) more = accept_one(a, a->setup.control_fd, CONNECTIONS_PER_THREAD + CONTROL_MOST) && more;
    if (!more) poll(fds, 1, LOOK_AGAIN_MS); /* all threads are full, or descriptors have run out: others wait */
  }
}

/* -- start and end -- */

static void stop_threads(struct acceptor *a)
{
  while (a->started) MHD_stop_daemon(a->threads[--a->started].daemon);
}

static void free_acceptor(struct acceptor *a)
{
  if (a->stop_fd >= 0) close(a->stop_fd);
  free(a->threads);
  free(a);
}

enum armdyn_status acceptor_start(const struct acceptor_setup *setup, struct acceptor **out)
{
  struct acceptor *a = calloc(1, sizeof *a);
  if (!a) return ARMDYN_EMEMORY;
  a->setup = *setup;
  a->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  a->threads = calloc(setup->threads + 1, sizeof *a->threads);
  if (a->threads) a->reserve = &a->threads[setup->threads];
  if (a->reserve) a->reserve->reserve = true;
  MHD_set_panic_func(panic_from_below, NULL);
  uint64_t slice = slice_set(SLICE_NS);
  while (a->threads && a->started <= setup->threads && start_thread(setup->http, &a->threads[a->started])) a->started++;
  slice_set(slice);
  bool whole = a->stop_fd >= 0 && a->threads && a->started > setup->threads;
  if (whole) a->accepting = !pthread_create(&a->thread, NULL, accept_all, a);
  if (a->accepting) {
    *out = a;
    return ARMDYN_OK;
  }
  stop_threads(a);
  free_acceptor(a);
  return ARMDYN_EUNAVAILABLE;
}

void acceptor_quiesce(struct acceptor *a)
{
  if (!a->accepting) return;
  a->accepting = false;
  const uint64_t one = 1;
  if (write(a->stop_fd, &one, sizeof one) < 0) return; /* cannot happen: its count is 0 */
  pthread_join(a->thread, NULL);
  close(a->setup.listen_fd);
  if (a->setup.control_fd >= 0) close(a->setup.control_fd);
}

void acceptor_stop(struct acceptor *a)
{
  if (!a) return;
  acceptor_quiesce(a);
  stop_threads(a);
  free_acceptor(a);
}
