/* The samples of a result where there may be more than are kept: every so many is. */
#ifndef SERVER_WORK_THINNED_SERIES_H
#define SERVER_WORK_THINNED_SERIES_H

#include "server/work/work.h"

struct thinned_series {
  struct work *work;
  double rate; /* Hz, of all samples */
  size_t width, stride, position, filled;
  double *rows;
};

/* Begin the series SERIES_SAMPLES, whose rows begin with the time.
 *   columns  in   `width` names, comma-separated
 *   rate     in   Hz, of the samples
 *   samples  in   how many will come; of them not more are kept than a series may have and than leave room on the disk
 *   series   out  close it unless refused
 * OK or EMEMORY. */
enum armdyn_status thinned_series_open(struct thinned_series *series, struct work *work, const char *columns,
                                       size_t width, double rate, double samples);
/* The row of the next sample, its time filled in, the rest to be filled in by the caller before the next call; NULL: it is
 * passed over. */
double *thinned_series_next(struct thinned_series *series);
/* The rest goes on its way. A zeroed one is fine, and one that is closed. */
void thinned_series_close(struct thinned_series *series);
/* Hz, of the rows that are kept. */
double thinned_series_rate(const struct thinned_series *series);

#endif
