#include "lib/trajectory/path_sampling.h"

#include <math.h>
#include <stdlib.h>

#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/tool_speed.h"

enum { N = ARMDYN_JOINTS_MAX };

static const double SLOW = 10; /* of velocity_scale: friction has its full sign */

/* -- mesh -- */

static size_t parts_of(const struct armdyn_trajectory *path, size_t piece, size_t intervals)
{
  const double share = (path->breaks[piece + 1] - path->breaks[piece]) / armdyn_trajectory_duration(path);
  return (size_t)fmax(ceil(share * (double)intervals - 1e-9), 1);
}

static enum armdyn_status sampling_allocate(struct path_sampling *p)
{
  double **const tables[] = { &p->q, &p->slope, &p->bend, &p->inertia, &p->centrifugal, &p->weight, &p->friction };
  const size_t count = sizeof tables / sizeof *tables, size = p->intervals * PATH_POINTS * p->n;
  p->memory = calloc(count * size + p->intervals * PATH_POINTS + p->intervals + 1, sizeof *p->memory);
  p->piece = calloc(p->intervals, sizeof *p->piece);
  if (!p->memory || !p->piece) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < count; i++) *tables[i] = p->memory + i * size;
  p->speed = p->memory + count * size;
  p->s = p->speed + p->intervals * PATH_POINTS;
  return ARMDYN_OK;
}

static void mesh(struct path_sampling *p, const struct armdyn_trajectory *path, size_t intervals)
{
  size_t k = 0;
  for (size_t piece = 0; piece < path->piece_count; piece++) {
    const double from = path->breaks[piece], to = path->breaks[piece + 1];
    const size_t parts = parts_of(path, piece, intervals);
    for (size_t i = 0; i < parts; i++, k++) {
      p->piece[k] = piece;
      p->s[k] = from + (to - from) * (double)i / (double)parts;
    }
  }
  p->s[k] = armdyn_trajectory_duration(path);
}

static double largest_of(const double *x, size_t count)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

static enum armdyn_status judge_path(const struct path_sampling *p, struct armdyn_error *error)
{
  const size_t n = p->n, points = p->intervals * PATH_POINTS;
  const double typical = largest_of(p->slope, points * n);
  for (size_t i = 0; i < points * n; i++)
    if (!isfinite(p->q[i]) || !isfinite(p->slope[i]) || !isfinite(p->bend[i]))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/path", "is not finite at s = %g", p->s[i / n / PATH_POINTS]);
  for (size_t i = 0; i < points; i++) {
    const double *slope = p->slope + i * n;
    const size_t k = i / PATH_POINTS;
    if (!(largest_of(slope, n) > 1e-6 * typical))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/path", "stands still near s = %g of %g: no joint moves there",
                           p->s[k], p->s[p->intervals]);
    double ahead = 0;
    for (size_t j = 0; i > 0 && j < n; j++) ahead += slope[j] * *(slope + j - n);
    if (i > 0 && ahead <= 0)
      return armdyn_refuse(error, ARMDYN_EINPUT, "/path",
                           "turns back near s = %g of %g, where the arm would have to stop: give it as two motions",
                           p->s[k], p->s[p->intervals]);
    for (size_t j = 0; i % PATH_POINTS == 0 && k > 0 && j < n; j++)
      if (fabs(slope[j] - *(slope + j - n)) > 1e-6 * typical)
        return armdyn_refuse(error, ARMDYN_EINPUT, "/path",
                             "has a corner at s = %g of %g, where the arm would have to stop", p->s[k],
                             p->s[p->intervals]);
  }
  return ARMDYN_OK;
}

enum armdyn_status path_sampling_new(struct path_sampling *p, const struct armdyn_robot *robot,
                                     const struct armdyn_trajectory *path, size_t intervals,
                                     struct armdyn_workspace *workspace, struct armdyn_error *error)
{
  const struct armdyn_load load = { .frictionless = true };
  const size_t n = armdyn_robot_joint_count(robot);
  const double zero[N] = { 0 };
  *p = (struct path_sampling){ .n = n };
  for (size_t piece = 0; piece < path->piece_count; piece++) p->intervals += parts_of(path, piece, intervals);
  enum armdyn_status rc = sampling_allocate(p);
  if (rc) goto out;
  mesh(p, path, intervals);
  for (size_t i = 0; i < p->intervals * PATH_POINTS; i++) {
    const size_t k = i / PATH_POINTS, at = i * n;
    const double begin = p->s[k] - path->breaks[p->piece[k]], h = p->s[k + 1] - p->s[k];
    piece_state(path, p->piece[k], begin + h * (double)(i % PATH_POINTS) / (PATH_POINTS - 1), p->q + at, p->slope + at,
                p->bend + at, NULL);
    armdyn_inverse_dynamics(robot, p->q + at, zero, zero, &load, workspace, p->weight + at);
    armdyn_inverse_dynamics(robot, p->q + at, zero, p->slope + at, &load, workspace, p->inertia + at);
    armdyn_inverse_dynamics(robot, p->q + at, p->slope + at, p->bend + at, &load, workspace, p->centrifugal + at);
    p->speed[i] = tool_speed(robot, p->q + at, p->slope + at, workspace);
    for (size_t j = 0; j < n; j++) p->inertia[at + j] -= p->weight[at + j], p->centrifugal[at + j] -= p->weight[at + j];
  }
  rc = judge_path(p, error);
out:
  if (rc) path_sampling_free(p);
  return rc;
}

