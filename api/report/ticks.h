/* Where the marks of an axis stand and what they say. */
#ifndef API_REPORT_TICKS_H
#define API_REPORT_TICKS_H

#include <stdbool.h>
#include <stddef.h>

enum { TICKS_MAX = 16, TICK_LABEL = 64 };

struct ticks {
  size_t count; /* at least 2 where the range is not empty */
  double at[TICKS_MAX];
  char label[TICKS_MAX][TICK_LABEL];
};

/* Multiples of 1, 2 or 5 times a power of ten within [from, to], about as many as asked; their labels have as many
 * digits as tell them apart.
 *   from, to  in  finite, from < to
 *   about     in  2 to 12 */
void ticks_linear(double from, double to, size_t about, struct ticks *ticks);

/* Powers of ten within [from, to], with 2 and 5 between where there are few; linear ones within less than a decade.
 *   from, to  in  finite, 0 < from < to */
void ticks_logarithmic(double from, double to, size_t about, struct ticks *ticks);

/* The step of about so many linear ticks: 1, 2 or 5 times a power of ten. */
double ticks_step(double from, double to, size_t about);

#endif
