/* The spatial convention of the library, stated once:
 *
 * - Motion and force vectors are [angular; linear], in link axes, at the link frame's origin, in SI units.
 * - Every link carries a canonical frame: joint i moves link i about or along the z axis of its own frame. In the
 *   parent's frame that frame is P_i Rz(q) (revolute) or P_i Tz(q) (prismatic), P_i constant.
 * - A pose (r, p) of a child frame maps child coordinates x into the parent's: r x + p; r is row-major.
 * - A link's mass distribution is taken about the frame's origin as mass m = integral dm, first moment h = integral x dm
 *   and second moment S = integral x x' dm. All three add up when bodies are joined and are linear in the ten inertial
 *   parameters. The inertia matrix about the origin is I = tr(S) 1 - S.
 *
 * The six elements of a symmetric matrix stand in the order xx yy zz xy xz yz.
 * Source: Wensing, Kim & Slotine 2018 for the pseudo-inertia [S h; h' m]. */
#ifndef LIB_MATH_SPATIAL_H
#define LIB_MATH_SPATIAL_H

#include "lib/math/vector.h"

#define REAL    double
#define NAME(x) x
#include "lib/math/spatial_kernel.h"
#undef REAL
#undef NAME

static inline struct pose pose_inverse(const struct pose *x)
{
  struct pose out = { .r = { x->r[0], x->r[3], x->r[6], x->r[1], x->r[4], x->r[7], x->r[2], x->r[5], x->r[8] } };
  rotate3(out.p, out.r, x->p);
  for (int i = 0; i < 3; i++) out.p[i] = -out.p[i];
  return out;
}

#endif
