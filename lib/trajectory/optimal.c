/* The planner of energy-optimal motions: requests, starts, meshes and the last word. */
#include <math.h>

#include "lib/base/random.h"
#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/request.h"
#include "lib/trajectory/tool_speed.h"

enum { N = ARMDYN_JOINTS_MAX, INTERVALS_MIN = 8, INTERVALS_MAX = 2000, COARSE = 25, FACTOR_COARSE = 8 };
enum { CLIMBERS = 2 };     /* starts with kinks that are solved on finer meshes */
enum { SOFTEN_STEPS = 2 }; /* the last one's friction changes its sign over 0.075 of the largest speed */
enum { PER_SEGMENT = 4, PER_SEGMENT_COARSE = 8 }; /* intervals: asked for; of the mesh to start on */
static const double DURATION_MIN = 1e-3, DURATION_MAX = 1e3, TOOL_SPEED_MAX = 1e6, VERDICT = 1e-6;
static const double HOPELESS = 0.05; /* excess on a coarse mesh that no finer one takes away, nor narrower friction */
static const double DEARER = 1e-6;   /* costs that differ by less are the same to a search */
static const double MU_COLD = 1e-2, MU_SOFTER = 1e-4, MU_FINER = 2e-6; /* where the barrier starts */

/* -- what is asked -- */

static enum armdyn_status judge_duration(struct planner *p, struct armdyn_error *error)
{
  const struct armdyn_optimal_request *r = p->request;
  bool priced = false;
  for (size_t k = 0; k < p->cost.count; k++) priced = priced || p->cost.terms[k].model == ARMDYN_COST_TIME;
  p->free_duration = isnan(r->duration);
  p->duration_min = r->duration_min > 0 ? r->duration_min : DURATION_MIN;
  p->duration_max = r->duration_max > 0 ? r->duration_max : DURATION_MAX;
  if (!p->free_duration && !(r->duration >= DURATION_MIN && r->duration <= DURATION_MAX))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "must be >= %g and <= %g s, got %g", DURATION_MIN,
                         DURATION_MAX, r->duration);
  if (p->free_duration && !priced && !(r->duration_max > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration",
                         "is needed where neither time has a price nor duration_max is given");
  if (!(r->duration_min >= 0 && p->duration_min >= DURATION_MIN && p->duration_min <= DURATION_MAX))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration_min", "must be >= %g and <= %g s, got %g", DURATION_MIN,
                         DURATION_MAX, r->duration_min);
  if (!(r->duration_max >= 0 && p->duration_max > p->duration_min && p->duration_max <= DURATION_MAX))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration_max", "must be > %g and <= %g s, got %g", p->duration_min,
                         DURATION_MAX, r->duration_max);
  return ARMDYN_OK;
}

static enum armdyn_status judge_numbers(const struct planner *p, struct armdyn_error *error)
{
  const struct armdyn_optimal_request *r = p->request;
  const size_t n = armdyn_robot_joint_count(p->robot);
  if (r->intervals < INTERVALS_MIN || r->intervals > INTERVALS_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/intervals", "must be >= %d and <= %d, got %zu", INTERVALS_MIN,
                         INTERVALS_MAX, r->intervals);
  if (r->waypoint_count > ARMDYN_WAYPOINTS_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/waypoints", "are %zu, at most %d are possible", r->waypoint_count,
                         ARMDYN_WAYPOINTS_MAX);
  if (r->waypoint_count > 0 && r->intervals < PER_SEGMENT * (r->waypoint_count + 1))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/intervals", "must be >= %zu for %zu waypoints, got %zu",
                         PER_SEGMENT * (r->waypoint_count + 1), r->waypoint_count, r->intervals);
  if (r->starts < 1 || r->starts > ARMDYN_MINIMA_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/multistart", "must be >= 1 and <= %d, got %zu", ARMDYN_MINIMA_MAX,
                         r->starts);
  if (!(r->tool_speed >= 0 && r->tool_speed <= TOOL_SPEED_MAX))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/tool_speed_max", "must be > 0 and <= %g m/s, got %g", TOOL_SPEED_MAX,
                         r->tool_speed);
  if (r->guess && (r->guess->joint_count != n || r->guess->piece_count < 1))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/seed_trajectory", "must be of %zu joints", n);
  return ARMDYN_OK;
}

