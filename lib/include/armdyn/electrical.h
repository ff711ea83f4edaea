/* What motions cost in electricity: P_j = r_j i_j^2 + tau_m w_m for every drive, with i = tau_m / k_t and w_m the motor's
 * velocity. The gear's efficiency eta stands between the motor and its share tau_0 of the joint torques (tau / gear ratio,
 * or transmission^-T tau): tau_m = tau_0 / eta where the motor drives the load, tau_0 eta where the load drives the motor,
 * tau_0 at rest. Friction is in tau already.
 * Source: deploy/doc/internals/planner.md; Siciliano et al., section 5.2, for the drive. */
#ifndef ARMDYN_ELECTRICAL_H
#define ARMDYN_ELECTRICAL_H

#include "armdyn/trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of the power that a braking drive gives back. The rows of a table in lib/trajectory/electrical.c. */
enum armdyn_regeneration {
  ARMDYN_REGENERATION_NONE,       /* each drive burns it: the sum over drives of max(0, P_j) is drawn */
  ARMDYN_REGENERATION_SHARED_BUS, /* drives on one link use each other's, the link burns the rest: max(0, sum P_j) */
  ARMDYN_REGENERATION_GRID,       /* the link feeds the rest back with an efficiency, and burns what is lost by that */
  ARMDYN_REGENERATION_COUNT
};
const char *armdyn_regeneration_name(enum armdyn_regeneration regeneration); /* "none", "shared_bus", "grid" */

struct armdyn_electrical_model {
  enum armdyn_regeneration regeneration;
  double grid_efficiency; /* 0 to 1, of feeding back; looked at with ARMDYN_REGENERATION_GRID only */
};

/* Has every drive what the model needs: torque constant, resistance and efficiency? And is the model one?
 *   error  out  the first joint and field that is missing, e.g. "/joints/2/drive/resistance" (pointer into the robot), or
 *               "/cost/regeneration", "/cost/grid_efficiency" (into the trajectory request)
 * OK or EINPUT. */
enum armdyn_status armdyn_electrical_check(const struct armdyn_robot *robot,
                                           const struct armdyn_electrical_model *model, struct armdyn_error *error);

/* Powers of the drives at one instant, W; those of a robot that armdyn_electrical_check refuses are NAN.
 *   qd, tau  in   n  as of armdyn_inverse_dynamics
 *   power    out  n  P_j at the terminals of drive j, negative when it gives back; NULL = not wanted, as the others
 *   copper   out  n  of it: r i^2
 *   gear     out  n  of it: lost between motor and joint, >= 0
 *   bus      out  1  what the power supply delivers under the model, negative when it feeds back
 * No allocation, cannot fail. */
void armdyn_electrical_power(const struct armdyn_robot *robot, const struct armdyn_electrical_model *model,
                             const double *qd, const double *tau, double *power, double *copper, double *gear,
                             double *bus);

/* Electrical energy of one drive, J. */
struct armdyn_drive_energy {
  double total;    /* its part of the total: those of all drives add up to it. Negative where it gives others more than
                      it takes */
  double drawn;    /* integral of max(0, P_j) */
  double returned; /* integral of max(0, -P_j) */
  double copper, gear;
  double friction; /* of joint j */
};

/* Electrical energy of a motion, J. total = copper + gear + friction + gravity + kinetic + burnt + unexplained. */
struct armdyn_electrical_energy {
  double total;       /* what the supply delivers, less what it feeds back */
  double copper;      /* in the windings */
  double gear;        /* between motors and joints */
  double friction;    /* in the joints */
  double gravity;     /* change of potential energy */
  double kinetic;     /* change of kinetic energy: nothing from rest to rest */
  double burnt;       /* of what braking gave back: in resistors, or lost on its way to the grid */
  double fed_back;    /* of what braking gave back: to the grid, already taken off the total */
  double exchanged;   /* of what braking gave back: used by other drives at the same time */
  double unexplained; /* what the causes leave: of a planned motion the error of the quadrature, of a log what its
                         torques and the model do not agree in */
  struct armdyn_drive_energy by_joint[ARMDYN_JOINTS_MAX];
};

/* Add the energy of what follows directly: sum and causes become those of both together. */
void armdyn_electrical_energy_add(struct armdyn_electrical_energy *sum, const struct armdyn_electrical_energy *next);

