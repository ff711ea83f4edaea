/* Defaults and rules of every number in a description stand in two tables, those of plain friction in its own; what concerns
 * several numbers at once follows as functions. To add a number: its member, and a row here. */
#include <math.h>
#include <stdint.h>

#include "lib/math/linear.h"
#include "lib/math/vector.h"
#include "lib/model/compiled.h"
#include "lib/model/friction.h"
#include "lib/model/shape.h"

static const double MAGNITUDE_MAX = 1e12; /* so that no finite motion overflows a kernel */

enum rule {
  FINITE,
  NON_NEGATIVE,
  POSITIVE,
  NON_ZERO,
  LIMIT,    /* positive, infinity is none */
  BOUND,    /* any, infinity is none */
  UP_TO,    /* not negative, infinity is none */
  KNOWN,    /* NAN is unknown, else positive */
  KNOWN_0,  /* NAN is unknown, else not negative */
  KNOWN_01, /* NAN is unknown, else in (0, 1] */
  SHARE,    /* 0 to 1 */
  PART,     /* 0 to 0.99, so that one less it is above 0 */
};

static bool positive(double x)
{
  return x > 0;
}
static bool not_negative(double x)
{
  return x >= 0;
}
static bool not_zero(double x)
{
  return x != 0;
}
static bool fraction(double x)
{
  return x > 0 && x <= 1;
}
static bool share(double x)
{
  return x >= 0 && x <= 1;
}
static bool part(double x)
{
  return x >= 0 && x <= 0.99;
}
static bool anything(double x)
{
  return !isnan(x);
}

static const struct {
  bool (*holds)(double x);
  bool unknown_is_fine, infinite_is_fine;
  const char *demand;
} rules[] = {
  [FINITE] = { anything, false, false, "a finite number" },
  [NON_NEGATIVE] = { not_negative, false, false, ">= 0" },
  [POSITIVE] = { positive, false, false, "> 0" },
  [NON_ZERO] = { not_zero, false, false, "not 0" },
  [LIMIT] = { positive, false, true, "> 0" },
  [BOUND] = { anything, false, true, "a number" },
  [UP_TO] = { not_negative, false, true, ">= 0" },
  [KNOWN] = { positive, true, false, "> 0" },
  [KNOWN_0] = { not_negative, true, false, ">= 0" },
  [KNOWN_01] = { fraction, true, false, "> 0 and <= 1" },
  [SHARE] = { share, false, false, ">= 0 and <= 1" },
  [PART] = { part, false, false, ">= 0 and <= 0.99" },
};

struct number {
  const char *pointer; /* below the joint or the description */
  size_t offset;
  enum rule rule;
  double initial;
};

#define VECTOR(type, pointer, member, initial2)                                                                        \
  { pointer "/0", offsetof(type, member[0]), FINITE, 0 }, { pointer "/1", offsetof(type, member[1]), FINITE, 0 },      \
  {                                                                                                                    \
    pointer "/2", offsetof(type, member[2]), FINITE, initial2                                                          \
  }
#define POSE(type, pointer, member)                                                                                    \
  VECTOR(type, pointer "/translation", member.translation, 0), VECTOR(type, pointer "/rpy", member.rpy, 0)
#define ELEMENT(type, pointer, member, element)                                                                        \
  {                                                                                                                    \
    pointer "/inertia/" #element, offsetof(type, member.inertia.element), FINITE, 0                                    \
  }
/* The signs of mass and inertia are armdyn_body_check's business. */
#define BODY(type, pointer, member)                                                                                    \
  { pointer "/mass", offsetof(type, member.mass), FINITE, 0 }, VECTOR(type, pointer "/com", member.com, 0),            \
      ELEMENT(type, pointer, member, xx), ELEMENT(type, pointer, member, yy), ELEMENT(type, pointer, member, zz),      \
      ELEMENT(type, pointer, member, xy), ELEMENT(type, pointer, member, xz), ELEMENT(type, pointer, member, yz)
