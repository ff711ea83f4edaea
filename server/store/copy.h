/* Copies of a whole database: made while others read and write it, checked before they get their name. */
#ifndef SERVER_STORE_COPY_H
#define SERVER_STORE_COPY_H

#include "server/store/sql.h"
#include "server/store/store.h"

/* SQLite's own check of the whole file. EIO: damaged; `what` names it in the message. */
enum armdyn_status database_check(struct sql *sql, const char *what, struct armdyn_error *error);
/* A durable copy of what `sql` shows now, one file, checked. EEXISTS: there is such a file, which stays as it is.
 *   amendment  in  a statement that is run on the copy; NULL: none */
enum armdyn_status database_copy(struct sql *sql, const char *path, const char *amendment, struct armdyn_error *error);
/* Give a finished copy its name, durably, and never one that is taken: EEXISTS. */
enum armdyn_status database_name(const char *partial, const char *path, struct armdyn_error *error);

#endif
