#include "lib/math/pattern.h"

#include <string.h>

struct pattern_search {
  const struct pattern *pattern;
  double *x, *value;
  size_t asked;
};

/* Goes to `trial` if that is lower. */
static int tried(struct pattern_search *s)
{
  const struct pattern *p = s->pattern;
  if (s->asked >= p->evaluations) return 0;
  s->asked++;
  const double there = p->value(p->context, p->trial);
  if (!(there < *s->value)) return 0;
  *s->value = there;
  memcpy(s->x, p->trial, p->p * sizeof *s->x);
  return 1;
}

/* A step to each side along every direction; answers how many went down. */
static int explore(struct pattern_search *s, double step)
{
  const struct pattern *p = s->pattern;
  int lower = 0;
  for (size_t k = 0; k < p->count; k++)
    for (int side = 1; side >= -1; side -= 2) {
      for (size_t i = 0; i < p->p; i++) p->trial[i] = s->x[i] + side * step * p->directions[k * p->p + i];
      if (tried(s)) {
        lower++;
        break;
      }
    }
  return lower;
}

size_t pattern_minimise(const struct pattern *pattern, double *x, double *value)
{
  struct pattern_search s = { .pattern = pattern, .x = x, .value = value };
  for (double step = pattern->step; step >= pattern->least && s.asked < pattern->evaluations;) {
    memcpy(pattern->before, x, pattern->p * sizeof *x);
    if (!explore(&s, step)) {
      step /= 2;
      continue;
    }
    for (size_t k = 0; k < pattern->p; k++) pattern->trial[k] = 2 * x[k] - pattern->before[k];
    tried(&s);
  }
  return s.asked;
}
