/* Points and the shapes that must hold them. */
#ifndef TESTS_SUPPORT_OUTSIDE_H
#define TESTS_SUPPORT_OUTSIDE_H

#include <math.h>

#include "armdyn/armdyn.h"

/* How far a point is out of a box by half-spaces, of a capsule or ball by ternary search on its line: not as the library. */
static inline double outside(const struct armdyn_shape *shape, const double *p)
{
  if (shape->kind == ARMDYN_BOX) {
    const double *e = shape->pose.rpy, cr = cos(e[0]), sr = sin(e[0]), cp = cos(e[1]), sp = sin(e[1]), cy = cos(e[2]),
                 sy = sin(e[2]);
    const double axes[3][3] = { { cy * cp, sy * cp, -sp },
                                { cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr },
                                { cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr } };
    double most = -INFINITY;
    for (int k = 0; k < 3; k++) {
      double along = 0;
      for (int i = 0; i < 3; i++) along += axes[k][i] * (p[i] - shape->pose.translation[i]);
      most = fmax(most, fabs(along) - shape->size[k] / 2);
    }
    return most;
  }
  double low = 0, high = shape->kind == ARMDYN_CAPSULE, best = INFINITY;
  for (int round = 0; round < 200; round++) {
    const double t[2] = { low + (high - low) / 3, high - (high - low) / 3 };
    double d[2];
    for (int i = 0; i < 2; i++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) {
        const double on = shape->from[k] + t[i] * (high > 0 ? shape->to[k] - shape->from[k] : 0);
        sum += (p[k] - on) * (p[k] - on);
      }
      d[i] = sqrt(sum), best = fmin(best, d[i]);
    }
    if (d[0] < d[1])
      high = t[1];
    else
      low = t[0];
  }
  return best - shape->radius;
}

#endif
