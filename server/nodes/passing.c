#include "server/nodes/passing.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"

enum {
  PASSED_MOST = 2000, /* connections: more than a node takes */
  HALF_BYTES = 16384,
  EVENTS = 64,
  LOOK_MS = 50,
  CONNECT_MS = 2000,
  LAST_MS = 10000,   /* for a client to take what is left, once the other end is through */
  UNTAKEN_MS = 60000 /* after which TCP gives somebody up who acknowledges nothing */
};

enum side { CLIENT, SERVER, SIDES };

struct end {
  int fd;
  enum side side;
  uint32_t wanted; /* events that are waited for */
  struct passed *of;
};

/* What was read of one side, and the other one has not taken yet. */
struct half {
  unsigned char bytes[HALF_BYTES];
  size_t from, to;
  bool ended, shut; /* nothing more comes; and the other side was told */
};

struct passed {
  struct passed *next;
  struct end ends[SIDES];
  struct half halves[SIDES]; /* by who says it */
  bool connecting, over;
  unsigned lead;       /* that it follows */
  int64_t deadline_ns; /* 0: none */
};

struct passing {
  int listen_fd, epoll_fd;
  pthread_t thread;
  atomic_bool stopping;
  atomic_size_t count;
  struct passed *all; /* the thread's */
  bool accepts;
  pthread_mutex_t lock; /* of where they lead */
  struct sockaddr_storage to;
  socklen_t to_size;
  unsigned lead; /* counts changes of it */
};

static int64_t in_ms(int ms)
{
  return clock_monotonic_ns() + ms * INT64_C(1000000);
}

/* -- one connection -- */

static void pass_free(struct passing *p, struct passed *c)
{
  for (int i = 0; i < SIDES; i++)
    if (c->ends[i].fd >= 0) close(c->ends[i].fd);
  free(c);
  atomic_fetch_sub(&p->count, 1);
}

/* From one side into its half. */
static void take_in(struct passed *c, enum side side)
{
  struct half *half = &c->halves[side];
  if (half->ended || half->to == HALF_BYTES) return;
  const ssize_t got = recv(c->ends[side].fd, half->bytes + half->to, HALF_BYTES - half->to, 0);
  if (got > 0) half->to += (size_t)got;
  if (got == 0) half->ended = true;
  if (got < 0 && errno != EAGAIN && errno != EINTR) c->over = true;
}

/* Out of one side's half, to the other side. */
static void give_out(struct passed *c, enum side side)
{
  struct half *half = &c->halves[side];
  const int fd = c->ends[!side].fd;
  if (half->from < half->to) {
    const ssize_t sent = send(fd, half->bytes + half->from, half->to - half->from, MSG_NOSIGNAL);
    if (sent > 0) half->from += (size_t)sent;
    if (sent < 0 && errno != EAGAIN && errno != EINTR) c->over = true;
  }
  if (half->from < half->to) return;
  half->from = half->to = 0;
  if (half->ended && !half->shut) {
    half->shut = true;
    shutdown(fd, SHUT_WR);
    if (side == SERVER) c->deadline_ns = in_ms(LAST_MS);
  }
  c->over = c->over || (c->halves[CLIENT].shut && c->halves[SERVER].shut);
}

static bool wait_for(struct passing *p, struct end *end, uint32_t wanted)
{
  if (end->wanted == wanted) return true;
  struct epoll_event event = { .events = wanted, .data.ptr = end };
  if (epoll_ctl(p->epoll_fd, end->wanted == UINT32_MAX ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, end->fd, &event)) return false;
  end->wanted = wanted;
  return true;
}

static void wait_for_both(struct passing *p, struct passed *c)
{
  for (int side = 0; side < SIDES && !c->over; side++) {
    const struct half *in = &c->halves[side], *out = &c->halves[!side];
    const bool reads = !in->ended && in->to < HALF_BYTES && !c->connecting;
    const bool writes = out->from < out->to || (side == SERVER && c->connecting);
    c->over = !wait_for(p, &c->ends[side], (reads ? EPOLLIN : 0U) | (writes ? EPOLLOUT : 0U));
  }
}

static void find_connected(struct passed *c)
{
  int why = 0;
  socklen_t size = sizeof why;
  if (getsockopt(c->ends[SERVER].fd, SOL_SOCKET, SO_ERROR, &why, &size) || why) {
    c->over = true;
    return;
  }
  c->connecting = false;
  c->deadline_ns = 0;
}

static void serve(struct passing *p, struct end *end, uint32_t events)
{
  struct passed *c = end->of;
  if (c->over) return;
  if (c->connecting) {
    if (end->side == CLIENT)
      c->over = true; /* it has gone already */
    else
      find_connected(c);
  } else if (events & EPOLLERR) {
    c->over = true;
  } else {
    if (events & (EPOLLIN | EPOLLHUP)) take_in(c, end->side);
    give_out(c, end->side);
    give_out(c, !end->side);
  }
  if (!c->over) wait_for_both(p, c);
}

