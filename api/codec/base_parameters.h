/* The request for base parameters, and its answer. */
#ifndef API_CODEC_BASE_PARAMETERS_H
#define API_CODEC_BASE_PARAMETERS_H

#include "api/codec/parts.h"
#include "armdyn/regressor.h"

struct base_parameters_request {
  struct overrides overrides; /* first */
  bool rotor_inertia, friction;
};

/* OK, ESYNTAX (400), EINPUT (422), EMEMORY. Nothing to release. */
enum armdyn_status base_parameters_decode(const char *body, size_t length, struct base_parameters_request *out,
                                          struct faults *faults);

/* Failures stick to `out`. */
void base_parameters_encode(struct buffer *out, const struct armdyn_base_parameters *base, long long revision);

#endif
