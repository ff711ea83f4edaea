#include "server/base/clock.h"
#include "server/gateway/running.h"

enum {
  LOOK_EVERY = 32,     /* windows between two looks at the next offset */
  BEGIN_MOST = 5,      /* a controller that restarts again and again */
  AHEAD_LEAST_MS = 500 /* of a stream, before it may be armed */
};

/* -- may it be sent there? -- */

/* Holding what is asked for against what the controller offers; where nothing was asked for, the next best. */
static enum armdyn_status choose_format(struct running *r)
{
  unsigned offered = r->client->identity.formats, asked = r->head->format;
  if (offered >> (asked - 1) & 1) return ARMDYN_OK;
  for (unsigned format = asked - 1; r->order->may_fall_back && format >= FORMAT_TORQUE_PERMILLE; format--)
    if (offered >> (format - 1) & 1) {
      enum armdyn_status rc = profile_convert(&r->order->profile, (enum sample_format)format, &r->error);
      return rc == ARMDYN_EINPUT ? ARMDYN_ECONFLICT : rc;
    }
  return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the controller does not take format %u; it offers:%s%s%s",
                       asked, offered & 1 ? " 1 (torque_permille)" : "", offered & 2 ? " 2 (torque)" : "",
                       offered & 4 ? " 3 (position_torque)" : "");
}

enum armdyn_status loading_check(struct running *r)
{
  const struct controller_identity *id = &r->client->identity;
  const struct profile_head *head = r->head;
  if (head->axis_mask >> id->axes)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the profile needs axis %u, the controller has %u",
                         head->axes[head->axis_count - 1].axis + 1, id->axes);
  enum armdyn_status rc = choose_format(r);
  if (rc) return rc;
  if (!r->order->stream && head->total > id->samples_most)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                         "the profile has %u samples, the controller holds %u; stream it, or lower the rate",
                         head->total, id->samples_most);
  if (sample_words(head->format, head->axis_count) > id->window_most)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "a sample has %u words, the controller's window %u",
                         sample_words(head->format, head->axis_count), id->window_most);
  enum controller_phase phase = r->client->state.phase;
  if (phase == PHASE_ARMED || phase == PHASE_PLAYING || phase == PHASE_HOLDING || phase == PHASE_FAULT)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                         "the controller is in state %s (error %u, %s); stop or clear it", controller_phase_name(phase),
                         r->client->state.error, controller_error_text(r->client->state.error));
  return ARMDYN_OK;
}

/* -- sending -- */

/* Does the controller still hold what BEGIN announced? */
static bool ours(const struct running *r)
{
  return r->begun && r->client->identity.instance == r->instance && r->client->state.profile == r->head->id;
}

static enum armdyn_status begin(struct running *r)
{
  if (r->begun >= BEGIN_MOST)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the controller lost the profile %d times", r->begun);
  enum controller_command command = r->order->stream ? COMMAND_STREAM : COMMAND_BEGIN;
  enum armdyn_status rc = client_command(r->client, command, r->head, &r->error);
  if (rc) return rc;
  r->begun++;
  r->instance = r->client->identity.instance;
  return client_look(r->client, &r->error);
}

/* What the controller says it has; nothing, if that is more than there is. */
static uint32_t taken(const struct running *r)
{
  const uint32_t offset = r->client->state.next_offset;
  return ours(r) && offset <= r->head->total ? offset : 0;
}

/* Send up to LOOK_EVERY windows from the controller's next offset on, whole ones while there is more to come, as far as
 * there is room; then look where it is. */
static enum armdyn_status send_windows(struct running *r)
{
  const struct controller_state *s = &r->client->state;
  unsigned per_sample = sample_words(r->head->format, r->head->axis_count);
  uint32_t per_window = r->client->identity.window_most / per_sample, at = s->next_offset;
  uint32_t end = r->head->total;
  if (at > end)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the controller asks for sample %u of %u", at, end);
  if (r->order->stream && s->free_samples < end - at) end = at + s->free_samples;
  for (int k = 0; k < LOOK_EVERY && at < end; k++) {
    uint32_t count = end - at < per_window ? end - at : per_window;
    enum armdyn_status rc =
        client_window(r->client, at, r->order->profile.words + (size_t)at * per_sample, count * per_sample, &r->error);
    if (!rc) rc = running_beat(r); /* a slow controller may take a second for them all */
    if (rc) return rc;
    at += count;
  }
  enum armdyn_status rc = client_look(r->client, &r->error);
  if (rc || taken(r) <= r->now.sent) return rc;
  r->now.sent = taken(r);
  r->port->progress(r->port->context, r->now.sent);
  return rc;
}