/* Velocities and accelerations that are given at the ends: finite and within their limits. */
static enum armdyn_status judge_ends(struct planner *p, struct armdyn_error *error)
{
  const struct armdyn_optimal_request *r = p->request;
  const double *given[2][3] = { { r->start, r->start_velocity, r->start_acceleration },
                                { r->goal, r->goal_velocity, r->goal_acceleration } };
  static const char *const names[3] = { "q", "qd", "qdd" };
  char where[64];
  for (size_t e = 0; e < 2; e++) {
    p->ends[e].given = given[e][2] || r->zero_boundary_acceleration ? 3 : 2;
    for (size_t i = 0; i < 3 * armdyn_robot_joint_count(p->robot); i++) {
      const size_t kind = i % 3, j = i / 3;
      const double x = given[e][kind] ? given[e][kind][j] : 0;
      const double most = kind == 1 ? p->limits[j].velocity : kind == 2 ? p->limits[j].acceleration : INFINITY;
      p->ends[e].x[kind][j] = x;
      if (isfinite(x) && fabs(x) <= most) continue;
      snprintf(where, sizeof where, "/%s/%s/%zu", e ? "goal" : "start", names[kind], j);
      if (!isfinite(x)) return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be finite, got %g", x);
      return armdyn_refuse(error, ARMDYN_EINFEASIBLE, where, "is %g, beyond the limit of %g", x, most);
    }
  }
  return ARMDYN_OK;
}

static enum armdyn_status judge_points(struct planner *p, struct armdyn_error *error)
{
  const struct armdyn_optimal_request *r = p->request;
  const size_t n = armdyn_robot_joint_count(p->robot), count = r->waypoint_count + 2;
  double *points = calloc(count * (n + 1), sizeof *points), *times = points ? points + count * n : NULL, ignored;
  if (!points) return ARMDYN_EMEMORY;
  const struct armdyn_profile_request profile = { .profile = ARMDYN_CUBIC,
                                                  .point_count = count,
                                                  .points = points,
                                                  .times = times,
                                                  .duration = p->free_duration ? NAN : r->duration,
                                                  .limits = r->limits };
  memcpy(points, r->start, n * sizeof *points);
  memcpy(points + (count - 1) * n, r->goal, n * sizeof *points);
  if (r->waypoint_count > 0) memcpy(points + n, r->waypoints, r->waypoint_count * n * sizeof *points);
  for (size_t k = 1; k < count; k++) times[k] = k + 1 < count && r->waypoint_times ? r->waypoint_times[k - 1] : NAN;
  request_limits(p->robot, &profile, p->limits);
  enum armdyn_status rc = request_check(p->robot, &profile, p->limits, DURATION_MIN, DURATION_MAX, &ignored, error);
  if (!rc) rc = request_points_within(p->robot, &profile, p->limits, p->margin.of, error);
  free(points);
  return rc;
}

static enum armdyn_status judge(struct planner *p, struct armdyn_error *error)
{
  enum armdyn_status rc = cost_init(&p->cost, p->robot, p->request, error);
  if (!rc) rc = judge_duration(p, error);
  if (!rc) rc = judge_numbers(p, error);
  if (!rc) rc = judge_points(p, error);
  if (!rc) rc = judge_ends(p, error);
  return rc;
}

/* -- from coarse meshes to fine ones -- */

static struct mesh_task own_task(const struct planner *p, size_t intervals, double mu, bool warm)
{
  return (struct mesh_task){ .robot = planner_model(p),
                             .cost = &p->cost,
                             .free_duration = p->free_duration,
                             .intervals = intervals,
                             .mu = mu,
                             .warm = warm };
}

