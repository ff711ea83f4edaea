/* How far convex bodies are apart. Distances are signed: that of two bodies which overlap is minus the smallest move that
 * parts them. It is the cores' distance less both radii.
 *
 * Nothing allocates, nothing fails. */
#ifndef LIB_GEOMETRY_DISTANCE_H
#define LIB_GEOMETRY_DISTANCE_H

#include "lib/geometry/convex.h"

/* Where two bodies are nearest to each other, or deepest in each other. */
struct nearest {
  double distance;   /* signed */
  double a[3], b[3]; /* on their surfaces; a - b = distance * normal */
  double normal[3];  /* unit vector from b to a: the way in which a moves to get away from b */
};

/* Signed distance; `out` NULL: only that is wanted. Of two half-spaces -INFINITY, and nothing else is told.
 * To 1e-10 of the bodies' extent, but for cylinders that overlap: there it may be too low by 1e-6 of it, never too high.
 * Segment and box by the root of a piecewise linear slope, half-spaces and points by projection; boxes, segments and points
 * that overlap by the facets of the zonotope that is their difference; the others by gjk.h.
 * Source: Ericson, Real-Time Collision Detection, 2005, ch. 5. */
double convex_distance(const struct convex *a, const struct convex *b, struct nearest *out);

#endif
