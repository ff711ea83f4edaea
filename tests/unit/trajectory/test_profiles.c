/* Profiles against closed forms and the promises of their header. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

enum { N = ARMDYN_JOINTS_MAX, KINDS = ARMDYN_LIMIT_KINDS };

struct motion {
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct armdyn_trajectory trajectory;
  struct armdyn_margin margin[KINDS * N];
  double minimum;
  struct armdyn_error error;
};

static void motion_close(struct motion *m)
{
  armdyn_trajectory_free(&m->trajectory);
  armdyn_workspace_free(m->workspace);
  armdyn_robot_free(m->robot);
}

static enum armdyn_status motion_plan(struct motion *m, const struct armdyn_robot_description *d,
                                      const struct armdyn_profile_request *request)
{
  *m = (struct motion){ 0 };
  cr_assert_eq(armdyn_robot_new(d, &m->robot, &m->error), ARMDYN_OK, "%s", m->error.message);
  m->workspace = armdyn_workspace_new(d->joint_count);
  return armdyn_profile_plan(m->robot, request, &m->trajectory, m->margin, &m->minimum, NULL, NULL, &m->error);
}

/* One axis of inertia 2.5 kg m^2 that moves by 1.2 rad: the problem of tests' closed forms. */
static const double inertia = 2.5, way[2] = { 0, 1.2 };

static void axis_description(struct armdyn_robot_description *d)
{
  armdyn_robot_description_init(d);
  d->joint_count = 1;
  d->joints[0].drive.rotor_inertia = inertia;
}

/* Peaks in units of D/T, D/T^2, D/T^3; cost in units of I^2 D^2 / T^3 (cubic: 12, the optimum for inertia alone). */
static const struct {
  double velocity, acceleration, jerk, cost;
} peaks[ARMDYN_PROFILE_COUNT] = {
  [ARMDYN_TRAPEZOID] = { 1.5, 4.5, 0, 13.5 },
  [ARMDYN_QUINTIC] = { 1.875, 5.773502691896258, 60, 17.142857142857142 },
  [ARMDYN_CUBIC] = { 1.5, 6, 12, 12 },
};

Test(profiles, peaks_and_costs_are_the_closed_forms)
{
  const double T = 0.8, D = way[1];
  struct armdyn_robot_description d;
  axis_description(&d);
  d.joints[0].limits = (struct armdyn_limits){ { -9, 9 }, 100, 100, 1000, 100, INFINITY };
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    struct motion m;
    struct armdyn_motion_energy energy;
    const char *name = armdyn_profile_name((enum armdyn_profile)profile);
    struct armdyn_limits limits = d.joints[0].limits;
    if (profile == ARMDYN_TRAPEZOID) limits.jerk = INFINITY; /* unrounded ramps */
    const struct armdyn_profile_request request = { (enum armdyn_profile)profile, 2, way, NULL, T, &limits, 0 };
    cr_assert_eq(motion_plan(&m, &d, &request), ARMDYN_OK, "%s", m.error.message);
    cr_assert_float_eq(m.margin[ARMDYN_LIMIT_VELOCITY].usage * 100, peaks[profile].velocity * D / T, 1e-7, "%s", name);
    cr_assert_float_eq(m.margin[ARMDYN_LIMIT_ACCELERATION].usage * 100, peaks[profile].acceleration * D / (T * T), 1e-7,
                       "%s", name);
    cr_assert_float_eq(m.margin[ARMDYN_LIMIT_JERK].usage * 1000, peaks[profile].jerk * D / (T * T * T), 1e-7, "%s",
                       name);
    cr_assert_float_eq(m.margin[ARMDYN_LIMIT_TORQUE].usage * 100, inertia * peaks[profile].acceleration * D / (T * T),
                       1e-7, "%s", name);
    /* torque_cost is relative to the robot's limit of 100 N m */
    cr_assert_eq(armdyn_trajectory_energy(m.robot, &m.trajectory, &energy), ARMDYN_OK);
    const double unit = inertia * inertia * D * D / (T * T * T);
    cr_assert_float_eq(energy.torque_cost * 1e4, peaks[profile].cost * unit, 1e-7, "%s", name);
    if (profile == ARMDYN_CUBIC) cr_assert_float_eq(energy.torque_cost * 1e4, 210.9375, 1e-7);
    /* from rest to rest without friction: what is delivered, the peak kinetic energy, is braked again */
    const double peak = inertia / 2 * pow(peaks[profile].velocity * D / T, 2);
    cr_assert_float_eq(energy.positive_work, peak, 1e-8 * peak, "%s", name);
    cr_assert_float_eq(energy.braked, peak, 1e-8 * peak, "%s", name);
    motion_close(&m);
  }
}

