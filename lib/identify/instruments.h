/* Least squares by instruments, in two stages, of all joints together.
 *   columns      X of the measured path, instruments Z (the same columns of another path), torques y; rows of joint i times w_i
 *   moments      Z'(y - X beta) = 0: as many as there are parameters, so beta = (Z'X)^-1 Z'y
 *   kept         of each joint the triangle of [Z X y]; stacked that is [Rzz Rzx rzy; 0 ..], and
 *                |Zu'(y - X beta)|^2 = |Rzx beta - rzy|^2 with Zu the orthonormal Z Rzz^-1: least squares, whose minimum with
 *                signs of friction is that of the two stages
 *   covariance   of scores P'z_k w^2 e_k, P = Rzz^-1 Rzx, e_k = y_k - x_k beta: A^-1 M A^-1 with A = Rzx'Rzx
 * Errors of the positions that are no part of Z bias nothing, whatever they do to X and, through the gains of a loop, to y.
 * Sources: Janot, Vandanjon & Gautier 2014, A generic instrumental variable approach for industrial robot identification;
 * Wooldridge, Econometric Analysis of Cross Section and Panel Data, 5.2. */
#ifndef LIB_IDENTIFY_INSTRUMENTS_H
#define LIB_IDENTIFY_INSTRUMENTS_H

#include "lib/identify/unknowns.h"

struct instruments;

/* Reads everything once.
 *   source       in   the training data
 *   instruments  in   the same samples, with positions that came another way; its torques are not looked at
 *   out          out  release with instruments_free
 * OK, EINPUT (sources that differ in their samples), the refusals of either, or EMEMORY. */
enum armdyn_status instruments_new(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                   const struct armdyn_source *instruments, struct instruments **out,
                                   struct armdyn_error *error);
void instruments_free(struct instruments *instruments); /* NULL is fine */
const struct armdyn_source *instruments_source(const struct instruments *instruments);

/* R <- the triangle of [Rzx rzy], weighted. It does not have its rank where instruments do not tell parameters apart.
 *   weight  in   n
 *   R       out  (b + 1)^2 */
void instruments_stack(struct instruments *instruments, const double *weight, double *R);

/* T, of sums of w^2 z e, becomes that of the scores of what was stacked last, T <- the triangle of T P (b x b). Needs full
 * rank. */
void instruments_project(struct instruments *instruments, double *T);

#endif
