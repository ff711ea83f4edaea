#include "lib/trajectory/polynomial.h"

#include <math.h>

enum armdyn_status trajectory_allocate(struct armdyn_trajectory *trajectory, size_t joints, size_t pieces,
                                       size_t degree, size_t waypoints)
{
  struct armdyn_trajectory out = { joints, pieces, degree, NULL, NULL, waypoints, NULL };
  out.breaks = calloc(pieces + 1, sizeof *out.breaks);
  out.coefficients = calloc(pieces * joints * (degree + 1), sizeof *out.coefficients);
  out.waypoint_times = calloc(waypoints, sizeof *out.waypoint_times);
  *trajectory = out;
  if (out.breaks && out.coefficients && out.waypoint_times) return ARMDYN_OK;
  armdyn_trajectory_free(trajectory);
  return ARMDYN_EMEMORY;
}

enum armdyn_status trajectory_copy(const struct armdyn_trajectory *from, struct armdyn_trajectory *to)
{
  const size_t pieces = from->piece_count, terms = pieces * from->joint_count * (from->degree + 1);
  enum armdyn_status rc = trajectory_allocate(to, from->joint_count, pieces, from->degree, from->waypoint_count);
  if (rc) return rc;
  memcpy(to->breaks, from->breaks, (pieces + 1) * sizeof *to->breaks);
  memcpy(to->coefficients, from->coefficients, terms * sizeof *to->coefficients);
  memcpy(to->waypoint_times, from->waypoint_times, from->waypoint_count * sizeof *to->waypoint_times);
  return ARMDYN_OK;
}

void armdyn_trajectory_free(struct armdyn_trajectory *trajectory)
{
  free(trajectory->breaks);
  free(trajectory->coefficients);
  free(trajectory->waypoint_times);
  *trajectory = (struct armdyn_trajectory){ 0 };
}

double armdyn_trajectory_duration(const struct armdyn_trajectory *trajectory)
{
  return trajectory->breaks[trajectory->piece_count];
}

void polynomial_cubic(double from, double way, double h, const double *x, const double *y, double *c)
{
  const double slope = way / h;
  c[0] = from;
  c[1] = x[0];
  c[2] = (3 * slope - 2 * x[0] - y[0]) / h;
  c[3] = (x[0] + y[0] - 2 * slope) / (h * h);
}

void polynomial_quintic(double from, double way, double h, const double x[2], const double y[2], double *c)
{
  const double vx = x[0] * h, vy = y[0] * h, ax = x[1] * h * h, ay = y[1] * h * h;
  c[0] = from;
  c[1] = x[0];
  c[2] = x[1] / 2;
  c[3] = (20 * way - 8 * vy - 12 * vx - 3 * ax + ay) / (2 * h * h * h);
  c[4] = (-30 * way + 14 * vy + 16 * vx + 3 * ax - 2 * ay) / (2 * h * h * h * h);
  c[5] = (12 * way - 6 * (vy + vx) + ay - ax) / (2 * h * h * h * h * h);
}

/* Derivatives 0..3 of sum c_i s^i, by Horner's rule on all at once. */
static void derivatives(const double *c, size_t degree, double s, double out[4])
{
  double p0 = c[degree], p1 = 0, p2 = 0, p3 = 0;
  for (size_t i = degree; i-- > 0;) {
    p3 = p3 * s + p2;
    p2 = p2 * s + p1;
    p1 = p1 * s + p0;
    p0 = p0 * s + c[i];
  }
  out[0] = p0;
  out[1] = p1;
  out[2] = 2 * p2;
  out[3] = 6 * p3;
}

void polynomial_add_shifted(const double *polynomial, size_t degree, double s, double factor, double *c)
{
  for (size_t i = 0; i <= degree; i++) {
    double power = factor * polynomial[i]; /* times binomial(i, k) s^(i - k), for k = i, i - 1, ... */
    for (size_t k = i;; k--) {
      c[k] += power;
      if (k == 0) break;
      power *= s * (double)k / (double)(i - k + 1);
    }
  }
}

void piece_state(const struct armdyn_trajectory *trajectory, size_t k, double s, double *q, double *qd, double *qdd,
                 double *qddd)
{
  const size_t n = trajectory->joint_count, degree = trajectory->degree;
  for (size_t j = 0; j < n; j++) {
    double x[4];
    derivatives(trajectory->coefficients + (k * n + j) * (degree + 1), degree, s, x);
    if (q) q[j] = x[0];
    if (qd) qd[j] = x[1];
    if (qdd) qdd[j] = x[2];
    if (qddd) qddd[j] = x[3];
  }
}

void armdyn_trajectory_state(const struct armdyn_trajectory *trajectory, double t, double *q, double *qd, double *qdd,
                             double *qddd)
{
  const double *breaks = trajectory->breaks;
  const double at = fmin(fmax(t, 0), armdyn_trajectory_duration(trajectory));
  size_t low = 0, high = trajectory->piece_count; /* breaks[low] <= at, and at < breaks[high] or high is the end */
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (breaks[middle] <= at) {
      low = middle;
    } else {
      high = middle;
    }
  }
  piece_state(trajectory, low, at - breaks[low], q, qd, qdd, qddd);
}

/* A grid point closer to the end than a millionth of a period is the end. */
size_t armdyn_sample_count(const struct armdyn_trajectory *trajectory, double rate)
{
  const double periods = ceil(armdyn_trajectory_duration(trajectory) * rate - 1e-6);
  return 1 + (size_t)fmax(periods, 0);
}

double armdyn_sample_time(const struct armdyn_trajectory *trajectory, double rate, size_t index)
{
  if (index + 1 >= armdyn_sample_count(trajectory, rate)) return armdyn_trajectory_duration(trajectory);
  return (double)index / rate;
}

void armdyn_trajectory_sample(const struct armdyn_robot *robot, const struct armdyn_trajectory *trajectory, double t,
                              struct armdyn_workspace *workspace, double *row)
{
  const size_t n = trajectory->joint_count;
  double *q = row + 1, *qd = q + n, *qdd = qd + n, *tau = qdd + n, *power = tau + n;
  row[0] = t;
  armdyn_trajectory_state(trajectory, t, q, qd, qdd, NULL);
  armdyn_inverse_dynamics(robot, q, qd, qdd, NULL, workspace, tau);
  for (size_t j = 0; j < n; j++) power[j] = tau[j] * qd[j];
}
