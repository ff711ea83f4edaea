#include "server/http/tls.h"

#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/metric.h"
#include "server/http/identity.h"

enum {
  RECORD = 16 * 1024, /* the most that one TLS record carries */
  CONNECTIONS_MOST =
      4096,    /* of all threads: beyond what the service takes, those that it has closed and that still send */
  ROUNDS = 16, /* records of one connection before others have their turn */
  EVENTS = 64,
  LOOK_MS = 1000,
  LAST_BYTES_S = 1,
  LINGER_S = 2,
  CLIENT_BUFFER = 256 * 1024 /* the kernel's: whether a client takes anything must show to the service */
};
static const int64_t SECOND = 1000000000;

/* What goes from the service to the client. */
enum outward { OPEN, UNSENT /* GnuTLS holds a record */, SAYING_END, ENDED };

struct relayed {
  struct relayed *previous, *next; /* of all */
  struct relayed *next_ready;
  struct identity *identity;
  gnutls_session_t session;
  int client, service;
  bool ready, shaken, over;
  bool in_ended, leaving; /* the client says no more, or the service listens no more; all has been said to the client */
  enum outward out;
  int64_t deadline;    /* monotonic ns, once the service has closed its end; 0 = none */
  int64_t taken_ns;    /* when the client was last seen to take something, or had nothing to take */
  uint64_t taken;      /* bytes, until then */
  unsigned char *held; /* from the client, not yet taken by the service: held_at .. held_end */
  size_t held_at, held_end;
};

struct relay_thread {
  struct tls *tls;
  pthread_t thread;
  int epoll_fd, wake_fd;
  pthread_mutex_t lock;
  struct relayed *arrived; /* under the lock */
  struct relayed *all, *first_ready, *last_ready;
  unsigned char record[RECORD];
};

struct tls {
  struct tls_setup setup;
  pthread_mutex_t lock;
  struct identity *identity; /* under the lock */
  struct relay_thread *threads;
  size_t thread_count, next_thread;
  _Atomic size_t connections;
  _Atomic uint64_t handshakes, failures;
  _Atomic int64_t stop_ns; /* 0 = goes on; else the end of the last bytes' time */
};

/* -- one connection -- */

enum flow { STUCK, MOVED, BROKEN };

static bool service_has_closed(const struct relayed *c)
{
  struct pollfd p = { .fd = c->service };
  return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR));
}