#define NONE INFINITY
static const double D = 1.2;

/* Shortest durations of one axis: limits v, a, j and torque (I a), and the closed form. */
static double none(double v, double a, double j)
{
  (void)v, (void)a, (void)j;
  return NAN;
}
static double trapezoid_va(double v, double a, double j)
{
  (void)j;
  return D / v + v / a;
}
static double trapezoid_a(double v, double a, double j)
{
  (void)v, (void)j;
  return 2 * sqrt(D / a);
}
static double trapezoid_vaj(double v, double a, double j)
{
  return D / v + v / a + a / j;
}
static double trapezoid_j(double v, double a, double j)
{
  (void)v, (void)a;
  return cbrt(32 * D / j);
}
static double quintic_v(double v, double a, double j)
{
  (void)a, (void)j;
  return 1.875 * D / v;
}
static double quintic_a(double v, double a, double j)
{
  (void)v, (void)j;
  return sqrt(10 / sqrt(3) * D / a);
}
static double quintic_j(double v, double a, double j)
{
  (void)v, (void)a;
  return cbrt(60 * D / j);
}
static double cubic_v(double v, double a, double j)
{
  (void)a, (void)j;
  return 1.5 * D / v;
}
static double cubic_a(double v, double a, double j)
{
  (void)v, (void)j;
  return sqrt(6 * D / a);
}
static double cubic_j(double v, double a, double j)
{
  (void)v, (void)a;
  return cbrt(12 * D / j);
}

static const struct {
  enum armdyn_profile profile;
  double velocity, acceleration, jerk;
  double (*shortest)(double v, double a, double j);
} shortest[] = {
  { ARMDYN_TRAPEZOID, 2, 10, NONE, trapezoid_va },    { ARMDYN_TRAPEZOID, NONE, 10, NONE, trapezoid_a },
  { ARMDYN_TRAPEZOID, 2, 10, 100, trapezoid_vaj },    { ARMDYN_TRAPEZOID, NONE, NONE, 100, trapezoid_j },
  { ARMDYN_TRAPEZOID, 0.01, 10, NONE, trapezoid_va }, { ARMDYN_QUINTIC, 2, NONE, NONE, quintic_v },
  { ARMDYN_QUINTIC, NONE, 10, NONE, quintic_a },      { ARMDYN_QUINTIC, NONE, NONE, 100, quintic_j },
  { ARMDYN_CUBIC, 2, NONE, NONE, cubic_v },           { ARMDYN_CUBIC, NONE, 10, NONE, cubic_a },
  { ARMDYN_CUBIC, NONE, NONE, 100, cubic_j },         { ARMDYN_TRAPEZOID, NONE, NONE, NONE, none },
  { ARMDYN_QUINTIC, NONE, NONE, NONE, none },         { ARMDYN_CUBIC, NONE, NONE, NONE, none },
};

