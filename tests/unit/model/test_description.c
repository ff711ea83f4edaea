/* What a robot may be built from. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

static struct armdyn_robot_description good_description(void)
{
  struct armdyn_robot_description d;
  struct dice dice = { 7 };
  random_description(&dice, &d, 3, ARMDYN_FRAMES);
  snprintf(d.joints[0].name, sizeof d.joints[0].name, "base");
  snprintf(d.joints[1].name, sizeof d.joints[1].name, "arm");
  return d;
}

#define FAULT(where, change)                                                                                           \
  static void fault_##where(struct armdyn_robot_description *d)                                                        \
  {                                                                                                                    \
    change;                                                                                                            \
  }
FAULT(name, memset(d->name, 'x', sizeof d->name))
FAULT(text, memset(d->description, 'x', sizeof d->description))
FAULT(convention, d->convention = (enum armdyn_convention)7)
FAULT(no_joints, d->joint_count = 0)
FAULT(many_joints, d->joint_count = ARMDYN_JOINTS_MAX + 1)
FAULT(gravity, d->gravity[1] = NAN)
FAULT(tool, d->tool.rpy[2] = INFINITY)
FAULT(payload, d->payload.inertia.yz = NAN)
FAULT(payload_mass, d->payload.mass = INFINITY)
FAULT(joint_name, memset(d->joints[2].name, 'x', sizeof d->joints[2].name))
FAULT(same_name, memcpy(d->joints[1].name, d->joints[0].name, sizeof d->joints[0].name))
FAULT(type, d->joints[0].type = (enum armdyn_joint_type)2)
FAULT(a, d->joints[1].a = NAN)
FAULT(huge, d->joints[1].d = -1e13)
FAULT(frame, d->joints[0].frame.translation[0] = INFINITY)
FAULT(axis, d->joints[2].axis[0] += 0.5)
FAULT(no_axis, memset(d->joints[2].axis, 0, sizeof d->joints[2].axis))
FAULT(scale, d->joints[0].velocity_scale = 0)
FAULT(position, d->joints[0].limits.position[0] = d->joints[0].limits.position[1])
FAULT(position_nan, d->joints[0].limits.position[0] = NAN)
FAULT(velocity, d->joints[0].limits.velocity = 0)
FAULT(acceleration, d->joints[0].limits.acceleration = -1)
FAULT(jerk, d->joints[0].limits.jerk = NAN)
FAULT(torque, d->joints[0].limits.torque = -INFINITY)
FAULT(torque_rate, d->joints[0].limits.torque_rate = -3)
FAULT(mass, d->joints[1].link.mass = NAN)
FAULT(com, d->joints[1].link.com[2] = INFINITY)
FAULT(inertia, d->joints[1].link.inertia.xz = NAN)
FAULT(rotor, d->joints[1].drive.rotor_inertia = -1e-4)
FAULT(gear, d->joints[1].drive.gear_ratio = 0)
FAULT(constant, d->joints[1].drive.torque_constant = 0)
FAULT(resistance, d->joints[1].drive.resistance = -1)
FAULT(efficiency, d->joints[1].drive.efficiency = 1.01)
FAULT(offset, d->joints[1].friction.offset = NAN)
FAULT(coulomb, d->joints[1].friction.coulomb.negative = -1)
FAULT(viscous, d->joints[1].friction.viscous.positive = -1)
FAULT(stiction, d->joints[1].friction.stiction = -1)
FAULT(stribeck, d->joints[1].friction.stribeck_velocity = NAN)
FAULT(exponent, d->joints[1].friction.stribeck_exponent = 0)
FAULT(high_speed, d->joints[1].friction.high_speed = NAN)
FAULT(ripples, d->joints[1].friction.ripple_count = ARMDYN_RIPPLES_MAX + 1)
FAULT(amplitude, d->joints[1].friction.ripples[1].amplitude = NAN)
FAULT(order, d->joints[1].friction.ripples[0].order = 0)
FAULT(phase, d->joints[1].friction.ripples[0].phase = INFINITY)
FAULT(matrix, d->transmission[5] = NAN)
FAULT(singular, memset(d->transmission, 0, sizeof d->transmission))

static const struct {
  void (*spoil)(struct armdyn_robot_description *d);
  const char *pointer, *message; /* the message holds this */
} faults[] = {
  { fault_name, "/name", "at most 64 bytes" },
  { fault_text, "/description", "at most 1024 bytes" },
  { fault_convention, "/convention", "got 7" },
  { fault_no_joints, "/joints", "got 0" },
  { fault_many_joints, "/joints", "got 33" },
  { fault_gravity, "/gravity/1", "finite" },
  { fault_tool, "/tool/rpy/2", "finite" },
  { fault_payload, "/payload/inertia/yz", "finite" },
  { fault_payload_mass, "/payload/mass", "finite" },
  { fault_joint_name, "/joints/2/name", "at most 64 bytes" },
  { fault_same_name, "/joints/1/name", "\"base\" is joint 0 too" },
  { fault_type, "/joints/0/type", "got 2" },
  { fault_a, "/joints/1/a", "finite" },
  { fault_huge, "/joints/1/d", "<= 1e+12, got -1e+13" },
  { fault_frame, "/joints/0/frame/translation/0", "finite" },
  { fault_axis, "/joints/2/axis", "unit vector" },
  { fault_no_axis, "/joints/2/axis", "got length 0" },
  { fault_scale, "/joints/0/velocity_scale", "> 0, got 0" },
  { fault_position, "/joints/0/limits/position", "lower < upper" },
  { fault_position_nan, "/joints/0/limits/position/0", "nan" },
  { fault_velocity, "/joints/0/limits/velocity", "> 0, got 0" },
  { fault_acceleration, "/joints/0/limits/acceleration", "> 0, got -1" },
  { fault_jerk, "/joints/0/limits/jerk", "> 0" },
  { fault_torque, "/joints/0/limits/torque", "> 0, got -inf" },
  { fault_torque_rate, "/joints/0/limits/torque_rate", "> 0, got -3" },
  { fault_mass, "/joints/1/link/mass", "finite" },
  { fault_com, "/joints/1/link/com/2", "finite" },
  { fault_inertia, "/joints/1/link/inertia/xz", "finite" },
  { fault_rotor, "/joints/1/drive/rotor_inertia", ">= 0, got -0.0001" },
  { fault_gear, "/joints/1/drive/gear_ratio", "not 0" },
  { fault_constant, "/joints/1/drive/torque_constant", "> 0" },
  { fault_resistance, "/joints/1/drive/resistance", ">= 0" },
  { fault_efficiency, "/joints/1/drive/efficiency", "<= 1, got 1.01" },
  { fault_offset, "/joints/1/friction/offset", "finite" },
  { fault_coulomb, "/joints/1/friction/coulomb/negative", ">= 0" },
  { fault_viscous, "/joints/1/friction/viscous/positive", ">= 0" },
  { fault_stiction, "/joints/1/friction/stiction", ">= 0" },
  { fault_stribeck, "/joints/1/friction/stribeck_velocity", "needed with stiction" },
  { fault_exponent, "/joints/1/friction/stribeck_exponent", "> 0" },
  { fault_high_speed, "/joints/1/friction/high_speed", "finite" },
  { fault_ripples, "/joints/1/friction/position", "at most 8 lines, got 9" },
  { fault_amplitude, "/joints/1/friction/position/1/amplitude", "finite" },
  { fault_order, "/joints/1/friction/position/0/order", "> 0" },
  { fault_phase, "/joints/1/friction/position/0/phase", "finite" },
  { fault_matrix, "/transmission/matrix/1/2", "finite" },
  { fault_singular, "/transmission/matrix", "invertible" },
};

