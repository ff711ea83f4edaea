/* STOP of every controller there is: like the STOP of one it needs no lease, no header, no disk and no queue. */
#include <stdatomic.h>

#include "api/codec/transfer.h"
#include "api/json/writer.h"
#include "server/app.h"
#include "server/gateway/gateway.h"
#include "server/routes/handlers.h"
#include "server/routes/motion.h"

/* What came of one of them. */
struct stopped {
  struct stopping *all;
  const char *name;
  bool confirmed;
  const char *state; /* NULL: it said nothing */
  char why[256];
};

struct stopping {
  struct exchange *x;
  char (*names)[ARMDYN_NAME_SIZE];
  size_t count;
  atomic_size_t missing; /* answers; whoever brings the last one answers the request */
  struct stopped of[];
};

static void answer(const struct stopping *s)
{
  struct buffer body = BUFFER(MB(8));
  struct json_writer w = { .out = &body };
  size_t confirmed = 0;
  for (size_t i = 0; i < s->count; i++) confirmed += s->of[i].confirmed;
  json_begin_object(&w);
  json_key(&w, "confirmed"), json_write_truth(&w, confirmed == s->count);
  json_key(&w, "confirmed_count"), json_write_integer(&w, (int64_t)confirmed);
  json_key(&w, "count"), json_write_integer(&w, (int64_t)s->count);
  json_key(&w, "controllers"), json_begin_array(&w);
  for (size_t i = 0; i < s->count; i++) {
    const struct stopped *one = &s->of[i];
    json_begin_object(&w);
    json_key(&w, "name"), json_write_text(&w, one->name);
    stop_members_encode(one->confirmed, one->state, one->why, &w);
    json_end_object(&w);
  }
  json_end_array(&w);
  json_end_object(&w);
  answer_json(s->x, 200, &body);
}

static void release(struct stopping *s)
{
  free(s->names);
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
  char(*names)[ARMDYN_NAME_SIZE] = gateway_controllers(exchange_app(x)->gateway, &count);
  struct stopping *s = names ? calloc(1, sizeof *s + count * sizeof *s->of) : NULL;
  if (!s) {
    free(names);
    return NULL;
  }
  s->x = x;
  s->names = names;
  s->count = count;
  atomic_init(&s->missing, count);
  for (size_t i = 0; i < count; i++) {
    s->of[i].all = s;
    s->of[i].name = names[i];
  }
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
  size_t count = s->count; /* s is gone when the last of them has answered */
  bool waits = count && exchange_may_wait(x);
  for (size_t i = 0; i < count; i++) {
    struct stopped *one = &s->of[i];
    if (!waits) snprintf(one->why, sizeof one->why, "STOP was sent; too many requests wait to hear what came of it");
    gateway_wish(gateway, one->name, "", WISH_STOP, 0, waits ? answered : NULL, one);
  }
  if (waits) return WAITS;
  answer(s);
  release(s);
  return ANSWERED;
}
