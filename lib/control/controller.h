/* What the laws of the table share. */
#ifndef LIB_CONTROL_CONTROLLER_H
#define LIB_CONTROL_CONTROLLER_H

#include "armdyn/control.h"
#include "armdyn/regressor.h"
#include "lib/control/filter.h"

/* How far a search is. */
struct search_state {
  enum { SEARCH_APPROACHES, SEARCH_SEARCHES, SEARCH_FOUND } phase;
  double angle;
  bool inward;
  double begun_at[3], found_at[3]; /* m, base frame */
};

struct armdyn_controller {
  const struct armdyn_robot *robot;
  struct armdyn_control control;
  struct armdyn_load load; /* of the model */
  struct armdyn_workspace *workspace;
  size_t n;
  double integral[ARMDYN_JOINTS_MAX]; /* N m (N): ki int e dt */
  size_t section_count;               /* of the filter */
  struct section sections[2];
  struct section_state filtered[2][ARMDYN_JOINTS_MAX];
  bool begun; /* the filter */

  double sensed[6];         /* [moment; force] on the tool, base axes */
  double force_integral[6]; /* N m, N: force_ki int e_f dt */
  struct search_state search;
  enum armdyn_law law;                /* in force: of the schedule, or the only one */
  size_t entry;                       /* of it, or zone */
  bool zoned;                         /* entry is the zone of the period before */
  double last_tau[ARMDYN_JOINTS_MAX]; /* asked for in the period before */

  /* of laws that adapt: */
  struct armdyn_parameter_choice rigid, whole; /* without friction; with that of the model */
  size_t rigid_count, count;
  double *parameters, *rates; /* count: p, the diagonal of G */
  double *rigid_regressor;    /* 3 x n x rigid_count */
  double *regressor;          /* n x count */
  double s[ARMDYN_JOINTS_MAX];
  double *slope;       /* count, of layered: the sum of Y' s since it learnt */
  size_t since_learnt; /* periods */
};

/* How far the arm is off: e = wanted - is. */
struct deviation {
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX];
};

/* rad/s of Hz */
static inline double angular(double bandwidth)
{
  return 2 * 3.14159265358979323846 * bandwidth;
}

/* The gains of a joint that shall answer with w, rad/s; m is its inertia. */
typedef void law_gains(struct armdyn_gains *gains, size_t j, double w, double m);
law_gains computed_torque_gains, joint_impedance_gains, cartesian_impedance_gains, force_gains, layered_gains,
    hybrid_gains;

/* The torque of a law, before limits. */
typedef void law_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                        const double *q, const double *qd, double *tau);
law_torque pid_torque, pid_gravity_torque, pid_friction_torque, feedforward_torque, computed_torque_torque,
    adaptive_torque, impedance_torque, joint_impedance_torque, cartesian_impedance_torque, force_torque, hybrid_torque,
    layered_torque;
/* The entry that is in force now, its law and gains. */
void schedule_step(struct armdyn_controller *c, const double *q, const double *qd);
enum armdyn_status schedule_check(const struct armdyn_schedule *schedule, size_t n, struct armdyn_error *error);
/* What it learns from a period. */
void adaptive_learn(struct armdyn_controller *c);
void layered_learn(struct armdyn_controller *c);
/* The memory of a law that adapts: from the model. OK or EMEMORY; controller_free releases it. */
enum armdyn_status adaptive_open(struct armdyn_controller *c);

#endif
