/* Runs at constant speed are found as they were commanded: each joint alone, pairs and all, of arms of four to seven axes,
 * read by encoders of 13 to 23 bits at 250 Hz to 1 kHz. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { MOST = ARMDYN_JOINTS_MAX, SPEEDS = 6 };
static const double pi = 3.14159265358979323846;

struct arm {
  const char *name;
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
};

static void give_friction(struct arm *arm)
{
  for (size_t j = 0; j < arm->d.joint_count; j++) {
    struct armdyn_joint plain, *joint = &arm->d.joints[j];
    armdyn_joint_init(&plain);
    const double size = joint->limits.torque > 0 && isfinite(joint->limits.torque) ? joint->limits.torque : 50;
    joint->friction = plain.friction;
    joint->friction.coulomb = (struct armdyn_directed){ 0.03 * size, 0.03 * size };
    joint->friction.viscous =
        (struct armdyn_directed){ 0.02 * size / joint->limits.velocity, 0.02 * size / joint->limits.velocity };
  }
  cr_assert_eq(armdyn_robot_new(&arm->d, &arm->robot, NULL), ARMDYN_OK);
}

static void stored(struct arm *arm, const char *name)
{
  char path[64];
  snprintf(path, sizeof path, "tests/data/robots/%s.json", name);
  cJSON *json = json_load(path);
  cr_assert_not_null(json);
  arm->name = name;
  description_from_json(json, &arm->d);
  cJSON_Delete(json);
}

/* Seven turning joints, each across the one before. */
static void seven_axes(struct arm *arm)
{
  arm->name = "seven axes";
  armdyn_robot_description_init(&arm->d);
  arm->d.joint_count = 7;
  for (size_t j = 0; j < 7; j++) {
    struct armdyn_joint *joint = &arm->d.joints[j];
    armdyn_joint_init(joint);
    joint->alpha = (j % 2 ? -1 : 1) * pi / 2;
    joint->d = j % 2 ? 0 : 0.3;
    joint->link = (struct armdyn_body){ 4 - 0.5 * (double)j, { 0, 0.02, 0.1 }, { 0.02, 0.02, 0.01, 0, 0, 0 } };
    joint->limits.position[0] = -2.5;
    joint->limits.position[1] = 2.5;
    joint->limits.velocity = 2;
    joint->limits.acceleration = 12;
    joint->limits.jerk = 300;
    joint->limits.torque = 200 - 20 * (double)j;
  }
}

static enum armdyn_status read_motion(void *context, size_t index, struct armdyn_motion *motion,
                                      struct armdyn_error *error)
{
  (void)index, (void)error;
  *motion = *(struct armdyn_motion *)context;
  return ARMDYN_OK;
}

/* What encoders of so many bits a turn (or 0.1 m) and torques with 1 % noise log of a motion. */
static struct armdyn_motion logged(const struct arm *arm, const struct armdyn_trajectory *trajectory, int bits,
                                   double rate, uint64_t seed)
{
  const size_t n = arm->d.joint_count, count = (size_t)(armdyn_trajectory_duration(trajectory) * rate);
  double *time = malloc(count * (1 + 2 * n) * sizeof *time), *q = time + count, *tau = q + count * n, qd[MOST],
         qdd[MOST];
  const struct armdyn_log log = { .count = count, .time = time, .q = q, .tau = tau };
  const struct armdyn_conditioning conditioning = { .rate = rate, .position_cutoff = 20 };
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  struct armdyn_motion motion;
  struct dice dice = { seed };
  for (size_t k = 0; k < count; k++) {
    time[k] = (double)k / rate;
    armdyn_trajectory_state(trajectory, time[k], q + k * n, qd, qdd, NULL);
    armdyn_inverse_dynamics(arm->robot, q + k * n, qd, qdd, NULL, workspace, tau + k * n);
    for (size_t j = 0; j < n; j++) {
      const double turn = arm->d.joints[j].type == ARMDYN_PRISMATIC ? 0.1 : 2 * pi, step = ldexp(turn, -bits);
      q[k * n + j] = step * round(q[k * n + j] / step);
      tau[k * n + j] *= 1 + 0.01 * dice_uniform(&dice, -1, 1);
    }
  }
  cr_assert_eq(armdyn_condition(n, &log, &conditioning, &motion, NULL), ARMDYN_OK);
  armdyn_workspace_free(workspace);
  free(time);
  return motion;
}

