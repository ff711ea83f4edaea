/* Cells, for routes of others. */
#ifndef SERVER_ROUTES_CELLS_H
#define SERVER_ROUTES_CELLS_H

#include "api/codec/cell.h"
#include "server/store/store.h"

/* A stored cell; *revision 0: the newest, whose number it becomes. ENOTFOUND. Release what you get. */
enum armdyn_status cell_load(struct store *store, const char *name, int64_t *revision, struct cell_document *cell);

#endif
