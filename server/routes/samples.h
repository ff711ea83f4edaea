/* Samples of a stored result as a stream: JSON, .npy or CSV, at the stored rate or (of a trajectory) another one, in
 * bounded memory. */
#ifndef SERVER_ROUTES_SAMPLES_H
#define SERVER_ROUTES_SAMPLES_H

#include "api/codec/media.h"
#include "api/json/fields.h"
#include "server/jobs/stored_trajectory.h"
#include "server/robots/cache.h"

/* What a row of the series consists of; the first field is the time. */
struct sample_field {
  const char *name;
  size_t width; /* columns, or PER_JOINT (api/json/fields.h) */
};
struct samples_form {
  const struct sample_field *fields;
  size_t field_count; /* at most SAMPLE_FIELDS */
  bool polynomial;    /* a trajectory's, that can be sampled at other rates */
};
enum { SAMPLE_FIELDS = 8, SAMPLE_WIDTH = 1 + 5 * ARMDYN_JOINTS_MAX }; /* the widest row: a trajectory's */

struct samples_query {
  enum media media;
  double rate;     /* Hz; NAN = as stored; other rates only of a polynomial */
  double from, to; /* s: rows with from <= t <= to */
  unsigned fields; /* bit mask of 1 << index of the form's fields */
};

struct samples;

/* Everything that can fail or takes time is done here; reads the store.
 *   form       in   of the series; static
 *   result     in
 *   robots     in   must outlive the stream
 *   samples    out  release with samples_free
 *   error      out
 * OK, ENOTFOUND, EINPUT (pointer is the name of the query parameter), EIO, EMEMORY. */
enum armdyn_status samples_open(struct store *store, struct robots *robots, const struct samples_form *form,
                                const struct store_result *result, const struct samples_query *query,
                                struct samples **samples, struct armdyn_error *error);
/* The names of the columns of .npy and CSV, comma-separated. */
const char *samples_columns(const struct samples *samples);
/* Bytes of memory that it takes until it is freed. */
size_t samples_memory(const struct samples *samples);
/* See answer_stream: fills `to`, answers how many bytes; 0 at the end, < 0 when the store fails. Long series are read
 * piece by piece here, each piece well below a millisecond. */
long samples_next(void *samples, char *to, size_t size);
void samples_free(void *samples);

#endif
