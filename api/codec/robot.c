#include "api/codec/robot.h"

#include <ctype.h>
#include <stddef.h>

#include "api/codec/part_bodies.h"
#include "api/codec/parts.h"
#include "api/codec/visual.h"
#include "api/codec/warnings.h"
#include "api/json/fields.h"
#include "api/read_only.h"

#define IS_OBJECT (UINT64_C(1) << 63)

/* What decoding a model keeps beside the description. */
struct model_context {
  struct body_context body; /* first: model_body_type looks for it here */
  struct armdyn_robot_description *robot;
  struct model_units units;
  uint64_t given[ARMDYN_JOINTS_MAX]; /* rows of joint_fields that each joint had, and IS_OBJECT */
  bool has_matrix;
  size_t matrix_rows, matrix_columns[ARMDYN_JOINTS_MAX]; /* of the transmission */
};

static const char *const convention_names[] = { [ARMDYN_DH] = "dh", [ARMDYN_MDH] = "mdh", [ARMDYN_FRAMES] = "frames" };
static const char *const joint_type_names[] = { [ARMDYN_REVOLUTE] = "revolute", [ARMDYN_PRISMATIC] = "prismatic" };

static bool is_label(const char *text)
{
  for (const char *c = text; *c; c++)
    if (iscntrl((unsigned char)*c)) return false;
  return *text;
}
static const struct json_pattern label_pattern = { is_label, "a text that is not empty and has no control characters" };

/* -- limits, drive, friction -- */

static void limits_init(void *limits)
{
  struct armdyn_joint joint;
  armdyn_joint_init(&joint);
  memcpy(limits, &joint.limits, sizeof joint.limits);
}

static void limits_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct armdyn_limits *limits = object;
  if (!(limits->position[0] < limits->position[1]))
    json_fault(r, "/position", FAULT_INCONSISTENT, "must be [lower, upper] with lower < upper, got [%.17g, %.17g]",
               limits->position[0], limits->position[1]);
}

static const struct json_field limits_fields[] = {
  { NUMBERS(struct armdyn_limits, position, 2, ANY_NUMBER, "lower and upper end, rad; m for a slide"), NULLABLE,
    OMIT_DEFAULT, NULL_ELEMENTS },
  { NUMBER(struct armdyn_limits, velocity, POSITIVE, "rad/s; m/s for a slide"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct armdyn_limits, acceleration, POSITIVE, "rad/s^2; m/s^2 for a slide"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct armdyn_limits, jerk, POSITIVE, "rad/s^3; m/s^3 for a slide"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct armdyn_limits, torque, POSITIVE, "N m; N for a slide"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct armdyn_limits, torque_rate, POSITIVE, "N m/s; N/s for a slide"), NULLABLE, OMIT_DEFAULT },
};
static const struct json_type limits_type =
    JSON_TYPE("limits of a joint", limits_fields, struct armdyn_limits, limits_init, limits_check);

static void drive_init(void *drive)
{
  struct armdyn_joint joint;
  armdyn_joint_init(&joint);
  memcpy(drive, &joint.drive, sizeof joint.drive);
}

static const struct json_field drive_fields[] = {
  { NUMBER(struct armdyn_drive, rotor_inertia, NON_NEGATIVE, "kg m^2, at the motor"), OMIT_DEFAULT },
  { NUMBER(struct armdyn_drive, gear_ratio, NON_ZERO, "motor rad per joint rad; rad/m for a slide"), OMIT_DEFAULT },
  { NUMBER(struct armdyn_drive, torque_constant, POSITIVE, "N m/A"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct armdyn_drive, resistance, NON_NEGATIVE, "ohm"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct armdyn_drive, efficiency, ABOVE_UP_TO(0, 1), NULL), NULLABLE, OMIT_DEFAULT },
};
static const struct json_type drive_type = JSON_TYPE("a drive", drive_fields, struct armdyn_drive, drive_init, NULL);

static void elasticity_init(void *elasticity)
{
  struct armdyn_joint joint;
  armdyn_joint_init(&joint);
  memcpy(elasticity, &joint.elasticity, sizeof joint.elasticity);
}

