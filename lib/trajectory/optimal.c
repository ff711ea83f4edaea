/* The planner of energy-optimal motions: starts, meshes and the last word of the dense check. */
#include <math.h>
#include <stdint.h>

#include "lib/trajectory/bspline.h"
#include "lib/trajectory/check.h"
#include "lib/trajectory/interior_point.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/request.h"

enum { N = ARMDYN_JOINTS_MAX, INTERVALS_MIN = 8, INTERVALS_MAX = 2000, COARSE = 120, ITERATIONS_MAX = 150 };
/* Prices of exceeding a limit, tried in turn while any is exceeded: a low one leads there gently. In units of the cost of
 * the start, for a whole limit at one knot. */
static const double prices[] = { 0.1, 10, 1000 };
static const double TOLERANCE = 1e-3, FORGIVEN = 1e-6, VERDICT = 1e-6, DURATION_MIN = 1e-3, DURATION_MAX = 1e3;

struct optimum {
  const struct armdyn_robot *robot;
  const struct armdyn_optimal_request *request;
  struct armdyn_limits limits[N];
  double weights[N];
  struct armdyn_workspace *workspace;
  enum armdyn_go (*go)(void *context);
  void *context;
  uint64_t random;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * N];
};

/* A motion and what is known about it. */
struct candidate {
  struct armdyn_trajectory trajectory;
  struct interior_point_result solved;
  size_t intervals;
};

/* -- what is asked -- */

static enum armdyn_status judge_numbers(const struct armdyn_optimal_request *r, size_t n, struct armdyn_error *error)
{
  char where[64];
  if (!(r->duration >= DURATION_MIN && r->duration <= DURATION_MAX))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "must be >= %g and <= %g s, got %g", DURATION_MIN,
                         DURATION_MAX, r->duration);
  if (r->intervals < INTERVALS_MIN || r->intervals > INTERVALS_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/intervals", "must be >= %d and <= %d, got %zu", INTERVALS_MIN,
                         INTERVALS_MAX, r->intervals);
  if (r->starts < 1 || r->starts > ARMDYN_MINIMA_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/multistart", "must be >= 1 and <= %d, got %zu", ARMDYN_MINIMA_MAX,
                         r->starts);
  for (size_t j = 0; r->weights && j < n; j++) {
    if (r->weights[j] > 0 && isfinite(r->weights[j])) continue;
    snprintf(where, sizeof where, "/cost/weights/%zu", j);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be > 0, got %g", r->weights[j]);
  }
  const struct armdyn_trajectory *guess = r->guess;
  if (guess && (guess->degree != 3 || guess->joint_count != n ||
                fabs(armdyn_trajectory_duration(guess) - r->duration) > 1e-9 * r->duration))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/seed_trajectory", "must be cubic, of %zu joints and %g s", n,
                         r->duration);
  return ARMDYN_OK;
}

static enum armdyn_status judge(struct optimum *o, struct armdyn_error *error)
{
  const struct armdyn_optimal_request *r = o->request;
  const size_t n = armdyn_robot_joint_count(o->robot);
  double points[2 * N], ignored;
  char where[64];
  memcpy(points, r->start, n * sizeof *points);
  memcpy(points + n, r->goal, n * sizeof *points);
  const struct armdyn_profile_request profile = {
    .profile = ARMDYN_CUBIC, .point_count = 2, .points = points, .duration = r->duration, .limits = r->limits
  };
  enum armdyn_status rc = judge_numbers(r, n, error);
  request_limits(o->robot, &profile, o->limits);
  if (!rc) rc = request_check(o->robot, &profile, o->limits, DURATION_MIN, DURATION_MAX, &ignored, error);
  for (size_t j = 0; !rc && j < n; j++) {
    if (isinf(o->limits[j].torque_rate)) continue;
    snprintf(where, sizeof where, "/limits/torque_rate/%zu", j);
    rc = armdyn_refuse(error, ARMDYN_EINPUT, where,
                       "an energy-optimal motion cannot keep a limit of the torque rate yet, got %g; null removes it",
                       o->limits[j].torque_rate);
  }
  if (!rc) rc = request_points_within(o->robot, &profile, o->limits, o->margin, error);
  for (size_t j = 0; j < n; j++) {
    const double limit = armdyn_robot_description(o->robot)->joints[j].limits.torque;
    o->weights[j] = r->weights ? r->weights[j] : isfinite(limit) ? 1 / (limit * limit) : 1;
  }
  return rc;
}

/* -- one solution -- */

static void add_bound(struct transcription *t, enum armdyn_limit_kind kind, size_t joint, double scale, double most)
{
  if (isfinite(scale) && isfinite(most) && scale != 0)
    t->bounds[t->bound_count++] = (struct bound){ kind, joint, scale, most };
}

