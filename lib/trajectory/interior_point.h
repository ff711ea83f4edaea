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
