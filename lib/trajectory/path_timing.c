/* Timing a path q(s): the dynamics along it become the rows of a convex problem, its solution a motion in time.
 *   unknowns   b_k = (ds/dt)^2 at the ends s_k of K intervals, b_0 = b_K = 0; between them b is linear in s, so that
 *              a = d2s/dt2 = (b_(k+1) - b_k) / (2 h_k) is constant on interval k and s(t) = s_k + sqrt(b_k) t + a t^2 / 2
 *   motion     q' = (dq/ds) sqrt b,  q'' = (dq/ds) a + (d2q/ds2) b
 *   torque     tau = inertia a + centrifugal b + weight + friction (path_sampling.h): linear in b but for friction, which is
 *              held as it was at the speeds of the solution before, until it changes no more
 *   objective  sum_k D_k (time_price + torque_price sum_j R_j mean tau_j^2),  D_k = 2 h_k / (sqrt b_k + sqrt b_(k+1))
 *   rows       at the begin, middle and end of every interval |q''| <= A, |tau| <= T, (dq/ds)^2 b <= V^2, |dx/ds|^2 b <= v^2
 * A duration that is given is kept by the price of the time that leads to it (keep_duration); timing_solver.c solves.
 * Sources: Verscheure et al. 2009, Time-optimal path tracking for robots: a convex optimization approach; Bobrow, Dubowsky &
 * Gibson 1985. */
#include "armdyn/path_timing.h"

#include <math.h>
#include <stdlib.h>

#include "lib/model/friction.h"
#include "lib/model/gears.h"
#include "lib/trajectory/check.h"
#include "lib/trajectory/path_sampling.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/quadrature.h"
#include "lib/trajectory/request.h"
#include "lib/trajectory/tool_speed.h"

enum { N = ARMDYN_JOINTS_MAX, DEGREE_MOST = 7, INTERVALS_MIN = 8, INTERVALS_MAX = 4000 };
enum { REFINEMENTS = 2, TIGHTENINGS = 8 };
enum { FRICTION_ROUNDS = 40, FRICTION_PLAIN = 6, PRICES_MOST = 60 };
static const double TOLERANCE = 1e-3, FRICTION_SETTLED = 1e-7, DURATION_SETTLED = 1e-8, FREE_TIME = 25,
                    DURATION_MIN = 1e-6, DURATION_MAX = 1e6;

struct timing {
  const struct armdyn_robot *robot;
  const struct armdyn_path_timing_request *request;
  size_t n;
  struct armdyn_workspace *workspace;
  struct armdyn_limits limits[N], kept[N]; /* kept: the same, or tighter where they were exceeded between points */
  double tool_speed, kept_tool_speed,
      tool_usage; /* most, kept as above (INFINITY: not limited), and what of it is used */
  double weights[N];
  struct path_sampling path;
  struct timing_problem problem;
  double *b, *shortest; /* squared speeds: of the answer, of the shortest motion */
  enum armdyn_go (*go)(void *context);
  void *context;
  struct armdyn_path_timing_result *result;
};

/* -- what is asked -- */

