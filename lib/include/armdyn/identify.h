/* Identification: from logged motion to the parameters of a robot, and how far they can be trusted.
 *
 * A log is conditioned (armdyn_condition), its equations are gathered block by block in a regression whose size does not
 * depend on how much data there is, and an estimator solves it. Matrices are row-major, n is the number of joints.
 */
#ifndef ARMDYN_IDENTIFY_H
#define ARMDYN_IDENTIFY_H

#include "armdyn/regressor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- conditioning */

/* Low-pass without delay: a Butterworth filter of order 4, forward and backward over the columns, whose ends are continued
 * by point reflection.
 *   x       in/out  count x columns
 *   rate    in      Hz
 *   cutoff  in      Hz, where either direction has -3 dB; 0 < cutoff < rate / 2
 * OK, EINPUT or EMEMORY. Source: Gustafsson 1996 for the two directions. */
enum armdyn_status armdyn_lowpass(size_t count, size_t columns, double rate, double cutoff, double *x,
                                  struct armdyn_error *error);

/* Rate of change by central differences, one-sided of second order at the ends.
 *   x    in   count x columns, count >= 3
 *   out  out  count x columns, unit of x per s; not x itself */
void armdyn_differentiate(size_t count, size_t columns, double rate, const double *x, double *out);

/* Bring samples of an uneven clock to an even one, by the cubic through the four nearest samples.
 *   time       in   count, s, strictly increasing, count >= 4
 *   x          in   count x columns
 *   rate       in   Hz
 *   out_count  in   1 + floor((time[count - 1] - time[0]) rate), see armdyn_resampled_count
 *   out        out  out_count x columns, at time[0] + k / rate
 * OK or EINPUT. */
enum armdyn_status armdyn_resample(size_t count, size_t columns, const double *time, const double *x, double rate,
                                   size_t out_count, double *out, struct armdyn_error *error);
size_t armdyn_resampled_count(size_t count, const double *time, double rate);

/* What an arm has logged. */
struct armdyn_log {
  size_t count;
  const double *time; /* count, s */
  const double *q;    /* count x n, rad (m) */
  const double *tau;  /* count x n, N m (N) */
};

struct armdyn_conditioning {
  double rate;            /* Hz of the even clock; 0: the log's mean */
  double position_cutoff; /* Hz; 0: not filtered */
  double torque_cutoff;   /* Hz; 0: not filtered */
  double trim;            /* s, cut off both ends after filtering */
};

/* A motion on an even clock, ready for identification. Arrays are count x n. */
struct armdyn_motion {
  size_t count;
  double rate; /* Hz */
  double *q, *qd, *qdd;
  double *tau;     /* filtered */
  double *tau_raw; /* as measured */
};

/* Resample, filter, differentiate and trim one log.
 *   motion  out  release with armdyn_motion_free
 * OK, EINPUT (fewer than 16 samples left, numbers that are not finite, a clock that runs backwards) or EMEMORY. */
enum armdyn_status armdyn_condition(size_t n, const struct armdyn_log *log,
                                    const struct armdyn_conditioning *conditioning, struct armdyn_motion *motion,
                                    struct armdyn_error *error);
void armdyn_motion_free(struct armdyn_motion *motion);
/* Samples first .. first + count - 1 of a motion of n joints, which keeps the memory. */
struct armdyn_motion armdyn_motion_part(const struct armdyn_motion *motion, size_t n, size_t first, size_t count);

/* ---------------------------------------------------------------- what is identified */

/* Friction terms to identify, each the field of armdyn_friction that it is named after. Terms that the robot has already
 * are identified too. */
enum armdyn_friction_terms {
  ARMDYN_IDENTIFY_OFFSET = 1,
  ARMDYN_IDENTIFY_COULOMB = 2,
  ARMDYN_IDENTIFY_VISCOUS = 4,
  ARMDYN_IDENTIFY_HIGH_SPEED = 8
};

/* The parameters of one robot to identify: its base parameters, with friction and rotors. Immutable; threads may share it. */
struct armdyn_unknowns;

/*   robot     in   kinematics, gravity, gear ratios, velocity scales; its parameters are the prior
 *   friction  in   enum armdyn_friction_terms, or-ed
 *   rotors    in   as in armdyn_parameter_choice
 *   out       out  release with armdyn_unknowns_free; does not need the robot
 * OK, EINPUT or EMEMORY. */
enum armdyn_status armdyn_unknowns_new(const struct armdyn_robot *robot, unsigned friction,
                                       enum armdyn_rotor_columns rotors, struct armdyn_unknowns **out,
                                       struct armdyn_error *error);
