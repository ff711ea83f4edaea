/* Logs whose truth is known: a SCARA with rotors and friction, at 1 kHz. */
#ifndef TESTS_SUPPORT_SIMULATED_H
#define TESTS_SUPPORT_SIMULATED_H

#include <criterion/criterion.h>

#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

/* Long enough for what most tests ask; who asks for more says so before. */
#ifndef LOG_SAMPLES
#define LOG_SAMPLES (SANITIZED ? 10000 : 20000)
#endif
enum { N = 4, COUNT = LOG_SAMPLES };
static const double rate = 1000, pi = 3.14159265358979323846;

static inline struct armdyn_robot *scara(void)
{
  static const struct armdyn_body links[N] = {
    { 12, { -0.2, 0.01, 0.02 }, { 0.06, 0.25, 0.24, 0.002, 0, 0.001 } },
    { 7, { -0.12, 0, 0.05 }, { 0.03, 0.09, 0.08, 0, 0.003, 0 } },
    { 2, { 0, 0, -0.15 }, { 0.015, 0.015, 0.001, 0, 0, 0 } },
    { 0.8, { 0.01, 0, 0.03 }, { 0.002, 0.002, 0.0012, 0, 0, 0 } },
  };
  static const double rotor[N] = { 2e-4, 1e-4, 5e-5, 3e-5 }, ratio[N] = { 80, 50, 314, 30 };
  struct armdyn_robot_description d;
  struct armdyn_robot *robot = NULL;
  armdyn_robot_description_init(&d);
  d.joint_count = N;
  for (size_t i = 0; i < N; i++) {
    struct armdyn_joint *joint = &d.joints[i];
    armdyn_joint_init(joint);
    joint->link = links[i];
    joint->drive.rotor_inertia = rotor[i];
    joint->drive.gear_ratio = ratio[i];
    joint->friction.coulomb = (struct armdyn_directed){ 4.0 / (double)(i + 1), 4.0 / (double)(i + 1) };
    joint->friction.viscous = (struct armdyn_directed){ 6.0 / (double)(i + 1), 6.0 / (double)(i + 1) };
  }
  d.joints[0].a = 0.4;
  d.joints[1].a = 0.3;
  d.joints[2].type = ARMDYN_PRISMATIC;
  d.joints[0].friction.high_speed = 1.5;
  d.joints[0].friction.ripple_count = 1;
  d.joints[0].friction.ripples[0] = (struct armdyn_ripple){ 1.2, 0.25, 0.4 };
  d.joints[1].friction.stiction = 3;
  d.joints[1].friction.stribeck_velocity = 0.3;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

/* The same robot to someone who knows nothing of its friction. */
static inline struct armdyn_robot *without_friction(const struct armdyn_robot *robot)
{
  struct armdyn_robot_description d = *armdyn_robot_description(robot);
  struct armdyn_robot *plain = NULL;
  struct armdyn_joint joint;
  armdyn_joint_init(&joint);
  for (size_t i = 0; i < d.joint_count; i++) d.joints[i].friction = joint.friction;
  cr_assert_eq(armdyn_robot_new(&d, &plain, NULL), ARMDYN_OK);
  return plain;
}

static inline double normal(struct dice *dice)
{
  return sqrt(-2 * log(dice_uniform(dice, 1e-12, 1))) * cos(2 * pi * dice_uniform(dice, 0, 1));
}

/* A log of sums of sines; noise: of the encoder in rad (m / 10), and of the torque relative to its rms. */
static inline void simulate(const struct armdyn_robot *robot, uint64_t seed, size_t count, double encoder,
                            double torque, double *time, double *q, double *tau)
{
  struct dice dice = { seed };
  double a[N][5], phase[N][5], qd[N], qdd[N], mean2[N] = { 0 };
  struct armdyn_workspace *workspace = armdyn_workspace_new(N);
  for (size_t i = 0; i < N; i++) {
    dice_fill(&dice, a[i], 5, 0.2, i == 2 ? 0.25 : 1.2);
    dice_fill(&dice, phase[i], 5, -pi, pi);
  }
  for (size_t k = 0; k < count; k++, q += N, tau += N) {
    const double t = time[k] = (double)k / rate;
    for (size_t i = 0; i < N; i++) {
      q[i] = qd[i] = qdd[i] = 0;
      for (int l = 0; l < 5; l++) {
        const double w = 2 * pi * 0.15 * (l + 1 + 0.13 * (double)i), scale = a[i][l] / (l + 1);
        q[i] += scale * sin(w * t + phase[i][l]);
        qd[i] += scale * w * cos(w * t + phase[i][l]);
        qdd[i] -= scale * w * w * sin(w * t + phase[i][l]);
      }
    }
    armdyn_inverse_dynamics(robot, q, qd, qdd, NULL, workspace, tau);
    for (size_t i = 0; i < N; i++) mean2[i] += tau[i] * tau[i] / (double)count;
    for (size_t i = 0; i < N; i++) q[i] += encoder * normal(&dice) * (i == 2 ? 0.1 : 1);
  }
  tau -= count * N;
  for (size_t k = 0; k < count * N; k++) tau[k] += torque * sqrt(mean2[k % N]) * normal(&dice);
  armdyn_workspace_free(workspace);
}

/* Conditioned with a cut-off of 20 Hz; torque_cutoff 0: the torque is left as measured. */
static inline struct armdyn_motion simulated_filtered(const struct armdyn_robot *robot, uint64_t seed, double encoder,
                                                      double torque, double torque_cutoff)
{
  static double time[COUNT], q[COUNT * N], tau[COUNT * N];
  const struct armdyn_log log = { .count = COUNT, .time = time, .q = q, .tau = tau };
  const struct armdyn_conditioning c = { .position_cutoff = 20, .torque_cutoff = torque_cutoff, .trim = 0.5 };
  struct armdyn_motion motion;
  simulate(robot, seed, COUNT, encoder, torque, time, q, tau);
  cr_assert_eq(armdyn_condition(N, &log, &c, &motion, NULL), ARMDYN_OK);
  return motion;
}

static inline struct armdyn_motion simulated(const struct armdyn_robot *robot, uint64_t seed, double encoder,
                                             double torque)
{
  return simulated_filtered(robot, seed, encoder, torque, 0);
}

/* The read of an armdyn_source whose context is the motions. */
static inline enum armdyn_status read_one(void *context, size_t index, struct armdyn_motion *motion,
                                          struct armdyn_error *error)
{
  (void)error;
  *motion = ((const struct armdyn_motion *)context)[index];
  return ARMDYN_OK;
}

/* Standard parameter of this name. */
static inline size_t standard_named(const struct armdyn_unknowns *unknowns, const char *wanted)
{
  const size_t count = armdyn_unknowns_standard_count(unknowns);
  for (size_t k = 0; k < count; k++) {
    char name[ARMDYN_PARAMETER_NAME_SIZE];
    armdyn_unknowns_standard_name(unknowns, k, name);
    if (!strcmp(name, wanted)) return k;
  }
  cr_assert_fail("no %s", wanted);
  return count;
}

struct known {
  struct armdyn_robot *robot;
  struct armdyn_unknowns *unknowns;
  const struct armdyn_base_parameters *base;
  size_t count;
};

static inline struct known known_open(void)
{
  struct known k = { .robot = scara() };
  cr_assert_eq(armdyn_unknowns_new(k.robot, 0, ARMDYN_ROTORS_ALL, &k.unknowns, NULL), ARMDYN_OK);
  k.base = armdyn_unknowns_base(k.unknowns);
  k.count = armdyn_base_parameter_count(k.base);
  return k;
}

static inline void known_close(struct known *k)
{
  armdyn_unknowns_free(k->unknowns);
  armdyn_robot_free(k->robot);
}

#endif