#define JOINT(pointer, member, rule, initial)                                                                          \
  {                                                                                                                    \
    pointer, offsetof(struct armdyn_joint, member), rule, initial                                                      \
  }

static const struct number joint_numbers[] = {
  JOINT("/a", a, FINITE, 0),
  JOINT("/alpha", alpha, FINITE, 0),
  JOINT("/d", d, FINITE, 0),
  JOINT("/theta", theta, FINITE, 0),
  POSE(struct armdyn_joint, "/frame", frame),
  VECTOR(struct armdyn_joint, "/axis", axis, 1),
  JOINT("/offset", offset, FINITE, 0),
  JOINT("/velocity_scale", velocity_scale, POSITIVE, 1e-3),
  JOINT("/limits/position/0", limits.position[0], BOUND, -INFINITY),
  JOINT("/limits/position/1", limits.position[1], BOUND, INFINITY),
  JOINT("/limits/velocity", limits.velocity, LIMIT, INFINITY),
  JOINT("/limits/acceleration", limits.acceleration, LIMIT, INFINITY),
  JOINT("/limits/jerk", limits.jerk, LIMIT, INFINITY),
  JOINT("/limits/torque", limits.torque, LIMIT, INFINITY),
  JOINT("/limits/torque_rate", limits.torque_rate, LIMIT, INFINITY),
  BODY(struct armdyn_joint, "/link", link),
  JOINT("/drive/rotor_inertia", drive.rotor_inertia, NON_NEGATIVE, 0),
  JOINT("/drive/gear_ratio", drive.gear_ratio, NON_ZERO, 1),
  JOINT("/drive/torque_constant", drive.torque_constant, KNOWN, NAN),
  JOINT("/drive/resistance", drive.resistance, KNOWN_0, NAN),
  JOINT("/drive/efficiency", drive.efficiency, KNOWN_01, NAN),
  JOINT("/elasticity/stiffness", elasticity.stiffness, LIMIT, INFINITY),
  JOINT("/elasticity/deviation", elasticity.deviation, NON_NEGATIVE, 0),
  JOINT("/elasticity/damping", elasticity.damping, NON_NEGATIVE, 0),
  JOINT("/elasticity/position/0", elasticity.position[0], BOUND, -INFINITY),
  JOINT("/elasticity/position/1", elasticity.position[1], BOUND, INFINITY),
  JOINT("/elasticity/payload_mass/0", elasticity.payload_mass[0], NON_NEGATIVE, 0),
  JOINT("/elasticity/payload_mass/1", elasticity.payload_mass[1], UP_TO, INFINITY),
  JOINT("/friction/coulomb/positive", friction.coulomb.positive, NON_NEGATIVE, 0),
  JOINT("/friction/coulomb/negative", friction.coulomb.negative, NON_NEGATIVE, 0),
  JOINT("/friction/stiction", friction.stiction, KNOWN_0, NAN),
  JOINT("/friction/stribeck_velocity", friction.stribeck_velocity, KNOWN, NAN),
  JOINT("/friction/stribeck_exponent", friction.stribeck_exponent, POSITIVE, 2),
  JOINT("/friction/viscous/positive", friction.viscous.positive, NON_NEGATIVE, 0),
  JOINT("/friction/viscous/negative", friction.viscous.negative, NON_NEGATIVE, 0),
  JOINT("/friction/load", friction.load, PART, 0),
};

static const struct number description_numbers[] = {
  VECTOR(struct armdyn_robot_description, "/gravity", gravity, -9.81),
  POSE(struct armdyn_robot_description, "/tool", tool),
  BODY(struct armdyn_robot_description, "/payload", payload),
};

