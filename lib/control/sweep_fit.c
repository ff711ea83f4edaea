#include "lib/control/sweep_fit.h"

#include <math.h>
#include <string.h>

#include "lib/math/elimination.h"
#include "lib/math/linear.h"

enum { N = ARMDYN_JOINTS_MAX, STEPS = 60 };
static const double DAMPED_MOST = 1e8, DONE = 1e-9;
static const double TORQUE_LEAST = 1e-6; /* of its rms: noise that torques have at least */

/* ---- what a line leaves */

void sweep_fit_row(const struct sweep_fit *f, const double *x, double complex s, size_t j, double complex *row,
                   double complex *y)
{
  const size_t n = f->sweep->n, e = f->e, columns = y ? n : 1, at = y ? j : 0;
  const double scale = exp(x[2 * e]);
  double complex P[N * N], k[N], alone[N], *solved = y ? y : alone;
  for (size_t a = 0; a < e; a++) {
    k[a] = exp(x[a]) + exp(x[e + a]) * s;
    for (size_t b = 0; b < e; b++) P[a * e + b] = scale * sweep_links(f, f->elastic[a], f->elastic[b], s);
    P[a * (e + 1)] += k[a];
    for (size_t i = 0; i < columns; i++) solved[a * columns + i] = scale * sweep_links(f, f->elastic[a], y ? i : j, s);
  }
  complex_solve(e, P, columns, solved);
  for (size_t i = 0; i < n; i++) {
    row[i] = scale * sweep_links(f, j, i, s);
    for (size_t a = 0; a < e; a++) row[i] -= solved[a * columns + at] * scale * sweep_links(f, f->elastic[a], i, s);
  }
  for (size_t a = 0; a < e; a++) row[f->elastic[a]] = solved[a * columns + at] * k[a];
}

double complex sweep_fit_torque(const struct sweep_fit *f, size_t w, size_t k, double delay)
{
  const double turn = cimag(sweep_fit_s(f, w, k)) * f->sweep->period;
  return f->spectra[w].torque[k] * cexp(-I * turn * delay);
}

/* What is left at line k of a window, of a sample; `row` becomes that of Z and the motor; and its variance. */
static double complex leave(const struct sweep_fit *f, const double *x, double complex *row, size_t w, size_t k,
                            double *variance)
{
  const struct sweep_spectra *s = &f->spectra[w];
  const double *own = x + f->common + SWEEP_OWN * w, *unit = f->units[w];
  const double complex at = sweep_fit_s(f, w, k);
  double complex r = sweep_fit_torque(f, w, k, x[2 * f->e + 1]) - own[2] * unit[2] * s->sign[k];
  row[s->joint] += at * at * own[0] * unit[0] + at * own[1] * unit[1];
  *variance = f->torque_noise[w];
  for (size_t i = 0; i < s->n; i++) {
    r -= row[i] * s->position[k * s->n + i];
    *variance += creal(conj(row[i]) * row[i]) * s->noise[i];
  }
  return r / sqrt(s->samples);
}

static double squares(const struct sweep_fit *f, const double *x)
{
  double sum = 0, variance;
  double complex row[N];
  for (size_t w = 0; w < f->sweep->window_count; w++)
    for (size_t k = 0; k < f->spectra[w].count; k++) {
      sweep_fit_row(f, x, sweep_fit_s(f, w, k), f->spectra[w].joint, row, NULL);
      const double complex r = leave(f, x, row, w, k, &variance);
      sum += f->spectra[w].share * creal(conj(r) * r) / variance;
    }
  return isnan(sum) ? INFINITY : sum;
}

/* ---- slopes */

struct line {
  const struct sweep_spectra *spectra;
  size_t k;
  double complex left, row[N]; /* of a sample; Z and the motor */
  double variance;
};

/* Of r / sqrt(variance), where the row changes by `change` and what is left by `besides` too. */
static double complex slope_of(const struct line *line, const double complex *change, double complex besides)
{
  const struct sweep_spectra *s = line->spectra;
  double complex slope = besides;
  double wider = 0;
  for (size_t i = 0; i < s->n && change; i++) {
    slope -= change[i] * s->position[line->k * s->n + i] / sqrt(s->samples);
    wider += 2 * creal(conj(line->row[i]) * change[i]) * s->noise[i];
  }
  return (slope - line->left * wider / (2 * line->variance)) / sqrt(line->variance);
}

