/* The parameters that an identification found, and those that it held. */
#include "api/codec/friction_curve.h"
#include "api/codec/identification.h"
#include "armdyn/armdyn.h"

/* -- base parameters -- */

static void write_expression(struct json_writer *w, const struct armdyn_base_parameters *base, size_t k,
                             struct buffer *text)
{
  const size_t size = armdyn_base_parameter_text(base, k, NULL, 0) + 1;
  buffer_clear(text);
  char *to = buffer_reserve(text, size);
  if (!to) return;
  armdyn_base_parameter_text(base, k, to, size);
  json_write_text(w, to);
}

static void encode_base(struct json_writer *w, const struct identification_result *result)
{
  const struct armdyn_base_parameters *base = armdyn_unknowns_base(result->unknowns);
  const struct armdyn_estimate *estimate = result->estimate;
  struct buffer text = BUFFER(LIMIT_FRAME);
  json_key(w, "base"), json_begin_array(w);
  for (size_t k = 0; k < armdyn_base_parameter_count(base); k++) {
    const double value = estimate->beta[k], deviation = estimate->deviation[k];
    json_begin_object(w);
    json_key(w, "expression"), write_expression(w, base, k, &text);
    json_member_number(w, "value", value);
    json_member_number(w, "std", deviation);
    json_member_number(w, "relative_std_percent", value == 0 ? NAN : 100 * deviation / fabs(value));
    json_end_object(w);
  }
  json_end_array(w);
  if (!buffer_ok(&text)) w->out->failure = text.failure;
  buffer_release(&text);
}

/* -- standard parameters -- */

/* What follows the names of joint and parameter. */
struct stated {
  double value, deviation, prior; /* prior NAN: the model has none */
  bool at_bound, held;
};

static void encode_parameter(struct json_writer *w, const struct identification_result *result,
                             const struct armdyn_parameter_id *id, struct stated stated)
{
  char name[ARMDYN_PARAMETER_NAME_SIZE];
  armdyn_parameter_id_name(id, name);
  json_begin_object(w);
  json_member_text(w, "joint", result->robot->joints[id->joint].name);
  json_member_text(w, "name", name);
  json_member_number(w, "value", stated.value);
  json_member_number(w, "std", stated.deviation);
  if (stated.at_bound) json_key(w, "at_bound"), json_write_truth(w, true);
  if (stated.held) json_key(w, "held"), json_write_truth(w, true);
  if (!isnan(stated.prior)) json_member_number(w, "prior", stated.prior);
  json_end_object(w);
}

static const struct armdyn_friction_parameter_info *info_of(size_t parameter)
{
  return armdyn_friction_parameter_info((enum armdyn_friction_parameter)parameter);
}

/* NULL: the joint's friction was not held. */
static const struct identification_held *held_of(const struct identification_result *result, size_t joint)
{
  return result->held && result->held[joint].held ? &result->held[joint] : NULL;
}

static double number_of(const struct armdyn_friction *friction, const struct armdyn_parameter_id *id)
{
  const struct armdyn_joint joint = { .friction = *friction };
  return armdyn_joint_parameter(&joint, id);
}

/* Numbers of a joint's friction that is held, but for its offset, by which torque is linear in it; of what the model has
 * beyond it those that take it away. Answers how many. */
enum { HELD_MOST = 12 + ARMDYN_RIPPLES_MAX };
struct held_number {
  struct armdyn_parameter_id id;
  double value, deviation; /* deviation NAN: not known */
};
static size_t held_numbers(const struct identification_result *result, size_t joint, struct held_number *out)
{
  const struct identification_held *held = held_of(result, joint);
  size_t count = 0;
  for (size_t p = 0; held && p < ARMDYN_FRICTION_PARAMETER_COUNT; p++) {
    const struct armdyn_friction_parameter_info *info = info_of(p);
    const bool directed = !info->over_angle && strchr(info->name, '.');
    const enum armdyn_friction_parameter parameter = (enum armdyn_friction_parameter)p;
    const size_t own = armdyn_friction_parameter_lines(&held->friction, parameter);
    const size_t model = armdyn_friction_parameter_lines(&result->robot->joints[joint].friction, parameter);
    if (!info->linear || p == ARMDYN_PARAMETER_OFFSET || p == ARMDYN_PARAMETER_STRIBECK_SLOPE) continue;
    for (size_t line = 0; line < own || (line < model && !directed); line++) {
      const struct armdyn_parameter_id id = { joint, ARMDYN_PARAMETER_FRICTION, p, line };
      const double gone = p == ARMDYN_PARAMETER_STICTION ? held->friction.coulomb.positive : 0;
      const double deviation = line < own ? number_of(&held->deviation, &id) : NAN;
      out[count++] = (struct held_number){ id, line < own ? number_of(&held->friction, &id) : gone,
                                           deviation > 0 ? deviation : NAN };
    }
  }
  return count;
}

