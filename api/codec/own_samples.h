/* Samples of a motion that a request brings along, names in a data set, or describes as a reference of verifications. */
#ifndef API_CODEC_OWN_SAMPLES_H
#define API_CODEC_OWN_SAMPLES_H

#include "api/codec/dynamics_request.h"
#include "api/codec/verification.h"

enum { OWN_SAMPLES_ID = 27 }; /* bytes of an id with its end */

struct own_samples {
  struct table t, q;            /* t without data: at the rate */
  double sample_rate;           /* Hz; NAN: at the times */
  char dataset[OWN_SAMPLES_ID]; /* "": they are given */
  double from, to;              /* s, of the data set's clock */
  bool has_reference;           /* they are those of: */
  struct verification_reference reference;
  double start[ARMDYN_JOINTS_MAX]; /* where that is */
  double tolerance;                /* rad, m */
};

/* Release with own_samples_release, after faults too; before the first decoding it is all zero. */
json_decode_function own_samples_decode;
void own_samples_release(struct own_samples *samples);
/* When sample i of those that are given is, s. */
double own_samples_time(const struct own_samples *samples, size_t i);

#endif