static size_t mesh_under(const struct planner *p, size_t intervals)
{
  const size_t least = PER_SEGMENT_COARSE * (p->request->waypoint_count + 1);
  while (intervals > COARSE && (intervals + 1) / 2 >= least) intervals = (intervals + 1) / 2;
  return intervals;
}

/* Kinks of the cost are rounded over parts of its mean, in the end over this one. */
static const double ROUNDED = 1e-2;

static bool has_kinks(const struct cost *cost)
{
  for (size_t k = 0; k < cost->count; k++)
    if (cost->terms[k].model == ARMDYN_COST_ELECTRICAL) return true;
  return false;
}

/* Solve on the coarse mesh from cold.
 *   find_duration  in  look for one to start from, rather than take the candidate's */
static enum armdyn_status solve_rough(struct planner *p, const struct cost *cost, bool find_duration, size_t intervals,
                                      struct candidate *c, struct armdyn_optimal_result *log)
{
  struct mesh_task task = own_task(p, intervals, MU_COLD, false);
  struct cost rounded = *cost;
  const bool kinks = has_kinks(cost);
  enum armdyn_status rc;
  task.find_duration = find_duration;
  task.rough = true;
  task.cost = &rounded;
  for (double width = SOFTEN_WIDEST;; width *= SOFTEN_NARROWER) {
    struct armdyn_robot *softened = NULL;
    bool differs;
    if (kinks) cost_round(&rounded, &c->trajectory, p->workspace, fmax(width, ROUNDED));
    if ((rc = robot_softened(p, c, width, &softened, &differs))) return rc;
    task.robot = differs ? softened : planner_model(p);
    rc = mesh_solve(p, &task, c, log);
    armdyn_robot_free(softened);
    if (rc || mesh_ended(c) || c->solved.violation > HOPELESS || !(differs || (kinks && width > ROUNDED))) return rc;
    task.find_duration = false, task.warm = true, task.mu = MU_SOFTER;
  }
}

/* From the coarse solution to the mesh that is asked for; from cold again where the warm start does not lead to the end.
 *   rough  in  only well enough for `tighten`, which solves it again */
static enum armdyn_status climb(struct planner *p, struct candidate *c, bool rough, struct armdyn_optimal_result *log)
{
  const size_t intervals = p->request->intervals;
  if (c->intervals == intervals && !mesh_ended(c)) {
    const struct mesh_task task = own_task(p, intervals, MU_FINER, true);
    return rough ? ARMDYN_OK : mesh_solve(p, &task, c, log);
  }
  while (c->intervals < intervals) {
    const size_t factor = c->intervals <= COARSE ? FACTOR_COARSE : 2;
    const size_t next = factor * c->intervals + factor - 1 < intervals ? factor * c->intervals : intervals;
    struct mesh_task task = own_task(p, next, MU_FINER, true);
    task.rough = rough || next < intervals;
    enum armdyn_status rc = mesh_solve(p, &task, c, log);
    if (!rc && c->solved.end == END_STALLED && c->solved.residual > VERDICT) {
      task.warm = task.rough = false, task.mu = MU_COLD;
      rc = mesh_solve(p, &task, c, log);
    }
    if (rc || mesh_ended(c)) return rc;
  }
  return ARMDYN_OK;
}

/* -- starts -- */

/* Rough solutions of all starts. */
struct starts {
  size_t count;
  struct candidate list[ARMDYN_MINIMA_MAX];
  struct armdyn_optimal_result *log; /* of every start */
};

static bool feasible(const struct candidate *c)
{
  return c->solved.violation <= VIOLATION_FORGIVEN;
}

/* Feasible before infeasible, solved before given up, then by cost. */
static bool better(const struct candidate *a, const struct candidate *b)
{
  if (feasible(a) != feasible(b)) return feasible(a);
  if (!feasible(a)) return a->solved.violation < b->solved.violation;
  if ((a->solved.end == END_OPTIMAL) != (b->solved.end == END_OPTIMAL)) return a->solved.end == END_OPTIMAL;
  return a->solved.cost < b->solved.cost;
}

