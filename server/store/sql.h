/* SQLite in the words of the store: connections with a cache of prepared statements, values in, status out.
 * A connection serves one thread at a time. */
#ifndef SERVER_STORE_SQL_H
#define SERVER_STORE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armdyn/status.h"

struct sql;

/* A writing connection may create the database; it never checkpoints by itself (sql_checkpoint). A reading one neither
 * writes nor checkpoints, not even when it is the last to close. */
enum sql_mode { SQL_WRITE, SQL_READ };
enum armdyn_status sql_open(const char *path, enum sql_mode mode, struct sql **sql, struct armdyn_error *error);
void sql_close(struct sql *sql);
sqlite3 *sql_handle(struct sql *sql);

/* What a result code of SQLite means to the store's callers: a full disk, a broken one, a name that exists, a reference
 * that is held (ECONFLICT), a value that the schema refuses (EINPUT), ... */
enum armdyn_status sql_status(struct sql *sql, int code);
/* The same, with SQLite's own words: "cannot <what>: disk I/O error". */
enum armdyn_status sql_refuse(struct sql *sql, int code, struct armdyn_error *error, const char *what);

/* What goes into the place of one "?" of a statement. Texts and blobs must live until the statement ran. */
struct value {
  enum value_type { VALUE_NULL, VALUE_INTEGER, VALUE_NUMBER, VALUE_TEXT, VALUE_BLOB } type;
  int64_t integer;
  double number;
  const void *data;
  size_t size;
};
static inline struct value value_text(const char *text)
{
  return (struct value){ .type = text ? VALUE_TEXT : VALUE_NULL, .data = text };
}
static inline struct value value_integer(int64_t integer)
{
  return (struct value){ .type = VALUE_INTEGER, .integer = integer };
}
static inline struct value value_number(double number)
{
  return (struct value){ .type = VALUE_NUMBER, .number = number };
}
static inline struct value value_blob(const void *data, size_t size)
{
  return (struct value){ .type = VALUE_BLOB, .data = data, .size = size };
}

/* The values of a statement in order: VALUES(value_text(name), value_integer(revision)), or NO_VALUES. */
struct values {
  const struct value *items;
  size_t count;
};
#define VALUES(...)                                                                                                    \
  ((struct values){ (const struct value[]){ __VA_ARGS__ },                                                             \
                    sizeof((const struct value[]){ __VA_ARGS__ }) / sizeof(struct value) })
#define NO_VALUES ((struct values){ NULL, 0 })

/* A statement from the cache, reset and without values; give it back with sql_finish (NULL is fine). */
enum armdyn_status sql_prepare(struct sql *sql, const char *text, sqlite3_stmt **statement);
enum armdyn_status sql_bind(struct sql *sql, sqlite3_stmt *statement, int place, struct value value);
/* OK with *row telling whether there is a row to read. */
enum armdyn_status sql_step(struct sql *sql, sqlite3_stmt *statement, bool *row);
void sql_finish(sqlite3_stmt *statement);

/* Prepare and bind in one. */
enum armdyn_status sql_query(struct sql *sql, const char *text, struct values values, sqlite3_stmt **statement);
/* Run one statement to its end; *changed (NULL is fine) is how many rows it changed. */
enum armdyn_status sql_run(struct sql *sql, const char *text, struct values values, int *changed);
/* The same, ENOTFOUND when it changed nothing. */
enum armdyn_status sql_change(struct sql *sql, const char *text, struct values values);
/* The number in the first column of the first row; ENOTFOUND without a row. */
enum armdyn_status sql_number(struct sql *sql, const char *text, struct values values, int64_t *number);
/* Several statements without values or rows, such as a migration. */
enum armdyn_status sql_script(struct sql *sql, const char *text);

/* Pages in the write-ahead log after the last commit; move them into the database. `wait` waits for readers and
 * empties the log. Only the writer may ask. */
int sql_log_pages(const struct sql *sql);
enum armdyn_status sql_checkpoint(struct sql *sql, bool wait);

#endif
