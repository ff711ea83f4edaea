/* STOP of every controller there is: like the STOP of one it needs no lease, no header, no disk and no queue. Entries that
 * name the same registers are one controller, which is told once. */
#include <stdatomic.h>

#include "api/codec/transfer.h"
#include "api/json/writer.h"
#include "server/app.h"
#include "server/gateway/gateway.h"
#include "server/routes/handlers.h"
#include "server/routes/motion.h"
#include "server/trials/trials.h"

/* What came of one of them. */
struct stopped {
  struct stopping *all;
  bool confirmed;
  const char *state; /* NULL: it said nothing */
  char why[256];
};

struct stopping {
  struct exchange *x;
  struct listed_controller *controllers;
  size_t count, asked;
  atomic_size_t missing; /* answers of those that are asked; whoever brings the last one answers the request */
  struct stopped of[];   /* what came of each; of one that is the same as another, nothing */
};

static bool is_asked(const struct stopping *s, size_t i)
{
  return s->controllers[i].same_as == i;
}

static const struct stopped *outcome_of(const struct stopping *s, size_t i)
{
  return &s->of[s->controllers[i].same_as];
}

static void answer(const struct stopping *s)
{
  struct buffer body = BUFFER(MB(8));
  struct json_writer w = { .out = &body };
  size_t confirmed = 0;
  for (size_t i = 0; i < s->count; i++) confirmed += outcome_of(s, i)->confirmed;
  json_begin_object(&w);
  json_key(&w, "confirmed"), json_write_truth(&w, confirmed == s->count);
  json_key(&w, "confirmed_count"), json_write_integer(&w, (int64_t)confirmed);
  json_key(&w, "count"), json_write_integer(&w, (int64_t)s->count);
  json_key(&w, "controllers"), json_begin_array(&w);
  for (size_t i = 0; i < s->count; i++) {
    const struct stopped *one = outcome_of(s, i);
    json_begin_object(&w);
    json_key(&w, "name"), json_write_text(&w, s->controllers[i].name);
    stop_members_encode(one->confirmed, one->state, one->why, stop_sent_by(s->x), &w);
    json_end_object(&w);
  }
  json_end_array(&w);
  json_end_object(&w);
  answer_json(s->x, 200, &body);
}

static void release(struct stopping *s)
{
  free(s->controllers);
  free(s);
}

static void answered(void *context, enum armdyn_status status, const char *text, const struct observation *seen)
{
  struct stopped *one = context;
  struct stopping *s = one->all;
  one->confirmed = status == ARMDYN_OK;
  one->state = seen->seen_ms ? protocol_phase_word(seen->state.phase) : NULL;
  snprintf(one->why, sizeof one->why, "%s", text);
  if (atomic_fetch_sub(&s->missing, 1) != 1) return;
  struct exchange *x = s->x;
  answer(s);
  release(s);
  exchange_resume(x);
}

static struct stopping *stopping_new(struct exchange *x)
{
  size_t count;
  struct listed_controller *controllers = gateway_controllers(exchange_app(x)->gateway, &count);
  struct stopping *s = controllers ? calloc(1, sizeof *s + count * sizeof *s->of) : NULL;
  if (!s) {
    free(controllers);
    return NULL;
  }
  s->x = x;
  s->controllers = controllers;
  s->count = count;
  for (size_t i = 0; i < count; i++) {
    s->of[i].all = s;
    s->asked += is_asked(s, i);
  }
  atomic_init(&s->missing, s->asked);
  return s;
}

enum outcome controllers_stop(struct exchange *x)
{
  struct gateway *gateway = exchange_app(x)->gateway;
  struct stopping *s = stopping_new(x);
  if (!s) {
    answer_problem(x, PROBLEM_UNAVAILABLE, "out of memory: nothing was stopped; use the emergency stop");
    return ANSWERED;
  }
  bool waits = s->count && exchange_may_wait(x);
  size_t left = s->asked; /* s is gone when the last of them has answered */
  for (size_t i = 0; left; i++) {
    struct stopped *one = &s->of[i];
    if (!is_asked(s, i)) continue;
    if (!waits) snprintf(one->why, sizeof one->why, "STOP was sent; too many requests wait to hear what came of it");
    left--;
    trials_cancel(exchange_app(x)->trials, s->controllers[i].name);
    gateway_command(gateway, s->controllers[i].name, "", ASK_STOP, 0, waits ? answered : NULL, one);
  }
  if (waits) return WAITS;
  answer(s);
  release(s);
  return ANSWERED;
}