/* The same motion, as far as a coarse mesh tells: cost and middle agree. */
static bool same(const struct candidate *a, const struct candidate *b)
{
  const size_t n = a->trajectory.joint_count;
  if (fabs(a->solved.cost - b->solved.cost) > 1e-4 * fabs(a->solved.cost)) return false;
  for (int part = 1; part < 4; part++) {
    double x[N], y[N];
    armdyn_trajectory_state(&a->trajectory, armdyn_trajectory_duration(&a->trajectory) * part / 4, x, NULL, NULL, NULL);
    armdyn_trajectory_state(&b->trajectory, armdyn_trajectory_duration(&b->trajectory) * part / 4, y, NULL, NULL, NULL);
    for (size_t j = 0; j < n; j++)
      if (fabs(x[j] - y[j]) > 1e-2) return false;
  }
  return true;
}

/* Keep a start in order unless it is one that is known. */
static void starts_add(struct starts *s, struct candidate *c)
{
  size_t at = 0;
  for (size_t k = 0; k < s->count; k++) {
    if (!same(&s->list[k], c)) continue;
    candidate_free(c);
    return;
  }
  while (at < s->count && !better(c, &s->list[at])) at++;
  memmove(s->list + at + 1, s->list + at, (s->count - at) * sizeof *s->list);
  s->list[at] = *c;
  s->count++;
}

static void minima_add(struct armdyn_optimal_result *result, double cost)
{
  size_t i = 0;
  while (i < result->minimum_count && result->minima[i] < cost * (1 - 1e-5)) i++;
  if (i < result->minimum_count && result->minima[i] < cost * (1 + 1e-5)) return;
  memmove(result->minima + i + 1, result->minima + i, (result->minimum_count - i) * sizeof *result->minima);
  result->minima[i] = cost;
  result->minimum_count++;
}

/* Solve one start on the coarse mesh and keep it; `c` is handed over.
 *   over  out  the time is */
