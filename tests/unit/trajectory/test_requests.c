/* What may be asked of the planner, what is refused and in which words. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = 2, POINTS = 3, KINDS = ARMDYN_LIMIT_KINDS };

/* A planar arm against gravity, and a request that is fine. */
struct asked {
  struct armdyn_robot_description description;
  double points[POINTS * N], times[POINTS];
  struct armdyn_limits limits[N];
  struct armdyn_profile_request request;
  struct armdyn_trajectory trajectory;
  struct armdyn_margin margin[KINDS * N];
  double minimum;
  struct armdyn_error error;
};

static void asked_init(struct asked *a)
{
  memset(a, 0, sizeof *a);
  armdyn_robot_description_init(&a->description);
  a->description.joint_count = N;
  memcpy(a->description.gravity, (const double[3]){ 0, -9.81, 0 }, sizeof a->description.gravity);
  for (int i = 0; i < N; i++) {
    a->description.joints[i].a = 0.5;
    a->description.joints[i].link = (struct armdyn_body){ 2, { -0.25, 0, 0 }, { 0.01, 0.05, 0.05, 0, 0, 0 } };
    a->limits[i] = (struct armdyn_limits){ { -3, 3 }, 2, 10, 100, 60, 5000 };
    snprintf(a->description.joints[i].name, sizeof a->description.joints[i].name, "joint-%c", 'a' + i);
  }
  memcpy(a->points, (const double[]){ 0, 0, 0.5, 0.4, 1, -1 }, sizeof a->points);
  memcpy(a->times, (const double[]){ 0, NAN, NAN }, sizeof a->times);
  a->request = (struct armdyn_profile_request){ ARMDYN_TRAPEZOID, POINTS, a->points, a->times, 4, a->limits, 0 };
}

static enum armdyn_status plan(struct asked *a)
{
  struct armdyn_robot *robot;
  cr_assert_eq(armdyn_robot_new(&a->description, &robot, &a->error), ARMDYN_OK, "%s", a->error.message);
  const enum armdyn_status rc =
      armdyn_profile_plan(robot, &a->request, &a->trajectory, a->margin, &a->minimum, NULL, NULL, &a->error);
  armdyn_robot_free(robot);
  return rc;
}

#define FAULT(name, change)                                                                                            \
  static void fault_##name(struct asked *a)                                                                            \
  {                                                                                                                    \
    change;                                                                                                            \
  }
FAULT(profile, a->request.profile = ARMDYN_PROFILE_COUNT)
FAULT(points, a->request.point_count = 1)
FAULT(start, a->points[1] = NAN)
FAULT(waypoint, a->points[2] = INFINITY)
FAULT(goal, a->points[5] = 1e13)
FAULT(duration, a->request.duration = 0)
FAULT(negative, a->request.duration = -1)
FAULT(tiny, a->request.duration = 1e-7)
FAULT(huge, a->request.duration = 1e7)
FAULT(infinite, a->request.duration = INFINITY)
FAULT(first_time, a->times[0] = 0.1)
FAULT(time_zero, a->times[1] = 0)
FAULT(time_late, a->times[1] = 4)
FAULT(time_order, (a->times[1] = 2, a->times[2] = 1, a->request.duration = NAN))
FAULT(two_ends, a->times[2] = 3)
FAULT(position, a->limits[1].position[1] = -3)
FAULT(position_nan, a->limits[1].position[0] = NAN)
FAULT(velocity, a->limits[0].velocity = 0)
FAULT(acceleration, a->limits[1].acceleration = -1)
FAULT(jerk, a->limits[1].jerk = NAN)
FAULT(torque, a->limits[0].torque = -5)
FAULT(torque_rate, a->limits[0].torque_rate = 0)
FAULT(start_out, a->points[0] = -3.5)
FAULT(waypoint_out, a->points[3] = 3.25)
FAULT(goal_out, a->points[4] = 4)
FAULT(too_fast, a->request.duration = 0.5)
FAULT(too_weak, a->limits[0].torque = 19)
FAULT(tool_speed, a->request.tool_speed = NAN)
FAULT(tool_too_fast, a->request.tool_speed = 1e-3)

