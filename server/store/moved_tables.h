/* The tables of a store that both engines have, and their rows one after the other, whatever the engine. */
#ifndef SERVER_STORE_MOVED_TABLES_H
#define SERVER_STORE_MOVED_TABLES_H

#include "api/wire/buffer.h"
#include "server/store/sql.h"

enum { MOVED_TABLES = 64, MOVED_KEYS = 4, MOVED_COLUMNS = 64, MOVED_NAME_SIZE = 48 };

/* Of its columns those that are written, the primary key's first. */
struct moved_table {
  char name[MOVED_NAME_SIZE];
  char columns[MOVED_COLUMNS][MOVED_NAME_SIZE];
  int keys, count;
};
struct moved_tables {
  struct moved_table items[MOVED_TABLES];
  size_t count;
};
/* As the embedded store has them; rows that SQLite numbers by itself have their number ("rowid") in a column of PostgreSQL. */
enum armdyn_status moved_tables_read(struct sql *embedded, struct sql *server, struct moved_tables *out);

/* INSERT of a row, with a place for every column. */
enum armdyn_status moved_table_insertion(const struct moved_table *table, struct buffer *text);

/* The rows of a table in the order of its key, read by pages that are small enough to be held. */
struct moved_rows {
  struct sql *sql;
  const struct moved_table *table;
  struct sql_statement *statement; /* of the page; it stands on the row */
  struct value key[MOVED_KEYS];    /* of the row before the page, or its last */
  char *texts[MOVED_KEYS];         /* that it points to */
  bool begun;
  int limit, seen; /* rows that a page may have, and has had */
  size_t bytes;    /* of the page, so far */
};
void moved_rows_begin(struct moved_rows *rows, struct sql *sql, const struct moved_table *table);
/* Begin behind the greatest key that another table of that name has. */
enum armdyn_status moved_rows_after(struct moved_rows *rows, struct sql *other);
/* false: there is none any more. */
enum armdyn_status moved_rows_next(struct moved_rows *rows, bool *row);
void moved_rows_end(struct moved_rows *rows);
/* A column of the row; what it points to lives until the next one. */
struct value moved_rows_value(const struct moved_rows *rows, int column);

#endif
