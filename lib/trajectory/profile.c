/* The planner: a profile's shape for given times is its builder's; here its duration is found and checked. */
#include "lib/trajectory/profile_problem.h"

#include <math.h>

#include "lib/trajectory/check.h"
#include "lib/trajectory/path.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/request.h"
#include "lib/trajectory/times.h"
#include "lib/trajectory/tool_speed.h"

static const double DURATION_MIN = 1e-6, DURATION_MAX = 1e6; /* s */
static const double TINY = 1e-9; /* rad (m): a way that the shortest duration covers at a crawl */

/* To add a profile: its name in enum armdyn_profile, a builder and a row here. The tests loop over the rows. */
static const struct {
  const char *name;
  size_t degree;
  size_t pieces; /* at most, of a segment */
  profile_builder *build;
  bool rests; /* at every point: segments are timed each for itself */
} profiles[ARMDYN_PROFILE_COUNT] = {
  [ARMDYN_TRAPEZOID] = { "trapezoid", 3, 7, trapezoid_build, true },
  [ARMDYN_QUINTIC] = { "quintic", 5, 1, quintic_build, false },
  [ARMDYN_CUBIC] = { "cubic", 3, 1, cubic_build, false },
};

const char *armdyn_profile_name(enum armdyn_profile profile)
{
  return (unsigned)profile < ARMDYN_PROFILE_COUNT ? profiles[profile].name : "unknown";
}

/* A plan in the making. */
struct plan {
  struct profile_problem problem;
  enum armdyn_profile profile;
  double *given, *weights, *times; /* point_count each */
  double fixed;                    /* the last passing time that is given before the end, else 0 */
  double tool_speed;               /* m/s; INFINITY: not limited */
  struct armdyn_trajectory trajectory;
  bool (*cancelled)(void *context);
  void *context;
  bool stopped;
  double *memory; /* holds the tables of the problem and of the plan */
  struct path_limits *path;
};

static struct check check_of(const struct plan *plan)
{
  return (struct check){ plan->problem.robot, plan->problem.limits, plan->problem.workspace };
}

static void build(struct plan *plan, double duration)
{
  const size_t count = plan->problem.point_count;
  plan->given[count - 1] = duration;
  times_distribute(count, plan->given, plan->weights, plan->times);
  profiles[plan->profile].build(&plan->problem, plan->times, &plan->trajectory);
}

/* Speed of the tool over its limit, at most. */
static double tool_usage(const struct plan *plan, double *time)
{
  if (isinf(plan->tool_speed)) return 0;
  return tool_speed_most(plan->problem.robot, &plan->trajectory, plan->problem.workspace, time) / plan->tool_speed;
}

/* Does the motion that was built keep every limit? */
static bool keeps(const struct plan *plan)
{
  const struct check check = check_of(plan);
  return check_holds(&check, &plan->trajectory) && tool_usage(plan, NULL) <= USAGE_MOST;
}

/* Is this duration feasible? */
static bool holds(struct plan *plan, double duration)
{
  if (plan->stopped || (plan->cancelled && plan->cancelled(plan->context))) {
    plan->stopped = true;
    return false;
  }
  build(plan, duration);
  return keeps(plan);
}

/* The smallest feasible duration: from a guess up to the first that is feasible or down to the first that is not, then by
 * bisection; 0 when nothing limits the speed, NAN when nothing helps. */