/* Electrical energy of a motion with the torques of inverse dynamics, by quadrature as in armdyn_trajectory_energy (no
 * smoothing). kWh for 1,000 cycles: total / 3600.
 *   model   in
 *   energy  out
 *   error   out
 * OK, EINPUT as armdyn_electrical_check, EMEMORY. */
enum armdyn_status armdyn_trajectory_electrical_energy(const struct armdyn_robot *robot,
                                                       const struct armdyn_electrical_model *model,
                                                       const struct armdyn_trajectory *trajectory,
                                                       struct armdyn_electrical_energy *energy,
                                                       struct armdyn_error *error);

/* What is asked of a lower bound: from rest through points to rest. */
struct armdyn_energy_bound_request {
  size_t point_count;                 /* start, waypoints, goal: at least 2 */
  const double *points;               /* point_count x n, rad (m) */
  double duration_min, duration_max;  /* s, 0 < min <= max: the same where the duration is given */
  double time_price;                  /* W: what a second costs, >= 0 */
  const struct armdyn_limits *limits; /* n, in force for this motion; NULL = the robot's own */
};

/* What no motion can go below, J, by cause; the causes add up to the total. */
struct armdyn_energy_bound {
  double total;    /* of the electricity, without the price of time */
  double duration; /* s, for which total + time_price duration is least */
  double gravity;  /* change of potential energy */
  double offset;   /* work of offsets of friction and of its lines over the motor angle: depends on the ends alone */
  double dry;      /* friction that does not grow with the speed, over the shortest travel of every joint */
  double viscous;  /* friction that does, at the even speed of this travel */
  double gear;     /* lost between motors and joints where drives must deliver */
  double copper;   /* of torques that no motion can do without */
  double burnt;    /* what is left where the others are negative: a load that goes down and is braked */
};

/* A lower bound of the electricity of every motion from rest through these points to rest in this time, whatever its shape,
 * within the limits of velocity (that are looked at only where friction falls with the speed) or outside of all others.
 *   bound  out
 *   error  out
 * OK; EINPUT as armdyn_electrical_check, or for durations, points and prices that are none; EMEMORY. The theorem and its
 * proof stand in lib/trajectory/lower_bound.c and in the manual (trajectories.md). */
enum armdyn_status armdyn_electrical_lower_bound(const struct armdyn_robot *robot,
                                                 const struct armdyn_electrical_model *model,
                                                 const struct armdyn_energy_bound_request *request,
                                                 struct armdyn_energy_bound *bound, struct armdyn_error *error);

/* Joint torques of the torques and of the currents of the motors, without the losses between: the motors' positions are
 * T times those of the joints (T: `transmission`, else the diagonal of the gear ratios), so tau = T' tau_m, tau_m = k_t i.
 *   motor    in   n, N m
 *   current  in   n, A; every joint's drive has a torque_constant
 *   tau      out  n, N m (N); may be the input
 * Cannot fail. */
void armdyn_joint_torques_of_motors(const struct armdyn_robot_description *robot, const double *motor, double *tau);
void armdyn_joint_torques_of_currents(const struct armdyn_robot_description *robot, const double *current, double *tau);
/* T^-1: positions, velocities and accelerations of the joints are this times those of the motors.
 *   robot    in   one that armdyn_robot_new takes
 *   inverse  out  n x n, row-major, rad/rad (m/rad)
 * Cannot fail. */
void armdyn_joints_of_motors(const struct armdyn_robot_description *robot, double *inverse);

/* Electrical energy of a log, by the trapezoidal rule. Call it with measured and with computed torques to compare.
 *   t        in   samples->count, s, not decreasing
 *   samples  in   count >= 2; q, qd, tau (the joints' torques; see
 *                armdyn_joint_torques_of_currents)
 *   energy   out
 *   error    out
 * OK; EINPUT also for fewer than 2 samples and for times that decrease; EMEMORY. */
enum armdyn_status armdyn_samples_electrical_energy(const struct armdyn_robot *robot,
                                                    const struct armdyn_electrical_model *model, const double *t,
                                                    const struct armdyn_samples *samples,
                                                    struct armdyn_electrical_energy *energy,
                                                    struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
