/* Nearest points of two cores by the method of Gilbert, Johnson & Keerthi (1988), and how deep they are in each other. */
#ifndef LIB_GEOMETRY_GJK_H
#define LIB_GEOMETRY_GJK_H

#include "lib/geometry/convex.h"

/* A point of a - b and the points that it is the difference of. */
struct difference {
  double w[3], a[3], b[3];
};

struct simplex {
  size_t count;
  struct difference vertex[4];
  double weight[4]; /* of the vertices in the nearest point to the origin */
};

void difference_support(const struct convex *a, const struct convex *b, const double direction[3],
                        struct difference *out);

/* Nearest points of the cores. false: they overlap, and the simplex holds the origin. */
bool gjk(const struct convex *a, const struct convex *b, double pa[3], double pb[3], struct simplex *simplex);

/* Cores that overlap: the shortest way out.
 *   normal  out  unit vector: a moves along it
 * Returns how far, >= 0. */
double zonotopes_depth(const struct convex *a, const struct convex *b, double normal[3]);
/* The same for any cores, by the expanding polytope (van den Bergen 2001); from the simplex that gjk left. Never too small. */
double expanding_depth(const struct convex *a, const struct convex *b, const struct simplex *simplex, double normal[3]);

#endif