#define ELASTICITY struct armdyn_elasticity
static const struct json_field elasticity_fields[] = {
  { NUMBER(ELASTICITY, stiffness, POSITIVE, "N m/rad; N/m for a slide"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(ELASTICITY, deviation, NON_NEGATIVE, "N m/rad; N/m for a slide"), OMIT_DEFAULT },
  { NUMBER(ELASTICITY, damping, NON_NEGATIVE, "N m s/rad; N s/m for a slide"), OMIT_DEFAULT },
  { NUMBERS(ELASTICITY, position, 2, ANY_NUMBER, "from and to, rad; m for a slide"), NULLABLE, OMIT_DEFAULT,
    NULL_ELEMENTS },
  { NUMBERS(ELASTICITY, payload_mass, 2, NON_NEGATIVE, "from and to, kg"), NULLABLE, OMIT_DEFAULT, NULL_ELEMENTS },
};
const struct json_type robot_elasticity_type =
    JSON_TYPE("how a gear gives", elasticity_fields, ELASTICITY, elasticity_init, NULL);

static const struct json_field directed_fields[] = {
  { NUMBER(struct armdyn_directed, positive, NON_NEGATIVE, NULL), REQUIRED },
  { NUMBER(struct armdyn_directed, negative, NON_NEGATIVE, NULL), REQUIRED },
};
static const struct json_type directed_type =
    JSON_TYPE("a coefficient for each direction", directed_fields, struct armdyn_directed, NULL, NULL);

/* A number for both directions, or {"positive", "negative"}. */
static void directed_decode(struct json_reader *r, const struct json_field *field, void *member,
                            const struct json_context *context)
{
  static const struct json_field number = { NUMBER(struct armdyn_directed, positive, NON_NEGATIVE, NULL) };
  struct armdyn_directed *directed = member;
  struct json_field both = number;
  both.unit = field->unit;
  if (json_peek(r) == JSON_OBJECT)
    json_decode_object(r, &directed_type, directed, context);
  else if (json_decode_field(r, &both, directed, context))
    directed->negative = directed->positive;
}

static void directed_encode(struct json_writer *w, const struct json_field *field, const void *member,
                            const struct json_context *context)
{
  (void)field;
  const struct armdyn_directed *directed = member;
  if (memcmp(&directed->positive, &directed->negative, sizeof(double)))
    json_encode_object(w, &directed_type, directed, context);
  else
    json_write_number(w, directed->positive);
}

static const struct json_field ripple_fields[] = {
  { NUMBER(struct armdyn_ripple, amplitude, ANY_NUMBER, "N m; N for a slide"), REQUIRED },
  { NUMBER(struct armdyn_ripple, order, POSITIVE, "periods in a turn of the motor"), REQUIRED },
  { NUMBER(struct armdyn_ripple, phase, ANY_NUMBER, "rad"), OMIT_DEFAULT },
};
static const struct json_type ripple_type =
    JSON_TYPE("a line of position-dependent friction", ripple_fields, struct armdyn_ripple, NULL, NULL);

static void friction_init(void *friction)
{
  struct armdyn_joint joint;
  armdyn_joint_init(&joint);
  memcpy(friction, &joint.friction, sizeof joint.friction);
}

static const struct json_field friction_fields[] = {
  { NUMBER(struct armdyn_friction, offset, ANY_NUMBER, "N m; N for a slide"), OMIT_DEFAULT },
  { CUSTOM(struct armdyn_friction, coulomb, directed_decode, directed_encode, "N m; N for a slide"), OMIT_DEFAULT },
  { NUMBER(struct armdyn_friction, stiction, NON_NEGATIVE, "N m; N for a slide"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct armdyn_friction, stribeck_velocity, POSITIVE, "rad/s; m/s for a slide"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct armdyn_friction, stribeck_exponent, POSITIVE, NULL), OMIT_DEFAULT },
  { CUSTOM(struct armdyn_friction, viscous, directed_decode, directed_encode, "N m s/rad; N s/m for a slide"),
    OMIT_DEFAULT },
  { NUMBER(struct armdyn_friction, high_speed, ANY_NUMBER, "N m s^2/rad^2; N s^2/m^2 for a slide"), OMIT_DEFAULT },
  { NUMBER(struct armdyn_friction, sublinear, NON_NEGATIVE, "N m (s/rad)^(1/3); N (s/m)^(1/3) for a slide"),
    OMIT_DEFAULT },
  { NUMBER(struct armdyn_friction, load, BETWEEN(0, 0.99), "of the transmitted torque"), OMIT_DEFAULT },
  { LIST(struct armdyn_friction, ripples, ripple_count, 0, ripple_type), NAMED("position"), OMIT_DEFAULT },
};

static void friction_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  const struct armdyn_friction *friction = object;
  const uint64_t speed = UINT64_C(1) << 3;
  if (!isnan(friction->stiction) && !((given | r->wrong) & speed))
    json_fault(r, "/stribeck_velocity", FAULT_REQUIRED,
               "is missing: stiction falls to coulomb over this velocity (rad/s; m/s for a slide)");
}
const struct json_type robot_friction_type =
    JSON_TYPE("friction of a joint", friction_fields, struct armdyn_friction, friction_init, friction_check);

