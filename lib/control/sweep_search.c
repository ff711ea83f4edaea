#include "lib/control/sweep_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/math/linear.h"

enum { N = ARMDYN_JOINTS_MAX, LINES = 1200, ROUNDS = 4 };
static const double PI = 3.14159265358979323846;
static const double ASIDE = 2;    /* of the band: a gear whose mode is further off is none */
static const double COUPLED = 10; /* a joint's inertia, over that where the others yield */
static const double DAMPED[] = { 1e-4, 1 }, SCALE = 5, DELAY = 60; /* bounds: ratios of a gear; of the links; periods */
static const double HALF = 0.5;                                    /* of a period: torques are held */
static const double GRID = 0.06, DAMPINGS[] = { 0.01, 0.05 };      /* that are looked at: logarithm of the frequency */
static const double PROMISING = 4;                  /* squares on the grid, over those of the best fit there */
static const double ALIKE = 0.1;                    /* logarithms of frequencies */
static const double BETTER = 1e-4, AT_BOUND = 1e-3; /* of squares; of a logarithm */

struct search {
  struct sweep_fit *fit;
  struct sweep_start start[N]; /* of windows */
  size_t stride;               /* of lines that are looked at */
  double *room;
};

/* ---- where it begins */

static enum armdyn_status shows_none(const struct armdyn_sweep *sweep, size_t joint, struct armdyn_error *error)
{
  return armdyn_refuse(error, ARMDYN_EINPUT, "",
                       "shows no gear of joint %zu that gives from %.4g to %.4g Hz: it is rigid, its mode is "
                       "elsewhere, or positions are the links'; sweep over its mode, or take the joint as rigid",
                       joint + 1, sweep->from, sweep->to);
}

/* Which gears are looked for: of joints that show one. */
static enum armdyn_status choose_gears(struct search *s, struct armdyn_error *error)
{
  struct sweep_fit *f = s->fit;
  const struct armdyn_sweep *sweep = f->sweep;
  size_t missing = 0;
  f->e = 0;
  for (size_t w = 0; w < sweep->window_count; w++) {
    const size_t j = sweep->windows[w].joint;
    if (!sweep->elastic[j]) continue;
    if (s->start[w].mode.frequency > 0)
      f->elastic[f->e] = j, f->of[f->e++] = w;
    else
      missing = j + 1;
  }
  f->common = 2 * f->e + 2;
  f->p = f->common + SWEEP_OWN * sweep->window_count;
  return f->e && (!missing || sweep->some_rigid) ? ARMDYN_OK : shows_none(sweep, missing - 1, error);
}

static void lay_bounds(struct sweep_fit *f)
{
  for (size_t i = 0; i < f->p; i++) f->low[i] = -INFINITY, f->high[i] = INFINITY;
  for (size_t a = 0; a < f->e; a++) {
    const double low = 2 * PI * f->sweep->from / ASIDE, high = 2 * PI * f->sweep->to * ASIDE, M = f->units[f->of[a]][0];
    f->low[a] = log(low * low * M / COUPLED), f->high[a] = log(high * high * M);
    f->low[f->e + a] = log(2 * DAMPED[0] * low * M / COUPLED), f->high[f->e + a] = log(2 * DAMPED[1] * high * M);
  }
  f->low[2 * f->e] = -log(SCALE), f->high[2 * f->e] = log(SCALE);
  f->low[2 * f->e + 1] = -1, f->high[2 * f->e + 1] = DELAY;
}

static void set_gear(struct sweep_fit *f, size_t a, double frequency, double damping)
{
  const double angle = 2 * PI * frequency, M = f->units[f->of[a]][0];
  f->x[a] = log(angle * angle * M), f->x[f->e + a] = log(2 * damping * angle * M);
}

