#include "armdyn/vibration.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "lib/math/linear.h"
#include "lib/math/pattern.h"

enum { N = ARMDYN_JOINTS_MAX, K = ARMDYN_MODES_MAX, BASIS = 1 + 2 * K, LEAST = 16, EVALUATIONS = 4000 };
static const double CYCLES = 1.5;                       /* at least, of the lowest frequency */
static const double DAMPINGS[] = { 0.005, 0.02, 0.08 }; /* of the grid */
static const double DAMPING_MOST = 0.5, DAMPING_LEAST = 1e-5;
static const double PENALTY = 3;                                   /* times Schwarz's */
static const double NOTHING = 1e-20;                               /* of the squares of all: what is left is rounding */
static const double STEP = 0.02, FINEST = 1e-7, DIFFERENCE = 1e-3; /* of logarithms */
static const double PI = 3.14159265358979323846;

struct decay {
  double period, frequency_max;
  size_t count, n, modes;
  const struct armdyn_rows *x;
  double weight[N];          /* 1 / noise; 0: the channel stands still */
  size_t channels;           /* that do not */
  double total;              /* weighted squares */
  double *basis;             /* count x BASIS */
  double products[N][BASIS]; /* with the basis, of each channel */
};

/* ---- channels */

static double sample(const struct decay *d, size_t k, size_t j)
{
  return d->x->data[k * d->x->stride + j];
}

/* Of independent noise second differences have six times the variance. */
static void weigh(struct decay *d)
{
  for (size_t j = 0; j < d->n; j++) {
    double noise = 0, mean = 0, square = 0;
    for (size_t k = 0; k < d->count; k++) mean += sample(d, k, j) / (double)d->count;
    for (size_t k = 0; k < d->count; k++) square += pow(sample(d, k, j) - mean, 2);
    for (size_t k = 2; k < d->count; k++)
      noise += pow(sample(d, k, j) - 2 * sample(d, k - 1, j) + sample(d, k - 2, j), 2);
    noise = sqrt(noise / 6 / (double)(d->count - 2));
    d->weight[j] = noise > 0 ? 1 / noise : 0;
    d->channels += noise > 0;
    d->total += square * d->weight[j] * d->weight[j];
  }
}

/* ---- the sum of squares that modes leave, amplitudes and means being the best */

/* Columns 1 + 2 m and 2 + 2 m: exp((-z w + i w_d) t) */
static void lay_mode(struct decay *d, size_t m, double frequency, double damping)
{
  const double w = 2 * PI * frequency;
  const double complex step = cexp((-damping + I * sqrt(1 - damping * damping)) * w * d->period);
  double complex z = 1;
  for (size_t k = 0; k < d->count; k++, z *= step) {
    double *row = d->basis + k * BASIS;
    row[1 + 2 * m] = creal(z), row[2 + 2 * m] = cimag(z);
  }
}

/* Weighted squares left with the first `modes` columns; coefficients (n x columns) where they are wanted. */
static double left_by(struct decay *d, size_t modes, double (*coefficients)[BASIS])
{
  const size_t m = 1 + 2 * modes;
  double G[BASIS * BASIS] = { 0 }, scale[BASIS], left = 0;
  for (size_t k = 0; k < d->count; k++) {
    const double *row = d->basis + k * BASIS;
    for (size_t a = 0; a < m; a++)
      for (size_t b = 0; b <= a; b++) G[a * m + b] += row[a] * row[b];
  }
  if (!scaled_cholesky_factor(m, G, scale)) return INFINITY;
  for (size_t j = 0; j < d->n; j++) {
    double c[BASIS] = { 0 }, right[BASIS], square = 0;
    const double first = sample(d, 0, j); /* small differences of large positions */
    if (!(d->weight[j] > 0)) continue;
    for (size_t k = 0; k < d->count; k++) {
      const double y = sample(d, k, j) - first, *row = d->basis + k * BASIS;
      for (size_t a = 0; a < m; a++) c[a] += row[a] * y;
      square += y * y;
    }
    memcpy(right, c, sizeof right);
    scaled_cholesky_solve(m, G, scale, c);
    for (size_t a = 0; a < m; a++) square -= c[a] * right[a];
    left += fmax(0, square) * d->weight[j] * d->weight[j];
    if (!coefficients) continue;
    memcpy(coefficients[j], c, sizeof c);
    coefficients[j][0] += first;
  }
  return left;
}

