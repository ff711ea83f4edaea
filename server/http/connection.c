/* Connections under watch. libmicrohttpd knows only inactivity: one byte a second holds a connection for ever. So every
 * connection has a phase and an absolute deadline, and one thread looks at all of them a few times a second. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/pool.h"
#include "server/http/address.h"
#include "server/http/gate.h"
#include "server/http/internal.h"

static const int64_t SECOND = 1000000000;
enum { RESERVE_S = 5 /* for a request to come by the reserve */ };
enum { LOOK_EVERY_MS = 200, PEEK_EVERY = 25 /* looks */, LINGER_S = 2 };
static const size_t LINGER_BYTES = (size_t)256 << 20;

bool connection_advance(struct connection *connection, enum phase from, enum phase to, int64_t deadline)
{
  int expected = (int)from;
  if (!atomic_compare_exchange_strong(&connection->phase, &expected, to)) return false;
  atomic_store_explicit(&connection->deadline, deadline, memory_order_relaxed);
  return true;
}

static void wake_watch(struct http *http)
{
  const uint64_t one = 1;
  if (write(http->wake_fd, &one, sizeof one) < 0) return; /* it is awake already */
}

static void opened(struct event_thread *thread, struct MHD_Connection *mhd, void **context)
{
  struct http *http = thread->http;
  struct connection *c = calloc(1, sizeof *c);
  if (!c) return; /* exchange_begin refuses connections without one */
  c->http = http;
  c->thread = thread;
  c->fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  const struct sockaddr *peer = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
  if (peer->sa_family == AF_INET) memcpy(&c->peer, peer, sizeof(struct sockaddr_in));
  if (peer->sa_family == AF_INET6) memcpy(&c->peer, peer, sizeof(struct sockaddr_in6));
  c->peer.ss_family = peer->sa_family;
  c->local = peer->sa_family == AF_UNIX;
  c->linger = -1;
  if (!gate_open(c)) {
    free(c);
    return;
  }
  atomic_init(&c->phase, PHASE_FRESH);
  const int64_t time =
      thread->reserve && http->body_timeout > RESERVE_S * SECOND ? RESERVE_S * SECOND : http->body_timeout;
  atomic_init(&c->deadline, clock_monotonic_ns() + time);
  pthread_mutex_lock(&http->lock);
  c->next = http->connections;
  if (c->next) c->next->previous = c;
  http->connections = c;
  http->connection_count++;
  pthread_mutex_unlock(&http->lock);
  *context = c;
}

void connection_cut(struct connection *connection, const char *why)
{
  char address[ADDRESS_TEXT_SIZE];
  if (atomic_exchange(&connection->cut, true)) return;
  address_text(&connection->peer, address);
  log_event(LOG_WARNING, "a connection was closed before its answer was whole", "reason", why, "address", address,
            NULL);
}

static void closed(struct http *http, struct connection *c)
{
  if (c->gate.framing.passed && atomic_load(&c->phase) != PHASE_EXPIRED)
    connection_cut(c, "requests had come behind the last one that was begun");
  gate_close(c);
  pthread_mutex_lock(&http->lock);
  *(c->previous ? &c->previous->next : &http->connections) = c->next;
  if (c->next) c->next->previous = c->previous;
  http->connection_count--;
  int linger = c->linger;
  if (linger >= 0 && http->lingering_count < LINGERING_MOST && http->watching) {
    shutdown(linger, SHUT_WR); /* the answer is complete; the client may finish sending into the void */
    http->lingering[http->lingering_count].until = clock_monotonic_ns() + LINGER_S * SECOND;
    http->lingering[http->lingering_count].budget = LINGER_BYTES;
    http->lingering[http->lingering_count++].fd = linger;
    linger = -1;
    wake_watch(http);
  }
  pthread_mutex_unlock(&http->lock);
  if (linger >= 0) close(linger);
  if (c->spare) exchange_free(c->spare);
  explicit_bzero(&c->memory, sizeof c->memory);
  free(c);
}

