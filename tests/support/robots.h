/* Robots for the tests of the library: read from JSON by cJSON (so that no code of ours is between a reference and its
 * test) and random ones. Every function is static inline; programs are run in the root of the tree. */
#ifndef TESTS_SUPPORT_ROBOTS_H
#define TESTS_SUPPORT_ROBOTS_H

#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>

#include "armdyn/armdyn.h"

/* xorshift64*: the same numbers everywhere */
struct dice {
  uint64_t state;
};

static inline double dice_uniform(struct dice *dice, double low, double high)
{
  dice->state ^= dice->state >> 12;
  dice->state ^= dice->state << 25;
  dice->state ^= dice->state >> 27;
  const double unit = (double)((dice->state * 2685821657736338717u) >> 11) * 0x1p-53;
  return low + (high - low) * unit;
}

static inline void dice_fill(struct dice *dice, double *x, size_t count, double low, double high)
{
  for (size_t k = 0; k < count; k++) x[k] = dice_uniform(dice, low, high);
}

/* The document in a file, or NULL. Release with cJSON_Delete. */
static inline cJSON *json_load(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  size_t length = 0, size = 0;
  char *text = NULL;
  do {
    size = 2 * size + 65536;
    text = realloc(text, size);
    length += fread(text + length, 1, size - 1 - length, file);
  } while (!feof(file));
  fclose(file);
  text[length] = 0;
  cJSON *json = cJSON_Parse(text);
  free(text);
  return json;
}

static inline double json_number(const cJSON *object, const char *name, double otherwise)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

/* Numbers of an array, nested ones row by row, up to `most`; answers how many. */
static inline size_t json_numbers(const cJSON *array, double *out, size_t most)
{
  size_t count = 0;
  for (const cJSON *item = array ? array->child : NULL; item && count < most; item = item->next) {
    if (cJSON_IsNumber(item)) {
      out[count++] = item->valuedouble;
    } else {
      count += json_numbers(item, out + count, most - count);
    }
  }
  return count;
}

static inline size_t json_field(const cJSON *object, const char *name, double *out, size_t most)
{
  return json_numbers(cJSON_GetObjectItemCaseSensitive(object, name), out, most);
}

static inline void body_from_json(const cJSON *json, struct armdyn_body *body)
{
  const cJSON *inertia = cJSON_GetObjectItemCaseSensitive(json, "inertia");
  body->mass = json_number(json, "mass", 0);
  json_field(json, "com", body->com, 3);
  body->inertia = (struct armdyn_inertia){ json_number(inertia, "xx", 0), json_number(inertia, "yy", 0),
                                           json_number(inertia, "zz", 0), json_number(inertia, "xy", 0),
                                           json_number(inertia, "xz", 0), json_number(inertia, "yz", 0) };
}

static inline void joint_from_json(const cJSON *json, struct armdyn_joint *joint)
{
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(json, "name");
  const cJSON *type = cJSON_GetObjectItemCaseSensitive(json, "type");
  const cJSON *limits = cJSON_GetObjectItemCaseSensitive(json, "limits");
  const cJSON *drive = cJSON_GetObjectItemCaseSensitive(json, "drive");
  const cJSON *friction = cJSON_GetObjectItemCaseSensitive(json, "friction");
  const cJSON *coulomb = cJSON_GetObjectItemCaseSensitive(friction, "coulomb");
  snprintf(joint->name, sizeof joint->name, "%s", name->valuestring);
  joint->type = strcmp(type->valuestring, "prismatic") ? ARMDYN_REVOLUTE : ARMDYN_PRISMATIC;
  joint->a = json_number(json, "a", 0);
  joint->alpha = json_number(json, "alpha", 0);
  joint->d = json_number(json, "d", 0);
  joint->theta = json_number(json, "theta", 0);
  joint->offset = json_number(json, "offset", 0);
  json_field(limits, "position", joint->limits.position, 2);
  joint->limits.velocity = json_number(limits, "velocity", INFINITY);
  joint->limits.acceleration = json_number(limits, "acceleration", INFINITY);
  joint->limits.jerk = json_number(limits, "jerk", INFINITY);
  joint->limits.torque = json_number(limits, "torque", INFINITY);
  joint->limits.torque_rate = json_number(limits, "torque_rate", INFINITY);
  joint->drive.rotor_inertia = json_number(drive, "rotor_inertia", 0);
  joint->drive.gear_ratio = json_number(drive, "gear_ratio", 1);
  joint->friction.viscous.positive = joint->friction.viscous.negative = json_number(friction, "viscous", 0);
  joint->friction.coulomb.positive =
      json_number(cJSON_IsObject(coulomb) ? coulomb : friction, cJSON_IsObject(coulomb) ? "positive" : "coulomb", 0);
  joint->friction.coulomb.negative =
      json_number(cJSON_IsObject(coulomb) ? coulomb : friction, cJSON_IsObject(coulomb) ? "negative" : "coulomb", 0);
  body_from_json(cJSON_GetObjectItemCaseSensitive(json, "link"), &joint->link);
}

