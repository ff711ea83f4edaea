/* A request on samples while it is decoded, and the rows of its field tables. */
#ifndef API_CODEC_DYNAMICS_REQUEST_H
#define API_CODEC_DYNAMICS_REQUEST_H

#include "api/codec/parts.h"
#include "api/json/fields.h"

enum { TABLE_Q, TABLE_QD, TABLE_QDD, TABLE_TAU, TABLE_WRENCH, TABLES }; /* each may have its memory */
enum { WRENCH = 6 };

/* The rows of one field. */
struct table {
  const double *data;
  double *memory; /* what data points into; NULL when that is not ours */
  size_t rows, stride;
  bool single; /* was one row, not a list of rows */
};

/* Any request, before it is checked as a whole. */
struct request {
  struct overrides overrides; /* first */
  struct table tables[TABLES];
  int wrench_frame, frame, method, constraint;
  double normal[3];
  bool friction, decompose, joint_wrenches, poses;
  double tolerance;
};

/* One row or a list of rows, straight into an array that grows. context->user: rows that other fields had (size_t). */
json_decode_function samples_table_decode;
/* One number a sample: times. */
json_decode_function samples_times_decode;

#endif