static enum flow shake(struct relay_thread *t, struct relayed *c)
{
  char byte;
  if (recv(c->service, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0) return BROKEN; /* refused, or its time is up */
  int rc = gnutls_handshake(c->session);
  if (rc == GNUTLS_E_AGAIN) return STUCK;
  if (rc < 0 && !gnutls_error_is_fatal(rc)) return MOVED;
  c->shaken = rc == 0;
  atomic_fetch_add(c->shaken ? &t->tls->handshakes : &t->tls->failures, 1);
  if (c->shaken) return MOVED;
  log_event(LOG_DEBUG, "TLS handshake failed", "reason", gnutls_strerror(rc), NULL);
  (void)gnutls_alert_send_appropriate(c->session, rc);
  return BROKEN;
}

static enum flow end_inward(struct relayed *c)
{
  c->in_ended = true;
  c->held_at = c->held_end = 0;
  shutdown(c->service, SHUT_WR);
  return MOVED;
}

static enum flow give_held(struct relayed *c)
{
  ssize_t n = send(c->service, c->held + c->held_at, c->held_end - c->held_at, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n < 0) return errno == EAGAIN || errno == EINTR ? STUCK : end_inward(c);
  c->held_at += (size_t)n;
  return MOVED;
}

/* What the service does not take now waits in c->held. */
static enum flow give(struct relayed *c, const unsigned char *bytes, size_t length)
{
  ssize_t n = send(c->service, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n < 0 && errno != EAGAIN && errno != EINTR) return end_inward(c);
  size_t gone = n > 0 ? (size_t)n : 0;
  if (gone == length) return MOVED;
  if (!c->held) c->held = malloc(RECORD);
  if (!c->held) return BROKEN;
  memcpy(c->held, bytes + gone, length - gone);
  c->held_at = 0;
  c->held_end = length - gone;
  return MOVED;
}

static enum flow move_inward(struct relay_thread *t, struct relayed *c)
{
  if (c->held_at < c->held_end) return give_held(c);
  if (c->in_ended) return STUCK;
  ssize_t n = gnutls_record_recv(c->session, t->record, sizeof t->record);
  if (n > 0) return give(c, t->record, (size_t)n);
  if (n == 0 || n == GNUTLS_E_PREMATURE_TERMINATION) return end_inward(c);
  if (n == GNUTLS_E_AGAIN) return STUCK;
  return n == GNUTLS_E_REHANDSHAKE || gnutls_error_is_fatal((int)n) ? BROKEN : MOVED;
}

static enum flow say_end(struct relayed *c)
{
  int rc = gnutls_bye(c->session, GNUTLS_SHUT_WR);
  if (rc == GNUTLS_E_AGAIN || rc == GNUTLS_E_INTERRUPTED) return STUCK;
  if (rc < 0) return BROKEN;
  shutdown(c->client, SHUT_WR);
  c->out = ENDED;
  return MOVED;
}

static enum flow sent(struct relayed *c, ssize_t rc)
{
  c->out = rc == GNUTLS_E_AGAIN || rc == GNUTLS_E_INTERRUPTED ? UNSENT : OPEN;
  return rc >= 0 ? MOVED : c->out == UNSENT ? STUCK : BROKEN;
}

static enum flow move_outward(struct relay_thread *t, struct relayed *c)
{
  switch (c->out) {
  case UNSENT: return sent(c, gnutls_record_send(c->session, NULL, 0));
  case SAYING_END: return say_end(c);
  case ENDED: return STUCK;
  case OPEN: break;
  }
  size_t most = gnutls_record_get_max_size(c->session); /* the client may want less than a whole record at once */
  ssize_t n = recv(c->service, t->record, most < sizeof t->record ? most : sizeof t->record, MSG_DONTWAIT);
  if (n > 0) return sent(c, gnutls_record_send(c->session, t->record, (size_t)n));
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return STUCK;
  c->out = SAYING_END; /* a service that closes without having read all is an end, too */
  return MOVED;
}

enum turn { WAIT, AGAIN, OVER };

/* Closing while the client still sends would make the kernel reset the connection, and destroy the answer before it is
 * read: what comes is dropped until the client closes, too, for a while. */
static enum turn say_farewell(struct relayed *c)
{
  if (!c->leaving) c->deadline = clock_monotonic_ns() + LINGER_S * SECOND;
  c->leaving = true;
  ssize_t n = 1;
  for (int round = 0; n > 0 && round < ROUNDS; round++)
    n = recv(c->client, NULL, (size_t)1 << 20, MSG_TRUNC | MSG_DONTWAIT);
  if (n > 0) return AGAIN;
  return n < 0 && (errno == EAGAIN || errno == EINTR) ? WAIT : OVER;
}

/* Move what can be moved, in both directions. */
static enum turn take_turn(struct relay_thread *t, struct relayed *c)
{
  for (int round = 0; round < ROUNDS; round++) {
    if (!c->shaken) {
      enum flow flow = shake(t, c);
      if (flow == BROKEN) return OVER;
      if (flow == STUCK) return WAIT;
      continue;
    }
    enum flow in = move_inward(t, c), out = in == BROKEN ? BROKEN : move_outward(t, c);
    if (in == BROKEN || out == BROKEN) return OVER;
    if (in == MOVED || out == MOVED) continue;
    return c->out == ENDED && (c->in_ended || service_has_closed(c)) ? say_farewell(c) : WAIT;
  }
  return AGAIN;
}

static void forget(struct relay_thread *t, struct relayed *c)
{
  *(c->previous ? &c->previous->next : &t->all) = c->next;
  if (c->next) c->next->previous = c->previous;
  gnutls_deinit(c->session);
  identity_release(c->identity);
  close(c->client);
  close(c->service);
  free(c->held);
  free(c);
  atomic_fetch_sub(&t->tls->connections, 1);
}

/* -- a thread -- */

static void make_ready(struct relay_thread *t, struct relayed *c)
{
  if (c->ready) return;
  c->ready = true;
  c->next_ready = NULL;
  *(t->first_ready ? &t->last_ready->next_ready : &t->first_ready) = c;
  t->last_ready = c;
}

static void wake(const struct relay_thread *t)
{
  const uint64_t one = 1;
  if (write(t->wake_fd, &one, sizeof one) < 0) return; /* it is awake already */
}

static bool listen_to(const struct relay_thread *t, struct relayed *c, int fd)
{
  struct epoll_event wanted = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c };
  return !epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &wanted);
}

