#include "server/http/gate.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "server/base/clock.h"
#include "server/http/internal.h"

enum { DESCRIPTORS_MOST = 1 << 16, HELD_LEAST = 4096 };

static struct connection *_Atomic gated[DESCRIPTORS_MOST];

bool gate_open(struct connection *connection)
{
  if (connection->fd < 0 || connection->fd >= DESCRIPTORS_MOST) return false;
  atomic_store_explicit(&gated[connection->fd], connection, memory_order_release);
  return true;
}

void gate_close(struct connection *connection)
{
  struct connection *own = connection; /* the number may be another's by now */
  atomic_compare_exchange_strong(&gated[connection->fd], &own, NULL);
  free(connection->gate.held);
}

bool gate_lets_begin(struct gate *gate)
{
  if (!gate->framing.passed) return false;
  gate->framing.passed--;
  return true;
}

bool gate_is_broken(const struct gate *gate)
{
  return gate->framing.state == AT_FAULT && !gate->framing.passed;
}

bool gate_holds(const struct gate *gate)
{
  return gate->framing.state == AT_HEAD && gate->held_to > gate->held_from;
}

/* -- bytes that wait -- */

static bool make_room(struct gate *g, size_t more)
{
  if (g->held_from) {
    memmove(g->held, g->held + g->held_from, g->held_to - g->held_from);
    g->held_to -= g->held_from;
    g->held_from = 0;
  }
  size_t capacity = g->capacity ? g->capacity : HELD_LEAST;
  while (capacity < g->held_to + more) capacity *= 2;
  if (capacity == g->capacity) return true;
  char *held = realloc(g->held, capacity);
  if (!held) return false;
  g->held = held;
  g->capacity = capacity;
  return true;
}

static bool hold(struct gate *g, const char *bytes, size_t length)
{
  if (!length) return true;
  if (!make_room(g, length)) return false;
  memcpy(g->held + g->held_to, bytes, length);
  g->held_to += length;
  return true;
}

static size_t give(struct gate *g, char *to, size_t size)
{
  const size_t n = g->ready < size ? g->ready : size;
  if (!n || !g->held) return 0;
  memcpy(to, g->held + g->held_from, n);
  g->held_from += n;
  g->ready -= n;
  if (g->held_from == g->held_to) {
    free(g->held);
    g->held = NULL;
    g->held_from = g->held_to = g->capacity = 0;
  }
  return n;
}

/* What libmicrohttpd gets in place of a faulty unit and all behind it: a request to be refused, or a sound end of the body
 * of the one that it has. */
static const char *stand_in(enum framing_state unit, const char *bytes, size_t length)
{
  static const char get[] = "GET * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                    head[] = "HEAD * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  switch (unit) {
  case AT_CHUNK: return "0\r\n\r\n";
  case AFTER_CHUNK: return "\r\n0\r\n\r\n";
  case AT_TRAILERS: return "\r\n";
  default: return length > 4 && !memcmp(bytes, "HEAD ", 5) ? head : get;
  }
}

/* The held bytes, or those behind the ready ones, begin a faulty unit: they are replaced. */
static bool replace_fault(struct gate *g, const char *unit, size_t length)
{
  const char *text = stand_in(g->framing.broken_in, unit, length);
  g->framing.passed += g->framing.broken_in == AT_HEAD;
  g->held_to = g->held_from + g->ready;
  if (!hold(g, text, strlen(text))) return false;
  g->ready += strlen(text);
  return true;
}

/* -- reading -- */

enum more { MORE, DRAINED, FAILED };

/* Straight to where libmicrohttpd wants it; nothing is held. *given grows by what may stay there. */
static enum more read_straight(struct gate *g, int fd, char *to, size_t size, size_t *given)
{
  const ssize_t n = recvfrom(fd, to, size, 0, NULL, NULL);
  if (n <= 0) {
    g->ended = n == 0;
    return DRAINED;
  }
  const size_t length = (size_t)n, passed = framing_read(&g->framing, to, length);
  *given += passed;
  if (passed == length) return length < size ? DRAINED : MORE;
  const char *rest = to + passed;
  if (g->framing.state == AT_FAULT) return replace_fault(g, rest, length - passed) ? MORE : FAILED;
  if (!hold(g, rest, length - passed)) return FAILED;
  return length < size ? DRAINED : MORE;
}

/* Behind the beginning of a unit that is held. */
static enum more read_behind(struct gate *g, int fd)
{
  if (!make_room(g, HELD_LEAST)) return FAILED;
  const size_t room = g->capacity - g->held_to;
  const ssize_t n = recvfrom(fd, g->held + g->held_to, room, 0, NULL, NULL);
  if (n <= 0) {
    g->ended = n == 0;
    return DRAINED;
  }
  g->held_to += (size_t)n;
  g->ready = framing_read(&g->framing, g->held, g->held_to);
  if (g->framing.state == AT_FAULT) return replace_fault(g, g->held + g->ready, g->held_to - g->ready) ? MORE : FAILED;
  return (size_t)n < room ? DRAINED : MORE;
}

/* As recv(). libmicrohttpd takes less than it asked for as a sign that there is no more for now: so all that may be given is,
 * unless it fills its buffer. */
static ssize_t receive(struct gate *g, int fd, char *to, size_t size)
{
  size_t given = give(g, to, size);
  enum more more = MORE;
  errno = EAGAIN;
  while (given < size && more == MORE && !g->ended && g->framing.state != AT_FAULT) {
    more = g->held_to ? read_behind(g, fd) : read_straight(g, fd, to + given, size - given, &given);
    given += give(g, to + given, size - given);
  }
  if (more == FAILED) errno = ENOMEM;
  if (given || more == FAILED) return more == FAILED ? -1 : (ssize_t)given;
  if (g->ended) return 0;
  if (g->framing.state == AT_FAULT) errno = EAGAIN;
  return -1;
}

/* A request that comes in pieces has its time from the first on. */
static void begin_waiting(struct connection *c)
{
  if (gate_holds(&c->gate))
    connection_advance(c, PHASE_IDLE, PHASE_READING, clock_monotonic_ns() + c->http->body_timeout);
}

/* recv() of this process, under a name of its own, since the libc's headers may have an inline recv() already. The libc's
 * is recvfrom() without an address, too. */
ssize_t gate_recv(int fd, void *to, size_t size, int flags) __asm__("recv") __attribute__((visibility("default")));
ssize_t gate_recv(int fd, void *to, size_t size, int flags)
{
  struct connection *c =
      !flags && fd >= 0 && fd < DESCRIPTORS_MOST ? atomic_load_explicit(&gated[fd], memory_order_acquire) : NULL;
  if (!c) return recvfrom(fd, to, size, flags, NULL, NULL);
  const ssize_t n = receive(&c->gate, fd, to, size);
  const int why = errno;
  if (n < 0 && why == ENOMEM) connection_cut(c, "out of memory");
  if (n < 0) begin_waiting(c);
  errno = why;
  return n;
}
