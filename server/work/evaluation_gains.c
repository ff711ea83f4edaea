#include "server/work/evaluation_gains.h"

#include "server/work/named_result.h"

bool evaluation_gains_read(const cJSON *identification, const struct armdyn_robot_description *robot, double *gains)
{
  const cJSON *item;
  bool any = false;
  for (size_t j = 0; j < robot->joint_count; j++) gains[j] = 1;
  cJSON_ArrayForEach (item, document_at(identification, "drive_gains")) {
    const char *joint = document_text(item, "joint");
    if (!joint || !document_truth(item, "applied")) continue;
    for (size_t j = 0; j < robot->joint_count; j++)
      if (!strcmp(robot->joints[j].name, joint)) gains[j] = document_number(item, "gain"), any = true;
  }
  return any;
}

enum armdyn_status evaluation_gains_open(struct work *work, const char *id, const struct armdyn_robot *robot,
                                         double *gains, struct armdyn_loads **loads, struct armdyn_error *error)
{
  struct named_result result;
  const struct armdyn_robot *const as_the_model[] = { NULL };
  if (!*id) return ARMDYN_OK;
  enum armdyn_status status = named_result_open(work, "identification", id, EVALUATION_GAINS_POINTER, &result, error);
  if (!status && !evaluation_gains_read(result.document, armdyn_robot_description(robot), gains))
    status = armdyn_refuse(error, ARMDYN_EINPUT, EVALUATION_GAINS_POINTER,
                           "has found no gain of a drive; ask that identification with find_drive_gains");
  named_result_close(&result);
  if (!status) status = armdyn_loads_new(robot, as_the_model, 1, loads, error);
  if (!status) armdyn_loads_set_gains(*loads, gains);
  return status;
}
