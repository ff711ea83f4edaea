/* Torques that depend on the state, as requests have them. */
#ifndef API_CODEC_STATE_FEEDBACK_H
#define API_CODEC_STATE_FEEDBACK_H

#include "api/codec/dynamics_request.h"
#include "api/json/fields.h"

/* tau = tau(t) - position (q - there) - velocity (qd - there_d), continuously. */
struct state_feedback {
  struct table position, velocity; /* n x n: N m/rad, N m s/rad; no rows: 0 */
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX];
};

json_decode_function state_feedback_decode;
void state_feedback_release(struct state_feedback *feedback);
/* Subtracted from n torques. */
void state_feedback_apply(const struct state_feedback *feedback, size_t n, const double *q, const double *qd,
                          double *tau);

#endif
