/* Zones of the joint space in which one constant model of the arm is right within a bound: linear models at rest, or the
 * inertia that constant gains are made for.
 *
 * About the centre c of a box, half as wide as d in each joint, with g the gravity torque and M the mass matrix,
 *   |g_i(q) - g_i(c) - G_i (q - c)|  <= 1/2 sum_jk B_ijk d_j d_k,            G the slope of g at c
 *   |M_ij(q) - M_ij(c)|              <= sum_k |dM_ij/dq_k (c)| d_k + 1/2 sum_kl C_ijkl d_k d_l =: D_ij
 * by Taylor's theorem, where B and C bound the derivatives over the whole box that is divided: derivatives of a point of a link
 * by joints turn its arm from the outermost of them, so that none is longer than that arm (or than 1, of a slide, which
 * ends what can be turned), and integrals over masses are bounded by Cauchy and Minkowski. What is claimed holds at every
 * point of a zone, for real numbers; rounding is far below the parts in 1e9 that are added.
 *   linear  tau = g(c) + G (q - c) + M(c) qdd is off by at most B's part + sum_j D_ij a_j while |qdd_j| <= a_j. Torques of
 *           velocities and friction are no part of it: no division makes them smaller.
 *   gains   with M(c) = L L', the largest eigenvalue r of |L^-1| D |L^-T| bounds the relative change of inertia:
 *           (1 - r) M(c) <= M(q) <= (1 + r) M(c). Gains that armdyn_gains_init makes at c are 3 w^2, w^3 and 3 w times the
 *           diagonal of M(c); with gravity compensated the loop at rest has for every eigenvalue m of diag(M(c))^-1 M(q) the
 *           poles m s^3 + 3 w s^2 + 3 w^2 s + w^3 = 0, w / s = -1 + the cube roots of 1 - m, and is stable where m < 9.
 * The worst box is halved, in the joint that makes its bound least, until all keep it or there are enough.
 * Source: Moore, Kearfott & Cloud, Introduction to Interval Analysis, ch. 6 (mean value and Taylor forms); Bentley 1975 (k-d
 * trees); Horn & Johnson, Matrix Analysis, 8.1 (spectral radius of dominated matrices). */
#ifndef ARMDYN_ZONES_H
#define ARMDYN_ZONES_H

#include "armdyn/control.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ARMDYN_ZONES_MAX = 512, ARMDYN_ZONE_DEPTH_MAX = 60 };
enum armdyn_zones_about { ARMDYN_ZONES_LINEAR, ARMDYN_ZONES_GAINS, ARMDYN_ZONES_ABOUTS };

struct armdyn_zoning {
  const struct armdyn_robot *robot;
  enum armdyn_zones_about about;
  const double *low, *high;                                    /* n: the box that is divided; rad, m */
  const double *acceleration;                                  /* n, >= 0, of linear: rad/s^2, m/s^2 */
  const double *torque;                                        /* n, > 0, of linear: at most so far off; N m, N */
  double inertia;                                              /* of gains: at most such a relative change r; > 0 */
  enum armdyn_law law;                                         /* of the gains: one that armdyn_law_schedules */
  double bandwidth;                                            /* Hz, > 0 */
  size_t most, depth;                                          /* zones, halvings of one */
  bool (*progress)(void *context, size_t zones, double worst); /* false: end here with what there is. NULL: none */
  void *progress_context;
};

struct armdyn_zone {
  double low[ARMDYN_JOINTS_MAX], high[ARMDYN_JOINTS_MAX], q[ARMDYN_JOINTS_MAX]; /* q: the centre, whose model it has */
  double error[ARMDYN_JOINTS_MAX]; /* of linear: no point is further off, N m (N) */
  double change;                   /* r; INFINITY: M is singular there */
  double worst;                    /* of what is allowed; <= 1: the bound is kept */
  double found;                    /* that, at corners and points by chance: a lower bound of what worst bounds */
  double kp[ARMDYN_JOINTS_MAX], ki[ARMDYN_JOINTS_MAX], kd[ARMDYN_JOINTS_MAX];
  double inertia[2]; /* all eigenvalues m are between them */
  double damping;    /* the least of the loop's poles in the zone; below 0: not shown to be stable */
  double decay;      /* the least -Re s / w, likewise */
  size_t depth;
};

struct armdyn_zones {
  struct armdyn_zone *zones; /* released with armdyn_zones_free */
  size_t count, left;        /* left: zones that do not keep the bound */
  double left_share;         /* of the box */
  double worst;              /* of all */
};

/* OK; EINPUT for bounds, boxes and laws that are none; EMEMORY. */
enum armdyn_status armdyn_zones_find(const struct armdyn_zoning *zoning, struct armdyn_zones *zones,
                                     struct armdyn_error *error);
void armdyn_zones_free(struct armdyn_zones *zones);

/* The linear model about rest at q.
 *   gravity    out  n
 *   stiffness  out  n x n: G
 *   inertia    out  n x n */
void armdyn_zone_model(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                       double *gravity, double *stiffness, double *inertia);

/* The zone that q is in, of those that tile a box; what is outside the box is in the one that is nearest. `now` stays as long
 * as q is within `hysteresis` of it; SIZE_MAX: none yet. */
size_t armdyn_zone_of(const struct armdyn_zone *zones, size_t count, size_t joints, const double *q, size_t now,
                      double hysteresis);

/* Gains that were made at one posture, in zones: those of every law that armdyn_law_schedules grow with M_jj, so that of joint
 * j of a zone they are times M_jj in its middle over M_jj at the posture, with the bandwidth, damping and integral kept.
 *   at      in   n: the posture
 *   ratios  out  count x n
 * OK; ESINGULAR: M_jj is not above 0 at the posture. */
enum armdyn_status armdyn_zones_ratios(const struct armdyn_robot *robot, const double *at,
                                       struct armdyn_workspace *workspace, const struct armdyn_zone *zones,
                                       size_t count, double *ratios);
/* The gains of every zone become these times its ratios. */
void armdyn_zones_take_gains(struct armdyn_zone *zones, size_t count, size_t joints, const double *ratios,
                             const struct armdyn_gains *gains);

/* Least damping and decay (over w) of m s^3 + 3 s^2 + 3 s + 1 = 0 for m in an interval above 0: at its ends. */
void armdyn_zone_poles(const double inertia[2], double *damping, double *decay);

#ifdef __cplusplus
}
#endif
#endif
