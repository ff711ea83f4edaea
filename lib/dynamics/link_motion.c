/* Velocities and accelerations of frames, by the outward half of Newton-Euler. */
#include "armdyn/terms.h"

#include "lib/dynamics/motion.h"
#include "lib/dynamics/workspace.h"

/* One link: its motion in its own canonical axes, with its place in the base. */
struct moving {
  struct pose at;
  struct motion motion; /* without gravity */
  double w[3], v[3];    /* angular velocity, velocity of the origin */
};

/* A frame that is fixed in the link, its origin at p in the link's canonical frame; in base axes. */
static struct armdyn_frame_motion motion_at(const struct moving *x, const double p[3])
{
  struct armdyn_frame_motion out = { .velocity = { 0 } };
  double v[3], a[3];
  cross3(v, x->w, p);
  rotate3(a, x->motion.K, p);
  for (int k = 0; k < 3; k++) v[k] += x->v[k], a[k] += x->motion.a[k];
  rotate3(out.velocity, x->at.r, x->w);
  rotate3(out.velocity + 3, x->at.r, v);
  rotate3(out.acceleration, x->at.r, x->motion.wd);
  rotate3(out.acceleration + 3, x->at.r, a);
  return out;
}

void armdyn_link_motion(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                        struct armdyn_workspace *workspace, struct armdyn_frame_motion *tool,
                        struct armdyn_frame_motion *links)
{
  const struct pose *pose = workspace->pose;
  struct moving x = { .at = { .r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } } };
  pose_joints(robot, q, workspace->pose);
  for (size_t i = 0; i < robot->joint_count; i++) {
    const bool prismatic = robot->joints[i].prismatic;
    const struct moving before = x;
    motion_outward(&x.motion, &before.motion, &pose[i], prismatic, qd[i], qdd ? qdd[i] : 0);
    velocity_outward(x.w, x.v, &pose[i], prismatic, qd[i]);
    pose_multiply(&x.at, &before.at, &pose[i]);
    if (links) links[i] = motion_at(&x, robot->joints[i].frame.p);
  }
  if (tool) *tool = motion_at(&x, robot->tool.p);
}
