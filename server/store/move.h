/* The whole of a store from one engine to the other: `armdyn move`. */
#ifndef SERVER_STORE_MOVE_H
#define SERVER_STORE_MOVE_H

#include "server/store/sql.h"

/* What was done with a table, for who waits: `rows` of it were copied (again, none, when they were there), or compared. */
typedef void store_move_visit(void *context, const char *table, int64_t rows, bool compared);

/* Copy all rows of a store, directory or address of a database, into an empty one of the other engine, compare both row by row,
 * and only then let the copy be one that can be served. The first stays as it is. What was broken off goes on from where it
 * was, when it is called again. EBUSY: an armdyn runs on either. ECONFLICT: the target holds something; the schema of the
 * first is not this program's. EINPUT: not one of each; a difference. */
enum armdyn_status store_move(const char *from, const char *to, store_move_visit *visit, void *context,
                              struct armdyn_error *error);

/* ECONFLICT: the database is one that a move has not finished. */
enum armdyn_status move_refuse_unfinished(struct sql *sql, struct armdyn_error *error);

#endif
