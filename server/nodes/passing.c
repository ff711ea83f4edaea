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
  ASKED_MOST = 8192, /* of what a client says until it is answered: a stop, and then some */
  LOOK_MS = 20,
  CONNECT_MS = 2000,
  VERDICT_MS = 500,  /* until it is known whether who has gone is silent */
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
  unsigned char asked[ASKED_MOST];
  size_t asked_count; /* since the other side spoke last; more than there is room for: not all of it is there */
  bool answered;      /* the other side has spoken */
  bool connecting, over;
  bool lost;           /* the other side has gone without an answer: this node's own may answer yet */
  bool aside;          /* it leads to this node's own service */
  unsigned lead;       /* that it follows */
  int64_t deadline_ns; /* 0: none */
};

struct place {
  struct sockaddr_storage address;
  socklen_t size; /* 0: there is none */
};

struct passing {
  int listen_fd, epoll_fd;
  pthread_t thread;
  atomic_bool stopping, silent;
  atomic_size_t count;
  bool encrypted;
  struct passed *all; /* the thread's */
  bool accepts;
  pthread_mutex_t lock; /* of where they lead */
  struct place to, own;
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

/* -- to this node's own service, where there is one and the node that serves is silent -- */

static int connect_to(const struct place *to)
{
  const int fd = to->size ? socket(to->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) : -1;
  if (fd < 0 || !connect(fd, (const struct sockaddr *)&to->address, to->size) || errno == EINPROGRESS) return fd;
  close(fd);
  return -1;
}

static int connect_aside(struct passing *p)
{
  pthread_mutex_lock(&p->lock);
  const struct place own = p->own;
  pthread_mutex_unlock(&p->lock);
  return connect_to(&own);
}

/* Is all there that the client has said to nobody else? What is encrypted is between him and who has spoken to him. */
static bool can_turn(const struct passing *p, const struct passed *c)
{
  return !c->aside && c->asked_count <= ASKED_MOST && !(p->encrypted && c->answered) && !c->halves[SERVER].to;
}

/* What he has said is said again, to this node's own service. */
static void turn_aside(struct passing *p, struct passed *c)
{
  const int fd = can_turn(p, c) ? connect_aside(p) : -1;
  if (fd < 0) {
    c->over = true;
    return;
  }
  const bool ended = c->halves[CLIENT].ended;
  if (c->ends[SERVER].fd >= 0) close(c->ends[SERVER].fd);
  c->ends[SERVER] = (struct end){ fd, SERVER, UINT32_MAX, c };
  c->halves[SERVER] = (struct half){ .from = 0 };
  c->halves[CLIENT] = (struct half){ .to = c->asked_count, .ended = ended };
  memcpy(c->halves[CLIENT].bytes, c->asked, c->asked_count);
  c->lost = false;
  c->aside = c->connecting = true;
  c->deadline_ns = in_ms(CONNECT_MS);
  wait_for_both(p, c);
}

/* One of the sides has gone, or cannot be reached. Who waits for an answer of the other one waits a moment more: it may
 * have been killed. */
static void lose(struct passing *p, struct passed *c, enum side gone)
{
  if (gone == CLIENT || !c->asked_count || !can_turn(p, c)) {
    c->over = true;
    return;
  }
  close(c->ends[SERVER].fd);
  c->ends[SERVER].fd = -1;
  c->lost = true;
  c->deadline_ns = in_ms(VERDICT_MS);
  c->over = !wait_for(p, &c->ends[CLIENT], 0);
}

/* What was said and not answered, so that it can be said to another one. */
static void note_said(struct passed *c, enum side side, const unsigned char *bytes, size_t size)
{
  if (side == SERVER) {
    c->answered = true;
    c->asked_count = 0;
    return;
  }
  if (c->asked_count + size <= ASKED_MOST) memcpy(c->asked + c->asked_count, bytes, size);
  c->asked_count += size;
}

/* From one side into its half. */
static void take_in(struct passing *p, struct passed *c, enum side side)
{
  struct half *half = &c->halves[side];
  if (half->ended || half->to == HALF_BYTES) return;
  const ssize_t got = recv(c->ends[side].fd, half->bytes + half->to, HALF_BYTES - half->to, 0);
  if (got > 0) {
    note_said(c, side, half->bytes + half->to, (size_t)got);
    half->to += (size_t)got;
  }
  if (got == 0) half->ended = true;
  const bool unanswered = got == 0 && side == SERVER && c->asked_count;
  if (unanswered || (got < 0 && errno != EAGAIN && errno != EINTR)) lose(p, c, side);
}

/* Out of one side's half, to the other side. */
static void give_out(struct passing *p, struct passed *c, enum side side)
{
  struct half *half = &c->halves[side];
  const int fd = c->ends[!side].fd;
  if (half->from < half->to) {
    const ssize_t sent = send(fd, half->bytes + half->from, half->to - half->from, MSG_NOSIGNAL);
    if (sent > 0) half->from += (size_t)sent;
    if (sent < 0 && errno != EAGAIN && errno != EINTR) lose(p, c, !side);
  }
  if (half->from < half->to || c->lost || c->over) return;
  half->from = half->to = 0;
  if (half->ended && !half->shut) {
    half->shut = true;
    shutdown(fd, SHUT_WR);
    if (side == SERVER) c->deadline_ns = in_ms(LAST_MS);
  }
  c->over = c->over || (c->halves[CLIENT].shut && c->halves[SERVER].shut);
}

static void find_connected(struct passing *p, struct passed *c)
{
  int why = 0;
  socklen_t size = sizeof why;
  if (getsockopt(c->ends[SERVER].fd, SOL_SOCKET, SO_ERROR, &why, &size) || why) {
    turn_aside(p, c);
    return;
  }
  c->connecting = false;
  c->deadline_ns = 0;
}

static void serve(struct passing *p, struct end *end, uint32_t events)
{
  struct passed *c = end->of;
  if (c->lost) c->over = true; /* nothing but his end is waited for */
  if (c->over) return;
  if (c->connecting) {
    if (end->side == CLIENT)
      c->over = true; /* it has gone already */
    else
      find_connected(p, c);
  } else if (events & EPOLLERR) {
    lose(p, c, end->side);
  } else {
    if (events & (EPOLLIN | EPOLLHUP)) take_in(p, c, end->side);
    if (!c->lost) give_out(p, c, end->side);
    if (!c->lost) give_out(p, c, !end->side);
  }
  if (!c->over && !c->lost) wait_for_both(p, c);
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

static int connect_on(struct passing *p, unsigned *lead, bool *aside)
{
  pthread_mutex_lock(&p->lock);
  const struct place to = p->to, own = p->own;
  *lead = p->lead;
  pthread_mutex_unlock(&p->lock);
  const int fd = own.size && atomic_load(&p->silent) ? -1 : connect_to(&to);
  *aside = fd < 0;
  return *aside ? connect_to(&own) : fd;
}

static void pass_on(struct passing *p, int client)
{
  unsigned lead;
  bool aside;
  const int server = connect_on(p, &lead, &aside);
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
  c->aside = aside;
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

/* Who waits for a silent node gets an answer of this one, or asks again. Who waits with more than a stop, an upload say,
 * goes on waiting, and so does who has asked for nothing. */
static void answer_in_its_place(struct passing *p, struct passed *c)
{
  if (!c->over && !c->aside && c->asked_count && c->asked_count <= ASKED_MOST) turn_aside(p, c);
}

/* Between events, so that none names who is freed. */
static void sweep(struct passing *p)
{
  const int64_t now = clock_monotonic_ns();
  const bool silent = atomic_load(&p->silent);
  pthread_mutex_lock(&p->lock);
  const unsigned lead = p->lead;
  const bool has_own = p->own.size;
  pthread_mutex_unlock(&p->lock);
  for (struct passed **at = &p->all; *at;) {
    struct passed *c = *at;
    if (c->connecting && !c->aside && now >= c->deadline_ns) turn_aside(p, c);
    if (silent && has_own) answer_in_its_place(p, c);
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

enum armdyn_status passing_start(int listen_fd, bool encrypted, struct passing **out, struct armdyn_error *error)
{
  struct passing *p = calloc(1, sizeof *p);
  if (!p) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory to pass connections on");
  *p = (struct passing){
    .listen_fd = listen_fd, .epoll_fd = epoll_create1(EPOLL_CLOEXEC), .encrypted = encrypted, .accepts = true
  };
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
  if (size) p->to.address = *to;
  p->to.size = size;
  p->lead++;
  pthread_mutex_unlock(&p->lock);
}

void passing_own(struct passing *p, const struct sockaddr_storage *own, socklen_t size)
{
  pthread_mutex_lock(&p->lock);
  if (size) p->own.address = *own;
  p->own.size = size;
  pthread_mutex_unlock(&p->lock);
}

void passing_silent(struct passing *p, bool silent)
{
  atomic_store(&p->silent, silent);
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