static void welcome(struct relay_thread *t)
{
  pthread_mutex_lock(&t->lock);
  struct relayed *c = t->arrived;
  t->arrived = NULL;
  pthread_mutex_unlock(&t->lock);
  while (c) {
    struct relayed *next = c->next;
    c->next = t->all;
    if (c->next) c->next->previous = c;
    t->all = c;
    c->over = !listen_to(t, c, c->client) || !listen_to(t, c, c->service);
    make_ready(t, c);
    c = next;
  }
}

/* One turn for each that was ready when this began: nobody is freed while an event may still name him. */
static void serve_ready(struct relay_thread *t)
{
  struct relayed *c = t->first_ready;
  t->first_ready = t->last_ready = NULL;
  while (c) {
    struct relayed *next = c->next_ready;
    c->ready = false;
    enum turn turn = c->over ? OVER : take_turn(t, c);
    if (turn == OVER) forget(t, c);
    if (turn == AGAIN) make_ready(t, c);
    c = next;
  }
}

/* Whoever takes nothing for too long; the service would see a full socket, and here it sees ours. */
static bool stalls(struct relayed *c, int64_t now, int64_t patience_ns)
{
  int untaken = 0;
  struct tcp_info info = { 0 };
  socklen_t size = sizeof info;
  bool known = !ioctl(c->client, SIOCOUTQ, &untaken) && !getsockopt(c->client, IPPROTO_TCP, TCP_INFO, &info, &size);
  if (!known || !untaken || info.tcpi_bytes_acked != c->taken) c->taken_ns = now;
  c->taken = info.tcpi_bytes_acked;
  return now > c->taken_ns + patience_ns;
}

static void look(struct relay_thread *t, int64_t now)
{
  int64_t patience_ns = t->tls->setup.patience_ns;
  for (struct relayed *c = t->all; c; c = c->next) {
    if (!c->deadline && service_has_closed(c)) c->deadline = now + patience_ns;
    const bool stalled = !c->over && stalls(c, now, patience_ns);
    if (stalled) log_event(LOG_WARNING, "a TLS connection was closed: its client takes nothing", NULL);
    c->over = c->over || stalled || (c->deadline && now > c->deadline);
    if (c->over) make_ready(t, c);
  }
}

static void take_events(struct relay_thread *t)
{
  struct epoll_event events[EVENTS];
  int count = epoll_wait(t->epoll_fd, events, EVENTS, t->first_ready ? 0 : LOOK_MS);
  for (int i = 0; i < count; i++) {
    uint64_t wakes;
    if (events[i].data.ptr)
      make_ready(t, events[i].data.ptr);
    else if (read(t->wake_fd, &wakes, sizeof wakes) < 0)
      continue; /* it was read before */
  }
}

static void *run(void *argument)
{
  struct relay_thread *t = argument;
  int64_t look_ns = 0, stop_ns = 0;
  while (!stop_ns || (t->all && clock_monotonic_ns() < stop_ns)) {
    take_events(t);
    welcome(t);
    serve_ready(t);
    stop_ns = atomic_load(&t->tls->stop_ns);
    int64_t now = clock_monotonic_ns();
    if (now < look_ns) continue;
    look_ns = now + LOOK_MS * (SECOND / 1000);
    look(t, now);
  }
  welcome(t);
  for (struct relayed *c = t->all, *next; c; c = next) {
    next = c->next;
    forget(t, c);
  }
  return NULL;
}

/* -- life -- */

static bool start_thread(struct tls *tls, struct relay_thread *t)
{
  t->tls = tls;
  pthread_mutex_init(&t->lock, NULL);
  t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  t->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct epoll_event wakes = { .events = EPOLLIN };
  bool started = t->epoll_fd >= 0 && t->wake_fd >= 0 && !epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, t->wake_fd, &wakes) &&
                 !pthread_create(&t->thread, NULL, run, t);
  if (started) return true;
  if (t->epoll_fd >= 0) close(t->epoll_fd);
  if (t->wake_fd >= 0) close(t->wake_fd);
  return false;
}

static void end_thread(struct relay_thread *t)
{
  wake(t);
  pthread_join(t->thread, NULL);
  close(t->epoll_fd);
  close(t->wake_fd);
  pthread_mutex_destroy(&t->lock);
}