static enum armdyn_status commit(struct running *r)
{
  enum armdyn_status rc = client_command(r->client, COMMAND_COMMIT, r->head, &r->error);
  r->closed = r->closed || !rc;
  return rc;
}

/* A stream that fills all the room there is: can it be armed? */
static enum armdyn_status check_ahead(struct running *r)
{
  uint64_t ahead_ms = (uint64_t)r->client->state.next_offset * r->head->period_us / 1000;
  if (ahead_ms >= AHEAD_LEAST_MS) return ARMDYN_OK;
  return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                       "the controller has room for %llu ms of it; a stream needs %d ms at least",
                       (unsigned long long)ahead_ms, AHEAD_LEAST_MS);
}

/* On one connection, from wherever the controller is, to READY; of a stream, to where its room is full. */
static enum armdyn_status load_here(struct running *r)
{
  enum armdyn_status rc = ARMDYN_OK;
  const struct controller_state *s = &r->client->state;
  if (ours(r) && s->phase == PHASE_READY) { /* only the answer to COMMIT was lost */
    r->closed = true;
    return ARMDYN_OK;
  }
  for (int fruitless = 0; !rc && !r->ended;) {
    if (!ours(r) || s->phase != PHASE_LOADING) {
      rc = begin(r);
      continue;
    }
    uint32_t before = s->next_offset;
    if (before == r->head->total) return commit(r);
    if (r->order->stream && !s->free_samples) return check_ahead(r);
    if ((rc = send_windows(r)) || (rc = running_stay_in_touch(r))) break;
    fruitless = s->next_offset > before ? 0 : fruitless + 1;
    if (fruitless > FRUITLESS_MOST)
      return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the controller takes no more windows: error %u, %s",
                           s->error, controller_error_text(s->error));
    running_hear(r, 0);
  }
  return r->ended ? ARMDYN_ECANCELLED : rc;
}

/* Between two requests to a controller with a register map. */
static bool go_on(void *context)
{
  struct running *r = context;
  running_beat(r);
  running_hear(r, 0);
  return !r->ended;
}

/* Registers hold no count of what came: what a lost connection breaks off is begun anew. */
static enum armdyn_status load_mapped(struct running *r)
{
  r->begun++;
  enum armdyn_status rc = mapped_load(r->client, &r->order->profile, go_on, r, &r->error);
  if (rc) return rc;
  r->closed = true;
  r->now.sent = r->head->total;
  return ARMDYN_OK;
}

static enum armdyn_status load_once(struct running *r)
{
  return r->client->address.mapped ? load_mapped(r) : load_here(r);
}

enum armdyn_status loading_run(struct running *r)
{
  enum armdyn_status rc;
  for (int fruitless = 0; (rc = load_once(r)) == ARMDYN_EUNAVAILABLE && fruitless <= FRUITLESS_MOST; fruitless++) {
    uint32_t before = r->now.sent;
    running_hear(r, running_pause_ms(r, fruitless));
    if (r->ended) return ARMDYN_ECANCELLED;
    int64_t deadline = clock_monotonic_ns() + r->order->connect_deadline_ms * 1000000LL;
    if ((rc = running_regain(r, deadline))) return rc;
    r->now.sent = taken(r);
    if (r->now.sent > before) fruitless = -1;
  }
  return rc;
}

enum armdyn_status loading_feed(struct running *r, bool *more)
{
  const struct controller_state *s = &r->client->state;
  *more = false;
  if (r->closed || !ours(r)) return ARMDYN_OK;
  if (s->next_offset == r->head->total) return commit(r);
  if (!s->free_samples) return ARMDYN_OK;
  uint32_t before = s->next_offset;
  enum armdyn_status rc = send_windows(r);
  *more = !rc && s->next_offset > before && s->free_samples > 0;
  r->fruitless = s->next_offset > before ? 0 : r->fruitless + 1;
  if (rc || r->fruitless <= FRUITLESS_MOST || !ours(r)) return rc;
  return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the controller takes no more of the stream: error %u, %s",
                       s->error, controller_error_text(s->error));
}
