/* Templates of arms. Convention `dh` (Denavit & Hartenberg 1955), frames as in Siciliano et al., Robotics, 2.9: the
 * SCARA and the anthropomorphic arm with a spherical wrist. Every link is a bar of even density and square section, a
 * quarter as wide as long, about whose middle the moments are m w^2 / 6 along it and m (l^2 + w^2) / 12 across. */
#include "api/codec/robot_template.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/json/fields.h"

static const double HALF_TURN = 3.14159265358979323846, SECTION = 0.25;

enum template_kind { TEMPLATE_SCARA, TEMPLATE_SIX_AXIS };
static const char *const template_names[] = { [TEMPLATE_SCARA] = "scara", [TEMPLATE_SIX_AXIS] = "six_axis" };

struct robot_template {
  enum template_kind kind;
  char name[ARMDYN_NAME_SIZE];
  double height, shoulder, upper_arm, forearm, wrist, stroke;
  double masses[6];
  size_t mass_count;
};

#define TEMPLATE struct robot_template
static const struct json_field template_fields[] = {
  { ENUM(TEMPLATE, kind, template_names), NAMED("template"), REQUIRED },
  { TEXT(TEMPLATE, name), REQUIRED, MATCHES(json_name_pattern) },
  { NUMBER(TEMPLATE, height, NON_NEGATIVE, "m, of the shoulder above the base") },
  { NUMBER(TEMPLATE, upper_arm, POSITIVE, "m, from shoulder to elbow"), REQUIRED },
  { NUMBER(TEMPLATE, forearm, POSITIVE, "m, from elbow to wrist"), REQUIRED },
  { NUMBER(TEMPLATE, stroke, POSITIVE, "m, that the quill travels") },
  { NUMBER(TEMPLATE, shoulder, NON_NEGATIVE, "m, of the second axis before the first") },
  { NUMBER(TEMPLATE, wrist, POSITIVE, "m, from the wrist's centre to the flange") },
  { NUMBERS(TEMPLATE, masses, 6, NON_NEGATIVE, "kg"), COUNTED(TEMPLATE, mass_count), REQUIRED },
};
enum { ROW_HEIGHT = 2, ROW_STROKE = 5, ROW_SHOULDER, ROW_WRIST };

/* What a template needs and what is not its own, as bits of rows. */
static const struct {
  uint64_t needed, foreign;
  size_t masses;
  const char *links;
} rules[] = {
  [TEMPLATE_SCARA] = { UINT64_C(1) << ROW_STROKE, UINT64_C(1) << ROW_SHOULDER | UINT64_C(1) << ROW_WRIST, 3,
                       "upper arm, forearm, quill" },
  [TEMPLATE_SIX_AXIS] = { UINT64_C(1) << ROW_HEIGHT | UINT64_C(1) << ROW_WRIST, UINT64_C(1) << ROW_STROKE, 6,
                          "column, upper arm, elbow, forearm, wrist, flange" },
};

static void template_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  const struct robot_template *t = object;
  if (!((given & ~r->wrong) & 1)) return; /* of no known kind: told already */
  for (size_t row = ROW_HEIGHT; row <= ROW_WRIST; row++) {
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/%s", template_fields[row].name);
    if (rules[t->kind].needed >> row & ~((given | r->wrong) >> row) & 1)
      json_fault(r, pointer, FAULT_REQUIRED, "is missing: %s", template_fields[row].unit);
    if (rules[t->kind].foreign >> row & given >> row & 1)
      json_fault(r, pointer, FAULT_INCONSISTENT, "does not belong to template \"%s\"", template_names[t->kind]);
  }
  if (t->mass_count && t->mass_count != rules[t->kind].masses)
    json_fault(r, "/masses", FAULT_LENGTH, "must be %zu masses (%s), got %zu", rules[t->kind].masses,
               rules[t->kind].links, t->mass_count);
}
static const struct json_type template_type =
    JSON_TYPE("a template of an arm", template_fields, TEMPLATE, NULL, template_check);

bool robot_template_named(const char *text, size_t length)
{
  struct json_reader r;
  struct json_slice key;
  bool named = false;
  json_reader_init(&r, text, length, NULL);
  if (!json_enter_object(&r, NULL)) return false;
  while (json_next_member(&r, &key)) {
    named |= json_slice_is(key, "template");
    json_skip(&r, NULL);
  }
  return named;
}

/* -- arms -- */