/* x = [log frequency, log damping] of every mode. */
static double left_at(void *context, double *x)
{
  struct decay *d = context;
  for (size_t m = 0; m < d->modes; m++) {
    const double frequency = exp(x[2 * m]), damping = exp(x[2 * m + 1]);
    if (frequency > d->frequency_max || damping > DAMPING_MOST || damping < DAMPING_LEAST) return INFINITY;
    lay_mode(d, m, frequency, damping);
  }
  return left_by(d, d->modes, NULL);
}

/* ---- the search */

/* One more mode where most is taken, those that there are standing; answers what is left. */
static double begin_mode(struct decay *d, double *x)
{
  const double span = d->period * (double)d->count, lowest = CYCLES / span, step = 0.4 / span;
  const size_t steps = (size_t)((d->frequency_max - lowest) / step) + 1;
  double best = INFINITY;
  left_at(d, x);
  for (size_t k = 0; k < steps; k++)
    for (size_t z = 0; z < sizeof DAMPINGS / sizeof *DAMPINGS; z++) {
      const double f = lowest + step * (double)k;
      lay_mode(d, d->modes, f, DAMPINGS[z]);
      const double left = left_by(d, d->modes + 1, NULL);
      if (!(left < best)) continue;
      best = left;
      x[2 * d->modes] = log(f), x[2 * d->modes + 1] = log(DAMPINGS[z]);
    }
  return best;
}

static double refine(struct decay *d, double *x, double value)
{
  double directions[4 * K * K] = { 0 }, trial[2 * K], before[2 * K];
  const size_t p = 2 * d->modes;
  for (size_t k = 0; k < p; k++) directions[k * (p + 1)] = k % 2 ? 10 : 1; /* damping is known less well */
  const struct pattern pattern = { .p = p,
                                   .value = left_at,
                                   .context = d,
                                   .directions = directions,
                                   .count = p,
                                   .step = STEP,
                                   .least = FINEST,
                                   .evaluations = EVALUATIONS,
                                   .trial = trial,
                                   .before = before };
  pattern_minimise(&pattern, x, &value);
  return value;
}

/* Modes as long as they are worth it. */
static double find_modes(struct decay *d, size_t most, double *x)
{
  double left = left_by(d, 0, NULL);
  const double samples = (double)(d->count * d->channels);
  const double worth = PENALTY * (double)(2 + 2 * d->channels) * log(samples);
  while (d->modes < most && left > NOTHING * d->total) {
    double trial[2 * K];
    memcpy(trial, x, sizeof trial);
    double next = begin_mode(d, trial);
    d->modes++;
    next = refine(d, trial, next);
    if (!(samples * log(left / next) > worth)) {
      d->modes--;
      break;
    }
    left = next;
    memcpy(x, trial, sizeof trial);
  }
  return left;
}

/* Of the logarithms: with s^2 what is left of a sample, the covariance is 2 s^2 H^-1, H the second derivatives of the
 * squares. */
static void deviations(struct decay *d, double *x, double left, double *out)
{
  const size_t p = 2 * d->modes;
  double H[4 * K * K], inverse[4 * K * K];
  const double spare = (double)(d->count * d->channels) - (double)(p + d->channels * (1 + p));
  for (size_t a = 0; a < p; a++)
    for (size_t b = 0; b < p; b++) {
      double sum = 0;
      for (int corner = 0; corner < 4; corner++) {
        double at[2 * K];
        memcpy(at, x, sizeof at);
        at[a] += corner & 1 ? DIFFERENCE : -DIFFERENCE;
        at[b] += corner & 2 ? DIFFERENCE : -DIFFERENCE;
        sum += (corner == 0 || corner == 3 ? 1 : -1) * left_at(d, at);
      }
      H[a * p + b] = sum / (4 * DIFFERENCE * DIFFERENCE);
    }
  const bool regular = invert(p, H, inverse);
  for (size_t a = 0; a < p; a++)
    out[a] = regular && inverse[a * (p + 1)] > 0 ? sqrt(2 * left / spare * inverse[a * (p + 1)]) : INFINITY;
}

