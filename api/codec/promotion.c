#include "api/codec/promotion.h"

#include <stdlib.h>

#include "api/codec/parts.h"

/* -- the request -- */

static void decode_codes(struct json_reader *r, const struct json_field *field, void *member,
                         const struct json_context *context)
{
  (void)context;
  static const struct json_field item = { .name = "code", .kind = FIELD_TEXT, .size = 64 };
  struct promotion_acknowledged *list = member;
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    char code[64];
    if (!json_decode_field(r, &item, code, context)) continue;
    if (list->count == PROMOTION_ACKNOWLEDGED)
      json_fault(r, NULL, FAULT_LENGTH, "at most %d codes are taken", PROMOTION_ACKNOWLEDGED);
    else
      memcpy(list->codes[list->count++], code, sizeof code);
  }
}

static void decode_include(struct json_reader *r, const struct json_field *field, void *member,
                           const struct json_context *context)
{
  (void)context;
  static const struct {
    const char *name;
    unsigned what;
  } parts[] = { { "inertial", ARMDYN_ADOPT_LINKS },
                { "friction", ARMDYN_ADOPT_FRICTION },
                { "rotor_inertia", ARMDYN_ADOPT_ROTORS },
                { "payload", PROMOTE_PAYLOAD } };
  struct promotion_include *include = member;
  struct json_slice name;
  char got[64];
  include->what = 0;
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    size_t i = 0;
    if (!json_read_text(r, NULL, &name)) continue;
    while (i < sizeof parts / sizeof *parts && !json_slice_is(name, parts[i].name)) i++;
    if (i == sizeof parts / sizeof *parts)
      json_fault(r, NULL, FAULT_ENUM, "must be inertial, friction, rotor_inertia or payload, got %s",
                 json_excerpt(name, got, sizeof got));
    else
      include->what |= parts[i].what;
  }
}

static void request_init(void *object)
{
  *(struct promotion_request *)object = (struct promotion_request){
    .include = { PROMOTE_ALL },
  };
}

static const struct json_field request_fields[] = {
  { INTEGER(struct promotion_request, base_revision, BETWEEN(1, 1e15), NULL), REQUIRED },
  { CUSTOM(struct promotion_request, include, decode_include, NULL, "a list, [\"inertial\", \"friction\"]") },
  { TRUTH(struct promotion_request, dry_run) },
  { CUSTOM(struct promotion_request, acknowledge, decode_codes, NULL, "a list of codes of warnings") },
  { TEXT(struct promotion_request, reason) },
  { TEXT(struct promotion_request, alias), MATCHES(json_name_pattern), NULLABLE },
};
static const struct json_type request_type =
    JSON_TYPE("a promotion", request_fields, struct promotion_request, request_init, NULL);

enum armdyn_status promotion_request_decode(const char *text, size_t length, struct promotion_request *out,
                                            struct faults *faults)
{
  return json_decode(text, length, &request_type, out, NULL, faults);
}

/* -- the document of an identification; that of one of friction in promotion_friction.c -- */

static enum armdyn_status read_parameters(const cJSON *document, struct promotion_source *out)
{
  const cJSON *item;
  cJSON_ArrayForEach (item, document_at(document, "parameters/standard")) {
    if (out->count == PROMOTION_PARAMETERS) return ARMDYN_ELIMIT;
    struct promotion_parameter *p = &out->parameters[out->count++];
    const char *name = document_text(item, "name");
    if (!name || !armdyn_parameter_id_read(name, &p->id)) return ARMDYN_EINPUT;
    document_copy_text(item, "joint", p->joint, sizeof p->joint);
    p->value = document_number(item, "value");
    p->deviation = document_number(item, "std");
  }
  return ARMDYN_OK;
}

static void read_warnings(const cJSON *document, struct promotion_source *out)
{
  const cJSON *item;
  cJSON_ArrayForEach (item, document_at(document, "warnings")) {
    char code[64];
    size_t same = 0;
    document_copy_text(item, "code", code, sizeof code);
    while (same < out->warning_count && strcmp(out->warnings[same], code) != 0) same++;
    if (same == out->warning_count && same < sizeof out->warnings / sizeof *out->warnings)
      memcpy(out->warnings[out->warning_count++], code, sizeof code);
  }
}

