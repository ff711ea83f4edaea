/* When a motion passes its points. */
#ifndef LIB_TRAJECTORY_TIMES_H
#define LIB_TRAJECTORY_TIMES_H

#include <stddef.h>

/* Given times are kept (NAN = free; the first and the last are given); free ones between two given ones divide the time
 * in proportion to the weights of their segments, evenly where all weights are zero.
 *   given    in   count
 *   weights  in   count - 1, >= 0
 *   times    out  count */
void times_distribute(size_t count, const double *given, const double *weights, double *times);

/* Weight of a segment that nothing better is known about: the square root of its length (centripetal; Lee 1989), which
 * is also how the time of a motion from rest to rest grows with its length at a given acceleration. */
double times_centripetal(size_t joints, const double *from, const double *to);

#endif