static bool is_identified(const struct identification_result *result, size_t joint, enum armdyn_friction_term term)
{
  for (size_t i = 0; i < armdyn_unknowns_standard_count(result->unknowns); i++) {
    const struct armdyn_parameter_id id = armdyn_unknowns_standard_id(result->unknowns, i);
    if (id.group == ARMDYN_PARAMETER_FRICTION && id.joint == joint && info_of(id.index)->term == term) return true;
  }
  return held_of(result, joint) != NULL;
}

/* Friction of the model that the choice of terms left out: what was identified is without it. */
static void encode_left_out(struct json_writer *w, const struct identification_result *result)
{
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    const struct armdyn_joint *joint = &result->robot->joints[j];
    for (size_t p = 0; p < ARMDYN_FRICTION_PARAMETER_COUNT; p++) {
      const struct armdyn_parameter_id id = { j, ARMDYN_PARAMETER_FRICTION, p, 0 };
      const enum armdyn_friction_term term = info_of(p)->term;
      if (!(ARMDYN_IDENTIFY_LINEAR >> term & 1) || is_identified(result, j, term)) continue;
      if (!armdyn_friction_parameter_lines(&joint->friction, (enum armdyn_friction_parameter)p)) continue;
      encode_parameter(w, result, &id, (struct stated){ .prior = armdyn_joint_parameter(joint, &id) });
    }
  }
}

/* Of a joint's Stribeck velocity, where it was searched for and the data tell it; else NAN. */
static double stribeck_deviation(const struct identification_result *result, size_t joint)
{
  const struct identification_held *held = held_of(result, joint);
  if (held) return held->deviation.stribeck_velocity > 0 ? held->deviation.stribeck_velocity : NAN;
  return result->stribeck_deviation ? result->stribeck_deviation[joint] : NAN;
}

/* What friction has that torque is not linear in, where it was searched for. */
static void encode_searched(struct json_writer *w, const struct identification_result *result)
{
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    const struct armdyn_joint *before = &result->robot->joints[j], *after = &result->identified->joints[j];
    const struct armdyn_parameter_id scale = { j, ARMDYN_PARAMETER_SCALE, 0, 0 };
    if (after->velocity_scale != before->velocity_scale)
      encode_parameter(w, result, &scale,
                       (struct stated){ after->velocity_scale, NAN, before->velocity_scale, false, false });
    for (size_t p = 0; p < ARMDYN_FRICTION_PARAMETER_COUNT; p++) {
      const size_t lines = armdyn_friction_parameter_lines(&after->friction, (enum armdyn_friction_parameter)p);
      for (size_t line = 0; line < lines && !info_of(p)->linear; line++) {
        const struct armdyn_parameter_id id = { j, ARMDYN_PARAMETER_FRICTION, p, line };
        const double value = armdyn_joint_parameter(after, &id), prior = armdyn_joint_parameter(before, &id);
        const bool velocity = p == ARMDYN_PARAMETER_STRIBECK_VELOCITY;
        const struct stated stated = { value, velocity ? stribeck_deviation(result, j) : NAN, prior, false,
                                       held_of(result, j) != NULL };
        if (value != prior) encode_parameter(w, result, &id, stated);
      }
    }
  }
}

static void encode_held(struct json_writer *w, const struct identification_result *result, size_t joint)
{
  struct held_number numbers[HELD_MOST];
  const size_t count = held_numbers(result, joint, numbers);
  for (size_t k = 0; k < count; k++) {
    const double prior = armdyn_joint_parameter(&result->robot->joints[joint], &numbers[k].id);
    encode_parameter(w, result, &numbers[k].id,
                     (struct stated){ numbers[k].value, numbers[k].deviation, prior, false, true });
  }
}

static void encode_standard(struct json_writer *w, const struct identification_result *result)
{
  json_key(w, "standard"), json_begin_array(w);
  encode_searched(w, result);
  for (size_t i = 0; i < armdyn_unknowns_standard_count(result->unknowns); i++) {
    const struct armdyn_parameter_id id = armdyn_unknowns_standard_id(result->unknowns, i);
    const struct armdyn_estimate *e = result->estimate;
    const double prior = armdyn_unknowns_prior(result->unknowns)[i];
    encode_parameter(w, result, &id,
                     (struct stated){ e->standard[i], e->standard_deviation[i], prior, e->at_bound[i], false });
  }
  for (size_t j = 0; j < result->robot->joint_count; j++) encode_held(w, result, j);
  encode_left_out(w, result);
  json_end_array(w);
}

/* -- friction -- */

