/* Equations of a joint by itself, of consecutive parts of data: what columns explain of parts that they were not fitted to.
 *   unknowns  x, as many as the joint has columns
 *   equations Y x = tau of each part, kept as [Y tau]'[Y tau]
 *   x         least squares over all parts but one, made definite by a little of the diagonal */
#ifndef LIB_IDENTIFY_HELD_OUT_H
#define LIB_IDENTIFY_HELD_OUT_H

#include "armdyn/signals.h"

enum { HELD_OUT_PARTS = ARMDYN_CUTOFF_PARTS };

struct joint_parts {
  size_t width; /* columns, and the torque behind them */
  double *gram; /* HELD_OUT_PARTS x width x width, their lower triangles */
};

bool joint_parts_open(struct joint_parts *parts, size_t width);
void joint_parts_close(struct joint_parts *parts);
void joint_parts_clear(struct joint_parts *parts);

/* The part of a sample.
 *   sample  in  0 .. total - 1 */
size_t part_of(size_t sample, size_t total);

/* Take in a row.
 *   row  in  width */
void joint_parts_add(struct joint_parts *parts, size_t part, const double *row);

/* Solve for the first `count` columns.
 *   without  in   a part that is left out; HELD_OUT_PARTS: none
 *   x        out  width
 * False: out of memory, or not finite. */
bool joint_parts_solve(const struct joint_parts *parts, size_t count, size_t without, double *x);

/* |Y x - tau|^2 of the first `count` columns on one part. */
double joint_parts_left(const struct joint_parts *parts, size_t part, size_t count, const double *x);

#endif
