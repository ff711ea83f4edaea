#include "server/jobs/opened_logs.h"

static enum armdyn_status open_one(struct store *store, const char *id, const char *name,
                                   const struct armdyn_robot_description *robot, struct opened_logs *logs,
                                   struct armdyn_error *error)
{
  struct armdyn_error found = { "", "" };
  const size_t at = logs->count++;
  struct logged_motion *motion = &logs->motions[at];
  const enum armdyn_status status = logged_motion_open(store, id, robot, 0, 1, motion, &found);
  if (status) {
    char pointer[48];
    snprintf(pointer, sizeof pointer, "/%s/%zu", name, at);
    return armdyn_refuse(error, status == ARMDYN_ENOTFOUND ? ARMDYN_EINPUT : status, pointer, "data set %s %s", id,
                         found.message);
  }
  const struct store_dataset *row = stored_dataset_row(motion->dataset);
  struct identification_data *data = &logs->data[at];
  *data = (struct identification_data){ .label = row->label, .samples = (long long)motion->count };
  memcpy(data->id, row->id, sizeof data->id);
  memcpy(data->sha256, row->sha256, sizeof data->sha256);
  return ARMDYN_OK;
}

enum armdyn_status opened_logs_open(struct store *store, const struct id_list *list, const char *name,
                                    const struct armdyn_robot_description *robot, struct opened_logs *logs,
                                    struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < list->count && !status; i++)
    status = open_one(store, list->items[i], name, robot, logs, error);
  return status;
}

void opened_logs_release(struct opened_logs *logs)
{
  for (size_t i = 0; i < logs->count; i++) logged_motion_close(&logs->motions[i]);
  logs->count = 0;
}

enum armdyn_status opened_logs_stream(struct opened_logs *logs, const struct armdyn_conditioning *conditioning,
                                      struct armdyn_log_stream **stream, struct armdyn_error *error)
{
  struct armdyn_log_reader readers[LIMIT_DATASETS];
  for (size_t i = 0; i < logs->count; i++) readers[i] = logged_motion_reader(&logs->motions[i]);
  return armdyn_log_stream_new(logs->motions[0].robot->joint_count, readers, logs->count, conditioning, stream, error);
}
