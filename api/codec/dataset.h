/* Data sets as resources: what an upload found, what people write on it, and the conditions that it was logged under. */
#ifndef API_CODEC_DATASET_H
#define API_CODEC_DATASET_H

#include "api/codec/controller.h"
#include "api/codec/parts.h"
#include "api/codec/result.h"
#include "api/dataset/layout.h"
#include "armdyn/quality.h"

/* -- conditions -- */

enum dataset_torque_side { TORQUE_OF_JOINT, TORQUE_OF_MOTOR };
enum dataset_torque_source { TORQUE_FROM_SENSOR, TORQUE_FROM_CURRENT, TORQUE_FROM_COMMAND };

/* What the arm carried, and what its torques are. */
struct dataset_conditions {
  struct overrides overrides; /* payload, tool, gravity: NULL of what is the model's */
  bool has_side, has_source;
  enum dataset_torque_side torque_side; /* default joint */
  enum dataset_torque_source torque_source;
  enum torque_content torque_content; /* default: full */
  double temperature;                 /* degrees Celsius; NAN: not known */
  char controller[ARMDYN_NAME_SIZE], transfer[32];
};
/* As stored; decode(encode(x)) == x. OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status dataset_conditions_decode(const char *text, size_t length, struct dataset_conditions *conditions,
                                             struct faults *faults);

/* -- what people write on it -- */

struct dataset_notes {
  char label[LIMIT_TAG + 1];
  struct json_map tags;
  char *notes;
  char job_order_id[LIMIT_TAG + 1], work_master_id[LIMIT_TAG + 1], equipment_id[LIMIT_TAG + 1];
  struct dataset_conditions conditions;
};
/* {"label", "tags", "notes", "job_order_id", "work_master_id", "equipment_id", "conditions"}. Release it unless refused. */
enum armdyn_status dataset_notes_decode(const char *text, size_t length, struct dataset_notes *notes,
                                        struct faults *faults);
void dataset_notes_release(struct dataset_notes *notes);
void dataset_conditions_encode(const struct dataset_conditions *conditions, struct buffer *out);

/* -- what the upload found -- */

struct dataset_figures {
  const struct dataset_layout *layout;
  const struct armdyn_robot_description *robot;
  const struct armdyn_quality_report *report;
  const char *media, *mapping; /* what was uploaded; mapping NULL: none */
  const char *source_sha256;   /* of the body, hexadecimal */
};
/* The object that is kept. */
void dataset_figures_encode(const struct dataset_figures *figures, struct buffer *out);

/* -- what GET answers -- */

struct dataset_resource {
  const char *id, *robot, *created_at, *label, *sha256, *figures, *conditions, *tags, *notes;
  const char *job_order_id, *work_master_id, *equipment_id;
  const char *created_by, *reason; /* "" is null */
  long long revision, samples;
  bool summary; /* for lists: without columns and notes */
};
void dataset_resource_encode(const struct dataset_resource *resource, struct buffer *out);
/* What a patch is laid over: the members that dataset_notes_decode knows. */
void dataset_notes_encode(const struct dataset_resource *resource, struct buffer *out);

#endif