void armdyn_unknowns_free(struct armdyn_unknowns *unknowns);
/* The base parameters: count, names and combinations. */
const struct armdyn_base_parameters *armdyn_unknowns_base(const struct armdyn_unknowns *unknowns);
/* Standard parameters: how many, their names, and the prior's values (friction that the robot lacks: 0). */
size_t armdyn_unknowns_standard_count(const struct armdyn_unknowns *unknowns);
void armdyn_unknowns_standard_name(const struct armdyn_unknowns *unknowns, size_t index,
                                   char name[ARMDYN_PARAMETER_NAME_SIZE]);
const double *armdyn_unknowns_prior(const struct armdyn_unknowns *unknowns);

/* Torques that base parameters give a motion.
 *   beta  in   as many as there are base parameters
 *   tau   out  motion->count x n
 * OK or EMEMORY. */
enum armdyn_status armdyn_predict(const struct armdyn_unknowns *unknowns, const double *beta,
                                  const struct armdyn_motion *motion, double *tau);

/* ---------------------------------------------------------------- equations */

/* The equations Y_b beta = tau of any number of samples as one triangle R beta = z a joint, with what no beta explains:
 * sum |Y_b beta - tau|^2 = |R beta - z|^2 + rest. Memory does not depend on the number of samples. */
struct armdyn_regression;

/* NULL: out of memory. `unknowns` must live as long. */
struct armdyn_regression *armdyn_regression_new(const struct armdyn_unknowns *unknowns);
void armdyn_regression_free(struct armdyn_regression *regression);

/* Take in a motion.
 *   weights  in  count x n factors of the equations; NULL: 1
 * O(samples x base parameters^2), no allocation, cannot fail. Source: Golub & Van Loan, 6.5. */
void armdyn_regression_add(struct armdyn_regression *regression, const struct armdyn_motion *motion,
                           const double *weights);
/* Take in all that another regression of the same unknowns has. */
void armdyn_regression_merge(struct armdyn_regression *into, const struct armdyn_regression *from);
size_t armdyn_regression_sample_count(const struct armdyn_regression *regression);
/* Sums of squares of what beta leaves and of the torque itself, by joint (n each): errors without the data. */
void armdyn_regression_squares(const struct armdyn_regression *regression, const double *beta, double *left,
                               double *torque);

/* ---------------------------------------------------------------- estimators */

enum armdyn_estimator {
  ARMDYN_OLS, /* least squares */
  ARMDYN_WLS, /* joints weighted by their deviation, which least squares gives */
  ARMDYN_IRLS /* the same, samples weighted by Huber's function until they settle */
};

struct armdyn_estimation {
  enum armdyn_estimator estimator;
};

/* What an estimator answers; b is the number of base parameters. */
struct armdyn_estimate {
  double *beta;            /* b */
  double *deviation;       /* b, standard deviations, sample count corrected for the residuals' autocorrelation */
  double *covariance;      /* b x b */
  double *joint_deviation; /* n, N m (N), of the residuals */
  double *correlation;     /* n, how many samples of the residuals count as one, >= 1 */
  double condition;        /* of the regressor of all joints, SI units */
  size_t rounds;           /* of iteration */
};

/* Identify from conditioned motions.
 *   motions  in   motion_count of them, which together are the training data
 *   out      out  release with armdyn_estimate_free
 * OK, EINPUT, ESINGULAR (the motion does not excite a parameter it is named) or
 * EMEMORY. Deterministic. */
enum armdyn_status armdyn_identify(const struct armdyn_unknowns *unknowns, const struct armdyn_motion *motions,
                                   size_t motion_count, const struct armdyn_estimation *estimation,
                                   struct armdyn_estimate *out, struct armdyn_error *error);
void armdyn_estimate_free(struct armdyn_estimate *estimate);

/* ---------------------------------------------------------------- errors */

/* e = tau - prediction. */
struct armdyn_fit {
  double relative; /* |e| / |tau| */
  double rms;      /* sqrt(mean e^2), N m (N) */
  double nrmse;    /* rms / (max tau - min tau) */
  double r2;       /* 1 - sum e^2 / sum (tau - mean tau)^2 */
  double max;      /* max |e|, N m (N) */
};

/* Compare torques.
 *   measured, predicted  in   count x n
 *   joints               out  n
 *   together             out  over the numbers of all joints
 * A figure whose denominator is 0 is NAN. */
void armdyn_fit(size_t count, size_t n, const double *measured, const double *predicted, struct armdyn_fit *joints,
                struct armdyn_fit *together);

#ifdef __cplusplus
}
#endif
#endif