static double shortest(struct plan *plan, double guess)
{
  double low = fmin(fmax(guess, DURATION_MIN), DURATION_MAX), high = low;
  if (holds(plan, plan->fixed + high)) {
    do {
      high = low;
      low /= 1.5;
      if (low < DURATION_MIN) return plan->fixed;
    } while (holds(plan, plan->fixed + low));
  } else {
    do {
      low = high;
      high *= 1.5;
      if (high > DURATION_MAX || plan->stopped) return NAN;
    } while (!holds(plan, plan->fixed + high));
  }
  while (high > low * (1 + 1e-9) && !plan->stopped) {
    const double middle = sqrt(low * high);
    if (holds(plan, plan->fixed + middle)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return plan->fixed + high;
}

/* The shortest duration of one segment from rest to rest. */
static double segment_shortest(struct plan *plan, size_t segment)
{
  double given[2] = { 0, NAN }, weight[1] = { 1 }, times[2];
  struct plan part = *plan; /* shares the room for pieces */
  part.problem.points += segment * plan->problem.joint_count;
  part.problem.path += segment;
  part.problem.point_count = 2;
  part.given = given;
  part.weights = weight;
  part.times = times;
  part.fixed = 0;
  const double least = shortest(&part, path_duration(part.problem.path));
  plan->stopped = part.stopped;
  return least;
}

/* Weights of the segments, and with them a guess of the duration. */
static double weigh(struct plan *plan)
{
  const size_t n = plan->problem.joint_count, segments = plan->problem.point_count - 1;
  double guess = 0, sum = 0;
  for (size_t k = 0; k < segments; k++) {
    const double *from = plan->problem.points + k * n;
    plan->weights[k] = times_centripetal(n, from, from + n);
    guess += path_duration(&plan->problem.path[k]);
  }
  if (!profiles[plan->profile].rests || segments == 1) return guess;
  for (size_t k = 0; k < segments; k++) {
    plan->times[k] = plan->weights[k] == 0 ? 0 : segment_shortest(plan, k);
    if (plan->weights[k] != 0 && !(plan->times[k] > 0)) return guess; /* no limit, or no way: keep the lengths */
    sum += plan->times[k];
  }
  memcpy(plan->weights, plan->times, segments * sizeof *plan->weights);
  return sum;
}

static enum armdyn_status plan_allocate(struct plan *plan, const struct armdyn_profile_request *request)
{
  const size_t n = plan->problem.joint_count, count = request->point_count;
  const size_t pieces = profiles[plan->profile].pieces * (count - 1);
  enum armdyn_status rc = trajectory_allocate(&plan->trajectory, n, pieces, profiles[plan->profile].degree, count);
  if (rc) return rc;
  plan->memory = calloc(count * (3 + 14 + 2 * n), sizeof *plan->memory);
  plan->path = calloc(count, sizeof *plan->path);
  plan->problem.workspace = armdyn_workspace_new(n);
  if (!plan->memory || !plan->path || !plan->problem.workspace) return ARMDYN_EMEMORY;
  plan->given = plan->memory;
  plan->weights = plan->given + count;
  plan->times = plan->weights + count;
  plan->problem.memory = plan->times + count;
  plan->problem.path = plan->path;
  return ARMDYN_OK;
}

static void plan_release(struct plan *plan)
{
  armdyn_trajectory_free(&plan->trajectory);
  armdyn_workspace_free(plan->problem.workspace);
  free(plan->memory);
  free(plan->path);
}

static void take_times(struct plan *plan, const struct armdyn_profile_request *request)
{
  const size_t count = request->point_count;
  for (size_t k = 0; k < count; k++) plan->given[k] = request->times ? request->times[k] : NAN;
  plan->given[0] = 0;
  for (size_t k = 1; k + 1 < count; k++) {
    if (!isnan(plan->given[k])) plan->fixed = plan->given[k];
  }
}

/* Is it rounding that tells the points apart? */
static bool is_tiny(const struct profile_problem *problem)
{
  const size_t n = problem->joint_count;
  double most = 0;
  for (size_t k = n; k < problem->point_count * n; k++) {
    most = fmax(most, fabs(problem->points[k] - problem->points[k - n]));
  }
  return most <= TINY;
}

/* Find the duration, build the motion with it and judge it. The smallest one is not looked for where it is neither asked
 * for nor needed.
 *   margin  out  NULL = nobody wants to know, nor what is in the way */
static enum armdyn_status decide(struct plan *plan, double duration, bool want_least, struct armdyn_margin *margin,
                                 double *minimum, struct armdyn_error *error)
{
  const struct check check = check_of(plan);
  const bool still = request_is_still(plan->problem.joint_count, plan->problem.point_count, plan->problem.points);
  const bool free_duration = isnan(duration);
  const double guess = weigh(plan);
  double least = NAN;
  if (!still) {
    if (want_least || free_duration) least = shortest(plan, guess);
  } else if (holds(plan, plan->fixed)) {
    least = plan->fixed;
  }
  if (plan->stopped) return armdyn_refuse(error, ARMDYN_ECANCELLED, "", "the work was cancelled");
  if (free_duration && !still && least <= plan->fixed) {
    if (!is_tiny(&plan->problem))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "is needed: no limit bounds the speed of this motion");
    least = plan->fixed + 2 * DURATION_MIN;
  }
  *minimum = least;
  const double tried = !free_duration ? duration : isnan(least) ? plan->fixed + guess : least;
  build(plan, tried);
  const bool feasible = free_duration ? !isnan(least) : keeps(plan);
  if (margin) check_margins(&check, &plan->trajectory, margin);
  if (feasible || !margin) return feasible ? ARMDYN_OK : ARMDYN_EINFEASIBLE;
  double worst = 0, when = 0;
  for (size_t k = 0; k < ARMDYN_LIMIT_KINDS * plan->problem.joint_count; k++) worst = fmax(worst, margin[k].usage);
  const double usage = tool_usage(plan, &when);
  if (usage > worst) return infeasible_tool(usage * plan->tool_speed, when, tried, usage, least, error);
  return infeasible(plan->problem.robot, margin, tried, least, error);
}

enum armdyn_status armdyn_profile_plan(const struct armdyn_robot *robot, const struct armdyn_profile_request *request,
                                       struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                       double *minimum_duration, bool (*cancelled)(void *context), void *context,
                                       struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  struct armdyn_margin margins[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  double minimum = NAN, duration;
  struct plan plan = { .profile = request->profile, .cancelled = cancelled, .context = context };
  request_limits(robot, request, limits);
  enum armdyn_status rc = request_check(robot, request, limits, DURATION_MIN, DURATION_MAX, &duration, error);
  if (!rc) rc = request_points_within(robot, request, limits, margins, error);
  if (rc) goto out;
  plan.tool_speed = request->tool_speed > 0 ? request->tool_speed : INFINITY;
  plan.problem = (struct profile_problem){ robot, n, request->point_count, request->points, limits, NULL, NULL, NULL };
  if ((rc = plan_allocate(&plan, request))) {
    armdyn_refuse(error, rc, "", "no memory for a motion through %zu points", request->point_count);
    goto out;
  }
  take_times(&plan, request);
  path_limits_find(&plan.problem, plan.path);
  const bool told = margin || error;
  if ((rc = decide(&plan, duration, minimum_duration != NULL, told ? margins : NULL, &minimum, error))) goto out;
  memcpy(plan.trajectory.waypoint_times, plan.times, request->point_count * sizeof *plan.times);
  *out = plan.trajectory;
  plan.trajectory = (struct armdyn_trajectory){ 0 }; /* handed over */
out:
  if (margin && (rc == ARMDYN_OK || rc == ARMDYN_EINFEASIBLE)) {
    memcpy(margin, margins, ARMDYN_LIMIT_KINDS * n * sizeof *margin);
  }
  if (minimum_duration) *minimum_duration = minimum;
  plan_release(&plan);
  return rc;
}
