/* Compiling a description: every convention is pre_i J(q) post_i with J about or along z, so
 * P_i = post_(i-1) pre_i, and post_i takes the canonical frame to the link frame of the convention. */
#include <math.h>

#include "lib/math/linear.h"
#include "lib/math/rotation.h"
#include "lib/model/compiled.h"
#include "lib/model/friction.h"
#include "lib/model/reduced.h"

static const struct pose identity = { .r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };

/* Rz(angle) Tz(length) */
static struct pose screw_z(double angle, double length)
{
  const double c = cos(angle), s = sin(angle);
  return (struct pose){ .r = { c, -s, 0, s, c, 0, 0, 0, 1 }, .p = { 0, 0, length } };
}

/* Rx(angle) Tx(length) */
static struct pose screw_x(double angle, double length)
{
  const double c = cos(angle), s = sin(angle);
  return (struct pose){ .r = { 1, 0, 0, 0, c, -s, 0, s, c }, .p = { length, 0, 0 } };
}

static struct pose pose_of(const struct armdyn_pose *written)
{
  struct pose pose;
  rotation_of_rpy(written->rpy, pose.r);
  memcpy(pose.p, written->translation, sizeof pose.p);
  return pose;
}

/* The shortest rotation that takes z to the unit vector `axis` (half a turn about x for -z). */
static struct pose z_to(const double axis[3])
{
  const double length = sqrt(dot3(axis, axis)), x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
  if (z < -0.9) { /* through -z first, where 1 + z would cancel */
    const struct pose flip = { .r = { 1, 0, 0, 0, -1, 0, 0, 0, -1 } };
    const struct pose rest = z_to((const double[3]){ x, -y, -z });
    struct pose out;
    pose_multiply(&out, &flip, &rest);
    return out;
  }
  const double k = 1 / (1 + z);
  /* clang-format off */
  return (struct pose){ .r = { 1 - k * x * x, -k * x * y,    x,
                               -k * x * y,    1 - k * y * y, y,
                               -x,            -y,            z } };
  /* clang-format on */
}

/* What stands before and after the motion of a joint in its convention. */
static void joint_poses(enum armdyn_convention convention, const struct armdyn_joint *joint, struct pose *before,
                        struct pose *after)
{
  const bool turns = joint->type == ARMDYN_REVOLUTE;
  const struct pose constant =
      screw_z(joint->theta + (turns ? joint->offset : 0), joint->d + (turns ? 0 : joint->offset));
  const struct pose twist = screw_x(joint->alpha, joint->a);
  *before = constant; /* standard DH: Tx(a) and Rx(alpha) commute */
  *after = twist;
  if (convention == ARMDYN_MDH) {
    pose_multiply(before, &twist, &constant);
    *after = identity;
  } else if (convention == ARMDYN_FRAMES) {
    const struct pose frame = pose_of(&joint->frame), turn = z_to(joint->axis);
    const struct pose zero = turns ? screw_z(joint->offset, 0) : screw_z(0, joint->offset);
    struct pose turned;
    pose_multiply(&turned, &frame, &turn);
    pose_multiply(before, &turned, &zero);
    *after = pose_inverse(&turn);
  }
}

/* Mass, first and second moment about the origin of the frame that the body is written in. */
static struct distribution distribution_of(const struct armdyn_body *body)
{
  const struct armdyn_inertia *I = &body->inertia;
  const double half = (I->xx + I->yy + I->zz) / 2;
  const struct distribution about_com = { .m = body->mass,
                                          .s = { half - I->xx, half - I->yy, half - I->zz, -I->xy, -I->xz, -I->yz } };
  struct pose com = identity;
  for (int i = 0; i < 3; i++) com.p[i] = body->com[i];
  struct distribution out = { 0 };
  distribution_add(&out, &com, &about_com);
  return out;
}

static void compile_joints(struct armdyn_robot *robot)
{
  const struct armdyn_robot_description *d = &robot->description;
  struct pose link = identity; /* the link frame of the convention in the canonical frame before joint i */
  for (size_t i = 0; i < robot->joint_count; i++) {
    struct compiled_joint *joint = &robot->joints[i];
    struct pose before, after;
    joint_poses(d->convention, &d->joints[i], &before, &after);
    pose_multiply(&joint->parent, &link, &before);
    joint->prismatic = d->joints[i].type == ARMDYN_PRISMATIC;
    joint->frame = link = after;
    const struct distribution body = distribution_of(&d->joints[i].link);
    distribution_add(&joint->link, &link, &body);
    joint->friction = friction_mask(&d->joints[i].friction);
    robot->load_friction |= joint->friction >> ARMDYN_FRICTION_LOAD & 1;
  }
  const struct pose tool = pose_of(&d->tool);
  pose_multiply(&robot->tool, &link, &tool);
  const struct distribution payload = distribution_of(&d->payload);
  distribution_add(&robot->joints[robot->joint_count - 1].link, &robot->tool, &payload);
}

/* Reflected rotor inertia T' Jm T and the map T^-T from joint to motor torques. */
static void compile_drives(struct armdyn_robot *robot)
{
  const struct armdyn_robot_description *d = &robot->description;
  const size_t n = robot->joint_count;
  double copy[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX], inverse[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  robot->coupled = d->has_transmission;
  for (size_t i = 0; i < n; i++) {
    const struct armdyn_drive *drive = &d->joints[i].drive;
    robot->rotor_inertia[i] = drive->gear_ratio * drive->gear_ratio * drive->rotor_inertia;
  }
  if (!robot->coupled) return;
  memcpy(copy, d->transmission, n * n * sizeof *copy);
  invert(n, copy, inverse); /* description_check saw that it can */
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) {
        sum += d->joints[k].drive.rotor_inertia * (d->transmission[k * n + i] * d->transmission[k * n + j]);
      }
      robot->coupled_rotor_inertia[i * n + j] = sum;
      robot->motor_from_joint[i * n + j] = inverse[j * n + i];
      robot->gear_from_joint[i * n + j] = d->transmission[i * n + j] / d->joints[i].drive.gear_ratio;
      robot->joint_from_gear[i * n + j] = inverse[i * n + j] * d->joints[j].drive.gear_ratio;
    }
  }
  robot->friction_at_motors = d->friction_at == ARMDYN_AT_MOTORS;
}

enum armdyn_status armdyn_robot_new(const struct armdyn_robot_description *description, struct armdyn_robot **robot,
                                    struct armdyn_error *error)
{
  enum armdyn_status rc = description_check(description, error);
  if (rc) return rc;
  struct armdyn_robot *out = calloc(1, sizeof *out);
  if (!out) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a robot of %zu bytes", sizeof *out);
  out->description = *description;
  out->joint_count = description->joint_count;
  memcpy(out->gravity, description->gravity, sizeof out->gravity);
  compile_joints(out);
  compile_drives(out);
  inertia_bounds_compile(out);
  reduced_compile(out, &out->reduced);
  *robot = out;
  return ARMDYN_OK;
}

void armdyn_robot_free(struct armdyn_robot *robot)
{
  free(robot);
}

size_t armdyn_robot_joint_count(const struct armdyn_robot *robot)
{
  return robot->joint_count;
}

const struct armdyn_robot_description *armdyn_robot_description(const struct armdyn_robot *robot)
{
  return &robot->description;
}
