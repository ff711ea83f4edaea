/* The motion of a friction test: every run is a ramp, a cruise and a ramp, there and back. */
#include <math.h>

#include "armdyn/friction_test.h"
#include "lib/model/gears.h"
#include "lib/trajectory/check.h"
#include "lib/trajectory/obstacles.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/request.h"

enum { N = ARMDYN_JOINTS_MAX, DEGREE = 5, TERMS = DEGREE + 1, PIECES_A_SPEED = 7, BISECTIONS = 60 };
static const double USED = 0.8;         /* of acceleration and jerk: runs are about speed */
static const double CRUISE_LEAST = 0.3; /* s */
static const double SEEN = 1e-9;        /* of the position: less is lost in its rounding */
static const double RAMP_LEAST = 0.1, MOVE_LEAST = 0.2, RAMP_UNLIMITED = 0.3; /* s */
static const double HALF_TURN = 3.14159265358979323846;
static const double STEP_LEAST = 1e-4; /* rad, m: towards what is in the way */

struct plan {
  const struct armdyn_friction_plan_request *request;
  const struct armdyn_limits *limits;
  struct armdyn_trajectory *out;
  struct armdyn_friction_run *runs;
  size_t run_count;
  double q[N];        /* where the motion is */
  double range[N][2]; /* that a joint has */
  struct obstacles *obstacles;
  struct body_pair stops[N][2]; /* what ends a range that is less than that of the limits */
  bool stopped[N];
};

/* -- pieces -- */

/* Joint `joint` moves by c[1] s + c[2] s^2 + ..., all others rest. */
static void add_piece(struct plan *p, size_t joint, double duration, const double c[TERMS])
{
  struct armdyn_trajectory *t = p->out;
  const size_t k = t->piece_count++;
  double way = 0;
  for (int i = DEGREE; i > 0; i--) way = (way + c[i]) * duration;
  for (size_t j = 0; j < t->joint_count; j++) {
    double *to = t->coefficients + (k * t->joint_count + j) * TERMS;
    if (j == joint) memcpy(to, c, TERMS * sizeof *to);
    to[0] = p->q[j];
  }
  p->q[joint] += way;
  t->breaks[k + 1] = t->breaks[k] + duration;
}

static void move_to(struct plan *p, size_t joint, double goal)
{
  static const double rest[2];
  const struct armdyn_limits *limits = &p->limits[joint];
  const double way = goal - p->q[joint], d = fabs(way) / USED;
  double c[TERMS];
  if (fabs(way) < 1e-12) return;
  /* peaks of the quintic from rest to rest: 15/8, 10/sqrt(3) and 60 of way / T^k */
  const double T = fmax(fmax(MOVE_LEAST, 1.875 * d / limits->velocity),
                        fmax(sqrt(5.7735026918962573 * d / limits->acceleration), cbrt(60 * d / limits->jerk)));
  polynomial_quintic(0, way, T, rest, rest, c);
  add_piece(p, joint, T, c);
  p->q[joint] = goal;
}

/* The velocity rises as v (3 x^2 - 2 x^3): peaks 3/2 v/T and 6 v/T^2. */
static double ramp_time(const struct armdyn_limits *limits, double v)
{
  if (isinf(limits->acceleration) && isinf(limits->jerk)) return RAMP_UNLIMITED;
  return fmax(RAMP_LEAST, fmax(1.5 * v / (USED * limits->acceleration), sqrt(6 * v / (USED * limits->jerk))));
}

static void add_run(struct plan *p, size_t joint, double v, double cruise)
{
  const double T = ramp_time(&p->limits[joint], fabs(v));
  const double up[TERMS] = { 0, 0, 0, v / (T * T), -v / (2 * T * T * T) };
  const double keep[TERMS] = { 0, v };
  const double down[TERMS] = { 0, v, 0, -v / (T * T), v / (2 * T * T * T) };
  add_piece(p, joint, T, up);
  const double from = p->out->breaks[p->out->piece_count];
  add_piece(p, joint, cruise, keep);
  p->runs[p->run_count++] = (struct armdyn_friction_run){ joint, v, from, p->out->breaks[p->out->piece_count] };
  add_piece(p, joint, T, down);
}

