/* Bounds of the derivatives of an arm's gravity torque and mass matrix over a box of the joint space: armdyn/zones.h. */
#ifndef LIB_CONTROL_ZONE_BOUNDS_H
#define LIB_CONTROL_ZONE_BOUNDS_H

#include "armdyn/dynamics.h"

struct zone_bounds {
  size_t n;
  double *gravity; /* n x n x n: |d2 g_i / dq_j dq_k| */
  double *inertia; /* n x n x n x n: |d2 M_ij / dq_k dq_l| */
};

/* OK or EMEMORY; release with zone_bounds_free in any case. */
enum armdyn_status zone_bounds_new(const struct armdyn_robot *robot, const double *low, const double *high,
                                   struct zone_bounds *bounds);
void zone_bounds_free(struct zone_bounds *bounds);

/* What the arm is at the centre of a zone. */
struct zone_centre {
  double *gravity, *stiffness; /* n; n x n */
  double *inertia, *slope;     /* n x n; n x n x n: dM_ij/dq_k */
};
/* Allocated in one: free(centre->gravity). OK or EMEMORY. */
enum armdyn_status zone_centre_new(size_t n, struct zone_centre *centre);
void zone_centre_at(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                    struct zone_centre *centre);

/* How far g is off its tangent (n), and M off its value at the centre (n x n), in a box that is half[j] wide on either side. */
void zone_bounds_within(const struct zone_bounds *bounds, const struct zone_centre *centre, const double *half,
                        double *gravity, double *inertia);

#endif
