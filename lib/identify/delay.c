#include "lib/identify/delay.h"

#include <math.h>
#include <stdlib.h>

#include "armdyn/identify.h"
#include "lib/math/linear.h"

enum { ROWS = 8192, FEWEST_ROWS = 256, LAGS = 30 /* to either side */, USUAL_JOINTS = 6 };
static const double LONGEST = 0.06 /* s */, CUTOFF = 25 /* Hz */, EXPLAINED = 0.5, CONTRAST = 1.25, NOTICED = 1e-3,
                    GAIN = 0.9;
static const double START = 1e-3, RIDGE = 1e-9, SLOW = 0.02;

struct delay_search {
  size_t joints, count;
  bool begun;
  double start[ARMDYN_JOINTS_MAX]; /* positions of the first row */
  double time[ROWS];
  double *q, *tau; /* ROWS x joints */
};

struct delay_search *delay_search_new(size_t joints)
{
  struct delay_search *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->joints = joints;
  s->q = malloc(ROWS * joints * sizeof *s->q);
  s->tau = malloc(ROWS * joints * sizeof *s->tau);
  if (s->q && s->tau) return s;
  delay_search_free(s);
  return NULL;
}

void delay_search_free(struct delay_search *s)
{
  if (!s) return;
  free(s->q);
  free(s->tau);
  free(s);
}

void delay_search_add(struct delay_search *s, double time, const double *q, const double *tau)
{
  const size_t n = s->joints;
  if (s->count == ROWS) return;
  if (!s->begun) memcpy(s->start, q, n * sizeof *q);
  s->begun = true;
  bool moved = s->count > 0;
  for (size_t j = 0; j < n && !moved; j++) moved = fabs(q[j] - s->start[j]) > START;
  if (!moved) return;
  s->time[s->count] = time;
  memcpy(s->q + s->count * n, q, n * sizeof *q);
  memcpy(s->tau + s->count * n, tau, n * sizeof *tau);
  s->count++;
}

/* The torque tau(t + lag) of every joint is fitted by features of the motion at t, all lags over the same rows. */
struct fits {
  size_t joints, features, step, reach; /* lags are multiples of `step` rows up to `reach` */
  double *gram;                         /* features x features */
  double *mixed;                        /* (2 LAGS + 1) x joints x features */
  double *power;                        /* (2 LAGS + 1) x joints: of the torque */
  double *sum;                          /* the same: its sum */
  size_t rows;
};

static bool fits_allocate(struct fits *f)
{
  const size_t lags = (2 * LAGS + 1) * f->joints;
  f->gram = calloc(f->features * f->features, sizeof *f->gram);
  f->mixed = calloc(lags * f->features, sizeof *f->mixed);
  f->power = calloc(2 * lags, sizeof *f->power);
  f->sum = f->power ? f->power + lags : NULL;
  return f->gram && f->mixed && f->power;
}

static void fits_release(struct fits *f)
{
  free(f->gram);
  free(f->mixed);
  free(f->power);
}

/* 1, and of every joint what gravity, friction and inertia are made of. */
static void fill_features(const struct armdyn_motion *m, size_t n, size_t row, const double *slow, double *features)
{
  *features++ = 1;
  for (size_t j = 0; j < n; j++) {
    const size_t at = row * n + j;
    *features++ = sin(m->q[at]);
    *features++ = cos(m->q[at]);
    *features++ = m->qd[at];
    *features++ = tanh(m->qd[at] / slow[j]);
    *features++ = m->qdd[at];
  }
}

static void add_row(struct fits *f, const struct armdyn_motion *m, size_t row, const double *features)
{
  const size_t p = f->features, n = f->joints;
  for (size_t a = 0; a < p; a++)
    for (size_t b = 0; b <= a; b++) f->gram[a * p + b] += features[a] * features[b];
  for (size_t lag = 0; lag <= 2 * LAGS; lag++) {
    const double *tau = m->tau + (row + lag * f->step - f->reach) * n;
    for (size_t j = 0; j < n; j++) {
      double *mixed = f->mixed + (lag * n + j) * p;
      for (size_t a = 0; a < p; a++) mixed[a] += tau[j] * features[a];
      f->power[lag * n + j] += tau[j] * tau[j];
      f->sum[lag * n + j] += tau[j];
    }
  }
  f->rows++;
}

/* Make the columns of unit length, and the factor of a Gram matrix that is surely definite. */
static bool factor(struct fits *f)
{
  const size_t p = f->features;
  double *length = malloc(p * sizeof *length);
  if (!length) return false;
  for (size_t a = 0; a < p; a++) length[a] = f->gram[a * p + a] > 0 ? sqrt(f->gram[a * p + a]) : 1;
  for (size_t a = 0; a < p; a++)
    for (size_t b = 0; b <= a; b++) f->gram[a * p + b] /= length[a] * length[b];
  for (size_t a = 0; a < p; a++) f->gram[a * p + a] += RIDGE;
  for (size_t k = 0; k < (2 * LAGS + 1) * f->joints; k++)
    for (size_t a = 0; a < p; a++) f->mixed[k * p + a] /= length[a];
  free(length);
  return cholesky_factor(p, f->gram);
}

