/* What a drift has learnt, as numbers, and back: see armdyn/drift.h. */
#include <math.h>

#include "lib/identify/drift.h"

enum { STATE_HEAD = 3, STATE_FORM = 1 };

/* One order for both ways: `take` hears of every stretch of numbers. */
typedef void stretch_visit(void *context, double *numbers, size_t count);
static void visit_state(struct armdyn_drift *d, stretch_visit *visit, void *context)
{
  visit(context, &d->rate, 1);
  visit(context, d->change, d->b);
  for (size_t i = 0; i < d->n; i++) {
    struct joint_drift *j = &d->joints[i];
    visit(context, j->fit->R, (j->count + 1) * (j->count + 1));
    visit(context, &j->fit->weight, 1);
    visit(context, j->sums, j->count + 1);
    visit(context, j->meat, j->count * j->count);
    visit(context, &j->friction, 1);
    visit(context, &j->measured, 1);
  }
}

static void count_stretch(void *context, double *numbers, size_t count)
{
  (void)numbers;
  *(size_t *)context += count;
}

static void save_stretch(void *context, double *numbers, size_t count)
{
  double **to = context;
  memcpy(*to, numbers, count * sizeof *numbers);
  *to += count;
}

static void restore_stretch(void *context, double *numbers, size_t count)
{
  const double **from = context;
  memcpy(numbers, *from, count * sizeof *numbers);
  *from += count;
}

/* By what a state is known: the form of this file, and what is followed. */
static void state_head(const struct armdyn_drift *d, double head[STATE_HEAD])
{
  head[0] = STATE_FORM;
  head[1] = (double)d->b;
  head[2] = d->memory;
}

size_t armdyn_drift_state_count(const struct armdyn_drift *drift)
{
  size_t count = STATE_HEAD;
  visit_state((struct armdyn_drift *)drift, count_stretch, &count); /* which changes nothing */
  return count;
}

void armdyn_drift_save(const struct armdyn_drift *drift, double *state)
{
  double *to = state + STATE_HEAD;
  state_head(drift, state);
  visit_state((struct armdyn_drift *)drift, save_stretch, &to);
}

bool armdyn_drift_restore(struct armdyn_drift *drift, const double *state, size_t count)
{
  double head[STATE_HEAD];
  state_head(drift, head);
  if (count != armdyn_drift_state_count(drift) || memcmp(head, state, sizeof head) != 0) return false;
  for (size_t k = 0; k < count; k++)
    if (!isfinite(state[k])) return false;
  const double *from = state + STATE_HEAD;
  visit_state(drift, restore_stretch, &from);
  return true;
}