static enum armdyn_status judge_numbers(const struct timing *t, struct armdyn_error *error)
{
  const struct armdyn_path_timing_request *r = t->request;
  const struct {
    const char *pointer;
    double value;
  } prices[] = { { "/torque_price", r->torque_price }, { "/time_price", r->time_price } };
  char where[64];
  for (int k = 0; k < 2; k++)
    if (!(prices[k].value >= 0 && isfinite(prices[k].value)))
      return armdyn_refuse(error, ARMDYN_EINPUT, prices[k].pointer, "must be finite and >= 0, got %g", prices[k].value);
  if (!isnan(r->duration) && !(r->duration >= DURATION_MIN && r->duration <= DURATION_MAX))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "must be >= %g and <= %g s, got %g", DURATION_MIN,
                         DURATION_MAX, r->duration);
  if (r->torque_price > 0 && r->time_price == 0 && isnan(r->duration))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration",
                         "is needed, or a price of the time: the cheapest motion may take for ever");
  if (r->intervals < INTERVALS_MIN || r->intervals > INTERVALS_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/intervals", "must be >= %d and <= %d, got %zu", INTERVALS_MIN,
                         INTERVALS_MAX, r->intervals);
  if (!(r->tool_speed >= 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/tool_speed_max", "must be > 0, got %g", r->tool_speed);
  for (size_t j = 0; j < t->n; j++) {
    if (t->weights[j] > 0 && isfinite(t->weights[j])) continue;
    snprintf(where, sizeof where, "/cost/weights/%zu", j);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be > 0, got %g", t->weights[j]);
  }
  for (size_t j = 0; j < t->n; j++) {
    const bool jerk = isfinite(t->limits[j].jerk);
    if (!jerk && !isfinite(t->limits[j].torque_rate)) continue;
    snprintf(where, sizeof where, "/limits/%s/%zu", jerk ? "jerk" : "torque_rate", j);
    return armdyn_refuse(error, ARMDYN_EINPUT, where,
                         "the timing of a path cannot keep a limit of the %s: its acceleration has steps, got %g; null "
                         "removes it",
                         jerk ? "jerk" : "torque rate", jerk ? t->limits[j].jerk : t->limits[j].torque_rate);
  }
  return ARMDYN_OK;
}

static enum armdyn_status judge(struct timing *t, struct armdyn_error *error)
{
  const struct armdyn_path_timing_request *r = t->request;
  const struct armdyn_trajectory *path = r->path;
  enum armdyn_status known = load_friction_refuse(t->robot, "the timing of a path", error);
  if (!known) known = gear_friction_refuse(t->robot, "the timing of a path", error);
  if (known) return known;
  if (path->joint_count != t->n || path->degree < 1 || path->degree > DEGREE_MOST || path->piece_count < 1)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/path", "must have %zu joints and degree 1 to %d, got %zu and %zu",
                         t->n, DEGREE_MOST, path->joint_count, path->degree);
  const double ends[2 * N] = { 0 };
  const struct armdyn_profile_request profile = {
    .profile = ARMDYN_CUBIC, .point_count = 2, .points = ends, .duration = NAN, .limits = r->limits
  };
  double ignored;
  request_limits(t->robot, &profile, t->limits);
  for (size_t j = 0; j < t->n; j++) {
    const double limit = armdyn_robot_description(t->robot)->joints[j].limits.torque;
    t->weights[j] = r->weights ? r->weights[j] : isfinite(limit) ? 1 / (limit * limit) : 1;
  }
  const enum armdyn_status rc =
      request_check(t->robot, &profile, t->limits, DURATION_MIN, DURATION_MAX, &ignored, error);
  return rc ? rc : judge_numbers(t, error);
}

/* -- one problem, with friction as it is -- */

/* Slow everywhere: strictly within all rows, because they hold at standstill. INFINITY: nothing limits the speed. */
static double start_slowly(const struct timing *t, double *b)
{
  const size_t K = t->problem.intervals;
  const double end = t->path.s[K];
  for (size_t k = 0; k <= K; k++) b[k] = fmin(t->path.s[k], end - t->path.s[k]) / end;
  const double room = timing_room(&t->problem, b);
  for (size_t k = 0; k <= K && isfinite(room); k++) b[k] *= room / 2;
  return room;
}

static void scale(const struct timing *t, const double *from, double duration, double *b)
{
  const double factor = timing_duration(&t->problem, from) / duration;
  for (size_t k = 0; k <= t->problem.intervals; k++) b[k] = factor * factor * from[k];
}

static enum armdyn_status solve(struct timing *t, double torque_price, double time_price, double *b)
{
  struct timing_solution solution;
  t->problem.torque_price = torque_price;
  t->problem.time_price = time_price;
  const enum armdyn_status rc = timing_solve(&t->problem, b, t->go, t->context, &solution);
  t->result->iterations += solution.iterations;
  t->result->gap = solution.gap / solution.cost;
  return rc;
}

/* The cheapest motion, strictly faster or slower as the price of the time says. */
static enum armdyn_status cheapest(struct timing *t, double time_price, double first_duration)
{
  scale(t, t->shortest, first_duration, t->b);
  return solve(t, t->request->torque_price, time_price, t->b);
}