static const struct {
  void (*spoil)(struct asked *a);
  enum armdyn_status status;
  const char *pointer, *message;
} faults[] = {
  { fault_profile, ARMDYN_EINPUT, "/method", "no profile" },
  { fault_points, ARMDYN_EINPUT, "/goal", "needed" },
  { fault_start, ARMDYN_EINPUT, "/start/q/1", "nan" },
  { fault_waypoint, ARMDYN_EINPUT, "/waypoints/0/q/0", "inf" },
  { fault_goal, ARMDYN_EINPUT, "/goal/q/1", "1e+13" },
  { fault_duration, ARMDYN_EINPUT, "/duration", "got 0" },
  { fault_negative, ARMDYN_EINPUT, "/duration", "got -1" },
  { fault_tiny, ARMDYN_EINPUT, "/duration", "got 1e-07" },
  { fault_huge, ARMDYN_EINPUT, "/duration", "got 1e+07" },
  { fault_infinite, ARMDYN_EINPUT, "/duration", "got inf" },
  { fault_first_time, ARMDYN_EINPUT, "/start/time", "must be 0, got 0.1" },
  { fault_time_zero, ARMDYN_EINPUT, "/waypoints/0/time", "after 0 s, got 0" },
  { fault_time_late, ARMDYN_EINPUT, "/waypoints/0/time", "before the end at 4 s, got 4" },
  { fault_time_order, ARMDYN_EINPUT, "/waypoints/0/time", "before the end at 1 s, got 2" },
  { fault_two_ends, ARMDYN_EINPUT, "/duration", "reached at 3 s" },
  { fault_position, ARMDYN_EINPUT, "/limits/position/1", "got [-3, -3]" },
  { fault_position_nan, ARMDYN_EINPUT, "/limits/position/1", "nan" },
  { fault_velocity, ARMDYN_EINPUT, "/limits/velocity/0", "got 0" },
  { fault_acceleration, ARMDYN_EINPUT, "/limits/acceleration/1", "got -1" },
  { fault_jerk, ARMDYN_EINPUT, "/limits/jerk/1", "nan" },
  { fault_torque, ARMDYN_EINPUT, "/limits/torque/0", "got -5" },
  { fault_torque_rate, ARMDYN_EINPUT, "/limits/torque_rate/0", "got 0" },
  { fault_tool_speed, ARMDYN_EINPUT, "/tool_speed_max", "nan" },
  { fault_tool_too_fast, ARMDYN_EINFEASIBLE, "/duration", "the speed of the tool is" },
  { fault_start_out, ARMDYN_EINFEASIBLE, "/start/q/0", "joint-a is -3.5 rad, 0.5 beyond" },
  { fault_waypoint_out, ARMDYN_EINFEASIBLE, "/waypoints/0/q/1", "joint-b is 3.25 rad, 0.25 beyond" },
  { fault_goal_out, ARMDYN_EINFEASIBLE, "/goal/q/0", "joint-a is 4 rad, 1 beyond" },
  { fault_too_fast, ARMDYN_EINFEASIBLE, "/duration", "the shortest duration of this profile is" },
  { fault_too_weak, ARMDYN_EINFEASIBLE, "/duration", "no duration of this profile keeps all limits" },
};

Test(requests, every_fault_is_refused_in_words)
{
  for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
    static struct asked a;
    asked_init(&a);
    faults[k].spoil(&a);
    const enum armdyn_status rc = plan(&a);
    cr_assert_eq(rc, faults[k].status, "%s: %s, %s", faults[k].pointer, armdyn_status_text(rc), a.error.message);
    cr_assert_str_eq(a.error.pointer, faults[k].pointer, "%s: %s", a.error.pointer, a.error.message);
    cr_assert(strstr(a.error.message, faults[k].message), "%s: \"%s\" lacks \"%s\"", a.error.pointer, a.error.message,
              faults[k].message);
    cr_assert_null(a.trajectory.breaks, "nothing to release");
  }
}

/* Torque at rest in the stretched pose is 2 * 9.81 * (0.25 + 0.75) = 19.62 N m, so 19 is not enough for any duration, and
 * the margin says where. */
Test(requests, static_torque_beats_every_duration)
{
  static struct asked a;
  asked_init(&a);
  a.limits[0].torque = 19;
  a.request.duration = NAN;
  cr_assert_eq(plan(&a), ARMDYN_EINFEASIBLE);
  cr_assert(isnan(a.minimum));
  const struct armdyn_margin *m = &a.margin[ARMDYN_LIMIT_TORQUE * N];
  cr_assert_gt(m->usage, 19.62 / 19 - 1e-6);
  cr_assert_eq(m->joint, 0);
  cr_assert_eq(m->limit, ARMDYN_LIMIT_TORQUE);
  cr_assert(strstr(a.error.message, "torque of joint 1 joint-a"), "%s", a.error.message);
}

