/* Friction tests: runs of one joint at a time at constant speeds, and what their logs tell of its friction. */
#ifndef ARMDYN_FRICTION_TEST_H
#define ARMDYN_FRICTION_TEST_H

#include "armdyn/identify.h"
#include "armdyn/trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- the motion */

struct armdyn_friction_plan_request {
  const bool *joints; /* n: which ones are moved; NULL: all */
  const double *q;    /* n: posture at both ends, and of the joints that rest; NULL: middles of the ranges */
  size_t speeds;      /* of each joint, 3 to 200, each in both directions */
  double speed_least, speed_most;     /* of the velocity limit, 0 < least < most <= 1 */
  double travel;                      /* of the range, (0, 1]; at most a turn */
  double cruise;                      /* s, the longest that a run is at constant speed */
  const struct armdyn_limits *limits; /* n; NULL = the robot's own. Joints that move need positions and velocities */
  /* What the motion keeps clear of, and the arm of itself; NULL = nothing. A joint's range is then the part of it, around
   * the posture, in which nothing is too near */
  const struct armdyn_surroundings *around;
};

/* A run at constant speed. */
struct armdyn_friction_run {
  size_t joint;
  double speed;    /* rad/s (m/s), signed */
  double from, to; /* s, when it is constant */
};

/* Plan them: speeds in a geometric series, slow ones first, every one there and back around the middle of the range. Where
 * the travel is too short to reach the fastest speed and keep it for 0.3 s, that is lowered.
 *   out        out  release with armdyn_trajectory_free; nothing to release after a refusal
 *   margin     out  ARMDYN_LIMIT_KINDS x n as in armdyn_profile_plan
 *   runs       out  allocated; free()
 * OK; EINPUT (pointer into the friction test request of the HTTP API), EINFEASIBLE (a torque limit, with joint and
 * time; a joint that has no room to move; a posture that is blocked), EMEMORY. */
enum armdyn_status armdyn_friction_plan(const struct armdyn_robot *robot,
                                        const struct armdyn_friction_plan_request *request,
                                        struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                        struct armdyn_friction_run **runs, size_t *run_count,
                                        struct armdyn_error *error);

/* ---------------------------------------------------------------- what logs tell */

/* A term that was tried beside offset, Coulomb and viscous friction, in the order of the trials. */
struct armdyn_extra_trial {
  enum armdyn_friction_term term; /* STRIBECK, HIGH_SPEED, or POSITION: one more line over the motor angle */
  double order;                   /* of a line; else 0 */
  double without, with;           /* rms error on held-out runs, N m (N) */
  bool kept;
};

/* A run at constant speed as it was found in a log. */
struct armdyn_speed_point {
  double speed;   /* mean, rad/s (m/s) */
  double torque;  /* mean of friction: measured less the model without friction and less the lines found, N m (N) */
  double fitted;  /* what the terms kept give */
  double seconds; /* how long */
};

enum { ARMDYN_TRIALS_MAX = 2 + ARMDYN_RIPPLES_MAX + 1 };

/* The friction of one joint. */
struct armdyn_joint_friction {
  bool found;                       /* false: too few runs, and nothing below but the points */
  struct armdyn_friction friction;  /* the terms that were kept */
  struct armdyn_friction deviation; /* of each of them, standard deviations; of what is not there: 0 */
  double error;                     /* rms of the means that the terms leave, N m (N) */
  double held_out;                  /* the same on held-out runs */
  size_t trial_count, point_count;
  struct armdyn_extra_trial trials[ARMDYN_TRIALS_MAX];
  struct armdyn_speed_point *points; /* point_count, by speed */
};

/* Find runs of one joint at constant speed in logged motion, and fit friction to their mean torques: offset, Coulomb and
 * viscous by least squares, Stribeck (its velocity by a search in one dimension) and high-speed terms and lines over the
 * motor angle each only if it lowers the error on held-out runs by at least a hundredth (the first two also only if
 * their coefficient is more than twice its deviation). Lines come from the Fourier
 * transform of what is left over the motor angle, and are refitted as sine and cosine.
 *   robot    in   its friction is not used; its inertial parameters are taken off, and what they are wrong by is common to
 *                 both directions, so that it goes into the offset alone
 *   source   in   conditioned motion, read twice
 *   joints   out  n; release with armdyn_joint_friction_free
 * OK, EINPUT (no joint has enough runs), ECANCELLED, EMEMORY, or what the source refuses. Deterministic.
 * Source: Armstrong-Helouvry 1994 for the curve. */
enum armdyn_status armdyn_friction_fit(const struct armdyn_robot *robot, const struct armdyn_source *source,
                                       struct armdyn_joint_friction *joints, bool (*cancelled)(void *context),
                                       void *context, struct armdyn_error *error);
void armdyn_joint_friction_free(size_t n, struct armdyn_joint_friction *joints);

#ifdef __cplusplus
}
#endif
#endif
