/* A primal-dual interior point for transcriptions. Every bound is elastic, room = s - p with s, p > 0 and a price rho on p,
 * so any controls are a start and an infeasible problem ends with the p that are left. */
#ifndef LIB_TRAJECTORY_INTERIOR_POINT_H
#define LIB_TRAJECTORY_INTERIOR_POINT_H

#include "lib/trajectory/kkt.h"
#include "lib/trajectory/lagrangian.h"
#include "lib/trajectory/passages.h"

/* One for every bound at every knot, then one for every gap of the passages. */
struct elastic_rows {
  size_t count;
  unsigned char *on; /* does it limit anything? */
  double *room, *change;
  double *s, *p, *z, *y, *ds, *dp, *dz, *weight, *pull;
  double yields; /* 0: a room that bends away is paid for (elastic.c) */
  double *lag;   /* room - (s - p), of a warm start; whole steps take it away */
};

struct interior_point {
  struct transcription *problem;
  struct passages *passages;
  enum armdyn_go (*go)(void *context); /* asked at every iteration; NULL = always on */
  void *context;
  int iterations_max;
  double price;                            /* rho, in units of cost for a whole limit at one knot */
  double mu;                               /* where the barrier starts */
  double unit;                             /* cost that counts as 1; 0: that of the start, which is then put here */
  bool curved;                             /* in/out: with the true curvature */
  bool rough;                              /* only a start for another solution */
  bool yielding;                           /* rows yield what their rooms bend; with kinks in the cost they always do */
  bool warm;                               /* rows.z holds multipliers to start from, for this unit */
  double *controls;                        /* in/out, as are problem's duration and the passages' fractions */
  double *trial, *step, *gradient, *H, *S; /* controls, or bands of them */
  double *unknowns, *unknowns_trial, *unknowns_step, *unknowns_gradient;
  double *miss, *miss_left, *lambda, *lambda_new, *gap_row;
  double *second, *unknowns_second;   /* what a step is corrected by */
  double *H_mixed, *S_mixed, *corner; /* of the unknowns */
  struct kkt kkt;
  struct elastic_rows rows;
  struct armdyn_iteration *log; /* NULL = not wanted; log_count entries are filled */
  size_t log_max, log_count;
};

enum interior_point_end { END_OPTIMAL, END_STALLED, END_FINISHED, END_CANCELLED };

struct interior_point_result {
  enum interior_point_end end;
  int iterations;
  double cost, residual, violation; /* dual residual, relative; the largest p, or miss of a passage */
};

void interior_point_carve(struct interior_point *ip, struct carve *c);
void interior_point_solve(struct interior_point *ip, struct interior_point_result *out);

/* Solve where the controls are next to a solution: rows at their limits are held there as equations (active_set.c), with
 * the multipliers that rows.z holds if `warm`. END_STALLED: it does not lead there, and the controls are what they were. */
void active_set_solve(struct interior_point *ip, struct interior_point_result *out);

/* An entry of the log, where one is kept. */
void interior_point_note(struct interior_point *ip, struct armdyn_iteration iteration);

/* How small what is left must be, relative to the cost but for the residual; and the misses of passages, rad (m). */
struct tolerance {
  double residual, decrease, gap;
};
const struct tolerance *interior_point_tolerance(const struct interior_point *ip);
#define MISS_MOST 1e-9

/* -- Newton's equations (newton_step.c) -- */

size_t newton_knot_rows(const struct interior_point *ip);
/* The cost where the iteration begins, in units; sets which rows limit anything, the unknowns of the passages and the unit.
 * The cost of the problem is in units until the end. */
double newton_begin(struct interior_point *ip);
void newton_end(struct interior_point *ip);
/* Cost, rooms and misses of controls with the duration and passages that are set. */
double newton_evaluate(struct interior_point *ip, const double *controls);
/* Sum of the magnitudes of the misses, and the largest. */
double newton_missed(const struct interior_point *ip, double *largest);
/* The derivatives of motion and passages where the iteration stands. */
void newton_differentiate(struct interior_point *ip);
/* Gradient of cost - multiplier . room + lambda . miss, and its largest element over its largest summand.
 *   lambda  in  NULL = none */
double newton_gradient(struct interior_point *ip, const double *multiplier, const double *lambda);
/* The step for the rows' weight and pull, with the change of every room; false: no factorisation.
 *   curved  in   with the true curvature
 *   force   out  what the step is to take away, as the residual */
bool newton_step(struct interior_point *ip, bool curved, double *force);
/* Of cost - pull . room along it. */
double newton_slope(const struct interior_point *ip);
/* Evaluate a length along the step from where the iteration stands, with a correction or (NULL) without. */
double newton_tried(struct interior_point *ip, double length, const double *second);
/* The iteration goes there. */
void newton_take(struct interior_point *ip);
/* The largest excess of a bound, or miss of a passage. */
double newton_violation(const struct interior_point *ip);

/* -- the rows (elastic.c) -- */

void elastic_carve(struct elastic_rows *rows, struct carve *c);
/* s, p, z, y on the central path of mu for the room there is; warm: near it, with the z that are known, and a lag. */
void elastic_start(struct elastic_rows *rows, double price, double mu, bool warm);
/* Sum of s z + p y; two products for every row. */
double elastic_gap(const struct elastic_rows *rows, size_t *count);
double elastic_priced(const struct elastic_rows *rows, double price);
/* Weight and pull of every row in Newton's equations. */
void elastic_condense(struct elastic_rows *rows, double mu);
/* ds, dp, dz from the change of the rooms; adds the rows' part to the slope of the merit. */
void elastic_direction(struct elastic_rows *rows, double price, double mu, double *slope);
/* Longest steps, up to 1, that keep a distance to the boundary. */
void elastic_lengths(const struct elastic_rows *rows, double *primal, double *dual);
/* price p - mu log(s p) after a step of this length to the rooms there are now; 0: where it stands. */
double elastic_merit(const struct elastic_rows *rows, double price, double mu, double length);
/* The largest. */
double elastic_lag(const struct elastic_rows *rows);
void elastic_move(struct elastic_rows *rows, double primal, double dual);

#endif