/* -- room -- */

/* Of a joint, from where it is towards an end of its range, as far as nothing is too near: steps that no body can come too
 * near on. */
static void narrow(struct plan *p, size_t joint, int end)
{
  const double limit = p->range[joint][end];
  struct body_pair nearest = { 0 };
  double q[N], reach[N], most = 0;
  memcpy(q, p->q, sizeof q);
  for (size_t i = 0; i < p->obstacles->scene->body_count; i++) {
    if (p->obstacles->scene->bodies[i].link < (int)joint) continue;
    body_reach(p->obstacles->scene, i, 0, p->obstacles->slid, reach);
    most = fmax(most, reach[joint]);
  }
  while (q[joint] != limit) {
    const double room = -obstacles_excess(p->obstacles, q, NAN, &nearest);
    const double step = most > 0 ? room / most : INFINITY, left = fabs(limit - q[joint]);
    if (step < STEP_LEAST) {
      p->range[joint][end] = q[joint];
      p->stops[joint][end] = nearest, p->stopped[joint] = true;
      return;
    }
    q[joint] = step < left ? q[joint] + copysign(step, limit - q[joint]) : limit;
  }
}

static enum armdyn_status tell_stops(const struct plan *p, size_t joint, const struct armdyn_joint *about,
                                     struct armdyn_error *error)
{
  const struct body_pair *stops = p->stops[joint];
  const bool upper = p->range[joint][1] < p->limits[joint].position[1];
  const struct body_pair *stop = &stops[upper];
  return armdyn_refuse(
      error, ARMDYN_EINFEASIBLE, "/cell",
      "joint %s has no room for runs: from the posture on, %s comes too near %s at %.4g, and %.4g %s are "
      "left to it; give another posture q",
      about->name, obstacles_part(p->obstacles, stop), obstacles_other(p->obstacles, stop), p->range[joint][upper],
      p->range[joint][1] - p->range[joint][0], about->type == ARMDYN_PRISMATIC ? "m" : "rad");
}

/* -- one joint -- */

/* The fastest speed, up to `most`, that is kept long enough. */
static double fastest(const struct armdyn_limits *limits, double length, double most)
{
  double low = 0, high = most;
  for (int k = 0; k < BISECTIONS; k++) {
    const double v = k == 0 ? most : (low + high) / 2;
    if (v * (ramp_time(limits, v) + CRUISE_LEAST) <= length) {
      low = v;
      if (k == 0) return v;
    } else {
      high = v;
    }
  }
  return low;
}

static enum armdyn_status add_joint(struct plan *p, size_t joint, const struct armdyn_joint *about,
                                    struct armdyn_error *error)
{
  const struct armdyn_friction_plan_request *r = p->request;
  const struct armdyn_limits *limits = &p->limits[joint];
  const double *ends = p->range[joint], range = ends[1] - ends[0], home = p->q[joint];
  const double middle = ends[0] + range / 2;
  const bool slides = about->type == ARMDYN_PRISMATIC;
  const double length = slides ? r->travel * range : fmin(r->travel * range, 2 * HALF_TURN);
  const double most = fastest(limits, length, r->speed_most * limits->velocity);
  const double least = most * r->speed_least / r->speed_most, shortest = least * CRUISE_LEAST;
  if (!(shortest > SEEN * fmax(fabs(limits->position[0]), fabs(limits->position[1])))) {
    if (p->stopped[joint]) return tell_stops(p, joint, about, error);
    return armdyn_refuse(
        error, ARMDYN_EINFEASIBLE, "/travel",
        "joint %s would go %g %s in its slowest run, too little to be seen; ask for more travel, for a "
        "higher speed_least, or for wider position limits",
        about->name, shortest, slides ? "m" : "rad");
  }
  for (size_t k = 0; k < r->speeds; k++) {
    const double v = least * pow(most / least, (double)k / (double)(r->speeds - 1));
    const double ramps = v * ramp_time(limits, v), cruise = fmin(r->cruise, (length - ramps) / v);
    move_to(p, joint, middle - (ramps + v * cruise) / 2);
    add_run(p, joint, v, cruise);
    add_run(p, joint, -v, cruise);
  }
  move_to(p, joint, home);
  return ARMDYN_OK;
}

