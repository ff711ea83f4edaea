/* Inverse kinematics against closed forms, forward kinematics, and the geometry of what cannot be reached. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX };

struct arm {
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct armdyn_inverse_kinematics_result result;
  struct armdyn_error error;
};

static void arm_open(struct arm *arm, const struct armdyn_robot_description *d)
{
  cr_assert_eq(armdyn_robot_new(d, &arm->robot, &arm->error), ARMDYN_OK, "%s", arm->error.message);
  arm->workspace = armdyn_workspace_new(d->joint_count);
}

static void arm_close(struct arm *arm)
{
  armdyn_workspace_free(arm->workspace);
  armdyn_robot_free(arm->robot);
}

static enum armdyn_status solve(struct arm *arm, const double *tool, const double *seed, unsigned task, size_t starts)
{
  const struct armdyn_inverse_kinematics_request request = { tool, seed, task, starts, 1 };
  return armdyn_inverse_kinematics(arm->robot, &request, arm->workspace, &arm->result, &arm->error);
}

/* Every branch is where it says, within the limits. */
static void check_branches(struct arm *arm, const double *tool, double tolerance)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(arm->robot);
  for (size_t k = 0; k < arm->result.branch_count; k++) {
    double at[16];
    armdyn_forward_kinematics(arm->robot, arm->result.branches[k].q, arm->workspace, at, NULL);
    for (int i = 0; i < 16; i++) cr_assert_float_eq(at[i], tool[i], tolerance, "branch %zu", k);
    for (size_t j = 0; j < d->joint_count; j++) {
      const double q = arm->result.branches[k].q[j], *range = d->joints[j].limits.position;
      cr_assert(q >= range[0] && q <= range[1]);
    }
  }
}

static bool has(const struct arm *arm, size_t n, const double *q, double tolerance)
{
  for (size_t k = 0; k < arm->result.branch_count; k++) {
    double worst = 0;
    for (size_t j = 0; j < n; j++) worst = fmax(worst, fabs(remainder(arm->result.branches[k].q[j] - q[j], 2 * M_PI)));
    if (worst < tolerance) return true;
  }
  return false;
}

static void two_links(struct armdyn_robot_description *d, double l1, double l2)
{
  armdyn_robot_description_init(d);
  d->joint_count = 2;
  for (size_t j = 0; j < 2; j++) snprintf(d->joints[j].name, sizeof d->joints[j].name, "j%zu", j + 1);
  d->joints[0].a = l1, d->joints[1].a = l2;
}

static void place(double *tool, double x, double y)
{
  const double pose[16] = { 1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, 0, 0, 0, 0, 1 };
  memcpy(tool, pose, sizeof pose);
}

/* cos q2 = (x^2 + y^2 - l1^2 - l2^2) / (2 l1 l2), elbow on either side */
Test(inverse_kinematics, two_links_have_the_elbows_of_the_closed_form)
{
  const double l1 = 0.5, l2 = 0.35;
  struct armdyn_robot_description d;
  struct arm arm;
  struct dice dice = { 1 };
  two_links(&d, l1, l2);
  arm_open(&arm, &d);
  for (int trial = 0; trial < 40; trial++) {
    const double r = dice_uniform(&dice, l1 - l2 + 0.02, l1 + l2 - 0.02), angle = dice_uniform(&dice, -3, 3);
    const double x = r * cos(angle), y = r * sin(angle), seed[2] = { angle - 0.5, 1 };
    const double elbow = acos((x * x + y * y - l1 * l1 - l2 * l2) / (2 * l1 * l2));
    double tool[16];
    place(tool, x, y);
    cr_assert_eq(solve(&arm, tool, seed, ARMDYN_TASK_X | ARMDYN_TASK_Y, 20), ARMDYN_OK);
    cr_assert(arm.result.reached && arm.result.freedom == 0);
    cr_assert_eq(arm.result.branch_count, 2, "%zu", arm.result.branch_count);
    for (int side = -1; side <= 1; side += 2) {
      const double q2 = side * elbow, q[2] = { atan2(y, x) - atan2(l2 * sin(q2), l1 + l2 * cos(q2)), q2 };
      cr_assert(has(&arm, 2, q, 1e-8));
    }
    cr_assert_gt(arm.result.branches[0].q[1], 0); /* the seed's own side first */
  }
  arm_close(&arm);
}