static const struct number visual_numbers[] = {
  POSE(struct armdyn_visual, "/frame", frame),
  { "/scale/0", offsetof(struct armdyn_visual, scale[0]), NON_ZERO, 1 },
  { "/scale/1", offsetof(struct armdyn_visual, scale[1]), NON_ZERO, 1 },
  { "/scale/2", offsetof(struct armdyn_visual, scale[2]), NON_ZERO, 1 },
  { "/color/0", offsetof(struct armdyn_visual, color[0]), SHARE, 0 },
  { "/color/1", offsetof(struct armdyn_visual, color[1]), SHARE, 0 },
  { "/color/2", offsetof(struct armdyn_visual, color[2]), SHARE, 0 },
  { "/color/3", offsetof(struct armdyn_visual, color[3]), SHARE, 0 },
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static double *number_at(void *base, const struct number *number)
{
  return (double *)(void *)((unsigned char *)base + number->offset);
}

void armdyn_joint_init(struct armdyn_joint *joint)
{
  memset(joint, 0, sizeof *joint);
  for (size_t k = 0; k < COUNT(joint_numbers); k++) {
    *number_at(joint, &joint_numbers[k]) = joint_numbers[k].initial;
  }
}

void armdyn_visual_init(struct armdyn_visual *visual)
{
  memset(visual, 0, sizeof *visual);
  for (size_t k = 0; k < COUNT(visual_numbers); k++) {
    *number_at(visual, &visual_numbers[k]) = visual_numbers[k].initial;
  }
}

void armdyn_robot_description_init(struct armdyn_robot_description *description)
{
  memset(description, 0, sizeof *description);
  for (size_t k = 0; k < COUNT(description_numbers); k++) {
    *number_at(description, &description_numbers[k]) = description_numbers[k].initial;
  }
  for (size_t i = 0; i < ARMDYN_JOINTS_MAX; i++) armdyn_joint_init(&description->joints[i]);
}

static enum armdyn_status number_check(double x, enum rule rule, const char *prefix, const char *pointer,
                                       struct armdyn_error *error)
{
  char where[sizeof error->pointer];
  if (isnan(x) && rules[rule].unknown_is_fine) return ARMDYN_OK;
  const bool within = fabs(x) <= MAGNITUDE_MAX || (isinf(x) && rules[rule].infinite_is_fine);
  if (within && rules[rule].holds(x)) return ARMDYN_OK;
  snprintf(where, sizeof where, "%s%s", prefix, pointer);
  if (fabs(x) > MAGNITUDE_MAX && isfinite(x)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "magnitude must be <= %g, got %g", MAGNITUDE_MAX, x);
  }
  return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be %s, got %g", rules[rule].demand, x);
}

static enum armdyn_status numbers_check(const void *base, const struct number *numbers, size_t count,
                                        const char *prefix, struct armdyn_error *error)
{
  for (size_t k = 0; k < count; k++) {
    const double *x = (const double *)(const void *)((const unsigned char *)base + numbers[k].offset);
    enum armdyn_status rc = number_check(*x, numbers[k].rule, prefix, numbers[k].pointer, error);
    if (rc) return rc;
  }
  return ARMDYN_OK;
}

static enum armdyn_status text_check(const char *text, size_t size, const char *prefix, const char *pointer,
                                     struct armdyn_error *error)
{
  char where[sizeof error->pointer];
  if (memchr(text, 0, size)) return ARMDYN_OK;
  snprintf(where, sizeof where, "%s%s", prefix, pointer);
  return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be at most %zu bytes long", size - 1);
}

static enum armdyn_status friction_check(const struct armdyn_friction *f, const char *prefix,
                                         struct armdyn_error *error)
{
  char where[sizeof error->pointer];
  if (f->ripple_count > ARMDYN_RIPPLES_MAX) {
    snprintf(where, sizeof where, "%s/friction/position", prefix);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must have at most %d lines, got %zu", ARMDYN_RIPPLES_MAX,
                         f->ripple_count);
  }
  for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
    const size_t p = friction_plain(k);
    if (p == ARMDYN_FRICTION_PARAMETER_COUNT) continue;
    snprintf(where, sizeof where, "/%s", friction_parameters[p].info.path);
    const enum armdyn_status rc = number_check(
        friction_value(f, p, 0), friction_parameters[p].positive ? NON_NEGATIVE : FINITE, prefix, where, error);
    if (rc) return rc;
  }
  for (size_t k = 0; k < f->ripple_count; k++) {
    enum armdyn_status rc;
    snprintf(where, sizeof where, "%s/friction/position/%zu", prefix, k);
    if ((rc = number_check(f->ripples[k].amplitude, FINITE, where, "/amplitude", error))) return rc;
    if ((rc = number_check(f->ripples[k].order, POSITIVE, where, "/order", error))) return rc;
    if ((rc = number_check(f->ripples[k].phase, FINITE, where, "/phase", error))) return rc;
  }
  if (isnan(f->stiction) || !isnan(f->stribeck_velocity)) return ARMDYN_OK;
  snprintf(where, sizeof where, "%s/friction/stribeck_velocity", prefix);
  return armdyn_refuse(error, ARMDYN_EINPUT, where, "is needed with stiction (%g)", f->stiction);
}

