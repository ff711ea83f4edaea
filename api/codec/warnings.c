#include "api/codec/warnings.h"

#include <math.h>
#include <stdarg.h>

/* Where warnings go, and how the pointer of the part in question begins. */
struct warnings {
  struct json_writer *w;
  const struct armdyn_robot_description *robot;
  double reach; /* of the stretched arm, m */
  char prefix[32];
};

static void warn(struct warnings *to, const char *below, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void write_note(struct json_writer *w, const char *pointer, const char *code, const char *detail)
{
  json_begin_object(w);
  json_key(w, "pointer"), json_write_text(w, pointer);
  json_key(w, "code"), json_write_text(w, code);
  json_key(w, "detail"), json_write_text(w, detail);
  json_end_object(w);
}

static void warn(struct warnings *to, const char *below, const char *code, const char *format, ...)
{
  char pointer[256], detail[256];
  va_list arguments;
  va_start(arguments, format);
  snprintf(pointer, sizeof pointer, "%s%s", to->prefix, below);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  write_note(to->w, pointer, code, detail);
}

static double length3(const double v[3])
{
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* A body as long as the arm has a radius of gyration of a third of that; kg mm^2 taken for kg m^2 makes it a thousand times
 * too long. */
static void suspect_inertia(struct warnings *to, const char *below, const struct armdyn_body *body)
{
  const struct armdyn_inertia *I = &body->inertia;
  double largest = fmax(I->xx, fmax(I->yy, I->zz)), size = fmax(0.1, to->reach);
  if (!(body->mass > 0) || !(largest > 0)) return;
  double radius = sqrt(largest / body->mass);
  char pointer[96];
  snprintf(pointer, sizeof pointer, "%s/inertia", below);
  if (radius > 10 * size)
    warn(to, pointer, "unit_suspect",
         "with %g kg, %g kg m^2 is a radius of gyration of %g m, but the arm reaches %g m; is it in kg mm^2?",
         body->mass, largest, radius, to->reach);
}

static void body_warnings(struct warnings *to, const char *below, const struct armdyn_body *body)
{
  struct armdyn_error error = { "", "" };
  char pointer[96];
  if (armdyn_body_check(body, &error)) {
    snprintf(pointer, sizeof pointer, "%s%.40s", below, error.pointer);
    warn(to, pointer, "unphysical", "%s", error.message);
  }
  snprintf(pointer, sizeof pointer, "%s/com", below);
  double far = length3(body->com);
  if (far > 10 || (to->reach > 0.1 && far > 5 * to->reach))
    warn(to, pointer, "unit_suspect", "the centre of mass is %g m away, the arm reaches %g m; is it in mm?", far,
         to->reach);
  snprintf(pointer, sizeof pointer, "%s/mass", below);
  if (body->mass > 5000) warn(to, pointer, "unit_suspect", "a mass of %g kg is unusual; is it in g?", body->mass);
  suspect_inertia(to, below, body);
}

/* -- one function for every suspicion about a joint; to add one: a function, a row, and a line in deploy/doc/models.md -- */

static void suspect_body(struct warnings *to, const struct armdyn_joint *joint)
{
  body_warnings(to, "/link", &joint->link);
}

static void suspect_lengths(struct warnings *to, const struct armdyn_joint *joint)
{
  double frame = length3(joint->frame.translation);
  if (fabs(joint->a) > 20) warn(to, "/a", "unit_suspect", "a link of %g m is unusual; is it in mm?", joint->a);
  if (fabs(joint->d) > 20) warn(to, "/d", "unit_suspect", "an offset of %g m is unusual; is it in mm?", joint->d);
  if (frame > 20) warn(to, "/frame/translation", "unit_suspect", "a link of %g m is unusual; is it in mm?", frame);
}

static void suspect_angles(struct warnings *to, const struct armdyn_joint *joint)
{
  const double turn = 6.283185307179586;
  if (fabs(joint->alpha) > turn)
    warn(to, "/alpha", "unit_suspect", "%g rad is more than a turn; is it in degrees?", joint->alpha);
  if (fabs(joint->theta) > turn)
    warn(to, "/theta", "unit_suspect", "%g rad is more than a turn; is it in degrees?", joint->theta);
}

static void suspect_range(struct warnings *to, const struct armdyn_joint *joint)
{
  const double *range = joint->limits.position, most = joint->type == ARMDYN_REVOLUTE ? 50 : 100;
  if ((isfinite(range[0]) && fabs(range[0]) > most) || (isfinite(range[1]) && fabs(range[1]) > most))
    warn(to, "/limits/position", "unit_suspect", "[%g, %g] is a wide range; positions are in %s", range[0], range[1],
         joint->type == ARMDYN_REVOLUTE ? "rad, not degrees" : "m, not mm");
}

static void suspect_speed(struct warnings *to, const struct armdyn_joint *joint)
{
  const double most = joint->type == ARMDYN_REVOLUTE ? 60 : 20, speed = joint->limits.velocity;
  if (isfinite(speed) && speed > most)
    warn(to, "/limits/velocity", "unit_suspect", "%g %s is fast; is it in %s?", speed,
         joint->type == ARMDYN_REVOLUTE ? "rad/s" : "m/s",
         joint->type == ARMDYN_REVOLUTE ? "deg/s or turns a minute" : "mm/s");
}

/* What planning and transfers need; a joint that turns without end has no limits of position. */
static void miss_limits(struct warnings *to, const struct armdyn_joint *joint)
{
  const struct armdyn_limits *l = &joint->limits;
  const struct {
    const char *name;
    bool missing;
  } limits[] = {
    { "position", joint->type == ARMDYN_PRISMATIC && !(isfinite(l->position[0]) && isfinite(l->position[1])) },
    { "velocity", !isfinite(l->velocity) },
    { "acceleration", !isfinite(l->acceleration) },
    { "torque", !isfinite(l->torque) },
  };
  char missing[64] = "";
  for (size_t i = 0, used = 0; i < sizeof limits / sizeof *limits; i++)
    if (limits[i].missing)
      used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%s", used ? ", " : "", limits[i].name);
  if (*missing)
    warn(to, "/limits", "missing_limits", "no limit of %s: planning a motion and sending it to a controller need it",
         missing);
}

/* Nothing from this joint on has inertia: its acceleration is not determined by its torque. */
static void miss_inertia(struct warnings *to, const struct armdyn_joint *joint)
{
  const struct armdyn_robot_description *robot = to->robot;
  double sum = robot->payload.mass + robot->payload.inertia.xx + robot->payload.inertia.yy + robot->payload.inertia.zz;
  for (const struct armdyn_joint *j = joint; j < robot->joints + robot->joint_count; j++)
    sum += fabs(j->link.mass) + fabs(j->link.inertia.xx) + fabs(j->link.inertia.yy) + fabs(j->link.inertia.zz) +
           j->drive.rotor_inertia;
  if (!(sum > 0))
    warn(to, "/link", "massless",
         "neither this link nor anything beyond it has mass or inertia: forward dynamics has no answer");
}

static void suspect_friction(struct warnings *to, const struct armdyn_joint *joint)
{
  const struct armdyn_friction *f = &joint->friction;
  double coulomb = fmax(f->coulomb.positive, f->coulomb.negative);
  if (f->stiction < coulomb)
    warn(to, "/friction/stiction", "stiction_below_coulomb", "break-away friction %g is below sliding friction %g",
         f->stiction, coulomb);
}

static void suspect_rotor(struct warnings *to, const struct armdyn_joint *joint)
{
  double reflected = joint->drive.gear_ratio * joint->drive.gear_ratio * joint->drive.rotor_inertia;
  if (reflected > 1e4)
    warn(to, "/drive/rotor_inertia", "unit_suspect",
         "reflected to the joint it is %g kg m^2; is the rotor inertia stated at the joint already, or in kg cm^2?",
         reflected);
}

static void (*const suspicions[])(struct warnings *to, const struct armdyn_joint *joint) = {
  suspect_body, suspect_lengths,  suspect_angles, suspect_range, suspect_speed,
  miss_limits,  suspect_friction, suspect_rotor,  miss_inertia,
};

static void suspect_gravity(struct warnings *to)
{
  const double *g = to->robot->gravity, size = length3(g);
  if (size > 0 && (size < 9.7 || size > 9.9))
    warn(to, "/gravity", "gravity_magnitude", "its magnitude is %g m/s^2; on earth it is about 9.81", size);
  if (g[2] > 0.9 * size && size > 0)
    warn(to, "/gravity", "gravity_direction",
         "it points along +z of the base: right for a hanging arm; gravity is the acceleration of free fall here, and "
         "some "
         "programs state the opposite sign");
}

/* All lengths of the arm in one line. */
static double reach_of(const struct armdyn_robot_description *robot)
{
  double reach = length3(robot->tool.translation);
  for (size_t i = 0; i < robot->joint_count; i++) {
    const struct armdyn_joint *joint = &robot->joints[i];
    const double *range = joint->limits.position;
    reach += robot->convention == ARMDYN_FRAMES ? length3(joint->frame.translation) : hypot(joint->a, joint->d);
    if (joint->type == ARMDYN_PRISMATIC && isfinite(range[0]) && isfinite(range[1]))
      reach += fmax(fabs(range[0]), fabs(range[1]));
  }
  return reach;
}

void robot_warnings_write(struct json_writer *w, const struct armdyn_robot_description *robot,
                          const struct robot_notes *notes)
{
  struct warnings to = { .w = w, .robot = robot, .reach = reach_of(robot) };
  json_begin_array(w);
  for (size_t i = 0; notes && i < notes->count; i++)
    write_note(w, notes->items[i].pointer, notes->items[i].code, notes->items[i].detail);
  suspect_gravity(&to);
  body_warnings(&to, "/payload", &robot->payload);
  for (size_t i = 0; i < robot->joint_count; i++) {
    snprintf(to.prefix, sizeof to.prefix, "/joints/%zu", i);
    for (size_t s = 0; s < sizeof suspicions / sizeof *suspicions; s++) suspicions[s](&to, &robot->joints[i]);
  }
  json_end_array(w);
}