/* -- joints -- */

#define JOINT struct armdyn_joint
#define JOINT_HEAD                                                                                                     \
  { TEXT(JOINT, name), MATCHES(label_pattern) },                                                                       \
  {                                                                                                                    \
    ENUM(JOINT, type, joint_type_names), REQUIRED                                                                      \
  }
#define JOINT_DH                                                                                                       \
  { NUMBER(JOINT, a, ANY_NUMBER, "m") }, { NUMBER(JOINT, alpha, ANY_NUMBER, "rad") },                                  \
      { NUMBER(JOINT, d, ANY_NUMBER, "m") },                                                                           \
  {                                                                                                                    \
    NUMBER(JOINT, theta, ANY_NUMBER, "rad")                                                                            \
  }
#define JOINT_FRAMES                                                                                                   \
  { OBJECT(JOINT, frame, pose_type) },                                                                                 \
  {                                                                                                                    \
    NUMBERS(JOINT, axis, 3, ANY_NUMBER, "direction of the joint's axis")                                               \
  }
#define JOINT_TAIL                                                                                                     \
  { NUMBER(JOINT, offset, ANY_NUMBER, "rad; m for a slide"), OMIT_DEFAULT },                                           \
      { NUMBER(JOINT, velocity_scale, POSITIVE, "rad/s; m/s for a slide"), OMIT_DEFAULT },                             \
      { OBJECT(JOINT, limits, limits_type), NULLABLE, OMIT_DEFAULT },                                                  \
      { OBJECT(JOINT, link, model_body_type), REQUIRED },                                                              \
      { OBJECT(JOINT, drive, drive_type), NULLABLE, OMIT_DEFAULT },                                                    \
      { OBJECT(JOINT, elasticity, robot_elasticity_type), NULLABLE, OMIT_DEFAULT },                                    \
  {                                                                                                                    \
    OBJECT(JOINT, friction, robot_friction_type), NULLABLE, OMIT_DEFAULT                                               \
  }

/* Read with all fields, because the convention may follow the joints; written with those of the convention. */
static const struct json_field joint_fields[] = { JOINT_HEAD, JOINT_DH, JOINT_FRAMES, JOINT_TAIL };
static const struct json_field joint_dh_fields[] = { JOINT_HEAD, JOINT_DH, JOINT_TAIL };
static const struct json_field joint_frames_fields[] = { JOINT_HEAD, JOINT_FRAMES, JOINT_TAIL };
enum { ROW_A = 2, ROW_FRAME = 6, ROW_AXIS = 7, ROW_OFFSET = 8 };

static void joint_init(void *joint)
{
  armdyn_joint_init(joint);
}

static void joint_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct model_context *model = context->user;
  struct armdyn_joint *joint = object;
  model->given[joint - model->robot->joints] = given | IS_OBJECT;
  if (!(given >> ROW_AXIS & 1)) return;
  double *u = joint->axis, length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  if (!(length > 0 && isfinite(length))) {
    json_fault(r, "/axis", FAULT_MINIMUM, "must be a direction with a length > 0, got length %g", length);
  } else if (fabs(length - 1) > 1e-15 * 8) { /* a unit vector stays as it is, bit for bit */
    for (int i = 0; i < 3; i++) u[i] /= length;
  }
}

static const struct json_type joint_type = JSON_TYPE("a joint", joint_fields, JOINT, joint_init, joint_check);
static const struct json_type joint_dh_type = JSON_TYPE("a joint", joint_dh_fields, JOINT, joint_init, NULL);
static const struct json_type joint_frames_type = JSON_TYPE("a joint", joint_frames_fields, JOINT, joint_init, NULL);

static void joints_decode(struct json_reader *r, const struct json_field *field, void *member,
                          const struct json_context *context)
{
  static const struct json_field list = { LIST(struct armdyn_robot_description, joints, joint_count, 1, joint_type) };
  json_decode_field(r, &list, (char *)member - field->offset, context);
}

