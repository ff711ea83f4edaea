#include "lib/identify/ripple.h"

#include <math.h>

#include "lib/math/triangle.h"

/* Besides the lines: a constant, the angle, and its sine and cosine at the joint: what a wrong centre of mass gives. */
enum { NUISANCE = 4, COLUMNS = NUISANCE + 2 * ARMDYN_RIPPLES_MAX, GOLDEN_STEPS = 40 };
static const double two_pi = 6.28318530717958647693;
static const double GAIN = 0.99;       /* a line must bring the held-out error down to this part of itself */
static const double PERIODS_LEAST = 3; /* of a line within the travel, and of the joint's own turn */

struct lines {
  const struct angle_profile *profile;
  double ratio; /* gear ratio */
  size_t count;
  double order[ARMDYN_RIPPLES_MAX];
  double x[COLUMNS], variance[COLUMNS]; /* least squares, and of its estimates */
  double *residual;                     /* bins */
};

static double angle_of(const struct angle_profile *p, size_t bin)
{
  return p->first + ((double)bin + 0.5) * p->width;
}

/* A mean over a bin is less than the line in its middle. */
static double flattened(const struct angle_profile *p, double order)
{
  const double half = order * p->width / 2;
  return half > 1e-6 ? sin(half) / half : 1;
}

static size_t columns_at(const struct lines *l, size_t bin, double *row)
{
  const double p = angle_of(l->profile, bin), q = p / l->ratio;
  row[0] = 1;
  row[1] = q;
  row[2] = sin(q);
  row[3] = cos(q);
  for (size_t k = 0; k < l->count; k++) {
    const double scale = flattened(l->profile, l->order[k]);
    row[NUISANCE + 2 * k] = scale * sin(l->order[k] * p);
    row[NUISANCE + 2 * k + 1] = scale * cos(l->order[k] * p);
  }
  return NUISANCE + 2 * l->count;
}

/* Which halves of the runs are looked at: bits. */
static double weight_of(const struct angle_profile *p, int halves, size_t bin)
{
  return (halves & 1 ? p->weight[0][bin] : 0) + (halves & 2 ? p->weight[1][bin] : 0);
}

static double value_of(const struct angle_profile *p, int halves, size_t bin)
{
  const double sum = (halves & 1 ? p->sum[0][bin] : 0) + (halves & 2 ? p->sum[1][bin] : 0);
  return sum / weight_of(p, halves, bin);
}

static double predict(const struct lines *l, size_t bin)
{
  double row[COLUMNS], sum = 0;
  const size_t columns = columns_at(l, bin, row);
  for (size_t c = 0; c < columns; c++) sum += row[c] * l->x[c];
  return sum;
}

/* Weighted least squares; what the sample does not tell stays 0. */
static void solve(struct lines *l, int halves)
{
  double R[(COLUMNS + 1) * (COLUMNS + 1)] = { 0 }, scratch[2 * (COLUMNS + 1)];
  const struct angle_profile *p = l->profile;
  const size_t columns = NUISANCE + 2 * l->count, width = columns + 1;
  size_t bins = 0;
  for (size_t bin = 0; bin < p->bins; bin++) {
    const double weight = weight_of(p, halves, bin);
    double row[COLUMNS + 1];
    if (!(weight > 0)) continue;
    columns_at(l, bin, row);
    row[columns] = value_of(p, halves, bin);
    for (size_t c = 0; c < width; c++) row[c] *= sqrt(weight);
    triangle_update(width, R, 1, row, scratch);
    bins++;
  }
  memset(l->x, 0, sizeof l->x);
  for (size_t c = 0; c < columns; c++) {
    if (fabs(R[c * width + c]) < 1e-9 * fabs(R[0])) R[c * width + c] = INFINITY; /* its x is 0 then */
    l->x[c] = R[c * width + columns];
  }
  triangle_solve(columns, R, width, l->x, l->x);
  const double left = R[columns * width + columns];
  const double square = bins > columns ? left * left / (double)(bins - columns) : 0;
  for (size_t c = 0; c < columns; c++) { /* row c of R^-1 */
    double e[COLUMNS] = { 0 };
    e[c] = 1;
    triangle_solve_transposed(columns, R, width, e, e);
    l->variance[c] = 0;
    for (size_t k = 0; k < columns; k++) l->variance[c] += square * e[k] * e[k];
  }
}

/* rms of what is left, weighted. */
static double error_of(const struct lines *l, int halves)
{
  double sum = 0, weights = 0;
  for (size_t bin = 0; bin < l->profile->bins; bin++) {
    const double weight = weight_of(l->profile, halves, bin);
    if (!(weight > 0)) continue;
    const double left = value_of(l->profile, halves, bin) - predict(l, bin);
    sum += weight * left * left;
    weights += weight;
  }
  return weights > 0 ? sqrt(sum / weights) : 0;
}

