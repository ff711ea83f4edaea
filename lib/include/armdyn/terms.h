/* The terms of M(q) qdd + C(q,qd) qd + g(q) + F(q,qd) = tau + J' w one by one, momentum, and statics.
 * Kernels as in armdyn/dynamics.h: no allocation, no failure, a workspace for each thread.
 */
#ifndef ARMDYN_TERMS_H
#define ARMDYN_TERMS_H

#include "armdyn/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Coriolis matrix of Christoffel symbols: C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k / 2, the choice for
 * which dM/dt = C + C', so dM/dt - 2 C is skew-symmetric.
 *   q, qd            in   n
 *   coriolis_matrix  out  n x n, kg m^2/s (kg m/s, kg/s)
 * O(n^2). Source: Siciliano et al. 2009, section 7.2.1, for the definition. */
void armdyn_coriolis_matrix(const struct armdyn_robot *robot, const double *q, const double *qd,
                            struct armdyn_workspace *workspace, double *coriolis_matrix);

/* What speed costs, term by term: (C qd)_i = sum_jk D_ijk qd_j qd_k, D_ijk = D_ikj the Christoffel symbols of the first kind.
 * D_ijj qd_j^2 is centrifugal, the rest Coriolis.
 *   coefficients  out  n x n x n: i, j, k; kg m^2 (kg m, kg)
 * O(n^3). Source: Paul 1981, chapter 6; Siciliano et al. 2009, section 7.2.1. */
void armdyn_velocity_coefficients(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                                  double *coefficients);

/* C qd, g(q) and F(q,qd) alone.
 *   q, qd  in   n
 *   tau    out  n, N m (N)
 * O(n). */
void armdyn_coriolis_torque(const struct armdyn_robot *robot, const double *q, const double *qd,
                            struct armdyn_workspace *workspace, double *tau);
void armdyn_gravity_torque(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                           double *tau);
void armdyn_friction_torques(const struct armdyn_robot *robot, const double *q, const double *qd, double *tau);

/* What torques of drives transmit: they less all friction, also that of the load, which armdyn_friction_torques has not.
 *   q, qd, tau   in   n
 *   transmitted  out  n, N m (N); may be tau
 * O(n). */
void armdyn_transmitted_torques(const struct armdyn_robot *robot, const double *q, const double *qd, const double *tau,
                                double *transmitted);

/* g of many samples, of which only q is read; tau is count x n. */
void armdyn_gravity_torque_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                 struct armdyn_workspace *workspace, double *tau);

/* Momentum of all links and the payload. Rotors have none here: where they stand and which way they turn is no part of
 * the model.
 *   q, qd     in   n
 *   momentum  out  6  [angular about the base origin; linear] in base axes, kg m^2/s, kg m/s
 * O(n). */
void armdyn_momentum(const struct armdyn_robot *robot, const double *q, const double *qd,
                     struct armdyn_workspace *workspace, double momentum[6]);

/* Momentum of the joints, p = M qd with reflected rotor inertia, and what changes it besides torques:
 * dp/dt = tau + J' w - F + drift, drift = C' qd - g. C' qd is the slope of the kinetic energy over q (C as in
 * armdyn_coriolis_matrix), which one recursion of links gives without C.
 *   q, qd     in   n
 *   momentum  out  n, N m s (N s)
 *   drift     out  n, N m (N)
 * O(n). Source: De Luca & Mattone 2003 for the equation. */
void armdyn_joint_momentum(const struct armdyn_robot *robot, const double *q, const double *qd,
                           struct armdyn_workspace *workspace, double *momentum, double *drift);

/* The axes that a Jacobian is written in. */
enum armdyn_jacobian_frame { ARMDYN_JACOBIAN_BASE, ARMDYN_JACOBIAN_TOOL };

/* Geometric Jacobian at the tool origin: J qd = [angular velocity; velocity] of the tool.
 *   q         in   n
 *   jacobian  out  6 x n, rows wx wy wz vx vy vz (the HTTP API puts the linear rows first)
 * O(n). */
void armdyn_jacobian(const struct armdyn_robot *robot, const double *q, enum armdyn_jacobian_frame frame,
                     struct armdyn_workspace *workspace, double *jacobian);

/* dJ/dt qd: what d/dt (J qd) is without qdd. In base axes it is the tool's acceleration at qdd = 0; in tool axes, which
 * turn with the tool, their rotation is in it.
 *   q, qd  in   n
 *   out    out  6  [rad/s^2; m/s^2]
 * O(n). */
void armdyn_jacobian_dot_qd(const struct armdyn_robot *robot, const double *q, const double *qd,
                            enum armdyn_jacobian_frame frame, struct armdyn_workspace *workspace, double out[6]);

/* What holds the arm at rest against gravity and a wrench on the tool, friction left out.
 *   q               in   n
 *   wrench          in   6    as in struct armdyn_load, written in `frame`; NULL = none
 *   tau             out  n    g - J' w, N m (N)
 *   joint_wrenches  out  n x 6 [moment; force] that link i - 1 exerts on link i, at the origin and in the axes of link
 *                        frame i of the convention, N m, N; NULL = not wanted
 * O(n). Source: Craig, section 5.9. */
void armdyn_statics(const struct armdyn_robot *robot, const double *q, const double *wrench,
                    enum armdyn_wrench_frame frame, struct armdyn_workspace *workspace, double *tau,
                    double *joint_wrenches);

/* The same wrenches in motion: what link i - 1 exerts on link i with gravity, motion and the load's wrench.
 *   q, qd, qdd      in   n
 *   load            in          as in armdyn_inverse_dynamics
 *   joint_wrenches  out  n x 6  as in armdyn_statics
 * What a wrench has about (of a slide: along) its joint's axis is what moves the links: the torque less friction and the
 * inertia of the rotor, which are between drive and link. O(n). Source: Craig, section 6.5. */
void armdyn_joint_wrenches(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                           const struct armdyn_load *load, struct armdyn_workspace *workspace, double *joint_wrenches);

/* How a frame moves against the base, in base axes: d/dt of what armdyn_forward_kinematics answers.
 *   velocity      [angular velocity; velocity of the origin], rad/s, m/s
 *   acceleration  [angular acceleration; acceleration of the origin], rad/s^2, m/s^2: the classical one, d^2 p / dt^2 of
 *                 the origin, not the spatial one; without gravity */
struct armdyn_frame_motion {
  double velocity[6], acceleration[6];
};

/* Motion of the tool frame and of every link frame of the convention.
 *   q, qd  in   n
 *   qdd    in   n; NULL: 0
 *   tool   out     NULL = not wanted
 *   links  out  n  NULL = not wanted
 * O(n). Source: Craig, section 6.4. */
void armdyn_link_motion(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                        struct armdyn_workspace *workspace, struct armdyn_frame_motion *tool,
                        struct armdyn_frame_motion *links);

#ifdef __cplusplus
}
#endif
#endif