/* Half the shortest duration fails and names the same shortest duration; a little more than it passes. */
Test(requests, shortest_duration_divides_refusals_from_plans)
{
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    static struct asked a;
    asked_init(&a);
    a.request.profile = (enum armdyn_profile)profile;
    a.request.duration = NAN;
    cr_assert_eq(plan(&a), ARMDYN_OK, "%s", a.error.message);
    const double least = armdyn_trajectory_duration(&a.trajectory);
    cr_assert_eq(a.minimum, least);
    armdyn_trajectory_free(&a.trajectory);
    a.request.duration = least / 2;
    cr_assert_eq(plan(&a), ARMDYN_EINFEASIBLE);
    cr_assert_float_eq(a.minimum, least, 1e-6 * least);
    double most = 0;
    for (size_t k = 0; k < KINDS * N; k++) most = fmax(most, a.margin[k].usage);
    cr_assert_gt(most, 1.5);
    a.request.duration = least * (1 + 1e-6);
    cr_assert_eq(plan(&a), ARMDYN_OK, "%s", a.error.message);
    armdyn_trajectory_free(&a.trajectory);
  }
}

/* Points that repeat, with free and with given times (a dwell), and a motion that is none. */
Test(requests, points_may_repeat)
{
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    for (int dwell = 0; dwell < 2; dwell++) {
      static struct asked a;
      double q[N];
      asked_init(&a);
      a.request.profile = (enum armdyn_profile)profile;
      memcpy(a.points + 2, a.points, 2 * sizeof *a.points);
      if (dwell) a.times[1] = 1;
      cr_assert_eq(plan(&a), ARMDYN_OK, "%s", a.error.message);
      cr_assert_eq(a.trajectory.waypoint_times[1], dwell ? 1 : 0);
      armdyn_trajectory_state(&a.trajectory, 4, q, NULL, NULL, NULL);
      cr_assert_float_eq(q[0], 1, 1e-13);
      cr_assert_float_eq(q[1], -1, 1e-13);
      armdyn_trajectory_free(&a.trajectory);
    }
  }
}

Test(requests, no_motion_takes_the_time_given_or_none)
{
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    for (int timed = 0; timed < 2; timed++) {
      static struct asked a;
      struct armdyn_motion_energy energy;
      struct armdyn_robot *robot;
      double q[N], qd[N];
      asked_init(&a);
      a.request.profile = (enum armdyn_profile)profile;
      a.request.duration = timed ? 2 : NAN;
      for (int k = 0; k < POINTS * N; k++) a.points[k] = 0.3;
      cr_assert_eq(plan(&a), ARMDYN_OK, "%s", a.error.message);
      cr_assert_eq(armdyn_trajectory_duration(&a.trajectory), timed ? 2 : 0);
      cr_assert_eq(a.minimum, 0);
      cr_assert_eq(armdyn_sample_count(&a.trajectory, 100), timed ? 201 : 1);
      armdyn_trajectory_state(&a.trajectory, 1, q, qd, NULL, NULL);
      for (int j = 0; j < N; j++) cr_assert(fabs(q[j] - 0.3) < 1e-14 && fabs(qd[j]) < 1e-14);
      cr_assert_eq(armdyn_robot_new(&a.description, &robot, NULL), ARMDYN_OK);
      cr_assert_eq(armdyn_trajectory_energy(robot, &a.trajectory, &energy), ARMDYN_OK);
      cr_assert_float_eq(energy.positive_work, 0, 1e-12);
      armdyn_robot_free(robot);
      armdyn_trajectory_free(&a.trajectory);
    }
  }
}

/* A goal that is the start but for rounding is near enough to be reached at once; what is farther away needs a limit. */
Test(requests, a_way_of_rounding_needs_no_duration)
{
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    for (double way = 1e-16; way < 1e-3; way *= 100) {
      static struct asked a;
      double q[N], qd[N];
      asked_init(&a);
      a.request.profile = (enum armdyn_profile)profile;
      a.request.duration = NAN;
      for (int k = 0; k < POINTS * N; k++) a.points[k] = k < N ? 0 : way;
      for (int j = 0; j < N; j++) {
        a.limits[j] = (struct armdyn_limits){ { -3, 3 }, 2, 1e3, INFINITY, INFINITY, INFINITY };
      }
      cr_assert_eq(plan(&a), ARMDYN_OK, "%g: %s", way, a.error.message);
      const double T = armdyn_trajectory_duration(&a.trajectory);
      cr_assert(T >= 1e-6 && T < 1, "%g: %g s", way, T);
      for (double t = 0; t <= 1; t += 0.125) {
        armdyn_trajectory_state(&a.trajectory, t * T, q, qd, NULL, NULL);
        for (int j = 0; j < N; j++) cr_assert(q[j] >= -1e-9 * way && q[j] <= (1 + 1e-9) * way && fabs(qd[j]) <= 2);
      }
      for (int j = 0; j < N; j++) cr_assert_float_eq(q[j], way, 1e-9 * way);
      armdyn_trajectory_free(&a.trajectory);
    }
  }
}

