#include "lib/trajectory/passages.h"

#include <math.h>

#include "lib/trajectory/bspline.h"

/* Intervals between two passages, and between a passage and an end: fewer leave the spline no choice. */
static const double GAP = 1;

static bool is_free(const struct passage *p)
{
  return isnan(p->time);
}

void passages_count(struct passages *x, const struct transcription *t)
{
  x->unknowns = t->free_duration;
  for (size_t k = 0; k < x->count; k++) x->unknowns += is_free(&x->list[k]);
}

void passages_get(const struct passages *x, const struct transcription *t, double *unknowns)
{
  if (t->free_duration) *unknowns++ = log(transcription_duration(t));
  for (size_t k = 0; k < x->count; k++)
    if (is_free(&x->list[k])) *unknowns++ = x->list[k].at;
}

void passages_set(struct passages *x, struct transcription *t, const double *unknowns, double *controls)
{
  if (t->free_duration) {
    transcription_set_duration(t, exp(*unknowns++));
    transcription_set_ends(t, controls);
  }
  for (size_t k = 0; k < x->count; k++)
    x->list[k].at = is_free(&x->list[k]) ? *unknowns++ : x->list[k].time / transcription_duration(t);
}

/* Where a passage is on the spline, with the basis by intervals. */
struct place {
  size_t interval;
  double basis[4][4];
};

static struct place place_of(const struct transcription *t, double at)
{
  struct place p;
  const double x = fmin(fmax(at * (double)t->intervals, 0), (double)t->intervals);
  p.interval = (size_t)x < t->intervals ? (size_t)x : t->intervals - 1;
  bspline_basis(t->intervals, 1, p.interval, x - (double)p.interval, p.basis);
  return p;
}

/* Derivative r by the fraction of the duration */
static double on_spline(const struct transcription *t, const struct place *p, const double *controls, size_t r,
                        size_t j)
{
  double sum = 0;
  for (size_t a = 0; a < 4; a++) sum += p->basis[r][a] * controls[(p->interval + a) * t->n + j];
  return sum * pow((double)t->intervals, (double)r);
}

void passages_miss(const struct passages *x, const struct transcription *t, const double *controls, double *miss)
{
  for (size_t k = 0; k < x->count; k++) {
    const struct place p = place_of(t, x->list[k].at);
    for (size_t j = 0; j < t->n; j++) miss[k * t->n + j] = on_spline(t, &p, controls, 0, j) - x->list[k].q[j];
  }
}

/* Which unknown moves passage k, and how fast its fraction changes with it; false: none. */
static bool mover(const struct passages *x, const struct transcription *t, size_t k, size_t *unknown, double *rate)
{
  *unknown = 0;
  *rate = is_free(&x->list[k]) ? 1 : -x->list[k].at;
  if (!is_free(&x->list[k])) return t->free_duration;
  *unknown = t->free_duration;
  for (size_t i = 0; i < k; i++) *unknown += is_free(&x->list[i]);
  return true;
}

void passages_slopes(const struct passages *x, const struct transcription *t, const double *controls,
                     double *by_controls, double *by_unknowns)
{
  const size_t n = t->n, width = t->controls * n;
  memset(by_controls, 0, x->count * n * width * sizeof *by_controls);
  memset(by_unknowns, 0, x->count * n * x->unknowns * sizeof *by_unknowns);
  for (size_t k = 0; k < x->count; k++) {
    const struct place p = place_of(t, x->list[k].at);
    size_t unknown;
    double rate;
    const bool moves = mover(x, t, k, &unknown, &rate);
    for (size_t j = 0; j < n; j++) {
      const size_t row = k * n + j;
      for (size_t a = 0; a < 4; a++) by_controls[row * width + (p.interval + a) * n + j] = p.basis[0][a];
      if (moves) by_unknowns[row * x->unknowns + unknown] += rate * on_spline(t, &p, controls, 1, j);
      if (t->free_duration) by_unknowns[row * x->unknowns] += on_spline(t, &p, t->drift, 0, j);
    }
  }
}

void passages_bend(const struct passages *x, const struct transcription *t, const double *controls, const double *pull,
                   double *mixed, double *corner)
{
  const size_t n = t->n, width = t->controls * n;
  for (size_t k = 0; k < x->count; k++) {
    const struct place p = place_of(t, x->list[k].at);
    size_t unknown;
    double rate;
    if (!mover(x, t, k, &unknown, &rate)) continue;
    const double second = is_free(&x->list[k]) ? 0 : x->list[k].at; /* of the fraction by log T */
    for (size_t j = 0; j < n; j++) {
      const double force = pull[k * n + j];
      for (size_t a = 0; a < 4; a++)
        mixed[unknown * width + (p.interval + a) * n + j] += force * rate * (double)t->intervals * p.basis[1][a];
      corner[unknown * x->unknowns + unknown] +=
          force * (rate * rate * on_spline(t, &p, controls, 2, j) + second * on_spline(t, &p, controls, 1, j));
    }
  }
}

/* Gap 0 .. count: before passage `gap`, or before the end. Two more where the duration is free. */
size_t passages_gap_count(const struct passages *x, const struct transcription *t)
{
  return (x->count > 0 && x->unknowns > 0 ? x->count + 1 : 0) + (t->free_duration ? 2 : 0);
}

static size_t order_gaps(const struct passages *x, const struct transcription *t)
{
  return passages_gap_count(x, t) - (t->free_duration ? 2 : 0);
}

double passages_gap(const struct passages *x, const struct transcription *t, size_t gap)
{
  const size_t orders = order_gaps(x, t);
  if (gap == orders) return log(transcription_duration(t) / x->duration_min);
  if (gap > orders) return log(x->duration_max / transcription_duration(t));
  const double before = gap > 0 ? x->list[gap - 1].at : 0, after = gap < x->count ? x->list[gap].at : 1;
  return (after - before) * (double)t->intervals - GAP;
}

void passages_gap_slopes(const struct passages *x, const struct transcription *t, size_t gap, double *by_unknowns)
{
  const size_t orders = order_gaps(x, t);
  size_t unknown;
  double rate;
  memset(by_unknowns, 0, x->unknowns * sizeof *by_unknowns);
  if (gap >= orders) {
    by_unknowns[0] = gap == orders ? 1 : -1;
    return;
  }
  if (gap < x->count && mover(x, t, gap, &unknown, &rate)) by_unknowns[unknown] += rate * (double)t->intervals;
  if (gap > 0 && mover(x, t, gap - 1, &unknown, &rate)) by_unknowns[unknown] -= rate * (double)t->intervals;
}