static enum armdyn_status elasticity_check(const struct armdyn_elasticity *e, const char *prefix,
                                           struct armdyn_error *error)
{
  const struct {
    const char *name;
    const double *range;
  } ranges[] = { { "position", e->position }, { "payload_mass", e->payload_mass } };
  for (size_t k = 0; k < COUNT(ranges); k++) {
    char where[sizeof error->pointer];
    if (ranges[k].range[0] <= ranges[k].range[1]) continue;
    snprintf(where, sizeof where, "%s/elasticity/%s", prefix, ranges[k].name);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be [lower, upper] with lower <= upper, got [%g, %g]",
                         ranges[k].range[0], ranges[k].range[1]);
  }
  return ARMDYN_OK;
}

static enum armdyn_status joint_check(const struct armdyn_robot_description *d, size_t index,
                                      struct armdyn_error *error)
{
  const struct armdyn_joint *joint = &d->joints[index];
  char prefix[32], where[sizeof error->pointer];
  enum armdyn_status rc;
  snprintf(prefix, sizeof prefix, "/joints/%zu", index);
  if ((rc = text_check(joint->name, sizeof joint->name, prefix, "/name", error))) return rc;
  if ((rc = numbers_check(joint, joint_numbers, COUNT(joint_numbers), prefix, error))) return rc;
  if (joint->type != ARMDYN_REVOLUTE && joint->type != ARMDYN_PRISMATIC) {
    snprintf(where, sizeof where, "%s/type", prefix);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be revolute or prismatic, got %d", (int)joint->type);
  }
  for (size_t k = 0; k < index; k++) {
    if (!*joint->name || strcmp(joint->name, d->joints[k].name)) continue;
    snprintf(where, sizeof where, "%s/name", prefix);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be unique, \"%s\" is joint %zu too", joint->name, k);
  }
  const double *range = joint->limits.position;
  if (!(range[0] < range[1])) {
    snprintf(where, sizeof where, "%s/limits/position", prefix);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be [lower, upper] with lower < upper, got [%g, %g]",
                         range[0], range[1]);
  }
  const double length = sqrt(dot3(joint->axis, joint->axis));
  if (d->convention == ARMDYN_FRAMES && !(fabs(length - 1) <= 1e-6)) {
    snprintf(where, sizeof where, "%s/axis", prefix);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be a unit vector, got length %.9g", length);
  }
  if ((rc = elasticity_check(&joint->elasticity, prefix, error))) return rc;
  return friction_check(&joint->friction, prefix, error);
}

static enum armdyn_status transmission_check(const struct armdyn_robot_description *d, struct armdyn_error *error)
{
  static const char pointer[] = "/transmission/matrix";
  const size_t n = d->joint_count;
  double copy[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX], inverse[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  for (size_t k = 0; k < n * n; k++) {
    char where[64];
    snprintf(where, sizeof where, "%s/%zu/%zu", pointer, k / n, k % n);
    enum armdyn_status rc = number_check(d->transmission[k], FINITE, "", where, error);
    if (rc) return rc;
    copy[k] = d->transmission[k];
  }
  for (size_t i = 0; i < n && d->friction_at == ARMDYN_AT_MOTORS; i++) {
    char where[64];
    if (d->joints[i].friction.load == 0) continue;
    snprintf(where, sizeof where, "/joints/%zu/friction/load", i);
    return armdyn_refuse(error, ARMDYN_EINPUT, where,
                         "must be 0 where friction acts at coupled motors (transmission/friction \"motors\"), got %g: "
                         "what a coupled gear transmits is not known to it",
                         d->joints[i].friction.load);
  }
  if (invert(n, copy, inverse)) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "must be invertible");
}

