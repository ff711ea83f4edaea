/* How sure errors of predictions are, and their differences between models: a moving-block bootstrap. */
#ifndef ARMDYN_BOOTSTRAP_H
#define ARMDYN_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armdyn/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one model leaves of one log, kept as sums over cells: pieces of the log of equal length, one sample at first; whenever
 * there are ARMDYN_CELLS_MOST, two become one, so that a log of any length fits. */
enum { ARMDYN_CELLS_MOST = 2048 };
struct armdyn_error_cells;
/* columns: how many torques a sample has, at most ARMDYN_JOINTS_MAX. OK or EMEMORY. */
enum armdyn_status armdyn_error_cells_new(size_t columns, struct armdyn_error_cells **out);
void armdyn_error_cells_free(struct armdyn_error_cells *cells); /* NULL is fine */
/* The next sample.
 *   measured, predicted  in  columns
 * Cannot fail. */
void armdyn_error_cells_add(struct armdyn_error_cells *cells, const double *measured, const double *predicted);

/* How a log is cut, in samples. */
struct armdyn_blocks {
  size_t step;        /* blocks begin at multiples of it: a cell */
  size_t samples;     /* in whole cells */
  size_t length;      /* of a block, whole steps */
  double correlation; /* of the residuals: the longest time in which one of them falls to 1/e */
  bool limited;       /* the log wants longer ones, but has less than LEAST of them, or others were asked for */
};
enum { ARMDYN_BLOCKS_LEAST = 10, ARMDYN_BLOCKS_MOST = 200 };

/* The length of blocks for all models on a log together: the longest that Politis and White's rule wants for the error of one
 * of them, of any column or of all together, at least twice the correlation of the residuals, so that there are LEAST to
 * MOST of them.
 *   cells   in   count, of the same log
 *   length  in   samples, of those that were asked for; 0: choose
 *   out     out
 * OK; EINPUT: the log has not LEAST blocks of that length, or not 4 LEAST samples; EMEMORY.
 * Source: Politis & White 2004, Patton, Politis & White 2009. */
enum armdyn_status armdyn_blocks_choose(const struct armdyn_error_cells *const *cells, size_t count, size_t length,
                                        struct armdyn_blocks *out);

/* Where an error or a difference of two lies; NAN: not known. */
struct armdyn_interval {
  double low, high;
};
struct armdyn_bootstrap {
  struct armdyn_blocks blocks;
  size_t resamples; /* at least 2 */
  double level;     /* 0 .. 1 */
  uint64_t seed;
};
/* Intervals of the relative errors |e| / |tau| of models on one log, and of what each is above that of one of them. Every
 * resample is as long as the log, of blocks that are drawn for all models and columns alike, and that go on at the beginning
 * where they pass the end; the interval lies between percentiles, which are expanded for the number of blocks.
 *   cells        in   models, of the same log
 *   reference    in   index of the model that others are compared with
 *   errors       out  models x (columns + 1), the last of all columns together
 *   differences  out  the same
 * OK or EMEMORY. Source: Kuensch 1989, Politis & Romano 1992 (blocks); Hesterberg 2015 (expanded percentiles). */
enum armdyn_status armdyn_bootstrap(const struct armdyn_bootstrap *bootstrap,
                                    const struct armdyn_error_cells *const *cells, size_t models, size_t reference,
                                    struct armdyn_interval *errors, struct armdyn_interval *differences);

#ifdef __cplusplus
}
#endif
#endif