/* Raise the price of the time until the duration is the longest that is allowed: it falls with the price, with the fourth
 * root of it where nothing is limited. Regula falsi (Illinois) in logarithms. */
static enum armdyn_status keep_duration(struct timing *t, double least, double longest)
{
  const double first = (least + longest) / 2;
  double price[2] = { NAN, NAN }, excess[2] = { NAN, NAN }; /* logarithms: too slow, too fast */
  double torque = 0, at;
  scale(t, t->shortest, first, t->b);
  for (size_t k = 0; k < t->problem.intervals; k++)
    torque += timing_cost_of(&t->problem, k, t->b, t->request->torque_price, 0).value;
  at = log(3 * torque / first);
  const double lowest = at - FREE_TIME;
  for (int k = 0, side = -1; k < PRICES_MOST; k++) {
    const enum armdyn_status rc = cheapest(t, exp(at), first);
    if (rc) return rc;
    const double off = log(timing_duration(&t->problem, t->b) / longest);
    if (fabs(off) <= DURATION_SETTLED) break;
    const int now = off > 0 ? 0 : 1;
    price[now] = at, excess[now] = off;
    if (now == side) excess[1 - now] /= 2;
    side = now;
    if (isnan(price[1 - now]))
      at += now == 0 ? fmax(4.5 * off, 0.1) * (1 + k) : fmin(4.5 * off, -0.1) * (1 + k);
    else
      at = (price[0] * excess[1] - price[1] * excess[0]) / (excess[1] - excess[0]);
    if (fabs(price[0] - price[1]) < 1e-12 * fabs(at)) break;
    if (at < lowest && off < 0) break; /* it is cheapest to take less time: to hold the arm costs too */
  }
  if (fabs(timing_duration(&t->problem, t->b) - longest) <= 1e-6 * longest) scale(t, t->b, longest, t->b);
  return ARMDYN_OK;
}

static enum armdyn_status optimise(struct timing *t, struct armdyn_error *error)
{
  const struct armdyn_path_timing_request *r = t->request;
  const double longest = isnan(r->duration) ? INFINITY : r->duration;
  enum armdyn_status rc = ARMDYN_OK;
  const bool limited = isfinite(start_slowly(t, t->shortest));
  t->result->shortest = NAN;
  if (!limited && r->torque_price == 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "no limit bounds the speed of this motion");
  if (limited) {
    if ((rc = solve(t, 0, 1, t->shortest))) return rc;
    t->result->shortest = timing_duration(&t->problem, t->shortest);
    if (longest < t->result->shortest * (1 - 1e-9))
      return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/duration",
                           "%g s are less than the shortest duration along this "
                           "path, %.6g s",
                           longest, t->result->shortest);
  }
  memcpy(t->b, t->shortest, (t->problem.intervals + 1) * sizeof *t->b);
  if (r->torque_price == 0 || longest < t->result->shortest * (1 + 1e-6)) return ARMDYN_OK;
  const double least = limited ? t->result->shortest : 0;
  if (r->time_price > 0) {
    rc = cheapest(t, r->time_price, isfinite(longest) ? (least + longest) / 2 : limited ? 2 * least : 1);
    if (rc || timing_duration(&t->problem, t->b) <= longest) return rc;
  }
  return keep_duration(t, least, longest);
}

/* Solve with friction as at standstill speeds, then as at the speeds found, until it no longer changes. */
static enum armdyn_status settle(struct timing *t, struct armdyn_margin *margin, struct armdyn_error *error)
{
  path_friction_at(&t->path, t->robot, NULL, 1);
  for (int round = 0; round < FRICTION_ROUNDS; round++) {
    enum armdyn_status rc =
        path_rows_build(&t->path, t->robot, t->kept, t->kept_tool_speed, t->weights, &t->problem, margin, error);
    if (!rc) rc = optimise(t, error);
    if (rc) return rc;
    if (path_friction_at(&t->path, t->robot, t->b, round < FRICTION_PLAIN ? 1 : 0.5) <= FRICTION_SETTLED)
      return ARMDYN_OK;
  }
  return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "",
                       "friction changes with the speed so much that no timing settled");
}

