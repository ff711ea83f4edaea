/* An arm whose joint positions, velocities and accelerations are expressions, and whose parameters are numbers or
 * expressions: the recursions of lib/dynamics on it. All in canonical frames (lib/math/spatial.h). */
#ifndef LIB_SYMBOLIC_ARM_H
#define LIB_SYMBOLIC_ARM_H

#include "lib/model/compiled.h"
#include "lib/symbolic/algebra.h"

struct arm_joint {
  bool slides;
  bool parallel;      /* its axis to that of the joint before, the same way round, and so are the x axes at q = 0 */
  struct pose before; /* the frame of the joint in that before is `before` Rz(angle), or that and Tz(q) */
  double angle;       /* turns: constant part; slides: 0 */
  struct expr_body body;
  expr cosine, sine; /* of angle + q; slides: 1 and 0 */
  expr q, qd, qdd;
};

/* The linear parameters of a joint's friction, numbers or symbols: enum armdyn_friction_parameter, line. */
struct arm_friction {
  expr number[ARMDYN_FRICTION_PARAMETER_COUNT][ARMDYN_RIPPLES_MAX];
};

struct arm {
  struct expr_graph *graph;
  const struct armdyn_robot *robot;
  size_t n;
  double length;                      /* the longest of the arm, m */
  double first_moment, second_moment; /* the largest of a link, kg m and kg m^2 */
  struct arm_joint joints[ARMDYN_JOINTS_MAX];
  double upward[3];              /* minus gravity, in the frame before joint 0 */
  expr rotor[ARMDYN_JOINTS_MAX]; /* Jm of drive k, on the motor's side */
  struct arm_friction friction[ARMDYN_JOINTS_MAX];
  bool chains;     /* turn what comes before parallel axes once, by the sum of their angles */
  bool plain_tanh; /* write tanh as a quotient with exp, and powers with exp and log */
};

/* What an arm is made of. */
enum arm_frames {
  ARM_REDUCED, /* lib/model/reduced.h: the fewest numbers, for torques alone */
  ARM_COMPILED /* the canonical frames of lib/model/compiled.h */
};
/*   parameters  in   NULL: the numbers of the robot itself; else the standard parameters, as in armdyn/regressor.h with its
 *                    default choice, in the link frames of the convention (ARM_COMPILED only)
 *   states      in   q, qd, qdd: 3 n
 * The joint's cosines and sines are made too. */
void code_arm_init(struct arm *arm, struct expr_graph *graph, const struct armdyn_robot *robot, enum arm_frames frames,
                   const expr *parameters, const expr *states);

/* A constant pose without its rounding: sines of right angles are 0. */
struct pose code_arm_constant_pose(const struct arm *arm, const struct pose *pose);

/* Rotors and friction anew, from what follows the links in the standard parameters. */
void code_arm_take_drives(struct arm *arm, const expr *parameters);

/* Take the velocities, the accelerations or gravity for 0. */
struct arm_terms {
  bool velocity, acceleration, gravity;
};

/* M_links qdd + C qd + g, of those asked for: recursive Newton-Euler. tau is n. */
void code_arm_torques(const struct arm *arm, struct arm_terms terms, expr *tau);
/* Rotors: tau += T' Jm T x. */
void code_arm_rotors_add(const struct arm *arm, const expr *x, expr *tau);
/* The friction of joint i: friction.c. */
expr code_arm_friction(const struct arm *arm, size_t i);
/* Mass matrix of links and rotors, n x n, by composite bodies. */
void code_arm_mass_matrix(const struct arm *arm, expr *M);
/* p = M qd and C' qd - g, n each, as armdyn_joint_momentum. */
void code_arm_momentum(const struct arm *arm, expr *momentum, expr *drift);
/* 4 x 4 of the tool in the base, and the Jacobian at it, 6 x n with the linear rows first, in base axes; NULL: not wanted.
 * Of ARM_COMPILED. */
void code_arm_kinematics(const struct arm *arm, expr *tool, expr *jacobian);
/* The columns of armdyn_regressor with its default choice: n x width. Of ARM_COMPILED. */
void code_arm_regressor(const struct arm *arm, size_t width, expr *regressor);

/* The second moments xx yy zz xy xz yz of a body with the inertia matrix Ixx, Ixy, Iyy, Ixz, Iyz, Izz, as the parameters of
 * a link are ordered. */
void code_arm_second_moments(struct expr_graph *g, const expr inertia[6], expr s[6]);

#endif
