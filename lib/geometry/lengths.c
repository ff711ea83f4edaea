/* Bodies of an arm of which nothing but lengths is known: a capsule along every way that its description goes from one joint
 * axis to the next. The way along an axis belongs to the link that turns about it, or slides along it. */
#include <math.h>
#include <string.h>

#include "armdyn/enclose.h"

static const double no_length = 1e-6; /* m */

struct lengths {
  const struct armdyn_robot_description *robot;
  const double *radius;
  struct armdyn_part_body *bodies;
  size_t count;
  bool full;
};

static bool is_long(const double from[3], const double to[3])
{
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += (to[k] - from[k]) * (to[k] - from[k]);
  return sum > no_length * no_length;
}

/* The base is as thick as the first link. */
static void add(struct lengths *l, int part, const double from[3], const double to[3])
{
  struct armdyn_shape shape = { .kind = ARMDYN_CAPSULE, .radius = l->radius[part < 0 ? 0 : part] };
  if (l->count == ARMDYN_BODIES_MAX) {
    l->full = true;
    return;
  }
  if (!is_long(from, to)) shape.kind = ARMDYN_SPHERE;
  memcpy(shape.from, from, sizeof shape.from);
  if (shape.kind == ARMDYN_CAPSULE) memcpy(shape.to, to, sizeof shape.to);
  l->bodies[l->count++] = (struct armdyn_part_body){ part, shape };
}

static void add_long(struct lengths *l, int part, const double from[3], const double to[3])
{
  if (is_long(from, to)) add(l, part, from, to);
}

/* How far along the joint's axis its link is from where it begins; of a slide at both ends of its way, and at none.
 * false: a slide without ends. */
static bool along_axis(const struct armdyn_joint *joint, double constant, double range[2])
{
  range[0] = fmin(0, constant), range[1] = fmax(0, constant);
  if (joint->type == ARMDYN_REVOLUTE) return true;
  for (int k = 0; k < 2; k++) {
    const double at = constant + joint->offset + joint->limits.position[k];
    if (!isfinite(at)) return false;
    range[0] = fmin(range[0], at), range[1] = fmax(range[1], at);
  }
  return true;
}

/* From there back to where it begins, in the link's frame: from a point, along a unit vector. */
static void add_axis(struct lengths *l, int part, const double at[3], const double axis[3], const double range[2])
{
  double from[3], to[3];
  for (int k = 0; k < 3; k++) from[k] = at[k] - range[0] * axis[k], to[k] = at[k] - range[1] * axis[k];
  add_long(l, part, from, to);
}

/* The link's own way to the next joint; false: a slide without ends. */
static bool add_dh(struct lengths *l, int i)
{
  const struct armdyn_joint *joint = &l->robot->joints[i];
  const double elbow[3] = { -joint->a, 0, 0 }, here[3] = { 0 };
  const double axis[3] = { 0, sin(joint->alpha), cos(joint->alpha) };
  double range[2];
  add_long(l, i, elbow, here);
  if (!along_axis(joint, joint->d, range)) return false;
  add_axis(l, i, elbow, axis, range);
  return true;
}

static bool add_mdh(struct lengths *l, int i)
{
  const struct armdyn_joint *joint = &l->robot->joints[i];
  const double here[3] = { 0 }, z[3] = { 0, 0, 1 }, elbow[3] = { joint->a, 0, 0 };
  double range[2];
  add_long(l, i - 1, here, elbow);
  if (!along_axis(joint, joint->d, range)) return false;
  add_axis(l, i, here, z, range);
  return true;
}

static bool add_frames(struct lengths *l, int i)
{
  const struct armdyn_joint *joint = &l->robot->joints[i];
  const double here[3] = { 0 };
  double range[2];
  add_long(l, i - 1, here, joint->frame.translation);
  if (joint->type == ARMDYN_REVOLUTE) return true;
  if (!along_axis(joint, 0, range)) return false;
  add_axis(l, i, here, joint->axis, range);
  return true;
}

enum armdyn_status armdyn_enclose_lengths(const struct armdyn_robot_description *robot, const double *radius,
                                          struct armdyn_part_body *bodies, size_t *used, struct armdyn_error *error)
{
  static bool (*const ways[])(struct lengths * l,
                              int i) = { [ARMDYN_DH] = add_dh, [ARMDYN_MDH] = add_mdh, [ARMDYN_FRAMES] = add_frames };
  struct lengths l = { robot, radius, bodies, 0, false };
  const int n = (int)robot->joint_count;
  const double here[3] = { 0 };
  for (int i = 0; i < n; i++) {
    char where[64];
    snprintf(where, sizeof where, "/joints/%d/limits/position", i);
    if (!(radius[i] > 0 && radius[i] < 1e4))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/radius", "must be > 0 m, got %g", radius[i]);
    if (!ways[robot->convention](&l, i))
      return armdyn_refuse(error, ARMDYN_EINPUT, where, "the slide '%s' has no ends: how long it is cannot be told",
                           robot->joints[i].name);
  }
  add_long(&l, n - 1, here, robot->tool.translation);
  for (int part = 0; part < n; part++) { /* what has no length has a housing all the same */
    size_t i = 0;
    while (i < l.count && bodies[i].part != part) i++;
    if (i == l.count) add(&l, part, here, here);
  }
  *used = l.count;
  if (!l.full) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "", "it would have more than %d bodies", ARMDYN_BODIES_MAX);
}