/* The numbers of a body: pointers into its document, and where they are. */
static const struct {
  const char *pointer;
  size_t offset;
} body_numbers[] = {
#define ROW(pointer, member)                                                                                           \
  {                                                                                                                    \
    pointer, offsetof(struct armdyn_body, member)                                                                      \
  }
  ROW("mass", mass),
  ROW("com/0", com[0]),
  ROW("com/1", com[1]),
  ROW("com/2", com[2]),
  ROW("inertia/xx", inertia.xx),
  ROW("inertia/yy", inertia.yy),
  ROW("inertia/zz", inertia.zz),
  ROW("inertia/xy", inertia.xy),
  ROW("inertia/xz", inertia.xz),
  ROW("inertia/yz", inertia.yz),
#undef ROW
};
enum { BODY_NUMBERS = sizeof body_numbers / sizeof *body_numbers };

static void read_body(const cJSON *body, struct armdyn_body *out)
{
  for (size_t i = 0; i < BODY_NUMBERS; i++) {
    const double value = document_number(body, body_numbers[i].pointer);
    memcpy((char *)out + body_numbers[i].offset, &value, sizeof value);
  }
}

enum armdyn_status promotion_source_read(const cJSON *document, struct promotion_source *out)
{
  *out = (struct promotion_source){ .physically_consistent = document_truth(document, "physically_consistent") };
  if (!document) return ARMDYN_EMEMORY;
  read_warnings(document, out);
  out->has_payload = cJSON_IsObject(document_at(document, "payload"));
  read_body(document_at(document, "payload/body"), &out->payload);
  read_body(document_at(document, "payload/std"), &out->payload_deviation);
  const enum armdyn_status status = promotion_frictions_read(document, out);
  return status ? status : read_parameters(document, out);
}

static size_t joint_named(const struct armdyn_robot_description *model, const char *name)
{
  size_t joint = 0;
  while (joint < model->joint_count && strcmp(model->joints[joint].name, name) != 0) joint++;
  return joint;
}

enum armdyn_status promotion_apply(const struct promotion_source *source, unsigned what,
                                   struct armdyn_robot_description *model, struct armdyn_error *error)
{
  struct armdyn_parameter_value *parameters = calloc(source->count + 1, sizeof *parameters);
  if (!parameters) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < source->count; i++) {
    const struct promotion_parameter *from = &source->parameters[i];
    parameters[i] = (struct armdyn_parameter_value){ from->id, from->value };
    parameters[i].id.joint = joint_named(model, from->joint);
  }
  for (size_t i = 0; i < source->friction_count && (what & ARMDYN_ADOPT_FRICTION); i++) {
    const size_t joint = joint_named(model, source->frictions[i].joint);
    if (joint < model->joint_count) model->joints[joint].friction = source->frictions[i].friction;
  }
  if (source->has_payload && (what & PROMOTE_PAYLOAD)) model->payload = source->payload;
  const enum armdyn_status status =
      armdyn_adopt_parameters(model, parameters, source->count, what & ~(unsigned)PROMOTE_PAYLOAD, error);
  free(parameters);
  return status;
}

/* -- the answer -- */

static const struct armdyn_friction_parameter_info *info_of(size_t parameter)
{
  return armdyn_friction_parameter_info((enum armdyn_friction_parameter)parameter);
}

/* Of a number of a joint: that of the parameter that it is, or of the one that is it in both directions. */
static double deviation_of(const struct promotion_source *source, const char *joint,
                           const struct armdyn_parameter_id *number)
{
  for (size_t i = 0; i < source->friction_count && number->group == ARMDYN_PARAMETER_FRICTION; i++) {
    const struct armdyn_joint deviations = { .friction = source->frictions[i].deviation };
    const double deviation = armdyn_joint_parameter(&deviations, number);
    if (!strcmp(source->frictions[i].joint, joint)) return deviation > 0 ? deviation : NAN;
  }
  for (size_t i = 0; i < source->count; i++) {
    const struct promotion_parameter *p = &source->parameters[i];
    if (strcmp(p->joint, joint) != 0 || p->id.group != number->group) continue;
    if (p->id.index == number->index && p->id.line == number->line) return p->deviation;
    if (number->group != ARMDYN_PARAMETER_FRICTION) continue;
    const struct armdyn_friction_parameter_info *is = info_of(p->id.index);
    if (!is->path && is->term == info_of(number->index)->term) return p->deviation;
  }
  return NAN;
}

static void encode_change(struct json_writer *w, const char *pointer, double before, double after, double deviation)
{
  if (before == after || (isnan(before) && isnan(after))) return;
  json_begin_object(w);
  json_key(w, "pointer"), json_write_text(w, pointer);
  json_key(w, "old"), json_write_number(w, before);
  json_key(w, "new"), json_write_number(w, after);
  json_key(w, "std"), json_write_number(w, deviation);
  json_end_object(w);
}