/* A DH or MDH model as the HTTP API writes it (drives, friction and limits as far as the test data use them). */
static inline void description_from_json(const cJSON *json, struct armdyn_robot_description *description)
{
  const cJSON *tool = cJSON_GetObjectItemCaseSensitive(json, "tool");
  const cJSON *payload = cJSON_GetObjectItemCaseSensitive(json, "payload");
  const cJSON *convention = cJSON_GetObjectItemCaseSensitive(json, "convention");
  armdyn_robot_description_init(description);
  snprintf(description->name, sizeof description->name, "%s",
           cJSON_GetObjectItemCaseSensitive(json, "name")->valuestring);
  description->convention = strcmp(convention->valuestring, "mdh") ? ARMDYN_DH : ARMDYN_MDH;
  json_field(json, "gravity", description->gravity, 3);
  json_field(tool, "translation", description->tool.translation, 3);
  json_field(tool, "rpy", description->tool.rpy, 3);
  if (cJSON_IsObject(payload)) body_from_json(payload, &description->payload);
  const cJSON *joint = cJSON_GetObjectItemCaseSensitive(json, "joints")->child;
  for (; joint; joint = joint->next) joint_from_json(joint, &description->joints[description->joint_count++]);
}

/* A physical body: second moment S = B B' about the centre of mass for a random B. */
static inline void random_body(struct dice *dice, struct armdyn_body *body, double mass, double size)
{
  double B[9], S[9];
  dice_fill(dice, B, 9, -size, size);
  for (int i = 0; i < 9; i++) {
    S[i] = mass *
           (B[i / 3 * 3] * B[i % 3 * 3] + B[i / 3 * 3 + 1] * B[i % 3 * 3 + 1] + B[i / 3 * 3 + 2] * B[i % 3 * 3 + 2]);
  }
  body->mass = mass;
  dice_fill(dice, body->com, 3, -size, size);
  body->inertia = (struct armdyn_inertia){ S[4] + S[8], S[0] + S[8], S[0] + S[4], -S[1], -S[2], -S[5] };
}

static inline void random_friction(struct dice *dice, struct armdyn_friction *friction)
{
  friction->offset = dice_uniform(dice, -1, 1);
  friction->coulomb = (struct armdyn_directed){ dice_uniform(dice, 0, 3), dice_uniform(dice, 0, 3) };
  friction->stiction = dice_uniform(dice, 3, 5);
  friction->stribeck_velocity = dice_uniform(dice, 0.05, 0.3);
  friction->stribeck_exponent = dice_uniform(dice, 0.6, 2);
  friction->viscous = (struct armdyn_directed){ dice_uniform(dice, 0, 4), dice_uniform(dice, 0, 4) };
  friction->high_speed = dice_uniform(dice, -0.1, 0.1);
  friction->sublinear = friction->viscous.positive / 4;
  friction->ripple_count = 2;
  for (size_t k = 0; k < 2; k++) {
    friction->ripples[k] =
        (struct armdyn_ripple){ dice_uniform(dice, 0, 1), 1.0 + (double)k, dice_uniform(dice, 0, 6) };
  }
}

