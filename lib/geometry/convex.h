/* Convex bodies and how far they are apart.
 *
 * A body is a core, from a point to the hull of points, and all that is within `radius` of it: a sphere is a point, a capsule
 * a segment with a radius. Distances are signed: that of two bodies which overlap is minus the smallest move that parts
 * them. It is the cores' distance less both radii.
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

/* Where two bodies are nearest to each other, or deepest in each other. */
struct nearest {
  double distance;   /* signed */
  double a[3], b[3]; /* on their surfaces; a - b = distance * normal */
  double normal[3];  /* unit vector from b to a: the way in which a moves to get away from b */
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

/* Signed distance; `out` NULL: only that is wanted. Of two half-spaces -INFINITY, and nothing else is told.
 * To 1e-10 of the bodies' extent, but for cylinders that overlap: there it may be too low by 1e-6 of it, never too high.
 * Segment and box by the root of a piecewise linear slope, half-spaces and points by projection; boxes, segments and points
 * that overlap by the facets of the zonotope that is their difference; the others by gjk.h and penetration.h.
 * Source: Ericson, Real-Time Collision Detection, 2005, ch. 5. */
double convex_distance(const struct convex *a, const struct convex *b, struct nearest *out);

#endif