static void tell(struct decay *d, double *x, double left, struct armdyn_vibration *out)
{
  double coefficients[N][BASIS] = { 0 }, deviation[2 * K] = { 0 };
  size_t order[K];
  if (d->modes) deviations(d, x, left, deviation);
  left_at(d, x);
  left_by(d, d->modes, coefficients);
  out->mode_count = d->modes;
  for (size_t m = 0; m < d->modes; m++) {
    size_t at = m;
    for (; at > 0 && x[2 * order[at - 1]] > x[2 * m]; at--) order[at] = order[at - 1];
    order[at] = m;
  }
  for (size_t k = 0; k < d->modes; k++) {
    const size_t m = order[k];
    out->modes[k] = (struct armdyn_mode){ exp(x[2 * m]), exp(x[2 * m + 1]) };
    out->frequency_deviation[k] = deviation[2 * m] * out->modes[k].frequency;
    out->damping_deviation[k] = deviation[2 * m + 1] * out->modes[k].damping;
    for (size_t j = 0; j < d->n; j++)
      out->amplitude[k][j] = hypot(coefficients[j][1 + 2 * m], coefficients[j][2 + 2 * m]);
  }
  for (size_t j = 0; j < d->n; j++) {
    double square = 0;
    out->mean[j] = d->weight[j] > 0 ? coefficients[j][0] : sample(d, 0, j);
    for (size_t k = 0; k < d->count && d->weight[j] > 0; k++) {
      double y = sample(d, k, j);
      for (size_t a = 0; a < 1 + 2 * d->modes; a++) y -= coefficients[j][a] * d->basis[k * BASIS + a];
      square += y * y;
    }
    out->residual[j] = sqrt(square / (double)d->count);
  }
}

enum armdyn_status armdyn_find_vibration(double period, size_t count, size_t n, const struct armdyn_rows *x,
                                         size_t modes_max, double frequency_max, struct armdyn_vibration *out,
                                         struct armdyn_error *error)
{
  struct decay d = { .period = period, .frequency_max = frequency_max, .count = count, .n = n, .x = x };
  double at[2 * K] = { 0 };
  *out = (struct armdyn_vibration){ 0 };
  if (count < LEAST)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/q", "must have at least %d samples, got %zu", LEAST, count);
  if (!(frequency_max < 0.5 / period && frequency_max > CYCLES / (period * (double)count)))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/frequency_max_hz",
                         "must be from %.3g (%.1f periods in all samples) to below half of the rate, %.6g, got %.6g",
                         CYCLES / (period * (double)count), CYCLES, 0.5 / period, frequency_max);
  d.basis = calloc(count * BASIS, sizeof *d.basis);
  if (!d.basis) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for %zu samples", count);
  for (size_t k = 0; k < count; k++) d.basis[k * BASIS] = 1;
  weigh(&d);
  const double left = d.channels ? find_modes(&d, modes_max, at) : 0;
  tell(&d, at, left, out);
  free(d.basis);
  return ARMDYN_OK;
}

/* ---- what is made of it */

static double worst_left(const struct armdyn_vibration *v, const struct armdyn_impulses *impulses, double range)
{
  double worst = 0;
  for (size_t m = 0; m < v->mode_count; m++) {
    const double off = range + 2 * v->frequency_deviation[m] / v->modes[m].frequency;
    for (int k = -10; k <= 10; k++) {
      const struct armdyn_mode mode = { v->modes[m].frequency * (1 + off * k / 10), v->modes[m].damping };
      worst = fmax(worst, armdyn_impulses_residual(impulses, &mode));
    }
  }
  return worst;
}

enum armdyn_status armdyn_vibration_shaper(const struct armdyn_vibration *vibration, double range, double left,
                                           enum armdyn_shaper *shaper, struct armdyn_impulses *impulses)
{
  for (*shaper = 0; vibration->mode_count && *shaper < ARMDYN_SHAPER_COUNT; ++*shaper) {
    if (armdyn_shaper_impulses(*shaper, vibration->modes, vibration->mode_count, impulses, NULL)) continue;
    if (worst_left(vibration, impulses, range) <= left) return ARMDYN_OK;
  }
  return ARMDYN_EINFEASIBLE;
}
