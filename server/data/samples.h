/* Samples of a stored result as a stream: JSON, .npy or CSV, at the stored rate or (of a trajectory) another one, in
 * bounded memory. */
#ifndef SERVER_DATA_SAMPLES_H
#define SERVER_DATA_SAMPLES_H

#include "api/codec/media.h"
#include "api/dataset/layout.h"
#include "api/json/fields.h"
#include "server/data/stored_trajectory.h"
#include "server/data/tool_motion.h"
#include "server/robots/cache.h"

/* What a row of the series consists of; the first field is the time. */
struct sample_field {
  const char *name;
  size_t width; /* columns, or PER_JOINT (api/json/fields.h) */
};
struct series_form {
  const struct sample_field *fields;
  size_t field_count; /* at most SAMPLE_FIELDS */
  size_t named_count; /* the last so many are answered only where they are named */
  bool polynomial;    /* a trajectory's: sampled at other rates, too */
  bool computes_tool; /* begins with t, q, qd, qdd; the TOOL_FIELDS at its end are not kept but computed */
  const struct series_form *former; /* of series from before its last fields were kept; NULL: all have them */
};
enum { SAMPLE_FIELDS = 11, SAMPLE_WIDTH = 1 + 5 * ARMDYN_JOINTS_MAX + TOOL_COLUMNS }; /* the widest: a trajectory's */

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
 * OK, ENOTFOUND, EINPUT (pointer is the name of the query parameter), ELIMIT (more numbers than an answer of .npy may
 * have), EIO, EMEMORY. */
enum armdyn_status samples_open(struct store *store, struct robots *robots, const struct series_form *form,
                                const struct store_result *result, const struct samples_query *query,
                                struct samples **samples, struct armdyn_error *error);
/* The same of a data set: rows [first, end) as they were logged, or (resampling not NULL, which it takes) of an even clock.
 *   layout  in   of the data set; query.fields are those of dataset_series_form
 *   query   in   media and fields; rate, from and to do not count */
struct resampling;
enum armdyn_status samples_open_log(struct store *store, const char *id, const struct dataset_layout *layout,
                                    const struct samples_query *query, size_t first, size_t end,
                                    struct resampling *resampling, struct samples **samples);
/* The fields of a layout. */
void dataset_series_form(const struct dataset_layout *layout, struct sample_field fields[SAMPLE_FIELDS],
                         struct series_form *form);
/* Where the fields are in a row of a series of this width, which tells the number of joints: the first column of each, and
 * the end; what is computed follows the series' own columns. false: no row of this form has that width. */
bool samples_places(const struct series_form *form, size_t width, size_t begin[SAMPLE_FIELDS + 1], size_t *joints);
/* The names of the columns of .npy and CSV, comma-separated. */
const char *samples_columns(const struct samples *samples);
/* Bytes of memory that it takes until it is freed. */
size_t samples_memory(const struct samples *samples);
/* See answer_stream: fills `to`, answers how many bytes; 0 at the end, < 0 when the store fails. Long series are read
 * piece by piece here, each piece well below a millisecond. */
long samples_next(void *samples, char *to, size_t size);
void samples_free(void *samples);

#endif
