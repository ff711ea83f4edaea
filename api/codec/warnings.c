#include "api/codec/warnings.h"

#include <math.h>
#include <stdarg.h>

/* Where warnings go, and how the pointer of the part in question begins. */
struct warnings {
  struct json_writer *w;
  const struct armdyn_robot_description *robot;
  char prefix[32];
};

static void warn(struct warnings *to, const char *below, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void warn(struct warnings *to, const char *below, const char *code, const char *format, ...)
{
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  json_begin_object(to->w);
  snprintf(text, sizeof text, "%s%s", to->prefix, below);
  json_key(to->w, "pointer"), json_write_text(to->w, text);
  json_key(to->w, "code"), json_write_text(to->w, code);
  vsnprintf(text, sizeof text, format, arguments);
  json_key(to->w, "detail"), json_write_text(to->w, text);
  json_end_object(to->w);
  va_end(arguments);
}

static double length3(const double v[3])
{
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
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
  if (length3(body->com) > 10)
    warn(to, pointer, "unit_suspect", "the centre of mass is %g m away; is it in mm?", length3(body->com));
}

/* -- one function for every suspicion about a joint; to add one: a function and a row -- */

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
  suspect_body, suspect_lengths, suspect_angles, suspect_range, suspect_friction, suspect_rotor,
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

void robot_warnings_write(struct json_writer *w, const struct armdyn_robot_description *robot)
{
  struct warnings to = { .w = w, .robot = robot };
  json_begin_array(w);
  suspect_gravity(&to);
  body_warnings(&to, "/payload", &robot->payload);
  for (size_t i = 0; i < robot->joint_count; i++) {
    snprintf(to.prefix, sizeof to.prefix, "/joints/%zu", i);
    for (size_t s = 0; s < sizeof suspicions / sizeof *suspicions; s++) suspicions[s](&to, &robot->joints[i]);
  }
  json_end_array(w);
}