static void begin_at(struct search *s)
{
  struct sweep_fit *f = s->fit;
  const struct armdyn_sweep *sweep = f->sweep;
  memset(f->x, 0, sizeof f->x);
  f->x[2 * f->e + 1] = HALF;
  for (size_t w = 0; w < sweep->window_count; w++) {
    const struct sweep_start *start = &s->start[w];
    const double M = sweep->mass_matrix[sweep->windows[w].joint * (sweep->n + 1)];
    double *own = f->x + f->common + SWEEP_OWN * w, *unit = f->units[w];
    f->torque_noise[w] = f->spectra[w].torque_noise;
    unit[0] = M, unit[1] = 2 * PI * sweep->from * M, unit[2] = sqrt(f->spectra[w].torque_square);
    own[0] = start->inertia / unit[0], own[1] = start->viscous / unit[1], own[2] = start->coulomb / unit[2];
  }
  for (size_t a = 0; a < f->e; a++) {
    const struct armdyn_mode *mode = &s->start[f->of[a]].mode;
    set_gear(f, a, mode->frequency, mode->damping);
  }
  lay_bounds(f);
}

static enum armdyn_status open(struct search *s, struct armdyn_error *error)
{
  struct sweep_fit *f = s->fit;
  size_t lines = 0;
  for (size_t w = 0; w < f->sweep->window_count; w++) {
    struct sweep_spectra *spectra = &f->spectra[w];
    enum armdyn_status status = sweep_spectra_open(f->sweep, w, spectra, error);
    if (!status) status = sweep_start(spectra, f->sweep, HALF, &s->start[w], error);
    if (status) return status;
    lines += spectra->count;
  }
  s->stride = 1 + lines / LINES;
  return (s->room = malloc(2 * SWEEP_FIGURES * (SWEEP_FIGURES + 1) * sizeof *s->room)) ? ARMDYN_OK : ARMDYN_EMEMORY;
}

/* ---- over the band */

/* Squares that a window's gears leave, with the best motor and friction to them; `own` becomes those. */
static double left_of(const struct search *s, size_t w, double *own)
{
  const struct sweep_fit *f = s->fit;
  const struct sweep_spectra *spectra = &f->spectra[w];
  double A[SWEEP_OWN * SWEEP_OWN] = { 0 }, b[SWEEP_OWN] = { 0 }, scale[SWEEP_OWN], left = 0;
  for (size_t k = 0; k < spectra->count; k += s->stride) {
    const double weight = spectra->weight[k];
    const double complex at = sweep_fit_s(f, w, k), *q = spectra->position + k * spectra->n, own_q = q[spectra->joint];
    const double complex column[SWEEP_OWN] = { at * at * f->units[w][0] * own_q, at * f->units[w][1] * own_q,
                                               f->units[w][2] * spectra->sign[k] };
    double complex row[N], r = sweep_fit_torque(f, w, k, f->x[2 * f->e + 1]);
    sweep_fit_row(f, f->x, at, spectra->joint, row, NULL);
    for (size_t i = 0; i < spectra->n; i++) r -= row[i] * q[i];
    for (size_t i = 0; i < SWEEP_OWN; i++) {
      for (size_t j = 0; j <= i; j++) A[i * SWEEP_OWN + j] += weight * creal(conj(column[i]) * column[j]);
      b[i] += weight * creal(conj(column[i]) * r);
    }
    left += weight * creal(conj(r) * r);
  }
  memcpy(own, b, sizeof b);
  if (!scaled_cholesky_factor(SWEEP_OWN, A, scale)) return INFINITY;
  scaled_cholesky_solve(SWEEP_OWN, A, scale, own);
  for (size_t i = 0; i < SWEEP_OWN; i++) left -= own[i] * b[i];
  return fmax(0, left);
}

/* Gear t such that the mode which its joint shows stays one: det(Q + K_t e_t e_t') = 0 with Q = K + G - w^2 M but
 * for K_t, that is K_t = -1 / (Q^-1)_tt. False: there is none. */
static bool tie(const struct search *s, size_t t)
{
  struct sweep_fit *f = s->fit;
  const struct armdyn_mode *mode = &s->start[f->of[t]].mode;
  const double angle = 2 * PI * mode->frequency, scale = exp(f->x[2 * f->e]);
  double Q[N * N], inverse[N * N];
  for (size_t a = 0; a < f->e; a++)
    for (size_t b = 0; b < f->e; b++)
      Q[a * f->e + b] = (a == b && a != t ? exp(f->x[a]) : 0) +
                        scale * creal(sweep_links(f, f->elastic[a], f->elastic[b], I * angle));
  if (!invert(f->e, Q, inverse)) return false;
  const double k = -1 / inverse[t * (f->e + 1)];
  f->x[t] = log(k), f->x[f->e + t] = log(2 * mode->damping * k / angle);
  return k > 0 && f->x[t] > f->low[t] && f->x[t] < f->high[t];
}