void connection_notify(void *event_thread, struct MHD_Connection *mhd, void **context,
                       enum MHD_ConnectionNotificationCode what)
{
  struct event_thread *thread = event_thread;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    opened(thread, mhd, context);
    return;
  }
  if (*context) closed(thread->http, *context);
  atomic_fetch_sub(&thread->connections, 1);
}

void connection_linger(struct connection *connection)
{
  if (connection->linger < 0) connection->linger = fcntl(connection->fd, F_DUPFD_CLOEXEC, 0);
}

void connection_refuse_with(struct connection *connection, int http_status, const char *body, size_t length,
                            const char *request_id)
{
  struct buffer answer = BUFFER(KB(512));
  buffer_format(&answer,
                "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: application/problem+json\r\n"
                "Content-Length: %zu\r\nX-Request-Id: %s\r\n\r\n",
                http_status, MHD_get_reason_phrase_for((unsigned)http_status), length, request_id);
  buffer_append(&answer, body, length);
  /* A peer that takes no bytes gets none. */
  if (buffer_ok(&answer) && send(connection->fd, answer.data, answer.length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
    log_event(LOG_DEBUG, "a refusal could not be sent", "request_id", request_id, "reason", strerror(errno), NULL);
  buffer_release(&answer);
}

void connection_refuse(struct connection *connection, enum problem problem, const char *detail, const char *request_id)
{
  struct buffer body = BUFFER(KB(8));
  problem_write(&body, problem, detail, NULL, NULL, NULL);
  if (buffer_ok(&body))
    connection_refuse_with(connection, problem_http_status(problem), body.data, body.length, request_id);
  buffer_release(&body);
}

/* -- the watching thread -- */

static void expire(struct http *http, struct connection *c, enum phase phase)
{
  if (!connection_advance(c, phase, PHASE_EXPIRED, 0)) return;
  if (phase == PHASE_FRESH || phase == PHASE_READING) {
    char id[REQUEST_ID_SIZE];
    request_id_make(http, id);
    connection_refuse(c, PROBLEM_TIMEOUT, "the request was not complete within the time limit", id);
    log_event(LOG_INFO, "request", "request_id", id, "status", LOG_NUMBER(408), NULL);
  }
  if (phase == PHASE_SENDING) connection_cut(c, "the client did not take its answer in time");
  shutdown(c->fd, SHUT_RDWR); /* its event thread sees the end and closes it */
}

/* Those that are being served stay: a stop among them must be answered. New ones are at the head of the list. */
void connection_make_room(struct http *http)
{
  struct connection *oldest = NULL;
  enum phase found = PHASE_FRESH;
  pthread_mutex_lock(&http->lock);
  for (struct connection *c = http->connections; c; c = c->next) {
    enum phase phase = (enum phase)atomic_load(&c->phase);
    if (!c->thread->reserve || phase == PHASE_TAKING || phase == PHASE_SERVING || phase == PHASE_EXPIRED) continue;
    oldest = c;
    found = phase;
  }
  if (oldest && connection_advance(oldest, found, PHASE_EXPIRED, 0)) {
    if (found != PHASE_IDLE) connection_cut(oldest, "it gave its place in the reserve to another");
    shutdown(oldest->fd, SHUT_RDWR);
  }
  pthread_mutex_unlock(&http->lock);
}

/* Nobody reads a suspended connection, so a client that leaves is found by looking. */
static bool client_gone(int fd)
{
  char byte;
  ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* The exchange is the watch's alone now; its event thread closes the connection once resumed. */
static bool give_up(struct connection *c)
{
  int expected = EXCHANGE_WAITING;
  if (!atomic_compare_exchange_strong(&c->waiting->state, &expected, EXCHANGE_GONE)) return false;
  c->waiting = NULL;
  return true;
}

static void look(struct http *http, bool peek)
{
  enum { GONE_MOST = 64 }; /* more are found at the next look */
  struct MHD_Connection *gone[GONE_MOST];
  size_t gone_count = 0;
  bool stopping = atomic_load(&http->stopping);
  int64_t now = clock_monotonic_ns();
  pthread_mutex_lock(&http->lock);
  for (struct connection *c = http->connections; c; c = c->next) {
    enum phase phase = (enum phase)atomic_load(&c->phase);
    int64_t deadline = atomic_load_explicit(&c->deadline, memory_order_relaxed);
    if ((phase == PHASE_IDLE && stopping) || (deadline && now > deadline && phase != PHASE_EXPIRED))
      expire(http, c, phase);
    if (!peek || !c->waiting || gone_count == GONE_MOST || !client_gone(c->fd)) continue;
    struct MHD_Connection *mhd = c->waiting->mhd;
    if (give_up(c)) gone[gone_count++] = mhd;
  }
  pthread_mutex_unlock(&http->lock);
  for (size_t i = 0; i < gone_count; i++) MHD_resume_connection(gone[i]);
}

/* Drop what clients still send; the caller holds the lock. true: this one is done. */
static bool swallow(struct http *http, size_t i)
{
  for (;;) {
    ssize_t n = recv(http->lingering[i].fd, NULL, (size_t)1 << 20, MSG_TRUNC | MSG_DONTWAIT);
    if (n < 0) return errno != EAGAIN && errno != EINTR;
    if (n == 0 || (size_t)n > http->lingering[i].budget) return true;
    http->lingering[i].budget -= (size_t)n;
  }
}

static void tend_lingering(struct http *http)
{
  int64_t now = clock_monotonic_ns();
  pthread_mutex_lock(&http->lock);
  for (size_t i = 0; i < http->lingering_count;) {
    if (now < http->lingering[i].until && !swallow(http, i)) {
      i++;
      continue;
    }
    close(http->lingering[i].fd);
    http->lingering[i] = http->lingering[--http->lingering_count];
  }
  pthread_mutex_unlock(&http->lock);
}

static void keep_uses(void *auth)
{
  auth_keep_uses(auth);
}

static void *watch(void *argument)
{
  struct http *http = argument;
  int64_t next_look = 0;
  for (unsigned looks = 0;;) {
    struct pollfd fds[1 + LINGERING_MOST];
    nfds_t count = 0;
    fds[count++] = (struct pollfd){ .fd = http->wake_fd, .events = POLLIN };
    pthread_mutex_lock(&http->lock);
    bool watching = http->watching;
    for (size_t i = 0; i < http->lingering_count; i++)
      fds[count++] = (struct pollfd){ .fd = http->lingering[i].fd, .events = POLLIN };
    pthread_mutex_unlock(&http->lock);
    if (!watching) return NULL;
    poll(fds, count, LOOK_EVERY_MS);
    uint64_t wakes;
    if (fds[0].revents && read(http->wake_fd, &wakes, sizeof wakes) < 0) continue;
    tend_lingering(http);
    if (clock_monotonic_ns() < next_look) continue;
    next_look = clock_monotonic_ns() + LOOK_EVERY_MS * (SECOND / 1000);
    look(http, ++looks % PEEK_EVERY == 0);
    if (auth_uses_due(http->auth))
      (void)pool_submit(http->blocking, keep_uses, http->auth); /* full: at the next look */
  }
}

enum armdyn_status watch_start(struct http *http)
{
  http->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (http->wake_fd < 0) return ARMDYN_EIO;
  http->watching = true;
  if (!pthread_create(&http->watch, NULL, watch, http)) return ARMDYN_OK;
  http->watching = false;
  close(http->wake_fd);
  return ARMDYN_EMEMORY;
}

void watch_stop(struct http *http)
{
  pthread_mutex_lock(&http->lock);
  bool watching = http->watching;
  http->watching = false;
  pthread_mutex_unlock(&http->lock);
  if (!watching) return;
  wake_watch(http);
  pthread_join(http->watch, NULL);
  for (size_t i = 0; i < http->lingering_count; i++) close(http->lingering[i].fd);
  http->lingering_count = 0;
  close(http->wake_fd);
}