Test(profiles, shortest_durations_are_the_closed_forms)
{
  struct armdyn_robot_description d;
  axis_description(&d);
  for (size_t k = 0; k < sizeof shortest / sizeof *shortest; k++) {
    for (int by_torque = 0; by_torque < 2; by_torque++) { /* an acceleration limit, or the torque limit it amounts to */
      struct motion m;
      struct armdyn_limits limits = {
        { -INFINITY, INFINITY }, shortest[k].velocity, NONE, shortest[k].jerk, NONE, NONE
      };
      if (by_torque) {
        if (isinf(shortest[k].acceleration) || isfinite(shortest[k].jerk) || shortest[k].profile == ARMDYN_TRAPEZOID) {
          continue; /* trapezoids bend their ramps to acceleration limits only */
        }
        limits.torque = inertia * shortest[k].acceleration;
      } else {
        limits.acceleration = shortest[k].acceleration;
      }
      const struct armdyn_profile_request request = { shortest[k].profile, 2, way, NULL, NAN, &limits, 0 };
      const enum armdyn_status rc = motion_plan(&m, &d, &request);
      const double wanted = shortest[k].shortest(shortest[k].velocity, shortest[k].acceleration, shortest[k].jerk);
      if (isnan(wanted)) { /* nothing limits the motion: a duration must be given */
        cr_assert_eq(rc, ARMDYN_EINPUT);
        cr_assert_str_eq(m.error.pointer, "/duration");
      } else {
        cr_assert_eq(rc, ARMDYN_OK, "row %zu: %s", k, m.error.message);
        const double T = armdyn_trajectory_duration(&m.trajectory);
        cr_assert_float_eq(T, wanted, 1e-6 * wanted, "row %zu: %.12g, not %.12g", k, T, wanted);
        cr_assert_eq(m.minimum, T);
      }
      motion_close(&m);
    }
  }
}

/* A given duration between the shortest and twice that: the trapezoid moves its ramp only as far as it must. */
Test(profiles, ramps_move_only_as_far_as_limits_need)
{
  struct armdyn_robot_description d;
  axis_description(&d);
  const struct {
    double velocity, acceleration, T, peak_velocity, peak_acceleration;
  } rows[] = {
    { 10, 100, 1, 1.8, 5.4 },  /* thirds: 1.5 D, 4.5 D */
    { 1.6, 100, 1, 1.6, 6.4 }, /* v = 1.6: T - Ta = 0.75, a = 1.6 / 0.25 */
    { 10, 5, 1, 2, 5 },        /* a (T - Ta) Ta = D: Ta = 0.4, v = 2 */
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    struct motion m;
    const struct armdyn_limits limits = { { -9, 9 }, rows[k].velocity, rows[k].acceleration, NONE, NONE, NONE };
    const struct armdyn_profile_request request = { ARMDYN_TRAPEZOID, 2, way, NULL, rows[k].T, &limits, 0 };
    cr_assert_eq(motion_plan(&m, &d, &request), ARMDYN_OK, "%s", m.error.message);
    cr_assert_float_eq(m.margin[ARMDYN_LIMIT_VELOCITY].usage * rows[k].velocity, rows[k].peak_velocity, 1e-6);
    cr_assert_float_eq(m.margin[ARMDYN_LIMIT_ACCELERATION].usage * rows[k].acceleration, rows[k].peak_acceleration,
                       1e-5);
    motion_close(&m);
  }
}

/* A Puma with its limits through four points, two of them given by time. */
static void puma_request(struct armdyn_robot_description *d, struct armdyn_profile_request *request,
                         enum armdyn_profile profile, const double *times)
{
  static const double points[4 * 6] = { -0.8, 0.3, 1.6, 0,   0.6, 0,   0,   0.7,  1.2, 0.1,  0.1, 0.2,
                                        0.1,  0.7, 1.3, 0.1, 0.1, 0.2, 0.9, -0.1, 0.4, -0.8, 0.5, 1.0 };
  cJSON *json = json_load("tests/data/robots/puma560.json");
  description_from_json(json, d);
  cJSON_Delete(json);
  *request = (struct armdyn_profile_request){ profile, 4, points, times, NAN, NULL, 0 };
}