static inline void random_joint(struct dice *dice, struct armdyn_joint *joint, size_t joints)
{
  const double reach = 2.0 / (double)(joints + 1); /* arms of one size, whatever their number of joints */
  joint->type = dice_uniform(dice, 0, 1) < 0.3 ? ARMDYN_PRISMATIC : ARMDYN_REVOLUTE;
  joint->a = dice_uniform(dice, -reach, reach);
  joint->alpha = dice_uniform(dice, -3, 3);
  joint->d = dice_uniform(dice, -reach, reach);
  joint->theta = dice_uniform(dice, -3, 3);
  joint->offset = dice_uniform(dice, -0.5, 0.5);
  dice_fill(dice, joint->frame.translation, 3, -reach, reach);
  dice_fill(dice, joint->frame.rpy, 3, -1.5, 1.5);
  dice_fill(dice, joint->axis, 3, -1, 1);
  const double *u = joint->axis, length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int k = 0; k < 3; k++) joint->axis[k] /= length;
  random_body(dice, &joint->link, dice_uniform(dice, 0.5, 5), reach);
  joint->drive.rotor_inertia = dice_uniform(dice, 1e-5, 1e-3);
  joint->drive.gear_ratio = dice_uniform(dice, 10, 60) * (dice_uniform(dice, -1, 1) < 0 ? -1 : 1);
  random_friction(dice, &joint->friction);
}

/* An arm with everything an arm can have: tilted gravity, tool, payload, drives, friction, and every third a coupled
 * transmission. */
static inline void random_description(struct dice *dice, struct armdyn_robot_description *description, size_t joints,
                                      enum armdyn_convention convention)
{
  armdyn_robot_description_init(description);
  description->convention = convention;
  description->joint_count = joints;
  dice_fill(dice, description->gravity, 3, -9, 9);
  for (size_t i = 0; i < joints; i++) random_joint(dice, &description->joints[i], joints);
  dice_fill(dice, description->tool.translation, 3, -0.2, 0.2);
  dice_fill(dice, description->tool.rpy, 3, -1.5, 1.5);
  random_body(dice, &description->payload, dice_uniform(dice, 0, 3), 0.1);
  description->has_transmission = joints % 3 == 0;
  for (size_t k = 0; k < joints * joints; k++) {
    const size_t row = k / joints, column = k % joints;
    description->transmission[k] =
        row == column ? description->joints[row].drive.gear_ratio : dice_uniform(dice, -1, 1);
  }
}

/* A sphere, a box or a cylinder in place of a mesh. */
static inline void random_visual_shape(struct dice *dice, size_t number, struct armdyn_visual *visual)
{
  static const enum armdyn_shape_kind kinds[] = { ARMDYN_SPHERE, ARMDYN_BOX, ARMDYN_CYLINDER };
  struct armdyn_shape *shape = &visual->shape;
  shape->kind = kinds[number % 3];
  if (shape->kind == ARMDYN_SPHERE)
    dice_fill(dice, shape->from, 3, -0.5, 0.5);
  else
    dice_fill(dice, shape->pose.translation, 3, -0.5, 0.5), dice_fill(dice, shape->pose.rpy, 3, -1.5, 1.5);
  if (shape->kind != ARMDYN_BOX) shape->radius = dice_uniform(dice, 0.1, 1);
  if (shape->kind == ARMDYN_BOX) dice_fill(dice, shape->size, 3, 0.1, 1);
  if (shape->kind == ARMDYN_CYLINDER) shape->size[2] = dice_uniform(dice, 0.1, 1);
}

/* Two meshes on the base and on each link, or a shape in place of one, as far as there is room. */
static inline void random_visuals(struct dice *dice, struct armdyn_robot_description *description)
{
  const size_t bodies = description->joint_count + 1, room = ARMDYN_VISUALS_MAX;
  description->visual_count = 2 * bodies < room ? 2 * bodies : room;
  for (size_t i = 0; i < description->visual_count; i++) {
    struct armdyn_visual *visual = &description->visuals[i];
    armdyn_visual_init(visual);
    if (i >= 2) snprintf(visual->joint, sizeof visual->joint, "%s", description->joints[i / 2 - 1].name);
    visual->has_color = i % 3 == 0;
    if (visual->has_color) dice_fill(dice, visual->color, 4, 0, 1);
    if (i % 4 == 3) {
      random_visual_shape(dice, i / 4, visual);
      continue;
    }
    snprintf(visual->mesh, sizeof visual->mesh, "part-%zu.of", i / 3);
    snprintf(visual->reference, sizeof visual->reference, "package://a<b>/Part %zu.of.stl", i / 3);
    dice_fill(dice, visual->frame.translation, 3, -0.5, 0.5);
    dice_fill(dice, visual->frame.rpy, 3, -1.5, 1.5);
    if (i % 2) visual->scale[1] = -0.001;
  }
}

#endif
