/* What a controller moves, linear about rest, from one period to the next: x(k + 1) = F x(k) + H u(k). */
#ifndef LIB_CONTROL_LINEAR_PLANT_H
#define LIB_CONTROL_LINEAR_PLANT_H

#include "armdyn/control.h"

struct linear_plant {
  size_t n, states;
  double *F, *H;                                                /* states x states, states x n */
  size_t seen_q[ARMDYN_JOINTS_MAX], seen_qd[ARMDYN_JOINTS_MAX]; /* the states that are measured */
  size_t motor_q[ARMDYN_JOINTS_MAX], motor_qd[ARMDYN_JOINTS_MAX];
  size_t torque[ARMDYN_JOINTS_MAX];         /* of drives with a current loop; 0: it acts at once */
  size_t unstable;                          /* poles of it alone outside of the unit circle */
  double resonances[2 * ARMDYN_JOINTS_MAX]; /* rad/s, of the undamped arm with elastic gears */
  size_t resonance_count;
};

/*   q  in  n, of the links; at rest
 * OK; EINPUT (elements without a linear form), ESINGULAR, EMEMORY; closed then. */
enum armdyn_status linear_plant_open(struct linear_plant *plant, const struct armdyn_loop *loop, const double *q,
                                     struct armdyn_error *error);
void linear_plant_close(struct linear_plant *plant);

#endif
