/* What the controller's states mean for a transfer. Each is believed only as far as it proves itself: done is what was played
 * to its end, with its own checksum, for about as long as it takes. */
#include "server/base/clock.h"
#include "server/gateway/running.h"

static const double duration_least = 0.97; /* of the planned one */
static const double duration_most = 1.03;
enum {
  LATE_MOST_MS = 1000, /* beyond that: from START to the first sample, from the last one to DONE */
  RAMP_MOST_MS = 1000  /* of a hold may go to coming to rest, on the path */
};

bool running_same(const struct running *r)
{
  return r->client->state.instance == r->instance && !r->client->restarted;
}

bool running_ours(const struct running *r)
{
  return r->begun && running_same(r) && r->client->state.profile == r->head->id;
}

/* -- for how long it has played -- */

static uint32_t now_ms(const struct running *r)
{
  return r->client->address.mapped ? (uint32_t)(clock_monotonic_ns() / 1000000) : r->client->state.uptime_ms;
}

/* For how long it surely stood still, between looks that both say HOLDING. */
static void watch_rest(struct running *r)
{
  struct rest *s = &r->watch.rest;
  const bool holds = r->client->state.phase == PHASE_HOLDING;
  const uint32_t index = r->client->state.play_index, passed_ms = now_ms(r) - s->seen_ms;
  if (!holds || !s->holds)
    s->on_path_ms = 0;
  else if (index != s->index || s->on_path_ms < RAMP_MOST_MS)
    s->on_path_ms += passed_ms;
  else
    s->ms += passed_ms;
  s->holds = holds;
  s->seen_ms = now_ms(r);
  s->index = index;
}

static void watch(struct running *r)
{
  struct watch *w = &r->watch;
  enum controller_phase phase = r->client->state.phase;
  watch_rest(r);
  if (phase == PHASE_PLAYING) {
    if (!w->seen) w->first_ms = now_ms(r);
    w->last_ms = now_ms(r);
    w->seen = true;
  } else if (phase == PHASE_HOLDING) {
    w->held = true;
  } else if (!w->seen && phase != PHASE_DONE) {
    w->before_ms = now_ms(r);
  }
}

/* ECONFLICT: it cannot have played all of it. */
static enum armdyn_status check_end(const struct running *r, struct armdyn_error *error)
{
  const struct watch *w = &r->watch;
  const struct client *c = r->client;
  const double planned_ms = (r->head->total - 1.0) * r->head->period_us * 1e-3;
  double cycle = c->address.mapped ? 50 : 2 * c->uptime.scan_ms + 2;
  double most = now_ms(r) - w->before_ms - w->rest.ms, least = w->seen ? (double)(w->last_ms - w->first_ms) : 0;
  if (most + cycle < duration_least * planned_ms)
    return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "it says that it is done after %.3g s; the motion takes %.3g s",
                         most * 1e-3, planned_ms * 1e-3);
  if (!w->held && least > duration_most * planned_ms + cycle + LATE_MOST_MS)
    return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "it has played for %.3g s, though the motion takes %.3g s",
                         least * 1e-3, planned_ms * 1e-3);
  if (c->address.mapped || (c->state.next_offset == r->head->total && c->state.crc == r->head->crc)) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_ECONFLICT, "",
                       "it says that it is done with %u samples of CRC-32 0x%08X, not with %u of 0x%08X",
                       c->state.next_offset, c->state.crc, r->head->total, r->head->crc);
}

/* -- ends -- */

static void refuse(struct running *r, const char *why)
{
  running_report(r, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "%s", why);
}

static void follow_restart(struct running *r)
{
  if (r->started || r->now.state >= TRANSFER_ARMED)
    running_report(r, TRANSFER_INTERRUPTED, PROBLEM_TRANSFER_INTERRUPTED, "the controller was started anew");
  else
    refuse(r, "the controller was started anew and lost the profile");
}

static void follow_done(struct running *r)
{
  if (check_end(r, &r->error)) {
    refuse(r, r->error.message);
    return;
  }
  r->now.sent = r->head->total; /* it has all of it, whether or not a look told so before it was done */
  running_report(r, TRANSFER_DONE, -1, "%s", "");
}

/* It does not hold the profile any more. */
static void follow_loss(struct running *r)
{
  const struct controller_state *s = &r->client->state;
  if (s->phase == PHASE_FAULT)
    running_report(r, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "the controller is in FAULT: error %u, %s",
                   s->own_error, protocol_error_text(s->own_error));
  else if (s->profile && s->profile != r->head->id)
    running_report(r, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "another master loaded profile 0x%08X, in state %s",
                   s->profile, protocol_phase_word(s->phase));
  else if (s->phase == PHASE_EMPTY)
    running_report(r, TRANSFER_STOPPED, -1, "the controller was stopped by somebody else: it is in state empty");
  else if (r->started)
    running_report(r, TRANSFER_INTERRUPTED, PROBLEM_TRANSFER_INTERRUPTED, "it was playing, and is in state %s now",
                   protocol_phase_word(s->phase));
  else
    running_report(r, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "it was %s, and is in state %s now",
                   transfer_state_name(r->now.state), protocol_phase_word(s->phase));
}

/* -- all of it -- */

/* What its state is of a transfer that is loaded; TRANSFER_QUEUED: none, it has ended, or goes back to where it was. */
static enum transfer_state state_of(const struct running *r)
{
  const struct controller_state *s = &r->client->state;
  switch (s->phase) {
  case PHASE_LOADING: return r->order->stream && !r->started ? TRANSFER_READY : TRANSFER_QUEUED;
  case PHASE_READY: return !r->watch.seen ? TRANSFER_READY : TRANSFER_QUEUED;
  case PHASE_ARMED: return r->watch.seen ? TRANSFER_QUEUED : TRANSFER_ARMED;
  case PHASE_PLAYING: return TRANSFER_PLAYING;
  case PHASE_HOLDING: return TRANSFER_HOLDING;
  default: return TRANSFER_QUEUED;
  }
}

static void tell(struct running *r, enum transfer_state state)
{
  const struct controller_state *s = &r->client->state;
  if (s->phase == PHASE_HOLDING && s->own_error == CONTROLLER_UNDERRUN) r->client->link.figures->underruns++;
  if (s->phase == PHASE_HOLDING && s->own_error)
    running_report(r, state, -1, "the controller holds: error %u, %s", s->own_error, protocol_error_text(s->own_error));
  else
    running_report(r, state, -1, "%s", "");
}

void running_follow(struct running *r)
{
  const struct controller_state *s = &r->client->state;
  bool held = s->profile == r->head->id;
  if (!running_same(r)) {
    follow_restart(r);
    return;
  }
  if (held) watch(r);
  bool played = s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING || s->phase == PHASE_DONE;
  if (held && played && r->now.state < TRANSFER_PLAYING) {
    r->started = true;
    running_report(r, TRANSFER_PLAYING, -1, "%s", "");
  }
  enum transfer_state state = held ? state_of(r) : TRANSFER_QUEUED;
  if (held && s->phase == PHASE_DONE)
    follow_done(r);
  else if (state == TRANSFER_QUEUED)
    follow_loss(r);
  else if (state != r->now.state)
    tell(r, state);
}
