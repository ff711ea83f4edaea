#include "server/work/held_friction.h"

#include "api/codec/promotion.h"
#include "server/work/named_result.h"

static const char pointer[] = "/friction_from", kind[] = "friction_identification";

static void take(const struct promotion_source *source, const struct armdyn_robot_description *robot,
                 struct held_friction *held, struct armdyn_friction *friction)
{
  for (size_t i = 0; i < source->friction_count; i++) {
    const struct promotion_friction *from = &source->frictions[i];
    size_t joint = 0;
    while (joint < robot->joint_count && strcmp(robot->joints[joint].name, from->joint) != 0) joint++;
    if (joint == robot->joint_count) continue;
    held->which[joint] = true;
    held->joints[joint] = (struct identification_held){ true, from->friction, from->deviation };
    friction[joint] = from->friction;
  }
}

static enum armdyn_status read_source(struct work *work, const char *id, struct promotion_source *source,
                                      struct armdyn_error *error)
{
  struct named_result result;
  enum armdyn_status status = named_result_open(work, kind, id, pointer, &result, error);
  if (!status) status = promotion_source_read(result.document, source);
  named_result_close(&result);
  return status;
}

enum armdyn_status held_friction_open(struct work *work, const char *id, const struct armdyn_robot *robot,
                                      struct held_friction *out, struct armdyn_error *error)
{
  if (!*id) return ARMDYN_OK;
  struct promotion_source *source = calloc(1, sizeof *source);
  struct armdyn_friction *friction = calloc(ARMDYN_JOINTS_MAX, sizeof *friction);
  enum armdyn_status status = source && friction ? read_source(work, id, source, error) : ARMDYN_EMEMORY;
  if (!status) take(source, work->robot, out, friction);
  if (!status) status = armdyn_known_friction_new(robot, friction, out->which, &out->known, error);
  free(friction);
  free(source);
  return status;
}

void held_friction_release(struct held_friction *held)
{
  armdyn_known_friction_free(held->known);
  free(held->told);
}

const struct armdyn_robot_description *held_friction_told(struct held_friction *held,
                                                          const struct armdyn_robot_description *identified)
{
  if (!held->known) return identified;
  free(held->told);
  held->told = malloc(sizeof *held->told);
  if (!held->told) return NULL;
  *held->told = *identified;
  for (size_t i = 0; i < identified->joint_count; i++)
    if (held->which[i]) held->told->joints[i].friction = held->joints[i].friction;
  return held->told;
}

size_t held_friction_source(const char *id, struct job_source *source)
{
  return named_result_source(kind, id, pointer, source);
}
