#include "armdyn/terms.h"
#include "lib/dynamics/motion.h"
#include "lib/dynamics/workspace.h"

/* Of a link's frame, in its own axes: angular velocity, velocity of the origin, and gravity. */
struct moving {
  double w[3], v[3], fall[3];
};

/* Everything from one joint to the tool as one body, about the joint's frame. */
struct beyond {
  double m, h[3];
};

static void beyond_inward(struct beyond *x, const struct pose *at)
{
  double turned[3];
  rotate3(turned, at->r, x->h);
  for (int k = 0; k < 3; k++) x->h[k] = turned[k] + x->m * at->p[k];
}

/* When a joint moves by itself, everything beyond it moves with it under the velocity that the link before has: a body of
 * momentum P and angular momentum L gains the kinetic energy (w x z).L + (v x z).P, and the weight does its work. */
static double drift_of(const struct moving *x, const double *momentum, const struct beyond *beyond, bool prismatic)
{
  const double *w = x->w, *v = x->v, *L = momentum, *P = momentum + 3;
  if (prismatic) return w[1] * P[0] - w[0] * P[1] + beyond->m * x->fall[2];
  return w[1] * L[0] - w[0] * L[1] + v[1] * P[0] - v[0] * P[1] + beyond->h[0] * x->fall[1] - beyond->h[1] * x->fall[0];
}

void armdyn_joint_momentum(const struct armdyn_robot *robot, const double *q, const double *qd,
                           struct armdyn_workspace *workspace, double *momentum, double *drift)
{
  struct moving moving[1 + ARMDYN_JOINTS_MAX] = { { .w = { 0 } } }; /* the base, then the links */
  struct beyond beyond = { 0 };
  double *link = workspace->force;
  memcpy(moving[0].fall, robot->gravity, sizeof moving[0].fall);
  pose_joints(robot, q, workspace->pose);
  for (size_t i = 0; i < robot->joint_count; i++) {
    struct moving *x = &moving[i + 1];
    *x = moving[i];
    velocity_outward(x->w, x->v, &workspace->pose[i], robot->joints[i].prismatic, qd[i]);
    unrotate3(x->fall, workspace->pose[i].r, moving[i].fall);
    const double velocity[6] = { x->w[0], x->w[1], x->w[2], x->v[0], x->v[1], x->v[2] };
    body_times(link + 6 * i, &robot->joints[i].link, velocity);
  }
  for (size_t i = robot->joint_count; i-- > 0;) {
    const struct compiled_joint *joint = &robot->joints[i];
    beyond.m += joint->link.m;
    for (int k = 0; k < 3; k++) beyond.h[k] += joint->link.h[k];
    momentum[i] = link[6 * i + (joint->prismatic ? 5 : 2)];
    drift[i] = drift_of(&moving[i + 1], link + 6 * i, &beyond, joint->prismatic);
    if (i > 0) force_inward(link + 6 * (i - 1), &workspace->pose[i], link + 6 * i);
    beyond_inward(&beyond, &workspace->pose[i]);
  }
  rotor_inertia_add(robot, qd, momentum);
}
