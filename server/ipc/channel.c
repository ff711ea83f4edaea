#include "server/ipc/channel.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "api/limits.h"
#include "server/base/clock.h"

static const unsigned char magic[4] = { 'A', 'D', 'F', '1' };
enum { READ_SIZE = 64 << 10, SLICE_MS = 100 };

static uint32_t load32(const char *bytes)
{
  const unsigned char *b = (const unsigned char *)bytes;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void store32(char *bytes, uint32_t value)
{
  for (int i = 0; i < 4; i++) bytes[i] = (char)(unsigned char)(value >> 8 * i);
}

enum armdyn_status frame_parse(const char *bytes, size_t length, struct frame *frame, size_t *used)
{
  *used = 0;
  size_t known = length < sizeof magic ? length : sizeof magic;
  if (known && memcmp(bytes, magic, known) != 0) return ARMDYN_ESYNTAX;
  if (length < FRAME_HEAD) return ARMDYN_OK;
  size_t payload = load32(bytes + 8);
  if (payload > LIMIT_FRAME) return ARMDYN_ESYNTAX;
  if (length - FRAME_HEAD < payload) return ARMDYN_OK;
  *frame = (struct frame){ .type = load32(bytes + 4), .length = payload, .data = bytes + FRAME_HEAD };
  *used = FRAME_HEAD + payload;
  return ARMDYN_OK;
}

void channel_open(struct channel *c, int fd)
{
  *c = (struct channel){ .fd = fd, .in = BUFFER(FRAME_HEAD + LIMIT_FRAME + READ_SIZE) };
}

void channel_close(struct channel *c)
{
  if (c->fd >= 0) close(c->fd);
  c->fd = -1;
  buffer_release(&c->in);
  c->taken = 0;
}

static int64_t deadline_of(int timeout_ms)
{
  return timeout_ms < 0 ? INT64_MAX : clock_monotonic_ns() + (int64_t)timeout_ms * 1000000;
}

/* OK when the socket is ready (or broken: the call that follows will tell), EUNAVAILABLE at the deadline. */
static enum armdyn_status await(int fd, short events, int64_t deadline_ns)
{
  for (;;) {
    int wait_ms = -1;
    if (deadline_ns != INT64_MAX) {
      int64_t left = deadline_ns - clock_monotonic_ns();
      if (left <= 0) return ARMDYN_EUNAVAILABLE;
      left = (left + 999999) / 1000000;
      wait_ms = left > INT_MAX ? INT_MAX : (int)left;
    }
    struct pollfd p = { .fd = fd, .events = events };
    int ready = poll(&p, 1, wait_ms);
    if (ready > 0) return ARMDYN_OK;
    if (ready < 0 && errno != EINTR) return ARMDYN_EIO;
  }
}

/* OK when there is room (or the socket is broken), EUNAVAILABLE when none has come for all of *left_ms, of which a slice is
 * used up at a time: a pause of the whole machine costs no more than one. */
static enum armdyn_status await_room(int fd, int *left_ms)
{
  while (*left_ms) {
    int slice = *left_ms < 0 || *left_ms > SLICE_MS ? SLICE_MS : *left_ms;
    enum armdyn_status status = await(fd, POLLOUT, deadline_of(slice));
    if (status != ARMDYN_EUNAVAILABLE) return status;
    if (*left_ms > 0) *left_ms -= slice;
  }
  return ARMDYN_EUNAVAILABLE;
}

enum armdyn_status channel_send(struct channel *c, uint32_t type, const void *data, size_t length, int timeout_ms)
{
  if (length > LIMIT_FRAME) return ARMDYN_ELIMIT;
  char head[FRAME_HEAD];
  memcpy(head, magic, sizeof magic);
  store32(head + 4, type);
  store32(head + 8, (uint32_t)length);

  size_t sent = 0, whole = FRAME_HEAD + length;
  while (sent < whole) {
    size_t of_head = sent < FRAME_HEAD ? sent : FRAME_HEAD, of_data = sent - of_head;
    struct iovec parts[2] = { { head + of_head, FRAME_HEAD - of_head },
                              { length ? (char *)(uintptr_t)data + of_data : head, length - of_data } };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
    ssize_t n = sendmsg(c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      sent += (size_t)n;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return ARMDYN_EIO;
    enum armdyn_status status = await_room(c->fd, &timeout_ms);
    if (status) {
      if (sent) shutdown(c->fd, SHUT_WR); /* no other frame may follow half of one */
      return status;
    }
  }
  return ARMDYN_OK;
}

/* Read once what is there. OK, EUNAVAILABLE (nothing there), EIO (peer gone), EMEMORY. */
static enum armdyn_status take_in(struct channel *c)
{
  if (c->taken) {
    memmove(c->in.data, c->in.data + c->taken, c->in.length - c->taken);
    c->in.length -= c->taken;
    c->taken = 0;
  }
  char *room = buffer_reserve(&c->in, READ_SIZE);
  if (!room) return c->in.failure;
  for (;;) {
    ssize_t n = recv(c->fd, room, READ_SIZE, MSG_DONTWAIT);
    if (n > 0) {
      buffer_commit(&c->in, (size_t)n);
      return ARMDYN_OK;
    }
    if (n == 0) return ARMDYN_EIO;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return ARMDYN_EUNAVAILABLE;
    if (errno != EINTR) return ARMDYN_EIO;
  }
}

enum armdyn_status channel_receive(struct channel *c, struct frame *frame, int timeout_ms)
{
  int64_t deadline = deadline_of(timeout_ms);
  if (c->taken) c->in.data[c->taken] = c->held;
  for (;;) {
    size_t used;
    if (c->in.length > c->taken) {
      if (frame_parse(c->in.data + c->taken, c->in.length - c->taken, frame, &used)) return ARMDYN_ESYNTAX;
      if (used) {
        c->taken += used;
        c->held = c->in.data[c->taken];
        c->in.data[c->taken] = '\0';
        return ARMDYN_OK;
      }
    }
    enum armdyn_status status = take_in(c);
    if (status == ARMDYN_EUNAVAILABLE) status = await(c->fd, POLLIN, deadline);
    if (status) return status;
  }
}
