/* Between what bounds the nodes of a graph lie while its inputs lie in a box: interval arithmetic, rounded outward, so that
 * what is said holds for the real numbers and for whoever computes them in float64 too. Source: Moore, Kearfott & Cloud,
 * Introduction to Interval Analysis, ch. 5.
 *
 * Plain intervals grow by 2 with every turn c x - s y. As c and s are of one angle it is at most the length of (x, y), and
 * sums of products of the sines and cosines of two angles are again sines and cosines: both are found first. */
#ifndef LIB_SYMBOLIC_RANGE_H
#define LIB_SYMBOLIC_RANGE_H

#include "lib/symbolic/expression.h"

struct range {
  double least, most;
};

/* The largest magnitude in it. */
double range_size(struct range x);

/* x + y and the like of sizes, rounded up. */
double size_add(double x, double y);
double size_multiply(double x, double y); /* 0 times anything is 0 */
double size_length(double x, double y);

/* What is known of a node whatever the box. */
struct angle_of {
  uint32_t angle; /* 0: no sine or cosine, else of which angle */
  bool sine;      /* else cosine */
  int sign;       /* of it: -1, 1 */
  bool turn;      /* c x + s y, or with minus: a sum of two products, */
  expr along[2];  /* x and y */
};

/* The angles of all nodes. Allocated; NULL: no memory. */
struct angle_of *angles_find(const struct expr_graph *g);

/*   angles  in   of the graph
 *   inputs  in   one for each number of the inputs
 *   out     out  one for each node */
void ranges_find(const struct expr_graph *g, const struct angle_of *angles, const struct range *inputs,
                 struct range *out);

#endif
