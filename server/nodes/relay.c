#include "server/nodes/relay.h"

#include <time.h>

#include "server/base/clock.h"

enum {
  FRAME_END = 0x10000, /* beyond what processes say to each other: an int, how one ended */
  LOOK_MS = 1000,
  AGAIN_MS = 25,
  AWAY_MS = 20000, /* the database, after which the conversation is over */
  WRITE_MS = 60000 /* for a process to take a frame */
};

static void rest(void)
{
  nanosleep(&(struct timespec){ .tv_nsec = AGAIN_MS * 1000000 }, NULL);
}

static bool goes_on(const struct relay *r)
{
  return !r->goes_on || r->goes_on(r->context);
}

/* As long as the other end does not read, nothing is read here either: that is what slows a sender down. */
static enum armdyn_status send_patiently(const struct relay *r, const struct frame *frame)
{
  const int64_t until_ns = clock_monotonic_ns() + AWAY_MS * INT64_C(1000000);
  for (;;) {
    const enum armdyn_status status = post_send(r->post, frame->type, frame->data, frame->length);
    const bool away = status == ARMDYN_EUNAVAILABLE && clock_monotonic_ns() < until_ns;
    if ((!away && status != ARMDYN_EBUSY) || !goes_on(r)) return status;
    rest();
  }
}

static enum armdyn_status forward(const struct relay *r)
{
  struct frame frame;
  enum armdyn_status status;
  while (!(status = channel_receive(r->channel, &frame, 0))) {
    if ((status = send_patiently(r, &frame))) return status == ARMDYN_ESTALE ? status : ARMDYN_EBUSY;
    if (r->passed) r->passed(r->context, frame.type, false);
  }
  return status == ARMDYN_EUNAVAILABLE ? ARMDYN_OK : ARMDYN_EIO;
}

static enum armdyn_status hand_in(void *context, uint32_t type, const void *data, size_t length)
{
  struct relay *r = context;
  if (type == FRAME_END) {
    if (length == sizeof r->exit) memcpy(&r->exit, data, sizeof r->exit);
    return ARMDYN_ENOTFOUND;
  }
  const enum armdyn_status status = channel_send(r->channel, type, data, length, WRITE_MS);
  if (!status && r->passed) r->passed(r->context, type, true);
  return status ? ARMDYN_EIO : ARMDYN_OK;
}

static enum relay_end end_of(enum armdyn_status status)
{
  switch (status) {
  case ARMDYN_EIO: return RELAY_CHANNEL;
  case ARMDYN_ENOTFOUND: return RELAY_PEER;
  case ARMDYN_ESTALE: return RELAY_STALE;
  default: return RELAY_BROKEN;
  }
}

enum relay_end relay_run(struct relay *r)
{
  int64_t heard_ns = clock_monotonic_ns(), asked_ns = heard_ns;
  r->exit = -1;
  while (goes_on(r)) {
    size_t count = 0;
    enum armdyn_status status = forward(r);
    if (!status) status = post_receive(r->post, hand_in, r, &count);
    const int64_t now_ns = clock_monotonic_ns();
    if (!status) asked_ns = now_ns;
    if (count) heard_ns = now_ns;
    const bool away = status == ARMDYN_EUNAVAILABLE && now_ns - asked_ns < AWAY_MS * INT64_C(1000000);
    if (status && !away) return end_of(status);
    if (r->silence_ms && now_ns - heard_ns > r->silence_ms * INT64_C(1000000)) return RELAY_SILENT;
    if (!count) post_await(r->post, r->channel->fd, LOOK_MS);
  }
  return RELAY_STALE;
}

void relay_tell_end(struct post *post, int exit)
{
  (void)post_send(post, FRAME_END, &exit, sizeof exit);
}
