/* The database in the words of the store: connections, statements with values in them, rows, and a status of each. What
 * speaks to a database of one kind is an engine (sql_engine.h). A connection serves one thread at a time. */
#ifndef SERVER_STORE_SQL_H
#define SERVER_STORE_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armdyn/status.h"

struct sql;
struct sql_statement;

/* For how long somebody who was not seen holds the store (sql_hold). */
enum { STORE_LEASE_S = 30 };
#define STORE_LEASE "30 s"

/* The address is a file, or one of PostgreSQL ("postgresql://..."). A writing connection may create the file; it never
 * checkpoints by itself (sql_checkpoint). A reading one neither writes nor checkpoints, not even when it is the last to
 * close. */
enum sql_mode { SQL_WRITE, SQL_READ };
enum armdyn_status sql_open(const char *address, enum sql_mode mode, struct sql **sql, struct armdyn_error *error);
void sql_close(struct sql *sql);
const char *sql_engine_name(const struct sql *sql); /* "sqlite", "postgresql" */
/* The engine's own words of what failed last: "disk I/O error". */
const char *sql_message(struct sql *sql);

/* A text where the engines have no word in common, within a statement: "SELECT " SQL_EITHER("instr", "strpos") "(...)". */
#define SQL_EITHER(sqlite, postgresql) "\x01" sqlite "\x02" postgresql "\x03"

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

/* A statement from the cache, reset and without values; give it back with sql_finish (NULL is fine). Its places are "?",
 * "?1" or ":name". */
enum armdyn_status sql_prepare(struct sql *sql, const char *text, struct sql_statement **statement);
/* How many places it has; the name of one, counted from 1, with what stands before it (":state"), or NULL. */
int sql_places(const struct sql_statement *statement);
const char *sql_place_name(const struct sql_statement *statement, int place);
enum armdyn_status sql_bind(struct sql_statement *statement, int place, struct value value);
/* OK with *row telling whether there is a row to read. */
enum armdyn_status sql_step(struct sql_statement *statement, bool *row);
/* Instead of steps: sql_send below, of one that has its values. */
enum armdyn_status sql_dispatch(struct sql_statement *statement);
void sql_finish(struct sql_statement *statement);

/* The row that a statement stands on, by columns counted from 0. What they point to lives until the next step. */
int sql_columns(const struct sql_statement *statement);
const char *sql_column_name(const struct sql_statement *statement, int column);
enum value_type sql_type(const struct sql_statement *statement, int column); /* before its text was asked for */
const char *sql_text(const struct sql_statement *statement, int column);     /* of numbers, too; NULL of NULL */
int64_t sql_integer(const struct sql_statement *statement, int column);      /* 0 of NULL */
double sql_real(const struct sql_statement *statement, int column);          /* 0 of NULL */
const void *sql_blob(const struct sql_statement *statement, int column, size_t *size);
/* Rows that the connection's last changing statement changed. */
int sql_changed(struct sql *sql);

/* Prepare and bind in one. */
enum armdyn_status sql_query(struct sql *sql, const char *text, struct values values, struct sql_statement **statement);
/* Run one statement to its end; *changed (NULL is fine) is how many rows it changed. */
enum armdyn_status sql_run(struct sql *sql, const char *text, struct values values, int *changed);
/* The same, ENOTFOUND when it changed nothing. */
enum armdyn_status sql_change(struct sql *sql, const char *text, struct values values);
/* The number in the first column of the first row; ENOTFOUND without a row. */
enum armdyn_status sql_number(struct sql *sql, const char *text, struct values values, int64_t *number);
/* Run one that has no rows, and of which nothing is asked but that it succeeds. Within an operation (sql_savepoint) it may
 * be sent later, together with what follows: then OK is no answer yet, and its failure is that of the next statement, or
 * of its operation. */
enum armdyn_status sql_send(struct sql *sql, const char *text, struct values values);
/* Several statements without values or rows, such as a migration. */
enum armdyn_status sql_script(struct sql *sql, const char *text);

/* A transaction that writes. Inside of one, some failures (a full disk, say) undo all of it: then none is open any more. */
enum armdyn_status sql_begin(struct sql *sql);
enum armdyn_status sql_commit(struct sql *sql);
void sql_rollback(struct sql *sql);
bool sql_in_transaction(struct sql *sql);
/* An operation within a transaction: kept by sql_release, or undone. *status, OK before, is its failure, if it has one that is
 * found only later: it is written to until sql_settle or the end of the transaction. */
enum armdyn_status sql_savepoint(struct sql *sql);
enum armdyn_status sql_release(struct sql *sql, enum armdyn_status *status);
enum armdyn_status sql_undo(struct sql *sql);
/* All that was sent is done: every operation that was released has its status. */
enum armdyn_status sql_settle(struct sql *sql);
/* Between them, all that is read is of one moment. Inside of a transaction, too. */
enum armdyn_status sql_snapshot(struct sql *sql);
void sql_snapshot_end(struct sql *sql);

/* Become the one who writes, as the node of that name, as long as the connection is open: transactions of it then fail once
 * another one is. EBUSY: another one is, and was seen not long ago. */
enum armdyn_status sql_hold(struct sql *sql, const char *node, struct armdyn_error *error);
/* Another one is, and this one writes nothing any more. From any thread. */
bool sql_is_fenced(const struct sql *sql);
/* Wall clock until which nobody else can be, if it is asked now; INT64_MAX: nobody ever. From any thread. */
int64_t sql_holds_until_ms(const struct sql *sql);
/* Outside of transactions, be seen. In how many nanoseconds it is to be called again; 0: never. */
int64_t sql_keep(struct sql *sql);

/* Until somebody notifies that channel (a name of letters, digits and _), the descriptor can be read (-1: none), or the time is
 * over. EUNAVAILABLE: the database is away, or has no such thing. */
enum armdyn_status sql_await(struct sql *sql, const char *channel, int fd, int ms);

/* Statements that run beyond that time, which lives until another is set, are broken off (EUNAVAILABLE); NULL: none is. */
void sql_deadline(struct sql *sql, const int64_t *monotonic_ns);

/* Write something that changes nothing: whether it can be written. */
enum armdyn_status sql_touch(struct sql *sql);

/* What the database takes on its disk, the log beside it, and how much of it is free for new rows. */
struct sql_room {
  int64_t bytes, log_bytes, unused_bytes;
};
enum armdyn_status sql_room(struct sql *sql, struct sql_room *room);

/* Pages in the write-ahead log after the last commit; move them into the database. `wait` waits for readers and
 * empties the log. Only the writer may ask. */
int sql_log_pages(const struct sql *sql);
enum armdyn_status sql_checkpoint(struct sql *sql, bool wait);

#endif
