/* The limit of the tool's speed at the knots. Half the square of the speed has slopes at rest too, and near the limit its
 * room is that of the speed. The velocity is v = sum J_j qd_j, and the columns of the Jacobian turn with the joints before
 * them: dJ_j / dq_l = w_l x J_j for l <= j, else w_j x J_l, with the angular columns w. */
#include <math.h>

#include "armdyn/terms.h"
#include "lib/trajectory/bound.h"

enum { N = ARMDYN_JOINTS_MAX };

static void cross_add(const double a[3], const double b[3], double by, double out[3])
{
  out[0] += by * (a[1] * b[2] - a[2] * b[1]);
  out[1] += by * (a[2] * b[0] - a[0] * b[2]);
  out[2] += by * (a[0] * b[1] - a[1] * b[0]);
}

/* TOOL_FIGURES(n) of a state; velocities in units of the limit. */
static void figures_of(const struct transcription *t, const double *q, const double *qd, double *out)
{
  const size_t n = t->n;
  double J[6 * N], w[N][3], column[N][3], v[3] = { 0 }, turning[3] = { 0 }, moving[3];
  armdyn_jacobian(t->robot, q, ARMDYN_JACOBIAN_BASE, t->workspace, J); /* angular rows first */
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < 3; i++) {
      w[j][i] = J[i * n + j];
      column[j][i] = J[(3 + i) * n + j] / t->tool_speed;
      v[i] += column[j][i] * qd[j];
    }
  double *by = out + 1;
  memset(out, 0, TOOL_FIGURES(n) * sizeof *out);
  memcpy(moving, v, sizeof moving); /* sum of J_j qd_j over the joints from l on; turning: of w_j qd_j before it */
  for (size_t l = 0; l < n; l++) {
    double slope[3] = { 0 };
    cross_add(w[l], moving, 1, slope);
    cross_add(turning, column[l], 1, slope);
    for (size_t i = 0; i < 3; i++) {
      double *component = by + (1 + i) * 2 * n;
      component[l] = slope[i], component[n + l] = column[l][i];
      by[l] += v[i] * slope[i], by[n + l] += v[i] * column[l][i];
      moving[i] -= column[l][i] * qd[l];
      turning[i] += w[l][i] * qd[l];
    }
  }
  out[0] = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
}

static void prepare(struct transcription *t)
{
  if (!t->tool) return;
  const size_t n = t->n;
  for (size_t k = 0; k <= t->intervals; k++)
    figures_of(t, t->q + 2 * k * n, t->qd + 2 * k * n, t->tool + k * TOOL_FIGURES(n));
}

static bool applies(const struct transcription *t, const struct bound *b, size_t knot)
{
  (void)b;
  return bound_given(t, knot) <= ARMDYN_LIMIT_VELOCITY;
}

static double value(const struct transcription *t, const struct bound *b, size_t knot)
{
  (void)b;
  return t->tool[knot * TOOL_FIGURES(t->n)];
}

/* Slopes of the value (part 0) or of component part - 1: n by positions, then n by velocities. */
static const double *slopes_of(const struct transcription *t, size_t knot, size_t part)
{
  return t->tool + knot * TOOL_FIGURES(t->n) + 1 + part * 2 * t->n;
}

static double change(const struct transcription *t, const struct bound *b, const struct knot_step *step, size_t knot)
{
  (void)b;
  const double *slopes = slopes_of(t, knot, 0);
  double sum = 0;
  for (size_t j = 0; j < t->n; j++) sum += slopes[j] * step->x[0][j] + slopes[t->n + j] * step->x[1][j];
  return sum;
}

static void pull(const struct transcription *t, const struct bound *b, const double *multiplier, size_t knot,
                 struct point_pull *out)
{
  if (!applies(t, b, knot)) return;
  const double *slopes = slopes_of(t, knot, 0), x = multiplier[knot] * b->scale;
  for (size_t r = 0; r < 2; r++)
    for (size_t j = 0; j < t->n; j++) out->motion[r][j] += x * slopes[r * t->n + j];
}

/* That of the value, and those of the components that the value is half the sum of. */
static void squares(const struct transcription *t, const struct bound *b, const double *stiffness,
                    const double *multiplier, double *H, struct duration_bend *bend)
{
  const size_t n = t->n;
  for (size_t k = 0; k <= t->intervals; k++) {
    const struct block block = block_at(t, transcription_interval(t, 2 * k), H, bend);
    const double *by = t->by_duration ? t->by_duration + 2 * k * 5 * n : NULL;
    if (!applies(t, b, k)) continue;
    for (size_t part = 0; part < 4; part++) {
      const double *slopes = slopes_of(t, k, part);
      double row[4 * N] = { 0 }, by_duration = 0;
      for (size_t r = 0; r < 2; r++)
        for (size_t j = 0; j < n; j++) {
          for (size_t a = 0; a < 4; a++) row[a * n + j] += t->basis[2 * k][r][a] * slopes[r * n + j];
          if (by) by_duration += slopes[r * n + j] * by[r * n + j];
        }
      square_add(&block, part == 0 ? stiffness[k] : multiplier[k], row, by_duration);
    }
  }
}

/* What the components bend, by differences: the value's bend less the squares of the components. */
static void bend(const struct transcription *t, const struct bound *b, double multiplier, size_t knot, double *qq,
                 double *qv)
{
  (void)b;
  static const double STEP = 1e-6;
  const size_t n = t->n;
  const double *base = slopes_of(t, knot, 0), *qd = t->qd + 2 * knot * n;
  double q[N], moved[TOOL_FIGURES(N)];
  memcpy(q, t->q + 2 * knot * n, n * sizeof *q);
  for (size_t l = 0; l < n; l++) {
    const double before = q[l];
    q[l] += STEP;
    figures_of(t, q, qd, moved);
    q[l] = before;
    for (size_t j = 0; j < 2 * n; j++) {
      double second = (moved[1 + j] - base[j]) / STEP;
      for (size_t part = 1; part < 4; part++) {
        const double *component = slopes_of(t, knot, part);
        second -= component[l] * component[j];
      }
      (j < n ? qq : qv)[l * n + j % n] += multiplier * second;
    }
  }
}

const struct bound_kind tool_bound = { .prepare = prepare,
                                       .applies = applies,
                                       .value = value,
                                       .change = change,
                                       .pull = pull,
                                       .squares = squares,
                                       .bend = bend };
