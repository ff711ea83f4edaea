/* What the fit of gears to chirps tells: see armdyn/sweep.h. */
#include "armdyn/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/posture_modes.h"
#include "lib/control/sweep_search.h"
#include "lib/math/elimination.h"
#include "lib/math/linear.h"

enum { N = ARMDYN_JOINTS_MAX, ALL = SWEEP_FIGURES, ROUNDS = 4, ZERO_ROUNDS = 12, FIGURES = 2 * ARMDYN_MODES_MAX };
static const double PI = 3.14159265358979323846;
static const double DIFFERENCE = 1e-5;
static const double UNDAMPED = 0.01; /* ratio, where its zero is looked for first */
static const double ABOUT = 0.05;    /* of a mode's frequency, where the amplitude is looked at */
static const double STEPS_TOLD = 3;  /* of an encoder: below, its rounding follows the motion and is no noise */
static const double DAMPING_TOLD = 0.3, FREQUENCY_TOLD = 0.03; /* deviations, of themselves, that are still told */
static const double SWINGS = 0.5;                              /* ratio, up to which a mode is one */

/* Of all figures: L of A = L L', scaled, and by how much what is left is more than noise gives. */
struct covariance {
  double *L, scale[ALL], wider;
};

/* ---- what is told */

static void stiffnesses(const struct sweep_fit *f, const double *x, double *stiffness)
{
  for (size_t j = 0; j < f->sweep->n; j++) stiffness[j] = INFINITY;
  for (size_t a = 0; a < f->e; a++) stiffness[f->elastic[a]] = exp(x[a]);
}

/* By the stationary phase of a sine whose octaves last alike: |spectrum| = amplitude / (2 period sqrt(df/dt)). */
static double steps_at(const struct sweep_fit *f, size_t m, double frequency)
{
  const struct armdyn_sweep *sweep = f->sweep;
  double stiffness[N], all[N], part[N * N], square = 0, count = 0;
  size_t most = 0;
  stiffnesses(f, f->x, stiffness);
  armdyn_posture_modes(sweep->n, sweep->mass_matrix, stiffness, all, part);
  for (size_t a = 1; a < f->e; a++)
    if (part[m * sweep->n + f->elastic[a]] > part[m * sweep->n + f->elastic[most]]) most = a;
  const struct sweep_spectra *s = &f->spectra[f->of[most]];
  for (size_t k = 0; k < s->count; k++) {
    if (fabs(sweep_frequency(s, k) / frequency - 1) > ABOUT) continue;
    const double complex P = s->position[k * s->n + s->joint];
    square += creal(conj(P) * P), count++;
  }
  const double rise = frequency * log(sweep->to / sweep->from) / (s->samples * sweep->period);
  const double step = s->resolution[s->joint];
  return step > 0 && count > 0 ? 2 * sweep->period * sqrt(rise * square / count) / step : 0;
}

/* trace (Q^-1 Q') = d log det Q / ds of Q = scale (M s^2 + G) + D s + K. */
static double complex slope_of_det(const struct sweep_fit *f, const double *x, double complex s)
{
  const double *M = f->sweep->mass_matrix, scale = exp(x[2 * f->e]);
  double complex Q[N * N], by[N * N], trace = 0;
  for (size_t a = 0; a < f->e; a++)
    for (size_t b = 0; b < f->e; b++) {
      const size_t i = f->elastic[a], j = f->elastic[b];
      const double d = a == b ? exp(x[f->e + a]) : 0;
      Q[a * f->e + b] = scale * sweep_links(f, i, j, s) + d * s + (a == b ? exp(x[a]) : 0);
      by[a * f->e + b] = 2 * scale * M[i * f->sweep->n + j] * s + d;
    }
  if (!complex_solve(f->e, Q, f->e, by)) return INFINITY; /* a zero, to the last digit */
  for (size_t a = 0; a < f->e; a++) trace += by[a * (f->e + 1)];
  return trace;
}

