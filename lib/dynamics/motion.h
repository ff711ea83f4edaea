/* One step of the recursions: motion outward from link to link, the force that a motion takes, forces inward.
 * Conventions in lib/math/spatial.h. Source: Luh, Walker & Paul 1980; Craig, ch. 6, written with the matrix
 * K = [wd]x + [w]x[w]x that gives the acceleration of any point x of a link, a + K x. */
#ifndef LIB_DYNAMICS_MOTION_H
#define LIB_DYNAMICS_MOTION_H

#include <stdbool.h>

#include "lib/math/spatial.h"

/* Motion of a frame, in its own axes: angular velocity, angular acceleration, acceleration of the origin, and K. */
struct motion {
  double w[3], wd[3], a[3];
  double K[9];
};

static inline void motion_matrix(struct motion *x)
{
  const double *w = x->w, *d = x->wd;
  const double xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2];
  const double xy = w[0] * w[1], xz = w[0] * w[2], yz = w[1] * w[2];
  x->K[0] = -yy - zz;
  x->K[1] = xy - d[2];
  x->K[2] = xz + d[1];
  x->K[3] = xy + d[2];
  x->K[4] = -xx - zz;
  x->K[5] = yz - d[0];
  x->K[6] = xz - d[1];
  x->K[7] = yz + d[0];
  x->K[8] = -xx - yy;
}

/* The motion of a link from its parent's; `at` is the link's frame in the parent's. */
static inline void motion_outward(struct motion *restrict x, const struct motion *restrict parent,
                                  const struct pose *at, bool prismatic, double qd, double qdd)
{
  double a[3];
  rotate3(a, parent->K, at->p);
  for (int k = 0; k < 3; k++) a[k] += parent->a[k];
  unrotate3(x->w, at->r, parent->w);
  unrotate3(x->wd, at->r, parent->wd);
  unrotate3(x->a, at->r, a);
  if (prismatic) {
    /* a += 2 w x (z qd) + z qdd */
    x->a[0] += 2 * qd * x->w[1];
    x->a[1] -= 2 * qd * x->w[0];
    x->a[2] += qdd;
  } else {
    /* wd += w x (z qd) + z qdd, w += z qd */
    x->wd[0] += qd * x->w[1];
    x->wd[1] -= qd * x->w[0];
    x->wd[2] += qdd;
    x->w[2] += qd;
  }
  motion_matrix(x);
}

/* [moment; force] that gives a link this motion, about its origin. */
static inline void inertial_force(double *restrict out, const struct motion *x, const struct distribution *d)
{
  /* integral of (a + K x) dm = m a + K h */
  rotate3(out + 3, x->K, d->h);
  for (int k = 0; k < 3; k++) out[3 + k] += d->m * x->a[k];

  /* integral of x cross (a + K x) dm = h cross a + the axial part of K S */
  const double *K = x->K, *s = d->s;
  cross3(out, d->h, x->a);
  out[0] += K[6] * s[3] + K[7] * s[1] + K[8] * s[5] - K[3] * s[4] - K[4] * s[5] - K[5] * s[2];
  out[1] += K[0] * s[4] + K[1] * s[5] + K[2] * s[2] - K[6] * s[0] - K[7] * s[3] - K[8] * s[4];
  out[2] += K[3] * s[0] + K[4] * s[3] + K[5] * s[4] - K[0] * s[3] - K[1] * s[1] - K[2] * s[5];
}

/* parent += the force on a link whose frame in the parent's is `at` */
static inline void force_inward(double *restrict parent, const struct pose *at, const double *restrict force)
{
  double moment[3], linear[3], arm[3];
  rotate3(moment, at->r, force);
  rotate3(linear, at->r, force + 3);
  cross3(arm, at->p, linear);
  for (int k = 0; k < 3; k++) {
    parent[k] += moment[k] + arm[k];
    parent[3 + k] += linear[k];
  }
}

/* The same for velocities alone: angular velocity and velocity of the origin, in the frame's own axes; in place. */
static inline void velocity_outward(double w[3], double v[3], const struct pose *at, bool prismatic, double qd)
{
  double at_joint[3], turned[3];
  /* v + w x p, turned into the link's axes; then the joint's own motion along or about z */
  cross3(at_joint, w, at->p);
  for (int k = 0; k < 3; k++) at_joint[k] += v[k];
  unrotate3(turned, at->r, w);
  unrotate3(v, at->r, at_joint);
  for (int k = 0; k < 3; k++) w[k] = turned[k];
  if (prismatic) {
    v[2] += qd;
  } else {
    w[2] += qd;
  }
}

#endif