static enum armdyn_status try_start(struct planner *p, bool find_duration, struct candidate *c, struct starts *s,
                                    struct armdyn_optimal_result *result, bool *over)
{
  s->log->log_count = s->log->iterations = 0;
  enum armdyn_status rc = solve_rough(p, &p->cost, find_duration, mesh_under(p, p->request->intervals), c, s->log);
  result->iterations += s->log->iterations;
  if (!rc && c->solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
  if (rc) {
    candidate_free(c);
    return rc;
  }
  if (result->starts == 0 && has_kinks(&p->cost)) cost_round(&p->cost, &c->trajectory, p->workspace, ROUNDED);
  *over = mesh_ended(c);
  result->starts++;
  starts_add(s, c);
  return ARMDYN_OK;
}

/* From a motion that is known. */
static enum armdyn_status try_known(struct planner *p, const struct armdyn_trajectory *motion, struct starts *s,
                                    struct armdyn_optimal_result *result, bool *over)
{
  struct candidate c = { 0 };
  const size_t size = motion->waypoint_count * sizeof *motion->waypoint_times;
  enum armdyn_status rc = armdyn_trajectory_cubic(motion, mesh_under(p, p->request->intervals),
                                                  armdyn_trajectory_duration(motion), &c.trajectory, NULL);
  double *times = rc ? NULL : realloc(c.trajectory.waypoint_times, size);
  if (!rc && !times) rc = ARMDYN_EMEMORY;
  if (rc) {
    candidate_free(&c);
    return rc;
  }
  memcpy(times, motion->waypoint_times, size);
  c.trajectory.waypoint_times = times, c.trajectory.waypoint_count = motion->waypoint_count;
  return try_start(p, false, &c, s, result, over);
}

/* Where the cost has kinks: from the motion of least torque, and from the cheapest of the classic profiles that pass the
 * points when it does. */
static enum armdyn_status try_rivals(struct planner *p, struct starts *s, struct armdyn_optimal_result *result,
                                     bool *over)
{
  struct rivals rivals;
  double ignored;
  if (!p->torque.breaks) return ARMDYN_OK;
  enum armdyn_status rc = try_known(p, &p->torque, s, result, over);
  if (rc || *over || (rc = rivals_plan(p, p->torque.waypoint_times, false, &rivals))) return rc;
  const struct rival *best = rivals_cheapest(p, &rivals, &ignored);
  if (best) rc = try_known(p, &best->motion, s, result, over);
  rivals_free(&rivals);
  return rc;
}

static enum armdyn_status try_starts(struct planner *p, struct starts *s, struct armdyn_optimal_result *result)
{
  bool over = false;
  enum armdyn_status rc = try_rivals(p, s, result, &over);
  for (size_t k = 0; k < p->request->starts && !rc && !over; k++) {
    struct candidate c = { 0 };
    rc = guess_start(p, k, &c);
    if (!rc) rc = try_start(p, p->free_duration && !p->request->guess, &c, s, result, &over);
  }
  return rc;
}

/* Finer meshes for every different minimum, or the cheapest where the cost has kinks and they take long; the best of
 * them is the first of the list afterwards. */
static enum armdyn_status finish_starts(struct planner *p, struct starts *s, struct armdyn_optimal_result *result)
{
  const bool any = feasible(&s->list[0]);
  size_t best = 0;
  if (s->list[0].solved.violation > HOPELESS) return ARMDYN_OK;
  for (size_t k = 0; k < s->count; k++) {
    struct candidate *c = &s->list[k];
    if (k > 0 && any && !feasible(c)) break;
    if (k >= CLIMBERS && has_kinks(&p->cost)) break;
    s->log->log_count = s->log->iterations = 0;
    enum armdyn_status rc = climb(p, c, s->count == 1, s->log);
    result->iterations += s->log->iterations;
    if (!rc && c->solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
    if (rc) return rc;
    if (c->solved.end == END_OPTIMAL && !c->rough && feasible(c)) minima_add(result, c->solved.cost);
    if (k == 0 || better(c, &s->list[best])) {
      best = k;
      result->log_count = s->log->log_count;
      memcpy(result->log, s->log->log, s->log->log_count * sizeof *s->log->log);
    }
    if (mesh_ended(c)) break;
  }
  const struct candidate first = s->list[0];
  s->list[0] = s->list[best];
  s->list[best] = first;
  return ARMDYN_OK;
}

/* -- the last word -- */

static const struct armdyn_margin *worst_margin(const struct planner *p)
{
  const struct armdyn_margin *worst = p->margin.of;
  for (size_t k = 1; k < ARMDYN_LIMIT_KINDS * armdyn_robot_joint_count(p->robot); k++)
    if (p->margin.of[k].usage > worst->usage) worst = &p->margin.of[k];
  return worst;
}

static double worst_usage(const struct planner *p)
{
  return fmax(worst_margin(p)->usage, p->margin.tool_usage);
}

void planner_check(struct planner *p, const struct armdyn_trajectory *motion)
{
  const struct check check = { p->robot, p->limits, p->workspace };
  const double most = p->request->tool_speed;
  check_margins(&check, motion, p->margin.of);
  p->margin.tool_usage = most > 0 ? tool_speed_most(p->robot, motion, p->workspace, &p->margin.tool_time) / most : 0;
}

static enum armdyn_status tell_infeasible(const struct planner *p, const struct candidate *c, double minimum,
                                          struct armdyn_error *error)
{
  const struct armdyn_margin *m = worst_margin(p);
  const struct armdyn_joint *joint = &armdyn_robot_description(p->robot)->joints[m->joint];
  const double T = p->free_duration ? p->duration_max : p->request->duration;
  char remedy[96];
  snprintf(remedy, sizeof remedy, "%s",
           p->cut ? "the search ended before it was known which duration would do"
                  : "no duration was found that keeps all limits");
  if (c->solved.end == END_FINISHED)
    return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "/deadline",
                         "no feasible motion was found before the search ended (dual residual %.2g)",
                         c->solved.residual);
  if (minimum < T)
    return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "",
                         "no feasible motion was found, though %.6g s are enough for one: try more starts or intervals",
                         minimum);
  if (!isnan(minimum)) snprintf(remedy, sizeof remedy, "the smallest feasible duration is about %.6g s", minimum);
  const char *where = p->free_duration ? "/duration_max" : "/duration";
  if (p->margin.tool_usage >= m->usage)
    return armdyn_refuse(
        error, ARMDYN_EINFEASIBLE, where,
        "no motion of %.6g s keeps all limits: the nearest one uses %.6g times the limit of the tool's "
        "speed at %.6g s; %s",
        T, p->margin.tool_usage, p->margin.tool_time, remedy);
  return armdyn_refuse(
      error, ARMDYN_EINFEASIBLE, where,
      "no motion of %.6g s keeps all limits: the nearest one uses %.6g times the %s limit of joint %zu "
      "%s at %.6g s; %s",
      T, m->usage, armdyn_limit_name(m->limit), m->joint + 1, joint->name, m->time, remedy);
}

