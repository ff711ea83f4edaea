/* A log while it is read, whatever its format: its columns, and its rows to SI and to blocks of a data set. */
#ifndef API_DATASET_LOG_ROWS_H
#define API_DATASET_LOG_ROWS_H

#include "api/dataset/source.h"

enum { BLOCK_ROWS = 512, SOURCES_MOST = 1 + (MAPPING_FIELDS - 1) * ARMDYN_JOINTS_MAX };

/* A column that a log may have, and what its numbers become. */
struct source_column {
  enum mapping_field field;
  size_t joint; /* from 0 */
  bool present;
  size_t place; /* in the file */
  double scale, offset, times, over;
  bool at_motor; /* of the gears */
};

/* To add a format: its functions in a file of its own, and a row in reader.c. */
struct dataset_reader;
struct log_format {
  enum media media;
  enum armdyn_status (*begin)(struct dataset_reader *r);
  enum armdyn_status (*take)(struct dataset_reader *r, const char *bytes, size_t length);
  enum armdyn_status (*finish)(struct dataset_reader *r);
  void (*release)(struct dataset_reader *r);
};
extern const struct log_format log_csv, log_npy, log_json;

struct dataset_reader {
  struct dataset_source source;
  const struct log_format *format;
  void *own; /* the format's */
  dataset_rows *rows;
  void *context;
  struct faults *faults;
  size_t faults_before;
  enum armdyn_status status; /* sticks */

  size_t joints, column_count;
  struct source_column columns[SOURCES_MOST];

  bool resolved; /* which columns are there is known, and so is the layout */
  struct dataset_layout layout;
  bool from_current;
  bool at_motor[DATASET_FIELDS];          /* motor j stands where joint j will */
  double *joints_of_motors;               /* n x n; NULL: no position, velocity or acceleration is at the motors */
  size_t from[1 + 4 * ARMDYN_JOINTS_MAX]; /* the source column of each column of the layout */

  size_t row_count, good_rows;
  double last_time;
  size_t block_count;
  double *block; /* BLOCK_ROWS rows, once resolved */

  bool preview, previewed;
  size_t preview_rows;
  double *preview_read; /* of the source columns */
};

/* The standard columns, or those of the mapping. */
enum armdyn_status reader_columns(struct dataset_reader *r);
/* `present` and `place` of the columns are set: find the layout. EINPUT: faults; EMEMORY. */
enum armdyn_status reader_resolve(struct dataset_reader *r);
/* What is left of a block. */
enum armdyn_status reader_flush(struct dataset_reader *r);
/* One row of the log: as many numbers as there are source columns. What is wrong with it is a fault of row `row`. */
enum armdyn_status reader_row(struct dataset_reader *r, size_t row, const double *values);
/* A fault of the whole log; answers EINPUT. */
enum armdyn_status reader_refuse(struct dataset_reader *r, enum fault_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
