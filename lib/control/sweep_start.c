#include "lib/control/sweep_start.h"

#include <math.h>
#include <string.h>

#include "lib/math/linear.h"

enum { COLUMNS = 4 }; /* B, F, C and what swings */
static const double PI = 3.14159265358979323846;
static const double GRID = 0.01, DAMPINGS[] = { 0.005, 0.02, 0.08 };
static const double PENALTY = 3;   /* times Schwarz's */
static const double RIDGE = 1e-10; /* of a diagonal: columns may be almost one */

struct single {
  const struct sweep_spectra *s;
  double period, delay;
  double x[COLUMNS];
};

/* Weighted squares that are left with the mode, or without where it is NULL. */
static double left_at(struct single *g, const struct armdyn_mode *mode)
{
  const struct sweep_spectra *s = g->s;
  const size_t p = mode ? COLUMNS : COLUMNS - 1;
  double A[COLUMNS * COLUMNS] = { 0 }, b[COLUMNS] = { 0 }, scale[COLUMNS], left = 0;
  for (size_t k = 0; k < s->count; k++) {
    const double w = 2 * PI * sweep_frequency(s, k), turn = w * g->period, weight = s->weight[k];
    const double complex P = s->position[k * s->n + s->joint];
    const double complex T = s->torque[k] * cexp(-I * turn * g->delay);
    double complex column[COLUMNS] = { -w * w * P, I * w * P, s->sign[k], 0 };
    if (mode) {
      const double at = 2 * PI * mode->frequency;
      const double complex gear = 2 * I * mode->damping * at * w + at * at;
      column[3] = -w * w * gear / (gear - w * w) * P;
    }
    for (size_t i = 0; i < p; i++) {
      for (size_t j = 0; j <= i; j++) A[i * p + j] += weight * creal(conj(column[i]) * column[j]);
      b[i] += weight * creal(conj(column[i]) * T);
    }
    left += weight * creal(conj(T) * T);
  }
  for (size_t i = 0; i < p; i++) A[i * (p + 1)] *= 1 + RIDGE;
  memset(g->x, 0, sizeof g->x);
  memcpy(g->x, b, p * sizeof *b);
  if (!scaled_cholesky_factor(p, A, scale)) return INFINITY;
  scaled_cholesky_solve(p, A, scale, g->x);
  for (size_t i = 0; i < p; i++) left -= g->x[i] * b[i];
  return fmax(0, left);
}

static void keep(const struct single *g, struct sweep_start *out)
{
  out->inertia = g->x[0], out->viscous = g->x[1], out->coulomb = g->x[2];
}

enum armdyn_status sweep_start(const struct sweep_spectra *s, const struct armdyn_sweep *sweep, double delay,
                               struct sweep_start *out, struct armdyn_error *error)
{
  *out = (struct sweep_start){ .inertia = 0 };
  if (!(s->torque_square > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "has no torque of joint %zu while it is swept: a chirp is told by torque and position",
                         s->joint + 1);
  struct single g = { .s = s, .period = sweep->period, .delay = delay };
  const double rigid = left_at(&g, NULL), lines = s->share * (double)s->count;
  double best = rigid;
  keep(&g, out);
  if (!sweep->elastic[s->joint]) return ARMDYN_OK;
  for (size_t i = 0; GRID * (double)i <= log(sweep->to / sweep->from); i++)
    for (size_t z = 0; z < sizeof DAMPINGS / sizeof *DAMPINGS; z++) {
      const struct armdyn_mode mode = { sweep->from * exp(GRID * (double)i), DAMPINGS[z] };
      const double left = left_at(&g, &mode);
      if (!(left < best) || !(g.x[3] > 0)) continue;
      best = left, out->mode = mode;
      keep(&g, out);
    }
  if (!(rigid - best > PENALTY * COLUMNS * log(2 * lines) * best / lines)) out->mode.frequency = 0;
  return ARMDYN_OK;
}
