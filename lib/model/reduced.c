#include "lib/model/reduced.h"

#include <math.h>

#include "lib/model/compiled.h"

/* Sines of right angles, rounded, are 1e-16. What is left out here is below the rounding of any torque. */
static const double ROUNDING = 1e-15;

/* Rz(angle) Tz(height), what frames are free by. */
struct freedom {
  double cosine, sine, height;
};

/* P = (freedom of the frame before) (the reduced joint); `after` is the freedom of the joint's own frame. */
static void reduce_frame(const struct pose *P, struct freedom after, struct reduced_joint *joint,
                         struct freedom *before)
{
  const double *r = P->r, sine = hypot(r[2], r[5]);
  double p[3], c = 1, s = 0;
  for (int k = 0; k < 3; k++) p[k] = P->p[k] + after.height * r[3 * k + 2];
  const double length = hypot(p[0], p[1]);
  joint->twist = TWIST_ANY;
  joint->twist_cosine = r[8];
  joint->twist_sine = sine;
  if (sine < ROUNDING) { /* parallel: x along the line between the axes */
    joint->twist_cosine = copysign(1, r[8]);
    joint->twist_sine = 0;
    if (joint->twist_cosine > 0) joint->twist = TWIST_NONE;
    if (length > 0) {
      c = p[0] / length;
      s = p[1] / length;
    }
  } else { /* z' = (s sine, -c sine, cosine) */
    c = -r[5] / sine;
    s = r[2] / sine;
    if (fabs(r[8]) < ROUNDING) {
      joint->twist = TWIST_RIGHT;
      joint->twist_cosine = 0;
      joint->twist_sine = 1;
    }
  }
  joint->x = c * p[0] + s * p[1];
  joint->y = joint->twist_sine > 0 ? c * p[1] - s * p[0] : 0;
  joint->offset = joint->x != 0 || joint->y != 0;
  *before = (struct freedom){ c, s, p[2] };

  /* Rz(angle) is Rx(-twist) Rz(-freedom) R, and the freedom of the frame itself comes on top */
  const double ac = c * r[0] + s * r[3], as = joint->twist_cosine * (c * r[3] - s * r[0]) + joint->twist_sine * r[6];
  joint->angle_cosine = ac * after.cosine - as * after.sine;
  joint->angle_sine = as * after.cosine + ac * after.sine;
}

/* The link's body in the new frame. */
static void turn_body(const struct distribution *body, struct freedom f, struct distribution *out)
{
  const struct pose back = { .r = { f.cosine, f.sine, 0, -f.sine, f.cosine, 0, 0, 0, 1 }, .p = { 0, 0, -f.height } };
  *out = (struct distribution){ 0 };
  distribution_add(out, &back, body);
}

/* Move what may belong to the link before over to it. */
static void regroup(struct reduced_joint *joint, struct distribution *before)
{
  const double c = joint->twist_cosine, s = joint->twist_sine;
  struct pose at = { .r = { 1, 0, 0, 0, c, -s, 0, s, c }, .p = { joint->x, joint->y, 0 } };
  struct distribution *link = &joint->link, moved = { 0 };
  if (joint->slides) {
    const struct pose turn = { .r = { joint->angle_cosine, -joint->angle_sine, 0, joint->angle_sine,
                                      joint->angle_cosine, 0, 0, 0, 1 } };
    const struct pose twist = at;
    pose_multiply(&at, &twist, &turn);
    memcpy(moved.s, link->s, sizeof moved.s);
    memset(link->s, 0, sizeof link->s);
  } else {
    moved.m = link->m;
    moved.h[2] = link->h[2];
    moved.s[2] = link->s[2];
    link->m = link->h[2] = link->s[2] = 0;
  }
  if (before) distribution_add(before, &at, &moved);
}

void reduced_bodies(const struct armdyn_robot *robot, struct distribution *bodies)
{
  struct freedom after = { 1, 0, 0 }, before;
  for (size_t i = robot->joint_count; i-- > 0; after = before) {
    struct reduced_joint joint;
    reduce_frame(&robot->joints[i].parent, after, &joint, &before);
    turn_body(&robot->joints[i].link, after, &bodies[i]);
  }
}

void reduced_compile(const struct armdyn_robot *robot, struct reduced_robot *reduced)
{
  struct freedom after = { 1, 0, 0 }, before;
  for (size_t i = robot->joint_count; i-- > 0; after = before) {
    struct reduced_joint *joint = &reduced->joints[i];
    joint->slides = robot->joints[i].prismatic;
    reduce_frame(&robot->joints[i].parent, after, joint, &before);
    turn_body(&robot->joints[i].link, after, &joint->link);
  }
  for (size_t i = robot->joint_count; i-- > 0;) {
    struct reduced_joint *joint = &reduced->joints[i];
    regroup(joint, i > 0 ? &reduced->joints[i - 1].link : NULL);
    double *s = joint->link.s;
    for (int k = 3; k < 6; k++) s[k] = fabs(s[k]) > ROUNDING * (fabs(s[0]) + fabs(s[1])) ? s[k] : 0;
    joint->products = s[3] != 0 || s[4] != 0 || s[5] != 0;
  }
  reduced->base_cosine = after.cosine;
  reduced->base_sine = after.sine;

  /* -Rx(-twist) Rz(-freedom) gravity */
  const struct reduced_joint *first = &reduced->joints[0];
  const double *g = robot->gravity, c = first->twist_cosine, s = first->twist_sine;
  const double x = after.cosine * g[0] + after.sine * g[1], y = after.cosine * g[1] - after.sine * g[0];
  const double across = c * y + s * g[2];
  reduced->upright = fmax(fabs(x), fabs(across)) <= ROUNDING * sqrt(dot3(g, g));
  reduced->upward[0] = reduced->upright ? 0 : -x;
  reduced->upward[1] = reduced->upright ? 0 : -across;
  reduced->upward[2] = s * y - c * g[2];
}
