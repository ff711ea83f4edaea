/* Arrays in NumPy's .npy format: read versions 1.0, 2.0 and 3.0, written in 1.0.
 * Format: numpy.lib.format, "Format Version 1.0/2.0/3.0". */
#ifndef API_NPY_NPY_H
#define API_NPY_NPY_H

#include <stdbool.h>
#include <stddef.h>

#include "api/wire/buffer.h"
#include "api/wire/faults.h"

/* A table of doubles, row-major, `columns` apart. */
struct npy_table {
  size_t rows, columns;
  const double *data; /* points into the file when that is possible (C order, <f8, aligned), else into `memory` */
  double *memory;     /* free() it; NULL when data points into the file */
};

/* Read a two-dimensional array of <f8 or <f4, in C or Fortran order.
 *   bytes, length  in   the whole file; must outlive the table
 *   rows_most      in
 *   out            out
 *   faults         out  added to; places are the whole document
 * OK; ESYNTAX: no .npy or cut off; EINPUT: another type or number of dimensions; ELIMIT: more rows; EMEMORY.
 * Whether the numbers are finite is for the caller to see. */
enum armdyn_status npy_read(const char *bytes, size_t length, size_t rows_most, struct npy_table *out,
                            struct faults *faults);
void npy_release(struct npy_table *table);

/* -- a table that is never held whole: its header -- */
struct npy_header {
  size_t rows, columns;
  size_t item;  /* bytes of a number: 8 or 4 */
  bool fortran; /* column by column */
  size_t data;  /* bytes before the first number */
};
/* How many bytes one must have for npy_read_header, as far as `length` bytes tell: enough when it is at most that. */
size_t npy_header_size(const char *bytes, size_t length);
/* As npy_read refuses, but for the length of the data. */
enum armdyn_status npy_read_header(const char *bytes, size_t length, struct npy_header *header, struct faults *faults);
/* The number at a place of the data. */
double npy_number(const char *data, size_t item, size_t index);

/* Write a whole file: version 1.0, <f8, C order.
 *   shape, dimensions  in   e.g. {N, n, n}, 3; dimensions 0 is a single number
 *   data               in   product of shape */
void npy_write(struct buffer *out, const double *data, const size_t *shape, size_t dimensions);
/* The header of such a file alone, e.g. before data that is streamed. */
void npy_write_header(struct buffer *out, const size_t *shape, size_t dimensions);

#endif
