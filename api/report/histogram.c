#include "api/report/histogram.h"

#include <math.h>

enum { BINS_LEAST = 5, BINS_WANTED = 60 };

size_t histogram_bins(size_t count)
{
  double wanted = ceil(2 * cbrt((double)count));
  return wanted < BINS_LEAST ? BINS_LEAST : wanted > BINS_WANTED ? BINS_WANTED : (size_t)wanted;
}

void histogram_count(struct histogram *histogram, size_t bins, const double *values, size_t count, size_t step,
                     double (*position)(const void *context, double value), const void *context)
{
  *histogram = (struct histogram){ .bins = bins };
  for (size_t i = 0; i < count; i++) {
    double part = position(context, values[i * step]);
    if (!(part >= 0 && part <= 1)) continue;
    size_t bin = (size_t)(part * (double)bins);
    if (bin == bins) bin--; /* the upper end belongs to the last class */
    histogram->counts[bin]++;
    histogram->most = fmax(histogram->most, histogram->counts[bin]);
  }
}
