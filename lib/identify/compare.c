/* Two motions, two sets of base parameters: what of the one is in the other. */
#include <math.h>

#include "lib/identify/unknowns.h"

/* ---------------------------------------------------------------- a motion that repeats another */

enum { POINTS = 600 }; /* of the shorter motion */

/* A repeated motion is nearer than this to the first, relative to how far the joint deviates from its mean, where it moves
 * at all. Controllers repeat to a thousandth; other motions are at 1. */
static const double SAME = 0.05;

struct coarse {
  size_t count, n;
  double *q; /* count x n */
};

/* Every `step`-th sample in time of `period`, by the nearest one. */
static bool coarse_of(const struct armdyn_motion *m, size_t n, double period, struct coarse *out)
{
  const double length = (double)m->count / m->rate;
  *out = (struct coarse){ .count = (size_t)(length / period), .n = n };
  out->q = calloc(out->count * n + 1, sizeof *out->q);
  for (size_t k = 0; k < out->count && out->q; k++) {
    const size_t at = (size_t)fmin(round((double)k * period * m->rate), (double)(m->count - 1));
    memcpy(out->q + k * n, m->q + at * n, n * sizeof *out->q);
  }
  return out->q != NULL;
}

static double variance(size_t count, size_t n, const double *x)
{
  double mean = 0, sum = 0;
  for (size_t k = 0; k < count; k++) mean += x[k * n] / (double)count;
  for (size_t k = 0; k < count; k++) sum += (x[k * n] - mean) * (x[k * n] - mean) / (double)count;
  return sum;
}

/* Is b, `shift` points later, a over `count` points? */
static bool same(const struct coarse *a, size_t at, const struct coarse *b, size_t bt, size_t count)
{
  bool moves = false;
  for (size_t i = 0; i < a->n; i++) {
    const double *x = a->q + at * a->n + i, *y = b->q + bt * a->n + i;
    const double spread = variance(count, a->n, x), most = SAME * SAME * spread * (double)count;
    double sum = 0;
    if (!(spread > 1e-6)) continue; /* rests, or nearly */
    moves = true;
    for (size_t k = 0; k < count && sum <= most; k++) {
      sum += (x[k * a->n] - y[k * a->n]) * (x[k * a->n] - y[k * a->n]);
    }
    if (sum > most) return false;
  }
  return moves;
}

enum armdyn_status armdyn_motion_repeats(size_t n, const struct armdyn_motion *first,
                                         const struct armdyn_motion *second, bool *repeats, double *shift)
{
  const double length = fmin((double)first->count / first->rate, (double)second->count / second->rate);
  const double period = length / POINTS;
  struct coarse a = { 0 }, b = { 0 };
  enum armdyn_status status = ARMDYN_EMEMORY;
  *repeats = false;
  if (!coarse_of(first, n, period, &a) || !coarse_of(second, n, period, &b)) goto out;
  status = ARMDYN_OK;
  /* half of the shorter one has to lie on the other */
  const ptrdiff_t least = POINTS / 2, from = least - (ptrdiff_t)b.count, to = (ptrdiff_t)a.count - least;
  for (ptrdiff_t s = 0; s <= (to > -from ? to : -from) && !*repeats; s++) {
    for (int side = 0; side < 2 && !*repeats; side++) {
      const ptrdiff_t by = side ? -s : s;
      if (by < from || by > to) continue;
      const size_t at = by > 0 ? (size_t)by : 0, bt = by < 0 ? (size_t)-by : 0;
      const size_t in_a = a.count - at, in_b = b.count - bt, count = in_a < in_b ? in_a : in_b;
      *repeats = same(&a, at, &b, bt, count);
      if (*repeats && shift) *shift = (double)by * period;
    }
  }
out:
  free(a.q);
  free(b.q);
  return status;
}

/* ---------------------------------------------------------------- base parameters in another base */

/* A combination c of standard parameters is one of base parameters if it is a sum of their combinations: then the factor
 * of each is the coefficient of its lead, which no other base parameter has. */
enum armdyn_status armdyn_base_parameter_in(const struct armdyn_unknowns *wanted, size_t k,
                                            const struct armdyn_unknowns *known, double *factors, bool *expressible)
{
  const double *combination = armdyn_base_parameter_coefficients(wanted->base, k);
  double *c = calloc(known->standard_count + 1, sizeof *c), largest = 0;
  *expressible = false;
  if (!c) return ARMDYN_EMEMORY;
  bool is_known = true;
  for (size_t i = 0; i < wanted->standard_count && is_known; i++) {
    if (combination[i] == 0) continue;
    const size_t at = standard_of(known, &wanted->id[i]);
    is_known = at < known->standard_count;
    c[at] = combination[i];
    largest = fmax(largest, fabs(combination[i]));
  }
  for (size_t j = 0; j < known->base_count; j++) factors[j] = c[armdyn_base_parameter_lead(known->base, j)];
  for (size_t j = 0; j < known->base_count; j++) {
    const double *of = armdyn_base_parameter_coefficients(known->base, j);
    for (size_t i = 0; i < known->standard_count; i++) c[i] -= factors[j] * of[i];
  }
  double left = 0;
  for (size_t i = 0; i < known->standard_count; i++) left = fmax(left, fabs(c[i]));
  *expressible = is_known && left <= 1e-7 * largest;
  free(c);
  return ARMDYN_OK;
}
