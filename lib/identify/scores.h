/* How scores vary together: what covariances of estimates are made of when residuals are correlated in time and between joints,
 * and larger at some places than at others.
 *   score    s_k = sum_i w_i^2 x_ik e_ik of sample k: row x and residual e of joint i, less their mean, which is 0 but for what
 *            a prior or a bound pulls
 *   meat     M = sum_k sum_l (1 - |l| / L)+ s_k s_(k-l)', which is that of Newey & West 1987, of panels of samples:
 *            sums of P panels that follow on each other, T'T of all such sums / sqrt(P); a last column counts their samples,
 *            by which the mean is taken off when it is known
 *   window   L = 1.1447 (alpha N)^(1/3), alpha = 4 rho^2 / ((1 - rho)^2 (1 + rho)^2), rho the correlation of neighbours
 * Sources: Newey & West 1987, A simple, positive semi-definite, heteroskedasticity and autocorrelation consistent covariance
 * matrix; Andrews 1991, (6.2) and (6.4), for the window; Greene, Econometric Analysis, 20.5. */
#ifndef LIB_IDENTIFY_SCORES_H
#define LIB_IDENTIFY_SCORES_H

#include "lib/identify/training.h"

enum { PANELS = 4 }; /* of a window */

struct scores {
  size_t b, panel, filled; /* of a score; samples of a panel; in the last one so far */
  size_t pending;          /* rows not yet in T */
  size_t last;             /* panel that is filled now */
  double *sums;            /* PANELS x (b + 1), a ring: of the scores, samples */
  double *total;           /* b + 1 */
  double *T;               /* (b + 1) x (b + 1); b x b when it has ended */
  double *rows, *scratch;  /* ROWS x (b + 1), 2 (b + 1) */
};

/* So many samples that are correlated enough to count as one, window of a sum. */
size_t scores_window(double samples, double correlation);
bool scores_open(size_t b, size_t window, struct scores *scores);
void scores_close(struct scores *scores);

/* The score of the next sample. */
void scores_add(struct scores *scores, const double *score);
/* No more come. T: b x b triangle, M = T'T. */
void scores_end(struct scores *scores);

/* Those of beta, with the weights of the training; residuals beyond what it clips count as that much. If the training has
 * instruments, they are the factors of the residuals instead of the columns.
 *   correlation  in   n, samples that count as one
 *   scores       out  release with scores_close
 * OK, EMEMORY or ECANCELLED, then there is nothing to release. */
enum armdyn_status scores_of(struct training *training, const double *beta, const double *correlation,
                             struct scores *scores, struct armdyn_error *error);

#endif
