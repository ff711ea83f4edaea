#include "api/codec/friction_curve.h"

#include <math.h>

enum { POINTS = FRICTION_CURVE_POINTS };
static const double turn = 2 * 3.14159265358979323846;

/* Of the fastest line so many periods are drawn, or one of the slowest where that is shorter. */
static const double PERIODS = 8;

void friction_curve_velocities(const struct armdyn_joint *joint, double velocity[POINTS])
{
  const double most = isfinite(joint->limits.velocity) ? joint->limits.velocity : 1;
  for (int k = 0; k < POINTS; k++) {
    const double x = 2.0 * k / (POINTS - 1) - 1;
    velocity[k] = most * x * fabs(x);
  }
}

static void encode_position(struct json_writer *w, const struct armdyn_friction *friction)
{
  double slowest = INFINITY, fastest = 0, angle[POINTS], torque[POINTS];
  for (size_t k = 0; k < friction->ripple_count; k++) {
    slowest = fmin(slowest, fabs(friction->ripples[k].order));
    fastest = fmax(fastest, fabs(friction->ripples[k].order));
  }
  if (!(fastest > 0)) return;
  const double way = slowest > 0 ? fmin(turn / slowest, PERIODS * turn / fastest) : PERIODS * turn / fastest;
  for (int k = 0; k < POINTS; k++) {
    angle[k] = way * k / (POINTS - 1);
    torque[k] = armdyn_friction_over_angle(friction, angle[k]);
  }
  json_key(w, "position_curve"), json_begin_object(w);
  json_key(w, "motor_angle"), json_write_numbers(w, angle, POINTS);
  json_key(w, "torque"), json_write_numbers(w, torque, POINTS);
  json_end_object(w);
}

void friction_curve_encode(struct json_writer *w, const double *velocity, const double *torque, const double *deviation,
                           const struct armdyn_friction *lines)
{
  json_key(w, "curve"), json_begin_object(w);
  json_key(w, "velocity"), json_write_numbers(w, velocity, POINTS);
  json_key(w, "torque"), json_write_numbers(w, torque, POINTS);
  if (deviation) json_key(w, "std"), json_write_numbers(w, deviation, POINTS);
  json_end_object(w);
  encode_position(w, lines);
}
