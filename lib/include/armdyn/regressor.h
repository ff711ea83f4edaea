/* Torque as a linear function of the parameters of a robot, tau = Y(q, qd, qdd) pi, and the combinations of parameters
 * that motion can tell apart.
 */
#ifndef ARMDYN_REGRESSOR_H
#define ARMDYN_REGRESSOR_H

#include "armdyn/dynamics.h"
#include "armdyn/parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

enum armdyn_rotor_columns {
  ARMDYN_ROTORS_PRESENT, /* of the drives whose rotor inertia is not 0 */
  ARMDYN_ROTORS_ALL,
  ARMDYN_ROTORS_NONE
};

/* Which parameters stand in pi, in this order. NULL is: rotors that are present, with friction; then Y pi is the torque of
 * armdyn_inverse_dynamics without a wrench.
 * - The ten of every link. The payload is part of the last link.
 * - rotor_inertia of every drive.
 * - For every joint the friction that its model has, in the order of enum armdyn_friction_parameter, as far as torque is
 *   linear in it: coulomb and viscous, or where the two directions differ coulomb.positive, coulomb.negative and so
 *   viscous. The Stribeck velocity and exponent, orders and phases are taken from the model.
 * - With stribeck_slopes, after each joint's friction that has stiction, stribeck_slope: (stiction - coulomb) times how much
 *   the Stribeck velocity is off, to first order. Of the model itself it is 0. */
struct armdyn_parameter_choice {
  enum armdyn_rotor_columns rotors;
  bool frictionless, stribeck_slopes;
};

/* How many parameters there are. */
size_t armdyn_parameter_count(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice);

/* Which one parameter `index` is. */
struct armdyn_parameter_id armdyn_parameter_at(const struct armdyn_robot *robot,
                                               const struct armdyn_parameter_choice *choice, size_t index);
/* Its name: that of the joint (j1, ... where it has none), a point, and that of armdyn_parameter_id_name, as in "j2.Ixx". */
void armdyn_parameter_name(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, size_t index,
                           char name[ARMDYN_PARAMETER_NAME_SIZE]);

/* The parameters of the model itself.
 *   values  out  armdyn_parameter_count */
void armdyn_parameters(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, double *values);

/* The regressor.
 *   q, qd, qdd  in   n
 *   regressor   out  n x armdyn_parameter_count
 * O(n^2), no allocation, cannot fail. Source: Khalil & Dombre, ch. 12. */
void armdyn_regressor(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, const double *q,
                      const double *qd, const double *qdd, struct armdyn_workspace *workspace, double *regressor);

/* The same for many samples, several at a time in the processor's vectors.
 *   samples    in   q, qd, qdd
 *   regressor  out  count x n x armdyn_parameter_count
 * No allocation, cannot fail. */
void armdyn_regressor_batch(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice,
                            const struct armdyn_samples *samples, struct armdyn_workspace *workspace,
                            double *regressor);

/* The smallest set of parameters with the same torques: each is one standard parameter, its lead, plus multiples of others
 * that no motion tells apart from it. tau = Y_b beta, where Y_b are the columns of the leads. */
struct armdyn_base_parameters;

/* Find them, by QR factorisation with column pivoting of the regressor at random states (the same ones at every call).
 *   choice  in   as above
 *   out     out  release with armdyn_base_parameters_free
 * OK or EMEMORY. Allocates; O(n^3) with a large factor: milliseconds for 7 joints.
 * Source: Gautier 1991. */
enum armdyn_status armdyn_base_parameters_new(const struct armdyn_robot *robot,
                                              const struct armdyn_parameter_choice *choice,
                                              struct armdyn_base_parameters **out);
void armdyn_base_parameters_free(struct armdyn_base_parameters *base);

size_t armdyn_base_parameter_count(const struct armdyn_base_parameters *base);
/* The standard parameter that leads base parameter k; ascending in k. */
size_t armdyn_base_parameter_lead(const struct armdyn_base_parameters *base, size_t k);
/* Base parameter k as a combination of the standard ones: armdyn_parameter_count coefficients, that of its lead 1. */
const double *armdyn_base_parameter_coefficients(const struct armdyn_base_parameters *base, size_t k);
/* Its value for the model. */
double armdyn_base_parameter_value(const struct armdyn_base_parameters *base, size_t k);
/* The same combination in words: "j3.mx + 0.4318 j4.m - 2 j4.Ixx".
 *   text, size  out  at most size - 1 bytes and a zero
 * Answers the length of the whole text, which is cut when that is >= size. */
size_t armdyn_base_parameter_text(const struct armdyn_base_parameters *base, size_t k, char *text, size_t size);
/* Columns of the leads.
 *   regressor  in   rows x armdyn_parameter_count
 *   out        out  rows x armdyn_base_parameter_count */
void armdyn_base_columns(const struct armdyn_base_parameters *base, const double *regressor, size_t rows, double *out);

#ifdef __cplusplus
}
#endif
#endif
