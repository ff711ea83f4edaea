#include "server/base/clock.h"
#include "server/gateway/mapped.h"
#include "server/gateway/running.h"

enum { BEGIN_MOST = 5 }; /* a controller that restarts again and again */

/* -- may it be sent there? -- */

/* Holding what is asked for against what the controller offers; where nothing was asked for, the next best. */
static enum armdyn_status choose_format(struct running *r)
{
  unsigned offered = r->client->identity.abilities & ABILITY_FORMATS, asked = r->head->format;
  if (r->client->address.mapped) return ARMDYN_OK; /* its columns say what it takes */
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
  if (r->order->stream && !controller_can(id, ABILITY_STREAM))
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the controller takes no streams");
  if (!r->order->stream && head->total > id->samples_most)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                         "the profile has %u samples, the controller holds %u; stream it, or lower the rate",
                         head->total, id->samples_most);
  if (profile_sample_words(head->format, head->axis_count) > id->window_most)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "a sample has %u words, the controller's window %u",
                         profile_sample_words(head->format, head->axis_count), id->window_most);
  enum controller_phase phase = r->client->state.phase;
  if (phase == PHASE_ARMED || phase == PHASE_PLAYING || phase == PHASE_HOLDING || phase == PHASE_FAULT)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                         "the controller is in state %s (error %u, %s); stop or clear it", protocol_phase_word(phase),
                         r->client->state.own_error, protocol_error_text(r->client->state.own_error));
  return ARMDYN_OK;
}

/* -- beginning -- */

/* BEGIN or STREAM, made once; one whose answer was lost goes on. */
static enum armdyn_status begin(struct running *r)
{
  struct client *c = r->client;
  enum controller_command command = r->order->stream ? COMMAND_STREAM : COMMAND_BEGIN;
  if (!client_has_open(c, command, r->head->id) && r->begun++ >= BEGIN_MOST)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the controller lost the profile %d times", BEGIN_MOST);
  c->restarted = false;
  c->beats_for = r->head->id;
  r->instance = c->identity.instance;
  enum armdyn_status rc = client_command(c, command, r->head, 0, &r->error);
  if (rc) return rc;
  r->written = 0;
  r->offered = false;
  windows_set_back(r);
  r->holds = running_ours(r);
  if (r->holds) return ARMDYN_OK;
  return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the controller acknowledged %s, and has profile 0x%08X",
                       protocol_command_name(command), c->state.profile);
}

/* Nothing is begun anew but on a controller that was started anew: what another master did, or a person, stays. */
static enum armdyn_status begin_again(struct running *r)
{
  const struct controller_state *s = &r->client->state;
  if (!r->holds || !running_same(r)) return begin(r);
  running_follow(r); /* it tells how this ends */
  return r->ended ? ARMDYN_ECANCELLED
                  : armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the controller lost the profile: it is in state %s",
                                  protocol_phase_word(s->phase));
}

/* -- its end -- */

enum armdyn_status loading_verify(struct running *r)
{
  const struct controller_state *s = &r->client->state;
  const struct meanwhile beats = client_meanwhile(r->client);
  if (r->client->address.mapped) return mapped_verify(r->client, &r->order->profile, &beats, &r->error);
  if (s->crc == r->head->crc && s->next_offset == r->head->total) return ARMDYN_OK;
  return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                       "the controller stores %u samples of CRC-32 0x%08X, not %u of 0x%08X", s->next_offset, s->crc,
                       r->head->total, r->head->crc);
}

static enum armdyn_status commit(struct running *r)
{
  struct client *c = r->client;
  r->offered = true;
  enum armdyn_status rc = client_command(c, COMMAND_COMMIT, r->head, 0, &r->error);
  /* A stream that plays refuses it when it is closed already: then another command came between it and its answer. */
  bool before = r->order->stream && rc == ARMDYN_ECONFLICT && c->refused && c->state.error == CONTROLLER_NOT_ALLOWED;
  if (!rc || before) rc = loading_verify(r);
  r->closed = r->closed || !rc;
  return rc;
}

