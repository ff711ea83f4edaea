/* Requests and answers of the synchronous calls on samples, in JSON, .npy and CSV. */
#ifndef API_CODEC_DYNAMICS_H
#define API_CODEC_DYNAMICS_H

#include "api/codec/media.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/dynamics.h"

/* A table of numbers that lives elsewhere: row r of an n-wide field starts at data + r * stride. data NULL = absent. */
struct rows {
  const double *data;
  size_t stride; /* 0: one row serves every sample */
};

enum { SAMPLES_MEMORIES = 4 };

/* What a call on samples was asked. Owned: samples_request_release. */
struct samples_request {
  size_t count;                   /* samples */
  bool single;                    /* one sample, not a batch of one: the answer has the same shape */
  struct rows q, qd, qdd, wrench; /* SI; wrench in library order [moment; force], converted from the wire's [f; m] */
  enum armdyn_wrench_frame wrench_frame;
  bool friction, decompose;
  bool overridden; /* payload, gravity or tool were given: `robot` is the stored model with them put in */
  struct armdyn_robot_description *robot; /* NULL unless overridden */
  double *memory[SAMPLES_MEMORIES];       /* what rows point into, unless they point into the body itself */
};

/* The synchronous calls. To add a call: a field table and a row of `calls` in dynamics.c. */
enum samples_call { CALL_INVERSE_DYNAMICS, CALL_FORWARD_KINEMATICS, SAMPLES_CALL_COUNT };

/* A query option of a call on .npy or CSV bodies (JSON bodies carry options inside): name -> value, NULL = absent. */
typedef const char *query_lookup(const void *context, const char *name);

/* Decode a request.
 *   call, media     in
 *   robot           in   the stored model: number of joints, and the base of overrides
 *   body, length    in   must outlive the request (.npy rows may point into it)
 *   query, context  in   options for .npy and CSV; NULL: none
 *   out, faults     out
 * Columns of .npy: the fields in the order of the table, e.g. q, qd, qdd, then the wrench if wished. Columns of CSV:
 * q1..qn, qd1.., qdd1.., and fx, fy, fz, mx, my, mz if wished, in any order.
 * OK, ESYNTAX (400), EINPUT/EUNPHYSICAL (422), ELIMIT (413), EMEMORY. */
enum armdyn_status samples_request_decode(enum samples_call call, enum media media,
                                          const struct armdyn_robot_description *robot, const char *body, size_t length,
                                          query_lookup *query, const void *context, struct samples_request *out,
                                          struct faults *faults);
void samples_request_release(struct samples_request *request);

/* One output of a call: so many numbers a sample, e.g. {"tau", {6}} or {"tool", {4, 4}}. */
struct samples_field {
  const char *name;
  size_t shape[3];    /* of one sample; 0 ends it: {6} vector, {4, 4} matrix, {6, 4, 4} list of matrices */
  const double *data; /* count x product of shape */
};

/* Encode an answer: JSON carries every field; .npy and CSV the one chosen (its index in `chosen`).
 *   single  in  as in the request
 * The columns' names go into `columns` (comma-separated, for the Columns: header) when it is not NULL: tau1,tau2 of a
 * vector, tool_1_1,tool_1_2 of a matrix. */
void samples_answer_encode(enum media media, const struct samples_field *fields, size_t field_count, size_t chosen,
                           size_t count, bool single, struct buffer *out, struct buffer *columns);

#endif