/* The same way in another duration, and its margins. */
static void stretch(struct planner *p, struct armdyn_trajectory *x, double duration)
{
  const double factor = duration / armdyn_trajectory_duration(x);
  for (size_t k = 0; k < x->piece_count; k++) {
    x->breaks[k + 1] *= factor;
    for (size_t i = 0; i < x->joint_count * 4; i++)
      x->coefficients[k * x->joint_count * 4 + i] *= pow(factor, -(double)(i % 4));
  }
  for (size_t k = 0; k < x->waypoint_count; k++) x->waypoint_times[k] *= factor;
  planner_check(p, x);
}

/* What is in the way, where it is the duration: margins of the fastest feasible motion, hurried to the duration that is
 * asked for. The solution itself exceeds few limits by much, at single knots. */
static void hurry(struct planner *p, struct candidate *fastest)
{
  stretch(p, &fastest->trajectory, p->free_duration ? p->duration_max : p->request->duration);
}

static bool keeps_limits(const struct planner *p, const struct candidate *c)
{
  return worst_usage(p) - 1 <= VIOLATION_MOST && c->solved.violation <= VIOLATION_MOST;
}

/* A way that is hardly one draws the search below the shortest duration: from rest to rest it is feasible in that. */
static void slow_down(struct planner *p, struct candidate *c)
{
  const struct armdyn_optimal_request *r = p->request;
  const bool rests = !r->start_velocity && !r->goal_velocity && !r->start_acceleration && !r->goal_acceleration;
  if (!rests || r->waypoint_times || !(armdyn_trajectory_duration(&c->trajectory) < p->duration_min)) return;
  stretch(p, &c->trajectory, p->duration_min);
  c->solved.violation = fmax(0, worst_usage(p) - 1);
  if (c->solved.end == END_OPTIMAL) c->solved.end = END_STALLED;
}

/* Tighten another motion, and put it in the place of `c` if it keeps the limits. */
static enum armdyn_status tighten_instead(struct planner *p, struct candidate *other, struct candidate *c,
                                          struct armdyn_optimal_result *log)
{
  const struct candidate before = *c;
  const struct planner_margins margin = p->margin;
  const enum armdyn_status rc = tighten(p, other, log);
  if (rc) return rc;
  if (keeps_limits(p, other)) {
    *c = *other, *other = before;
  } else {
    p->margin = margin;
    if (mesh_ended(other)) c->solved.end = other->solved.end; /* the time was over: no verdict */
  }
  return ARMDYN_OK;
}

/* Where a faster motion is known, the search went astray: once more from there, on the mesh that is asked for. */
static enum armdyn_status once_more(struct planner *p, const struct candidate *fastest, struct candidate *c,
                                    struct armdyn_optimal_result *log)
{
  struct candidate again = { 0 };
  enum armdyn_status rc = trajectory_copy(&fastest->trajectory, &again.trajectory);
  if (!rc) rc = solve_rough(p, &p->cost, p->free_duration && !p->request->guess, p->request->intervals, &again, log);
  if (!rc) rc = tighten_instead(p, &again, c, log);
  candidate_free(&again);
  return rc;
}

