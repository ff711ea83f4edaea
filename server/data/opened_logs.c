#include "server/data/opened_logs.h"

static enum armdyn_status open_one(struct store *store, const struct listed_logs *listed, size_t index,
                                   const struct armdyn_robot_description *robot, struct opened_logs *logs,
                                   struct armdyn_error *error)
{
  const char *id = listed->list->items[index];
  struct armdyn_error found = { "", "" };
  const size_t at = logs->count++;
  struct logged_motion *motion = &logs->motions[at];
  const enum armdyn_status status = logged_motion_open(store, id, robot, listed->from, listed->to, motion, &found);
  if (status) {
    char pointer[48];
    snprintf(pointer, sizeof pointer, "/%s/%zu", listed->name, index);
    return armdyn_refuse(error, status == ARMDYN_ENOTFOUND ? ARMDYN_EINPUT : status, pointer, "data set %s %s", id,
                         found.message);
  }
  const struct store_dataset *row = stored_dataset_row(motion->dataset);
  struct identification_data *data = &logs->data[at];
  *data =
      (struct identification_data){ .label = row->label, .role = listed->role, .samples = (long long)motion->count };
  memcpy(data->id, row->id, sizeof data->id);
  memcpy(data->sha256, row->sha256, sizeof data->sha256);
  return ARMDYN_OK;
}

enum armdyn_status opened_logs_open(struct store *store, const struct listed_logs *listed,
                                    const struct armdyn_robot_description *robot, struct opened_logs *logs,
                                    struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < listed->list->count && !status; i++) status = open_one(store, listed, i, robot, logs, error);
  return status;
}

void opened_logs_release(struct opened_logs *logs)
{
  for (size_t i = 0; i < logs->count; i++) logged_motion_close(&logs->motions[i]);
  logs->count = 0;
}

enum armdyn_status opened_logs_stream(struct opened_logs *logs, size_t count,
                                      const struct armdyn_conditioning *conditioning, struct armdyn_log_stream **stream,
                                      struct armdyn_error *error)
{
  struct armdyn_log_reader readers[OPENED_LOGS_MOST];
  for (size_t i = 0; i < count; i++) readers[i] = logged_motion_reader(&logs->motions[i]);
  return armdyn_log_stream_new(logs->motions[0].robot->joint_count, readers, count, conditioning, stream, error);
}