/* -- the motion -- */

/* out = out * (x tau + y tau^2) + constant; degree grows by two */
static void compose_step(double *out, size_t degree, double x, double y, double constant)
{
  for (size_t i = degree + 3; i-- > 0;) {
    const double one = i >= 1 && i - 1 <= degree ? out[i - 1] : 0, two = i >= 2 && i - 2 <= degree ? out[i - 2] : 0;
    out[i] = x * one + y * two;
  }
  out[0] += constant;
}

static enum armdyn_status build(const struct timing *t, struct armdyn_trajectory *out)
{
  const struct armdyn_trajectory *path = t->request->path;
  const size_t n = t->n, K = t->problem.intervals, degree = path->degree;
  enum armdyn_status rc = trajectory_allocate(out, n, K, 2 * degree, path->waypoint_count);
  if (rc) return rc;
  for (size_t k = 0; k < K; k++) {
    const double h = t->problem.interval[k].h, from = sqrt(t->b[k]), to = sqrt(t->b[k + 1]);
    const double a = (t->b[k + 1] - t->b[k]) / (2 * h);
    out->breaks[k + 1] = out->breaks[k] + 2 * h / (from + to);
    for (size_t j = 0; j < n; j++) {
      const size_t piece = t->path.piece[k];
      double shifted[DEGREE_MOST + 1] = { 0 }, *c = out->coefficients + (k * n + j) * (2 * degree + 1);
      polynomial_add_shifted(path->coefficients + (piece * n + j) * (degree + 1), degree,
                             t->path.s[k] - path->breaks[piece], 1, shifted);
      c[0] = shifted[degree];
      for (size_t i = degree, grown = 0; i-- > 0; grown += 2) compose_step(c, grown, from, a / 2, shifted[i]);
    }
  }
  for (size_t w = 0, k = 0; w < path->waypoint_count; w++) {
    while (k < K && t->path.s[k] < path->waypoint_times[w] - 1e-12 * t->path.s[K]) k++;
    out->waypoint_times[w] = out->breaks[k];
  }
  return ARMDYN_OK;
}

struct cost {
  const struct timing *timing;
  const struct armdyn_trajectory *trajectory;
};

static void squares_at(void *context, size_t piece, double s, double *value)
{
  const struct cost *c = context;
  double q[N], qd[N], qdd[N], tau[N];
  piece_state(c->trajectory, piece, s, q, qd, qdd, NULL);
  armdyn_inverse_dynamics(c->timing->robot, q, qd, qdd, NULL, c->timing->workspace, tau);
  *value = 0;
  for (size_t j = 0; j < c->timing->n; j++) *value += c->timing->weights[j] * tau[j] * tau[j];
}

static void tell(const struct timing *t, const struct armdyn_trajectory *trajectory)
{
  struct cost cost = { t, trajectory };
  double squares = 0;
  if (t->request->torque_price > 0) quadrature_integrate(trajectory, 1, squares_at, &cost, &squares);
  t->result->duration = armdyn_trajectory_duration(trajectory);
  t->result->cost = t->request->torque_price * squares + t->request->time_price * t->result->duration;
  t->result->intervals = t->problem.intervals;
}

static double worst_usage(const struct timing *t, const struct armdyn_margin *margin)
{
  double worst = 0;
  for (size_t k = 0; k < ARMDYN_LIMIT_KINDS * t->n; k++) worst = fmax(worst, margin[k].usage);
  return fmax(worst, t->tool_usage);
}

/* Ask for less of what is exceeded between the points: where a joint turns back its torque hardly bounds the acceleration
 * along the path, which may then jump from interval to interval on any mesh. */
static void tighten(struct timing *t, const struct armdyn_margin *margin)
{
  t->kept_tool_speed /= fmax(1, t->tool_usage);
  for (size_t j = 0; j < t->n; j++) {
    t->kept[j].velocity /= fmax(1, margin[ARMDYN_LIMIT_VELOCITY * t->n + j].usage);
    t->kept[j].acceleration /= fmax(1, margin[ARMDYN_LIMIT_ACCELERATION * t->n + j].usage);
    t->kept[j].torque /= fmax(1, margin[ARMDYN_LIMIT_TORQUE * t->n + j].usage);
  }
}

