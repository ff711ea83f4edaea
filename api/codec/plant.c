#include "api/codec/plant.h"

/* What a row of the table of plants says, whose presence matters: everything from here on is an element. */
enum { ROW_ELASTICITY, ROW_CURRENT, ROW_RIPPLE, ROW_WALLS, ROW_HOLE, ROW_ELEMENTS };

#define ELEMENTS struct armdyn_elements
#define LENGTHS  BETWEEN(-1000, 1000)

/* -- gears and drives -- */

static const char *const encoders[] = { "motor", "link" };

static void elasticity_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const ELEMENTS *elements = object;
  const struct armdyn_robot_description *robot = context->user;
  char where[32];
  bool springs = false;
  (void)given;
  if (json_reader_status(r)) return;
  for (size_t j = 0; j < context->joint_count; j++) {
    const bool spring = elements->stiffness[j] > 0;
    springs |= spring;
    snprintf(where, sizeof where, "/stiffness/%zu", j);
    if (!spring && (elements->damping[j] > 0 || elements->backlash[j] > 0))
      json_fault(r, where, FAULT_INCONSISTENT, "is 0, a rigid gear, which has neither damping nor backlash");
    if (spring && robot->has_transmission)
      json_fault(r, where, FAULT_INCONSISTENT, "must be 0: drives that are coupled have no spring of one joint");
    else if (spring && !(robot->joints[j].drive.rotor_inertia > 0))
      json_fault(r, where, FAULT_INCONSISTENT,
                 "needs a rotor_inertia of joint %s in the model: a spring is between a rotor and a link",
                 robot->joints[j].name);
  }
  if (!springs) json_fault(r, "/stiffness", FAULT_INCONSISTENT, "must be above 0 for some joint: 0 is a rigid gear");
}

static void encoders_decode(struct json_reader *r, const struct json_field *field, void *member,
                            const struct json_context *context)
{
  enum { MOTOR, LINK } encoder = MOTOR;
  const struct json_field row = {
    .name = field->name, .kind = FIELD_ENUM, .size = sizeof encoder, .names = encoders, .name_count = 2
  };
  if (json_decode_field(r, &row, &encoder, context)) *(bool *)member = encoder == LINK;
}

static const struct json_field elasticity_fields[] = {
  { NUMBERS(ELEMENTS, stiffness, PER_JOINT, BETWEEN(0, 1e12), "N m/rad, N/m"), REQUIRED },
  { NUMBERS(ELEMENTS, damping, PER_JOINT, BETWEEN(0, 1e9), "N m s/rad, N s/m") },
  { NUMBERS(ELEMENTS, backlash, PER_JOINT, BETWEEN(0, 1), "rad, m") },
  { CUSTOM(ELEMENTS, link_encoders, encoders_decode, NULL, "motor or link"), NAMED("encoders") },
};
static const struct json_type elasticity_type =
    JSON_TYPE("elastic gears", elasticity_fields, ELEMENTS, NULL, elasticity_check);

#define RIPPLE struct armdyn_torque_ripple
void joint_name_decode(struct json_reader *r, const struct json_field *field, void *member,
                       const struct json_context *context)
{
  const struct armdyn_robot_description *robot = context->user;
  size_t *joint = member;
  struct json_slice name;
  char text[64];
  if (!json_read_text(r, field->unit, &name)) return;
  for (*joint = 0; *joint < robot->joint_count; (*joint)++)
    if (json_slice_is(name, robot->joints[*joint].name)) return;
  *joint = 0;
  json_fault(r, NULL, FAULT_ENUM, "must be a joint of this robot, got \"%s\"", json_excerpt(name, text, sizeof text));
}