Test(description, every_fault_is_refused_with_its_pointer)
{
  for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
    struct armdyn_robot_description d = good_description();
    struct armdyn_robot *robot = NULL;
    struct armdyn_error error = { "", "" };
    faults[k].spoil(&d);
    cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_EINPUT, "%s", faults[k].pointer);
    cr_assert_null(robot);
    cr_assert_str_eq(error.pointer, faults[k].pointer);
    cr_assert(strstr(error.message, faults[k].message), "%s: \"%s\" lacks \"%s\"", error.pointer, error.message,
              faults[k].message);
  }
}

Test(description, good_one_is_kept_as_written)
{
  const struct armdyn_robot_description d = good_description();
  struct armdyn_robot *robot;
  struct armdyn_error error;
  cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK);
  cr_assert_eq(armdyn_robot_joint_count(robot), 3);
  cr_assert_eq(memcmp(armdyn_robot_description(robot), &d, sizeof d), 0);
  armdyn_robot_free(robot);
}

Test(description, defaults)
{
  struct armdyn_robot_description d;
  armdyn_robot_description_init(&d);
  const struct armdyn_joint *joint = &d.joints[ARMDYN_JOINTS_MAX - 1];
  cr_assert_eq(d.convention, ARMDYN_DH);
  cr_assert_eq(d.joint_count, 0);
  cr_assert_eq(d.gravity[2], -9.81);
  cr_assert_eq(joint->axis[2], 1);
  cr_assert_eq(joint->drive.gear_ratio, 1);
  cr_assert(isnan(joint->drive.torque_constant) && isnan(joint->friction.stiction));
  cr_assert_eq(joint->velocity_scale, 1e-3);
  cr_assert_eq(joint->friction.stribeck_exponent, 2);
  cr_assert_eq(joint->limits.position[0], -INFINITY);
  cr_assert_eq(joint->limits.torque_rate, INFINITY);
}