/* Largest jump of the derivative `order` at an inner break, relative to what the derivative reaches. */
static double jump(const struct armdyn_trajectory *t, int order)
{
  double largest = 0, step = 0;
  for (size_t k = 0; k < t->piece_count; k++) {
    for (size_t j = 0; j < t->joint_count; j++) {
      double value[2] = { 0, 0 }; /* at the end of this piece and at the start of the next */
      for (int side = 0; side < 2 && k + (size_t)side < t->piece_count; side++) {
        const double s = side ? 0 : t->breaks[k + 1] - t->breaks[k];
        const double *c = t->coefficients + ((k + (size_t)side) * t->joint_count + j) * (t->degree + 1);
        for (size_t i = (size_t)order; i <= t->degree; i++) {
          double factor = 1;
          for (size_t r = 0; r < (size_t)order; r++) factor *= (double)(i - r);
          value[side] += factor * c[i] * pow(s, (double)(i - (size_t)order));
        }
      }
      largest = fmax(largest, fmax(fabs(value[0]), fabs(value[1])));
      if (k + 1 < t->piece_count) step = fmax(step, fabs(value[1] - value[0]));
    }
  }
  return step / fmax(largest, 1e-9);
}

static void passes_its_points(const struct motion *m, const struct armdyn_profile_request *request)
{
  const struct armdyn_trajectory *t = &m->trajectory;
  const size_t n = t->joint_count;
  double q[N], qd[N];
  cr_assert_eq(t->waypoint_count, request->point_count);
  for (size_t k = 0; k < request->point_count; k++) {
    armdyn_trajectory_state(t, t->waypoint_times[k], q, qd, NULL, NULL);
    const bool rests = request->profile == ARMDYN_TRAPEZOID || k == 0 || k + 1 == request->point_count;
    for (size_t j = 0; j < n; j++) {
      cr_assert_float_eq(q[j], request->points[k * n + j], 1e-12);
      if (rests) cr_assert_float_eq(qd[j], 0, 1e-12);
    }
  }
}

/* The derivatives that a profile promises to be continuous. */
static const int smoothness[ARMDYN_PROFILE_COUNT] = {
  [ARMDYN_TRAPEZOID] = 2, [ARMDYN_QUINTIC] = 4, [ARMDYN_CUBIC] = 2
};

Test(profiles, pieces_join_smoothly_and_pass_the_points)
{
  const double given[4] = { 0, NAN, 2, NAN };
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    for (int timed = 0; timed < 2; timed++) {
      static struct armdyn_robot_description d;
      struct armdyn_profile_request request;
      struct motion m;
      puma_request(&d, &request, (enum armdyn_profile)profile, timed ? given : NULL);
      cr_assert_eq(motion_plan(&m, &d, &request), ARMDYN_OK, "%s", m.error.message);
      for (int order = 0; order <= smoothness[profile]; order++) {
        cr_assert_lt(jump(&m.trajectory, order), 1e-9, "%s: derivative %d jumps by %g of its size",
                     armdyn_profile_name(request.profile), order, jump(&m.trajectory, order));
      }
      if (timed) cr_assert_eq(m.trajectory.waypoint_times[2], 2);
      passes_its_points(&m, &request);
      motion_close(&m);
    }
  }
}

/* Quintics start and end without acceleration. */
Test(profiles, quintic_ends_without_acceleration)
{
  static struct armdyn_robot_description d;
  struct armdyn_profile_request request;
  struct motion m;
  double qdd[6];
  puma_request(&d, &request, ARMDYN_QUINTIC, NULL);
  cr_assert_eq(motion_plan(&m, &d, &request), ARMDYN_OK);
  for (int end = 0; end < 2; end++) {
    armdyn_trajectory_state(&m.trajectory, end ? 1e9 : 0, NULL, NULL, qdd, NULL);
    for (int j = 0; j < 6; j++) cr_assert_float_eq(qdd[j], 0, 1e-9);
  }
  motion_close(&m);
}

