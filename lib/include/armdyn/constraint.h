/* Forward dynamics of an arm whose tool is held, or meets a wall. */
#ifndef ARMDYN_CONSTRAINT_H
#define ARMDYN_CONSTRAINT_H

#include "armdyn/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum armdyn_constraint {
  ARMDYN_CONSTRAINT_NONE,
  ARMDYN_CONSTRAINT_POINT, /* the tool's origin does not accelerate */
  ARMDYN_CONSTRAINT_POSE,  /* nor does it begin to turn */
  ARMDYN_CONSTRAINT_WALL, /* it does not accelerate against the normal of a wall that it touches, which pushes and never pulls */
  ARMDYN_CONSTRAINTS
};

struct armdyn_constrained {
  double wrench[6];       /* [moment; force] of the constraint on the tool, at its origin, base axes, N m, N */
  double acceleration[6]; /* [angular; linear] of the tool, base axes */
  /* (qdd - qdd_free)' M (qdd - qdd_free) / 2, kg m^2/s^4: by how much the constraint bends the free motion, in the least
   * that it can */
  double gauss;
};

/* The accelerations that Gauss's principle leaves: of all qdd that the constraint allows those for which
 *   G = (qdd - qdd_free)' M (qdd - qdd_free) / 2   is least, where A qdd = -A'qd, or >= of a wall:
 *   qdd = qdd_free + M^-1 A' f,  (A M^-1 A') f = -(A'qd + A qdd_free), f >= 0 of a wall, and 0 where it is left;
 * A being the rows of the tool's Jacobian that are held, A' their rate. Directions in which the tool cannot move have no
 * force, and those that depend on each other share it evenly.
 *   normal  in   3, base axes, any length but 0; of a wall, away from it. NULL for others
 *   qdd     out  n
 *   out     out  zeros without a constraint but for the acceleration
 * OK; ESINGULAR as armdyn_forward_dynamics. O(n^3), no allocation. Velocities that do not obey the constraint are as good as
 * others: accelerations alone are held.
 * Source: Gauss 1829; Udwadia & Kalaba, Analytical Dynamics, ch. 3; Moreau 1966 for contact. */
enum armdyn_status armdyn_constrained_dynamics(const struct armdyn_robot *robot, enum armdyn_constraint constraint,
                                               const double *normal, const double *q, const double *qd,
                                               const double *tau, const struct armdyn_load *load,
                                               struct armdyn_workspace *workspace, double *qdd,
                                               struct armdyn_constrained *out);

#ifdef __cplusplus
}
#endif
#endif
