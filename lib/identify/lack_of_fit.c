/* Residuals r of one joint, sorted into bins b of its velocity (or position). Each time that the joint comes through a bin
 * is a pass, whose mean is r_bi, i = 1 .. m_b, and r_b their mean. With B bins, of which the joint's own terms can fit p,
 *
 *   F = [sum_b m_b r_b^2 / (B - p)] / [sum_b sum_i (r_bi - r_b)^2 / sum_b (m_b - 1)]
 *
 * is near 1 if the model leaves noise, whatever its colour, as long as passes are farther apart than it is correlated.
 *
 * Of a joint and another one, bins are directions of the pair of their speeds, each by its fastest: friction of a motor that
 * both joints turn jumps where a v + c w = 0, which no bin of v alone, nor of w, can tell. Of the n - 1 others the one with
 * the least p is told, p times n - 1 (Bonferroni). */
#include "lib/identify/lack_of_fit.h"

#include <math.h>
#include <stdint.h>

#include "lib/math/distribution.h"

/* Fewer tell nothing: bins, and passes through each. */
enum { BINS_LEAST = 8, PASSES_LEAST = 3 };

/* Over the velocity a bin is narrow where friction bends, at low speeds; over the position narrow enough for ripples. */
enum { BINS_VELOCITY = 32, BINS_POSITION = 256, BINS_DIRECTION = 32, BINS_MOST = BINS_POSITION };

struct bin {
  double sum;         /* of the pass that goes on */
  size_t samples;     /* of it; 0: none does */
  size_t last;        /* sample of its end so far */
  double m, mean, M2; /* passes that have ended: how many, their mean, sum of squares about it */
};

struct residual_bins {
  const struct training *training;
  const double *beta, *correlation;
  struct bin (*bins)[ARMDYN_LACK_OVER_OTHERS][BINS_MOST]; /* n of them */
  struct bin (*pairs)[BINS_DIRECTION];                    /* n x n: of a joint with another one */
  size_t samples;                                         /* seen */
};

/* By the square root of the speed, either direction. */
static size_t bin_of_velocity(const struct reach *reach, size_t joint, double velocity)
{
  const double half = 0.5 * BINS_VELOCITY, place = half * sqrt(fabs(velocity) / reach->fastest[joint]);
  const size_t at = (size_t)fmin(place, half - 1);
  return velocity < 0 ? BINS_VELOCITY / 2 - 1 - at : BINS_VELOCITY / 2 + at;
}

static size_t bin_of_position(const struct reach *reach, size_t joint, double position)
{
  const double part = (position - reach->low[joint]) / (reach->high[joint] - reach->low[joint]);
  return (size_t)fmin(part * BINS_POSITION, BINS_POSITION - 1);
}

/* Of the two speeds, v of the joint itself; by the way around the square |x| + |y| = 1, which needs no arc tangent. */
static size_t bin_of_direction(const struct reach *reach, size_t joint, size_t other, double v, double w)
{
  const double x = v / reach->fastest[joint], y = w / reach->fastest[other], size = fabs(x) + fabs(y);
  const double part = size > 0 ? y / size : 0, around = x >= 0 ? 1 + part : 3 - part; /* 0 .. 4 */
  return (size_t)fmin(around / 4 * BINS_DIRECTION, BINS_DIRECTION - 1);
}

/* Welford's update by the mean of the pass that has ended. */
static void end_pass(struct bin *bin)
{
  if (bin->samples == 0) return;
  const double mean = bin->sum / (double)bin->samples, off = mean - bin->mean;
  bin->m += 1;
  bin->mean += off / bin->m;
  bin->M2 += off * (mean - bin->mean);
  bin->sum = 0;
  bin->samples = 0;
}

static void add(struct bin *bin, size_t sample, double apart, double residual)
{
  if (bin->samples > 0 && (double)(sample - bin->last) > apart) end_pass(bin);
  bin->sum += residual;
  bin->samples++;
  bin->last = sample;
}

static bool moves(const struct residual_bins *r, size_t joint)
{
  const struct reach *reach = &r->training->reach;
  return reach->fastest[joint] > 0 &&
         reach->high[joint] - reach->low[joint] >= motion_least(r->training->unknowns->robot, joint);
}

/*   qd  in  n, of the sample */
static void add_pairs(struct residual_bins *r, size_t joint, const double *qd, size_t sample, double residual)
{
  const size_t n = r->training->unknowns->n;
  for (size_t other = 0; other < n; other++) {
    if (other == joint || !moves(r, other)) continue;
    struct bin *bins = r->pairs[joint * n + other];
    add(&bins[bin_of_direction(&r->training->reach, joint, other, qd[joint], qd[other])], sample, r->correlation[joint],
        residual);
  }
}