/* Values in units of their limits, positions in units of half the range. */
static void bounds_of(const struct armdyn_limits *limits, size_t joint, struct transcription *t)
{
  const double *range = limits->position, half = (range[1] - range[0]) / 2, unit = isfinite(half) ? half : 1;
  add_bound(t, ARMDYN_LIMIT_POSITION, joint, 1 / unit, range[1] / unit);
  add_bound(t, ARMDYN_LIMIT_POSITION, joint, -1 / unit, -range[0] / unit);
  const double most[] = { limits->velocity, limits->acceleration, limits->jerk, limits->torque };
  for (int k = 0; k < 4; k++)
    for (int sign = 1; sign >= -1; sign -= 2)
      add_bound(t, (enum armdyn_limit_kind)(ARMDYN_LIMIT_VELOCITY + k), joint, sign / most[k], 1);
}

static void ends_fix(const struct optimum *o, const struct transcription *t, double *controls)
{
  for (size_t i = 0; i < t->fixed; i++) {
    memcpy(controls + i * t->n, o->request->start, t->n * sizeof *controls);
    memcpy(controls + (t->controls - 1 - i) * t->n, o->request->goal, t->n * sizeof *controls);
  }
}

static void solve_at_prices(struct interior_point *ip, struct interior_point_result *out)
{
  int iterations = 0;
  for (size_t k = 0; k < sizeof prices / sizeof *prices; k++) {
    ip->price = prices[k];
    interior_point_solve(ip, out);
    iterations += out->iterations;
    if (out->violation <= FORGIVEN || out->end == END_CANCELLED || out->end == END_FINISHED) break;
  }
  out->iterations = iterations;
}

/* Solve on one mesh, starting from the motion of `c`, and put the answer there. */
static enum armdyn_status solve(struct optimum *o, size_t intervals, struct candidate *c,
                                struct armdyn_optimal_result *log)
{
  const size_t n = armdyn_robot_joint_count(o->robot);
  struct armdyn_trajectory found = { 0 };
  void *memory = NULL;
  enum armdyn_status rc = ARMDYN_EMEMORY;
  struct carve size = { 0 };
  struct interior_point *ip = calloc(1, sizeof *ip);
  struct transcription *t = calloc(1, sizeof *t);
  if (!ip || !t) goto out;
  t->robot = o->robot;
  t->workspace = o->workspace;
  t->n = n;
  t->intervals = intervals;
  t->fixed = o->request->zero_boundary_acceleration ? 3 : 2;
  t->h = o->request->duration / (double)intervals;
  memcpy(t->weights, o->weights, n * sizeof *t->weights);
  for (size_t j = 0; j < n; j++) bounds_of(&o->limits[j], j, t);
  *ip = (struct interior_point){ .problem = t, .go = o->go, .context = o->context };
  ip->iterations_max = ITERATIONS_MAX;
  ip->log = log->log, ip->log_max = ARMDYN_ITERATIONS_MAX, ip->log_count = log->log_count;
  transcription_carve(t, &size);
  interior_point_carve(ip, &size);
  if (!(memory = aligned_alloc(64, size.used))) goto out;
  memset(memory, 0, size.used);
  struct carve room = { memory, 0 };
  transcription_carve(t, &room);
  interior_point_carve(ip, &room);
  if ((rc = trajectory_allocate(&found, n, intervals, 3, 2))) goto out;
  transcription_init(t);
  bspline_controls(intervals, &c->trajectory, ip->controls);
  ends_fix(o, t, ip->controls);
  solve_at_prices(ip, &c->solved);
  bspline_pieces(intervals, o->request->duration, ip->controls, &found);
  found.waypoint_times[1] = o->request->duration;
  armdyn_trajectory_free(&c->trajectory);
  c->trajectory = found;
  c->intervals = intervals;
  found = (struct armdyn_trajectory){ 0 }; /* handed over */
  log->log_count = ip->log_count;
  log->iterations += (size_t)c->solved.iterations;
out:
  armdyn_trajectory_free(&found);
  free(memory);
  free(ip);
  free(t);
  return rc;
}

/* Fine meshes start from the solution on coarse ones. */
static enum armdyn_status solve_by_meshes(struct optimum *o, size_t intervals, struct candidate *c,
                                          struct armdyn_optimal_result *log)
{
  size_t mesh = intervals;
  while (mesh > COARSE) mesh = (mesh + 1) / 2;
  for (;; mesh = 2 * mesh < intervals + 1 ? 2 * mesh : intervals) {
    enum armdyn_status rc = solve(o, mesh, c, log);
    if (rc || mesh == intervals || c->solved.end == END_CANCELLED || c->solved.end == END_FINISHED) return rc;
  }
}

