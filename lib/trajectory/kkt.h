/* Newton's equations of a transcription with a border: few unknowns beside the controls, and few equations on both.
 *   | H   M   A' | | dx     |   | -g  |
 *   | M'  D   E' | | dy     | = | -gy |    H: band, of the free controls; M, A: dense columns
 *   | A   E   0  | | lambda |   | -r  |
 * By blocks, H = U' U factored before:
 *   S = A H^-1 A',  F = E - A H^-1 M,  C = D - M' H^-1 M + F' S^-1 F
 *   v = S^-1 (r - A H^-1 g),  C dy = -gy + M' H^-1 g - F' v,  lambda = v + S^-1 F dy,  dx = -H^-1 (g + M dy + A' lambda)
 * Source: Golub & Van Loan, Matrix Computations, 3.2 and 4.3; Nocedal & Wright, 16.2. */
#ifndef LIB_TRAJECTORY_KKT_H
#define LIB_TRAJECTORY_KKT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/carve.h"

struct kkt_span {
  size_t begin, end;
};

struct kkt {
  size_t order, width; /* of the band */
  size_t first, count; /* the free elements of all `order` */
  size_t unknowns, equations;
  double *factor;                 /* order x width: U with H = U' U */
  double *mixed;                  /* M', unknowns x order */
  double *equal;                  /* A, equations x order */
  double *corner;                 /* D, unknowns x unknowns */
  double *across;                 /* E, equations x unknowns */
  double *solved;                 /* H^-1 of mixed and equal */
  double *inner, *outer, *weight; /* A H^-1 A' factored, the Schur complement of D, F = E - A H^-1 M */
  double *beside, *level;         /* lambda at dy = 0; scratch */
  struct kkt_span *spans;         /* equations: where A is not 0 */
  double *sides;                  /* scratch of the band */
};

void kkt_carve(struct kkt *k, struct carve *c);
/* After H is factored: reduce the border. The Schur complement of D gets what it lacks to be positive definite. */
bool kkt_reduce(struct kkt *k);
/*   x       in/out  order: -g, then dx
 *   y       in/out  unknowns: -gy, then dy
 *   miss    in      equations: r
 *   lambda  out     equations */
void kkt_solve(struct kkt *k, double *x, double *y, const double *miss, double *lambda);

#endif
