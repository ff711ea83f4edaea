#include "lib/control/linear_loop.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/derivatives.h"
#include "armdyn/terms.h"
#include "lib/math/elimination.h"
#include "lib/math/symmetric.h"

enum { N = ARMDYN_JOINTS_MAX, PER_DECADE = 40, DECADES = 8, TERMS = 14 };
static const double DIFFERENCE = 1e-4; /* rad, rad/s (m, m/s), to each side */
static const double LEVEL = 1e-9;      /* of the largest torque of gravity, or slope of it: what is less is 0 */
static const double PI = 3.14159265358979323846;

/* ---- the arm: F = exp(A T), H = int exp(A s) ds B, both from the exponential of [A B; 0 0] T */

static void multiply(size_t n, const double *a, const double *b, double *out)
{
  memset(out, 0, n * n * sizeof *out);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < n; j++) out[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* exp(M) by its series of M / 2^s, squared s times; `room` 3 n^2. M is overwritten by it. Source: Moler & Van Loan 2003. */
static void exponential(size_t n, double *M, double *room)
{
  const size_t size = n * n;
  double *term = room, *sum = room + size, *next = room + 2 * size, norm = 0;
  for (size_t i = 0; i < n; i++) {
    double row = 0;
    for (size_t j = 0; j < n; j++) row += fabs(M[i * n + j]);
    norm = fmax(norm, row);
  }
  int squarings = 0;
  while (ldexp(norm, -squarings) > 0.25) squarings++;
  for (size_t k = 0; k < size; k++) M[k] = ldexp(M[k], -squarings), term[k] = sum[k] = k % (n + 1) ? 0 : 1;
  for (int k = 1; k <= TERMS; k++) {
    multiply(n, term, M, next);
    for (size_t i = 0; i < size; i++) term[i] = next[i] / k, sum[i] += term[i];
  }
  for (; squarings > 0; squarings--) {
    multiply(n, sum, sum, next);
    memcpy(sum, next, size * sizeof *sum);
  }
  memcpy(M, sum, size * sizeof *M);
}

static enum armdyn_status sample_arm(struct armdyn_linear_loop *l, const struct armdyn_robot *plant,
                                     struct armdyn_workspace *workspace)
{
  const size_t n = l->n, whole = 3 * n;
  const struct armdyn_load load = { .frictionless = true };
  const double zero[N] = { 0 };
  double tau[N];
  double *M = calloc(4 * whole * whole, sizeof *M);
  if (!M) return ARMDYN_EMEMORY;
  armdyn_gravity_torque(plant, l->q, workspace, tau);
  enum armdyn_status status = armdyn_linearize(plant, l->q, zero, tau, &load, workspace, l->F, l->H);
  for (size_t i = 0; i < 2 * n && !status; i++) {
    for (size_t j = 0; j < 2 * n; j++) M[i * whole + j] = l->F[i * 2 * n + j] * l->control.period;
    for (size_t j = 0; j < n; j++) M[i * whole + 2 * n + j] = l->H[i * n + j] * l->control.period;
  }
  if (!status) exponential(whole, M, M + whole * whole);
  for (size_t i = 0; i < 2 * n && !status; i++) {
    memcpy(l->F + i * 2 * n, M + i * whole, 2 * n * sizeof *M);
    memcpy(l->H + i * n, M + i * whole + 2 * n, n * sizeof *M);
  }
  free(M);
  return status;
}

/* Of M q'' + G q = 0, G the symmetric slopes of gravity, every negative eigenvalue of G is one pole that grows (Sylvester). */
static enum armdyn_status count_unstable(struct armdyn_linear_loop *l, const struct armdyn_robot *plant,
                                         struct armdyn_workspace *workspace)
{
  const size_t n = l->n;
  const struct armdyn_load load = { .frictionless = true };
  const double zero[N] = { 0 };
  double values[N], *G = calloc(3 * n * n + 3 * n, sizeof *G);
  if (!G) return ARMDYN_EMEMORY;
  armdyn_inverse_dynamics_derivatives(plant, l->q, zero, zero, &load, workspace, G, G + n * n, G + 2 * n * n);
  symmetric_eigen(n, G, values, NULL, G + 3 * n * n);
  double weight[N], least = 0;
  armdyn_gravity_torque(plant, l->q, workspace, weight);
  for (size_t k = 0; k < n; k++) least = fmax(least, LEVEL * fmax(fabs(values[k]), fabs(weight[k])));
  l->unstable = 0;
  for (size_t k = 0; k < n; k++) l->unstable += values[k] < -least;
  free(G);
  return ARMDYN_OK;
}

/* [P_q; P_v] = (z - F)^-1 H; where z is a pole of the arm, as good as infinite. */
static void arm_at(struct armdyn_linear_loop *l, double complex z, double complex *out)
{
  const size_t n = l->n, rows = 2 * n;
  double complex *A = l->scratch;
  for (size_t k = 0; k < rows * rows; k++) A[k] = (k % (rows + 1) ? 0 : z) - l->F[k];
  for (size_t k = 0; k < rows * n; k++) out[k] = l->H[k];
  if (complex_solve(rows, A, n, out)) return;
  for (size_t k = 0; k < rows * n; k++) out[k] = 1 / DBL_EPSILON;
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
  double complex *own = l->scratch + 4 * n * n, *D = own + 2 * n * n, *copy = D + n * n, *inverse = copy + n * n;
  if (!arm) arm_at(l, z, own);
  close_loop(l, z, arm ? arm : own, D);
  memcpy(copy, D, n * n * sizeof *D);
  complex_pivots(n, copy, point->pivots);
  for (size_t k = 0; k < n * n; k++) inverse[k] = k % (n + 1) ? 0 : 1;
  const bool regular = complex_solve(n, D, n, inverse);
  for (size_t j = 0; j < n; j++) point->broken[j] = regular ? 1 / inverse[j * (n + 1)] - 1 : -1;
}

/* ---- the grid: by decades, and nowhere so wide that the delay turns by much */

static enum armdyn_status lay_grid(struct armdyn_linear_loop *l)
{
  const double half = PI / l->control.period, least = half * pow(10, -DECADES), ratio = pow(10, 1.0 / PER_DECADE);
  const double widest = half / (10 * (double)(l->delay + 2));
  const size_t room = PER_DECADE * DECADES + 10 * (l->delay + 2) + 3, size = 2 * l->n * l->n;
  l->growth = least;
  l->w = calloc(room, sizeof *l->w);
  l->arm = calloc(room * size, sizeof *l->arm);
  l->points = calloc(room, sizeof *l->points);
  if (!l->w || !l->arm || !l->points) return ARMDYN_EMEMORY;
  l->count = 1;
  for (double w = least; w < half * (1 - 1e-9) && l->count < room - 1; w = fmin(w * ratio, w + widest))
    l->w[l->count++] = w;
  l->w[l->count++] = half;
  for (size_t k = 0; k < l->count; k++)
    arm_at(l, cexp((l->growth + I * l->w[k]) * l->control.period), l->arm + k * size);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_linear_loop_new(const struct armdyn_loop *loop, const double *q,
                                          struct armdyn_linear_loop **out, struct armdyn_error *error)
{
  const struct armdyn_control *control = loop->control;
  const size_t n = armdyn_robot_joint_count(loop->model);
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  struct armdyn_linear_loop *l = calloc(1, sizeof *l);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (!workspace || !l) goto out;
  *l = (struct armdyn_linear_loop){
    .model = loop->model, .control = *control, .n = n, .delay = loop->delay, .velocity_filter = loop->velocity_filter
  };
  memcpy(l->q, q, n * sizeof *q);
  if (control->filter.lowpass > 0)
    l->sections[l->section_count++] = section_lowpass(control->filter.lowpass, control->period);
  if (control->filter.notch > 0)
    l->sections[l->section_count++] = section_notch(control->filter.notch, control->filter.width, control->period);
  l->F = calloc(8 * n * n, sizeof *l->F);
  l->scratch = calloc(9 * n * n, sizeof *l->scratch);
  if (!l->F || !l->scratch) goto out;
  l->H = l->F + 4 * n * n, l->by_q = l->H + 2 * n * n, l->by_qd = l->by_q + n * n;
  status = sample_arm(l, loop->plant, workspace);
  if (!status) status = count_unstable(l, loop->plant, workspace);
  if (!status) status = lay_grid(l);
out:
  armdyn_workspace_free(workspace);
  if (status) {
    armdyn_linear_loop_free(l);
    return armdyn_refuse(error, status, "", "the loop of %zu joints has no linear form here: %s", n,
                         status == ARMDYN_ESINGULAR ? "its mass matrix is singular" : "no memory");
  }
  *out = l;
  return ARMDYN_OK;
}

void armdyn_linear_loop_free(struct armdyn_linear_loop *loop)
{
  if (!loop) return;
  free(loop->F);
  free(loop->w);
  free(loop->arm);
  free(loop->scratch);
  free(loop->points);
  free(loop);
}
