#include "lib/control/linear_loop.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/math/elimination.h"

enum { N = ARMDYN_JOINTS_MAX, PER_DECADE = 40, NARROW = 4, DECADES = 8 };
static const double DIFFERENCE = 1e-4; /* rad, rad/s (m, m/s), to each side */
static const double PI = 3.14159265358979323846;

/* ---- the arm */

/* [P_q; P_v] = the measured rows of (z - F)^-1 H; where z is a pole of the arm, as good as infinite. */
static void arm_at(struct armdyn_linear_loop *l, double complex z, double complex *out)
{
  const struct linear_plant *p = &l->plant;
  const size_t n = p->n, s = p->states;
  double complex *A = l->scratch, *X = A + s * s;
  for (size_t k = 0; k < s * s; k++) A[k] = (k % (s + 1) ? 0 : z) - p->F[k];
  for (size_t k = 0; k < s * n; k++) X[k] = p->H[k];
  const bool regular = complex_solve(s, A, n, X);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      out[i * n + j] = regular ? X[p->seen_q[i] * n + j] : 1 / DBL_EPSILON;
      out[(n + i) * n + j] = regular ? X[p->seen_qd[i] * n + j] : 1 / DBL_EPSILON;
    }
}

/* ---- the law */

static void law_torque_at(struct armdyn_controller *controller, const double *wanted, const double *q, const double *qd,
                          double *tau)
{
  const double zero[N] = { 0 };
  armdyn_controller_step(controller, &(struct armdyn_wanted){ wanted, zero, zero }, q, qd, tau, NULL);
}

/* Column j of -d tau / d x, x the position or the speed of joint j. */
static void differ(struct armdyn_linear_loop *l, struct armdyn_controller *controller, size_t j, bool speed,
                   double *out)
{
  double tau[2][N];
  for (int side = 0; side < 2; side++) {
    double q[N], qd[N] = { 0 };
    memcpy(q, l->q, sizeof q);
    (speed ? qd : q)[j] += side ? DIFFERENCE : -DIFFERENCE;
    law_torque_at(controller, l->q, q, qd, tau[side]);
  }
  for (size_t i = 0; i < l->n; i++) out[i * l->n + j] = (tau[0][i] - tau[1][i]) / (2 * DIFFERENCE);
}

enum armdyn_status linear_loop_take(struct armdyn_linear_loop *l, const struct armdyn_gains *gains,
                                    struct armdyn_error *error)
{
  struct armdyn_controller *controller;
  struct armdyn_control bare = l->control; /* no integral, filter and limit: it remembers nothing */
  l->control.gains = bare.gains = *gains;
  memset(bare.gains.ki, 0, sizeof bare.gains.ki);
  bare.filter = (struct armdyn_torque_filter){ 0 };
  bare.frictionless = true;
  for (size_t j = 0; j < l->n; j++) bare.torque_limit[j] = INFINITY;
  enum armdyn_status status = armdyn_controller_new(l->model, &bare, &controller, error);
  if (status) return status;
  for (size_t j = 0; j < l->n; j++) {
    differ(l, controller, j, false, l->by_q);
    differ(l, controller, j, true, l->by_qd);
  }
  armdyn_controller_free(controller);
  return ARMDYN_OK;
}

/* ---- the loop */

static double complex section_at(const struct section *s, double complex z)
{
  return (s->b[0] + (s->b[1] + s->b[2] / z) / z) / (1 + (s->a[0] + s->a[1] / z) / z);
}

/* What a speed differenced from positions and filtered is of them. */
static double complex differenced(const struct armdyn_linear_loop *l, double complex z)
{
  const double T = l->control.period, share = 1 - exp(-2 * PI * l->velocity_filter * T);
  return share * (1 - 1 / z) / T / (1 - (1 - share) / z);
}

/* 1 + L */
static void close_loop(const struct armdyn_linear_loop *l, double complex z, const double complex *arm,
                       double complex *out)
{
  const size_t n = l->n;
  const bool exact = !(l->velocity_filter > 0), integral = armdyn_law_gains(l->control.law) & ARMDYN_GAIN_KI;
  const double complex speed = exact ? 0 : differenced(l, z), sum = l->control.period * z / (z - 1);
  const double complex late = 1 / z;
  double complex through = 1;
  for (size_t k = 0; k < l->delay; k++) through *= late;
  for (size_t k = 0; k < l->section_count; k++) through *= section_at(&l->sections[k], z);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double complex x = 0;
      for (size_t k = 0; k < n; k++) {
        const double complex q = arm[k * n + j], qd = exact ? arm[(n + k) * n + j] : speed * q;
        x += l->by_q[i * n + k] * q + l->by_qd[i * n + k] * qd;
      }
      if (integral) x += l->control.gains.ki[i] * sum * arm[i * n + j];
      out[i * n + j] = through * x + (i == j);
    }
}