/* What a body's numbers become. Of those of a link only the mass is a parameter; the others are functions of several. */
static void encode_body_changes(struct json_writer *w, const char *path, const struct armdyn_body *before,
                                const struct armdyn_body *after, const struct armdyn_body *deviation)
{
  const struct armdyn_body *bodies[3] = { before, after, deviation };
  for (size_t i = 0; i < BODY_NUMBERS; i++) {
    double number[3];
    char pointer[64];
    for (int k = 0; k < 3; k++) memcpy(&number[k], (const char *)bodies[k] + body_numbers[i].offset, sizeof *number);
    snprintf(pointer, sizeof pointer, "%s/%s", path, body_numbers[i].pointer);
    encode_change(w, pointer, number[0], number[1], number[2]);
  }
}

static void encode_link_changes(struct json_writer *w, const struct promotion_answer *answer, size_t j)
{
  const struct armdyn_parameter_id mass = { j, ARMDYN_PARAMETER_LINK, 0, 0 };
  const struct armdyn_body deviation = { .mass = deviation_of(answer->source, answer->old->joints[j].name, &mass),
                                         .com = { NAN, NAN, NAN },
                                         .inertia = { NAN, NAN, NAN, NAN, NAN, NAN } };
  char path[48];
  snprintf(path, sizeof path, "/joints/%zu/link", j);
  encode_body_changes(w, path, &answer->old->joints[j].link, &answer->new->joints[j].link, &deviation);
}

/* The number of a drive or of friction that a parameter is, at its path; a star there is the line. */
static void encode_number_change(struct json_writer *w, const struct promotion_answer *answer,
                                 const struct armdyn_parameter_id *id, const char *path)
{
  const struct armdyn_joint *before = &answer->old->joints[id->joint], *after = &answer->new->joints[id->joint];
  const int head = (int)strcspn(path, "*");
  char pointer[64];
  if (path[head])
    snprintf(pointer, sizeof pointer, "/joints/%zu/%.*s%zu%s", id->joint, head, path, id->line, path + head + 1);
  else
    snprintf(pointer, sizeof pointer, "/joints/%zu/%s", id->joint, path);
  encode_change(w, pointer, armdyn_joint_parameter(before, id), armdyn_joint_parameter(after, id),
                deviation_of(answer->source, before->name, id));
}

static void encode_changes(struct json_writer *w, const struct promotion_answer *answer)
{
  for (size_t j = 0; j < answer->old->joint_count; j++) {
    const size_t before = answer->old->joints[j].friction.ripple_count;
    const size_t after = answer->new->joints[j].friction.ripple_count, ripples = before > after ? before : after;
    const struct armdyn_parameter_id rotor = { j, ARMDYN_PARAMETER_ROTOR, 0, 0 };
    const struct armdyn_parameter_id scale = { j, ARMDYN_PARAMETER_SCALE, 0, 0 };
    encode_link_changes(w, answer, j);
    encode_number_change(w, answer, &rotor, "drive/rotor_inertia");
    encode_number_change(w, answer, &scale, "velocity_scale");
    for (size_t p = 0; p < ARMDYN_FRICTION_PARAMETER_COUNT; p++) {
      const size_t lines = info_of(p)->over_angle ? ripples : 1;
      for (size_t line = 0; line < lines && info_of(p)->path; line++) {
        const struct armdyn_parameter_id id = { j, ARMDYN_PARAMETER_FRICTION, p, line };
        encode_number_change(w, answer, &id, info_of(p)->path);
      }
    }
  }
  encode_body_changes(w, "/payload", &answer->old->payload, &answer->new->payload, &answer->source->payload_deviation);
}

void promotion_answer_encode(const struct promotion_answer *answer, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "robot"), json_write_text(&w, answer->old->name);
  json_key(&w, "base_revision"), json_write_integer(&w, answer->base_revision);
  json_key(&w, "revision");
  answer->revision ? json_write_integer(&w, answer->revision) : json_write_null(&w);
  json_key(&w, "changes"), json_begin_array(&w);
  encode_changes(&w, answer);
  json_end_array(&w);
  json_key(&w, "max_torque_change"), json_write_numbers(&w, answer->torque_change, answer->old->joint_count);
  json_key(&w, "physically_consistent"), json_write_truth(&w, answer->physically_consistent);
  json_end_object(&w);
}
