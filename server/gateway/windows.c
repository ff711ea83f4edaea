/* The words of a profile into the controller's window places: which place may be written, how many requests are in flight,
 * and what is written once more. */
#include "server/base/clock.h"
#include "server/gateway/running.h"

enum {
  LOOK_EVERY = 32,     /* windows between two looks at the next offset, of what takes them at once */
  AGAIN_LEAST_MS = 50, /* before windows that were not taken are written once more */
  BUSY_PAUSE_MS = 5    /* after "not now" */
};

static bool at_once(const struct running *r)
{
  return controller_can(&r->client->identity, ABILITY_AT_ONCE);
}

/* -- where the controller is -- */

/* When windows that are written now, and not taken, are written once more: its program has had its chances. */
static int64_t again_after(const struct running *r)
{
  const struct uptime *u = &r->client->uptime;
  return clock_monotonic_ns() + (int64_t)(1e6 * (3 * u->scan_ms + u->round_trip_ms)) + AGAIN_LEAST_MS * 1000000LL;
}

void windows_set_back(struct running *r)
{
  const uint32_t next = r->client->state.next_offset;
  const int64_t now = clock_monotonic_ns();
  r->windows =
      (struct windows){ .at = next, .next = next, .seen_ns = now, .progress_ns = now, .again_ns = again_after(r) };
}

uint32_t windows_taken(const struct running *r)
{
  const uint32_t offset = r->client->state.next_offset;
  return running_ours(r) && offset <= r->head->total ? offset : 0;
}

void windows_note_progress(struct running *r)
{
  struct windows *w = &r->windows;
  const struct controller_state *s = &r->client->state;
  bool no_room = r->order->stream && !s->free_samples;
  w->seen_ns = clock_monotonic_ns();
  if (s->next_offset != w->next || no_room) {
    w->progress_ns = w->seen_ns;
    w->again_ns = again_after(r);
  }
  w->next = s->next_offset;
  if (windows_taken(r) > r->now.sent) r->now.sent = windows_taken(r);
}

enum armdyn_status windows_check_progress(struct running *r)
{
  const struct controller_state *s = &r->client->state;
  int64_t without_ns = r->windows.seen_ns - r->windows.progress_ns;
  if (without_ns <= r->order->window_timeout_ms * 1000000LL) return ARMDYN_OK;
  return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                       "the controller has taken no window for %.1f s; it waits for sample %u: error %u, %s",
                       (double)without_ns * 1e-9, s->next_offset, s->own_error, protocol_error_text(s->own_error));
}

/* -- answers -- */

/* Look once more, now that everything has landed. */
static enum armdyn_status look_anew(struct running *r)
{
  enum armdyn_status rc = client_look(r->client, &r->error);
  if (rc) return rc;
  r->windows.before = r->windows.at;
  windows_note_progress(r);
  return ARMDYN_OK;
}

static enum armdyn_status hear(struct running *r, const struct landed *answer)
{
  struct windows *w = &r->windows;
  w->refused = w->refused || answer->exception;
  if (answer->request.function != FLIGHT_READ || answer->exception) return ARMDYN_OK;
  if (!client_take_look(r->client, answer)) return look_anew(r);
  w->before = w->looked_at;
  windows_note_progress(r);
  return ARMDYN_OK;
}

/* What has come; with `wait`, one answer at least. */
static enum armdyn_status land(struct running *r, bool wait)
{
  struct landed answer;
  enum armdyn_status rc = link_receive(&r->client->link, wait, &answer, &r->error);
  while (!rc && answer.request.function) {
    rc = hear(r, &answer);
    if (!rc) rc = link_receive(&r->client->link, false, &answer, &r->error);
  }
  return rc;
}

static enum armdyn_status make_room(struct running *r)
{
  enum armdyn_status rc = ARMDYN_OK;
  while (!rc && r->client->link.flight.count >= r->order->in_flight) rc = land(r, true);
  return rc;
}

static bool looks(const struct running *r)
{
  return flight_has(&r->client->link.flight, FLIGHT_READ);
}

static enum armdyn_status ask_look(struct running *r)
{
  enum armdyn_status rc = make_room(r);
  if (rc) return rc;
  r->windows.looked_at = r->windows.at;
  return client_send_look(r->client, &r->error);
}