/* Out of reach: the nearest point is on the way there; behind a limit: no slope leads on. */
Test(inverse_kinematics, what_is_out_of_reach_is_told_by_how_much)
{
  struct armdyn_robot_description d;
  struct arm arm;
  const double seed[2] = { 0.3, 0.5 };
  double tool[16];
  two_links(&d, 0.5, 0.35);
  arm_open(&arm, &d);
  place(tool, 0.9, 0.6);
  cr_assert_eq(solve(&arm, tool, seed, ARMDYN_TASK_X | ARMDYN_TASK_Y, 5), ARMDYN_OK);
  cr_assert(!arm.result.reached && arm.result.branch_count == 1);
  cr_assert_float_eq(arm.result.branches[0].position, hypot(0.9, 0.6) - 0.85, 1e-9);
  cr_assert_float_eq(arm.result.branches[0].q[0], atan2(0.6, 0.9), 1e-4);
  arm_close(&arm);
  d.joints[0].limits.position[0] = -0.2, d.joints[0].limits.position[1] = 0.2;
  d.joints[1].limits.position[0] = -0.1, d.joints[1].limits.position[1] = 0.1;
  arm_open(&arm, &d);
  place(tool, 0, 0.6);
  cr_assert_eq(solve(&arm, tool, seed, ARMDYN_TASK_X | ARMDYN_TASK_Y, 5), ARMDYN_OK);
  cr_assert(!arm.result.reached);
  double nearest = INFINITY; /* by brute force */
  for (int a = 0; a <= 400; a++)
    for (int b = 0; b <= 200; b++) {
      const double q1 = -0.2 + a * 1e-3, q2 = q1 - 0.1 + b * 1e-3;
      nearest = fmin(nearest, hypot(0.5 * cos(q1) + 0.35 * cos(q2), 0.5 * sin(q1) + 0.35 * sin(q2) - 0.6));
    }
  cr_assert_float_eq(arm.result.branches[0].position, nearest, 1e-9);
  arm_close(&arm);
}

static void robot_read(struct armdyn_robot_description *d, const char *path, bool limits)
{
  cJSON *json = json_load(path);
  description_from_json(json, d);
  cJSON_Delete(json);
  for (size_t j = 0; j < d->joint_count && !limits; j++) {
    d->joints[j].limits.position[0] = -INFINITY;
    d->joints[j].limits.position[1] = INFINITY;
  }
}

/* Shoulder left or right, elbow up or down, wrist flipped or not (Craig, section 4.7). */
Test(inverse_kinematics, a_puma_has_eight_branches)
{
  struct armdyn_robot_description d;
  struct arm arm;
  struct dice dice = { 2 };
  robot_read(&d, "tests/data/robots/puma560.json", false);
  arm_open(&arm, &d);
  for (int trial = 0; trial < 6; trial++) {
    double q[6], tool[16];
    const double seed[6] = { 0 };
    dice_fill(&dice, q, 6, -1.5, 1.5);
    q[4] = copysign(0.3 + fabs(q[4]), q[4]);
    armdyn_forward_kinematics(arm.robot, q, arm.workspace, tool, NULL);
    cr_assert_eq(solve(&arm, tool, seed, 0, 150), ARMDYN_OK);
    cr_assert(arm.result.reached && arm.result.freedom == 0);
    cr_assert_eq(arm.result.branch_count, 8, "%zu", arm.result.branch_count);
    check_branches(&arm, tool, 1e-8);
    cr_assert(has(&arm, 6, q, 1e-6));
  }
  arm_close(&arm);
}

/* The seed's own branch comes back from near it, for arms of every kind. */
Test(inverse_kinematics, the_branch_of_the_seed_comes_first)
{
  struct dice dice = { 3 };
  for (int trial = 0; trial < 40; trial++) {
    struct armdyn_robot_description d;
    struct arm arm;
    double q[6], seed[6], tool[16];
    random_description(&dice, &d, 6, trial % 2 ? ARMDYN_DH : ARMDYN_FRAMES);
    arm_open(&arm, &d);
    dice_fill(&dice, q, 6, -1.5, 1.5);
    for (int j = 0; j < 6; j++) seed[j] = q[j] + dice_uniform(&dice, -0.02, 0.02);
    armdyn_forward_kinematics(arm.robot, q, arm.workspace, tool, NULL);
    cr_assert_eq(solve(&arm, tool, seed, 0, 0), ARMDYN_OK);
    cr_assert(arm.result.reached, "%d: %g m, %g rad", trial, arm.result.branches[0].position,
              arm.result.branches[0].orientation);
    check_branches(&arm, tool, 1e-8);
    if (arm.result.freedom == 0) cr_assert(has(&arm, 6, q, 0.2), "%d", trial);
    arm_close(&arm);
  }
}

