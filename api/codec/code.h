/* The request for programs of an arm, and its answer. */
#ifndef API_CODEC_CODE_H
#define API_CODEC_CODE_H

#include "api/codec/parts.h"
#include "armdyn/code.h"

enum code_precision { CODE_FLOAT64, CODE_FLOAT32 };

struct code_request {
  struct overrides overrides; /* first */
  size_t function_count;
  enum armdyn_code_function functions[ARMDYN_CODE_FUNCTIONS]; /* each once, in the order of the request */
  enum armdyn_code_language language;
  enum armdyn_code_dialect dialect;
  enum code_precision precision;
  enum armdyn_code_parameters parameters;
  unsigned terms;
  size_t bound_count; /* 0: none is given; 1: for all joints */
  double error_bound[ARMDYN_CODE_JOINTS_MAX];
  char trajectory[27]; /* the motion that it holds along; "": the limits */
};

/* joints: of the robot; 0: not known yet. OK, ESYNTAX (400), EINPUT (422), EMEMORY. Nothing to release. */
enum armdyn_status code_request_decode(const char *body, size_t length, size_t joints, struct code_request *out,
                                       struct faults *faults);

/* What the library is asked for, for one of the functions.
 *   title   in   of the robot and its revision
 *   motion  in   request->trajectory, NULL: there is none */
void code_request_of(const struct code_request *request, size_t function, const char *title,
                     const struct armdyn_trajectory *motion, struct armdyn_code_request *out);

/* A list of the programs, proven already: what the answer and the store say of them.
 *   proofs  in   one for each
 * OK, or EMEMORY. */
enum armdyn_status code_programs_encode(struct buffer *out, const struct code_request *request,
                                        struct armdyn_code *const *codes, const struct armdyn_code_proof *proofs);
/* The answer, with their texts.
 *   programs  in   what code_programs_encode made
 * OK, or EMEMORY. */
enum armdyn_status code_encode(struct buffer *out, const struct code_request *request, struct armdyn_code *const *codes,
                               const struct buffer *programs, long long revision);

#endif
