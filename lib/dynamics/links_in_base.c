#include "lib/dynamics/links_in_base.h"

/* The joint's axis z: a line through p, or a direction. */
static void set_axis(struct link_in_base *x, bool prismatic)
{
  const double *r = x->at.r, z[3] = { r[2], r[5], r[8] };
  memset(x->axis, 0, sizeof x->axis);
  memcpy(x->axis + (prismatic ? 3 : 0), z, sizeof z);
  if (!prismatic) cross3(x->axis + 3, x->at.p, z);
}

void links_move(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                struct armdyn_workspace *workspace)
{
  struct link_in_base base = { .at = { .r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } } };
  const struct link_in_base *before = &base;
  for (int k = 0; k < 3; k++) base.acceleration[3 + k] = -robot->gravity[k];
  pose_joints(robot, q, workspace->pose);
  for (size_t i = 0; i < robot->joint_count; i++) {
    struct link_in_base *x = &workspace->links[i];
    double spin[6];
    pose_multiply(&x->at, &before->at, &workspace->pose[i]);
    set_axis(x, robot->joints[i].prismatic);
    cross_motion(x->turned, before->velocity, x->axis);
    cross_motion(x->turned_twice, before->velocity, x->turned);
    cross_motion(spin, before->acceleration, x->axis);
    for (int k = 0; k < 6; k++) {
      x->turned_twice[k] += spin[k];
      x->velocity[k] = before->velocity[k] + x->axis[k] * qd[i];
      x->acceleration[k] = before->acceleration[k] + x->axis[k] * qdd[i] + x->turned[k] * qd[i];
    }
    before = x;
  }
}
