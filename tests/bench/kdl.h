/* Orocos KDL computing the same arm: the peer of bench_dynamics.c, in the same run and on the same postures. */
#ifndef TESTS_BENCH_KDL_H
#define TESTS_BENCH_KDL_H

#include "armdyn/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kdl;

/* An arm in standard DH without drives, friction and payload; NULL for another one. */
struct kdl *kdl_new(const struct armdyn_robot_description *robot);
void kdl_free(struct kdl *kdl);

/* As the functions of armdyn of these names. */
void kdl_inverse_dynamics(struct kdl *kdl, const double *q, const double *qd, const double *qdd, double *tau);
void kdl_mass_matrix(struct kdl *kdl, const double *q, double *mass_matrix);
void kdl_forward_dynamics(struct kdl *kdl, const double *q, const double *qd, const double *tau, double *qdd);

#ifdef __cplusplus
}
#endif
#endif
