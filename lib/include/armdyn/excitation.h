/* Motions made for identification: they let the torques tell the parameters apart as well as the arm's limits allow. */
#ifndef ARMDYN_EXCITATION_H
#define ARMDYN_EXCITATION_H

#include "armdyn/identify.h"
#include "armdyn/trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ARMDYN_HARMONICS_MAX = 20 };

/* What a motion is judged by, less is better. Y is the regressor of the base parameters in SI units, not scaled, and
 * Y'Y its integral over the motion, in unit^2 s, plus what is known already: no figure depends on a number of samples. */
enum armdyn_excitation_criterion {
  ARMDYN_CONDITION, /* cond(Y) + lambda / sigma_min(Y) */
  ARMDYN_D_OPTIMAL  /* -log det(Y'Y) */
};

/* Information held already: the equations of an earlier log, and how many samples of it make a second. */
struct armdyn_known {
  const struct armdyn_regression *regression; /* of the same unknowns */
  double rate;                                /* Hz */
};

struct armdyn_excitation_request {
  double duration;       /* s, 0.1 to 1000 */
  size_t harmonics;      /* 1 to ARMDYN_HARMONICS_MAX */
  double base_frequency; /* Hz, of the first harmonic; base_frequency harmonics duration <= 500 */
  enum armdyn_excitation_criterion criterion;
  double lambda;                      /* >= 0 */
  const struct armdyn_limits *limits; /* n; NULL = the robot's own. Positions and velocities need them */
  const double *tool_box; /* 6: least x, y, z, then most, of the tool origin in the base frame, m; NULL = none */
  const struct armdyn_surroundings *around; /* that the motion keeps clear of, and the arm of itself; NULL = nothing */
  const struct armdyn_known *known;         /* known_count of them */
  size_t known_count;
  size_t population;  /* of the genetic algorithm, 4 to 1000 */
  size_t generations; /* 1 to 10000 */
  unsigned long seed; /* same seed, same motion */
};

/* The motion: q = q0 + sum_l [(a_l / w_l) sin w_l t - (b_l / w_l) cos w_l t] + the quintic that makes q - q0, qd and qdd
 * zero at both ends, with w_l = 2 pi l base_frequency. */
struct armdyn_excitation {
  double q0[ARMDYN_JOINTS_MAX];
  double a[ARMDYN_JOINTS_MAX * ARMDYN_HARMONICS_MAX]; /* n x harmonics, rad/s (m/s) */
  double b[ARMDYN_JOINTS_MAX * ARMDYN_HARMONICS_MAX];
  double criterion;         /* as asked for, lambda included */
  double condition;         /* of Y with what is known */
  double sigma_min;         /* of Y, root of the least eigenvalue of Y'Y */
  double log_determinant;   /* of Y'Y */
  double genetic_criterion; /* what the genetic algorithm had found before the polish */
  double scale;             /* of the line search that restored the limits between the points of the grid; 1: none */
  double box_usage;         /* like a margin's usage, of the worst side of the tool box; 0 without one */
  double box_time;          /* s, when */
  size_t grid;              /* points that the motion was designed on */
  size_t evaluations;       /* of the criterion */
};

struct armdyn_excitation_progress {
  bool polishing; /* else the genetic algorithm */
  size_t round, rounds;
  double criterion; /* the best so far */
  double fraction;  /* of all work, 0 to 1 */
};

/* Design one: a genetic algorithm on a grid of points, where what exceeds a limit is penalised, then a local polish, then a
 * line search on the scale of the motion until the dense check finds every limit kept, and clearances are proved.
 *   robot      in   the arm, with the parameters that its torques are predicted with
 *   unknowns   in   of this robot: what is to be identified
 *   out        out  release with armdyn_trajectory_free; nothing to release after a refusal. The motion to 1e-9 of its
 *                   amplitudes
 *   margin     out  ARMDYN_LIMIT_KINDS x n as in armdyn_profile_plan
 *   go         in   called at every generation and round with `context`; ARMDYN_GO_FINISH ends with the best so far; NULL
 * OK; EINPUT (pointer into the excitation request of the HTTP API), EINFEASIBLE (not even at rest are the limits kept, by
 * torque, surroundings or tool box), ESINGULAR (no motion found tells all parameters apart), ECANCELLED, EMEMORY.
 * Deterministic. Source: Swevers et al. 1997; Calafiore, Indri & Bona 2001 for the genetic search. */
enum armdyn_status armdyn_excitation_design(const struct armdyn_robot *robot, const struct armdyn_unknowns *unknowns,
                                            const struct armdyn_excitation_request *request,
                                            struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                            struct armdyn_excitation *result,
                                            enum armdyn_go (*go)(void *context,
                                                                 const struct armdyn_excitation_progress *progress),
                                            void *context, struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
