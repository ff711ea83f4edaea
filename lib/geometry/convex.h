/* Convex bodies. A body is a core, from a point to the hull of points, and all that is within `radius` of it: a sphere is a
 * point, a capsule a segment with a radius.
 *
 * Nothing allocates, nothing fails. */
#ifndef LIB_GEOMETRY_CONVEX_H
#define LIB_GEOMETRY_CONVEX_H

#include <stdbool.h>

#include "armdyn/shape.h"
#include "lib/math/spatial.h"

enum core { CORE_POINT, CORE_SEGMENT, CORE_BOX, CORE_CYLINDER, CORE_HULL, CORE_HALF_SPACE, CORE_COUNT };

struct convex {
  enum core core;
  double radius;
  double center[3]; /* of the half-space: a point of its plane */
  double axis[3]
             [3]; /* box, cylinder, hull: its own axes x, y, z; segment: [0] from its middle to an end; half-space: [0]
                           the unit vector out of it */
  double half[3]; /* box: half of its edges; cylinder: [0] radius, [2] half of its length along z */
  double reach;   /* everything lies within it of the centre, radius included; half-space: infinite */
  const double *points; /* hull: point_count x 3, from the centre, in its own axes; borrowed */
  size_t point_count;
};

void convex_of_shape(const struct armdyn_shape *shape, struct convex *out);
/* out = the body in the frame that `pose` is given in; may not be the body itself */
void convex_move(const struct pose *pose, const struct convex *body, struct convex *restrict out);
/* The corners of the box in those axes that the body fills, radius included; infinite ones of a half-space. */
void convex_bounds(const struct convex *body, double lower[3], double upper[3]);
/* The point of the core that is farthest in a direction, which need not be of length 1. Not of a half-space. */
void core_support(const struct convex *body, const double direction[3], double out[3]);
/* |direction|-fold extent of the core's points in that direction from the centre */
double core_extent(const struct convex *body, const double direction[3]);
/* out += x axis[i] */
static inline void core_along(const struct convex *body, int i, double x, double out[3])
{
  for (int k = 0; k < 3; k++) out[k] += x * body->axis[i][k];
}

#endif
