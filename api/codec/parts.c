#include "api/codec/parts.h"

#define TURNS "roll, pitch, yaw about fixed axes, rad"
static const struct json_field pose_fields[] = {
  { NUMBERS(struct armdyn_pose, translation, 3, ANY_NUMBER, "m") },
  { NUMBERS(struct armdyn_pose, rpy, 3, ANY_NUMBER, TURNS) },
};
const struct json_type pose_type =
    JSON_TYPE("a pose: translation (m), rpy (rad)", pose_fields, struct armdyn_pose, NULL, NULL);

#define REACHABLE BETWEEN(-1e6, 1e6) /* beyond any arm, and far from overflow */
static const struct json_field tool_pose_fields[] = {
  { NUMBERS(struct tool_pose, pose.translation, 3, REACHABLE, "m"), NAMED("translation"),
    HAS(struct tool_pose, placed) },
  { NUMBERS(struct tool_pose, pose.rpy, 3, REACHABLE, TURNS), NAMED("rpy"), HAS(struct tool_pose, turned) },
};
const struct json_type tool_pose_type =
    JSON_TYPE("a pose of the tool: translation (m), rpy (rad)", tool_pose_fields, struct tool_pose, NULL, NULL);

void pose_write(struct json_writer *w, const struct armdyn_pose *pose)
{
  json_encode_object(w, &pose_type, pose, NULL);
}

void tool_peak_write(struct json_writer *w, const char *name, const struct tool_peak *peak)
{
  json_key(w, name), json_begin_object(w);
  json_key(w, "max"), json_write_number(w, peak->max);
  json_key(w, "time"), json_write_number(w, peak->time);
  json_end_object(w);
}

static const struct json_field inertia_fields[] = {
  { NUMBER(struct armdyn_inertia, xx, ANY_NUMBER, "kg m^2"), REQUIRED },
  { NUMBER(struct armdyn_inertia, yy, ANY_NUMBER, "kg m^2"), REQUIRED },
  { NUMBER(struct armdyn_inertia, zz, ANY_NUMBER, "kg m^2"), REQUIRED },
  { NUMBER(struct armdyn_inertia, xy, ANY_NUMBER, "kg m^2") },
  { NUMBER(struct armdyn_inertia, xz, ANY_NUMBER, "kg m^2") },
  { NUMBER(struct armdyn_inertia, yz, ANY_NUMBER, "kg m^2") },
};
static const struct json_type inertia_type =
    JSON_TYPE("an inertia about the centre of mass: xx, yy, zz, xy, xz, yz (kg m^2)", inertia_fields,
              struct armdyn_inertia, NULL, NULL);

#define BODY_FIELDS                                                                                                    \
  { NUMBER(struct armdyn_body, mass, ANY_NUMBER, "kg"), REQUIRED },                                                    \
      { NUMBERS(struct armdyn_body, com, 3, ANY_NUMBER, "centre of mass, m") },                                        \
  {                                                                                                                    \
    OBJECT(struct armdyn_body, inertia, inertia_type)                                                                  \
  }
static const struct json_field body_fields[] = { BODY_FIELDS };
static const struct json_field model_body_fields[] = {
  BODY_FIELDS,
  { CUSTOM(struct armdyn_body, mass, part_bodies_decode, part_bodies_encode, PART_BODIES_WORDS), NAMED("bodies"),
    WANTED(part_bodies_wanted) },
};

/* What is impossible about a body? Mass and inertia are two questions, so that both faults are told. */
static void judge_body(struct json_reader *r, const struct armdyn_body *body, struct body_context *report)
{
  const uint64_t row_inertia = UINT64_C(1) << 2;
  struct armdyn_body shape = *body;
  struct armdyn_error error = { "", "" };
  bool negative = body->mass < 0;
  if (negative) shape.mass = 0;
  if (r->wrong & row_inertia) shape.inertia = (struct armdyn_inertia){ 0 }; /* told already */
  bool impossible = armdyn_body_check(&shape, &error) != ARMDYN_OK;

  report->unphysical += negative || impossible;
  if (report->allow_unphysical) return;
  if (negative) json_fault(r, "/mass", FAULT_MINIMUM, "must be >= 0, got %.17g (kg)", body->mass);
  if (impossible) json_fault(r, error.pointer, FAULT_UNPHYSICAL, "%s", error.message);
  report->faults += (size_t)negative + (size_t)impossible;
}

static void body_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  struct body_context strict = { 0 };
  judge_body(r, object, &strict);
}

static void model_body_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given;
  struct body_context *report = context->user;
  if (report->units) units_convert_body(report->units, object);
  judge_body(r, object, report);
}

#define BODY_WORDS "a rigid body: mass (kg), com (m), inertia (kg m^2)"
const struct json_type body_type = JSON_TYPE(BODY_WORDS, body_fields, struct armdyn_body, NULL, body_check);
const struct json_type model_body_type =
    JSON_TYPE(BODY_WORDS, model_body_fields, struct armdyn_body, NULL, model_body_check);

void swap_halves(double *numbers, size_t half)
{
  for (size_t i = 0; i < half; i++) {
    const double first = numbers[i];
    numbers[i] = numbers[half + i];
    numbers[half + i] = first;
  }
}

enum armdyn_status overrides_apply(const struct overrides *overrides, const struct armdyn_robot_description *robot,
                                   struct armdyn_robot_description **out)
{
  *out = NULL;
  if (!overrides->has_payload && !overrides->has_gravity && !overrides->has_tool) return ARMDYN_OK;
  struct armdyn_robot_description *changed = malloc(sizeof *changed);
  if (!changed) return ARMDYN_EMEMORY;
  *changed = *robot;
  if (overrides->has_payload) changed->payload = overrides->payload;
  if (overrides->has_gravity) memcpy(changed->gravity, overrides->gravity, sizeof changed->gravity);
  if (overrides->has_tool) changed->tool = overrides->tool;
  *out = changed;
  return ARMDYN_OK;
}