static void joints_encode(struct json_writer *w, const struct json_field *field, const void *member,
                          const struct json_context *context)
{
  (void)field;
  const struct armdyn_robot_description *robot = context->user;
  const struct armdyn_joint *joints = member;
  const struct json_type *type = robot->convention == ARMDYN_FRAMES ? &joint_frames_type : &joint_dh_type;
  json_begin_array(w);
  for (size_t i = 0; i < robot->joint_count; i++) json_encode_object(w, type, &joints[i], context);
  json_end_array(w);
}

/* -- transmission -- */

/* Members of a description that follow each other. */
struct transmission {
  double matrix[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  enum armdyn_friction_place friction;
};
_Static_assert(offsetof(struct armdyn_robot_description, friction_at) -
                       offsetof(struct armdyn_robot_description, transmission) ==
                   offsetof(struct transmission, friction),
               "a transmission is read and written in its place");
static const char *const friction_places[] = { [ARMDYN_AT_JOINTS] = "joints", [ARMDYN_AT_MOTORS] = "motors" };

/* Rows are kept ARMDYN_JOINTS_MAX apart until the number of joints is known. */
static void matrix_decode(struct json_reader *r, const struct json_field *field, void *member,
                          const struct json_context *context)
{
  struct model_context *model = context->user;
  double *matrix = member, spare;
  model->matrix_rows = 0;
  if (!json_enter_array(r, field->unit)) return;
  model->has_matrix = true;
  for (; json_next_element(r); model->matrix_rows++) {
    bool room = model->matrix_rows < ARMDYN_JOINTS_MAX;
    size_t columns = 0;
    if (!json_enter_array(r, "a row of numbers, one for each joint")) continue;
    for (; json_next_element(r); columns++)
      json_read_number(r, NULL,
                       room && columns < ARMDYN_JOINTS_MAX ? &matrix[model->matrix_rows * ARMDYN_JOINTS_MAX + columns]
                                                           : &spare);
    if (room) model->matrix_columns[model->matrix_rows] = columns;
  }
}

static void matrix_encode(struct json_writer *w, const struct json_field *field, const void *member,
                          const struct json_context *context)
{
  (void)field;
  json_write_table(w, member, (const size_t[]){ context->joint_count, context->joint_count }, 2);
}

static const struct json_field transmission_fields[] = {
  { CUSTOM(struct transmission, matrix, matrix_decode, matrix_encode,
           "a list of rows: motor positions = matrix times joint positions"),
    REQUIRED },
  { ENUM(struct transmission, friction, friction_places) },
};
static const struct json_type transmission_type =
    JSON_TYPE("a transmission", transmission_fields, struct transmission, NULL, NULL);

/* Is it n x n? Then close the gaps between rows. */
static void transmission_check(struct json_reader *r, struct model_context *model)
{
  size_t n = model->robot->joint_count;
  bool square = model->matrix_rows == n;
  if (!square)
    json_fault(r, "/transmission/matrix", FAULT_LENGTH, "must have a row for each of the %zu joints, got %zu", n,
               model->matrix_rows);
  for (size_t i = 0; square && i < n; i++) {
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/transmission/matrix/%zu", i);
    if (model->matrix_columns[i] == n) {
      memmove(model->robot->transmission + i * n, model->robot->transmission + i * ARMDYN_JOINTS_MAX,
              n * sizeof(double));
    } else {
      json_fault(r, pointer, FAULT_LENGTH, "must have a number for each of the %zu joints, got %zu", n,
                 model->matrix_columns[i]);
    }
  }
  for (size_t k = n * n; k < ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX; k++) model->robot->transmission[k] = 0;
}

/* -- units -- */

/* They hold for everything, wherever they stand in the text: so they are looked for first, and faults are told when they
 * are met again. */
static void find_units(const char *text, size_t length, struct model_units *units)
{
  struct json_reader r;
  struct json_slice key;
  json_reader_init(&r, text, length, NULL);
  if (!json_enter_object(&r, NULL)) return;
  while (json_next_member(&r, &key)) {
    struct model_units found = *units;
    if (json_slice_is(key, "units")) {
      if (json_decode_object(&r, &units_type, &found, NULL)) found.products = units->products, *units = found;
    } else if (json_slice_is(key, json_field_name(&units_of_products))) {
      if (json_decode_field(&r, &units_of_products, &found, NULL)) *units = found;
    } else {
      json_skip(&r, NULL);
    }
  }
}

static void units_decode(struct json_reader *r, const struct json_field *field, void *member,
                         const struct json_context *context)
{
  struct model_units again;
  (void)field, (void)member;
  json_decode_object(r, &units_type, &again, context);
}

static void products_decode(struct json_reader *r, const struct json_field *field, void *member,
                            const struct json_context *context)
{
  struct model_units again;
  (void)field, (void)member;
  json_decode_field(r, &units_of_products, &again, context);
}

/* Half of the CAD programs print products of inertia with the one sign, half with the other: who brings a table must say. */
static void products_check(struct json_reader *r, const struct model_context *model)
{
  if (!model->units.has_inertia) return;
  for (size_t i = 0; i < model->robot->joint_count; i++) {
    const struct armdyn_inertia *I = &model->robot->joints[i].link.inertia;
    if (!(fabs(I->xy) + fabs(I->xz) + fabs(I->yz) > 0)) continue;
    json_fault(
        r, "/products_of_inertia", FAULT_REQUIRED,
        "is missing: \"tensor\" (elements of the inertia matrix) or \"positive\" (integrals of x y dm), as joint "
        "%zu has products of inertia in a unit of its own",
        i + 1);
    return;
  }
}

/* -- the bodies of what is no link -- */

static const struct json_field tool_fields[] = {
  { NUMBERS(struct armdyn_pose, translation, 3, ANY_NUMBER, "m") },
  { NUMBERS(struct armdyn_pose, rpy, 3, ANY_NUMBER, "roll, pitch, yaw about fixed axes, rad") },
  { CUSTOM(struct armdyn_pose, translation, part_bodies_decode, part_bodies_encode, PART_BODIES_WORDS), NAMED("bodies"),
    WANTED(part_bodies_wanted) },
};
static const struct json_type tool_type =
    JSON_TYPE("a tool: translation (m), rpy (rad), bodies", tool_fields, struct armdyn_pose, NULL, NULL);

/* The base has nothing else, and no place of its own: that of the bodies' count stands for it. */
static void base_init(void *base)
{
  (void)base;
}
static const struct json_field base_fields[] = {
  { CUSTOM(struct armdyn_part_body, part, part_bodies_decode, part_bodies_encode, PART_BODIES_WORDS), NAMED("bodies"),
    WANTED(part_bodies_wanted) },
};
static const struct json_type base_type =
    JSON_TYPE("a base: bodies", base_fields, struct armdyn_part_body, base_init, NULL);

/* -- robots -- */

#define ROBOT struct armdyn_robot_description
static const struct json_field robot_fields[] = {
  { TEXT(ROBOT, name), REQUIRED, MATCHES(json_name_pattern) },
  { TEXT(ROBOT, description), OMIT_DEFAULT },
  { ENUM(ROBOT, convention, convention_names), REQUIRED },
  { NUMBERS(ROBOT, gravity, 3, ANY_NUMBER, "acceleration of free fall in the base frame, m/s^2") },
  { CUSTOM(ROBOT, joints, joints_decode, joints_encode, "a list of 1 to 32 joints"), REQUIRED },
  { OBJECT(ROBOT, transmission, transmission_type), HAS(ROBOT, has_transmission), NULLABLE },
  { OBJECT(ROBOT, tool, tool_type), OMIT_DEFAULT },
  { OBJECT(ROBOT, payload, model_body_type), OMIT_DEFAULT },
  { OBJECT(ROBOT, body_count, base_type), NAMED("base"), OMIT_DEFAULT },
  { LIST(ROBOT, visuals, visual_count, 0, visual_type), OMIT_DEFAULT },
  READ_ONLY_ROBOT,
  /* read only, with no place in the model: as nothing is left of them, they are never written */
  { .name = "units", .kind = FIELD_CUSTOM, .decode = units_decode, NULLABLE, OMIT_DEFAULT },
  { .name = "products_of_inertia", .kind = FIELD_CUSTOM, .decode = products_decode, NULLABLE, OMIT_DEFAULT },
};
enum { ROW_CONVENTION = 2, ROW_PRODUCTS = sizeof robot_fields / sizeof *robot_fields - 1 };

static void robot_init(void *robot)
{
  armdyn_robot_description_init(robot);
}

/* Fields of another convention would be ignored silently; and frames have no sensible default axis. */
static void convention_check(struct json_reader *r, const struct model_context *model, size_t index)
{
  bool frames = model->robot->convention == ARMDYN_FRAMES;
  char pointer[64];
  if (!(model->given[index] & IS_OBJECT)) return; /* told already */
  for (size_t row = ROW_A; row < ROW_OFFSET; row++) {
    bool given = model->given[index] >> row & 1, belongs = (row >= ROW_FRAME) == frames;
    snprintf(pointer, sizeof pointer, "/joints/%zu/%s", index, joint_fields[row].name);
    if (given && !belongs)
      json_fault(r, pointer, FAULT_INCONSISTENT, "does not belong to convention \"%s\", which places links by %s",
                 convention_names[model->robot->convention], frames ? "frame and axis" : "a, alpha, d and theta");
    if (!given && frames && belongs)
      json_fault(r, pointer, FAULT_REQUIRED, "is missing: %s",
                 row == ROW_AXIS ? "the direction of the joint's axis, e.g. [0, 0, 1]"
                                 : "the pose of the joint, {\"translation\": m, \"rpy\": rad}");
  }
}

/* Joints without a name are j1, j2, ...; no name may be there twice. */
static void names_check(struct json_reader *r, struct model_context *model, size_t index)
{
  struct armdyn_joint *joints = model->robot->joints;
  if (!*joints[index].name) snprintf(joints[index].name, sizeof joints[index].name, "j%zu", index + 1);
  for (size_t k = 0; k < index; k++) {
    char pointer[64];
    if (strcmp(joints[k].name, joints[index].name)) continue;
    snprintf(pointer, sizeof pointer, "/joints/%zu/name", index);
    json_fault(r, pointer, FAULT_DUPLICATE, "must be unique, but \"%s\" is joint %zu too", joints[k].name, k + 1);
    return;
  }
}

static void robot_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct armdyn_robot_description *robot = object;
  struct model_context *model = context->user;
  for (size_t i = 0; i < robot->joint_count; i++) {
    if ((given & ~r->wrong) >> ROW_CONVENTION & 1) convention_check(r, model, i);
    names_check(r, model, i);
  }
  units_convert_robot(&model->units, robot);
  part_bodies_sort(robot);
  if (!((given | r->wrong) >> ROW_PRODUCTS & 1)) products_check(r, model);
  if (robot->has_transmission && model->has_matrix && robot->joint_count) transmission_check(r, model);

