/* Autoregressive noise that is like residuals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/study.h"
#include "lib/base/random.h"
#include "lib/math/linear.h"

enum { FEWEST = 16, PER_LAG = 20 /* samples at least for each lag */, ORDER = ARMDYN_NOISE_ORDER_MAX };
enum { RUN_IN = 20 * ORDER };

struct column {
  size_t order;
  double a[ORDER];
  double deviation, correlation;
};
struct armdyn_noise {
  size_t columns;
  struct column column[ARMDYN_JOINTS_MAX];
  double *fresh; /* columns x columns, the factor of the covariance of u, lower triangle */
};

static struct armdyn_noise *new_noise(size_t columns)
{
  struct armdyn_noise *noise = calloc(1, sizeof *noise);
  if (noise) noise->fresh = calloc(columns * columns + 1, sizeof *noise->fresh);
  if (noise && noise->fresh) {
    noise->columns = columns;
    return noise;
  }
  armdyn_noise_free(noise);
  return NULL;
}

/* -- fitting -- */

/* Sums of e_k e_(k-lag) over all samples, so that the equations have a stable solution. */
static void autocovariances(const struct armdyn_residuals *stretches, size_t stretch_count, size_t columns, size_t j,
                            size_t lags, double *sum)
{
  memset(sum, 0, (lags + 1) * sizeof *sum);
  for (size_t s = 0; s < stretch_count; s++) {
    const double *e = stretches[s].values + j;
    for (size_t k = 0; k < stretches[s].count; k++)
      for (size_t lag = 0; lag <= lags && lag <= k; lag++) sum[lag] += e[k * columns] * e[(k - lag) * columns];
  }
}

/* How many samples count as one: the noise's power at frequency 0 against that of white noise alike, 1 at least. */
static double correlation_of(const struct column *c, double left, double power)
{
  double sum = 1;
  for (size_t i = 0; i < c->order; i++) sum -= c->a[i];
  return power > 0 && sum > 0 ? fmax(left / (sum * sum) / power, 1) : 1;
}

/* Levinson and Durbin, order after order; the best is kept. */
static void solve(const double *gamma, size_t lags, double samples, struct column *out)
{
  double a[ORDER] = { 0 }, before[ORDER], left = gamma[0], best = INFINITY, best_left = gamma[0];
  for (size_t order = 0; order <= lags && left > 1e-12 * gamma[0]; order++) {
    if (order > 0) {
      double next = gamma[order];
      for (size_t i = 0; i + 1 < order; i++) next -= a[i] * gamma[order - 1 - i];
      const double reflection = next / left;
      memcpy(before, a, sizeof a);
      for (size_t i = 0; i + 1 < order; i++) a[i] = before[i] - reflection * before[order - 2 - i];
      a[order - 1] = reflection;
      left *= 1 - reflection * reflection;
    }
    const double criterion = samples * log(left) + (double)order * log(samples);
    if (!(criterion < best)) continue;
    best = criterion, best_left = left;
    out->order = order;
    memcpy(out->a, a, sizeof a);
  }
  out->deviation = sqrt(gamma[0] / samples);
  out->correlation = correlation_of(out, best_left, gamma[0]);
}

/* What is new at sample k. */
static void innovations(const struct armdyn_noise *noise, const double *e, size_t k, double *u)
{
  const size_t n = noise->columns;
  for (size_t j = 0; j < n; j++) {
    const struct column *c = &noise->column[j];
    u[j] = e[k * n + j];
    for (size_t i = 0; i < c->order; i++) u[j] -= c->a[i] * e[(k - 1 - i) * n + j];
  }
}

/* A column that is always 0, or always as another, has a row that is 0 but for what the other has. */
static void factor(size_t n, double *C)
{
  for (size_t i = 0; i < n; i++) {
    const double whole = C[i * n + i];
    for (size_t j = 0; j <= i; j++) {
      double rest = C[i * n + j];
      for (size_t k = 0; k < j; k++) rest -= C[i * n + k] * C[j * n + k];
      if (i == j)
        C[i * n + i] = rest > 1e-12 * whole ? sqrt(rest) : 0;
      else
        C[i * n + j] = C[j * n + j] > 0 ? rest / C[j * n + j] : 0;
    }
  }
}

