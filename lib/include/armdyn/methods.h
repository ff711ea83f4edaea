/* The same dynamics by independent methods, to check one by another. In daily use armdyn_inverse_dynamics (Newton-Euler)
 * and armdyn_forward_dynamics (ABA) are the fastest ones; all methods agree to rounding.
 */
#ifndef ARMDYN_METHODS_H
#define ARMDYN_METHODS_H

#include "armdyn/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum armdyn_inverse_method {
  ARMDYN_INVERSE_NEWTON_EULER, /* recursive, O(n); Luh, Walker & Paul 1980 */
  ARMDYN_INVERSE_LAGRANGE,     /* 4 x 4 matrices, O(n^3); Uicker 1965, Kahn 1969 */
  ARMDYN_INVERSE_CLOSED_FORM   /* arms of SCARA structure only, O(1); exact, see deploy/doc/dynamics.md */
};

/* armdyn_inverse_dynamics by a method of choice.
 *   error  out  why the closed form does not fit this arm; NULL is fine
 * OK, or EINPUT for the closed form of an arm that armdyn_is_scara does not accept; tau is then untouched. */
enum armdyn_status armdyn_inverse_dynamics_by(const struct armdyn_robot *robot, enum armdyn_inverse_method method,
                                              const double *q, const double *qd, const double *qdd,
                                              const struct armdyn_load *load, struct armdyn_workspace *workspace,
                                              double *tau, struct armdyn_error *error);

/* Is this an arm of SCARA structure: two revolute joints, then a slide and a revolute wrist in either order, all axes
 * parallel (to 1e-10 rad)? Any convention, axes up or down, any mounting.
 *   error  out  when not: which joint differs and how; NULL is fine */
bool armdyn_is_scara(const struct armdyn_robot *robot, struct armdyn_error *error);

enum armdyn_forward_method {
  ARMDYN_FORWARD_ABA,  /* articulated bodies, O(n); Featherstone 2008, ch. 7. With coupled drives: CRBA */
  ARMDYN_FORWARD_CRBA, /* mass matrix and Cholesky factorisation, O(n^3); Featherstone 2008, ch. 6 */
  ARMDYN_FORWARD_GAUSS /* least constraint: Z is made least over qdd, recursively, O(n); with coupled drives in one linear
                        * system, O(n^3). Gauss 1829; Popov, Vereshchagin & Zenkevich 1978 */
};

/* armdyn_forward_dynamics by a method of choice. OK, or ESINGULAR as there. */
enum armdyn_status armdyn_forward_dynamics_by(const struct armdyn_robot *robot, enum armdyn_forward_method method,
                                              const double *q, const double *qd, const double *tau,
                                              const struct armdyn_load *load, struct armdyn_workspace *workspace,
                                              double *qdd);

/* armdyn_forward_dynamics_batch by a method of choice. */
enum armdyn_status armdyn_forward_dynamics_batch_by(const struct armdyn_robot *robot, enum armdyn_forward_method method,
                                                    const struct armdyn_samples *samples,
                                                    struct armdyn_workspace *workspace, double *qdd);

/* Why forward dynamics refused: the first joint that, with those before it, can be moved without any inertia, so that
 * XX */
size_t armdyn_massless_joint(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace);

#ifdef __cplusplus
}
#endif
#endif
