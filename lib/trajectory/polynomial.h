/* Evaluating one piece of a trajectory, whatever the time says. */
#ifndef LIB_TRAJECTORY_POLYNOMIAL_H
#define LIB_TRAJECTORY_POLYNOMIAL_H

#include "armdyn/trajectory.h"

/* State on piece k at s = t - breaks[k]; any out pointer may be NULL. */
void piece_state(const struct armdyn_trajectory *trajectory, size_t k, double s, double *q, double *qd, double *qdd,
                 double *qddd);

/* Room for a trajectory of up to this many pieces; counts are set, numbers are zero. */
enum armdyn_status trajectory_allocate(struct armdyn_trajectory *trajectory, size_t joints, size_t pieces,
                                       size_t degree, size_t waypoints);

#endif