void linear_loop_at(struct armdyn_linear_loop *l, double growth, double w, const double complex *arm,
                    struct linear_point *point)
{
  const size_t n = l->n;
  const double complex z = cexp((growth + I * w) * l->control.period);
  double complex *own = l->scratch + l->plant.states * (l->plant.states + n), *D = own + 2 * n * n, *copy = D + n * n,
                 *inverse = copy + n * n;
  if (!arm) arm_at(l, z, own);
  close_loop(l, z, arm ? arm : own, D);
  memcpy(copy, D, n * n * sizeof *D);
  complex_pivots(n, copy, point->pivots);
  for (size_t k = 0; k < n * n; k++) inverse[k] = k % (n + 1) ? 0 : 1;
  const bool regular = complex_solve(n, D, n, inverse);
  for (size_t j = 0; j < n; j++) point->broken[j] = regular ? 1 / inverse[j * (n + 1)] - 1 : -1;
}

/* ---- the grid: by decades, and nowhere so wide that the delay turns by much; where gears swing it is finer, with the
 * resonances of the arm on it, as the sampled loop shows them */

static int by_frequency(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void add_resonances(struct armdyn_linear_loop *l, double least, double half)
{
  for (size_t k = 0; k < l->plant.resonance_count; k++) {
    const double w = fabs(remainder(l->plant.resonances[k], 2 * half));
    if (w > least && w < half) l->w[l->count++] = w;
  }
  qsort(l->w, l->count, sizeof *l->w, by_frequency);
  size_t kept = 1;
  for (size_t k = 1; k < l->count; k++)
    if (l->w[k] > l->w[kept - 1]) l->w[kept++] = l->w[k];
  l->count = kept;
}

static enum armdyn_status lay_grid(struct armdyn_linear_loop *l)
{
  const size_t per_decade = PER_DECADE * (l->plant.resonance_count ? NARROW : 1), size = 2 * l->n * l->n;
  const double half = PI / l->control.period, least = half * pow(10, -DECADES),
               ratio = pow(10, 1.0 / (double)per_decade);
  const double widest = half / (10 * (double)(l->delay + 2));
  const size_t room = per_decade * DECADES + 10 * (l->delay + 2) + 3;
  l->growth = least;
  l->w = calloc(room + l->plant.resonance_count, sizeof *l->w);
  l->arm = calloc((room + l->plant.resonance_count) * size, sizeof *l->arm);
  l->points = calloc(room + l->plant.resonance_count, sizeof *l->points);
  if (!l->w || !l->arm || !l->points) return ARMDYN_EMEMORY;
  l->count = 1;
  for (double w = least; w < half * (1 - 1e-9) && l->count < room - 1; w = fmin(w * ratio, w + widest))
    l->w[l->count++] = w;
  l->w[l->count++] = half;
  add_resonances(l, least, half);
  for (size_t k = 0; k < l->count; k++)
    arm_at(l, cexp((l->growth + I * l->w[k]) * l->control.period), l->arm + k * size);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_linear_loop_new(const struct armdyn_loop *loop, const double *q,
                                          struct armdyn_linear_loop **out, struct armdyn_error *error)
{
  const struct armdyn_control *control = loop->control;
  const size_t n = armdyn_robot_joint_count(loop->model);
  struct linear_plant plant;
  enum armdyn_status status = linear_plant_open(&plant, loop, q, error);
  if (status) return status;
  const size_t s = plant.states;
  struct armdyn_linear_loop *l = calloc(1, sizeof *l);
  if (!l) {
    linear_plant_close(&plant);
    return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a loop of %zu joints", n);
  }
  *l = (struct armdyn_linear_loop){ .model = loop->model,
                                    .control = *control,
                                    .n = n,
                                    .delay = loop->delay,
                                    .velocity_filter = loop->velocity_filter,
                                    .plant = plant };
  memcpy(l->q, q, n * sizeof *q);
  if (control->filter.lowpass > 0)
    l->sections[l->section_count++] = section_lowpass(control->filter.lowpass, control->period);
  if (control->filter.notch > 0)
    l->sections[l->section_count++] = section_notch(control->filter.notch, control->filter.width, control->period);
  l->by_q = calloc(2 * n * n, sizeof *l->by_q);
  l->by_qd = l->by_q + n * n;
  l->scratch = calloc(s * (s + n) + 5 * n * n, sizeof *l->scratch);
  status = l->by_q && l->scratch ? lay_grid(l) : ARMDYN_EMEMORY;
  if (status) {
    armdyn_linear_loop_free(l);
    return armdyn_refuse(error, status, "", "no memory for a loop of %zu joints", n);
  }
  *out = l;
  return ARMDYN_OK;
}

void armdyn_linear_loop_free(struct armdyn_linear_loop *loop)
{
  if (!loop) return;
  linear_plant_close(&loop->plant);
  free(loop->by_q);
  free(loop->w);
  free(loop->arm);
  free(loop->scratch);
  free(loop->points);
  free(loop);
}
