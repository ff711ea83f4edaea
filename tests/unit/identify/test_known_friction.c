/* Friction that a test has told is taken off, and what is left is the arm without it. */
#include "tests/support/simulated.h"

struct taken {
  struct armdyn_known_friction *known;
  struct armdyn_motion motion; /* as it comes out of the source: the torques are the source's */
};

/* Of a log of `truth` in which the friction of all joints is known, but for their offsets. */
static struct taken take(const struct armdyn_robot *truth, struct armdyn_motion *measured, const bool *which)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(truth);
  const struct armdyn_source source = { measured->count, 1, read_one, measured };
  struct armdyn_friction friction[N];
  struct taken taken;
  for (size_t i = 0; i < N; i++) friction[i] = d->joints[i].friction;
  cr_assert_eq(armdyn_known_friction_new(truth, friction, which, &taken.known, NULL), ARMDYN_OK);
  const struct armdyn_source less = armdyn_known_friction_source(taken.known, &source);
  cr_assert_eq(less.read(less.context, 0, &taken.motion, NULL), ARMDYN_OK);
  return taken;
}

static const bool all[N] = { true, true, true, true };

/* By inverse dynamics of the arm without friction, on a log without noise and without filters. */
Test(known_friction, what_is_left_is_the_arm)
{
  struct armdyn_robot *truth = scara(), *plain = without_friction(truth);
  struct armdyn_motion measured = simulated(truth, 3, 0, 0);
  struct taken taken = take(truth, &measured, all);
  struct armdyn_workspace *workspace = armdyn_workspace_new(N);
  double worst = 0, largest = 0;
  for (size_t k = 0; k < measured.count; k++) {
    double tau[N], with[N];
    armdyn_inverse_dynamics(plain, measured.q + k * N, measured.qd + k * N, measured.qdd + k * N, NULL, workspace, tau);
    armdyn_inverse_dynamics(truth, measured.q + k * N, measured.qd + k * N, measured.qdd + k * N, NULL, workspace,
                            with);
    for (size_t i = 0; i < N; i++) { /* what the filters of the positions cost is in both */
      const double cost = measured.tau[k * N + i] - with[i];
      worst = fmax(worst, fabs(taken.motion.tau[k * N + i] - cost - tau[i]));
      largest = fmax(largest, fabs(tau[i]));
    }
  }
  cr_expect_lt(worst, 1e-12 * largest, "%g", worst);
  armdyn_workspace_free(workspace);
  armdyn_known_friction_free(taken.known);
  armdyn_motion_free(&measured);
  armdyn_robot_free(plain);
  armdyn_robot_free(truth);
}

/* Through a filter that rounds off its jumps: as if the log had been made without friction. */
Test(known_friction, is_filtered_as_the_torque_is)
{
  struct armdyn_robot *truth = scara(), *plain = without_friction(truth);
  struct armdyn_motion measured = simulated_filtered(truth, 3, 0, 0, 20);
  struct armdyn_motion without = simulated_filtered(plain, 3, 0, 0, 20);
  struct taken taken = take(truth, &measured, all);
  for (size_t i = 0; i < N; i++) {
    double error = 0, friction = 0;
    for (size_t k = i; k < measured.count * N; k += N) {
      error += pow(taken.motion.tau[k] - without.tau[k], 2);
      friction += pow(measured.tau[k] - without.tau[k], 2);
    }
    cr_expect_lt(sqrt(error / friction), 0.005, "joint %zu: %g", i + 1, sqrt(error / friction));
  }
  armdyn_known_friction_free(taken.known);
  armdyn_motion_free(&measured);
  armdyn_motion_free(&without);
  armdyn_robot_free(plain);
  armdyn_robot_free(truth);
}

/* Of joints whose friction is known nothing but the offset is looked for; the others are as they are without. */
Test(known_friction, nothing_more_is_chosen)
{
  static const bool which[N] = { true, false, false, true };
  struct armdyn_robot *truth = scara();
  struct armdyn_motion measured = simulated_filtered(truth, 5, 1e-5, 0.01, 20);
  const struct armdyn_source source = { measured.count, 1, read_one, &measured };
  struct taken taken = take(truth, &measured, which);
  const struct armdyn_source less = armdyn_known_friction_source(taken.known, &source);
  const struct armdyn_estimation estimation = { .folds = 8, .friction_known = which };
  struct armdyn_friction_choice choice[N];
  struct armdyn_robot *chosen;
  cr_assert_eq(armdyn_choose_friction(armdyn_known_friction_bare(taken.known), 0, ARMDYN_IDENTIFY_ANY,
                                      ARMDYN_ROTORS_ALL, &less, &estimation, choice, &chosen, NULL),
               ARMDYN_OK);
  const unsigned usual = ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS;
  cr_expect_eq(choice[0].terms, ARMDYN_IDENTIFY_OFFSET, "%u", choice[0].terms);
  cr_expect_eq(choice[3].terms, ARMDYN_IDENTIFY_OFFSET, "%u", choice[3].terms);
  cr_expect_eq(choice[1].terms & (usual | ARMDYN_IDENTIFY_STRIBECK), usual | ARMDYN_IDENTIFY_STRIBECK, "%u",
               choice[1].terms);
  cr_expect_eq(choice[2].terms & usual, usual, "%u", choice[2].terms);
  cr_expect_eq(choice[0].trial_count + choice[3].trial_count, 0);
  armdyn_robot_free(chosen);
  armdyn_known_friction_free(taken.known);
  armdyn_motion_free(&measured);
  armdyn_robot_free(truth);
}