/* -- who comes -- */

static void set_up(int fd)
{
  const int yes = 1;
  const unsigned patience = UNTAKEN_MS;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
}

static int connect_on(struct passing *p, unsigned *lead)
{
  pthread_mutex_lock(&p->lock);
  const struct sockaddr_storage to = p->to;
  const socklen_t size = p->to_size;
  *lead = p->lead;
  pthread_mutex_unlock(&p->lock);
  const int fd = size ? socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) : -1;
  if (fd < 0 || !connect(fd, (const struct sockaddr *)&to, size) || errno == EINPROGRESS) return fd;
  close(fd);
  return -1;
}

static void pass_on(struct passing *p, int client)
{
  unsigned lead;
  const int server = connect_on(p, &lead);
  struct passed *c = server >= 0 ? calloc(1, sizeof *c) : NULL;
  if (!c) {
    close(client);
    if (server >= 0) close(server);
    return;
  }
  set_up(client), set_up(server);
  c->ends[CLIENT] = (struct end){ client, CLIENT, UINT32_MAX, c };
  c->ends[SERVER] = (struct end){ server, SERVER, UINT32_MAX, c };
  c->connecting = true;
  c->lead = lead;
  c->deadline_ns = in_ms(CONNECT_MS);
  c->next = p->all;
  p->all = c;
  atomic_fetch_add(&p->count, 1);
  wait_for_both(p, c);
}

static void welcome(struct passing *p)
{
  const int fd = accept4(p->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) pass_on(p, fd);
}

static bool accept_more(struct passing *p, bool accepts)
{
  struct epoll_event event = { .events = accepts ? EPOLLIN : 0U, .data.ptr = NULL };
  if (p->accepts == accepts) return true;
  p->accepts = accepts;
  return !epoll_ctl(p->epoll_fd, EPOLL_CTL_MOD, p->listen_fd, &event);
}

/* -- the thread -- */

/* Between events, so that none names who is freed. */
static void sweep(struct passing *p)
{
  const int64_t now = clock_monotonic_ns();
  pthread_mutex_lock(&p->lock);
  const unsigned lead = p->lead;
  pthread_mutex_unlock(&p->lock);
  for (struct passed **at = &p->all; *at;) {
    struct passed *c = *at;
    if (!c->over && c->lead == lead && (!c->deadline_ns || now < c->deadline_ns)) {
      at = &c->next;
      continue;
    }
    *at = c->next;
    pass_free(p, c);
  }
  (void)accept_more(p, atomic_load(&p->count) < PASSED_MOST);
}

static void *pass_all(void *context)
{
  struct passing *p = context;
  struct epoll_event events[EVENTS];
  while (!atomic_load(&p->stopping)) {
    const int count = epoll_wait(p->epoll_fd, events, EVENTS, LOOK_MS);
    for (int i = 0; i < count; i++) events[i].data.ptr ? serve(p, events[i].data.ptr, events[i].events) : welcome(p);
    sweep(p);
  }
  return NULL;
}

enum armdyn_status passing_start(int listen_fd, struct passing **out, struct armdyn_error *error)
{
  struct passing *p = calloc(1, sizeof *p);
  if (!p) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory to pass connections on");
  *p = (struct passing){ .listen_fd = listen_fd, .epoll_fd = epoll_create1(EPOLL_CLOEXEC), .accepts = true };
  pthread_mutex_init(&p->lock, NULL);
  struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };
  if (p->epoll_fd >= 0 && !epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, listen_fd, &event) &&
      !pthread_create(&p->thread, NULL, pass_all, p)) {
    *out = p;
    return ARMDYN_OK;
  }
  const enum armdyn_status status =
      armdyn_refuse(error, ARMDYN_EMEMORY, "", "cannot pass connections on: %s", strerror(errno));
  if (p->epoll_fd >= 0) close(p->epoll_fd);
  pthread_mutex_destroy(&p->lock);
  free(p);
  return status;
}

void passing_lead(struct passing *p, const struct sockaddr_storage *to, socklen_t size)
{
  pthread_mutex_lock(&p->lock);
  if (size) p->to = *to;
  p->to_size = size;
  p->lead++;
  pthread_mutex_unlock(&p->lock);
}

size_t passing_count(struct passing *p)
{
  return atomic_load(&p->count);
}

void passing_stop(struct passing *p)
{
  if (!p) return;
  atomic_store(&p->stopping, true);
  pthread_join(p->thread, NULL);
  for (struct passed *c = p->all, *next; c; c = next) {
    next = c->next;
    pass_free(p, c);
  }
  close(p->epoll_fd);
  pthread_mutex_destroy(&p->lock);
  free(p);
}
