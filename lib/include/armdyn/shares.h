/* What a motion's torques are made of, and which of their terms a model may leave out on it. */
#ifndef ARMDYN_SHARES_H
#define ARMDYN_SHARES_H

#include "armdyn/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- terms of joint i's torque, which add up to armdyn_inverse_dynamics without a wrench; M is of the links:
 * inertia      M_ii qdd_i
 * coupling     M_ij qdd_j of all other joints
 * centrifugal  D_ijj qd_j^2
 * coriolis     D_ijk qd_j qd_k, j != k
 * gravity      g_i
 * friction     F_i
 * rotors       reflected, of coupled drives those of other joints too */
#define ARMDYN_TORQUE_TERM_LIST(X)                                                                                     \
  X(INERTIA, "inertia")                                                                                                \
  X(COUPLING, "coupling")                                                                                              \
  X(CENTRIFUGAL, "centrifugal")                                                                                        \
  X(CORIOLIS, "coriolis")                                                                                              \
  X(GRAVITY, "gravity")                                                                                                \
  X(FRICTION, "friction")                                                                                              \
  X(ROTORS, "rotors")
enum armdyn_torque_term {
#define X(name, text) ARMDYN_TORQUE_##name,
  ARMDYN_TORQUE_TERM_LIST(X)
#undef X
      ARMDYN_TORQUE_TERMS
};
/* Its text, never NULL. */
const char *armdyn_torque_term_name(enum armdyn_torque_term term);

/* One joint over the whole motion, N m (N). */
struct armdyn_torque_share {
  double rms, peak; /* of its torque */
  double term_rms[ARMDYN_TORQUE_TERMS], term_peak[ARMDYN_TORQUE_TERMS];
  double share
      [ARMDYN_TORQUE_TERMS]; /* mean magnitude of the term over that of all terms, summed; NAN: there is no torque */
};

/* A model of which terms are left out, or-ed as 1 << term, and the largest torque that is missing then. */
struct armdyn_left_out {
  unsigned terms;
  double error; /* N m (N) */
};

struct armdyn_torque_shares;

/*   robot         in   must outlive it
 *   frictionless  in   no friction: neither a term nor in the torque
 *   shares        out  release with armdyn_torque_shares_free
 * OK or EMEMORY. */
enum armdyn_status armdyn_torque_shares_new(const struct armdyn_robot *robot, bool frictionless,
                                            struct armdyn_torque_shares **shares);
void armdyn_torque_shares_free(struct armdyn_torque_shares *shares);

/* One more sample: q, qd, qdd in, n. O(n^2 + 2^terms n), cannot fail. */
void armdyn_torque_shares_take(struct armdyn_torque_shares *shares, const double *q, const double *qd,
                               const double *qdd);

/* Of all samples taken.
 *   shares  out  n */
void armdyn_torque_shares_tell(const struct armdyn_torque_shares *shares, struct armdyn_torque_share *out);

/* Of joint j, of all choices of terms whose sum is nowhere more than `bound` of the joint's peak torque, the one with most
 * terms, and of those the one whose error is least. All choices were tried at every sample: nothing is estimated. Of a joint
 * without torque all. */
struct armdyn_left_out armdyn_torque_shares_leave_out(const struct armdyn_torque_shares *shares, size_t j,
                                                      double bound);
/* The error of any choice. */
double armdyn_torque_shares_error(const struct armdyn_torque_shares *shares, size_t j, unsigned terms);

#ifdef __cplusplus
}
#endif
#endif
