/* How far a sampled loop is from its edge: the loop of armdyn_loop_simulate linearised at rest, and its margins.
 *
 * The arm is x' = A x + B u about rest at q (armdyn_linearize, without friction: what friction takes from a motion damps it,
 * and dry friction has no linear form), its torque held from period to period, so that x(k + 1) = F x(k) + H u(k) exactly. The
 * law is its own derivatives, by central differences of armdyn_controller_step, and ki T z/(z - 1); then come the torque
 * filters, the delay, and the filter of a differenced velocity. Elastic gears without play and current loops of the plant are
 * states beside those of the links, and what is measured is as there (the motors, or link encoders). At the joints'
 * torques the loop is the n x n matrix
 *
 *   L(z) = filter(z) z^-delay [(K_q + ki T z/(z - 1)) P_q(z) + K_v P_v(z)],   [P_q; P_v] = (z - F)^-1 H
 *
 * Source: Franklin, Powell & Workman, Digital Control of Dynamic Systems, ch. 4 and 7; Skogestad & Postlethwaite, ch. 2, 4. */
#ifndef ARMDYN_MARGINS_H
#define ARMDYN_MARGINS_H

#include "armdyn/control.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of one joint's loop, broken at its torque with all others closed: l = 1 / [(1 + L)^-1]_jj - 1. */
struct armdyn_loop_margin {
  double gain;        /* > 1: times so much, and the loop is at its edge; INFINITY: never */
  double gain_least;  /* < 1: likewise; 0: never */
  double phase;       /* rad, >= 0: so much more lag or lead, and it is there; INFINITY: |l| is nowhere 1 */
  double delay;       /* s: so much later, and it is there; INFINITY: never */
  double crossover;   /* Hz: the highest frequency where |l| = 1; 0: none */
  double sensitivity; /* the largest |1 / (1 + l)|: by how much what is off is amplified at worst */
};

struct armdyn_linear_loop;

/*   loop  in   model, plant, elements, delay and velocity_filter are read, and of control law, period and filter; a load on the plant
 *              does not count. The model must outlive the linear loop
 *   q     in   n, where; at rest
 *   out   out  release with armdyn_linear_loop_free
 * OK; EINPUT as armdyn_controller_new, and for elements without a linear form (play, ripple, contact); ESINGULAR as
 * armdyn_forward_dynamics; EMEMORY. */
enum armdyn_status armdyn_linear_loop_new(const struct armdyn_loop *loop, const double *q,
                                          struct armdyn_linear_loop **out, struct armdyn_error *error);
void armdyn_linear_loop_free(struct armdyn_linear_loop *loop);

/* With these gains.
 *   margins   out  n; meaningless where the loop is unstable. NULL: only `unstable` is wanted
 *   unstable  out  poles outside of the unit circle, by the argument principle
 * OK; EINPUT as armdyn_controller_new; EMEMORY. */
enum armdyn_status armdyn_linear_loop_margins(struct armdyn_linear_loop *loop, const struct armdyn_gains *gains,
                                              struct armdyn_loop_margin *margins, size_t *unstable,
                                              struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