void path_sampling_free(struct path_sampling *p)
{
  free(p->memory);
  free(p->piece);
  *p = (struct path_sampling){ 0 };
}

/* -- friction -- */

/* At standstill (the path's ends) it is that of standstill; elsewhere in slow motion it has its sign. */
double path_friction_at(struct path_sampling *p, const struct armdyn_robot *robot, const double *b, double share)
{
  const size_t n = p->n, points = p->intervals * PATH_POINTS;
  double change = 0, fast = 0;
  for (size_t i = 0; i < points * n; i++) {
    const size_t k = i / n / PATH_POINTS, j = i % n;
    const double part = (double)(i / n % PATH_POINTS) / (PATH_POINTS - 1);
    const bool end = i / n == 0 || i / n + 1 == points;
    const double least = SLOW * armdyn_robot_description(robot)->joints[j].velocity_scale;
    const double slow = p->slope[i] == 0 || end ? 0 : copysign(least, p->slope[i]);
    const double v = b ? p->slope[i] * sqrt((1 - part) * b[k] + part * b[k + 1]) : slow;
    const double now = armdyn_friction_torque(robot, j, p->q[i], v);
    const double moved = share * (now - p->friction[i]);
    if (fabs(v) > 2 * least) fast = fmax(fast, fabs(now - armdyn_friction_torque(robot, j, p->q[i], slow)));
    p->friction[i] += moved;
    change = fmax(change, fabs(moved));
  }
  const double typical = largest_of(p->friction, points * n) + largest_of(p->weight, points * n);
  p->speed_dependent = p->speed_dependent || fast > 1e-9 * typical;
  return typical > 0 ? change / typical : 0;
}

/* -- rows -- */

size_t path_rows_most(size_t n)
{
  return PATH_POINTS * (n * 5 + 1); /* torque and acceleration with both signs, squared velocities of joints and tool */
}

static enum armdyn_status infeasible_at(const struct path_sampling *p, const struct armdyn_robot *robot, size_t i,
                                        struct armdyn_margin worst, double limit, struct armdyn_margin *margin,
                                        struct armdyn_error *error)
{
  const struct armdyn_joint *joint = &armdyn_robot_description(robot)->joints[worst.joint];
  for (size_t k = 0; k < ARMDYN_LIMIT_KINDS * p->n; k++)
    margin[k] = (struct armdyn_margin){ .limit = (enum armdyn_limit_kind)(k / p->n), .joint = k % p->n };
  margin[worst.limit * p->n + worst.joint] = worst;
  return armdyn_refuse(
      error, ARMDYN_EINFEASIBLE, "/path", "at %.4g of the path %s of joint %zu %s is %.6g, beyond its limit %.6g%s",
      p->s[i / PATH_POINTS] / p->s[p->intervals], armdyn_limit_name(worst.limit), worst.joint + 1, joint->name,
      worst.value, limit, worst.limit == ARMDYN_LIMIT_TORQUE ? " even in slow motion" : "");
}

/* Positions within their limits, and torques that hold the arm? */
static enum armdyn_status judge_standstill(const struct path_sampling *p, const struct armdyn_robot *robot,
                                           const struct armdyn_limits *limits, struct armdyn_margin *margin,
                                           struct armdyn_error *error)
{
  for (size_t i = 0; i < p->intervals * PATH_POINTS; i++)
    for (size_t j = 0; j < p->n; j++) {
      const double *range = limits[j].position, q = p->q[i * p->n + j], most = limits[j].torque;
      const double excess = fmax(range[0] - q, q - range[1]), half = (range[1] - range[0]) / 2;
      const double torque = p->weight[i * p->n + j] + p->friction[i * p->n + j];
      if (excess > 1e-9 * (1 + fabs(q))) {
        const struct armdyn_margin worst = { ARMDYN_LIMIT_POSITION, j, 1 + excess / (isfinite(half) ? half : 1), q,
                                             NAN };
        return infeasible_at(p, robot, i, worst, q < range[0] ? range[0] : range[1], margin, error);
      }
      if (fabs(torque) >= most * (1 - 1e-9)) {
        const struct armdyn_margin worst = { ARMDYN_LIMIT_TORQUE, j, fabs(torque) / most, torque, NAN };
        return infeasible_at(p, robot, i, worst, most, margin, error);
      }
    }
  return ARMDYN_OK;
}

