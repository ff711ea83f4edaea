/* Motions to start from: the guess that is given, or the cubic spline through the points; further ones swing out at random
 * from it. */
#include <math.h>

#include "lib/base/random.h"
#include "lib/trajectory/bspline.h"
#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/profile_problem.h"
#include "lib/trajectory/times.h"

enum { N = ARMDYN_JOINTS_MAX, SWING_INTERVALS = 16, ROUTE_INTERVALS = 48, PLAIN_START = 2 };
static const double SPEED = 1e3; /* rad/s, m/s: of joints without a limit */

static const double *point_at(const struct planner *p, size_t k)
{
  const struct armdyn_optimal_request *r = p->request;
  const size_t n = armdyn_robot_joint_count(p->robot);
  return k == 0 ? r->start : k > r->waypoint_count ? r->goal : r->waypoints + (k - 1) * n;
}

/* Time that a way takes without a stop at its ends: at the speed limit of the joint that is farthest from its end. */
static double way_of(const struct planner *p, size_t k)
{
  const double *from = point_at(p, k), *to = point_at(p, k + 1);
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
    weights[k] = way_of(p, k);
    longest = fmax(longest, weights[k]);
  }
  for (size_t k = 0; k + 1 < count; k++) weights[k] = fmax(weights[k], 0.1 * longest);
  times_distribute(count, given, weights, times);
}

static double duration_guess(const struct planner *p)
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
    for (size_t k = 0; k < count; k++) memcpy(points + k * n, point_at(p, k), n * sizeof *points);
    const struct profile_problem problem = {
      .robot = p->robot, .joint_count = n, .point_count = count, .points = points, .memory = memory
    };
    times_guess(p, duration_guess(p), out->waypoint_times);
    cubic_build(&problem, out->waypoint_times, out);
  }
  free(memory);
  return rc;
}