/* All zeros of det Q at once, each with its conjugate, from those without damping (Ehrlich 1967, Aberth 1973). */
static void modes_of(const struct sweep_fit *f, const double *x, size_t count, struct armdyn_mode *modes)
{
  double stiffness[N], frequency[N];
  double complex zero[N];
  stiffnesses(f, x, stiffness);
  armdyn_posture_modes(f->sweep->n, f->sweep->mass_matrix, stiffness, frequency, NULL);
  for (size_t m = 0; m < f->e; m++) zero[m] = 2 * PI * frequency[m] * exp(-x[2 * f->e] / 2) * (I - UNDAMPED);
  for (int round = 0; round < ZERO_ROUNDS; round++)
    for (size_t m = 0; m < f->e; m++) {
      double complex others = 1 / (zero[m] - conj(zero[m]));
      for (size_t o = 0; o < f->e; o++)
        if (o != m) others += 1 / (zero[m] - zero[o]) + 1 / (zero[m] - conj(zero[o]));
      const double complex slope = slope_of_det(f, x, zero[m]), step = 1 / (slope - others);
      if (isfinite(cabs(step))) zero[m] -= step;
    }
  for (size_t m = 1; m < f->e; m++)
    for (size_t i = m; i > 0 && cabs(zero[i]) < cabs(zero[i - 1]); i--) {
      const double complex lower = zero[i];
      zero[i] = zero[i - 1], zero[i - 1] = lower;
    }
  for (size_t m = 0; m < count; m++)
    modes[m] = (struct armdyn_mode){ cabs(zero[m]) / (2 * PI), -creal(zero[m]) / cabs(zero[m]) };
}

/* Of a figure with that slope: lines are complex, of variance 1 / 2 each way. */
static double deviation(const struct sweep_fit *f, const struct covariance *c, const double *slope)
{
  double solved[ALL], sum = 0;
  memcpy(solved, slope, f->p * sizeof *solved);
  scaled_cholesky_solve(f->p, c->L, c->scale, solved);
  for (size_t i = 0; i < f->p; i++) sum += solved[i] * slope[i] / 2;
  return c->wider * sqrt(fmax(0, sum));
}

static void tell_modes(const struct sweep_fit *f, const struct covariance *c, struct armdyn_sweep_modes *out)
{
  struct armdyn_mode side[2][ARMDYN_MODES_MAX];
  double slope[FIGURES][ALL] = { { 0 } }, x[ALL];
  const size_t count = out->seen.mode_count;
  memcpy(x, f->x, f->p * sizeof *x);
  modes_of(f, x, count, out->seen.modes);
  for (size_t i = 0; i <= 2 * f->e; i++) {
    for (int up = 0; up < 2; up++) {
      x[i] = f->x[i] + (up ? DIFFERENCE : -DIFFERENCE);
      modes_of(f, x, count, side[up]);
    }
    x[i] = f->x[i];
    for (size_t m = 0; m < count; m++) {
      slope[2 * m][i] = (side[1][m].frequency - side[0][m].frequency) / (2 * DIFFERENCE);
      slope[2 * m + 1][i] = (side[1][m].damping - side[0][m].damping) / (2 * DIFFERENCE);
    }
  }
  for (size_t m = 0; m < count; m++) {
    out->seen.frequency_deviation[m] = deviation(f, c, slope[2 * m]);
    out->seen.damping_deviation[m] = deviation(f, c, slope[2 * m + 1]);
  }
}

static double deviation_of(const struct sweep_fit *f, const struct covariance *c, size_t i)
{
  double slope[ALL] = { 0 };
  slope[i] = 1;
  return deviation(f, c, slope);
}

static void tell_gears(const struct sweep_fit *f, const struct covariance *c, struct armdyn_sweep_modes *out)
{
  const size_t e = f->e;
  for (size_t j = 0; j < f->sweep->n; j++)
    out->gears[j] = (struct armdyn_sweep_gear){ .stiffness = INFINITY, .inertia = NAN, .viscous = NAN, .coulomb = NAN };
  for (size_t a = 0; a < e; a++) {
    struct armdyn_sweep_gear *gear = &out->gears[f->elastic[a]];
    gear->stiffness = exp(f->x[a]), gear->damping = exp(f->x[e + a]);
    gear->stiffness_deviation = gear->stiffness * deviation_of(f, c, a);
    gear->damping_deviation = gear->damping * deviation_of(f, c, e + a);
  }
  for (size_t w = 0; w < f->sweep->window_count; w++) {
    struct armdyn_sweep_gear *gear = &out->gears[f->spectra[w].joint];
    const double *own = f->x + f->common + SWEEP_OWN * w;
    gear->inertia = own[0] * f->units[w][0], gear->viscous = own[1] * f->units[w][1];
    gear->coulomb = own[2] * f->units[w][2];
  }
  out->inertia_scale = exp(f->x[2 * e]);
  out->inertia_scale_deviation = out->inertia_scale * deviation_of(f, c, 2 * e);
  out->delay = f->x[2 * e + 1] * f->sweep->period;
}