  /* the library has the final say; it stops at its first objection */
  struct armdyn_robot *built = NULL;
  struct armdyn_error error = { "", "" };
  if (r->status || r->fault_count) return;
  enum armdyn_status status = armdyn_robot_new(robot, &built, &error);
  armdyn_robot_free(built);
  if (status == ARMDYN_EMEMORY)
    json_out_of_memory(r);
  else if (status)
    json_fault(r, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
}

static const struct json_type robot_type = JSON_TYPE("a robot", robot_fields, ROBOT, robot_init, robot_check);

enum armdyn_status robot_decode(const char *text, size_t length, bool allow_unphysical,
                                struct armdyn_robot_description *robot, bool *unphysical, struct faults *faults)
{
  struct model_context model = { .body.allow_unphysical = allow_unphysical, .robot = robot };
  const struct json_context context = { .user = &model };
  struct json_reader r;
  find_units(text, length, &model.units);
  model.body.units = &model.units;
  model.body.robot = robot;
  json_reader_init(&r, text, length, faults);
  json_decode_object(&r, &robot_type, robot, &context);
  json_finish(&r);
  if (unphysical) *unphysical = model.body.unphysical > 0;
  enum armdyn_status status = json_reader_status(&r);
  bool only_unphysical = status == ARMDYN_EINPUT && r.fault_count == model.body.faults;
  return only_unphysical ? ARMDYN_EUNPHYSICAL : status;
}

static void write_robot(struct json_writer *w, const struct armdyn_robot_description *robot)
{
  /* only the encoders above look at it, and none of them writes */
  const struct json_context context = { robot->joint_count, (void *)(uintptr_t)robot };
  json_encode_fields(w, &robot_type, robot, &context);
}

void robot_encode(const struct armdyn_robot_description *robot, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  write_robot(&w, robot);
  json_end_object(&w);
}

void robot_resource_encode(const struct robot_resource *resource, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  write_robot(&w, resource->robot);
  resource->write_row(&w, resource->row);
  json_key(&w, "warnings"), robot_warnings_write(&w, resource->robot, resource->notes);
  json_end_object(&w);
}