/* A bar of this length along an axis of the link frame (0 to 2), its middle at `centre`. */
static struct armdyn_body bar(double mass, double length, int axis, double x, double y, double z)
{
  const double w = SECTION * length;
  double moment[3];
  for (int k = 0; k < 3; k++) moment[k] = k == axis ? mass * w * w / 6 : mass * (length * length + w * w) / 12;
  return (struct armdyn_body){ mass, { x, y, z }, { .xx = moment[0], .yy = moment[1], .zz = moment[2] } };
}

static struct armdyn_joint *add_joint(struct armdyn_robot_description *robot, const char *name, double a, double alpha,
                                      double d)
{
  struct armdyn_joint *joint = &robot->joints[robot->joint_count++];
  armdyn_joint_init(joint);
  snprintf(joint->name, sizeof joint->name, "%s", name);
  joint->a = a, joint->alpha = alpha, joint->d = d;
  return joint;
}

/* The third axis points down; the quill slides and turns, so it is the last link's. */
static void make_scara(const struct robot_template *t, struct armdyn_robot_description *robot)
{
  add_joint(robot, "shoulder", t->upper_arm, 0, t->height)->link =
      bar(t->masses[0], t->upper_arm, 0, -t->upper_arm / 2, 0, 0);
  add_joint(robot, "elbow", t->forearm, HALF_TURN, 0)->link = bar(t->masses[1], t->forearm, 0, -t->forearm / 2, 0, 0);
  struct armdyn_joint *quill = add_joint(robot, "quill", 0, 0, 0);
  quill->type = ARMDYN_PRISMATIC;
  quill->limits.position[0] = 0, quill->limits.position[1] = t->stroke;
  add_joint(robot, "roll", 0, 0, 0)->link = bar(t->masses[2], t->stroke, 2, 0, 0, -t->stroke / 2);
}

/* All zero: upper arm and forearm stretched out level in the first, the forearm's axis down. */
static void make_six_axis(const struct robot_template *t, struct armdyn_robot_description *robot)
{
  const double quarter = HALF_TURN / 2, *m = t->masses;
  add_joint(robot, "waist", t->shoulder, -quarter, t->height)->link =
      bar(m[0], t->height, 1, -t->shoulder, t->height / 2, 0);
  add_joint(robot, "shoulder", t->upper_arm, 0, 0)->link = bar(m[1], t->upper_arm, 0, -t->upper_arm / 2, 0, 0);
  add_joint(robot, "elbow", 0, -quarter, 0)->link = bar(m[2], SECTION * t->forearm, 0, 0, 0, 0);
  add_joint(robot, "forearm", 0, quarter, t->forearm)->link = bar(m[3], t->forearm, 1, 0, -t->forearm / 2, 0);
  add_joint(robot, "wrist", 0, -quarter, 0)->link = bar(m[4], t->wrist, 1, 0, 0, 0);
  add_joint(robot, "flange", 0, 0, t->wrist)->link = bar(m[5], t->wrist, 2, 0, 0, -t->wrist / 2);
}

static void tell_assumptions(const struct robot_template *t, struct robot_notes *notes)
{
  robot_note_add(notes, "/joints", "assumption",
                 "every link is a bar of even density and square section, a quarter as wide as it is long");
  robot_note_add(notes, "/joints", "assumption",
                 "no friction, no rotor inertia and no gear: they often are the larger part");
  robot_note_add(notes, "/gravity", "assumption", "the first axis is upright: gravity is [0, 0, -9.81]");
  if (t->kind == TEMPLATE_SCARA)
    robot_note_add(notes, "/joints/2", "assumption",
                   "the quill's mass is that of joint 4's link, as it slides and turns; joint 3 points down, from 0 to "
                   "the stroke");
  else
    robot_note_add(
        notes, "/joints/3", "assumption",
        "the forearm turns with joint 4 and the axes of joints 4 to 6 meet in one point; the elbow has no offset");
}

enum armdyn_status robot_template_decode(const char *text, size_t length, struct armdyn_robot_description *robot,
                                         struct robot_notes *notes, struct faults *faults)
{
  struct robot_template t;
  armdyn_robot_description_init(robot);
  const enum armdyn_status status = json_decode(text, length, &template_type, &t, NULL, faults);
  if (status) return status;
  memcpy(robot->name, t.name, sizeof robot->name);
  robot->convention = ARMDYN_DH;
  snprintf(robot->description, sizeof robot->description,
           "Of the template %s: bars of even density, no friction, no rotors; see `warnings` of its import.",
           template_names[t.kind]);
  if (t.kind == TEMPLATE_SCARA)
    make_scara(&t, robot);
  else
    make_six_axis(&t, robot);
  tell_assumptions(&t, notes);
  return ARMDYN_OK;
}