static bool has_joint(const struct armdyn_robot_description *d, const char *name)
{
  for (size_t i = 0; i < d->joint_count; i++) {
    if (!strcmp(d->joints[i].name, name)) return true;
  }
  return false;
}

static enum armdyn_status visual_shape_check(const struct armdyn_shape *shape, const char *prefix,
                                             struct armdyn_error *error)
{
  if (shape->kind != ARMDYN_SPHERE && shape->kind != ARMDYN_BOX && shape->kind != ARMDYN_CYLINDER)
    return armdyn_refuse(error, ARMDYN_EINPUT, prefix, "must be a mesh, a sphere, a box or a cylinder");
  return shape_check(shape, prefix, error);
}

static enum armdyn_status visual_check(const struct armdyn_robot_description *d, size_t index,
                                       struct armdyn_error *error)
{
  const struct armdyn_visual *visual = &d->visuals[index];
  char prefix[32], where[sizeof error->pointer];
  enum armdyn_status rc;
  snprintf(prefix, sizeof prefix, "/visuals/%zu", index);
  if ((rc = text_check(visual->joint, sizeof visual->joint, prefix, "/joint", error))) return rc;
  if ((rc = text_check(visual->mesh, sizeof visual->mesh, prefix, "/mesh", error))) return rc;
  if ((rc = text_check(visual->reference, sizeof visual->reference, prefix, "/reference", error))) return rc;
  if ((rc = numbers_check(visual, visual_numbers, COUNT(visual_numbers), prefix, error))) return rc;
  if (!*visual->mesh && (rc = visual_shape_check(&visual->shape, prefix, error))) return rc;
  if (!*visual->joint || has_joint(d, visual->joint)) return ARMDYN_OK;
  snprintf(where, sizeof where, "%s/joint", prefix);
  return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be the name of a joint, got \"%s\"", visual->joint);
}

static enum armdyn_status visuals_check(const struct armdyn_robot_description *d, struct armdyn_error *error)
{
  enum armdyn_status rc = ARMDYN_OK;
  if (d->visual_count > ARMDYN_VISUALS_MAX) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/visuals", "must be at most %d, got %zu", ARMDYN_VISUALS_MAX,
                         d->visual_count);
  }
  for (size_t i = 0; i < d->visual_count && !rc; i++) rc = visual_check(d, i, error);
  return rc;
}

enum armdyn_status description_check(const struct armdyn_robot_description *d, struct armdyn_error *error)
{
  enum armdyn_status rc;
  if ((rc = text_check(d->name, sizeof d->name, "", "/name", error))) return rc;
  if ((rc = text_check(d->description, sizeof d->description, "", "/description", error))) return rc;
  if (d->convention != ARMDYN_DH && d->convention != ARMDYN_MDH && d->convention != ARMDYN_FRAMES) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/convention", "must be dh, mdh or frames, got %d", (int)d->convention);
  }
  if (d->joint_count < 1 || d->joint_count > ARMDYN_JOINTS_MAX) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/joints", "must be 1 to %d joints, got %zu", ARMDYN_JOINTS_MAX,
                         d->joint_count);
  }
  if ((rc = numbers_check(d, description_numbers, COUNT(description_numbers), "", error))) return rc;
  for (size_t i = 0; i < d->joint_count; i++) {
    if ((rc = joint_check(d, i, error))) return rc;
  }
  if (d->has_transmission && (rc = transmission_check(d, error))) return rc;
  if ((rc = part_bodies_check(d, error))) return rc;
  return visuals_check(d, error);
}