/* Two elbows; the wrist makes up for them. Any pose of a SCARA with its tool downwards is reached in full. */
Test(inverse_kinematics, a_scara_reaches_upright_poses_only)
{
  struct armdyn_robot_description d;
  struct arm arm;
  const double q[4] = { 0.4, 1.1, 0.12, -0.7 }, seed[4] = { 0.1, 0.5, 0.1, 0 };
  double tool[16], tilted[16];
  robot_read(&d, "tests/data/robots/scara.json", true);
  arm_open(&arm, &d);
  armdyn_forward_kinematics(arm.robot, q, arm.workspace, tool, NULL);
  cr_assert_eq(solve(&arm, tool, seed, 0, 30), ARMDYN_OK);
  cr_assert(arm.result.reached && arm.result.freedom == 0);
  cr_assert_eq(arm.result.branch_count, 2, "%zu", arm.result.branch_count);
  check_branches(&arm, tool, 1e-8);
  cr_assert(has(&arm, 4, q, 1e-7));
  /* by 0.1 rad about its own x axis: the nearest pose keeps the position and leaves all of the tilt */
  memcpy(tilted, tool, sizeof tilted);
  for (int i = 0; i < 3; i++) {
    tilted[4 * i + 1] = cos(0.1) * tool[4 * i + 1] + sin(0.1) * tool[4 * i + 2];
    tilted[4 * i + 2] = cos(0.1) * tool[4 * i + 2] - sin(0.1) * tool[4 * i + 1];
  }
  cr_assert_eq(solve(&arm, tilted, seed, 0, 5), ARMDYN_OK);
  cr_assert(!arm.result.reached);
  cr_assert_float_eq(arm.result.branches[0].orientation, 0.1, 1e-6);
  cr_assert_lt(arm.result.branches[0].position, 1e-6);
  /* without the tilt in the task it is reached */
  cr_assert_eq(solve(&arm, tilted, seed, ARMDYN_TASK_X | ARMDYN_TASK_Y | ARMDYN_TASK_Z | ARMDYN_TASK_RZ, 5), ARMDYN_OK);
  cr_assert(arm.result.reached);
  arm_close(&arm);
}

/* More joints than components: reached, with what is left to choose counted and one answer, near the seed. */
Test(inverse_kinematics, freedom_is_counted)
{
  struct armdyn_robot_description d;
  struct arm arm;
  struct dice dice = { 4 };
  double q[8], seed[8], tool[16], away = 0;
  random_description(&dice, &d, 8, ARMDYN_MDH);
  arm_open(&arm, &d);
  dice_fill(&dice, q, 8, -1, 1);
  for (int j = 0; j < 8; j++) seed[j] = q[j] + dice_uniform(&dice, -0.05, 0.05);
  armdyn_forward_kinematics(arm.robot, q, arm.workspace, tool, NULL);
  cr_assert_eq(solve(&arm, tool, seed, 0, 20), ARMDYN_OK);
  cr_assert(arm.result.reached && arm.result.freedom == 2 && arm.result.branch_count == 1);
  check_branches(&arm, tool, 1e-8);
  for (int j = 0; j < 8; j++) away = fmax(away, fabs(arm.result.branches[0].q[j] - seed[j]));
  cr_assert_lt(away, 0.5);
  cr_assert_eq(solve(&arm, tool, seed, ARMDYN_TASK_X | ARMDYN_TASK_Y | ARMDYN_TASK_Z, 0), ARMDYN_OK);
  cr_assert(arm.result.reached && arm.result.freedom == 5);
  arm_close(&arm);
}

/* A stretched arm: the pose is reached where two branches meet, although the Jacobian is singular there. */
Test(inverse_kinematics, a_singular_pose_is_reached)
{
  struct armdyn_robot_description d;
  struct arm arm;
  const double seed[2] = { 0.2, 0.9 };
  double tool[16];
  two_links(&d, 0.5, 0.35);
  arm_open(&arm, &d);
  place(tool, 0.85 * cos(0.7), 0.85 * sin(0.7));
  cr_assert_eq(solve(&arm, tool, seed, ARMDYN_TASK_X | ARMDYN_TASK_Y, 0), ARMDYN_OK);
  cr_assert(arm.result.reached, "%g", arm.result.branches[0].position);
  cr_assert_float_eq(arm.result.branches[0].q[0], 0.7, 1e-3);
  arm_close(&arm);
}

Test(inverse_kinematics, requests_that_make_no_sense_are_refused)
{
  struct armdyn_robot_description d;
  struct arm arm;
  const double good[2] = { 0, 0 }, bad[2] = { 0, NAN };
  double tool[16];
  two_links(&d, 0.5, 0.35);
  arm_open(&arm, &d);
  place(tool, 0.3, 0.3);
  cr_assert_eq(solve(&arm, tool, bad, 3, 0), ARMDYN_EINPUT);
  cr_assert_str_eq(arm.error.pointer, "/q/1");
  cr_assert_eq(solve(&arm, tool, good, 64, 0), ARMDYN_EINPUT);
  cr_assert_eq(solve(&arm, tool, good, 3, 1001), ARMDYN_EINPUT);
  tool[0] = 0.9;
  cr_assert_eq(solve(&arm, tool, good, 3, 0), ARMDYN_EINPUT);
  cr_assert_str_eq(arm.error.pointer, "/tool");
  tool[0] = -1; /* a reflection */
  cr_assert_eq(solve(&arm, tool, good, 3, 0), ARMDYN_EINPUT);
  tool[0] = 1, tool[12] = 1;
  cr_assert_eq(solve(&arm, tool, good, 3, 0), ARMDYN_EINPUT);
  cr_assert_str_eq(arm.error.pointer, "/tool/3");
  tool[12] = 0, tool[3] = INFINITY;
  cr_assert_eq(solve(&arm, tool, good, 3, 0), ARMDYN_EINPUT);
  arm_close(&arm);
}