static void compare(const struct arm *arm, const bool *joints, int bits, double rate)
{
  const struct armdyn_friction_plan_request request = {
    .joints = joints, .speeds = SPEEDS, .speed_least = 0.02, .speed_most = 0.8, .travel = 0.8, .cruise = 0.8
  };
  struct armdyn_trajectory trajectory;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * MOST];
  struct armdyn_friction_run *runs;
  struct armdyn_joint_friction found[MOST] = { 0 };
  struct armdyn_error error = { "", "" };
  size_t count, commanded[MOST] = { 0 };
  cr_assert_eq(armdyn_friction_plan(arm->robot, &request, &trajectory, margin, &runs, &count, &error), ARMDYN_OK,
               "%s: %s", arm->name, error.message);
  for (size_t r = 0; r < count; r++) commanded[runs[r].joint]++;
  struct armdyn_motion motion = logged(arm, &trajectory, bits, rate, (uint64_t)bits);
  const struct armdyn_source source = { motion.count, 1, read_motion, &motion };
  const enum armdyn_status status = armdyn_friction_fit(arm->robot, &source, found, NULL, NULL, &error);
  cr_expect_eq(status, ARMDYN_OK, "%s, %d bits, %g Hz: %s", arm->name, bits, rate, error.message);
  for (size_t j = 0; j < arm->d.joint_count && !status; j++) {
    cr_expect_eq(found[j].point_count, commanded[j], "%s, %d bits, %g Hz, joint %zu: %zu runs of %zu", arm->name, bits,
                 rate, j + 1, found[j].point_count, commanded[j]);
    if (!found[j].found) continue;
    const struct armdyn_friction *truth = &arm->d.joints[j].friction, *f = &found[j].friction;
    const double fast = 0.8 * arm->d.joints[j].limits.velocity;
    for (int k = 1; k <= 4; k++) {
      const double v = fast * k / 4, is = f->coulomb.positive + f->viscous.positive * v + f->high_speed * v * v,
                   should = truth->coulomb.positive + truth->viscous.positive * v;
      cr_expect_float_eq(is, should, 0.03 * should, "%s, %d bits, %g Hz, joint %zu at %g: %g, is %g", arm->name, bits,
                         rate, j + 1, v, is, should);
    }
  }
  if (!status) armdyn_joint_friction_free(arm->d.joint_count, found);
  armdyn_motion_free(&motion);
  armdyn_trajectory_free(&trajectory);
  free(runs);
}

static const struct {
  int bits;
  double rate;
} readings[] = { { 13, 250 }, { 17, 1000 }, { 20, 500 }, { 23, 250 },  { 13, 1000 }, { 13, 500 },
                 { 17, 250 }, { 17, 500 },  { 20, 250 }, { 20, 1000 }, { 23, 500 },  { 23, 1000 } };
enum { READINGS = sizeof readings / sizeof *readings, SEVERAL = 4 };

/* Each joint alone and with the next, and all; each once, in turn with another reading. */
static void sample(struct arm *arm)
{
  const size_t n = arm->d.joint_count;
  bool all[MOST];
  for (size_t j = 0; j < n; j++) {
    bool joints[MOST] = { false };
    all[j] = joints[j] = true;
    compare(arm, joints, readings[j % SEVERAL].bits, readings[j % SEVERAL].rate);
    joints[(j + 1) % n] = true;
    compare(arm, joints, readings[(j + 1) % SEVERAL].bits, readings[(j + 1) % SEVERAL].rate);
  }
  compare(arm, all, readings[n % READINGS].bits, readings[n % READINGS].rate);
}

/* And every pair, with every reading: some minutes. */
static void whole(struct arm *arm)
{
  const size_t n = arm->d.joint_count;
  for (size_t r = 0; r < READINGS; r++) {
    bool all[MOST];
    for (size_t a = 0; a < n; a++) {
      all[a] = true;
      for (size_t b = a; b < n; b++) {
        bool joints[MOST] = { false };
        joints[a] = joints[b] = true;
        compare(arm, joints, readings[r].bits, readings[r].rate);
      }
    }
    compare(arm, all, readings[r].bits, readings[r].rate);
  }
}

static void every_joint(struct arm *arm)
{
  const char *soak = getenv("ARMDYN_SOAK");
  give_friction(arm);
  (soak && *soak == '1' ? whole : sample)(arm);
  armdyn_robot_free(arm->robot);
}

Test(runs_found, of_a_scara)
{
  struct arm arm;
  stored(&arm, "scara");
  every_joint(&arm);
}

Test(runs_found, of_a_puma)
{
  struct arm arm;
  stored(&arm, "puma560");
  every_joint(&arm);
}

Test(runs_found, of_seven_axes)
{
  struct arm arm;
  seven_axes(&arm);
  every_joint(&arm);
}
