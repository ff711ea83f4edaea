#include "server/work/identification_errors.h"

#include <math.h>
#include <stdlib.h>

#include "armdyn/residuals.h"
#include "server/work/messages.h"
#include "server/work/thinned_series.h"

enum { RESIDUALS_LOOKED_AT = 1 << 17 }; /* samples of residuals that spectrum and histograms are made of */
static const double histogram_deviations = 4;

struct sums {
  struct armdyn_fit_sums fits[COMPARISONS][ARMDYN_JOINTS_MAX + 1]; /* the last: together */
  double fastest[ARMDYN_JOINTS_MAX];
  size_t samples;
};

struct computing {
  const struct identification_errors_order *order;
  size_t n;
  struct sums sums[IDENTIFICATION_ROLES];
  enum identification_role looked_at; /* whose residuals are kept */
  double *residuals;                  /* RESIDUALS_LOOKED_AT x n */
  size_t residual_count;
  double *predicted; /* room x n, then as many filtered as the torque is */
  size_t room;
  struct thinned_series series;
};

static void add(struct armdyn_fit_sums *sums, size_t n, size_t joint, double measured, double predicted)
{
  armdyn_fit_add(&sums[joint], measured, predicted);
  armdyn_fit_add(&sums[n], measured, predicted);
}

static void keep_row(struct computing *c, size_t data, const struct armdyn_motion *motion, size_t k)
{
  const size_t n = c->n;
  double *row = c->order->no_series ? NULL : thinned_series_next(&c->series);
  if (!row) return;
  row[1] = (double)data;
  memcpy(row + 2, motion->tau_raw + k * n, n * sizeof *row);
  memcpy(row + 2 + n, motion->tau + k * n, n * sizeof *row);
  memcpy(row + 2 + 2 * n, c->predicted + k * n, n * sizeof *row);
}

/* For intervals of the errors. */
static void keep_cells(struct computing *c, const struct armdyn_motion *motion, size_t k)
{
  const double *predicted = c->predicted + k * c->n, *filtered = predicted + motion->count * c->n;
  const double *const measured[COMPARISONS] = { motion->tau + k * c->n, motion->tau_raw + k * c->n,
                                                motion->tau + k * c->n };
  for (int kind = 0; kind < COMPARISONS; kind++)
    if (c->order->cells[kind])
      armdyn_error_cells_add(c->order->cells[kind], measured[kind], kind == COMPARED_PARALLEL ? filtered : predicted);
}

static void take(struct computing *c, size_t data, const struct armdyn_motion *motion)
{
  const enum identification_role role = c->order->data[data].role;
  struct sums *sums = &c->sums[role];
  const size_t n = c->n;
  sums->samples += motion->count;
  for (size_t k = 0; k < motion->count * n; k++) sums->fastest[k % n] = fmax(sums->fastest[k % n], fabs(motion->qd[k]));
  for (size_t k = 0; k < motion->count; k++) {
    const double *predicted = c->predicted + k * n, *filtered = predicted + motion->count * n;
    const bool look = role == c->looked_at && c->residual_count < RESIDUALS_LOOKED_AT;
    for (size_t j = 0; j < n; j++) {
      add(sums->fits[COMPARED_FILTERED], n, j, motion->tau[k * n + j], predicted[j]);
      add(sums->fits[COMPARED_RAW], n, j, motion->tau_raw[k * n + j], predicted[j]);
      add(sums->fits[COMPARED_PARALLEL], n, j, motion->tau[k * n + j], filtered[j]);
      if (look) c->residuals[c->residual_count * n + j] = motion->tau[k * n + j] - predicted[j];
    }
    c->residual_count += look;
    keep_row(c, data, motion, k);
    keep_cells(c, motion, k);
  }
}

/* Torques of what was identified and of what was held, count x n. */
static enum armdyn_status predict_all(struct computing *c, const struct armdyn_motion *motion, bool filtered,
                                      double *tau)
{
  const struct identification_errors_order *order = c->order;
  enum armdyn_status (*const of_beta)(const struct armdyn_unknowns *, const double *, const struct armdyn_motion *,
                                      double *) = filtered ? armdyn_predict_filtered : armdyn_predict;
  enum armdyn_status status = of_beta(order->unknowns, order->beta, motion, tau);
  if (status || !order->known) return status;
  double *held = malloc((motion->count * c->n + 1) * sizeof *held);
  status = held ? armdyn_known_friction_torques(order->known, motion, filtered, held) : ARMDYN_EMEMORY;
  for (size_t k = 0; k < motion->count * c->n && !status; k++) tau[k] += held[k];
  free(held);
  return status;
}

static enum armdyn_status predict(struct computing *c, const struct armdyn_motion *motion)
{
  if (motion->count > c->room) {
    free(c->predicted);
    c->predicted = malloc((2 * motion->count * c->n + 1) * sizeof *c->predicted);
    c->room = c->predicted ? motion->count : 0;
    if (!c->predicted) return ARMDYN_EMEMORY;
  }
  const enum armdyn_status status = predict_all(c, motion, false, c->predicted);
  return status ? status : predict_all(c, motion, true, c->predicted + motion->count * c->n);
}

