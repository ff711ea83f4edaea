#include "armdyn/terms.h"

#include "lib/dynamics/motion.h"
#include "lib/dynamics/workspace.h"

/* [angular; linear] momentum of a link about its origin: h x v + (tr(S) 1 - S) w, m v + w x h. */
static void link_momentum(double *restrict out, const struct distribution *d, const double w[3], const double v[3])
{
  const double *s = d->s, trace = s[0] + s[1] + s[2];
  const double S[9] = { s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2] };
  double Sw[3];
  rotate3(Sw, S, w);
  cross3(out, d->h, v);
  cross3(out + 3, w, d->h);
  for (int k = 0; k < 3; k++) {
    out[k] += trace * w[k] - Sw[k];
    out[3 + k] += d->m * v[k];
  }
}

void armdyn_momentum(const struct armdyn_robot *robot, const double *q, const double *qd,
                     struct armdyn_workspace *workspace, double momentum[6])
{
  double w[3] = { 0 }, v[3] = { 0 }, *link = workspace->force;
  pose_joints(robot, q, workspace->pose);
  for (size_t i = 0; i < robot->joint_count; i++) {
    velocity_outward(w, v, &workspace->pose[i], robot->joints[i].prismatic, qd[i]);
    link_momentum(link + 6 * i, &robot->joints[i].link, w, v);
  }
  /* momentum moves from frame to frame as a force does */
  memset(momentum, 0, 6 * sizeof *momentum);
  for (size_t i = robot->joint_count; i-- > 0;) {
    force_inward(i > 0 ? link + 6 * (i - 1) : momentum, &workspace->pose[i], link + 6 * i);
  }
}