/* -- what is asked -- */

static bool is_moved(const struct armdyn_friction_plan_request *r, size_t joint)
{
  return !r->joints || r->joints[joint];
}

static enum armdyn_status check_joint(const struct armdyn_joint *joint, const struct armdyn_limits *limits, size_t j,
                                      struct armdyn_error *error)
{
  const enum armdyn_status rc = limits_check(limits, j, error);
  if (rc) return rc;
  if (!isfinite(limits->position[0]) || !isfinite(limits->position[1])) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/limits/position", "joint %s needs both ends to run between",
                         joint->name);
  }
  if (!isfinite(limits->velocity)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/limits/velocity", "joint %s needs a limit: speeds are parts of it",
                         joint->name);
  }
  return ARMDYN_OK;
}

static enum armdyn_status check_request(const struct armdyn_friction_plan_request *r, struct armdyn_error *error)
{
  if (r->speeds < 3 || r->speeds > 200) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/speeds", "must be 3 .. 200, got %zu", r->speeds);
  }
  if (!(r->speed_least > 0 && r->speed_least < r->speed_most && r->speed_most <= 1)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/speed_least", "must be > 0 and below speed_most <= 1, got %g and %g",
                         r->speed_least, r->speed_most);
  }
  if (!(r->travel > 0 && r->travel <= 1)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/travel", "must be > 0 and <= 1, got %g", r->travel);
  }
  if (!(r->cruise >= CRUISE_LEAST && r->cruise <= 1000)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/cruise", "must be >= %g and <= 1000 s, got %g", CRUISE_LEAST,
                         r->cruise);
  }
  return ARMDYN_OK;
}

/* Where everything starts: as asked, or in the middle (of what has one). */
static enum armdyn_status take_posture(struct plan *p, const struct armdyn_robot_description *d,
                                       struct armdyn_error *error)
{
  for (size_t j = 0; j < d->joint_count; j++) {
    const double *range = p->limits[j].position, middle = (range[0] + range[1]) / 2;
    p->q[j] = p->request->q ? p->request->q[j] : isfinite(middle) ? middle : 0;
    if (p->q[j] >= range[0] && p->q[j] <= range[1]) continue;
    char where[32];
    snprintf(where, sizeof where, "/q/%zu", j);
    return armdyn_refuse(error, ARMDYN_EINPUT, where,
                         "must be within the position limits of joint %s, [%g, %g], got %g", d->joints[j].name,
                         range[0], range[1], p->q[j]);
  }
  return ARMDYN_OK;
}

/* The ranges of the joints that are moved, and what is in their way. */
static enum armdyn_status take_room(const struct armdyn_robot *robot, struct plan *p, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  for (size_t j = 0; j < n; j++) memcpy(p->range[j], p->limits[j].position, sizeof p->range[j]);
  if (!p->request->around) return ARMDYN_OK;
  enum armdyn_status rc = obstacles_new(robot, p->request->around, p->limits, &p->obstacles);
  if (!rc) rc = obstacles_judge_state(p->obstacles, p->q, NAN, "/q", error);
  for (size_t j = 0; j < n && !rc; j++)
    for (int end = 0; end < 2 && is_moved(p->request, j); end++) narrow(p, j, end);
  return rc;
}