static enum armdyn_status check(const struct armdyn_sweep *sweep, const struct armdyn_sweep_modes *out,
                                struct armdyn_error *error)
{
  const struct armdyn_vibration *seen = &out->seen;
  for (size_t m = 0; m < seen->mode_count; m++) {
    const struct armdyn_mode *mode = &seen->modes[m];
    if (!(mode->frequency > sweep->from && mode->frequency < sweep->to))
      return armdyn_refuse(error, ARMDYN_EINPUT, "",
                           "sweeps from %.4g to %.4g Hz, not over its mode near %.4g Hz: sweep from below half of it "
                           "to above twice of it",
                           sweep->from, sweep->to, mode->frequency);
    if (out->steps[m] > 0 && out->steps[m] < STEPS_TOLD)
      return armdyn_refuse(error, ARMDYN_EINPUT, "",
                           "has its motor swinging by %.2g steps of its encoder where it passes its mode near %.4g Hz; "
                           "at least %g are needed to tell a damping: sweep with %.2g times the amplitude",
                           out->steps[m], mode->frequency, STEPS_TOLD, 1.2 * STEPS_TOLD / out->steps[m]);
    if (!(seen->frequency_deviation[m] <= FREQUENCY_TOLD * mode->frequency) ||
        !(seen->damping_deviation[m] <= DAMPING_TOLD * mode->damping) || !(mode->damping < SWINGS))
      return armdyn_refuse(error, ARMDYN_EINPUT, "",
                           "tells its mode near %.4g Hz +- %.2g with a damping of %.3g +- %.2g: too badly; sweep with "
                           "a larger amplitude (the more encoder steps the better), longer, or closer about it",
                           mode->frequency, seen->frequency_deviation[m], mode->damping, seen->damping_deviation[m]);
  }
  return ARMDYN_OK;
}

static enum armdyn_status tell(const struct sweep_fit *f, double left, double *room, size_t modes_max,
                               struct armdyn_sweep_modes *out, struct armdyn_error *error)
{
  struct covariance c = { .L = room };
  double b[ALL], lines = 0;
  for (size_t w = 0; w < f->sweep->window_count; w++) lines += f->spectra[w].share * (double)f->spectra[w].count;
  sweep_fit_normal(f, c.L, b);
  if (!scaled_cholesky_factor(f->p, c.L, c.scale))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "does not tell its gears apart: sweep each joint whose gear gives");
  out->excess = left / (lines - (double)f->p / 2);
  out->seen.mode_count = f->e < modes_max ? f->e : modes_max;
  c.wider = sqrt(fmax(1, out->excess));
  tell_modes(f, &c, out);
  tell_gears(f, &c, out);
  for (size_t m = 0; m < out->seen.mode_count; m++) out->steps[m] = steps_at(f, m, out->seen.modes[m].frequency);
  for (size_t j = 0; j < f->sweep->n; j++) out->seen.mean[j] = f->sweep->q[j];
  for (size_t w = 0; w < f->sweep->window_count; w++)
    out->seen.residual[f->spectra[w].joint] = sqrt(f->torque_noise[w]);
  return check(f->sweep, out, error);
}

/* ---- all */

enum armdyn_status armdyn_find_sweep_modes(const struct armdyn_sweep *sweep, size_t modes_max,
                                           struct armdyn_sweep_modes *out, struct armdyn_error *error)
{
  struct sweep_fit *f = calloc(1, sizeof *f);
  *out = (struct armdyn_sweep_modes){ .excess = 0 };
  if (!f) return ARMDYN_EMEMORY;
  f->sweep = sweep;
  enum armdyn_status status = sweep_search(f, error);
  double left = INFINITY, *room = status ? NULL : malloc(2 * f->p * (f->p + 1) * sizeof *room);
  if (!status && !room) status = ARMDYN_EMEMORY;
  for (int round = 1; round < ROUNDS && !status; round++) {
    sweep_fit_torque_noise(f);
    left = sweep_fit_refine(f, room);
  }
  if (!status) status = tell(f, left, room, modes_max, out, error);
  for (size_t w = 0; w < sweep->window_count; w++) sweep_spectra_close(&f->spectra[w]);
  free(room);
  free(f);
  return status;
}
