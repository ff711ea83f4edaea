/* The problem of an excitation in numbers: variables in, criterion and excess of limits out. */
#ifndef LIB_IDENTIFY_DESIGN_H
#define LIB_IDENTIFY_DESIGN_H

#include "lib/identify/fourier.h"
#include "lib/identify/regression.h"
#include "lib/trajectory/obstacles.h"

/* The variables x, each about -1 .. 1: for every joint q0 within its range, then combinations of its waves that
 * use its limits alike. */
struct design {
  const struct armdyn_robot *robot;
  const struct armdyn_unknowns *unknowns;
  const struct armdyn_limits *limits; /* n */
  const double *tool_box;             /* NULL = none */
  struct obstacles *around;           /* NULL = none */
  enum armdyn_excitation_criterion criterion;
  double lambda;
  struct fourier fourier;
  size_t n, waves, b, variables, points;
  size_t *lead, *seen;                  /* b: columns of the regressor; n x b: which base parameters a joint sees, */
  size_t seen_count[ARMDYN_JOINTS_MAX]; /* so many */
  struct armdyn_workspace *workspace;
  double *memory;
  double *wave[WAVE_ORDERS];       /* waves x points */
  double *mix;                     /* n x waves x waves: coefficients of the waves from a joint's variables */
  double *motion[WAVE_ORDERS - 1]; /* points x n: position, velocity, acceleration */
  double *column;                  /* WAVE_ORDERS x points: a joint at work */
  double *tau;                     /* points x n */
  double *Y, *rows;                /* of a block of points */
  double *known, *G, *triangle;    /* b x b: what is known; the sum; scratch */
  double *values, *scratch;        /* b, 3 b */
  size_t evaluations;
};

/* What one motion is worth. */
struct worth {
  double criterion, condition, sigma_min, log_determinant;
  double excess; /* what the usages of torques, clearance and tool box have beyond 1, summed; 0: feasible on the grid */
};

enum armdyn_status design_open(const struct armdyn_robot *robot, const struct armdyn_unknowns *unknowns,
                               const struct armdyn_excitation_request *request, const struct armdyn_limits *limits,
                               size_t points, struct design *design);
void design_close(struct design *design);

/* Worth of x, which is first brought within the limits that are linear in it: position, velocity, acceleration, jerk. */
void design_evaluate(struct design *design, double *x, struct worth *worth);
/* The same of any motion of the design's duration, as it is. */
void design_judge(struct design *design, const struct armdyn_trajectory *trajectory, struct worth *worth);
/* Coefficients of x: q0 (n), a and b (n x harmonics). */
void design_coefficients(const struct design *design, const double *x, double *q0, double *a, double *b);

/* How far the tool is from the middle of the box at q, in halves of it: beyond 1 it is outside. */
double box_usage(const struct armdyn_robot *robot, const double *box, const double *q,
                 struct armdyn_workspace *workspace);

#endif
