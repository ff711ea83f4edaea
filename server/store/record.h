/* Structs of store.h as rows: a table of fields says which member is which column, in both directions. Statements name
 * what they bind by the column (":state"), and rows are read by the names of their columns.
 * To add a member to a struct: a row in its table, and a migration. */
#ifndef SERVER_STORE_RECORD_H
#define SERVER_STORE_RECORD_H

#include "server/store/sql.h"
#include "server/store/store.h"

enum field_type {
  FIELD_TEXT,    /* char[size]; "" is NULL */
  FIELD_OWNED,   /* char *, freed by record_release; NULL is `fallback` */
  FIELD_INTEGER, /* int64_t */
  FIELD_INT,     /* int */
  FIELD_BOOL,    /* bool */
  FIELD_NAMED    /* an enum, kept as one of `names` */
};

struct field {
  const char *column;
  enum field_type type;
  size_t offset, size; /* of the member */
  const char *fallback;
  const char *const *names;
};
#define FIELD_WITH(record, member, kind, more)                                                                         \
  {                                                                                                                    \
    .column = #member, .type = kind, .offset = offsetof(struct record, member),                                        \
    .size = sizeof(((struct record *)0)->member), more                                                                 \
  }
#define FIELD(record, member, kind) FIELD_WITH(record, member, kind, .fallback = NULL)

struct record_type {
  size_t size;
  const struct field *fields;
  size_t field_count;
};
#define RECORD_TYPE(record, table)                                                                                     \
  {                                                                                                                    \
    sizeof(struct record), table, sizeof(table) / sizeof *(table)                                                      \
  }

/* Free what the record owns and make it all zero, so that a second release does no harm. */
void record_release(const struct record_type *type, void *record);

/* About how many bytes the record takes in the database. */
size_t record_bytes(const struct record_type *type, const void *record);

/* Run a changing statement with the record's members in it; *changed (NULL is fine) rows. */
enum armdyn_status record_run(struct sql *sql, const char *text, const struct record_type *type, const void *record,
                              int *changed);
/* The same, ENOTFOUND when it changed nothing. */
enum armdyn_status record_change(struct sql *sql, const char *text, const struct record_type *type, const void *record);
/* As sql_send: an INSERT, say, which changes one row or fails. */
enum armdyn_status record_send(struct sql *sql, const char *text, const struct record_type *type, const void *record);
/* The one row of a query. ENOTFOUND. */
enum armdyn_status record_get(struct sql *sql, const char *text, struct values values, const struct record_type *type,
                              void *record);

/* A list: a SELECT without WHERE; of the conditions those that have a value; a page along a column. */
struct condition {
  const char *column;
  struct value value; /* VALUE_NULL: any */
};
enum { CONDITIONS = 4 };
struct listing {
  const char *select;
  struct condition where[CONDITIONS];
  const char *and;   /* a fixed further condition, or NULL */
  const char *order; /* column, unique among what the conditions leave */
  bool ascending;    /* then `before` of the page means "after" */
  struct value before;
  size_t limit; /* 0 = all */
};
/* Which member each column of a statement is. */
enum { RECORD_COLUMNS = 48 };
struct record_columns {
  const struct sql_statement *of;
  const struct field *fields[RECORD_COLUMNS];
};
/* The rows as an array of records, so that no reader is held while they are visited. */
struct records {
  const struct record_type *type;
  void *items;
  size_t count, capacity;
  struct record_columns columns;
};
enum armdyn_status record_list(struct sql *sql, const struct listing *listing, const struct record_type *type,
                               struct records *records);
void records_release(struct records *records);
/* Append the row that the statement stands on: its columns from `first` on. */
enum armdyn_status records_append(struct records *records, struct sql_statement *statement, int first);

#endif
