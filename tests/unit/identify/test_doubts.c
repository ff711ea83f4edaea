/* Warnings of what is wrong with training data, from what an estimate leaves of them. */
#define LOG_SAMPLES 20000 /* rare events want time */

#include "tests/support/simulated.h"

enum { SCATTERED = 20000 };

static const struct armdyn_warning *warning_of(const struct armdyn_warnings *warnings, enum armdyn_warning_code code)
{
  for (size_t k = 0; k < warnings->count; k++)
    if (warnings->list[k].code == code) return &warnings->list[k];
  return NULL;
}

static struct armdyn_estimate identified(const struct armdyn_unknowns *unknowns, const struct armdyn_motion *motion)
{
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_WLS, .lack_of_fit = true };
  struct armdyn_error error = { "", "" };
  struct armdyn_estimate estimate;
  cr_assert_eq(armdyn_identify(unknowns, motion, 1, &estimation, &estimate, &error), ARMDYN_OK, "%s", error.message);
  return estimate;
}

/* A push on some joints for 0.3 s, by as much as their torque. */
static void push(struct armdyn_motion *motion, double time, size_t joints)
{
  const size_t from = (size_t)(time * motion->rate), to = from + (size_t)(0.3 * motion->rate);
  for (size_t i = 0; i < joints; i++) {
    double square = 0;
    for (size_t k = 0; k < motion->count; k++) square += motion->tau[k * N + i] * motion->tau[k * N + i];
    for (size_t k = from; k < to; k++) motion->tau[k * N + i] += sqrt(square / (double)motion->count);
  }
}

Test(doubts, a_push_on_several_joints_is_an_event)
{
  struct known known = known_open();
  for (size_t joints = 0; joints <= 2; joints++) {
    struct armdyn_motion motion = simulated(known.robot, 5, 1e-6, 0.01);
    push(&motion, 7.5, joints);
    struct armdyn_estimate estimate = identified(known.unknowns, &motion);
    const struct armdyn_warning *event = warning_of(&estimate.warnings, ARMDYN_WARNING_EVENT);
    cr_expect_eq(event != NULL, joints == 2, "%zu joints: %s", joints, event ? event->detail : "nothing said");
    if (event) cr_expect(strstr(event->detail, "at 8.00 to 8.50 s"), "%s", event->detail);
    cr_expect_eq(estimate.event_count > 0, event != NULL, "%zu", estimate.event_count);
    if (event) cr_expect(estimate.events[0].from <= 8 && estimate.events[0].to >= 8.3); /* 0.5 s were trimmed */
    armdyn_estimate_free(&estimate);
    armdyn_motion_free(&motion);
  }
  known_close(&known);
}

/* States at random, so that everything is told but what is made so: joint 1 goes forward but for so many samples, and
 * Coulomb friction is then an offset. */
static struct armdyn_motion scattered(const struct armdyn_robot *robot, size_t backward, double *memory)
{
  struct armdyn_motion motion = { .count = SCATTERED, .rate = rate, .q = memory };
  struct armdyn_workspace *workspace = armdyn_workspace_new(N);
  struct dice dice = { 17 };
  motion.qd = motion.q + SCATTERED * N;
  motion.qdd = motion.qd + SCATTERED * N;
  motion.tau = motion.tau_raw = motion.qdd + SCATTERED * N;
  for (size_t k = 0; k < SCATTERED; k++) {
    dice_fill(&dice, motion.q + k * N, N, -1, 1);
    dice_fill(&dice, motion.qd + k * N, N, -2, 2);
    dice_fill(&dice, motion.qdd + k * N, N, -9, 9);
    motion.qd[k * N] = (k < backward ? -1 : 1) * fabs(motion.qd[k * N]);
    armdyn_inverse_dynamics(robot, motion.q + k * N, motion.qd + k * N, motion.qdd + k * N, NULL, workspace,
                            motion.tau + k * N);
    for (size_t i = 0; i < N; i++) motion.tau[k * N + i] += 0.1 * normal(&dice);
  }
  armdyn_workspace_free(workspace);
  return motion;
}

Test(doubts, parameters_that_are_hardly_told_apart_are_named)
{
  struct armdyn_robot *robot = scara();
  struct armdyn_unknowns *unknowns;
  double *memory = malloc(4 * SCATTERED * N * sizeof *memory);
  cr_assert_eq(armdyn_unknowns_new(robot, ARMDYN_IDENTIFY_OFFSET, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  for (size_t backward = 1; backward <= SCATTERED; backward *= 100) {
    const struct armdyn_motion motion = scattered(robot, backward, memory);
    struct armdyn_estimate estimate = identified(unknowns, &motion);
    const struct armdyn_warning *ill = warning_of(&estimate.warnings, ARMDYN_WARNING_ILL_CONDITIONED);
    cr_expect_eq(ill != NULL, backward == 1, "%zu: %s", backward, ill ? ill->detail : "nothing said");
    if (ill) cr_expect(strstr(ill->detail, "coulomb") && strstr(ill->detail, "offset"), "%s", ill->detail);
    if (ill) cr_log_info("%s", ill->detail);
    armdyn_estimate_free(&estimate);
  }
  free(memory);
  armdyn_unknowns_free(unknowns);
  armdyn_robot_free(robot);
}

/* A line of 40 turns a joint's turn comes at 10 to 60 Hz: a torque filter of 1 Hz leaves nothing of it, one of 60 Hz all. */
Test(doubts, a_line_that_the_torque_filter_takes_is_told)
{
  struct armdyn_robot *plain = scara(), *robot;
  struct armdyn_robot_description d = *armdyn_robot_description(plain);
  struct armdyn_unknowns *unknowns;
  const double still[N] = { 0 };
  d.joints[0].friction.ripples[0] = (struct armdyn_ripple){ 0.1, 0.5, 0.4 };
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(robot, 0, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  for (int filter = 0; filter < 2; filter++) {
    struct armdyn_motion motion = simulated_filtered(robot, 5, 1e-6, 0.01, filter ? 60 : 1);
    struct armdyn_estimate estimate = identified(unknowns, &motion);
    const struct armdyn_fit fit[N] = { { 0 } };
    const struct armdyn_judgement judgement = { .fit = fit, .trained = still, .judged = still };
    struct armdyn_warnings warnings = { 0 };
    armdyn_doubt(unknowns, &estimate, &judgement, &warnings);
    const struct armdyn_warning *taken = warning_of(&warnings, ARMDYN_WARNING_RIPPLE_FILTERED);
    cr_expect_eq(taken != NULL, filter == 0, "%d: %s", filter, taken ? taken->detail : "nothing said");
    if (taken) cr_expect_eq(taken->joint, 0);
    armdyn_estimate_free(&estimate);
    armdyn_motion_free(&motion);
  }
  armdyn_unknowns_free(unknowns);
  armdyn_robot_free(robot);
  armdyn_robot_free(plain);
}
