#include "lib/trajectory/transcription.h"

#include "armdyn/derivatives.h"
#include "lib/math/vector_units.h"
#include "lib/trajectory/bspline.h"

void transcription_carve(struct transcription *t, struct carve *c)
{
  const size_t n = t->n, knots = t->intervals + 1;
  t->points = 2 * t->intervals + 1;
  t->controls = t->intervals + 3;
  t->most = carve_zeroed(c, t->bound_count * knots, sizeof *t->most);
  t->unit = carve_zeroed(c, t->points, sizeof *t->unit);
  t->basis = carve_zeroed(c, t->points, sizeof *t->basis);
  t->drift = carve_zeroed(c, t->controls * n, sizeof *t->drift);
  t->q = carve_zeroed(c, t->points * n, sizeof *t->q);
  t->qd = carve_zeroed(c, t->points * n, sizeof *t->qd);
  t->qdd = carve_zeroed(c, t->points * n, sizeof *t->qdd);
  t->tau = carve_zeroed(c, t->points * n, sizeof *t->tau);
  t->jacobian = carve(c, t->points * 3 * n * n, sizeof *t->jacobian);
  t->room = carve_zeroed(c, t->bound_count * knots, sizeof *t->room);
  t->by_duration = t->free_duration ? carve_zeroed(c, t->points * 5 * n, sizeof *t->by_duration) : NULL;
  t->friction = t->rated ? carve_zeroed(c, knots * n, sizeof *t->friction) : NULL;
  t->reach = t->robust ? carve_zeroed(c, 2 * knots * n, sizeof *t->reach) : NULL;
  t->tool = t->tool_speed > 0 ? carve_zeroed(c, knots * TOOL_FIGURES(n), sizeof *t->tool) : NULL;
  t->nearness = t->obstacles ? carve_zeroed(c, t->obstacles->count * knots * (1 + n), sizeof *t->nearness) : NULL;
  t->shift = t->robust ? carve_zeroed(c, 2 * knots * n, sizeof *t->shift) : NULL;
  t->middles = carve_zeroed(c, t->controls * n, sizeof *t->middles);
  t->cost_slopes = carve_zeroed(c, t->points * 3 * n, sizeof *t->cost_slopes);
  t->sides = t->sided ? carve_zeroed(c, t->points * n, sizeof *t->sides) : NULL;
  t->powers = t->sided ? carve_zeroed(c, t->points * n, sizeof *t->powers) : NULL;
  t->curvature = carve(c, CURVATURE_POINTS * CURVATURE_FIGURES(n), sizeof *t->curvature);
}

size_t transcription_interval(const struct transcription *t, size_t point)
{
  return point / 2 < t->intervals ? point / 2 : t->intervals - 1;
}

void transcription_init(struct transcription *t, double duration)
{
  for (size_t p = 0; p < t->points; p++) {
    const size_t k = transcription_interval(t, p);
    if (k > 3 && k + 4 <= t->intervals) /* away from the ends all are the same */
      memcpy(t->unit[p], t->unit[p - 2], sizeof *t->unit);
    else
      bspline_basis(t->intervals, 1, k, (double)p / 2 - (double)k, t->unit[p]);
  }
  transcription_set_duration(t, duration);
}

void transcription_set_duration(struct transcription *t, double duration)
{
  t->h = duration / (double)t->intervals;
  for (size_t p = 0; p < t->points; p++) {
    double scale = 1;
    for (size_t r = 0; r < 4; r++, scale /= t->h)
      for (size_t a = 0; a < 4; a++) t->basis[p][r][a] = scale * t->unit[p][r][a];
  }
}

double transcription_duration(const struct transcription *t)
{
  return t->h * (double)t->intervals;
}

void transcription_set_ends(struct transcription *t, double *controls)
{
  const size_t n = t->n, last = t->controls - 1;
  for (size_t e = 0; e < 2; e++) {
    const struct end_state *end = &t->ends[e];
    const size_t point = e ? t->points - 1 : 0;
    for (size_t j = 0; j < n; j++) {
      /* derivative r at an end takes r + 1 controls: one after the other follows */
      double value[3] = { 0 }, drift[3] = { 0 }, power = 1;
      for (size_t r = 0; r < end->given; r++, power *= t->h) {
        const double *b = t->unit[point][r];
        double sum = power * end->x[r][j], change = (double)r * sum;
        for (size_t a = 0; a < r; a++) {
          sum -= b[e ? 3 - a : a] * value[a];
          change -= b[e ? 3 - a : a] * drift[a];
        }
        value[r] = sum / b[e ? 3 - r : r];
        drift[r] = change / b[e ? 3 - r : r];
        const size_t at = (e ? last - r : r) * n + j;
        controls[at] = value[r];
        t->drift[at] = drift[r];
      }
    }
  }
}