/* On one mesh. */
static enum armdyn_status time_on(struct timing *t, size_t intervals, struct armdyn_trajectory *out,
                                  struct armdyn_margin *margin, struct armdyn_error *error)
{
  const struct check check = { t->robot, t->limits, t->workspace };
  enum armdyn_status rc = path_sampling_new(&t->path, t->robot, t->request->path, intervals, t->workspace, error);
  if (rc) return rc;
  t->problem.intervals = t->path.intervals;
  t->problem.interval = calloc(t->path.intervals, sizeof *t->problem.interval);
  t->problem.rows = calloc(t->path.intervals * path_rows_most(t->n), sizeof *t->problem.rows);
  t->b = calloc(2 * (t->path.intervals + 1), sizeof *t->b);
  t->shortest = t->b ? t->b + t->path.intervals + 1 : NULL;
  rc = t->problem.interval && t->problem.rows && t->b ? settle(t, margin, error) : ARMDYN_EMEMORY;
  if (!rc) rc = build(t, out);
  if (!rc) {
    check_margins(&check, out, margin);
    t->tool_usage = isfinite(t->tool_speed) ? tool_speed_most(t->robot, out, t->workspace, NULL) / t->tool_speed : 0;
    t->result->violation = fmax(0, worst_usage(t, margin) - 1);
    t->result->convex = !t->path.speed_dependent;
    tell(t, out);
  }
  free(t->problem.interval);
  free(t->problem.rows);
  free(t->b);
  path_sampling_free(&t->path);
  return rc;
}

enum armdyn_status armdyn_path_timing(const struct armdyn_robot *robot,
                                      const struct armdyn_path_timing_request *request, struct armdyn_trajectory *out,
                                      struct armdyn_margin *margin, struct armdyn_path_timing_result *result,
                                      enum armdyn_go (*go)(void *context), void *context, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  struct armdyn_margin margins[ARMDYN_LIMIT_KINDS * N];
  struct timing t = { .robot = robot, .request = request, .n = n, .go = go, .context = context, .result = result };
  *result = (struct armdyn_path_timing_result){ 0 };
  for (size_t k = 0; k < ARMDYN_LIMIT_KINDS * n; k++)
    margins[k] = (struct armdyn_margin){ .limit = (enum armdyn_limit_kind)(k / n), .joint = k % n };
  enum armdyn_status rc = judge(&t, error);
  if (rc) return rc;
  if (!(t.workspace = armdyn_workspace_new(n))) rc = ARMDYN_EMEMORY;
  memcpy(t.kept, t.limits, sizeof t.kept);
  t.kept_tool_speed = t.tool_speed = request->tool_speed > 0 ? request->tool_speed : INFINITY;
  size_t intervals = request->intervals;
  for (int round = 0; !rc; round++) {
    if ((rc = time_on(&t, intervals, out, margins, error)) || result->violation <= TOLERANCE) break;
    armdyn_trajectory_free(out);
    if (round < REFINEMENTS)
      intervals *= 2;
    else
      tighten(&t, margins), result->tightened = true;
    if (round == REFINEMENTS + TIGHTENINGS)
      rc =
          armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "/intervals",
                        "limits are exceeded by %.3g of themselves between the points of %zu intervals: the path bends "
                        "too sharply",
                        result->violation, intervals);
  }
  armdyn_workspace_free(t.workspace);
  if (rc == ARMDYN_ECANCELLED) armdyn_refuse(error, rc, "", "the work was cancelled");
  if (rc == ARMDYN_EMEMORY) armdyn_refuse(error, rc, "", "no memory for %zu intervals", request->intervals);
  if (margin && (rc == ARMDYN_OK || rc == ARMDYN_EINFEASIBLE))
    memcpy(margin, margins, ARMDYN_LIMIT_KINDS * n * sizeof *margin);
  return rc;
}
