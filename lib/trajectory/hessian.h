/* Second derivatives of a transcription: a band over the controls with a border for log T.
 *   | H       mixed  |    H: the upper half of every row from its diagonal on, 4 n wide: points take the controls of one interval
 *   | mixed'  corner |    mixed, corner: only where the duration is free */
#ifndef LIB_TRAJECTORY_HESSIAN_H
#define LIB_TRAJECTORY_HESSIAN_H

#include "lib/trajectory/transcription.h"

/* Second derivatives with log T: by every control, and by itself. */
struct duration_bend {
  double *mixed, corner;
};

/* Where those of one interval are added up. */
struct block {
  size_t width;
  double *H, *mixed, *corner; /* mixed NULL: a given duration */
};
struct block block_at(const struct transcription *t, size_t interval, double *H, struct duration_bend *bend);

/* += weight r r' of a row r = (row, by_duration) that may have any of the 4 n columns */
void square_add(const struct block *block, double weight, const double *row, double by_duration);
/* The same of several rows of 4 n columns, one after the other, with weights and by_durations of their own */
void squares_add(const struct block *block, size_t count, const double *weight, const double *rows,
                 const double *by_duration);
/* += sum_i weight_i r_i r_i' of the rows r_i of the torques' Jacobian J, n x 4 n, of a point.
 *   by_duration  in  n; NULL: a given duration */
void torque_squares_add(const struct transcription *t, size_t p, const struct block *block, const double *weight,
                        const double *J, const double *by_duration);

#endif
