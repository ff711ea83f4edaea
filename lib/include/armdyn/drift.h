/* Parameters over time: least squares that forget, and how far an arm has moved away from its model.
 *
 * Made for telemetry that never ends: memory does not grow, and old samples count less and less.
 */
#ifndef ARMDYN_DRIFT_H
#define ARMDYN_DRIFT_H

#include "armdyn/identify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- recursive least squares with forgetting */

/* After K equations  row_k x = value_k  it has the x that minimises
 *   sum_k forgetting^(K - k) (row_k x - value_k)^2 + sum_i information_i x_i^2
 * as the triangle of the first sum, so that no difference is formed whose sign rounding could turn. The second sum never
 * fades: what is not excited any more returns to 0 with the deviation 1 / sqrt(information), and neither grows without
 * bound (no windup).
 * Sources: Golub & Van Loan, 6.5; Haykin, Adaptive Filter Theory, ch. 15, for the triangle; Kulhavy & Zarrop 1993, On a
 * general concept of forgetting, for an alternative that stays. */
struct armdyn_recursive;

/*   count  in  unknowns, >= 1
 * NULL: out of memory. */
struct armdyn_recursive *armdyn_recursive_new(size_t count);
void armdyn_recursive_free(struct armdyn_recursive *recursive); /* NULL is fine */
/* Take in equations, the eldest first.
 *   equations   in   rows x (count + 1): row, value; overwritten
 *   forgetting  in   0 < forgetting <= 1
 * O(rows count^2), no allocation, cannot fail. */
void armdyn_recursive_take(struct armdyn_recursive *recursive, size_t rows, double *equations, double forgetting);
/*   information  in   count, >= 0; NULL: 0
 *   x            out  count
 *   inverse      out  count x count, (sum_k forgetting^(K - k) row_k' row_k + diag(information))^-1; NULL: not wanted
 * OK, EMEMORY, or ESINGULAR: something is neither excited nor held. */
enum armdyn_status armdyn_recursive_solve(const struct armdyn_recursive *recursive, const double *information,
                                          double *x, double *inverse);
/* sum_k forgetting^(K - k) (row_k x - value_k)^2, and how many equations count: sum_k forgetting^(K - k). */
double armdyn_recursive_squares(const struct armdyn_recursive *recursive, const double *x);
double armdyn_recursive_weight(const struct armdyn_recursive *recursive);

/* ---------------------------------------------------------------- drift */

/* What is followed: by how much the parameters of an arm differ from those of its model, from motions that follow each
 * other. Offset, coulomb and viscous friction of every joint and what else the model has of friction; or the base
 * parameters of links and rotors with them. */
struct armdyn_drift;

struct armdyn_drift_choice {
  bool all;      /* links and rotors, too */
  double memory; /* s of motion after which a sample counts 1 / e, > 0 */
};
/*   robot  in   the model
 *   out    out  release with armdyn_drift_free; does not need the robot
 * A change is held to 0 as if one sample had told so whose noise is as large as the torque limit of the joint (without one:
 * the largest torque of the model in random states): that is what bounds the deviation of what does not move.
 * OK, EINPUT or EMEMORY. */
enum armdyn_status armdyn_drift_new(const struct armdyn_robot *robot, const struct armdyn_drift_choice *choice,
                                    struct armdyn_drift **out, struct armdyn_error *error);
void armdyn_drift_free(struct armdyn_drift *drift); /* NULL is fine */

/* The parameters that are followed. */
struct armdyn_drift_parameter {
  struct armdyn_parameter_id id; /* of the standard parameter that leads it */
  double model;                  /* its value in the model, without a load; 0 of friction that the model lacks */
};
size_t armdyn_drift_count(const struct armdyn_drift *drift);
struct armdyn_drift_parameter armdyn_drift_parameter(const struct armdyn_drift *drift, size_t index);
/* As armdyn_base_parameter_text. */
size_t armdyn_drift_text(const struct armdyn_drift *drift, size_t index, char *text, size_t size);

/* What the arm holds from now on: the same robot with another payload or tool, of which the torque is taken off.
 * OK, EINPUT (other joints, other gravity, friction or gears) or EMEMORY. */
enum armdyn_status armdyn_drift_load(struct armdyn_drift *drift, const struct armdyn_robot *loaded,
                                     struct armdyn_error *error);
/* Take in a motion.
 * OK, EMEMORY, EINPUT (a torque_cutoff beyond half the rate). */
enum armdyn_status armdyn_drift_take(struct armdyn_drift *drift, const struct armdyn_motion *motion,
                                     struct armdyn_error *error);

/* A joint, over what is remembered: root mean squares, N m (N). */
struct armdyn_drift_joint {
  double torque;   /* that the changes of parameters make */
  double noise;    /* that they would make if nothing had changed, by their covariance */
  double residual; /* what is left with them */
  double friction; /* of the model, without offset */
  double measured; /* torque */
};
struct armdyn_drift_estimate {
  double *change, *deviation; /* count; deviations hold though the residuals are correlated */
  double seconds;             /* of motion that counts: at most its memory */
  struct armdyn_drift_joint joints[ARMDYN_JOINTS_MAX];
};
/*   out  out  its arrays are the caller's
 * OK or EMEMORY. */
enum armdyn_status armdyn_drift_read(const struct armdyn_drift *drift, struct armdyn_drift_estimate *out);

/* All that it has learnt, as numbers: for who goes on later with a new one of the same robot and choice. */
size_t armdyn_drift_state_count(const struct armdyn_drift *drift);
void armdyn_drift_save(const struct armdyn_drift *drift, double *state);
/* false: a state of something else; nothing changes. */
bool armdyn_drift_restore(struct armdyn_drift *drift, const double *state, size_t count);

#ifdef __cplusplus
}
#endif
#endif
