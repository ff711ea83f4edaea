/* Kinematics and dynamics of a robot: M(q) qdd + C(q,qd) qd + g(q) + F(q,qd) = tau + J' w.
 *
 * Every kernel takes (const robot, inputs, workspace, outputs), allocates nothing and cannot fail on finite input.
 * Threads share a robot and have a workspace each. n is the number of joints; matrices are row-major.
 */
#ifndef ARMDYN_DYNAMICS_H
#define ARMDYN_DYNAMICS_H

#include "armdyn/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Scratch memory of the kernels for robots with up to `joints` joints; one for each thread. NULL when out of memory
 * or joints > ARMDYN_JOINTS_MAX. */
struct armdyn_workspace;
struct armdyn_workspace *armdyn_workspace_new(size_t joints);
void armdyn_workspace_free(struct armdyn_workspace *workspace);

enum armdyn_wrench_frame { ARMDYN_WRENCH_TOOL, ARMDYN_WRENCH_BASE };

/* What one call of inverse dynamics takes into account besides the motion. NULL is: no wrench, with friction. */
struct armdyn_load {
  const double *wrench; /* 6 [moment; force] on the tool by its surroundings, at the tool origin, N m, N;
                                            NULL = none */
  enum armdyn_wrench_frame wrench_frame; /* the axes that the wrench is written in */
  bool frictionless;
};

/* Joint torques for a given motion (recursive Newton-Euler).
 *   q, qd, qdd  in   n      rad, rad/s, rad/s^2 (m for prismatic joints)
 *   load        in          NULL = no wrench, with friction
 *   tau         out  n      N m (N)
 * O(n), no allocation, cannot fail; threads need their own workspace.
 * Source: Luh, Walker & Paul 1980; Craig, ch. 6. */
void armdyn_inverse_dynamics(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                             const struct armdyn_load *load, struct armdyn_workspace *workspace, double *tau);

/* A table of numbers: row r starts at data + r * stride. stride 0: one row serves every sample. data NULL: absent. */
struct armdyn_rows {
  const double *data;
  size_t stride;
};

/* Many samples for one robot. */
struct armdyn_samples {
  size_t count;
  struct armdyn_rows q, qd, qdd; /* n wide, as in armdyn_inverse_dynamics */
  struct armdyn_rows wrench;     /* 6 wide, as in struct armdyn_load */
  enum armdyn_wrench_frame wrench_frame;
  bool frictionless;
  struct armdyn_rows tau; /* n wide, for forward dynamics instead of qdd */
};

/* Derivatives of what was logged, by central differences, one-sided at the ends.
 *   t       in   count >= 2, s, increasing
 *   values  in   count x n
 *   out     out  count x n, per second
 * Cannot fail. */
void armdyn_slopes(size_t count, size_t n, const struct armdyn_rows *t, const struct armdyn_rows *values, double *out);

/* Joint torques of many samples: armdyn_inverse_dynamics for each.
 *   samples  in
 *   tau      out  count x n, N m (N)
 * No allocation, cannot fail. */
void armdyn_inverse_dynamics_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                   struct armdyn_workspace *workspace, double *tau);

/* The same torque split into its causes; they add up to what armdyn_inverse_dynamics gives (to rounding).
 * Every pointer is out, n, N m (N); NULL = not wanted. */
struct armdyn_torque_parts {
  double *inertial; /* M qdd, reflected rotor inertia included */
  double *coriolis; /* C qd */
  double *gravity;  /* g */
  double *friction; /* F, zero when the load is frictionless */
  double *external; /* -J' w */
  double *motor;    /* motor-side torques: transmission^-T tau (tau / gear ratio without a coupled transmission) */
};
void armdyn_inverse_dynamics_parts(const struct armdyn_robot *robot, const double *q, const double *qd,
                                   const double *qdd, const struct armdyn_load *load,
                                   struct armdyn_workspace *workspace, double *tau,
                                   const struct armdyn_torque_parts *parts);

/* Mass matrix, reflected rotor inertia included.
 *   q            in   n
 *   mass_matrix  out  n x n, symmetric, kg m^2 (kg m, kg)
 * O(n^2). Source: composite rigid bodies, Featherstone 2008, table 6.2. */
void armdyn_mass_matrix(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                        double *mass_matrix);

/* Joint accelerations from joint torques: M qdd = tau + J' w - C qd - g - F, by articulated bodies (other methods:
 * armdyn/methods.h).
 *   q, qd, tau  in   n
 *   load        in   as in armdyn_inverse_dynamics
 *   qdd         out  n
 * OK, or ESINGULAR when M is not positive definite (an unphysical model), or is so by rounding only; qdd is then
 * untouched. O(n); with coupled drives, whose rotors are no part of any one link, O(n^3) by Cholesky factorisation of M.
 * Source: Featherstone 2008, table 7.1. */
enum armdyn_status armdyn_forward_dynamics(const struct armdyn_robot *robot, const double *q, const double *qd,
                                           const double *tau, const struct armdyn_load *load,
                                           struct armdyn_workspace *workspace, double *qdd);

/* The same for many samples, several at a time in the processor's vectors.
 *   samples      in   q for mass matrices; q, qd, tau, the load for accelerations
 *   mass_matrix  out  count x n x n
 *   qdd          out  count x n
 * No allocation. Forward dynamics answers OK, or ESINGULAR when M is not positive definite in some samples: their rows
 * are NAN, all others right. */
void armdyn_mass_matrix_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                              struct armdyn_workspace *workspace, double *mass_matrix);
enum armdyn_status armdyn_forward_dynamics_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                                 struct armdyn_workspace *workspace, double *qdd);

/* Poses of the tool and of every link frame of the convention, in the base frame.
 *   q      in   n
 *   tool   out  16      4 x 4 homogeneous; NULL = not wanted
 *   links  out  n x 16  NULL = not wanted
 * O(n). */
void armdyn_forward_kinematics(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                               double *tool, double *links);

/* Kinetic energy (reflected rotor inertia included) and potential energy (zero at the base origin), J.
 *   q, qd               in   n
 *   kinetic, potential  out  NULL = not wanted
 * Payload included. O(n). */
void armdyn_energy(const struct armdyn_robot *robot, const double *q, const double *qd,
                   struct armdyn_workspace *workspace, double *kinetic, double *potential);

/* Work that the joints of a log did, J: the integral of the sum of tau qd, by the trapezoidal rule; what is braked counts
 * against what is driven.
 *   n        in  joints
 *   t        in  count, s, increasing
 *   samples  in  qd and tau
 * O(count n), no allocation. */
double armdyn_samples_work(size_t n, const double *t, const struct armdyn_samples *samples);

#ifdef __cplusplus
}
#endif
#endif
