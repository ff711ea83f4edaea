/* Motions to start from: the guess that is given, or the cubic spline through the points; further ones swing out at random
 * from it. */
#include <math.h>

#include "lib/base/random.h"
#include "lib/trajectory/bspline.h"
#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/profile_problem.h"
#include "lib/trajectory/times.h"

enum { N = ARMDYN_JOINTS_MAX, SWING_INTERVALS = 16, PLAIN_START = 2 };
static const double SPEED = 1e3; /* rad/s, m/s: of joints without a limit */

const double *planner_point(const struct planner *p, size_t k)
{
  const struct armdyn_optimal_request *r = p->request;
  const size_t n = armdyn_robot_joint_count(p->robot);
  return k == 0 ? r->start : k > r->waypoint_count ? r->goal : r->waypoints + (k - 1) * n;
}

double planner_travel_time(const struct planner *p, const double *from, const double *to)
{
  double longest = 0;
  for (size_t j = 0; j < armdyn_robot_joint_count(p->robot); j++)
    longest = fmax(longest, fabs(to[j] - from[j]) / fmin(p->limits[j].velocity, SPEED));
  return longest;
}

/* When the points are passed: given times as they are, others by the ways, none of which takes no time. */
static void times_guess(const struct planner *p, double duration, double *times)
{
  const struct armdyn_optimal_request *r = p->request;
  const size_t count = r->waypoint_count + 2;
  double given[ARMDYN_WAYPOINTS_MAX + 2], weights[ARMDYN_WAYPOINTS_MAX + 1], longest = 0;
  for (size_t k = 0; k < count; k++)
    given[k] = k == 0 ? 0 : k + 1 == count ? duration : r->waypoint_times ? r->waypoint_times[k - 1] : NAN;
  for (size_t k = 0; k + 1 < count; k++) {
    weights[k] = planner_travel_time(p, planner_point(p, k), planner_point(p, k + 1));
    longest = fmax(longest, weights[k]);
  }
  for (size_t k = 0; k + 1 < count; k++) weights[k] = fmax(weights[k], 0.1 * longest);
  times_distribute(count, given, weights, times);
}

double planner_duration_guess(const struct planner *p)
{
  const struct armdyn_optimal_request *r = p->request;
  double last = 0;
  if (!p->free_duration) return r->duration;
  for (size_t k = 0; k < r->waypoint_count && r->waypoint_times; k++) last = fmax(last, r->waypoint_times[k]);
  return last > 0 ? last * (double)(r->waypoint_count + 1) / (double)r->waypoint_count : 1;
}

static enum armdyn_status cubic_through(const struct planner *p, struct armdyn_trajectory *out)
{
  const size_t n = armdyn_robot_joint_count(p->robot), count = p->request->waypoint_count + 2;
  double *memory = calloc(count * (14 + 3 * n), sizeof *memory),
         *points = memory ? memory + count * (14 + 2 * n) : NULL;
  enum armdyn_status rc = memory ? trajectory_allocate(out, n, count - 1, 3, count) : ARMDYN_EMEMORY;
  if (!rc) {
    for (size_t k = 0; k < count; k++) memcpy(points + k * n, planner_point(p, k), n * sizeof *points);
    const struct profile_problem problem = {
      .robot = p->robot, .joint_count = n, .point_count = count, .points = points, .memory = memory
    };
    times_guess(p, planner_duration_guess(p), out->waypoint_times);
    cubic_build(&problem, out->waypoint_times, out);
  }
  free(memory);
  return rc;
}

/* Add a cubic that takes a motion to the ends that are asked for, at their speeds. */
static void bend_to_ends(const struct planner *p, struct armdyn_trajectory *x)
{
  const double T = armdyn_trajectory_duration(x), scale = p->free_duration ? 1 : p->request->duration / T;
  double q[2][N], qd[2][N];
  armdyn_trajectory_state(x, 0, q[0], qd[0], NULL, NULL);
  armdyn_trajectory_state(x, T, q[1], qd[1], NULL, NULL);
  for (size_t j = 0; j < x->joint_count; j++) {
    const double a = p->ends[0].x[0][j] - q[0][j], b = p->ends[1].x[0][j] - q[1][j];
    const double u = scale * p->ends[0].x[1][j] - qd[0][j], v = scale * p->ends[1].x[1][j] - qd[1][j];
    const double c[4] = { a, u, (3 * (b - a) / T - 2 * u - v) / T, (u + v - 2 * (b - a) / T) / (T * T) };
    for (size_t k = 0; k < x->piece_count; k++)
      polynomial_add_shifted(c, 3, x->breaks[k], 1, x->coefficients + (k * x->joint_count + j) * 4);
  }
}