static void add_row(struct timing_problem *problem, double x, double y, double most)
{
  if (x != 0 || y != 0) problem->rows[problem->row_count++] = (struct timing_row){ x, y, most };
}

/* ratio^2 b <= 1; at the begin of an interval it is the row of the end of the one before. */
static void add_speed_row(double ratio, double part, struct timing_problem *problem)
{
  const double squared = ratio * ratio;
  if (part > 0) add_row(problem, (1 - part) * squared, part * squared, 1);
}

/* The rows of one joint at one point: part (0, 1/2, 1) of interval k. */
static void add_rows(const struct path_sampling *p, const struct armdyn_limits *limits, size_t at, double part,
                     double h, struct timing_problem *problem)
{
  const double slope = p->slope[at], bend = p->bend[at];
  const double ax = -slope / (2 * h) + (1 - part) * bend, ay = slope / (2 * h) + part * bend;
  const double tx = -p->inertia[at] / (2 * h) + (1 - part) * p->centrifugal[at];
  const double ty = p->inertia[at] / (2 * h) + part * p->centrifugal[at], rest = p->weight[at] + p->friction[at];
  for (int sign = 1; sign >= -1; sign -= 2) {
    const double A = sign / limits->acceleration, T = sign / limits->torque;
    if (isfinite(limits->acceleration)) add_row(problem, A * ax, A * ay, 1);
    if (isfinite(limits->torque)) add_row(problem, T * tx, T * ty, 1 - T * rest);
  }
  add_speed_row(slope / limits->velocity, part, problem);
}

/* Sum over points of weights in time times R tau^2, as a form in b_k and b_(k+1). */
static void add_squares(const struct path_sampling *p, const double *weights, size_t at, double part, double time,
                        struct timing_interval *to)
{
  for (size_t j = 0; j < p->n; j++) {
    const double m = p->inertia[at + j] / (2 * to->h), c = p->centrifugal[at + j], W = time * weights[j];
    const double x = -m + (1 - part) * c, y = m + part * c, one = p->weight[at + j] + p->friction[at + j];
    to->xx += W * x * x, to->xy += W * x * y, to->yy += W * y * y;
    to->x += W * x * one, to->y += W * y * one, to->one += W * one * one;
  }
}

enum armdyn_status path_rows_build(const struct path_sampling *p, const struct armdyn_robot *robot,
                                   const struct armdyn_limits *limits, double tool_speed, const double *weights,
                                   struct timing_problem *problem, struct armdyn_margin *margin,
                                   struct armdyn_error *error)
{
  /* Simpson's rule; from standstill s is a parabola of time: exact for tau^2 of second degree in s */
  static const double inner[PATH_POINTS] = { 1.0 / 6, 4.0 / 6, 1.0 / 6 };
  static const double first[PATH_POINTS] = { 6.0 / 15, 8.0 / 15, 1.0 / 15 };
  const size_t K = p->intervals;
  enum armdyn_status rc = judge_standstill(p, robot, limits, margin, error);
  if (rc) return rc;
  problem->row_count = 0;
  for (size_t k = 0; k < K; k++) {
    struct timing_interval *to = &problem->interval[k];
    *to = (struct timing_interval){ .h = p->s[k + 1] - p->s[k], .row_first = problem->row_count };
    for (size_t i = 0; i < PATH_POINTS; i++) {
      const size_t at = (k * PATH_POINTS + i) * p->n;
      const double part = (double)i / (PATH_POINTS - 1);
      const double time = k == 0 ? first[i] : k + 1 == K ? first[PATH_POINTS - 1 - i] : inner[i];
      add_squares(p, weights, at, part, time, to);
      for (size_t j = 0; j < p->n; j++) add_rows(p, &limits[j], at + j, part, to->h, problem);
      add_speed_row(p->speed[k * PATH_POINTS + i] / tool_speed, part, problem);
    }
    to->row_count = problem->row_count - to->row_first;
  }
  return ARMDYN_OK;
}
