/* The samples of a data set on an even clock, in bounded memory: by the cubic through the four nearest ones. */
#ifndef SERVER_DATA_RESAMPLING_H
#define SERVER_DATA_RESAMPLING_H

#include "server/store/store.h"

struct resampling;

/* Samples at from + k / rate, for k = 0, 1, .. as long as that is not after `to`; both lie within the log.
 * OK; EINPUT: the log has fewer than 4 samples; ELIMIT: more than LIMIT_DATASET_ROWS; ENOTFOUND, EIO, EMEMORY. */
enum armdyn_status resampling_new(struct store *store, const char *id, double rate, double from, double to,
                                  struct resampling **resampling);
void resampling_free(struct resampling *resampling); /* NULL is fine */
size_t resampling_count(const struct resampling *resampling);
/* Samples from `first` on: at least one, at most `most`, as many as can be had at once. */
enum armdyn_status resampling_read(struct resampling *resampling, size_t first, size_t most, double *rows,
                                   size_t *count);

#endif