/* What is left of the torque after the fit, squared; *spread: what there was, about its mean. */
static double rest(const struct fits *f, size_t lag, size_t joint, double *solution, double *spread)
{
  const size_t p = f->features, k = lag * f->joints + joint;
  const double *mixed = f->mixed + k * p;
  memcpy(solution, mixed, p * sizeof *mixed);
  cholesky_solve(p, f->gram, solution);
  double explained = 0;
  for (size_t a = 0; a < p; a++) explained += mixed[a] * solution[a];
  *spread = f->power[k] - f->sum[k] * f->sum[k] / (double)f->rows;
  return f->power[k] - explained;
}

/* The lag with the least rest, between lags by the parabola through it and its neighbours; NAN: none stands out. A motion
 * of one frequency explains its torque at every lag alike, so the rest must grow towards the far lags. */
static double best_lag(const struct fits *f, size_t joint, double *solution)
{
  double left[2 * LAGS + 1], spread[2 * LAGS + 1];
  size_t best = 0;
  for (size_t lag = 0; lag <= 2 * LAGS; lag++) {
    left[lag] = rest(f, lag, joint, solution, &spread[lag]);
    if (left[lag] < left[best]) best = lag;
  }
  if (best == 0 || best == 2 * LAGS || !(left[best] < (1 - EXPLAINED) * spread[best])) return NAN;
  const double far = fmin(left[0], left[2 * LAGS]);
  if (!(far > CONTRAST * left[best] + NOTICED * spread[best])) return NAN;
  if (best != LAGS && left[best] > GAIN * left[LAGS]) return 0;
  const double bend = left[best - 1] - 2 * left[best] + left[best + 1];
  const double shift = bend > 0 ? (left[best - 1] - left[best + 1]) / (2 * bend) : 0;
  return ((double)best - LAGS + shift) * (double)f->step;
}

static void fit(struct fits *f, const struct armdyn_motion *m, double *features)
{
  const size_t n = f->joints;
  double slow[ARMDYN_JOINTS_MAX];
  for (size_t j = 0; j < n; j++) {
    slow[j] = 1e-9;
    for (size_t row = 0; row < m->count; row++) slow[j] = fmax(slow[j], SLOW * fabs(m->qd[row * n + j]));
  }
  const size_t every = n > USUAL_JOINTS ? n * n / (USUAL_JOINTS * USUAL_JOINTS) : 1; /* the cost grows so */
  for (size_t row = f->reach; row + f->reach < m->count; row += every) {
    fill_features(m, n, row, slow, features);
    add_row(f, m, row, features);
  }
}

/* Filter the rows on their even clock. False: the clock is not even enough, or there are too few rows. */
static bool smooth(const struct delay_search *s, struct armdyn_motion *motion)
{
  const struct armdyn_log log = { .count = s->count, .time = s->time, .q = s->q, .tau = s->tau };
  if (s->count < FEWEST_ROWS) return false;
  const double rate = (double)(s->count - 1) / (s->time[s->count - 1] - s->time[0]);
  for (size_t i = 1; i < s->count; i++)
    if (!((s->time[i] - s->time[i - 1]) * rate < 3)) return false;
  const double cutoff = fmin(CUTOFF, rate / 8);
  const struct armdyn_conditioning conditioning = { .position_cutoff = cutoff, .torque_cutoff = cutoff };
  return armdyn_condition(s->joints, &log, &conditioning, motion, NULL) == ARMDYN_OK;
}

enum armdyn_status delay_search_run(const struct delay_search *s, struct armdyn_joint_figures *joints)
{
  struct armdyn_motion motion = { 0 };
  struct fits f = { .joints = s->joints, .features = 1 + 5 * s->joints };
  if (!smooth(s, &motion)) return ARMDYN_OK;
  const double rows = LONGEST * motion.rate;
  f.step = rows > LAGS ? (size_t)ceil(rows / LAGS) : 1;
  f.reach = LAGS * f.step;
  enum armdyn_status status = ARMDYN_OK;
  double *features = malloc(f.features * sizeof *features);
  if (!features || !fits_allocate(&f)) {
    status = ARMDYN_EMEMORY;
  } else if (motion.count > 4 * f.reach) {
    fit(&f, &motion, features);
    const bool good = f.rows > 2 * f.features && factor(&f);
    for (size_t j = 0; good && j < s->joints; j++)
      if (joints[j].moves) joints[j].delay = best_lag(&f, j, features) / motion.rate;
  }
  free(features);
  fits_release(&f);
  armdyn_motion_free(&motion);
  return status;
}