/* Bodies: which rule a body breaks. */
static const struct {
  struct armdyn_body body;
  const char *pointer, *message; /* NULL: physical */
} bodies[] = {
  { { 1, { 0 }, { 1, 1, 1, 0, 0, 0 } }, NULL, NULL },
  { { 0, { 0 }, { 0, 0, 0, 0, 0, 0 } }, NULL, NULL },
  { { 1, { 0 }, { 0, 2, 2, 0, 0, 0 } }, NULL, NULL }, /* a thin rod */
  { { 1, { 0 }, { 1, 1, 2, 0, 0, 0 } }, NULL, NULL }, /* a thin plate */
  { { -1, { 0 }, { 1, 1, 1, 0, 0, 0 } }, "/mass", "-1" },
  { { NAN, { 0 }, { 1, 1, 1, 0, 0, 0 } }, "/mass", "nan" },
  { { 1, { 0 }, { -1, 1, 1, 0, 0, 0 } }, "/inertia", "smallest principal moment is -1" },
  { { 1, { 0 }, { 1, 1, 1, 2, 0, 0 } }, "/inertia", "smallest principal moment is -1" },
  { { 0, { 0 }, { 0, 0.35, 0, 0, 0, 0 } }, "/inertia", "triangle" }, /* link 1 of the Puma as published */
  { { 4.8, { 0 }, { 0.066, 0.086, 0.0125, 0, 0, 0 } }, "/inertia", "0.0125 + 0.066 < 0.086" }, /* and link 3 */
  { { 1, { 0 }, { 1, 1, 1, 0.5, 0, 0 } }, NULL, NULL },             /* principal moments 0.5, 1, 1.5 */
  { { 1, { 0 }, { 1, 1, 1, 0.6, 0, 0 } }, "/inertia", "triangle" }, /* 0.4, 1, 1.6 */
};

Test(description, bodies_that_cannot_be)
{
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    struct armdyn_error error = { "", "" };
    const enum armdyn_status rc = armdyn_body_check(&bodies[k].body, &error);
    cr_assert_eq(rc, bodies[k].pointer ? ARMDYN_EUNPHYSICAL : ARMDYN_OK, "body %zu: %s", k, error.message);
    if (!bodies[k].pointer) continue;
    cr_assert_str_eq(error.pointer, bodies[k].pointer);
    cr_assert(strstr(error.message, bodies[k].message), "body %zu: %s", k, error.message);
  }
}

/* The shipped models load as they are, and all their bodies are physical. */
Test(description, shipped_robots_are_physical)
{
  static const char *const names[] = { "puma560", "scara" };
  for (size_t k = 0; k < 2; k++) {
    struct armdyn_robot_description d;
    struct armdyn_robot *robot;
    struct armdyn_error error = { "", "" };
    char path[64];
    snprintf(path, sizeof path, "tests/data/robots/%s.json", names[k]);
    cJSON *json = json_load(path);
    cr_assert(json, "%s", path);
    description_from_json(json, &d);
    cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK, "%s %s", error.pointer, error.message);
    for (size_t i = 0; i < d.joint_count; i++) {
      cr_assert_eq(armdyn_body_check(&d.joints[i].link, &error), ARMDYN_OK, "%s %zu: %s", names[k], i, error.message);
    }
    armdyn_robot_free(robot);
    cJSON_Delete(json);
  }
}
