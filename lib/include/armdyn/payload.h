/* What an arm of known parameters carries: the ten parameters of a load, from a log of a motion with it. */
#ifndef ARMDYN_PAYLOAD_H
#define ARMDYN_PAYLOAD_H

#include "armdyn/identify.h"

#ifdef __cplusplus
extern "C" {
#endif

enum armdyn_payload_estimator {
  ARMDYN_PAYLOAD_WLS,       /* least squares, joints weighted by what is left of their torques */
  ARMDYN_PAYLOAD_CONSISTENT /* the same among the loads that a body can be */
};

/* What is found; vectors and matrices in the order m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz, about the origin and in the
 * axes of the tool frame. */
struct armdyn_payload_estimate {
  double parameters[10];
  double covariance[100];       /* of least squares, of what is identifiable; 0 elsewhere */
  bool identifiable[10];        /* false: the motion does not tell it; its value is the smallest, or a small ball's */
  struct armdyn_body body;      /* the same about the centre of mass, as a model writes it */
  struct armdyn_body deviation; /* standard deviations of its numbers; NAN: not identifiable */
  bool physical;                /* can a body have the parameters? */
  size_t rank;                  /* how many combinations of the ten the motion tells */
  double condition;             /* of the regressor over all joints, SI units; INFINITY: rank < 10 */
  double joint_deviation[ARMDYN_JOINTS_MAX]; /* N m (N), of the residuals */
  double correlation[ARMDYN_JOINTS_MAX];     /* how many samples of them count as one */
  size_t samples, rounds;                    /* taken in; of iteration */
  struct armdyn_warnings warnings;
};

/* Base parameters of a model, for armdyn_predict.
 *   unknowns  in   of the model, without payload
 *   payload   in   ten parameters of a load, about the tool frame; NULL: none
 *   beta      out  as many as there are base parameters */
void armdyn_model_base_parameters(const struct armdyn_unknowns *unknowns, const double *payload, double *beta);

/* Find the load.
 *   unknowns   in   of the arm, whose payload must be 0: their prior is what is known of the arm
 *   source     in   motions with the load; read three times
 *   cancelled  in   as in struct armdyn_estimation; NULL: never
 *   out        out
 * OK, EINPUT (a payload in the model, too few samples, a log that tells nothing of a load), ECANCELLED, EMEMORY, and what
 * the source refuses. Deterministic.
 * Sources: Khalil & Dombre, ch. 12 for the last link's columns; Wensing, Kim & Slotine 2018 (CONSISTENT). */
enum armdyn_status armdyn_identify_payload(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                           enum armdyn_payload_estimator estimator, bool (*cancelled)(void *context),
                                           void *context, struct armdyn_payload_estimate *out,
                                           struct armdyn_error *error);

/* The difference of two runs of one motion, with and without the load: the motion with the load, off whose torques is taken
 * what the model leaves of those without. What the model gets wrong then does no harm, as long as the load does not change it.
 *   unknowns  in   of the arm without payload
 *   loaded    in
 *   unloaded  in   repeats the same motion; when it began does not matter
 *   out       out  where both overlap, at the rate of `loaded`; release with armdyn_motion_free
 * OK, EINPUT (the motions are not the same) or EMEMORY. */
enum armdyn_status armdyn_payload_difference(const struct armdyn_unknowns *unknowns, const struct armdyn_motion *loaded,
                                             const struct armdyn_motion *unloaded, struct armdyn_motion *out,
                                             struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