/* By what all windows share, then by B, F, C of its own. A scale of the links and of k together is one of Z (Euler). */
static double complex lay_slopes(const struct sweep_fit *f, size_t w, size_t k, double complex *slope)
{
  const struct sweep_spectra *s = &f->spectra[w];
  const double complex at = sweep_fit_s(f, w, k);
  const size_t e = f->e, j = s->joint;
  struct line line = { .spectra = s, .k = k };
  double complex y[N * N], scale[N], change[N];
  sweep_fit_row(f, f->x, at, j, line.row, y);
  memcpy(scale, line.row, sizeof scale);
  line.left = leave(f, f->x, line.row, w, k, &line.variance);
  for (size_t a = 0; a < e; a++) {
    const double complex part[2] = { exp(f->x[a]), exp(f->x[e + a]) * at };
    for (int d = 0; d < 2; d++) {
      for (size_t i = 0; i < s->n; i++) change[i] = part[d] * y[a * s->n + j] * y[a * s->n + i], scale[i] -= change[i];
      slope[d ? e + a : a] = slope_of(&line, change, 0);
    }
  }
  slope[2 * e] = slope_of(&line, scale, 0);
  const double complex later = -at * f->sweep->period * sweep_fit_torque(f, w, k, f->x[2 * e + 1]);
  slope[2 * e + 1] = slope_of(&line, NULL, later / sqrt(s->samples));
  memset(change, 0, sizeof change);
  change[j] = at * at * f->units[w][0];
  slope[f->common] = slope_of(&line, change, 0);
  change[j] = at * f->units[w][1];
  slope[f->common + 1] = slope_of(&line, change, 0);
  slope[f->common + 2] = slope_of(&line, NULL, -f->units[w][2] * s->sign[k] / sqrt(s->samples));
  return line.left / sqrt(line.variance);
}

static size_t place(const struct sweep_fit *f, size_t w, size_t i)
{
  return i < f->common ? i : i + SWEEP_OWN * w;
}

void sweep_fit_normal(const struct sweep_fit *f, double *A, double *b)
{
  double complex slope[SWEEP_SHARED + SWEEP_OWN];
  const size_t p = f->p, each = f->common + SWEEP_OWN;
  memset(A, 0, p * p * sizeof *A);
  memset(b, 0, p * sizeof *b);
  for (size_t w = 0; w < f->sweep->window_count; w++)
    for (size_t k = 0; k < f->spectra[w].count; k++) {
      const double complex r = lay_slopes(f, w, k, slope);
      for (size_t i = 0; i < each; i++) {
        const size_t row = place(f, w, i);
        const double re = f->spectra[w].share * creal(slope[i]), im = f->spectra[w].share * cimag(slope[i]);
        for (size_t j = 0; j <= i; j++) A[row * p + place(f, w, j)] += re * creal(slope[j]) + im * cimag(slope[j]);
        b[row] -= re * creal(r) + im * cimag(r);
      }
    }
}

/* ---- steps */

/* A figure at a bound that would leave it stays. */
static void hold(const struct sweep_fit *f, const double *b, double *L, double *move)
{
  for (size_t i = 0; i < f->p; i++) {
    if (b[i] < 0 ? f->x[i] > f->low[i] : f->x[i] < f->high[i]) continue;
    for (size_t j = 0; j < f->p; j++) L[i * f->p + j] = L[j * f->p + i] = 0;
    L[i * (f->p + 1)] = 1, move[i] = 0;
  }
}

double sweep_fit_refine(struct sweep_fit *f, double *room)
{
  const size_t p = f->p;
  double *A = room, *L = A + p * p, *b = L + p * p, *move = b + p, scale[SWEEP_FIGURES], trial[SWEEP_FIGURES];
  double value = squares(f, f->x), damping = 1e-3;
  for (int step = 0; step < STEPS; step++) {
    double next = INFINITY;
    sweep_fit_normal(f, A, b);
    for (; damping < DAMPED_MOST && !(next < value); damping *= next < value ? 1 : 10) {
      memcpy(L, A, p * p * sizeof *L);
      memcpy(move, b, p * sizeof *move);
      for (size_t i = 0; i < p; i++) L[i * (p + 1)] *= 1 + damping;
      hold(f, b, L, move);
      if (!scaled_cholesky_factor(p, L, scale)) continue;
      scaled_cholesky_solve(p, L, scale, move);
      for (size_t i = 0; i < p; i++) trial[i] = fmax(f->low[i], fmin(f->high[i], f->x[i] + fmax(-1, fmin(1, move[i]))));
      next = squares(f, trial);
    }
    if (!(next < value)) break;
    const bool done = value - next < DONE * value;
    memcpy(f->x, trial, p * sizeof *trial);
    value = next;
    damping = fmax(damping / 100, 1e-9);
    if (done) break;
  }
  return value;
}

/* Lines weighted as they are. */
void sweep_fit_torque_noise(struct sweep_fit *f)
{
  double complex row[N];
  for (size_t w = 0; w < f->sweep->window_count; w++) {
    double sum = 0, weights = 0, variance;
    for (size_t k = 0; k < f->spectra[w].count; k++) {
      sweep_fit_row(f, f->x, sweep_fit_s(f, w, k), f->spectra[w].joint, row, NULL);
      const double complex r = leave(f, f->x, row, w, k, &variance);
      const double weight = pow(variance, -2);
      sum += weight * (creal(conj(r) * r) - variance + f->torque_noise[w]), weights += weight;
    }
    f->torque_noise[w] = fmax(sum / weights, TORQUE_LEAST * TORQUE_LEAST * f->spectra[w].torque_square);
  }
}
