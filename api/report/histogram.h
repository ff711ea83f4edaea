/* How often values fall into classes of the same width. */
#ifndef API_REPORT_HISTOGRAM_H
#define API_REPORT_HISTOGRAM_H

#include <stddef.h>

enum { HISTOGRAM_BINS = 200 };

struct histogram {
  size_t bins;
  double most; /* the largest count */
  double counts[HISTOGRAM_BINS];
};

/* How many classes so many values want: twice the cube root of their number (Rice's rule), 5 to 60. */
size_t histogram_bins(size_t count);

/* Count values[i * step] within [from, to], in classes between them; others are left out.
 *   position  in  of a value between the ends, 0..1: linear or logarithmic
 *   bins      in  1 to HISTOGRAM_BINS */
void histogram_count(struct histogram *histogram, size_t bins, const double *values, size_t count, size_t step,
                     double (*position)(const void *context, double value), const void *context);

#endif
