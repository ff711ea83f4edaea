/* What the torques of a profile hold, for controllers that add some of it themselves. */
#ifndef SERVER_GATEWAY_TORQUE_CONTENT_H
#define SERVER_GATEWAY_TORQUE_CONTENT_H

#include "api/codec/controller.h"
#include "armdyn/dynamics.h"

/* What is left out of tau = M qdd + C qd + g + F, because the controller adds it: nothing, g, or g + F.
 *   q, qd  in   n
 *   part   out  n, N m (N)
 * Source: g and F as in armdyn/terms.h. */
void torque_content_left_out(enum torque_content content, const struct armdyn_robot *robot, const double *q,
                             const double *qd, struct armdyn_workspace *workspace, double *part);

#endif