static const struct json_field ripple_fields[] = {
  { CUSTOM(RIPPLE, joint, joint_name_decode, NULL, "the name of a joint"), REQUIRED },
  { NUMBER(RIPPLE, amplitude, BETWEEN(0, 1e9), "N m, N") },
  { NUMBER(RIPPLE, relative, BETWEEN(0, 1), NULL) },
  { NUMBER(RIPPLE, order, ABOVE_UP_TO(0, 10000), "a turn of the motor"), REQUIRED },
  { NUMBER(RIPPLE, phase, BETWEEN(-100, 100), "rad") },
};
static const struct json_type ripple_type = JSON_TYPE("a torque ripple", ripple_fields, RIPPLE, NULL, NULL);

/* -- what the tool meets -- */

static void normalize(struct json_reader *r, const char *where, double *n)
{
  const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (json_reader_status(r)) return;
  if (!(length > 0 && isfinite(length)))
    json_fault(r, where, FAULT_MINIMUM, "must be a direction with a length > 0, got %g", length);
  for (int i = 0; i < 3 && length > 0; i++) n[i] /= length;
}

/* Rows of a struct with a surface. */
#define SURFACE(type)                                                                                                  \
  { NUMBER(type, surface.stiffness, ABOVE_UP_TO(0, 1e12), "N/m"), NAMED("stiffness"), REQUIRED },                      \
      { NUMBER(type, surface.damping, BETWEEN(0, 1e9), "N s/m"), NAMED("damping") },                                   \
      { NUMBER(type, surface.friction, BETWEEN(0, 10), NULL), NAMED("friction") },                                     \
  {                                                                                                                    \
    NUMBER(type, surface.slip_velocity, ABOVE_UP_TO(0, 10), "m/s"), NAMED("slip_velocity")                             \
  }
#define SLIP_VELOCITY 1e-3 /* m/s, as the velocity_scale of a joint's friction */

#define WALL          struct armdyn_wall
static void wall_init(void *object)
{
  *(WALL *)object = (WALL){ .surface.slip_velocity = SLIP_VELOCITY };
}
static void wall_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  normalize(r, "/normal", ((WALL *)object)->normal);
}
static const struct json_field wall_fields[] = {
  { NUMBERS(WALL, point, 3, LENGTHS, "m"), REQUIRED },
  { NUMBERS(WALL, normal, 3, LENGTHS, NULL), REQUIRED },
  SURFACE(WALL),
};
static const struct json_type wall_type = JSON_TYPE("a wall", wall_fields, WALL, wall_init, wall_check);

#define HOLE struct armdyn_hole
static void hole_init(void *object)
{
  *(HOLE *)object = (HOLE){ .axis = { 0, 0, 1 }, .surface.slip_velocity = SLIP_VELOCITY };
}
static void hole_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  HOLE *hole = object;
  (void)given, (void)context;
  normalize(r, "/axis", hole->axis);
  if (json_reader_status(r)) return;
  if (hole->chamfer >= hole->depth)
    json_fault(r, "/chamfer", FAULT_MAXIMUM, "must be below the depth of the hole, %g, got %g", hole->depth,
               hole->chamfer);
}
static const struct json_field hole_fields[] = {
  { NUMBERS(HOLE, center, 3, LENGTHS, "m"), REQUIRED },
  { NUMBERS(HOLE, axis, 3, LENGTHS, NULL) },
  { NUMBER(HOLE, diameter, ABOVE_UP_TO(0, 10), "m"), REQUIRED },
  { NUMBER(HOLE, depth, ABOVE_UP_TO(0, 10), "m"), REQUIRED },
  { NUMBER(HOLE, chamfer, BETWEEN(0, 10), "m") },
  { NUMBER(HOLE, peg_diameter, ABOVE_UP_TO(0, 10), "m"), REQUIRED },
  { NUMBER(HOLE, peg_length, ABOVE_UP_TO(0, 10), "m"), REQUIRED },
  SURFACE(HOLE),
};
static const struct json_type hole_type = JSON_TYPE("a hole", hole_fields, HOLE, hole_init, hole_check);

/* -- the plant -- */

#define PLANT struct plant_request
static void plant_init(void *object)
{
  *(PLANT *)object = (PLANT){ .inertial_scale = 1 };
}

