/* Samples of a stored trajectory as a stream: JSON, .npy or CSV, at the stored rate or another one, in bounded memory. */
#ifndef SERVER_ROUTES_SAMPLES_H
#define SERVER_ROUTES_SAMPLES_H

#include "api/codec/media.h"
#include "server/jobs/stored_trajectory.h"
#include "server/robots/cache.h"

enum { SAMPLE_FIELDS = 6 };
extern const char *const sample_field_names[SAMPLE_FIELDS]; /* t, q, qd, qdd, tau, power */

struct samples_query {
  enum media media;
  double rate;     /* Hz; NAN = as stored */
  double from, to; /* s: rows with from <= t <= to */
  unsigned fields; /* bit mask of 1 << index of sample_field_names */
};

struct samples;

/* Everything that can fail or takes time is done here; reads the store.
 *   result     in
 *   robots     in   must outlive the stream
 *   samples    out  release with samples_free
 *   error      out
 * OK, ENOTFOUND, EINPUT (pointer is the name of the query parameter), EIO, EMEMORY. */
enum armdyn_status samples_open(struct store *store, struct robots *robots, const struct store_result *result,
                                const struct samples_query *query, struct samples **samples,
                                struct armdyn_error *error);
/* The names of the columns of .npy and CSV, comma-separated. */
const char *samples_columns(const struct samples *samples);
/* Bytes of memory that it takes until it is freed. */
size_t samples_memory(const struct samples *samples);
/* See answer_stream: fills `to`, answers how many bytes; 0 at the end, < 0 when the store fails. Long series are read
 * piece by piece here, each piece well below a millisecond. */
long samples_next(void *samples, char *to, size_t size);
void samples_free(void *samples);

#endif