/* -- starts -- */

/* Uniform in [-1, 1] (xorshift64*; Vigna 2016) */
static double random_next(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)(*state * UINT64_C(2685821657736338717) >> 11) / 4503599627370496.0 - 1;
}

/* The guess, or the cubic from start to goal; further starts lead through a random point halfway. */
static enum armdyn_status start_from(struct optimum *o, size_t start, struct candidate *c)
{
  const struct armdyn_trajectory *guess = o->request->guess;
  const size_t n = armdyn_robot_joint_count(o->robot), pieces = guess && start == 0 ? guess->piece_count : 2;
  const double T = o->request->duration, half = T / 2;
  enum armdyn_status rc = trajectory_allocate(&c->trajectory, n, pieces, 3, 2);
  if (rc) return rc;
  if (guess && start == 0) {
    memcpy(c->trajectory.breaks, guess->breaks, (pieces + 1) * sizeof(double));
    memcpy(c->trajectory.coefficients, guess->coefficients, pieces * n * 4 * sizeof(double));
    return ARMDYN_OK;
  }
  c->trajectory.breaks[1] = half, c->trajectory.breaks[2] = T;
  for (size_t j = 0; j < n; j++) {
    /* two cubics that meet with equal velocity and acceleration at `via` */
    const double from = o->request->start[j], to = o->request->goal[j], way = to - from;
    const double reach = fmax(fabs(way), 1), via = (from + to) / 2 + (start > 0 ? reach * random_next(&o->random) : 0);
    const double v = 1.5 * way / T;
    double *a = c->trajectory.coefficients + j * 4, *b = a + n * 4;
    const double rise = via - from, fall = to - via;
    a[0] = from, a[2] = (3 * rise - v * half) / (half * half), a[3] = (v * half - 2 * rise) / (half * half * half);
    b[0] = via, b[1] = v, b[2] = (3 * fall - 2 * v * half) / (half * half);
    b[3] = (v * half - 2 * fall) / (half * half * half);
  }
  return ARMDYN_OK;
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

/* Feasible before infeasible, then by cost. */
static bool better(const struct candidate *a, const struct candidate *b)
{
  const bool keeps_a = a->solved.violation <= TOLERANCE, keeps_b = b->solved.violation <= TOLERANCE;
  if (keeps_a != keeps_b) return keeps_a;
  return keeps_a ? a->solved.cost < b->solved.cost : a->solved.violation < b->solved.violation;
}

static enum armdyn_status try_starts(struct optimum *o, struct candidate *best, struct armdyn_optimal_result *result)
{
  enum armdyn_status rc = ARMDYN_OK;
  struct armdyn_optimal_result *log = malloc(sizeof *log);
  if (!log) return ARMDYN_EMEMORY;
  for (size_t k = 0; k < o->request->starts; k++) {
    struct candidate c = { 0 };
    log->log_count = log->iterations = 0;
    if (!(rc = start_from(o, k, &c))) rc = solve_by_meshes(o, o->request->intervals, &c, log);
    result->iterations += log->iterations;
    if (rc) {
      armdyn_trajectory_free(&c.trajectory);
      break;
    }
    result->starts++;
    if (c.solved.end == END_OPTIMAL && c.solved.violation <= TOLERANCE) minima_add(result, c.solved.cost);
    const bool over = c.solved.end == END_CANCELLED || c.solved.end == END_FINISHED;
    if (c.solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
    if (k == 0 || (c.solved.end == END_OPTIMAL && better(&c, best))) {
      armdyn_trajectory_free(&best->trajectory);
      *best = c;
      result->log_count = log->log_count;
      memcpy(result->log, log->log, log->log_count * sizeof *log->log);
    } else {
      armdyn_trajectory_free(&c.trajectory);
    }
    if (over) break;
  }
  free(log);
  return rc;
}

/* -- the last word -- */

static double worst_usage(const struct optimum *o, size_t *at)
{
  double worst = 0;
  *at = 0;
  for (size_t k = 0; k < ARMDYN_LIMIT_KINDS * armdyn_robot_joint_count(o->robot); k++) {
    if (!(o->margin[k].usage > worst)) continue;
    worst = o->margin[k].usage;
    *at = k;
  }
  return worst;
}

static enum armdyn_status tell_infeasible(const struct optimum *o, const struct candidate *c,
                                          struct armdyn_error *error)
{
  size_t at;
  worst_usage(o, &at);
  const struct armdyn_margin *m = &o->margin[at];
  if (c->solved.end != END_OPTIMAL && !(c->solved.residual <= VERDICT))
    return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, c->solved.end == END_FINISHED ? "/deadline" : "",
                         "no feasible motion was found before the search ended (dual residual %.2g)",
                         c->solved.residual);
  const struct armdyn_joint *joint = &armdyn_robot_description(o->robot)->joints[m->joint];
  return armdyn_refuse(
      error, ARMDYN_EINFEASIBLE, "/duration",
      "no motion of %.6g s that keeps all limits was found: what is in the way most is the %s limit of "
      "joint %zu %s at %.6g s",
      o->request->duration, armdyn_limit_name(m->limit), m->joint + 1, joint->name, m->time);
}

/* Check densely; where limits are violated between knots, solve again on twice the intervals. */
static enum armdyn_status confirm(struct optimum *o, struct candidate *c, struct armdyn_optimal_result *result,
                                  struct armdyn_error *error)
{
  const struct check check = { o->robot, o->limits, o->workspace };
  size_t at;
  for (;;) {
    check_margins(&check, &c->trajectory, o->margin);
    result->violation = fmax(0, worst_usage(o, &at) - 1);
    if (result->violation <= TOLERANCE) return ARMDYN_OK;
    if (c->solved.end != END_OPTIMAL || c->solved.violation > TOLERANCE || 2 * c->intervals > INTERVALS_MAX) break;
    enum armdyn_status rc = solve(o, 2 * c->intervals, c, result);
    if (rc) return rc;
    if (c->solved.end == END_CANCELLED) return ARMDYN_ECANCELLED;
  }
  return tell_infeasible(o, c, error);
}

/* The cost of a motion, by five Gauss nodes on quarters of every piece. */
static double weighted_cost(const struct optimum *o, const struct armdyn_trajectory *trajectory)
{
  static const double node[] = { -0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640 };
  static const double weight[] = { 0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                   0.2369268850561891 };
  enum { PARTS = 4 };
  const size_t n = trajectory->joint_count;
  double cost = 0, q[N], qd[N], qdd[N], tau[N];
  for (size_t k = 0; k < PARTS * trajectory->piece_count; k++) {
    const size_t piece = k / PARTS;
    const double part = (trajectory->breaks[piece + 1] - trajectory->breaks[piece]) / PARTS;
    for (int i = 0; i < 5; i++) {
      piece_state(trajectory, piece, part * ((double)(k % PARTS) + (1 + node[i]) / 2), q, qd, qdd, NULL);
      armdyn_inverse_dynamics(o->robot, q, qd, qdd, NULL, o->workspace, tau);
      for (size_t j = 0; j < n; j++) cost += part / 2 * weight[i] * o->weights[j] * tau[j] * tau[j];
    }
  }
  return cost;
}

enum armdyn_status armdyn_optimal_plan(const struct armdyn_robot *robot, const struct armdyn_optimal_request *request,
                                       struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                       struct armdyn_optimal_result *result, enum armdyn_go (*go)(void *context),
                                       void *context, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  struct candidate best = { 0 };
  enum armdyn_status rc = ARMDYN_EMEMORY;
  struct optimum *o = calloc(1, sizeof *o);
  if (!o || !(o->workspace = armdyn_workspace_new(n))) goto out;
  o->robot = robot, o->request = request, o->go = go, o->context = context;
  o->random = UINT64_C(0x9E3779B97F4A7C15) * (request->seed + 1) | 1;
  *result = (struct armdyn_optimal_result){ 0 };
  if ((rc = judge(o, error))) goto out;
  if ((rc = try_starts(o, &best, result))) goto out;
  if ((rc = confirm(o, &best, result, error))) goto out;
  result->cost = weighted_cost(o, &best.trajectory);
  result->optimal = best.solved.end == END_OPTIMAL;
  result->residual = best.solved.residual;
  result->intervals = best.intervals;
  *out = best.trajectory;
  best.trajectory = (struct armdyn_trajectory){ 0 }; /* handed over */
out:
  if (rc == ARMDYN_ECANCELLED) armdyn_refuse(error, rc, "", "the work was cancelled");
  if (rc == ARMDYN_EMEMORY) armdyn_refuse(error, rc, "", "no memory for %zu intervals", request->intervals);
  if (o && margin && (rc == ARMDYN_OK || rc == ARMDYN_EINFEASIBLE))
    memcpy(margin, o->margin, ARMDYN_LIMIT_KINDS * n * sizeof *margin);
  armdyn_trajectory_free(&best.trajectory);
  if (o) armdyn_workspace_free(o->workspace);
  free(o);
  return rc;
}