/* A stream that fills all the room there is: can it be armed? */
static enum armdyn_status check_ahead(struct running *r)
{
  uint64_t ahead_ms = (uint64_t)r->client->state.next_offset * r->head->period_us / 1000;
  if (ahead_ms >= PROTOCOL_AHEAD_MS) return ARMDYN_OK;
  return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                       "the controller has room for %llu ms of it; a stream needs %d ms at least",
                       (unsigned long long)ahead_ms, PROTOCOL_AHEAD_MS);
}

/* It is beyond LOADING: of COMMIT perhaps only the answer was lost, or its own program goes on at once. */
static enum armdyn_status find_loaded(struct running *r, bool *there)
{
  const struct controller_state *s = &r->client->state;
  bool open = r->order->stream && s->next_offset != r->head->total;
  enum armdyn_status rc = open ? ARMDYN_OK : loading_verify(r);
  r->closed = !rc && !open;
  *there = !rc;
  return rc;
}

/* One step towards READY. *there: it is, or of a stream its room is full. */
static enum armdyn_status load_some(struct running *r, bool *there)
{
  const struct controller_state *s = &r->client->state;
  r->holds = r->holds || running_ours(r);
  if (running_ours(r) && s->phase >= PHASE_READY && s->phase <= PHASE_DONE) return find_loaded(r, there);
  if (!running_ours(r) || s->phase != PHASE_LOADING) return begin_again(r);
  if (s->next_offset == r->head->total) {
    enum armdyn_status rc = commit(r);
    *there = r->closed;
    return rc;
  }
  if (r->order->stream && !s->free_samples) {
    *there = true;
    return check_ahead(r);
  }
  enum armdyn_status rc = windows_send(r);
  if (!rc) rc = running_stay_in_touch(r);
  return rc ? rc : windows_check_progress(r);
}

/* On one connection, from wherever the controller is, to READY; of a stream, to where its room is full. */
static enum armdyn_status load_here(struct running *r)
{
  enum armdyn_status rc = ARMDYN_OK;
  bool there = false;
  windows_set_back(r);
  while (!there && !r->ended && (!rc || rc == ARMDYN_ESTALE || rc == ARMDYN_ECANCELLED)) {
    rc = load_some(r, &there);
    running_hear(r, 0);
  }
  return r->ended ? ARMDYN_ECANCELLED : rc;
}

/* Between two requests to a controller with a register map. */
static bool go_on(void *context)
{
  struct running *r = context;
  client_beat(r->client, &r->error);
  running_hear(r, 0);
  return !r->ended;
}

/* Registers hold no count of what came: what a lost connection breaks off is begun anew. */
static enum armdyn_status load_mapped(struct running *r)
{
  r->begun++;
  r->client->beats_for = r->head->id;
  const struct meanwhile meanwhile = { go_on, r };
  enum armdyn_status rc = mapped_load(r->client, &r->order->profile, &meanwhile, &r->error);
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
  const int64_t patience_ns = r->order->connect_deadline_ms * 1000000LL;
  int64_t deadline = clock_monotonic_ns() + patience_ns; /* set forward by every progress */
  for (int attempt = 0; (rc = load_once(r)) == ARMDYN_EUNAVAILABLE && clock_monotonic_ns() < deadline; attempt++) {
    uint32_t before = r->now.sent;
    running_hear(r, running_pause_ms(r, attempt));
    if (r->ended) return ARMDYN_ECANCELLED;
    if ((rc = running_regain(r, deadline))) return rc;
    r->now.sent = windows_taken(r);
    if (r->now.sent <= before) continue;
    deadline = clock_monotonic_ns() + patience_ns;
    attempt = -1;
  }
  return rc;
}

enum armdyn_status loading_feed(struct running *r, bool *more)
{
  const struct controller_state *s = &r->client->state;
  *more = false;
  if (r->closed || !running_ours(r)) return ARMDYN_OK;
  if (s->next_offset == r->head->total) return commit(r);
  if (!s->free_samples) {
    windows_note_progress(r);
    return ARMDYN_OK;
  }
  enum armdyn_status rc = windows_send(r);
  *more = !rc && s->free_samples > 0;
  return rc ? rc : windows_check_progress(r);
}