/* With the best motors' figures to the gears. */
static double left_of_all(const struct search *s)
{
  double left = 0;
  for (size_t w = 0; w < s->fit->sweep->window_count; w++)
    left += left_of(s, w, s->fit->x + s->fit->common + SWEEP_OWN * w);
  return left;
}

/* Gear a where it leaves least while the others stay, but for t if that is another. Answers what is left. */
static double look_over(const struct search *s, size_t a, size_t t)
{
  struct sweep_fit *f = s->fit;
  double best[SWEEP_FIGURES], least = INFINITY;
  const double low = f->sweep->from / ASIDE, whole = log(f->sweep->to * ASIDE / low);
  for (size_t i = 0; GRID * (double)i < whole; i++)
    for (size_t z = 0; z < sizeof DAMPINGS / sizeof *DAMPINGS; z++) {
      set_gear(f, a, low * exp(GRID * (double)i), DAMPINGS[z]);
      const double left = t == a || tie(s, t) ? left_of_all(s) : INFINITY;
      if (!(left < least)) continue;
      least = left;
      memcpy(best, f->x, sizeof best);
    }
  if (isfinite(least)) memcpy(f->x, best, sizeof best);
  return least;
}

/* Is it worth while to tie t to a? Where both joints show one mode, one of them was begun at the other's. */
static bool alike(const struct search *s, size_t a, size_t t)
{
  const size_t *of = s->fit->of;
  return a == t || fabs(log(s->start[of[a]].mode.frequency / s->start[of[t]].mode.frequency)) < ALIKE;
}

/* Each gear over the band, by itself and with others tied to it, until nothing is better. */
static void find(struct search *s)
{
  struct sweep_fit *f = s->fit;
  const size_t pairs = f->e > 1 ? f->e * f->e : 0;
  double best[SWEEP_FIGURES], left = sweep_fit_refine(f, s->room), seen = left_of_all(s);
  size_t since = 0; /* something was better */
  memcpy(best, f->x, sizeof best);
  for (size_t i = 0; i < ROUNDS * pairs && since < pairs; i++) {
    const size_t pair = i % pairs;
    since++;
    if (!alike(s, pair / f->e, pair % f->e)) continue;
    memcpy(f->x, best, sizeof best);
    if (!(look_over(s, pair / f->e, pair % f->e) < PROMISING * seen)) continue;
    const double found = sweep_fit_refine(f, s->room);
    if (!(found < (1 - BETTER) * left)) continue;
    left = found, since = 0, seen = left_of_all(s);
    memcpy(best, f->x, sizeof best);
  }
  memcpy(f->x, best, sizeof best);
}

/* The window of a gear whose mode is outside of what was swept, or the count of windows. */
static size_t outside(const struct sweep_fit *f)
{
  for (size_t a = 0; a < f->e; a++)
    if (f->x[a] > f->high[a] - AT_BOUND || f->x[a] < f->low[a] + AT_BOUND) return f->of[a];
  return f->sweep->window_count;
}

enum armdyn_status sweep_search(struct sweep_fit *f, struct armdyn_error *error)
{
  struct search s = { .fit = f };
  const struct armdyn_sweep *sweep = f->sweep;
  enum armdyn_status status = open(&s, error);
  for (bool again = true; again && !status;) {
    status = choose_gears(&s, error);
    if (status) break;
    begin_at(&s);
    find(&s);
    const size_t w = outside(f);
    again = w < sweep->window_count;
    if (again && !sweep->some_rigid) status = shows_none(sweep, sweep->windows[w].joint, error);
    if (again) s.start[w].mode.frequency = 0;
  }
  free(s.room);
  return status;
}
