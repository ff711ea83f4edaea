/* All links in base axes, for kernels that compare links with each other; motions and forces [angular; linear] at the
 * base origin. */
#ifndef LIB_DYNAMICS_LINKS_IN_BASE_H
#define LIB_DYNAMICS_LINKS_IN_BASE_H

#include "lib/dynamics/workspace.h"

/* out = u x s: the rate of a motion s that is carried along by a motion u */
static inline void cross_motion(double *restrict out, const double u[6], const double s[6])
{
  double other[3];
  cross3(out, u, s);
  cross3(out + 3, u, s + 3);
  cross3(other, u + 3, s);
  for (int k = 0; k < 3; k++) out[3 + k] += other[k];
}

/* out = u x* f: the rate of a force f that is carried along */
static inline void cross_force(double *restrict out, const double u[6], const double f[6])
{
  double other[3];
  cross3(out, u, f);
  cross3(other, u + 3, f + 3);
  cross3(out + 3, u, f + 3);
  for (int k = 0; k < 3; k++) out[k] += other[k];
}

static inline double dot6(const double *a, const double *b)
{
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

/* out = the inertia of a body times a motion: [h x v + (tr(S) 1 - S) w; m v + w x h] */
static inline void body_times(double *restrict out, const struct distribution *d, const double u[6])
{
  const double *s = d->s, trace = s[0] + s[1] + s[2];
  double turn[3];
  cross3(out, d->h, u + 3);
  cross3(turn, u, d->h);
  out[0] += trace * u[0] - (s[0] * u[0] + s[3] * u[1] + s[4] * u[2]);
  out[1] += trace * u[1] - (s[3] * u[0] + s[1] * u[1] + s[5] * u[2]);
  out[2] += trace * u[2] - (s[4] * u[0] + s[5] * u[1] + s[2] * u[2]);
  for (int k = 0; k < 3; k++) out[3 + k] = d->m * u[3 + k] + turn[k];
}

/* Pose, axis, velocity and acceleration of every link. Sets workspace->pose and ->links. */
void links_move(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                struct armdyn_workspace *workspace);

#endif
