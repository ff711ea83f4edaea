/* What is SQLite's alone: the database is a file, which can be copied while it is open. */
#ifndef SERVER_STORE_SQL_SQLITE_H
#define SERVER_STORE_SQL_SQLITE_H

#include <sqlite3.h>

#include "server/store/sql.h"

sqlite3 *sql_sqlite_handle(struct sql *sql);

/* What a result code of SQLite means to the store's callers: a full disk, a broken one, a name that exists, a reference
 * that is held (ECONFLICT), a value that the schema refuses (EINPUT), ... */
enum armdyn_status sql_sqlite_status(struct sql *sql, int code);

#endif