/* Of what takes windows at once one look tells what became of all before it, and the next one waits for it. */
static enum armdyn_status look_at_once(struct running *r, bool written)
{
  enum armdyn_status rc = ARMDYN_OK;
  while (!rc && looks(r)) rc = land(r, true);
  if (!rc) rc = ask_look(r);
  while (!rc && !written && looks(r)) rc = land(r, true);
  return rc;
}

/* Of a program with a scan: as often as that may show something new, over a slow line several are in flight. */
static enum armdyn_status look_at_scans(struct running *r, bool written)
{
  if (!written) running_hear(r, client_cycle_part_ms(r->client));
  if (r->ended) return ARMDYN_ECANCELLED;
  enum armdyn_status rc = ask_look(r);
  bool full = r->client->link.flight.count >= r->order->in_flight;
  return !rc && !written && full ? land(r, true) : rc;
}

/* -- writing -- */

/* What was written and not taken though it should be, or lies behind what is expected, is written from there on. */
static void go_back(struct running *r)
{
  struct windows *w = &r->windows;
  const uint32_t next = r->client->state.next_offset;
  bool late = at_once(r) ? next < w->before : w->at > next && clock_monotonic_ns() > w->again_ns;
  if (w->at >= next && !late && !w->refused) return;
  memset(w->passed, 0, sizeof w->passed);
  w->at = w->before = w->looked_at = next;
  w->again_ns = again_after(r);
  w->refused = false;
}

/* The first sample that there is no room for. */
static uint32_t end_of_room(const struct running *r)
{
  const struct controller_state *s = &r->client->state;
  bool beyond = r->order->stream && s->free_samples < r->head->total - s->next_offset;
  return beyond ? s->next_offset + s->free_samples : r->head->total;
}

/* Is there something to be written, and a place for it? */
static bool may_write(const struct running *r)
{
  const struct windows *w = &r->windows;
  const struct client *c = r->client;
  bool passed = w->passed[w->count % c->identity.places] <= c->state.next_offset;
  return running_ours(r) && !w->refused && (passed || at_once(r)) && w->at < end_of_room(r);
}

/* Whole windows, while there is more to come. */
static enum armdyn_status write_window(struct running *r)
{
  struct windows *w = &r->windows;
  const struct controller_identity *id = &r->client->identity;
  const unsigned per_sample = protocol_sample_words(r->head->format, r->head->axis_count);
  uint32_t left = end_of_room(r) - w->at, count = id->window_most / per_sample;
  if (left < count) count = left;
  if (w->at + count > r->written) r->written = w->at + count; /* it may arrive though its answer does not */
  unsigned place = w->count % id->places;
  enum armdyn_status rc =
      client_send_window(r->client, place, r->head->id, w->at, r->order->profile.words + (size_t)w->at * per_sample,
                         count * per_sample, &r->error);
  if (rc) return rc;
  w->at += count;
  w->count++;
  w->passed[place] = w->at;
  return ARMDYN_OK;
}

/* Into places that were passed, or, of what takes windows at once, a burst; a heartbeat between them. */
static enum armdyn_status write_some(struct running *r, unsigned *written)
{
  const unsigned most = at_once(r) ? LOOK_EVERY : r->client->identity.places;
  for (*written = 0; *written < most; ++*written) {
    enum armdyn_status rc = make_room(r);
    if (!rc) rc = client_send_beat(r->client, &r->error);
    if (!rc) rc = make_room(r);
    if (rc) return rc;
    if (!may_write(r)) break;
    if ((rc = write_window(r))) return rc;
  }
  return ARMDYN_OK;
}

enum armdyn_status windows_send(struct running *r)
{
  const struct controller_state *s = &r->client->state;
  if (r->windows.refused) running_hear(r, BUSY_PAUSE_MS);
  if (r->ended) return ARMDYN_ECANCELLED;
  enum armdyn_status rc = r->windows.refused ? look_anew(r) : land(r, false);
  if (rc) return rc;
  if (s->next_offset > r->head->total || s->next_offset > r->written)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                         "the controller asks for sample %u of %u, of which %u were sent", s->next_offset,
                         r->head->total, r->written);
  go_back(r);
  unsigned written;
  if ((rc = write_some(r, &written))) return rc;
  return at_once(r) ? look_at_once(r, written) : look_at_scans(r, written);
}