/* Ten times as many samples as the planner takes find no violation, and the margins are the peaks. */
static void limits_kept(const struct motion *m, const struct armdyn_robot_description *d)
{
  enum { SAMPLES = 20000 };
  const struct armdyn_load dry = { .frictionless = true };
  const double T = armdyn_trajectory_duration(&m->trajectory);
  double q[N], qd[N], qdd[N], qddd[N], tau[N], smooth[N], last[N], seen[4][N] = { { 0 } };
  for (size_t k = 0; k <= SAMPLES; k++) {
    armdyn_trajectory_state(&m->trajectory, T * (double)k / SAMPLES, q, qd, qdd, qddd);
    armdyn_inverse_dynamics(m->robot, q, qd, qdd, NULL, m->workspace, tau);
    armdyn_inverse_dynamics(m->robot, q, qd, qdd, &dry, m->workspace, smooth);
    for (size_t j = 0; j < d->joint_count; j++) {
      const struct armdyn_limits *l = &d->joints[j].limits;
      const double use[4] = { fabs(qd[j]) / l->velocity, fabs(qdd[j]) / l->acceleration, fabs(qddd[j]) / l->jerk,
                              fabs(tau[j]) / l->torque };
      cr_assert(q[j] >= l->position[0] && q[j] <= l->position[1]);
      for (int i = 0; i < 4; i++) {
        cr_assert_leq(use[i], 1 + 1e-6, "%s of joint %zu at %zu", armdyn_limit_name((enum armdyn_limit_kind)(i + 1)), j,
                      k);
        seen[i][j] = fmax(seen[i][j], use[i]);
      }
      /* mean rate between samples, viscous friction's part left out: it only lowers the allowance below */
      if (k > 0) cr_assert_leq(fabs(smooth[j] - last[j]) * SAMPLES / T, 1.02 * l->torque_rate);
    }
    memcpy(last, smooth, sizeof last);
  }
  for (size_t j = 0; j < d->joint_count; j++) {
    for (int i = 0; i < 4; i++) {
      const double usage = m->margin[(size_t)(i + 1) * d->joint_count + j].usage;
      cr_assert(usage >= seen[i][j] - 1e-6 && usage <= seen[i][j] + 1e-3, "margin %d of joint %zu: %g, seen %g", i, j,
                usage, seen[i][j]);
    }
  }
}

Test(profiles, limits_hold_on_a_finer_grid)
{
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    for (int weak = 0; weak < 2; weak++) { /* weak: torque and its rate bind, not kinematics */
      static struct armdyn_robot_description d;
      struct armdyn_profile_request request;
      struct motion m;
      puma_request(&d, &request, (enum armdyn_profile)profile, NULL);
      for (size_t j = 0; weak && j < 6; j++) {
        d.joints[j].limits.torque *= 0.6;
        d.joints[j].limits.torque_rate *= 0.05;
        d.joints[j].limits.acceleration *= 5;
        d.joints[j].limits.velocity *= 5;
        d.joints[j].limits.jerk = INFINITY;
      }
      cr_assert_eq(motion_plan(&m, &d, &request), ARMDYN_OK, "%s", m.error.message);
      limits_kept(&m, &d);
      double most = 0;
      for (size_t k = 0; k < KINDS * 6; k++) most = fmax(most, m.margin[k].usage);
      cr_assert(most > 0.999 && most < 1 + 1e-6, "the shortest motion uses a limit up: %g", most);
      motion_close(&m);
    }
  }
}

/* Without limits a thousandth of a second may be followed by a thousand, and a joint may turn 1e8 times. */
Test(profiles, energy_of_absurd_motions_ends)
{
  static struct armdyn_robot_description d;
  static const struct {
    double middle, end, way;
    bool exact; /* the balance holds */
  } motions[] = { { 1e-3, 1e3, 1, true }, { 1e-6, 1e6, 1, true }, { 0.5, 1, 1e9, false } };
  for (size_t i = 0; i < (SANITIZED ? 1 : sizeof motions / sizeof *motions); i++) {
    struct armdyn_profile_request request;
    struct armdyn_motion_energy e;
    struct motion m;
    double points[3 * 6] = { 0 };
    const double times[3] = { 0, motions[i].middle, motions[i].end };
    puma_request(&d, &request, ARMDYN_TRAPEZOID, NULL);
    for (size_t j = 0; j < 6; j++) {
      d.joints[j].limits =
          (struct armdyn_limits){ { -INFINITY, INFINITY }, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY };
      points[6 + j] = 0.3 * motions[i].way * (double)(j + 1);
      points[12 + j] = -0.2 * motions[i].way * (double)j;
    }
    request.points = points;
    request.point_count = 3;
    request.times = times;
    request.duration = NAN;
    request.limits = NULL;
    cr_assert_eq(motion_plan(&m, &d, &request), ARMDYN_OK, "%s", m.error.message);
    cr_assert_eq(armdyn_trajectory_energy(m.robot, &m.trajectory, &e), ARMDYN_OK);
    cr_assert(isfinite(e.positive_work) && e.positive_work > 0);
    const double balance = e.kinetic + e.gravity + e.friction + e.braked;
    if (motions[i].exact) cr_assert_float_eq(e.positive_work, balance, 1e-8 * e.positive_work);
    motion_close(&m);
  }
}

