/* What friction could be made of: every column that a term of a joint's friction may have, for many velocity scales,
 * Stribeck velocities and exponents at once, beside the columns of links and rotors. The data are read once; then any
 * structure is a choice of columns of sums that are there, and costs microseconds. */
#ifndef LIB_IDENTIFY_CANDIDATES_H
#define LIB_IDENTIFY_CANDIDATES_H

#include "lib/identify/training.h"
#include "lib/model/friction.h"

enum { SCALES = 7, SHAPES = 12 };

/* Columns of a joint. Those of a direction stand in pairs, positive velocities first; the sum of a pair is for both. */
enum {
  COLUMN_PLAIN,                              /* plain terms in their order, of a sign that changes at once */
  COLUMN_VISCOUS = FRICTION_PLAIN_COUNT,     /* a pair: v */
  COLUMN_SIGN = COLUMN_VISCOUS + 2,          /* SCALES pairs: s(v) */
  COLUMN_FALLEN = COLUMN_SIGN + 2 * SCALES,  /* SHAPES pairs: what is gone of stiction, 1 - exp(-(|v|/vs)^delta) */
  COLUMN_LINES = COLUMN_FALLEN + 2 * SHAPES, /* the model's lines over the motor angle */
  COLUMNS_MOST = COLUMN_LINES + ARMDYN_RIPPLES_MAX,
};

struct shape {
  double velocity, exponent; /* rad/s (m/s), 1 */
};

/* Those that are looked at for one joint. */
struct shapes {
  size_t count;
  struct shape list[SHAPES];
};
/* The model's own, if it has one; else velocities of 1 to 32 % of the fastest with either exponent. */
struct shapes shapes_first(const struct armdyn_joint *joint, double fastest);
/* Closer about the best of either exponent, rad/s (m/s).
 *   closeness  in  how many octaves lie between neighbours */
struct shapes shapes_about(const double best[2], double closeness);

/* Sums of products of the columns of one joint's equations: links and rotors, friction, torque. */
struct joint_candidates {
  double scale[SCALES]; /* rad/s (m/s): velocity scales; the first is the model's */
  struct shapes shapes; /* of Stribeck friction */
  size_t lines;
  size_t rigid;            /* columns of links and rotors that the joint sees */
  size_t *column;          /* rigid: their base parameters */
  size_t columns, width;   /* of friction; rigid + columns + 1 */
  double fast;             /* rad/s (m/s): what counts as fast */
  double *sums[FOLDS_MAX]; /* width x width */
  double *all, *of_fast;   /* width x width: of all parts; of all that is fast */
};

struct candidates {
  struct armdyn_unknowns *rigid; /* links and rotors alone */
  const struct armdyn_robot *robot, *loads;
  size_t n, folds;
  size_t stride;             /* of so many samples one is taken: no more is in filtered data */
  size_t samples[FOLDS_MAX]; /* taken */
  struct joint_candidates joints[ARMDYN_JOINTS_MAX];
};

/*   robot    in   with the friction that is the model's own: lines over the motor angle, a Stribeck velocity
 *   loads    in   whose torques are the loads; NULL: no friction depends on them
 *   fastest  in   n, rad/s (m/s)
 *   shapes   in   n
 *   folds    in   consecutive parts
 * OK, EMEMORY or the refusals of the source. Release with candidates_close. */
enum armdyn_status candidates_open(const struct armdyn_robot *robot, const struct armdyn_robot *loads,
                                   enum armdyn_rotor_columns rotors, const struct armdyn_source *source,
                                   const double *fastest, const struct shapes *shapes, size_t folds,
                                   struct candidates *candidates, struct armdyn_error *error);
void candidates_close(struct candidates *candidates);

#endif
