/* Gains that are found: the least cost of a simulated loop, as far as margins allow.
 *
 * Unknown are a bandwidth w_j for every joint, a damping z, and a part r of the integral, with m_j the diagonal of M at q:
 *   of laws with ki      (s^2 + 2 z w s + w^2)(s + r w): kp = m w^2 (1 + 2 z r), ki = m r w^3, kd = m w (2 z + r)
 *   of computed_torque   kp = w^2, kd = 2 z w
 *   of impedance         kd = m w, damping_i = 2 z sqrt(stiffness_i / (J M^-1 J')_ii); the stiffness is what is wanted of it
 * The cost is lowered by pattern search over their logarithms. What has not the margins at every place, by the linear loops, is
 * made narrower in all joints by one factor until it has: no margin is ever paid for with cost, nor is the search caught at the
 * edge of one. What is found is a local minimum.
 * Source: Astrom & Hagglund, Advanced PID Control, ch. 4 and 6, for margins as constraints; Khatib 1995 for the tool's
 * inertia. */
#ifndef ARMDYN_TUNE_H
#define ARMDYN_TUNE_H

#include "armdyn/margins.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What margins must be; each loop is stable in any case. */
struct armdyn_margin_limits {
  double gain;        /* >= 1: so many times more or less */
  double phase;       /* rad, >= 0 */
  double delay;       /* s, >= 0 */
  double sensitivity; /* at most, > 1; INFINITY: any */
};

enum armdyn_tuning_limit {
  ARMDYN_LIMITED_BY_STABILITY, /* what a wider loop would not keep */
  ARMDYN_LIMITED_BY_GAIN,
  ARMDYN_LIMITED_BY_PHASE,
  ARMDYN_LIMITED_BY_DELAY,
  ARMDYN_LIMITED_BY_SENSITIVITY,
  ARMDYN_LIMITED_BY_BANDWIDTH, /* the widest that was allowed */
  ARMDYN_LIMITED_BY_COST,      /* nothing: a wider loop costs more */
  ARMDYN_TUNING_LIMITS
};

struct armdyn_tuning {
  const struct armdyn_robot *model;
  enum armdyn_law law;
  const double *q;                          /* n: where m_j and J are taken */
  const double *stiffness;                  /* 6, of impedance */
  bool integral;                            /* false: ki is 0 */
  struct armdyn_linear_loop *const *places; /* where margins must hold */
  size_t place_count;
  /* place_count x n: times which gains are in force at a place, of laws with ki alone, as those of zones are (armdyn/zones.h);
   * NULL: the same everywhere. */
  const double *ratios;
  struct armdyn_margin_limits margins;
  double bandwidth_max; /* Hz, > 0 */
  /* What is made least, > 0; INFINITY: such gains may not be. */
  double (*cost)(void *context, const struct armdyn_gains *gains);
  void *cost_context;
  size_t evaluations; /* of the cost, at most */
};

struct armdyn_tuned {
  struct armdyn_gains gains;
  double bandwidth[ARMDYN_JOINTS_MAX]; /* Hz */
  double damping, integral;            /* z, r */
  double cost, first_cost;             /* of the gains, and where the search began: all joints alike, z = r = 1 */
  size_t evaluations, checks;          /* of the cost; of margins at one place */
  enum armdyn_tuning_limit limited_by;
  size_t place, joint; /* whose margin it is */
};

/* Those in force at a place, of gains that were found. */
struct armdyn_gains armdyn_tuning_gains_at(const struct armdyn_tuning *tuning, size_t place,
                                           const struct armdyn_gains *gains);

/* Can the gains of this law be found? */
bool armdyn_law_tunable(enum armdyn_law law);

/* OK; EINPUT for a law that is not tunable; EINFEASIBLE: no bandwidth has the margins, or none has a finite cost; EMEMORY. */
enum armdyn_status armdyn_tune(const struct armdyn_tuning *tuning, struct armdyn_tuned *tuned,
                               struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