static void fit_fresh(struct armdyn_noise *noise, const struct armdyn_residuals *stretches, size_t stretch_count)
{
  const size_t n = noise->columns;
  double u[ARMDYN_JOINTS_MAX], *C = noise->fresh, samples = 0;
  size_t order = 0;
  for (size_t j = 0; j < n; j++) order = noise->column[j].order > order ? noise->column[j].order : order;
  for (size_t s = 0; s < stretch_count; s++)
    for (size_t k = order; k < stretches[s].count; k++, samples++) {
      innovations(noise, stretches[s].values, k, u);
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) C[i * n + j] += u[i] * u[j];
    }
  for (size_t k = 0; k < n * n; k++) C[k] /= fmax(samples, 1);
  factor(n, C);
}

enum armdyn_status armdyn_noise_fit(size_t columns, const struct armdyn_residuals *stretches, size_t stretch_count,
                                    struct armdyn_noise **out, struct armdyn_error *error)
{
  size_t samples = 0, longest = 0;
  for (size_t s = 0; s < stretch_count; s++) {
    samples += stretches[s].count;
    if (stretches[s].count > longest) longest = stretches[s].count;
  }
  *out = NULL;
  if (longest < FEWEST)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "noise is learnt from %d samples in a row or more, got %zu", FEWEST,
                         longest);
  struct armdyn_noise *noise = new_noise(columns);
  if (!noise) return ARMDYN_EMEMORY;
  const size_t lags = longest / PER_LAG < ORDER ? longest / PER_LAG : ORDER;
  for (size_t j = 0; j < columns; j++) {
    double gamma[ORDER + 1];
    autocovariances(stretches, stretch_count, columns, j, lags, gamma);
    solve(gamma, lags, (double)samples, &noise->column[j]);
  }
  fit_fresh(noise, stretches, stretch_count);
  *out = noise;
  return ARMDYN_OK;
}

enum armdyn_status armdyn_noise_white(size_t columns, const double *deviations, struct armdyn_noise **out)
{
  struct armdyn_noise *noise = *out = new_noise(columns);
  for (size_t j = 0; noise && j < columns; j++) {
    noise->column[j] = (struct column){ .deviation = deviations[j], .correlation = 1 };
    noise->fresh[j * columns + j] = deviations[j];
  }
  return noise ? ARMDYN_OK : ARMDYN_EMEMORY;
}

void armdyn_noise_free(struct armdyn_noise *noise)
{
  if (!noise) return;
  free(noise->fresh);
  free(noise);
}

double armdyn_noise_deviation(const struct armdyn_noise *noise, size_t column)
{
  return noise->column[column].deviation;
}

size_t armdyn_noise_order(const struct armdyn_noise *noise, size_t column)
{
  return noise->column[column].order;
}

double armdyn_noise_correlation(const struct armdyn_noise *noise, size_t column)
{
  return noise->column[column].correlation;
}

/* -- drawing -- */

/* Sample k, of which those before it are there. */
static void draw_sample(const struct armdyn_noise *noise, uint64_t *random, size_t k, double *e)
{
  const size_t n = noise->columns;
  double z[ARMDYN_JOINTS_MAX];
  for (size_t j = 0; j < n; j++) z[j] = random_normal(random);
  for (size_t j = 0; j < n; j++) {
    const struct column *c = &noise->column[j];
    double sum = 0;
    for (size_t i = 0; i <= j; i++) sum += noise->fresh[j * n + i] * z[i];
    for (size_t i = 0; i < c->order && i < k; i++) sum += c->a[i] * e[(k - 1 - i) * n + j];
    e[k * n + j] = sum;
  }
}

enum armdyn_status armdyn_noise_draw(const struct armdyn_noise *noise, uint64_t seed, size_t count, double *out)
{
  const size_t n = noise->columns;
  uint64_t random = random_from_seed(seed);
  double *e = malloc((RUN_IN + count) * n * sizeof *e);
  if (!e) return ARMDYN_EMEMORY;
  for (size_t k = 0; k < RUN_IN + count; k++) draw_sample(noise, &random, k, e);
  memcpy(out, e + RUN_IN * n, count * n * sizeof *out);
  free(e);
  return ARMDYN_OK;
}
