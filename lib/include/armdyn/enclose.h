/* Bodies that enclose what a file of triangles shows: for arms and cells that are described by their meshes alone. */
#ifndef ARMDYN_ENCLOSE_H
#define ARMDYN_ENCLOSE_H

#include <stddef.h>

#include "armdyn/robot.h"
#include "armdyn/shape.h"
#include "armdyn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ARMDYN_ENCLOSING_MOST = 8 };

/* How bodies are fitted. */
struct armdyn_enclosing {
  unsigned kinds; /* which may be taken: bits 1 << ARMDYN_SPHERE, 1 << ARMDYN_CAPSULE, 1 << ARMDYN_BOX; one at least */
  double margin;  /* m, >= 0: no point is nearer to the surface */
  size_t most;    /* bodies, 1 .. ARMDYN_ENCLOSING_MOST; more than one where that makes them smaller by a tenth */
};

/* Small bodies of which each triangle lies in one, wholly.
 *   triangles  in   count x 9: x, y, z of three corners, m
 *   how        in
 *   bodies     out  room for how->most
 *   used       out  how many
 *   volume     out  m^3 of them all; NULL = not wanted
 * The body is found by a local search over its axes from a few starts: it encloses, which is checked for every corner, and is
 * small, but perhaps not the smallest. OK; EINPUT for numbers that are none, EMEMORY. */
enum armdyn_status armdyn_enclose(const double *triangles, size_t count, const struct armdyn_enclosing *how,
                                  struct armdyn_shape *bodies, size_t *used, double *volume,
                                  struct armdyn_error *error);

/* How far a point is from the surface of a sphere, a capsule or a box; negative inside. */
double armdyn_shape_distance(const struct armdyn_shape *shape, const double point[3]);

/* The corners of a convex polytope that encloses triangles: their hull where that has few faces, else one between it and the
 * box around it.
 *   triangles  in   count x 9
 *   points     out  room for ARMDYN_CONVEX_POINTS_MAX (armdyn/clearance.h) x 3
 *   used       out  how many
 *   volumes    out  m^3: of the polytope, and that the triangles enclose by the divergence theorem (of a closed surface whose
 *                   triangles all turn the same way); NULL = not wanted
 * OK; EINPUT for numbers that are none; EMEMORY. What has no thickness gets a micrometre. */
enum armdyn_status armdyn_enclose_convex(const double *triangles, size_t count, double *points, size_t *used,
                                         double volumes[2], struct armdyn_error *error);

enum { ARMDYN_HULL_TRIANGLES_MAX = 124 }; /* of ARMDYN_CONVEX_POINTS_MAX corners, by Euler's formula */

/* The surface of the hull of points, in triangles that are counter-clockwise seen from outside.
 *   points     in   count x 3, at most ARMDYN_CONVEX_POINTS_MAX
 *   triangles  out  room for ARMDYN_HULL_TRIANGLES_MAX x 9
 * Answers how many; 0: there are too many points, or all are in one plane. Allocates nothing. */
size_t armdyn_hull_triangles(const double *points, size_t count, double *triangles);

/* Bodies of an arm of which nothing but the lengths of its table is known: a capsule along each, a ball where a link has none.
 *   robot   in
 *   radius  in   n: of each link's, m
 *   bodies  out  room for ARMDYN_BODIES_MAX; not in the order of the parts
 *   used    out
 * OK; EINPUT: a slide without position limits, whose length cannot be told, or more than ARMDYN_BODIES_MAX. The real links may
 * be thicker, bent or beside their axes: it is for who has no drawings. */
enum armdyn_status armdyn_enclose_lengths(const struct armdyn_robot_description *robot, const double *radius,
                                          struct armdyn_part_body *bodies, size_t *used, struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
