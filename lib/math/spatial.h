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

struct pose {
  double r[9];
  double p[3];
};

struct distribution {
  double m;
  double h[3];
  double s[6];
};

/* out = a b */
static inline void pose_multiply(struct pose *restrict out, const struct pose *a, const struct pose *b)
{
  multiply3(out->r, a->r, b->r);
  rotate3(out->p, a->r, b->p);
  for (int i = 0; i < 3; i++) out->p[i] += a->p[i];
}

static inline struct pose pose_inverse(const struct pose *x)
{
  struct pose out = { .r = { x->r[0], x->r[3], x->r[6], x->r[1], x->r[4], x->r[7], x->r[2], x->r[5], x->r[8] } };
  rotate3(out.p, out.r, x->p);
  for (int i = 0; i < 3; i++) out.p[i] = -out.p[i];
  return out;
}

/* out += the distribution `d` of a frame at `x`, in the frame that x is given in:
 * m, R h + m p, R S R' + p (R h)' + (R h) p' + m p p'. */
static inline void distribution_add(struct distribution *restrict out, const struct pose *x,
                                    const struct distribution *d)
{
  const double *r = x->r, *p = x->p, *s = d->s;
  const double full[9] = { s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2] };
  double h[3], rs[9];
  rotate3(h, r, d->h);
  multiply3(rs, r, full);
  static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  for (int k = 0; k < 6; k++) {
    const int i = row[k], j = column[k];
    out->s[k] += dot3(rs + 3 * i, r + 3 * j) + p[i] * h[j] + h[i] * p[j] + d->m * p[i] * p[j];
  }
  for (int i = 0; i < 3; i++) out->h[i] += h[i] + d->m * p[i];
  out->m += d->m;
}

#endif