/* positive = kinetic + gravity + friction + braked, and the works are what a fine sum gives. */
Test(profiles, energy_adds_up)
{
  enum { SAMPLES = 100000 };
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    static struct armdyn_robot_description d;
    struct armdyn_profile_request request;
    struct armdyn_motion_energy e;
    struct motion m;
    double row[1 + 5 * 6], positive = 0, by_joint = 0;
    puma_request(&d, &request, (enum armdyn_profile)profile, NULL);
    d.payload.mass = 2;
    cr_assert_eq(motion_plan(&m, &d, &request), ARMDYN_OK, "%s", m.error.message);
    cr_assert_eq(armdyn_trajectory_energy(m.robot, &m.trajectory, &e), ARMDYN_OK);
    cr_assert_float_eq(e.positive_work, e.kinetic + e.gravity + e.friction + e.braked, 1e-8 * e.positive_work);
    cr_assert_float_eq(e.kinetic, 0, 1e-12);
    const double T = armdyn_trajectory_duration(&m.trajectory);
    for (size_t k = 0; k < SAMPLES; k++) {
      armdyn_trajectory_sample(m.robot, &m.trajectory, T * ((double)k + 0.5) / SAMPLES, m.workspace, row);
      for (size_t j = 0; j < 6; j++) {
        cr_assert_eq(row[25 + j], row[19 + j] * row[7 + j], "power is torque times speed");
        positive += fmax(0, row[25 + j]) * T / SAMPLES;
      }
    }
    for (size_t j = 0; j < 6; j++) by_joint += e.by_joint[j];
    cr_assert_float_eq(by_joint, e.positive_work, 1e-12 * by_joint);
    cr_assert_float_eq(positive, e.positive_work, 1e-6 * positive, "%.12g %.12g", positive, e.positive_work);
    motion_close(&m);
  }
}

Test(profiles, samples_end_exactly)
{
  static const struct {
    double T, rate;
    size_t count;
  } rows[] = { { 0.5, 1000, 501 }, { 0.5004, 1000, 502 }, { 0.3, 1000, 301 }, { 0.1 + 0.2, 1000, 301 },
               { 1, 3, 4 },        { 0.7, 250, 176 },     { 0.001, 10, 2 } };
  struct armdyn_robot_description d;
  axis_description(&d);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    struct motion m;
    double row[6];
    const struct armdyn_profile_request request = { ARMDYN_CUBIC, 2, way, NULL, rows[k].T, NULL, 0 };
    cr_assert_eq(motion_plan(&m, &d, &request), ARMDYN_OK);
    const size_t count = armdyn_sample_count(&m.trajectory, rows[k].rate);
    cr_assert_eq(count, rows[k].count, "row %zu: %zu", k, count);
    cr_assert_eq(armdyn_sample_time(&m.trajectory, rows[k].rate, 0), 0);
    cr_assert_eq(armdyn_sample_time(&m.trajectory, rows[k].rate, 1), count == 2 ? rows[k].T : 1 / rows[k].rate);
    cr_assert_eq(armdyn_sample_time(&m.trajectory, rows[k].rate, count - 1), rows[k].T);
    armdyn_trajectory_sample(m.robot, &m.trajectory, rows[k].T, m.workspace, row);
    cr_assert_eq(row[0], rows[k].T);
    cr_assert_float_eq(row[1], way[1], 1e-15);
    motion_close(&m);
  }
}
