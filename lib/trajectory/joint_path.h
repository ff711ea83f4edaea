/* Cubic splines in joint space whose parameter is not time. */
#ifndef LIB_TRAJECTORY_JOINT_PATH_H
#define LIB_TRAJECTORY_JOINT_PATH_H

#include "armdyn/trajectory.h"

/* The C2 cubic spline through points at given parameters.
 *   s       in   count, increasing, the first 0
 *   points  in   count x joints
 *   slopes  in   2 x joints: dq/ds at both ends; NULL = natural ends (no second derivative)
 *   path    out
 * OK or EMEMORY. */
enum armdyn_status joint_path_spline(size_t joints, size_t count, const double *s, const double *points,
                                     const double *slopes, struct armdyn_trajectory *path);

#endif
