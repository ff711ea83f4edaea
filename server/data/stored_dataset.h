/* A data set read block by block: memory does not depend on how long it is.
 *
 *   status = stored_dataset_open(store, id, &dataset);
 *   while (!status && !(status = stored_dataset_next(dataset, &rows, &count)) && count) ...
 *   stored_dataset_close(dataset);
 *
 * In a worker process the store is work_store's. */
#ifndef SERVER_DATA_STORED_DATASET_H
#define SERVER_DATA_STORED_DATASET_H

#include "api/dataset/layout.h"
#include "server/store/store.h"

struct stored_dataset;

/* dataset out: to be closed, unless refused. OK, ENOTFOUND, EIO (what is stored is none), EMEMORY, EBUSY. */
enum armdyn_status stored_dataset_open(struct store *store, const char *id, struct stored_dataset **dataset);
void stored_dataset_close(struct stored_dataset *dataset); /* NULL is fine */
/* As stored: robot, label, hash, conditions, how many samples. */
const struct store_dataset *stored_dataset_row(const struct stored_dataset *dataset);
/* Which columns a row has. */
const struct dataset_layout *stored_dataset_layout(const struct stored_dataset *dataset);

/* The rows that follow, at most STORED_DATASET_BYTES of them.
 *   rows   out  count x width, row-major, SI; valid until the next call for this data set
 *   count  out  0 at the end
 * OK or EIO. */
enum { STORED_DATASET_BYTES = 1 << 20 };
enum armdyn_status stored_dataset_next(struct stored_dataset *dataset, const double **rows, size_t *count);
/* Go on from this row, e.g. 0 for a second pass; at most as many as there are samples. */
void stored_dataset_seek(struct stored_dataset *dataset, size_t row);

#endif