/* An arm without mass is limited by kinematics alone; without these, a duration must be given and is kept. */
Test(requests, massless_arm)
{
  static struct asked a;
  asked_init(&a);
  for (int i = 0; i < N; i++) {
    a.description.joints[i].link.mass = 0;
    a.description.joints[i].link.inertia = (struct armdyn_inertia){ 0 };
    a.limits[i] = (struct armdyn_limits){ { -3, 3 }, INFINITY, INFINITY, INFINITY, 1, INFINITY };
  }
  cr_assert_eq(plan(&a), ARMDYN_OK, "%s", a.error.message);
  cr_assert_eq(a.minimum, 0);
  armdyn_trajectory_free(&a.trajectory);
  a.request.duration = NAN;
  cr_assert_eq(plan(&a), ARMDYN_EINPUT);
  a.limits[0].velocity = 0.5; /* joint 1 travels 1 rad in two rests: 2 s at 0.5 rad/s and nothing to slow the ramps */
  a.limits[0].acceleration = 1e6;
  cr_assert_eq(plan(&a), ARMDYN_OK, "%s", a.error.message);
  cr_assert_float_eq(a.minimum, 2, 1e-5);
  armdyn_trajectory_free(&a.trajectory);
}

/* A spline that swings beyond a position limit between its points does so at every duration. */
Test(requests, overshoot_is_found)
{
  static struct asked a;
  asked_init(&a);
  a.request.profile = ARMDYN_CUBIC;
  a.request.duration = NAN;
  memcpy(a.points, (const double[]){ 0, 0, 0.99, 0, -0.5, 2 }, sizeof a.points);
  a.limits[0].position[1] = 1;
  cr_assert_eq(plan(&a), ARMDYN_EINFEASIBLE);
  cr_assert(strstr(a.error.message, "position of joint 1"), "%s", a.error.message);
  cr_assert(isnan(a.minimum));
  a.limits[0].position[0] = -INFINITY; /* with a single bound too */
  cr_assert_eq(plan(&a), ARMDYN_EINFEASIBLE);
  cr_assert(strstr(a.error.message, "position of joint 1"), "%s", a.error.message);
}

/* The shortest and longest durations that may be asked for give finite numbers. */
Test(requests, extreme_durations)
{
  const double durations[2] = { 1e-6, 1e6 };
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    for (int k = 0; k < 2; k++) {
      static struct asked a;
      double q[N], qd[N], qdd[N];
      asked_init(&a);
      for (int i = 0; i < N; i++) {
        a.limits[i] = (struct armdyn_limits){ { -3, 3 }, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY };
      }
      a.request.profile = (enum armdyn_profile)profile;
      a.request.duration = durations[k];
      cr_assert_eq(plan(&a), ARMDYN_OK, "%s", a.error.message);
      armdyn_trajectory_state(&a.trajectory, durations[k] / 3, q, qd, qdd, NULL);
      for (int j = 0; j < N; j++) cr_assert(fabs(q[j]) < 3 && isfinite(qd[j]) && isfinite(qdd[j]));
      armdyn_trajectory_state(&a.trajectory, durations[k], q, NULL, NULL, NULL);
      cr_assert_float_eq(q[0], 1, 1e-12);
      armdyn_trajectory_free(&a.trajectory);
    }
  }
}

static bool after_some(void *context)
{
  return ++*(int *)context > 5;
}

Test(requests, work_can_be_cancelled)
{
  static struct asked a;
  struct armdyn_robot *robot;
  int calls = 0;
  asked_init(&a);
  a.request.duration = NAN;
  cr_assert_eq(armdyn_robot_new(&a.description, &robot, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_profile_plan(robot, &a.request, &a.trajectory, NULL, NULL, after_some, &calls, &a.error),
               ARMDYN_ECANCELLED);
  cr_assert_null(a.trajectory.breaks);
  cr_assert_eq(calls, 6);
  armdyn_robot_free(robot);
}
