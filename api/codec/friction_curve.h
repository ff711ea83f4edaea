/* Friction as it is drawn, carried by results so that nobody needs its formula. */
#ifndef API_CODEC_FRICTION_CURVE_H
#define API_CODEC_FRICTION_CURVE_H

#include "api/json/writer.h"
#include "armdyn/robot.h"

enum { FRICTION_CURVE_POINTS = 81 };

/* Velocities to draw a joint's friction at, closer to each other around rest: up to its limit, or 1 rad/s (m/s). */
void friction_curve_velocities(const struct armdyn_joint *joint, double velocity[FRICTION_CURVE_POINTS]);

/* The members "curve" and, where there are lines over the motor angle, "position_curve".
 *   torque     in  at the velocities
 *   deviation  in  of it; NULL: not known
 *   lines      in  friction with these lines */
void friction_curve_encode(struct json_writer *w, const double *velocity, const double *torque, const double *deviation,
                           const struct armdyn_friction *lines);

#endif