double transcription_combine(const struct transcription *t, const double *controls, size_t point, size_t r,
                             size_t joint)
{
  const double *b = t->basis[point][r], *c = controls + transcription_interval(t, point) * t->n + joint;
  return b[0] * c[0] + b[1] * c[t->n] + b[2] * c[2 * t->n] + b[3] * c[3 * t->n];
}

/* All joints side by side in vectors */
void transcription_combine_all(const struct transcription *t, const double *controls, size_t point, size_t r,
                               double *restrict out)
{
  const size_t n = t->n;
  const double *b = t->basis[point][r], *c = controls + transcription_interval(t, point) * n;
  for (size_t j = 0; j < n; j++) out[j] = b[0] * c[j] + b[1] * c[n + j] + b[2] * c[2 * n + j] + b[3] * c[3 * n + j];
}

const double *transcription_slopes(const struct transcription *t, size_t point, size_t r)
{
  return t->jacobian + (r * t->points + point) * t->n * t->n;
}

void transcription_slopes_apply(const struct transcription *t, size_t point, size_t r, const double *x, double *out)
{
  const double *D = transcription_slopes(t, point, r);
  for (size_t i = 0; i < t->n; i++)
    for (size_t j = 0; j < t->n; j++) out[i] += D[i * t->n + j] * x[j];
}

/* With a number of joints that the compiler knows there is no counting. */
static inline __attribute__((always_inline)) void row_of(size_t n, double (*basis)[4], const double *Q, const double *V,
                                                         const double *M, double *restrict row)
{
  for (size_t a = 0; a < 4; a++)
    for (size_t j = 0; j < n; j++) row[a * n + j] = basis[0][a] * Q[j] + basis[1][a] * V[j] + basis[2][a] * M[j];
}

static inline __attribute__((always_inline)) void torque_row(const struct transcription *t, size_t n, size_t point,
                                                             size_t i, double *row)
{
  row_of(n, t->basis[point], transcription_slopes(t, point, 0) + i * n, transcription_slopes(t, point, 1) + i * n,
         transcription_slopes(t, point, 2) + i * n, row);
}

void transcription_torque_row(const struct transcription *t, size_t point, size_t i, double *row)
{
  torque_row(t, t->n, point, i, row);
}

FOR_VECTOR_UNITS
void transcription_torque_rows(const struct transcription *t, size_t point, double *rows)
{
  const size_t n = t->n;
  for (size_t i = 0; i < n; i++) switch (n) {
    case 6: torque_row(t, 6, point, i, rows + i * 24); break;
    case 7: torque_row(t, 7, point, i, rows + i * 28); break;
    default: torque_row(t, n, point, i, rows + i * 4 * n); break;
    }
}

static struct armdyn_samples samples_of(const struct transcription *t)
{
  return (
      struct armdyn_samples){ .count = t->points, .q = { t->q, t->n }, .qd = { t->qd, t->n }, .qdd = { t->qdd, t->n } };
}

void transcription_move(struct transcription *t, const double *controls)
{
  const size_t n = t->n;
  t->at = controls;
  for (size_t p = 0; p < t->points; p++) {
    transcription_combine_all(t, controls, p, 0, t->q + p * n);
    transcription_combine_all(t, controls, p, 1, t->qd + p * n);
    transcription_combine_all(t, controls, p, 2, t->qdd + p * n);
  }
  const struct armdyn_samples samples = samples_of(t);
  armdyn_inverse_dynamics_batch(t->robot, &samples, t->workspace, t->tau);
}

void transcription_differentiate(struct transcription *t, const double *controls)
{
  const size_t n = t->n, size = t->points * n * n;
  const struct armdyn_samples samples = samples_of(t);
  armdyn_inverse_dynamics_derivatives_batch(t->robot, &samples, t->workspace, t->jacobian, t->jacobian + size,
                                            t->jacobian + 2 * size);
  for (size_t p = 0; p < t->points && t->by_duration; p++) {
    double *out = t->by_duration + p * 5 * n;
    for (size_t r = 0; r < 4; r++)
      for (size_t j = 0; j < n; j++)
        out[r * n + j] =
            transcription_combine(t, t->drift, p, r, j) - (double)r * transcription_combine(t, controls, p, r, j);
    memset(out + 4 * n, 0, n * sizeof *out);
    for (size_t r = 0; r < 3; r++) transcription_slopes_apply(t, p, r, out + r * n, out + 4 * n);
  }
}