static enum armdyn_status go_through(struct computing *c, size_t data, struct armdyn_error *error)
{
  const struct identification_errors_order *order = c->order;
  const struct armdyn_log_reader reader = logged_motion_reader(&order->motions[data]);
  struct armdyn_log_stream *stream;
  struct armdyn_motion motion;
  char sentence[96];
  enum armdyn_status status = armdyn_log_stream_new(c->n, &reader, 1, order->conditioning, &stream, error);
  if (status) return status;
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  for (size_t block = 0; !status && block < source.blocks; block++) {
    const double done = (double)data + (double)block / (double)source.blocks;
    snprintf(sentence, sizeof sentence, "predicting data set %zu of %zu", data + 1, order->data_count);
    work_progress(order->work, 0.7 + 0.25 * done / (double)order->data_count, sentence);
    status = source.read(source.context, block, &motion, error);
    if (!status && order->loads) status = armdyn_loads_take_off(order->loads, data, &motion);
    struct armdyn_motion outputs = motion;
    if (!status) status = armdyn_gears_take(order->gears, &outputs);
    if (!status) status = predict(c, &outputs);
    if (!status) armdyn_gears_to_joints(order->gears, 2 * motion.count, c->predicted);
    if (!status) take(c, data, &motion);
  }
  armdyn_log_stream_free(stream);
  return status;
}

/* -- the end -- */

static void fill_errors(const struct sums *sums, size_t n, struct identification_errors *errors)
{
  errors->known = sums->samples > 0;
  errors->samples = sums->samples;
  memcpy(errors->fastest, sums->fastest, n * sizeof *errors->fastest);
  for (int c = 0; c < COMPARISONS; c++) {
    for (size_t j = 0; j < n; j++) errors->joints[c][j] = armdyn_fit_end(&sums->fits[c][j]);
    errors->together[c] = armdyn_fit_end(&sums->fits[c][n]);
  }
}

static void count_residuals(const struct computing *c, const struct identification_errors *errors, size_t joint,
                            struct identification_residuals *residuals)
{
  const double range = histogram_deviations * errors->joints[COMPARED_FILTERED][joint].rms;
  residuals->range[joint] = range;
  for (size_t k = 0; k < c->residual_count && range > 0; k++) {
    const double place = (c->residuals[k * c->n + joint] / range + 1) / 2 * RESIDUAL_BINS;
    residuals->counts[joint][(size_t)fmin(fmax(place, 0), RESIDUAL_BINS - 1)]++;
  }
}

static enum armdyn_status fill_residuals(const struct computing *c, const struct identification_result *result,
                                         struct identification_residuals *residuals)
{
  residuals->role = c->looked_at;
  residuals->lines = c->residual_count >= 2 * (RESIDUAL_LINES - 1) ? RESIDUAL_LINES : 0;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t j = 0; !status && j < c->n; j++) {
    count_residuals(c, &result->errors[c->looked_at], j, residuals);
    if (residuals->lines)
      status = armdyn_spectrum(c->residual_count, c->n, c->order->conditioning->rate, c->residuals + j,
                               residuals->lines, residuals->frequency, residuals->density[j]);
  }
  return status;
}

static enum armdyn_status begin_series(struct computing *c)
{
  static const char *const names[] = { "measured", "filtered", "predicted" };
  const struct identification_errors_order *order = c->order;
  char columns[SERIES_COLUMNS] = "t,dataset";
  size_t length = strlen(columns);
  double samples = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (size_t j = 1; j <= c->n && length < sizeof columns; j++)
      length += (size_t)snprintf(columns + length, sizeof columns - length, ",%.1s%zu", names[i], j);
  for (size_t i = 0; i < order->data_count; i++)
    samples += (order->motions[i].end - order->motions[i].begin) * order->conditioning->rate + 1;
  return thinned_series_open(&c->series, order->work, columns, 2 + 3 * c->n, order->conditioning->rate, samples);
}

enum armdyn_status identification_errors_compute(const struct identification_errors_order *order,
                                                 struct identification_result *result, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_EMEMORY;
  struct computing *c = calloc(1, sizeof *c);
  if (!c) return status;
  c->order = order;
  c->n = order->joint_count;
  for (size_t i = 0; i < order->data_count; i++)
    if (order->data[i].role == IDENTIFICATION_VALIDATION) c->looked_at = IDENTIFICATION_VALIDATION;
  for (int role = 0; role < IDENTIFICATION_ROLES; role++)
    for (int kind = 0; kind < COMPARISONS; kind++)
      for (size_t j = 0; j <= c->n; j++) armdyn_fit_begin(&c->sums[role].fits[kind][j]);
  c->residuals = malloc((RESIDUALS_LOOKED_AT * c->n + 1) * sizeof *c->residuals);
  if (!c->residuals) goto out;
  status = order->no_series ? ARMDYN_OK : begin_series(c);
  for (size_t data = 0; !status && data < order->data_count; data++) status = go_through(c, data, error);
  thinned_series_close(&c->series);
  for (int role = 0; role < IDENTIFICATION_ROLES; role++) fill_errors(&c->sums[role], c->n, &result->errors[role]);
  if (!status) status = fill_residuals(c, result, &result->residuals);
  result->rate = order->conditioning->rate;
  if (!order->no_series) result->sample_rate = thinned_series_rate(&c->series);
out:
  free(c->predicted);
  free(c->residuals);
  free(c);
  return status;
}
