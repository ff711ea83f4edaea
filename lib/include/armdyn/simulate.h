/* Motion in time: joint torques in, positions, energy and momentum out. Nothing is allocated. */
#ifndef ARMDYN_SIMULATE_H
#define ARMDYN_SIMULATE_H

#include "armdyn/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Joint torques of the drives: q, qd in, n; tau out, n. Called several times a step, also at times that are given up
 * again, so it may not depend on earlier calls; a law with jumps is best simulated from jump to jump. */
typedef void (*armdyn_torque_law)(void *context, double t, const double *q, const double *qd, double *tau);

/* What moves beside the joints and pushes them, as a spring with a mass behind it: a state of its own, integrated with q and
 * qd. */
enum { ARMDYN_ATTACHED_MAX = 128 };
struct armdyn_attached {
  size_t size;   /* of the state, <= ARMDYN_ATTACHED_MAX */
  double *state; /* in: at t = 0; then written before begin_sample, which may change it, and kept for the sink */
  /* The slope of the state, and what pushes the joints.
   *   state  in      size
   *   tau    in/out  n: the drives' torques become those that act on the links; called as armdyn_torque_law is
   *   rate   out     size, per second */
  void (*rate)(void *context, double t, const double *q, const double *qd, const double *state, double *tau,
               double *rate);
  void *context;
};

/* Zeros are the defaults, except where said. */
struct armdyn_simulation {
  const double *q, *qd;     /* n, at t = 0; must be given */
  double duration;          /* s, > 0; must be given */
  double sample_period;     /* s, > 0; must be given: samples at 0, one period, two, ... and at the duration */
  armdyn_torque_law torque; /* NULL: free motion */
  /* Called at every sample before the torque there is asked for: a law that holds its torque from sample to sample changes
   * it here, and integration starts anew. With torque_context; NULL: none. */
  void (*begin_sample)(void *context, double t, const double *q, const double *qd);
  void *torque_context;
  const struct armdyn_attached *attached; /* NULL: nothing */
  const struct armdyn_load *load;         /* constant, as in armdyn_inverse_dynamics; NULL = no wrench, with friction */
  double fixed_step;         /* s: the longest step that divides the sample period and is not above this; 0: adaptive */
  double relative_tolerance; /* of the adaptive step, default 1e-12 */
  double absolute_tolerance; /* rad, rad/s (m, m/s), default 1e-12 */
  long steps_max;            /* default 1,000,000 */
};

/* The state at one sample; the pointers live as long as the call that hands it over. */
struct armdyn_simulation_sample {
  double t;
  const double *q, *qd, *qdd, *tau; /* n; tau as the law gave it */
  double kinetic, potential;        /* J, as armdyn_energy */
  double momentum[6];               /* as armdyn_momentum */
};

/* Takes a sample; false ends the simulation. */
typedef bool (*armdyn_simulation_sink)(void *context, const struct armdyn_simulation_sample *sample);

/* Integrate M qdd = tau + J' w - C qd - g - F by a Runge-Kutta pair of order 8(7), each step landing on the samples.
 *   request    in
 *   sink       in   called for every sample, in order
 *   workspace  in   for at least n joints; `torque` and `sink` may use it too
 *   steps      out  how many were taken; NULL = not wanted
 *   error      out  what went wrong and when
 * OK; EINPUT for numbers that make no sense; ESINGULAR as armdyn_forward_dynamics; ELIMIT when steps_max is reached, or
 * the step needed became too short (a motion that diverges); ECANCELLED when the sink wants no more.
 * Friction that changes sign over `velocity_scale` forces steps of about M velocity_scale / coulomb near standstill.
 * Source: Prince & Dormand 1981 for the pair; Hairer, Norsett & Wanner 1993, II.4, for the lengths of its steps. */
enum armdyn_status armdyn_simulate(const struct armdyn_robot *robot, const struct armdyn_simulation *request,
                                   armdyn_simulation_sink sink, void *sink_context, struct armdyn_workspace *workspace,
                                   long *steps, struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