/* The friction parameters of a joint, from `values`, and those that were held. */
static void encode_friction_of(struct json_writer *w, const struct identification_result *result, size_t joint,
                               const double *values)
{
  struct held_number numbers[HELD_MOST];
  const size_t count = held_numbers(result, joint, numbers);
  for (size_t i = 0; i < armdyn_unknowns_standard_count(result->unknowns); i++) {
    const struct armdyn_parameter_id id = armdyn_unknowns_standard_id(result->unknowns, i);
    char name[ARMDYN_PARAMETER_NAME_SIZE];
    if (id.joint != joint || id.group != ARMDYN_PARAMETER_FRICTION) continue;
    armdyn_parameter_id_name(&id, name);
    json_member_number(w, name, values[i]);
  }
  for (size_t k = 0; k < count; k++) {
    char name[ARMDYN_PARAMETER_NAME_SIZE];
    armdyn_parameter_id_name(&numbers[k].id, name);
    json_member_number(w, name, values == result->estimate->standard ? numbers[k].value : numbers[k].deviation);
  }
}

/* Where the terms are that stand beside it in amplitude: Stribeck's speed, and lines over the motor angle. */
static void encode_shape(struct json_writer *w, const struct armdyn_friction *friction)
{
  if (!isnan(friction->stribeck_velocity)) {
    json_member_number(w, "stribeck_velocity", friction->stribeck_velocity);
    json_member_number(w, "stribeck_exponent", friction->stribeck_exponent);
  }
  if (!friction->ripple_count) return;
  json_key(w, "position"), json_begin_array(w);
  for (size_t k = 0; k < friction->ripple_count; k++) {
    json_begin_object(w);
    json_member_number(w, "order", friction->ripples[k].order);
    json_member_number(w, "phase", friction->ripples[k].phase);
    json_end_object(w);
  }
  json_end_array(w);
}

/* To the curve of what was identified that of what was held, how its deviations depend on each other neglected. */
static void add_held(const struct identification_result *result, size_t joint, const double *velocity, double *torque,
                     double *deviation)
{
  const struct identification_held *held = held_of(result, joint);
  struct armdyn_joint own = result->robot->joints[joint];
  if (!held) return;
  own.friction = held->friction;
  own.friction.offset = 0;
  for (size_t k = 0; k < FRICTION_CURVE_POINTS; k++) {
    const double of_held = hypot(held->deviation.coulomb.positive, held->deviation.viscous.positive * velocity[k]);
    torque[k] += armdyn_friction_over_velocity(&own, velocity[k]);
    deviation[k] = hypot(deviation[k], of_held);
  }
}

/* As it is drawn. */
static void encode_curve(struct json_writer *w, const struct identification_result *result, size_t joint)
{
  double velocity[FRICTION_CURVE_POINTS], torque[FRICTION_CURVE_POINTS], deviation[FRICTION_CURVE_POINTS];
  struct armdyn_friction lines = result->identified->joints[joint].friction;
  for (size_t i = 0; i < armdyn_unknowns_standard_count(result->unknowns); i++) {
    const struct armdyn_parameter_id id = armdyn_unknowns_standard_id(result->unknowns, i);
    if (id.joint == joint && id.group == ARMDYN_PARAMETER_FRICTION && id.index == ARMDYN_PARAMETER_LINE_AMPLITUDE)
      lines.ripples[id.line].amplitude = result->estimate->standard[i];
  }
  friction_curve_velocities(&result->robot->joints[joint], velocity);
  armdyn_friction_curve(result->unknowns, result->estimate, joint, FRICTION_CURVE_POINTS, velocity, torque, deviation);
  add_held(result, joint, velocity, torque, deviation);
  friction_curve_encode(w, velocity, torque, deviation, &lines);
}

static void encode_friction(struct json_writer *w, const struct identification_result *result)
{
  json_key(w, "friction"), json_begin_array(w);
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    json_begin_object(w);
    json_member_text(w, "joint", result->robot->joints[j].name);
    encode_friction_of(w, result, j, result->estimate->standard);
    encode_shape(w, &result->identified->joints[j].friction);
    json_member_number(w, "velocity_scale", result->identified->joints[j].velocity_scale);
    json_key(w, "std"), json_begin_object(w);
    encode_friction_of(w, result, j, result->estimate->standard_deviation);
    if (result->stribeck_deviation && !isnan(result->identified->joints[j].friction.stribeck_velocity))
      json_member_number(w, "stribeck_velocity", stribeck_deviation(result, j));
    json_end_object(w);
    encode_curve(w, result, j);
    json_end_object(w);
  }
  json_end_array(w);
}

void identification_parameters_encode(struct json_writer *w, const struct identification_result *result)
{
  static const char *const none[] = { "base", "standard", "friction" };
  json_key(w, "parameters"), json_begin_object(w);
  if (!result->payload) {
    encode_base(w, result);
    encode_standard(w, result);
    encode_friction(w, result);
  }
  for (size_t i = 0; result->payload && i < sizeof none / sizeof *none; i++)
    json_key(w, none[i]), json_begin_array(w), json_end_array(w);
  json_end_object(w);
}
