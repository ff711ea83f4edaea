#include "lib/identify/uncertainty.h"

#include <math.h>

#include "lib/identify/events.h"
#include "lib/math/triangle.h"

enum { LAGS_MAX = 5000, CORRELATED_BLOCKS = 64 };
static const double WINDOW = 6;

/* 1 + 2 sum of the autocorrelations, up to the first lag that is WINDOW times half of that: filtered noise has negative ones
 * beyond the first that are not positive, and they count. Source: Sokal 1997, section 3, for the window. */
static double correlated_samples(const double *e, size_t count, size_t stride)
{
  double mean = 0, variance = 0, factor = 1;
  for (size_t k = 0; k < count; k++) mean += e[k * stride];
  mean /= (double)count;
  for (size_t k = 0; k < count; k++) variance += (e[k * stride] - mean) * (e[k * stride] - mean);
  if (!(variance > 0)) return 1;
  for (size_t lag = 1; lag < count / 4 && lag < LAGS_MAX; lag++) {
    double sum = 0;
    for (size_t k = lag; k < count; k++) sum += (e[k * stride] - mean) * (e[(k - lag) * stride] - mean);
    factor += 2 * sum / variance;
    if ((double)lag >= WINDOW / 2 * factor) break;
  }
  return factor;
}

void residual_sums_add(struct residual_sums *sums, size_t n, size_t block, size_t blocks, size_t count, double *e)
{
  const bool correlate = block % (blocks / CORRELATED_BLOCKS + 1) == 0;
  sums->count += (double)count;
  if (correlate) sums->judged += (double)count;
  for (size_t i = 0; i < n; i++) {
    const double most = sums->clip ? sums->clip[i] : INFINITY;
    for (size_t k = 0; k < count; k++) {
      double *x = &e[k * n + i];
      sums->square[i] += *x * *x;
      sums->inside[i] += fabs(*x) <= most;
      *x = fmin(fmax(*x, -most), most);
    }
    if (correlate) sums->correlation[i] += correlated_samples(e + i, count, n) * (double)count;
  }
}

/* Each joint pays for its share of the parameters. */
void residual_sums_end(const struct residual_sums *sums, size_t n, size_t parameters, double *deviation,
                       double *correlation)
{
  const double freedom = sums->count - (double)parameters / (double)n;
  for (size_t i = 0; i < n; i++) {
    correlation[i] = fmax(sums->correlation[i] / fmax(sums->judged, 1), 1);
    deviation[i] = sqrt(sums->square[i] / fmax(freedom, 1));
  }
}

enum armdyn_status residual_figures(struct training *training, struct armdyn_estimate *out, struct armdyn_error *error)
{
  const size_t n = training->unknowns->n, blocks = training->source->blocks;
  struct residual_sums sums = { .clip = training->clip };
  struct events events = { 0 };
  enum armdyn_status status = ARMDYN_OK;
  for (size_t block = 0; block < blocks && !status; block++) {
    struct armdyn_motion motion;
    if ((status = training_read(training, block, &motion, error))) break;
    double *e = malloc((motion.count * n + 1) * sizeof *e);
    status = e ? residuals_of(training->unknowns, out->beta, &motion, e) : ARMDYN_EMEMORY;
    if (!status && training->estimation->lack_of_fit) events_add(&events, &motion, n, e);
    if (!status) residual_sums_add(&sums, n, block, blocks, motion.count, e);
    free(e);
  }
  if (!status) status = events_tell(&events, out);
  events_free(&events);
  if (status) return status;
  residual_sums_end(&sums, n, training->unknowns->base_count, out->joint_deviation, out->correlation);
  for (size_t i = 0; i < n; i++) training->inside[i] = fmax(sums.inside[i], 1) / fmax(sums.count, 1);
  return ARMDYN_OK;
}

/* With A = sum w_i^2 R_i'R_i = R'R and B = T'T the covariance is A^-1 B A^-1 = G'G, G = T A^-1, row by row. */
enum armdyn_status covariance_of(struct training *training, const double *T, struct armdyn_estimate *out)
{
  const size_t b = training->unknowns->base_count, all = b + 1;
  double *g = malloc(b * sizeof *g);
  if (!g) return ARMDYN_EMEMORY;
  memset(out->covariance, 0, b * b * sizeof *out->covariance);
  for (size_t row = 0; row < b; row++) {
    memset(g, 0, row * sizeof *g);
    memcpy(g + row, T + row * b + row, (b - row) * sizeof *g);
    triangle_solve_transposed(b, training->R, all, g, g);
    triangle_solve(b, training->R, all, g, g);
    for (size_t i = 0; i < b; i++) {
      for (size_t j = 0; j < b; j++) out->covariance[i * b + j] += g[i] * g[j];
    }
  }
  for (size_t i = 0; i < b; i++) {
    double *column = training->inverse + i * b; /* as good as a row */
    column[i] = 1;
    triangle_solve_transposed(b, training->R, all, column, column);
    triangle_solve(b, training->R, all, column, column);
    out->deviation[i] = sqrt(out->covariance[i * b + i]);
  }
  free(g);
  return ARMDYN_OK;
}