static enum armdyn_status guess_copy(const struct planner *p, struct armdyn_trajectory *out)
{
  const struct armdyn_trajectory *guess = p->request->guess;
  const size_t count = p->request->waypoint_count + 2;
  const bool cubic = guess->degree == 3;
  enum armdyn_status rc =
      cubic ? trajectory_copy(guess, out)
            : armdyn_trajectory_cubic(guess, p->request->intervals, armdyn_trajectory_duration(guess), out, NULL);
  if (!rc) bend_to_ends(p, out);
  if (rc || out->waypoint_count == count) return rc;
  double *times = realloc(out->waypoint_times, count * sizeof *times);
  if (!times) {
    armdyn_trajectory_free(out);
    return ARMDYN_EMEMORY;
  }
  out->waypoint_times = times, out->waypoint_count = count;
  times_guess(p, armdyn_trajectory_duration(guess), times);
  return ARMDYN_OK;
}

/* Add to every joint a swing that is zero with its slope at both ends, and another of half its length for every second
 * start. */
static enum armdyn_status swing(struct planner *p, size_t start, struct armdyn_trajectory *trajectory)
{
  const double pi = 3.14159265358979323846;
  const size_t n = trajectory->joint_count;
  struct armdyn_trajectory swung;
  double controls[(SWING_INTERVALS + 3) * N], size[2][N];
  enum armdyn_status rc = trajectory_allocate(&swung, n, SWING_INTERVALS, 3, trajectory->waypoint_count);
  if (rc) return rc;
  for (size_t j = 0; j < n; j++) {
    const double reach = fmax(fabs(p->request->goal[j] - p->request->start[j]), 1);
    size[0][j] = reach * random_symmetric(&p->random);
    size[1][j] = start % 2 ? 0 : reach * random_symmetric(&p->random);
  }
  bspline_controls(SWING_INTERVALS, trajectory, controls);
  for (size_t i = 2; i <= SWING_INTERVALS; i++) {
    const double x = (double)(i - 1) / SWING_INTERVALS;
    for (size_t j = 0; j < n; j++)
      controls[i * n + j] += sin(pi * x) * (size[0][j] * sin(pi * x) + size[1][j] * sin(2 * pi * x));
  }
  bspline_pieces(SWING_INTERVALS, armdyn_trajectory_duration(trajectory), controls, &swung);
  memcpy(swung.waypoint_times, trajectory->waypoint_times, swung.waypoint_count * sizeof *swung.waypoint_times);
  armdyn_trajectory_free(trajectory);
  *trajectory = swung;
  return ARMDYN_OK;
}

/* -- past obstacles -- */

/* Another motion in the place of one that obstacles are in the way of; it stays where no way past them is found. */
static enum armdyn_status lead_past(struct planner *p, struct armdyn_trajectory *motion)
{
  struct armdyn_trajectory past;
  enum armdyn_status rc = route_past(p, &past);
  if (past.breaks) {
    armdyn_trajectory_free(motion);
    *motion = past;
    p->detour = DETOUR_NEEDED;
    if (!p->way.breaks && !rc) rc = trajectory_copy(motion, &p->way);
  } else if (!rc && !p->way.breaks) {
    p->detour = DETOUR_NOT_FOUND;
  }
  return rc;
}

enum armdyn_status detour_judge(struct planner *p)
{
  struct armdyn_trajectory plain;
  if (p->detour != DETOUR_UNKNOWN) return ARMDYN_OK;
  const enum armdyn_status rc = cubic_through(p, &plain);
  if (rc) return rc;
  p->detour = obstacles_deepest(p->obstacles, &plain) > 0 ? DETOUR_NEEDED : DETOUR_NONE;
  armdyn_trajectory_free(&plain);
  return ARMDYN_OK;
}

static enum armdyn_status guess_past(struct planner *p, size_t start, struct candidate *c)
{
  enum armdyn_status rc = detour_judge(p);
  if (rc || p->detour == DETOUR_NONE || start % 3 == PLAIN_START) return rc;
  if (start > 0 || !p->way.breaks) return lead_past(p, &c->trajectory);
  armdyn_trajectory_free(&c->trajectory);
  return trajectory_copy(&p->way, &c->trajectory);
}

enum armdyn_status guess_start(struct planner *p, size_t start, struct candidate *c)
{
  const bool given = p->request->guess && start == 0;
  enum armdyn_status rc = (given ? guess_copy : cubic_through)(p, &c->trajectory);
  if (!rc && start > 0) rc = swing(p, start, &c->trajectory);
  if (!rc && p->obstacles && !given) rc = guess_past(p, start, c);
  return rc;
}
