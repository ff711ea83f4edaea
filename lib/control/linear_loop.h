/* A sampled loop, linear about rest: what its torques are of its torques, at a point z. */
#ifndef LIB_CONTROL_LINEAR_LOOP_H
#define LIB_CONTROL_LINEAR_LOOP_H

#include <complex.h>

#include "armdyn/margins.h"
#include "lib/control/filter.h"
#include "lib/control/linear_plant.h"

struct armdyn_linear_loop {
  const struct armdyn_robot *model;
  struct armdyn_control control;
  double q[ARMDYN_JOINTS_MAX];
  size_t n, delay;
  double velocity_filter; /* Hz; 0: exact */
  size_t section_count;
  struct section sections[2];
  struct linear_plant plant;
  double *by_q, *by_qd; /* n x n: K_q, K_v of the gains */
  double growth; /* 1/s: the grid is on the circle |z| = exp(growth T), which is just outside of the unit circle */
  size_t count;  /* of the grid */
  double *w;     /* count: rad/s, increasing, from 0 to half of the rate */
  double complex *arm; /* count x 2n x n: [P_q; P_v] there */
  double complex *scratch;
  struct linear_point *points; /* count, with the gains */
};

/* The loop at one frequency. */
struct linear_point {
  double complex pivots[ARMDYN_JOINTS_MAX]; /* of 1 + L */
  double complex broken[ARMDYN_JOINTS_MAX]; /* l, of each joint with all others closed */
};

/* At z = exp((growth + i w) T).
 *   arm  in  2n x n, there; NULL: it is computed */
void linear_loop_at(struct armdyn_linear_loop *loop, double growth, double w, const double complex *arm,
                    struct linear_point *point);

/* K_q, K_v of the gains. OK, EINPUT, EMEMORY. */
enum armdyn_status linear_loop_take(struct armdyn_linear_loop *loop, const struct armdyn_gains *gains,
                                    struct armdyn_error *error);

#endif