enum armdyn_status tls_start(const struct tls_setup *setup, struct tls **out, struct armdyn_error *error)
{
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  size_t threads = cores > 2 ? (size_t)cores / 2 : 1; /* the event threads need the others */
  struct tls *tls = calloc(1, sizeof *tls);
  if (!tls) return ARMDYN_EMEMORY;
  tls->setup = *setup;
  pthread_mutex_init(&tls->lock, NULL);
  tls->threads = calloc(threads, sizeof *tls->threads);
  enum armdyn_status status =
      tls->threads ? identity_read(setup->certificate, setup->key, &tls->identity, error) : ARMDYN_EMEMORY;
  while (!status && tls->thread_count < threads) {
    if (start_thread(tls, &tls->threads[tls->thread_count]))
      tls->thread_count++;
    else
      status = armdyn_refuse(error, ARMDYN_EMEMORY, "", "no threads for TLS: %s", strerror(errno));
  }
  if (status)
    tls_stop(tls);
  else
    *out = tls;
  return status;
}

enum armdyn_status tls_reload(struct tls *tls, struct armdyn_error *error)
{
  struct identity *identity;
  enum armdyn_status status = identity_read(tls->setup.certificate, tls->setup.key, &identity, error);
  if (status) return status;
  pthread_mutex_lock(&tls->lock);
  struct identity *former = tls->identity;
  tls->identity = identity;
  pthread_mutex_unlock(&tls->lock);
  identity_release(former);
  return ARMDYN_OK;
}

void tls_stop(struct tls *tls)
{
  if (!tls) return;
  atomic_store(&tls->stop_ns, clock_monotonic_ns() + LAST_BYTES_S * SECOND);
  while (tls->thread_count) end_thread(&tls->threads[--tls->thread_count]);
  identity_release(tls->identity);
  pthread_mutex_destroy(&tls->lock);
  free(tls->threads);
  free(tls);
}

static struct identity *present_identity(struct tls *tls)
{
  pthread_mutex_lock(&tls->lock);
  struct identity *identity = identity_hold(tls->identity);
  pthread_mutex_unlock(&tls->lock);
  return identity;
}

static struct relayed *make_relayed(struct tls *tls, int client, int *service_end)
{
  int ends[2];
  struct relayed *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->identity = present_identity(tls);
  c->session = identity_session(c->identity);
  if (c->session && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends)) {
    c->client = client;
    c->service = ends[0];
    *service_end = ends[1];
    gnutls_transport_set_int(c->session, client);
    return c;
  }
  if (c->session) gnutls_deinit(c->session);
  identity_release(c->identity);
  free(c);
  return NULL;
}

int tls_relay(struct tls *tls, int client)
{
  int service_end = -1;
  bool room = atomic_fetch_add(&tls->connections, 1) < CONNECTIONS_MOST;
  struct relayed *c = room ? make_relayed(tls, client, &service_end) : NULL;
  if (!c) {
    atomic_fetch_sub(&tls->connections, 1);
    log_event(LOG_WARNING, "a connection was closed unheard: no room for another TLS session", "reason",
              room ? strerror(errno) : "too many are open", NULL);
    close(client);
    return -1;
  }
  const int bytes = CLIENT_BUFFER;
  setsockopt(client, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  struct relay_thread *t = &tls->threads[tls->next_thread++ % tls->thread_count];
  pthread_mutex_lock(&t->lock);
  c->next = t->arrived;
  t->arrived = c;
  pthread_mutex_unlock(&t->lock);
  wake(t);
  return service_end;
}

void tls_write_metrics(struct tls *tls, struct buffer *out)
{
  pthread_mutex_lock(&tls->lock);
  int64_t expires = identity_expires(tls->identity);
  pthread_mutex_unlock(&tls->lock);
  metric_write(out, "armdyn_tls_handshakes_total", METRIC_COUNTER, "TLS handshakes that succeeded.",
               (double)atomic_load(&tls->handshakes));
  metric_write(out, "armdyn_tls_handshakes_failed_total", METRIC_COUNTER, "TLS handshakes that failed.",
               (double)atomic_load(&tls->failures));
  metric_write(out, "armdyn_tls_certificate_expiry_timestamp_seconds", METRIC_GAUGE,
               "When the TLS certificate expires, Unix time.", (double)expires);
}
