#include "api/codec/units.h"

/* SI = number * times / over: decimal units stay as exact as they were written. To add a unit: its name, and a row. */
struct unit {
  double times, over;
};

static const double PI = 3.14159265358979323846, POUND = 0.45359237, INCH = 0.0254;

static const char *const length_names[] = { "m", "cm", "mm", "in" };
static const struct unit lengths[] = { { 1, 1 }, { 1, 100 }, { 1, 1000 }, { INCH, 1 } };
static const char *const angle_names[] = { "rad", "deg" };
static const struct unit angles[] = { { 1, 1 }, { PI, 180 } };
static const char *const mass_names[] = { "kg", "g", "lb" };
static const struct unit masses[] = { { 1, 1 }, { 1, 1000 }, { POUND, 1 } };
static const char *const inertia_names[] = { "kg*m^2", "kg*cm^2", "kg*mm^2", "g*cm^2", "g*mm^2", "lb*in^2" };
static const struct unit inertias[] = { { 1, 1 },   { 1, 1e4 }, { 1, 1e6 },
                                        { 1, 1e7 }, { 1, 1e9 }, { POUND * INCH * INCH, 1 } };
static const char *const product_names[] = { "tensor", "positive" };
static const struct unit products[] = { { 1, 1 }, { -1, 1 } };

#define SAME_LENGTH(names, units)                                                                                      \
  _Static_assert(sizeof(names) / sizeof *(names) == sizeof(units) / sizeof *(units), "rows")
SAME_LENGTH(length_names, lengths);
SAME_LENGTH(angle_names, angles);
SAME_LENGTH(mass_names, masses);
SAME_LENGTH(inertia_names, inertias);
SAME_LENGTH(product_names, products);

#define UNITS struct model_units
static const struct json_field fields[] = {
  { ENUM(UNITS, length, length_names) },
  { ENUM(UNITS, angle, angle_names) },
  { ENUM(UNITS, mass, mass_names) },
  { ENUM(UNITS, inertia, inertia_names), HAS(UNITS, has_inertia) },
};
const struct json_type units_type = JSON_TYPE("units: length, angle, mass, inertia", fields, UNITS, NULL, NULL);
const struct json_field units_of_products = { ENUM(UNITS, products, product_names), NAMED("products_of_inertia") };

static void convert(const struct unit *unit, double *values, size_t count)
{
  for (size_t i = 0; i < count; i++) values[i] = values[i] * unit->times / unit->over;
}

void units_convert_body(const struct model_units *units, struct armdyn_body *body)
{
  struct armdyn_inertia *I = &body->inertia;
  double *const moments[] = { &I->xx, &I->yy, &I->zz }, *const mixed[] = { &I->xy, &I->xz, &I->yz };
  convert(&masses[units->mass], &body->mass, 1);
  convert(&lengths[units->length], body->com, 3);
  for (int i = 0; i < 3; i++) {
    convert(&inertias[units->inertia], moments[i], 1);
    convert(&inertias[units->inertia], mixed[i], 1);
    if (units->products && fabs(*mixed[i]) > 0) convert(&products[units->products], mixed[i], 1); /* no -0 */
  }
}

static void convert_pose(const struct model_units *units, struct armdyn_pose *pose)
{
  convert(&lengths[units->length], pose->translation, 3);
  convert(&angles[units->angle], pose->rpy, 3);
}

static void convert_shape(const struct model_units *units, struct armdyn_shape *shape)
{
  const struct unit *length = &lengths[units->length];
  convert(length, shape->from, 3);
  convert(length, shape->to, 3);
  convert(length, &shape->radius, 1);
  convert(length, shape->size, 3);
  convert_pose(units, &shape->pose);
}

void units_convert_robot(const struct model_units *units, struct armdyn_robot_description *robot)
{
  const struct unit *length = &lengths[units->length], *angle = &angles[units->angle];
  for (size_t i = 0; i < robot->joint_count; i++) {
    struct armdyn_joint *joint = &robot->joints[i];
    struct armdyn_limits *limits = &joint->limits;
    const struct unit *way = joint->type == ARMDYN_REVOLUTE ? angle : length;
    convert(length, &joint->a, 1);
    convert(length, &joint->d, 1);
    convert(angle, &joint->alpha, 1);
    convert(angle, &joint->theta, 1);
    convert_pose(units, &joint->frame);
    convert(way, &joint->offset, 1);
    convert(way, limits->position, 2);
    convert(way, joint->elasticity.position, 2);
    convert(&masses[units->mass], joint->elasticity.payload_mass, 2);
    convert(way, &limits->velocity, 1);
    convert(way, &limits->acceleration, 1);
    convert(way, &limits->jerk, 1);
  }
  convert_pose(units, &robot->tool);
  for (size_t i = 0; i < robot->visual_count; i++) {
    convert_pose(units, &robot->visuals[i].frame);
    convert_shape(units, &robot->visuals[i].shape);
  }
  for (size_t i = 0; i < robot->body_count; i++) convert_shape(units, &robot->bodies[i].shape);
}