static enum armdyn_status guess_copy(const struct planner *p, struct armdyn_trajectory *out)
{
  const struct armdyn_trajectory *guess = p->request->guess;
  const size_t count = p->request->waypoint_count + 2;
  const bool cubic = guess->degree == 3;
  enum armdyn_status rc =
      cubic ? trajectory_copy(guess, out)
            : armdyn_trajectory_cubic(guess, p->request->intervals, armdyn_trajectory_duration(guess), out, NULL);
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

/* The whole way through all points: corners, the length to each, and which of them the points are. */
struct route {
  size_t n, count, points[ARMDYN_WAYPOINTS_MAX + 2];
  double *q, *length;
};

/* Lengths as times: of the joint that takes longest at its limit. */
static double lasting(const struct planner *p, const double *from, const double *to)
{
  double longest = 0;
  for (size_t j = 0; j < armdyn_robot_joint_count(p->robot); j++)
    longest = fmax(longest, fabs(to[j] - from[j]) / fmin(p->limits[j].velocity, SPEED));
  return longest;
}

static enum armdyn_status route_add(struct route *r, const struct planner *p, const struct way *way)
{
  const size_t n = r->n, skipped = r->count > 0, count = r->count + way->count - skipped;
  double *q = realloc(r->q, count * n * sizeof *q), *length = q ? realloc(r->length, count * sizeof *length) : NULL;
  if (q) r->q = q;
  if (!length) return ARMDYN_EMEMORY;
  r->length = length;
  memcpy(q + r->count * n, way->q + skipped * n, (way->count - skipped) * n * sizeof *q);
  for (size_t i = r->count; i < count; i++)
    length[i] = i == 0 ? 0 : length[i - 1] + lasting(p, q + (i - 1) * n, q + i * n);
  r->count = count;
  return ARMDYN_OK;
}

static enum armdyn_status route_find(struct planner *p, struct route *r, bool *found)
{
  enum armdyn_status rc = ARMDYN_OK;
  *found = true;
  for (size_t k = 0; k <= p->request->waypoint_count && !rc && *found; k++) {
    struct way way;
    rc = way_find(p, point_at(p, k), point_at(p, k + 1), &way);
    *found = way.q != NULL;
    if (!rc && *found) rc = route_add(r, p, &way);
    r->points[k + 1] = r->count - 1;
    free(way.q);
  }
  return rc;
}

/* When a part of the length is behind: slowly at first and at last, as 3 x^2 - 2 x^3. */
static double smooth_time(double part)
{
  double low = 0, high = 1;
  for (int i = 0; i < 40; i++) {
    const double x = (low + high) / 2;
    if (x * x * (3 - 2 * x) < part)
      low = x;
    else
      high = x;
  }
  return (low + high) / 2;
}

/* The line as a spline: the controls of one stay within the hull of its corners. */
static enum armdyn_status route_motion(const struct planner *p, const struct route *r, struct armdyn_trajectory *out)
{
  const size_t n = r->n, last = r->count - 1, points = p->request->waypoint_count + 2;
  const double T = duration_guess(p), whole = r->length[last];
  struct armdyn_trajectory line;
  double controls[(ROUTE_INTERVALS + 3) * N], times[ARMDYN_WAYPOINTS_MAX + 2], given[ARMDYN_WAYPOINTS_MAX + 2];
  double weights[ARMDYN_WAYPOINTS_MAX + 1];
  const bool timed = p->request->waypoint_times != NULL;
  for (size_t k = 0; k < points; k++) {
    given[k] = k == 0 ? 0 : k + 1 == points ? T : timed ? p->request->waypoint_times[k - 1] : NAN;
    times[k] = k + 1 == points ? T : T * smooth_time(r->length[r->points[k]] / whole);
    if (k > 0) weights[k - 1] = fmax(r->length[r->points[k]] - r->length[r->points[k - 1]], 1e-3 * whole);
  }
  if (timed) times_distribute(points, given, weights, times);
  enum armdyn_status rc = trajectory_allocate(&line, n, last, 3, 0);
  if (rc) return rc;
  for (size_t i = 0, k = 1; i < last; i++) {
    if (i >= r->points[k]) k++;
    const double from = r->length[r->points[k - 1]], to = r->length[r->points[k]];
    const double part = (r->length[i + 1] - from) / fmax(to - from, 1e-12 * whole);
    line.breaks[i + 1] =
        timed ? times[k - 1] + part * (times[k] - times[k - 1]) : T * smooth_time(r->length[i + 1] / whole);
    line.breaks[i + 1] = fmax(line.breaks[i + 1], line.breaks[i] + 1e-9 * T);
    for (size_t j = 0; j < n; j++) {
      double *c = line.coefficients + (i * n + j) * 4;
      c[0] = r->q[i * n + j];
      c[1] = (r->q[(i + 1) * n + j] - c[0]) / (line.breaks[i + 1] - line.breaks[i]);
    }
  }
  line.breaks[last] = T;
  rc = trajectory_allocate(out, n, ROUTE_INTERVALS, 3, points);
  if (!rc) {
    bspline_controls(ROUTE_INTERVALS, &line, controls);
    bspline_pieces(ROUTE_INTERVALS, T, controls, out);
    memcpy(out->waypoint_times, times, points * sizeof *times);
  }
  armdyn_trajectory_free(&line);
  return rc;
}

/* Another motion in the place of one that obstacles are in the way of; it stays where no way past them is found. */
static enum armdyn_status lead_past(struct planner *p, struct armdyn_trajectory *motion)
{
  struct route route = { .n = armdyn_robot_joint_count(p->robot) };
  struct armdyn_trajectory past = { 0 };
  bool found;
  enum armdyn_status rc = route_find(p, &route, &found);
  if (!rc && found) rc = route_motion(p, &route, &past);
  if (past.breaks) {
    armdyn_trajectory_free(motion);
    *motion = past;
    p->detour = DETOUR_NEEDED;
    if (!p->way.breaks && !rc) rc = trajectory_copy(motion, &p->way);
  } else if (!rc && !p->way.breaks) {
    p->detour = DETOUR_NOT_FOUND;
  }
  free(route.q);
  free(route.length);
  return rc;
}

/* Is the plain motion of all points in the way of something? */
static enum armdyn_status judge_detour(struct planner *p)
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
  enum armdyn_status rc = judge_detour(p);
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