/* Proved between the samples, too. */
static enum armdyn_status check_clearance(const struct plan *p, struct armdyn_error *error)
{
  struct clearance_check check;
  if (!p->obstacles) return ARMDYN_OK;
  const enum armdyn_status rc = obstacles_check(p->obstacles, p->out, &check);
  if (rc || check.missing <= 0) return rc;
  return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/cell",
                       "blocked by %s: %s comes there at %.6g s, with a clearance of %.4f m; give another posture q",
                       check.found.at.b, check.found.at.a, check.found.time, check.found.at.distance);
}

static enum armdyn_status check_motion(const struct armdyn_robot *robot, const struct plan *p,
                                       struct armdyn_margin *margin, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  struct check check = { robot, p->limits, armdyn_workspace_new(n) };
  if (!check.workspace) return ARMDYN_EMEMORY;
  check_margins(&check, p->out, margin);
  armdyn_workspace_free(check.workspace);
  for (size_t k = 0; k < ARMDYN_LIMIT_KINDS * n; k++) {
    if (margin[k].usage <= USAGE_MOST) continue;
    char where[64];
    snprintf(where, sizeof where, "/limits/%s", armdyn_limit_name(margin[k].limit));
    return armdyn_refuse(
        error, ARMDYN_EINFEASIBLE, where,
        "the %s of joint %s would be %.4g at %.4g s, %.4g times its limit; ask for less speed_most, for a "
        "lower acceleration limit, or for another posture q",
        armdyn_limit_name(margin[k].limit), armdyn_robot_description(robot)->joints[margin[k].joint].name,
        margin[k].value, margin[k].time, margin[k].usage);
  }
  return check_clearance(p, error);
}

/* The whole motion, and the last word about it. */
static enum armdyn_status add_joints(const struct armdyn_robot *robot, struct plan *p, size_t moved,
                                     struct armdyn_margin *margin, struct armdyn_error *error)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(robot);
  const size_t speeds = p->request->speeds;
  enum armdyn_status rc = trajectory_allocate(p->out, d->joint_count, moved * (speeds * PIECES_A_SPEED + 1), DEGREE, 2);
  if (rc) return rc;
  p->runs = calloc(2 * moved * speeds + 1, sizeof *p->runs); /* never 0 bytes */
  if (!p->runs) return ARMDYN_EMEMORY;
  p->out->piece_count = 0;
  for (size_t j = 0; j < d->joint_count && !rc; j++) {
    if (is_moved(p->request, j)) rc = add_joint(p, j, &d->joints[j], error);
  }
  p->out->waypoint_times[1] = armdyn_trajectory_duration(p->out);
  return rc ? rc : check_motion(robot, p, margin, error);
}

enum armdyn_status armdyn_friction_plan(const struct armdyn_robot *robot,
                                        const struct armdyn_friction_plan_request *request,
                                        struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                        struct armdyn_friction_run **runs, size_t *run_count,
                                        struct armdyn_error *error)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(robot);
  const size_t n = d->joint_count;
  struct armdyn_limits limits[N] = { 0 };
  struct plan p = { .request = request, .limits = limits, .out = out };
  size_t moved = 0;
  enum armdyn_status rc = check_request(request, error);
  if (!rc) rc = gear_friction_refuse(robot, "a friction test", error);
  *out = (struct armdyn_trajectory){ 0 };
  *runs = NULL;
  *run_count = 0;
  for (size_t j = 0; j < n && !rc; j++) {
    limits[j] = request->limits ? request->limits[j] : d->joints[j].limits;
    if (!is_moved(request, j)) continue;
    moved++;
    rc = check_joint(&d->joints[j], &limits[j], j, error);
  }
  if (!rc && !moved) rc = armdyn_refuse(error, ARMDYN_EINPUT, "/joints", "must name at least one joint");
  if (!rc) rc = take_posture(&p, d, error);
  if (!rc) rc = take_room(robot, &p, error);
  if (!rc) rc = add_joints(robot, &p, moved, margin, error);
  obstacles_free(p.obstacles);
  if (rc) {
    free(p.runs);
    armdyn_trajectory_free(out);
    return rc;
  }
  *runs = p.runs;
  *run_count = p.run_count;
  return ARMDYN_OK;
}
