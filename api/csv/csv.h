/* Tables of numbers as CSV (RFC 4180): the first line names the columns, each further line is a sample. */
#ifndef API_CSV_CSV_H
#define API_CSV_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "api/limits.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"

enum { CSV_NAME_SIZE = 32, CSV_COLUMNS_MOST = 256 };

/* The columns that a table may have; they may stand in any order. */
struct csv_columns {
  size_t count;
  struct {
    char name[CSV_NAME_SIZE];
    bool required;
  } items[CSV_COLUMNS_MOST];
};

struct csv_table {
  size_t rows;
  bool present[CSV_COLUMNS_MOST]; /* of the columns asked for */
  double *data;                   /* rows x columns->count, row-major; 0 where a column is absent. free() it */
};

/* Read a table. Fields may be quoted and blanks around numbers are fine; lines end in LF or CRLF and have at most
 * LIMIT_CSV_LINE bytes; a UTF-8 byte order mark is skipped. Every number must be finite and within
 * LIMIT_SAMPLE_NUMBER.
 *   columns    in
 *   rows_most  in
 *   out        out  csv_release; nothing to release after a refusal
 *   faults     out  added to: columns that are unknown, missing or there twice by name, cells by row and column
 * OK; ESYNTAX: not CSV; EINPUT: faults; ELIMIT: more rows; EMEMORY. */
enum armdyn_status csv_read(const char *text, size_t length, const struct csv_columns *columns, size_t rows_most,
                            struct csv_table *out, struct faults *faults);
void csv_release(struct csv_table *table);

/* Write rows of numbers, shortest form, lines ending in CRLF.
 *   names  in  the header line, comma-separated */
void csv_write(struct buffer *out, const char *names, const double *data, size_t rows, size_t columns);
/* One line of it. */
void csv_write_row(struct buffer *out, const double *data, size_t columns);

#endif