static void plant_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  PLANT *plant = object;
  (void)r, (void)context;
  swap_halves(plant->wrench, 3);
  plant->has_elements = (given & ((1u << ROW_ELEMENTS) - 1)) != 0;
}

/* The springs of a plant are read into its elements beside all else. */
static void elasticity_decode(struct json_reader *r, const struct json_field *field, void *member,
                              const struct json_context *context)
{
  ELEMENTS read = { .link_encoders = false }, *elements = member;
  (void)field;
  if (!json_decode_object(r, &elasticity_type, &read, context)) return;
  memcpy(elements->stiffness, read.stiffness, sizeof read.stiffness);
  memcpy(elements->damping, read.damping, sizeof read.damping);
  memcpy(elements->backlash, read.backlash, sizeof read.backlash);
  elements->link_encoders = read.link_encoders;
}

static const struct json_field plant_fields[] = {
  [ROW_ELASTICITY] = { CUSTOM(PLANT, elements, elasticity_decode, NULL, "elastic gears"), NAMED("elasticity"),
                       NULLABLE },
  [ROW_CURRENT] = { NUMBERS(PLANT, elements.current_bandwidth, PER_JOINT, BETWEEN(0, 1e6), "Hz"),
                    NAMED("current_loop_hz"), NULLABLE },
  [ROW_RIPPLE] = { LIST(PLANT, elements.ripples, elements.ripple_count, 1, ripple_type), NAMED("torque_ripple"),
                   NULLABLE },
  [ROW_WALLS] = { LIST(PLANT, elements.walls, elements.wall_count, 1, wall_type), NAMED("walls"), NULLABLE },
  [ROW_HOLE] = { OBJECT(PLANT, elements.hole, hole_type), HAS(PLANT, elements.has_hole), NAMED("hole"), NULLABLE },
  { NUMBER(PLANT, inertial_scale, BETWEEN(0.1, 10), NULL) },
  { TRUTH(PLANT, friction), HAS(PLANT, has_friction), NULLABLE },
  { NUMBERS(PLANT, wrench, 6, BETWEEN(-1e6, 1e6), "N, N m"), HAS(PLANT, has_wrench), NULLABLE },
  OVERRIDES,
};
const struct json_type plant_type = JSON_TYPE("a plant", plant_fields, PLANT, plant_init, plant_check);

/* -- energies -- */

static const struct json_field energy_fields[] = {
  { NUMBER(struct armdyn_element_energy, taken, ANY_NUMBER, "J") },
  { NUMBER(struct armdyn_element_energy, stored, ANY_NUMBER, "J") },
  { NUMBER(struct armdyn_element_energy, dissipated, ANY_NUMBER, "J") },
  { NUMBER(struct armdyn_element_energy, supplied, ANY_NUMBER, "J") },
};
static const struct json_type energy_type =
    JSON_TYPE("an element's energy", energy_fields, struct armdyn_element_energy, NULL, NULL);

/* What an element has more stored than at the start. */
static struct armdyn_element_energy since_start(const struct armdyn_energy_account *account, size_t k)
{
  struct armdyn_element_energy energy = account->elements[k];
  energy.stored -= account->stored_at_start[k];
  return energy;
}

void element_energies_encode(struct json_writer *w, const struct armdyn_energy_account *account)
{
  json_begin_object(w);
  for (size_t k = 0; k < ARMDYN_ELEMENTS; k++) {
    if (!account->present[k]) continue;
    const struct armdyn_element_energy energy = since_start(account, k);
    json_key(w, armdyn_element_name((enum armdyn_element)k));
    json_encode_object(w, &energy_type, &energy, NULL);
  }
  json_end_object(w);
}

double element_energies_sum(const struct armdyn_energy_account *account)
{
  double sum = 0;
  for (size_t k = 0; k < ARMDYN_ELEMENTS; k++) {
    const struct armdyn_element_energy energy = since_start(account, k);
    if (account->present[k]) sum += energy.stored + energy.dissipated - energy.supplied;
  }
  return sum;
}
