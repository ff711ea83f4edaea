/* A primal-dual interior point for transcriptions. Every bound is elastic, room = s - p with s, p > 0 and a price rho on p,
 * so any controls are a start and an infeasible problem ends with the p that are left. */
#ifndef LIB_TRAJECTORY_INTERIOR_POINT_H
#define LIB_TRAJECTORY_INTERIOR_POINT_H

#include "lib/trajectory/transcription.h"

struct interior_point {
  struct transcription *problem;
  enum armdyn_go (*go)(void *context); /* asked at every iteration; NULL = always on */
  void *context;
  int iterations_max;
  double price;                                        /* rho, in units of cost for a whole limit at one knot */
  double *controls;                                    /* in/out */
  double *trial, *step, *gradient, *H, *S, *factor;    /* controls, or bands of them */
  double *s, *p, *z, *y, *dz, *change, *weight, *pull; /* bound_count x knots */
  struct armdyn_iteration *log;                        /* NULL = not wanted; log_count entries are filled */
  size_t log_max, log_count;
};

enum interior_point_end { END_OPTIMAL, END_STALLED, END_FINISHED, END_CANCELLED };

struct interior_point_result {
  enum interior_point_end end;
  int iterations;
  double cost, residual, violation; /* dual residual, relative; the largest p */
};

void interior_point_carve(struct interior_point *ip, struct carve *c);
void interior_point_solve(struct interior_point *ip, struct interior_point_result *out);

#endif
