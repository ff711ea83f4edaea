/* What an estimate says of a joint's friction, over its velocity. */
#include <math.h>

#include "lib/identify/unknowns.h"
#include "lib/model/parameters.h"

/* The covariance of two standard parameters; what leads no base parameter is known on its own only. */
static double covariance_of(const struct armdyn_unknowns *u, const struct armdyn_estimate *e, size_t a, size_t b)
{
  const size_t i = base_led_by(u, a), k = base_led_by(u, b);
  if (i < u->base_count && isnan(e->deviation[i])) return NAN;
  if (i < u->base_count && k < u->base_count) return e->covariance[i * u->base_count + k];
  return a == b ? e->standard_deviation[a] * e->standard_deviation[a] : 0;
}

void armdyn_friction_curve(const struct armdyn_unknowns *unknowns, const struct armdyn_estimate *estimate, size_t joint,
                           size_t count, const double *velocity, double *torque, double *deviation)
{
  const struct armdyn_unknowns *u = unknowns;
  const size_t lines = armdyn_robot_description(u->robot)->joints[joint].friction.ripple_count;
  double row[FRICTION_ROW_MAX], C[FRICTION_ROW_MAX][FRICTION_ROW_MAX];
  const size_t all = friction_row(u->robot, &u->choice, joint, 0, 0, 0, row), columns = all > lines ? all - lines : 0;
  size_t first = u->friction_first;
  while (first < u->standard_count && u->id[first].joint != joint) first++;
  for (size_t a = 0; a < columns; a++) {
    for (size_t b = 0; b < columns; b++) C[a][b] = covariance_of(u, estimate, first + a, first + b);
  }
  for (size_t k = 0; k < count; k++) {
    double square = 0;
    torque[k] = 0;
    friction_row(u->robot, &u->choice, joint, 0, velocity[k], 0, row);
    for (size_t a = 0; a < columns; a++) {
      torque[k] += row[a] * estimate->standard[first + a];
      for (size_t b = 0; b < columns; b++) square += row[a] * C[a][b] * row[b];
    }
    deviation[k] = isnan(square) ? NAN : sqrt(fmax(square, 0));
  }
}