static enum armdyn_status sort_residuals(struct residual_bins *r, const struct armdyn_motion *motion)
{
  const size_t n = r->training->unknowns->n;
  double *predicted = malloc((motion->count * n + 1) * sizeof *predicted);
  if (!predicted) return ARMDYN_EMEMORY;
  const enum armdyn_status status = armdyn_predict(r->training->unknowns, r->beta, motion, predicted);
  for (size_t k = 0; k < motion->count * n && !status; k++) {
    const size_t i = k % n, sample = r->samples + k / n;
    if (!moves(r, i)) continue;
    const double residual = motion->tau_raw[k] - predicted[k], apart = r->correlation[i];
    const size_t place[ARMDYN_LACK_OVER_OTHERS] = {
      [ARMDYN_LACK_OVER_VELOCITY] = bin_of_velocity(&r->training->reach, i, motion->qd[k]),
      [ARMDYN_LACK_OVER_POSITION] = bin_of_position(&r->training->reach, i, motion->q[k]),
    };
    for (int over = 0; over < ARMDYN_LACK_OVER_OTHERS; over++)
      add(&r->bins[i][over][place[over]], sample, apart, residual);
    add_pairs(r, i, motion->qd + k - i, sample, residual);
  }
  r->samples += motion->count;
  free(predicted);
  return status;
}

/* How many of the joint's own parameters can fit bins of its velocity or position: its friction, its lines. */
static size_t own_parameters(const struct armdyn_unknowns *u, size_t joint, enum armdyn_lack_kind over)
{
  const size_t lines = armdyn_robot_description(u->robot)->joints[joint].friction.ripple_count;
  size_t count = 0;
  for (size_t k = u->friction_first; k < u->standard_count; k++) count += u->id[k].joint == joint;
  const size_t columns_of_lines = lines < count ? lines : count;
  return over == ARMDYN_LACK_OVER_VELOCITY ? count - columns_of_lines : 1 + 2 * columns_of_lines;
}

static struct armdyn_lack_of_fit figure(struct bin *bins, size_t count, size_t parameters)
{
  double between = 0, within = 0, freedom = 0;
  struct armdyn_lack_of_fit lack = { .f = NAN, .p = NAN };
  for (size_t b = 0; b < count; b++) {
    end_pass(&bins[b]);
    if (bins[b].m < PASSES_LEAST) continue;
    lack.bins++;
    lack.passes += (size_t)bins[b].m;
    between += bins[b].m * bins[b].mean * bins[b].mean;
    within += bins[b].M2;
    freedom += bins[b].m - 1;
  }
  if (lack.bins < BINS_LEAST || lack.bins <= parameters || !(within > 0)) return lack;
  const double own = (double)(lack.bins - parameters);
  lack.f = between / own / (within / freedom);
  lack.p = f_distribution_tail(lack.f, own, freedom);
  return lack;
}

static struct armdyn_lack_of_fit figure_of_others(const struct residual_bins *r, size_t joint)
{
  const struct armdyn_unknowns *u = r->training->unknowns;
  const size_t parameters = own_parameters(u, joint, ARMDYN_LACK_OVER_VELOCITY);
  struct armdyn_lack_of_fit worst = { .f = NAN, .p = NAN };
  for (size_t other = 0; other < u->n; other++) {
    if (other == joint) continue;
    struct armdyn_lack_of_fit one = figure(r->pairs[joint * u->n + other], BINS_DIRECTION, parameters);
    one.other = other;
    one.p = fmin(one.p * (double)(u->n - 1), 1);
    if (isnan(worst.p) || one.p < worst.p || (one.p == worst.p && one.f > worst.f)) worst = one;
  }
  return worst;
}

enum armdyn_status lack_of_fit_fill(const struct training *training, struct armdyn_estimate *out,
                                    struct armdyn_error *error)
{
  const struct armdyn_unknowns *u = training->unknowns;
  struct residual_bins r = { .training = training, .beta = out->beta, .correlation = out->correlation };
  r.bins = calloc(u->n, sizeof *r.bins);
  r.pairs = calloc(u->n * u->n, sizeof *r.pairs);
  enum armdyn_status status = r.bins && r.pairs ? ARMDYN_OK : ARMDYN_EMEMORY;
  for (size_t block = 0; block < training->source->blocks && !status; block++) {
    struct armdyn_motion motion;
    status = training_read(training, block, &motion, error);
    if (!status) status = sort_residuals(&r, &motion);
  }
  for (size_t i = 0; i < u->n && !status; i++) {
    for (enum armdyn_lack_kind over = 0; over < ARMDYN_LACK_OVER_OTHERS; over++)
      out->lack_of_fit[i * ARMDYN_LACKS + over] = figure(r.bins[i][over], BINS_MOST, own_parameters(u, i, over));
    out->lack_of_fit[i * ARMDYN_LACKS + ARMDYN_LACK_OVER_OTHERS] = figure_of_others(&r, i);
  }
  free(r.pairs);
  free(r.bins);
  return status;
}

bool armdyn_lacks_fit(const struct armdyn_lack_of_fit *lack)
{
  static const double SIGNIFICANT = 0.001, RELEVANT = 2; /* of p, of sqrt(F): many samples find every trifle */
  return lack->p < SIGNIFICANT && sqrt(lack->f) > RELEVANT;
}
