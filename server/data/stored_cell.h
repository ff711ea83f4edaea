/* A stored cell as the library's. */
#ifndef SERVER_DATA_STORED_CELL_H
#define SERVER_DATA_STORED_CELL_H

#include "api/codec/cell.h"
#include "armdyn/trajectory.h"
#include "server/store/store.h"

/* From what the store keeps; it was accepted once. OK, EMEMORY, EINTERNAL. Release what you get. */
enum armdyn_status stored_cell_decode(const struct store_cell *row, struct cell_document *cell);
/* By its name; *revision 0: the newest, whose number it becomes. ENOTFOUND too. */
enum armdyn_status stored_cell_read(struct store *store, const char *name, int64_t *revision,
                                    struct cell_document *cell);

/* A trajectory as a controller plays it at a rate, Hz: from sample to sample along a line.
 *   motion  out  free motion->q
 * OK, EINPUT with the pointer "/rate", EMEMORY. */
enum armdyn_status played_motion_of(const struct armdyn_trajectory *trajectory, double rate,
                                    struct armdyn_played_motion *motion, struct armdyn_error *error);

#endif
