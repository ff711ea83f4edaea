/* Integrates what changes in time by a pair of order 8(7). Nothing is allocated. */
#ifndef LIB_DYNAMICS_RUNGE_KUTTA_H
#define LIB_DYNAMICS_RUNGE_KUTTA_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/robot.h"

enum { RUNGE_KUTTA_STAGES = 13, RUNGE_KUTTA_STATES_MAX = 2 * ARMDYN_JOINTS_MAX + 128 };

enum runge_kutta_status {
  RUNGE_KUTTA_OK,
  RUNGE_KUTTA_NO_RATE,  /* there is none at a state that was tried */
  RUNGE_KUTTA_TOO_LONG, /* no step that is long enough to be told apart is short enough */
};

/* rate of a state, both `size` long; false: there is none. One that is not finite asks for a shorter step. */
typedef bool (*runge_kutta_rate)(void *context, double t, const double *state, double *rate);

/* What is zero is as it begins. */
struct runge_kutta {
  runge_kutta_rate rate;
  void *context;
  size_t size;
  double relative, absolute; /* tolerance of a step */
  double shortest;           /* step */
  double state[RUNGE_KUTTA_STATES_MAX];
  long steps; /* taken */
  bool begun; /* rates[0] is that of `state` */
  double length, error_before;
  double trial[RUNGE_KUTTA_STATES_MAX], rates[RUNGE_KUTTA_STAGES][RUNGE_KUTTA_STATES_MAX];
};

/* One step from t to t + h. */
enum runge_kutta_status runge_kutta_fixed(struct runge_kutta *r, double t, double h);

/* One step as long as the tolerance allows, not beyond `to`, which *t becomes at the last. */
enum runge_kutta_status runge_kutta_adaptive(struct runge_kutta *r, double *t, double to);

#endif