/* The friction of the joints changes its sign within an interval, and limits at knots do not see what it does there: once
 * more with changes of sign that the mesh can tell, and with limits for the friction on both sides of them. The answer
 * keeps the limits of the robot itself; it is next to an optimum, but none. */
static enum armdyn_status warily(struct planner *p, struct candidate *c, struct armdyn_optimal_result *log)
{
  struct candidate again = { 0 };
  struct armdyn_robot *softened = NULL;
  bool differs = true;
  struct mesh_task task = own_task(p, p->request->intervals, MU_COLD, false);
  enum armdyn_status rc = guess_start(p, 0, &again);
  task.rough = true;
  task.find_duration = p->free_duration && !p->request->guess;
  for (int step = 0; step < SOFTEN_STEPS && !rc && !mesh_ended(&again); step++) {
    armdyn_robot_free(softened);
    softened = NULL;
    rc = robot_softened(p, &again, SOFTEN_WIDEST * pow(SOFTEN_NARROWER, step), &softened, &differs);
    if (rc || !differs) break;
    task.robot = softened, task.robust = step + 1 == SOFTEN_STEPS;
    rc = mesh_solve(p, &task, &again, log);
    task.find_duration = false, task.warm = true, task.mu = MU_SOFTER;
  }
  p->softened = softened;
  if (!rc && differs) rc = tighten_instead(p, &again, c, log);
  if (c->solved.end == END_OPTIMAL && differs) c->solved.end = END_STALLED;
  p->softened = NULL;
  armdyn_robot_free(softened);
  candidate_free(&again);
  return rc;
}

/* Keep the limits between the knots too, and say what came of it. */
static enum armdyn_status confirm(struct planner *p, struct candidate *c, struct armdyn_optimal_result *result,
                                  struct armdyn_error *error)
{
  struct candidate fastest = { 0 };
  enum armdyn_status rc = tighten(p, c, result);
  if (rc) return rc;
  /* kept at the knots, but not between them */
  if (feasible(c) && !keeps_limits(p, c) && !mesh_ended(c) && (rc = warily(p, c, result))) return rc;
  if (p->free_duration && !keeps_limits(p, c)) slow_down(p, c);
  bool keeps = keeps_limits(p, c);
  if (p->request->minimum_duration || !keeps) rc = shortest(p, c, &result->minimum_duration, &fastest);
  if (!rc && !keeps && !mesh_ended(c) && result->minimum_duration <= p->request->duration &&
      fastest.trajectory.breaks) {
    rc = once_more(p, &fastest, c, result);
    keeps = !rc && keeps_limits(p, c);
  }
  result->violation = fmax(0, worst_usage(p) - 1);
  if (!rc && !keeps && fastest.trajectory.breaks) {
    hurry(p, &fastest);
    result->violation = fmax(0, worst_usage(p) - 1);
  }
  candidate_free(&fastest);
  if (rc || keeps) return rc;
  return tell_infeasible(p, c, result->minimum_duration, error);
}

/* The motion of least torque is found surely and soon: a start, and a rival, where the cost has kinks. Whether the limits can
 * be kept does not depend on the cost. */
static enum armdyn_status find_torque(struct planner *p, struct armdyn_optimal_result *result,
                                      struct armdyn_error *error)
{
  struct armdyn_optimal_request torque = *p->request;
  if (!has_kinks(&p->cost) || p->free_duration) return ARMDYN_OK;
  torque.cost_count = 0;
  torque.starts = 1;
  torque.minimum_duration = false;
  const enum armdyn_status rc =
      armdyn_optimal_plan(p->robot, &torque, &p->torque, p->margin.of, result, p->go, p->context, error);
  const size_t iterations = result->iterations;
  if (rc) return rc;
  *result = (struct armdyn_optimal_result){ .minimum_duration = result->minimum_duration, .iterations = iterations };
  return ARMDYN_OK;
}

