/* Tables of numbers as CSV (RFC 4180): the first line names the columns, each further line is a sample. Streams take forms
 * that are not of that standard, too. */
#ifndef API_CSV_CSV_H
#define API_CSV_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "api/limits.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"

enum { CSV_NAME_SIZE = 64, CSV_COLUMNS_MOST = 256 };

/* The columns that a table may have; they may stand in any order. */
struct csv_columns {
  size_t count;
  struct {
    char name[CSV_NAME_SIZE];
    bool required;
    size_t number; /* from 1, of a column that is known by its place; 0: by its name */
  } items[CSV_COLUMNS_MOST];
};

struct csv_table {
  size_t rows;
  bool present[CSV_COLUMNS_MOST]; /* of the columns asked for */
  double *data;                   /* rows x columns->count, row-major; 0 where a column is absent */
};

/* Read a table. Fields may be quoted and blanks around numbers are fine; lines end in LF or CRLF and have at most
 * LIMIT_CSV_LINE bytes; a UTF-8 byte order mark is skipped. Every number must be finite and within
 * LIMIT_SAMPLE_NUMBER.
 *   columns    in
 *   rows_most  in
 *   out        out  free() its data; nothing to free after a refusal
 *   faults     out  added to: columns that are unknown, missing or there twice by name, cells by row and column
 * OK; ESYNTAX: not CSV; EINPUT: faults; ELIMIT: more rows; EMEMORY. */
enum armdyn_status csv_read(const char *text, size_t length, const struct csv_columns *columns, size_t rows_most,
                            struct csv_table *out, struct faults *faults);

/* -- a table that is never held whole -- */

/* How it is written, where that is not RFC 4180. */
struct csv_form {
  char delimiter, decimal; /* different ones; delimiter ' ': blanks and tabs, however many */
  size_t skip_lines;       /* before the line of names */
  bool nameless;           /* there is none: every line is a sample, and columns are known by their number */
  bool lenient;            /* columns that are not asked for, and empty lines, are passed over */
  bool by_mapping;         /* a mapping could read it otherwise: faults in the line of names say so */
};
extern const struct csv_form csv_standard_form;

/* Each row without faults, of columns->count numbers, 0 where a column is absent. `row` counts all rows from 0. Anything
 * but OK (with a fault of its own) ends the reading. */
typedef enum armdyn_status csv_row(void *context, size_t row, const double *values);

/* The line of names was read, of a nameless form the width of the first sample, without faults: see csv_stream_has.
 * Anything but OK (with a fault) ends the reading. */
struct csv_stream;
typedef enum armdyn_status csv_named(void *context, const struct csv_stream *stream);

/*   columns, form     in   must outlive the stream
 *   named             in   NULL: not wanted
 *   row, context      in
 *   faults            out  added to
 * NULL when out of memory. */
struct csv_stream *csv_stream_new(const struct csv_columns *columns, const struct csv_form *form, csv_named *named,
                                  csv_row *row, void *context, struct faults *faults);
void csv_stream_free(struct csv_stream *stream); /* NULL is fine */
/* The bytes that follow, as many as there are. OK goes on although faults were found, as long as lines are read; ESYNTAX,
 * EINPUT (wrong columns), or what `row` said: the end. */
enum armdyn_status csv_stream_take(struct csv_stream *stream, const char *bytes, size_t length);
/* That was all. OK; ESYNTAX; EINPUT: faults. */
enum armdyn_status csv_stream_finish(struct csv_stream *stream);
/* Once the names were read: which of the columns are there, and at which place of the file (from 0). */
bool csv_stream_has(const struct csv_stream *stream, size_t column, size_t *place);

/* Write rows of numbers, shortest form, lines ending in CRLF, as the line of names before them does, which is the
 * caller's. */
void csv_write_rows(struct buffer *out, const double *data, size_t rows, size_t columns);
/* One of them. */
void csv_write_row(struct buffer *out, const double *data, size_t columns);

#endif
