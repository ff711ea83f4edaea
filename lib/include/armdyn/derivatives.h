/* How torques and accelerations change with the state.
 * Kernels as in armdyn/dynamics.h: no allocation, a workspace for each thread.
 */
#ifndef ARMDYN_DERIVATIVES_H
#define ARMDYN_DERIVATIVES_H

#include "armdyn/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Partial derivatives of the torque that armdyn_inverse_dynamics gives; that by qdd is the mass matrix, rows
 * times 1 + c s(qd_i) sgn y_i where friction depends on the load y.
 *   q, qd, qdd   in   n
 *   load         in         as in armdyn_inverse_dynamics. A wrench in tool axes turns with the tool, one in base axes
 *                           keeps its direction and moves along with the tool's origin
 *   dtau_dq      out  n x n element (i, j) is d tau_i / d q_j, N m/rad
 *   dtau_dqd     out  n x n N m s/rad; slopes of the friction included, as in dtau_dq
 *   mass_matrix  out  n x n as armdyn_mass_matrix
 * O(n^2), cannot fail.
 * Source: Carpentier & Mansard 2018; Singh, Russell & Wensing 2022 for the form with composite bodies. */
void armdyn_inverse_dynamics_derivatives(const struct armdyn_robot *robot, const double *q, const double *qd,
                                         const double *qdd, const struct armdyn_load *load,
                                         struct armdyn_workspace *workspace, double *dtau_dq, double *dtau_dqd,
                                         double *mass_matrix);

/* The same for many samples, several at a time in the processor's vectors.
 *   samples      in
 *   dtau_dq      out  count x n x n; NULL = not wanted, as the others
 *   dtau_dqd     out  count x n x n
 *   mass_matrix  out  count x n x n
 * No allocation, cannot fail. */
void armdyn_inverse_dynamics_derivatives_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                               struct armdyn_workspace *workspace, double *dtau_dq, double *dtau_dqd,
                                               double *mass_matrix);

/* Derivatives of a weighted sum of torques, sum_i weights_i tau_i, of many samples: the transposed derivatives times the
 * weights, as optimisers want them, in O(n) instead of O(n^2).
 *   samples         in
 *   weights         in   count x n
 *   by_q, by_qd, by_qdd  out  count x n
 * No allocation, cannot fail. */
void armdyn_inverse_dynamics_adjoint_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                           const struct armdyn_rows *weights, struct armdyn_workspace *workspace,
                                           double *by_q, double *by_qd, double *by_qdd);

/* Linear state space of the forward dynamics about a state: with x = [q; qd], dx/dt changes by a dx + b dtau.
 *   q, qd, tau  in   n
 *   load        in            as in armdyn_inverse_dynamics
 *   a           out  2n x 2n  [0 1; -M^-1 dtau/dq, -M^-1 dtau/dqd]
 *   b           out  2n x n   [0; M^-1], where friction depends on the load columns divided by that factor
 * OK, or ESINGULAR as armdyn_forward_dynamics; a and b are then undefined. O(n^3). */
enum armdyn_status armdyn_linearize(const struct armdyn_robot *robot, const double *q, const double *qd,
                                    const double *tau, const struct armdyn_load *load,
                                    struct armdyn_workspace *workspace, double *a, double *b);

#ifdef __cplusplus
}
#endif
#endif
