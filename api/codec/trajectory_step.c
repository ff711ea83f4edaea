/* The parts of a motion that is made of others. */
#include "api/codec/trajectory.h"

static void step_init(void *object)
{
  *(struct trajectory_step *)object = (struct trajectory_step){ .dwell = NAN };
}

static void step_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct trajectory_step *step = object;
  const bool moves = *step->trajectory, rests = !isnan(step->dwell);
  (void)given, (void)context;
  if (json_reader_status(r) || moves != rests) return;
  json_fault(r, "", moves ? FAULT_INCONSISTENT : FAULT_REQUIRED,
             "must be one of the two: a stored trajectory, or how long the arm rests (dwell)");
}

static const struct json_field step_fields[] = {
  { TEXT(struct trajectory_step, trajectory), MATCHES(json_id_pattern), NULLABLE },
  { NUMBER(struct trajectory_step, dwell, ABOVE_UP_TO(0, 1e4), "s"), NULLABLE },
};
const struct json_type trajectory_step_type =
    JSON_TYPE("a step", step_fields, struct trajectory_step, step_init, step_check);
