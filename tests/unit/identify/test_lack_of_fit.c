/* Models that lack something of the friction are told from those that leave noise. */
#include "tests/support/sanitized.h"
#include "tests/support/simulated.h"

enum { LOGS = 3, ARMS = SANITIZED ? 1 : 5 };

struct judged {
  struct armdyn_robot *model;
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
};

static struct judged judge(const struct armdyn_robot *truth, struct armdyn_robot_description *model, unsigned friction,
                           uint64_t seed)
{
  struct judged j;
  struct armdyn_motion motions[LOGS];
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_WLS, .lack_of_fit = true };
  cr_assert_eq(armdyn_robot_new(model, &j.model, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(j.model, friction, ARMDYN_ROTORS_ALL, &j.unknowns, NULL), ARMDYN_OK);
  for (size_t m = 0; m < LOGS; m++) motions[m] = simulated(truth, seed + m, 1e-6, 0.01);
  cr_assert_eq(armdyn_identify(j.unknowns, motions, LOGS, &estimation, &j.estimate, NULL), ARMDYN_OK);
  for (size_t m = 0; m < LOGS; m++) armdyn_motion_free(&motions[m]);
  return j;
}

static void release(struct judged *j)
{
  armdyn_estimate_free(&j->estimate);
  armdyn_unknowns_free(j->unknowns);
  armdyn_robot_free(j->model);
}

static const struct armdyn_lack_of_fit *lack_of(const struct judged *j, size_t joint, enum armdyn_lack_kind over)
{
  return &j->estimate.lack_of_fit[joint * ARMDYN_LACKS + over];
}

Test(lack_of_fit, the_right_model_leaves_noise)
{
  struct armdyn_robot *truth = scara();
  struct armdyn_robot_description d = *armdyn_robot_description(truth);
  for (uint64_t seed = 100; seed < 100 + 10 * ARMS; seed += 10) {
    struct judged j = judge(truth, &d, 0, seed);
    for (size_t i = 0; i < N; i++) {
      for (enum armdyn_lack_kind over = 0; over < ARMDYN_LACKS; over++) {
        const struct armdyn_lack_of_fit *lack = lack_of(&j, i, over);
        cr_expect(lack->f > 0.3 && lack->f < 3, "seed %d, joint %zu over %d: F %g, p %g, %zu bins, %zu passes",
                  (int)seed, i, (int)over, lack->f, lack->p, lack->bins, lack->passes);
        cr_expect_not(armdyn_lacks_fit(lack));
      }
    }
    release(&j);
  }
  armdyn_robot_free(truth);
}

/* Each joint that lacks a term, and no other one. */
Test(lack_of_fit, a_missing_term_shows_where_it_is_missing)
{
  struct armdyn_robot *truth = scara();
  const struct armdyn_robot_description whole = *armdyn_robot_description(truth);
  struct armdyn_robot_description no_ripple = whole, no_stribeck = whole;
  no_ripple.joints[0].friction.ripple_count = 0;
  no_stribeck.joints[1].friction.stiction = no_stribeck.joints[1].friction.stribeck_velocity = NAN;
  struct judged j = judge(truth, &no_ripple, 0, 7);
  cr_expect(armdyn_lacks_fit(lack_of(&j, 0, ARMDYN_LACK_OVER_POSITION)), "ripple: F %g, p %g",
            lack_of(&j, 0, ARMDYN_LACK_OVER_POSITION)->f, lack_of(&j, 0, ARMDYN_LACK_OVER_POSITION)->p);
  cr_expect_not(armdyn_lacks_fit(lack_of(&j, 2, ARMDYN_LACK_OVER_POSITION)));
  release(&j);
  j = judge(truth, &no_stribeck, 0, 7);
  cr_expect(armdyn_lacks_fit(lack_of(&j, 1, ARMDYN_LACK_OVER_VELOCITY)), "Stribeck: F %g, p %g",
            lack_of(&j, 1, ARMDYN_LACK_OVER_VELOCITY)->f, lack_of(&j, 1, ARMDYN_LACK_OVER_VELOCITY)->p);
  cr_expect_not(armdyn_lacks_fit(lack_of(&j, 3, ARMDYN_LACK_OVER_VELOCITY)));
  release(&j);
  armdyn_robot_free(truth);
}

/* Friction of a motor that turns by q2 + c q1: what no friction of joints can have comes back with both speeds, and with no
 * joint that is not coupled. */
static void couple(struct armdyn_motion *m, double c)
{
  for (size_t k = 0; k < m->count; k++) {
    const double *qd = m->qd + k * N, joint = qd[1], motor = qd[1] + c * qd[0];
    const double f = 3 * tanh(motor / 1e-3) + 2 * motor, own = 3 * tanh(joint / 1e-3) + 2 * joint;
    double *const torques[2] = { m->tau + k * N, m->tau_raw + k * N };
    for (int raw = 0; raw < 2; raw++) {
      torques[raw][0] += c * f;
      torques[raw][1] += f - own;
    }
  }
}

Test(lack_of_fit, friction_of_coupled_motors_shows_in_pairs_of_joints)
{
  struct armdyn_robot *truth = scara();
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_WLS, .lack_of_fit = true };
  struct armdyn_motion motions[LOGS];
  struct judged j;
  cr_assert_eq(armdyn_unknowns_new(truth, 0, ARMDYN_ROTORS_ALL, &j.unknowns, NULL), ARMDYN_OK);
  for (size_t m = 0; m < LOGS; m++) {
    motions[m] = simulated(truth, 7 + m, 1e-6, 0.01);
    couple(&motions[m], 0.4);
  }
  cr_assert_eq(armdyn_identify(j.unknowns, motions, LOGS, &estimation, &j.estimate, NULL), ARMDYN_OK);
  const struct armdyn_lack_of_fit *others = lack_of(&j, 1, ARMDYN_LACK_OVER_OTHERS);
  cr_expect(armdyn_lacks_fit(others), "F %g, p %g", others->f, others->p);
  cr_expect_eq(others->other, 0);
  cr_expect_not(armdyn_lacks_fit(lack_of(&j, 3, ARMDYN_LACK_OVER_OTHERS)));
  for (size_t m = 0; m < LOGS; m++) armdyn_motion_free(&motions[m]);
  armdyn_estimate_free(&j.estimate);
  armdyn_unknowns_free(j.unknowns);
  armdyn_robot_free(truth);
}

/* A joint at rest, or a log too short, is not judged. */
Test(lack_of_fit, too_little_data_are_not_judged)
{
  struct armdyn_robot *truth = scara();
  struct known k = known_open();
  struct armdyn_motion motion = simulated(truth, 3, 1e-6, 0.01);
  struct armdyn_motion little = armdyn_motion_part(&motion, N, 0, 400);
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_RIDGE, .prior_strength = 1, .lack_of_fit = true };
  struct armdyn_estimate estimate;
  cr_assert_eq(armdyn_identify(k.unknowns, &little, 1, &estimation, &estimate, NULL), ARMDYN_OK);
  for (size_t i = 0; i < N * ARMDYN_LACKS; i++) {
    cr_expect(isnan(estimate.lack_of_fit[i].f));
    cr_expect_not(armdyn_lacks_fit(&estimate.lack_of_fit[i]));
  }
  armdyn_estimate_free(&estimate);
  armdyn_motion_free(&motion);
  armdyn_robot_free(truth);
  known_close(&k);
}
