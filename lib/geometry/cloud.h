/* Points that bodies are to enclose: internal to the fits. */
#ifndef LIB_GEOMETRY_CLOUD_H
#define LIB_GEOMETRY_CLOUD_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/shape.h"

enum { CLOUD_STARTS = 3, CLOUD_DIRECTIONS = 256 };

struct cloud {
  const double *points; /* count x 3 */
  size_t count;
};

/* The index-th of CLOUD_DIRECTIONS unit vectors on a spiral over the sphere that turns by the golden angle each time. */
void cloud_direction(int index, double out[3]);
/* Those that are farthest in some direction, of many that cover the sphere evenly.
 *   out  out  room for CLOUD_DIRECTIONS x 3
 * Answers how many. */
size_t cloud_extremes(const struct cloud *cloud, double *out);
/* Axes to begin with: those of the coordinates, the longest way through the points with the widest across it, and others. */
void cloud_start(const struct cloud *cloud, int start, double axes[9]);
/* m^3 of a sphere, a capsule or a box. */
double cloud_volume(const struct armdyn_shape *shape);
/* The smallest body that is found.
 *   all       in   every point
 *   extremes  in   as above
 *   kinds     in   bits 1 << ARMDYN_SPHERE .. 1 << ARMDYN_BOX
 *   rough     in   only what it takes up by the first look: `out` stays as it is
 *   room      out  3 x the count of `all`, or of `extremes` where those are more
 * Answers its volume. */
double cloud_enclose(const struct cloud *all, const struct cloud *extremes, unsigned kinds, double margin, bool rough,
                     double *room, struct armdyn_shape *out);

#endif