/* A rival in the place of an answer that costs more, or of none. */
static enum armdyn_status rivals_compare(struct planner *p, struct candidate *c, enum armdyn_status answered,
                                         struct armdyn_optimal_result *result)
{
  const bool none = answered == ARMDYN_EINFEASIBLE || answered == ARMDYN_EUNAVAILABLE;
  struct rivals rivals;
  double cost = INFINITY;
  if (!c->trajectory.breaks || (answered && (!none || p->free_duration))) return answered;
  enum armdyn_status rc = rivals_plan(p, c->trajectory.waypoint_times, true, &rivals);
  if (rc) return rc;
  const struct rival *best = rivals_cheapest(p, &rivals, &cost);
  if (best && (none || cost < result->cost * (1 - DEARER))) {
    armdyn_trajectory_free(&c->trajectory);
    if (!(rc = trajectory_copy(&best->motion, &c->trajectory))) {
      c->solved.end = END_STALLED;
      result->instead = best->name;
      result->violation = 0;
      if (none) result->minimum_duration = NAN; /* it was mistaken */
      planner_check(p, &c->trajectory);
    }
  } else {
    rc = answered;
  }
  rivals_free(&rivals);
  return rc;
}

static enum armdyn_status plan(struct planner *p, struct armdyn_trajectory *out, struct armdyn_optimal_result *result,
                               struct starts *s, struct armdyn_error *error)
{
  enum armdyn_status rc = judge(p, error);
  if (!rc) rc = find_torque(p, result, error);
  if (!rc) rc = try_starts(p, s, result);
  if (!rc) rc = finish_starts(p, s, result);
  if (!rc) rc = confirm(p, &s->list[0], result, error);
  struct candidate *best = &s->list[0];
  if (!rc) result->cost = cost_of_motion(&p->cost, &best->trajectory, p->workspace, result->terms);
  rc = rivals_compare(p, best, rc, result);
  if (rc) return rc;
  result->cost = cost_of_motion(&p->cost, &best->trajectory, p->workspace, result->terms);
  result->optimal = best->solved.end == END_OPTIMAL && !best->rough;
  if (result->optimal && result->minimum_count == 0) minima_add(result, best->solved.cost);
  result->residual = best->solved.residual;
  result->intervals = best->intervals;
  result->duration = armdyn_trajectory_duration(&best->trajectory);
  *out = best->trajectory;
  best->trajectory = (struct armdyn_trajectory){ 0 }; /* handed over */
  return ARMDYN_OK;
}

enum armdyn_status armdyn_optimal_plan(const struct armdyn_robot *robot, const struct armdyn_optimal_request *request,
                                       struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                       struct armdyn_optimal_result *result, enum armdyn_go (*go)(void *context),
                                       void *context, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  enum armdyn_status rc = ARMDYN_EMEMORY;
  struct planner *p = calloc(1, sizeof *p);
  struct starts *s = calloc(1, sizeof *s);
  *result = (struct armdyn_optimal_result){ .minimum_duration = NAN };
  if (!p || !s || !(s->log = calloc(1, sizeof *s->log)) || !(p->workspace = armdyn_workspace_new(n))) goto out;
  p->robot = robot, p->request = request, p->go = go, p->context = context;
  p->random = random_from_seed(request->seed);
  if ((rc = robot_blended(robot, &p->blended))) goto out;
  rc = plan(p, out, result, s, error);
  if (margin && (rc == ARMDYN_OK || rc == ARMDYN_EINFEASIBLE))
    memcpy(margin, p->margin.of, ARMDYN_LIMIT_KINDS * n * sizeof *margin);
out:
  if (rc == ARMDYN_ECANCELLED) armdyn_refuse(error, rc, "", "the work was cancelled");
  if (rc == ARMDYN_EMEMORY) armdyn_refuse(error, rc, "", "no memory for %zu intervals", request->intervals);
  for (size_t k = 0; s && k < s->count; k++) candidate_free(&s->list[k]);
  if (s) free(s->log);
  if (p) armdyn_workspace_free(p->workspace);
  if (p) armdyn_trajectory_free(&p->torque);
  if (p) armdyn_robot_free(p->blended);
  free(s);
  free(p);
  return rc;
}
