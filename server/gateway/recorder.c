#include "server/gateway/recorder.h"

#include <math.h>

#include "api/codec/dataset.h"
#include "server/base/log.h"
#include "server/data/new_dataset.h"

enum { ROWS_LEAST = 2 }; /* of a data set */

struct recording {
  char transfer[ID_SIZE];
  struct new_dataset *dataset;
  size_t joints, rows;
  bool commanded;
  unsigned content;          /* enum torque_content */
  enum armdyn_status status; /* the first failure sticks */
  struct recording *next;
};

static void recording_free(struct recording *r)
{
  new_dataset_free(r->dataset);
  free(r);
}

static void log_failure(const char *transfer, enum armdyn_status status)
{
  log_event(LOG_ERROR, "telemetry was not kept", "transfer", transfer, "reason", armdyn_status_text(status), NULL);
}

static struct recording **find(struct recorder *recorder, const char *transfer)
{
  struct recording **at = &recorder->first;
  while (*at && strcmp((*at)->transfer, transfer)) at = &(*at)->next;
  return at;
}

static struct recording *begin(struct recorder *recorder, const struct message_telemetry *message)
{
  const bool present[DATASET_FIELDS] = { [DATASET_T] = true, [DATASET_Q] = true, [DATASET_TAU] = true };
  struct dataset_layout layout;
  struct recording *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  memcpy(r->transfer, message->transfer, sizeof r->transfer);
  r->joints = message->block.joints;
  dataset_layout_make(r->joints, present, &layout);
  r->status = new_dataset_begin(recorder->store, r->transfer, &layout, &r->dataset);
  if (r->status) log_failure(r->transfer, r->status);
  r->next = recorder->first;
  recorder->first = r;
  return r;
}

void recorder_take(struct recorder *recorder, const struct message_telemetry *message)
{
  const struct telemetry_block *block = &message->block;
  double rows[TELEMETRY_ROWS * (1 + 2 * LIMIT_AXES)], *at = rows;
  struct recording *r = *find(recorder, message->transfer);
  if (!r) r = begin(recorder, message);
  if (!r || r->status || r->joints != block->joints) return;
  for (size_t k = 0; k < block->count; k++) {
    *at++ = block->rows[k].time;
    memcpy(at, block->rows[k].q, r->joints * sizeof *at);
    at += r->joints;
    memcpy(at, block->rows[k].tau, r->joints * sizeof *at);
    at += r->joints;
  }
  r->commanded = r->commanded || block->commanded;
  if (block->content) r->content = block->content;
  r->rows += block->count;
  r->status = new_dataset_add(r->dataset, rows, block->count);
  if (r->status) log_failure(r->transfer, r->status);
}

static enum armdyn_status keep(struct recorder *recorder, struct recording *r, const struct telemetry_origin *origin)
{
  char label[LABEL_SIZE];
  struct buffer text = BUFFER(KB(4));
  struct dataset_conditions conditions = {
    .overrides = origin->overrides,
    .has_side = true,
    .has_source = true,
    .torque_source = r->commanded ? TORQUE_FROM_COMMAND : TORQUE_FROM_SENSOR,
    .torque_content = (enum torque_content)r->content,
    .temperature = NAN,
  };
  const struct robot_entry *entry;
  struct store_transfer transfer; /* what is known of it is known of its telemetry */
  enum armdyn_status status = store_transfer_get(recorder->store, r->transfer, &transfer);
  if (status) return status;
  status = robots_get(recorder->robots, origin->robot, origin->revision, true, &entry);
  if (status) {
    store_transfer_release(&transfer);
    return status;
  }
  snprintf(label, sizeof label, "telemetry of %.64s", origin->controller);
  snprintf(conditions.controller, sizeof conditions.controller, "%s", origin->controller);
  snprintf(conditions.transfer, sizeof conditions.transfer, "%s", r->transfer);
  dataset_conditions_encode(&conditions, &text);
  const struct new_dataset_origin from = { .robot = armdyn_robot_description(entry->robot),
                                           .revision = entry->revision,
                                           .label = label,
                                           .media = "application/vnd.armdyn.telemetry",
                                           .conditions = text.data,
                                           .created_by_name = transfer.created_by_name,
                                           .reason = transfer.reason,
                                           .tags = transfer.tags,
                                           .job_order_id = transfer.job_order_id,
                                           .work_master_id = transfer.work_master_id,
                                           .equipment_id = transfer.equipment_id };
  status = text.failure ? text.failure : new_dataset_keep(r->dataset, &from, NULL);
  buffer_release(&text);
  robots_release(recorder->robots, entry);
  store_transfer_release(&transfer);
  return status;
}

void recorder_end(struct recorder *recorder, const char *transfer, const struct telemetry_origin *origin)
{
  struct recording **at = find(recorder, transfer), *r = *at;
  if (!r) return;
  *at = r->next;
  if (!r->status && r->rows >= ROWS_LEAST && (r->status = keep(recorder, r, origin))) log_failure(transfer, r->status);
  recording_free(r);
}

void recorder_release(struct recorder *recorder)
{
  for (struct recording *r; (r = recorder->first); recording_free(r)) recorder->first = r->next;
}
