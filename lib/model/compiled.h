/* The robot that the kernels use: the description compiled into canonical joints (lib/math/spatial.h). */
#ifndef LIB_MODEL_COMPILED_H
#define LIB_MODEL_COMPILED_H

#include <stdbool.h>

#include "armdyn/robot.h"
#include "lib/math/spatial.h"

/* Joint and link i, everything in the canonical frame i. */
struct compiled_joint {
  struct pose parent;       /* P_i: the joint's frame at q = 0, in the canonical frame before it */
  struct distribution link; /* the last one holds the payload too */
  bool prismatic;
  unsigned friction; /* bit mask of the rows of friction_terms that this joint has */
  struct pose frame; /* the link frame of the convention, which forward kinematics shows */
};

/* In no position is the inertia that a joint moves, its rotor and all links beyond it, more than
 *   still + slid * (the sum of q^2 of the prismatic joints beyond it)
 * Numbers that are much smaller than this and were computed from what lies beyond the joint are rounding. */
struct inertia_bound {
  double still, slid;
};

/* The robot once more in fewer numbers (reduced.h) */
enum reduced_twist { TWIST_NONE, TWIST_RIGHT, TWIST_ANY, TWIST_COUNT }; /* 0, pi/2, [0, pi] */

struct reduced_joint {
  enum reduced_twist twist;
  bool slides;
  bool offset;   /* x or y is not 0 */
  bool products; /* S has products */
  double twist_cosine, twist_sine;
  double angle_cosine, angle_sine;
  double x, y;
  struct distribution link;
};

struct reduced_robot {
  struct reduced_joint joints[ARMDYN_JOINTS_MAX];
  double base_cosine, base_sine; /* of the turn about z between the base frame and the one before joint 0 */
  double upward[3];              /* minus gravity, with the twist of joint 0 undone */
  bool upright;                  /* gravity lies along joint 0 */
};

struct armdyn_robot {
  size_t joint_count;
  double gravity[3];
  struct compiled_joint joints[ARMDYN_JOINTS_MAX];
  struct pose tool;                        /* in the last canonical frame */
  bool load_friction;                      /* some joint has the term */
  bool coupled;                            /* a transmission, else the gear ratios alone */
  double rotor_inertia[ARMDYN_JOINTS_MAX]; /* reflected, gear_ratio^2 Jm; used where not coupled */
  double coupled_rotor_inertia[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX]; /* T' Jm T, n x n; used where coupled */
  double motor_from_joint[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];      /* T^-T, n x n; used where coupled */
  bool friction_at_motors;                                             /* of coupled drives: gears.h */
  double gear_from_joint[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];       /* G, n x n; used where friction is at motors */
  double joint_from_gear[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];       /* its inverse */
  struct inertia_bound bounds[ARMDYN_JOINTS_MAX];
  struct reduced_robot reduced;
  /* friction blends from one direction to the other with its sign, so that its slope has no jump at rest: a working model of
   * planners, the same robot but for velocities around velocity_scale */
  bool friction_blended;
  struct armdyn_robot_description description;
};

/* From the compiled joints and drives. */
void inertia_bounds_compile(struct armdyn_robot *robot);

/* First fault of a description, or OK. */
enum armdyn_status description_check(const struct armdyn_robot_description *description, struct armdyn_error *error);

#endif