/* Square of the Fourier sum of what is left. */
static double power_at(const struct lines *l, double order)
{
  double re = 0, im = 0, c = 1, s = 0;
  const double step = order * l->profile->width, turn_c = cos(step), turn_s = sin(step);
  for (size_t bin = 0; bin < l->profile->bins; bin++) {
    re += l->residual[bin] * c;
    im += l->residual[bin] * s;
    const double next = c * turn_c - s * turn_s;
    s = s * turn_c + c * turn_s;
    c = next;
  }
  return re * re + im * im;
}

/* What is left of the bins that were passed, under a Hann window over them; answers their span in motor rad. */
static double leave(struct lines *l, int halves)
{
  const struct angle_profile *p = l->profile;
  size_t first = p->bins, last = 0;
  for (size_t bin = 0; bin < p->bins; bin++) {
    if (!(weight_of(p, halves, bin) > 0)) continue;
    if (first == p->bins) first = bin;
    last = bin;
  }
  memset(l->residual, 0, p->bins * sizeof *l->residual);
  for (size_t bin = first; bin <= last && bin < p->bins; bin++) {
    if (!(weight_of(p, halves, bin) > 0)) continue;
    const double window = 0.5 - 0.5 * cos(two_pi * ((double)(bin - first) + 0.5) / (double)(last - first + 1));
    l->residual[bin] = window * (value_of(p, halves, bin) - predict(l, bin));
  }
  return last > first ? (double)(last - first + 1) * p->width : 0;
}

/* The order of the strongest line that is left; 0: there is no room for any. */
static double strongest(struct lines *l, int halves)
{
  static const double golden = 0.6180339887498949;
  const double span = leave(l, halves), step = two_pi / (2 * span);
  const double least = PERIODS_LEAST * fmax(two_pi / span, 1 / fabs(l->ratio));
  const double most = 0.8 * two_pi / (2 * l->profile->width);
  double best = 0, highest = 0;
  if (!(span > 0)) return 0;
  const size_t count = most >= least ? (size_t)((most - least) / step) + 1 : 0;
  for (size_t k = 0; k < count; k++) {
    const double order = least + (double)k * step;
    const double power = power_at(l, order);
    if (power > highest) {
      highest = power;
      best = order;
    }
  }
  double low = best - step, high = best + step;
  for (int k = 0; k < GOLDEN_STEPS && best > 0; k++) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    if (power_at(l, left) > power_at(l, right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return best > 0 ? (low + high) / 2 : 0;
}

static void take_ripples(const struct lines *l, struct armdyn_joint_friction *found)
{
  found->friction.ripple_count = found->deviation.ripple_count = l->count;
  for (size_t k = 0; k < l->count; k++) {
    const double s = l->x[NUISANCE + 2 * k], c = l->x[NUISANCE + 2 * k + 1], amplitude = sqrt(s * s + c * c);
    const double vs = l->variance[NUISANCE + 2 * k], vc = l->variance[NUISANCE + 2 * k + 1];
    found->friction.ripples[k] = (struct armdyn_ripple){ amplitude, l->order[k], atan2(c, s) };
    found->deviation.ripples[k] = (struct armdyn_ripple){
      .amplitude = amplitude > 0 ? sqrt((s * s * vs + c * c * vc) / (amplitude * amplitude)) : 0,
      .phase = amplitude > 0 ? sqrt((c * c * vs + s * s * vc)) / (amplitude * amplitude) : 0,
    };
  }
}

enum armdyn_status ripples_find(const struct armdyn_joint *joint, const struct angle_profile *profile,
                                struct armdyn_joint_friction *found)
{
  struct lines l = { .profile = profile, .ratio = joint->drive.gear_ratio };
  l.residual = malloc(profile->bins * sizeof *l.residual);
  if (!l.residual) return ARMDYN_EMEMORY;
  solve(&l, 1);
  double without = error_of(&l, 2);
  while (l.count < ARMDYN_RIPPLES_MAX) {
    /* found and fitted in one half, judged by the other */
    const double order = strongest(&l, 1);
    if (!(order > 0)) break;
    l.order[l.count++] = order;
    solve(&l, 1);
    const double with = error_of(&l, 2);
    const bool kept = with < GAIN * without;
    found->trials[found->trial_count++] =
        (struct armdyn_extra_trial){ ARMDYN_FRICTION_POSITION, order, without, with, kept };
    if (!kept) {
      l.count--;
      break;
    }
    without = with;
  }
  solve(&l, 3);
  take_ripples(&l, found);
  free(l.residual);
  return ARMDYN_OK;
}

double ripples_mean(const struct armdyn_friction *friction, const struct constant_run *run)
{
  double sum = 0;
  for (size_t k = 0; k < friction->ripple_count; k++) {
    const struct armdyn_ripple *r = &friction->ripples[k];
    const double from = r->order * run->from + r->phase, to = r->order * run->to + r->phase;
    sum += fabs(to - from) > 1e-9 ? r->amplitude * (cos(from) - cos(to)) / (to - from) : r->amplitude * sin(from);
  }
  return sum;
}
