/* A data set in the making: rows are kept and judged as they come, and nobody sees it until it is whole.
 *
 *   status = new_dataset_begin(store, id, &layout, &dataset);
 *   while (!status && ...) status = new_dataset_add(dataset, rows, count);
 *   if (!status) status = new_dataset_keep(dataset, &origin, NULL);
 *   new_dataset_free(dataset); */
#ifndef SERVER_DATA_NEW_DATASET_H
#define SERVER_DATA_NEW_DATASET_H

#include "api/codec/dataset.h"
#include "server/store/store.h"

struct new_dataset;

/* dataset out: to be freed, unless refused. OK, EMEMORY, what the store says. */
enum armdyn_status new_dataset_begin(struct store *store, const char *id, const struct dataset_layout *layout,
                                     struct new_dataset **dataset);
/* rows: count x width of the layout, SI. */
enum armdyn_status new_dataset_add(struct new_dataset *dataset, const double *rows, size_t count);

/* Where it comes from. */
struct new_dataset_origin {
  const struct armdyn_robot_description *robot;
  int64_t revision;
  const char *label;
  const char *media, *mapping;                              /* mapping NULL: none */
  const char *source_sha256;                                /* of what came, hexadecimal; NULL: that of the samples */
  const char *conditions;                                   /* JSON object */
  const char *created_by_name, *reason;                     /* NULL: not known, not said */
  const char *tags;                                         /* JSON object; NULL: none */
  const char *job_order_id, *work_master_id, *equipment_id; /* NULL: none */
};
/* Create it, with all rows so far. OK; ECONFLICT: no such revision of the robot, or the key was used; EMEMORY, what the
 * store says: nothing is kept then. */
enum armdyn_status new_dataset_keep(struct new_dataset *dataset, const struct new_dataset_origin *origin,
                                    const struct store_idempotency *key);
/* NULL is fine. What was not kept is gone. */
void new_dataset_free(struct new_dataset *dataset);

#endif
