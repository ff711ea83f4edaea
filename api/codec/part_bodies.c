#include "api/codec/part_bodies.h"

#include "api/codec/shape.h"

static const struct json_field part_fields[] = { PART_SHAPES };
static const struct json_type part_type =
    JSON_TYPE("a body: sphere, capsule or box", part_fields, struct shape_form, NULL, shape_form_check);

/* Whose it is, by where it stands. The base has no place of its own in a description: it is what counts the bodies. */
static int part_of(const struct armdyn_robot_description *robot, const void *member)
{
  if (member == &robot->tool) return ARMDYN_OF_TOOL;
  if (member == &robot->payload) return ARMDYN_OF_PAYLOAD;
  if (member == &robot->body_count) return ARMDYN_OF_BASE;
  const char *first = (const char *)&robot->joints[0].link;
  return (int)(((const char *)member - first) / (ptrdiff_t)sizeof robot->joints[0]);
}

void part_bodies_decode(struct json_reader *r, const struct json_field *field, void *member,
                        const struct json_context *context)
{
  const struct body_context *model = context->user;
  struct armdyn_robot_description *robot = model->robot;
  const int part = part_of(robot, member);
  size_t left_out = 0;
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    struct shape_form form;
    if (!json_decode_object(r, &part_type, &form, context)) continue;
    if (robot->body_count == ARMDYN_BODIES_MAX) {
      left_out++;
      continue;
    }
    struct armdyn_part_body *body = &robot->bodies[robot->body_count++];
    body->part = part, body->shape = form.shape;
  }
  if (left_out)
    json_fault(r, NULL, FAULT_LENGTH, "a robot may have %d bodies in all, got %zu more", ARMDYN_BODIES_MAX, left_out);
}

void part_bodies_encode(struct json_writer *w, const struct json_field *field, const void *member,
                        const struct json_context *context)
{
  (void)field;
  const struct armdyn_robot_description *robot = context->user;
  const int part = part_of(robot, member);
  json_begin_array(w);
  for (size_t i = 0; i < robot->body_count; i++) {
    struct shape_form form = { .shape = robot->bodies[i].shape };
    if (robot->bodies[i].part != part) continue;
    form.has[form.shape.kind] = true;
    json_encode_object(w, &part_type, &form, context);
  }
  json_end_array(w);
}

bool part_bodies_wanted(const void *member, const struct json_context *context)
{
  const struct armdyn_robot_description *robot = context->user;
  const int part = part_of(robot, member);
  for (size_t i = 0; i < robot->body_count; i++)
    if (robot->bodies[i].part == part) return true;
  return false;
}

void part_bodies_sort(struct armdyn_robot_description *robot)
{
  for (size_t i = 1; i < robot->body_count; i++) {
    const struct armdyn_part_body body = robot->bodies[i];
    size_t k = i;
    for (; k > 0 && robot->bodies[k - 1].part > body.part; k--) robot->bodies[k] = robot->bodies[k - 1];
    robot->bodies[k] = body;
  }
}
