/* Identification: from logged motion to the parameters of a robot, and how far they can be trusted.
 *
 * A log is conditioned (armdyn/conditioning.h), its equations are gathered block by block in a regression whose size does not
 * depend on how much data there is, and an estimator solves it. Matrices are row-major, n is the number of joints.
 */
#ifndef ARMDYN_IDENTIFY_H
#define ARMDYN_IDENTIFY_H

#include "armdyn/conditioning.h"
#include "armdyn/regressor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- warnings */

/* What may be wrong with a log, a model or an estimate, by name. To add one: a row here, and where it is raised. */
#define ARMDYN_WARNING_LIST(X)                                                                                         \
  X(GRAVITY_DIRECTION, "gravity_direction") /* another direction of gravity fits the log */                            \
  X(TORQUE_SIGN, "torque_sign")             /* torques fit with the other sign */                                      \
  X(POSITION_SIGN, "position_sign")         /* a joint fits when it turns the other way */                             \
  X(UNIT_SUSPECT, "unit_suspect")           /* numbers that another unit would explain */                              \
  X(CHANNEL_DELAY, "channel_delay")         /* torques and positions were logged at different times */                 \
  X(VELOCITY_DIFFERS, "velocity_differs")   /* a logged velocity is not that of the positions */                       \
  X(CHANNELS_SWAPPED, "channels_swapped")   /* the log fits with columns exchanged */                                  \
  X(JOINT_AT_REST, "joint_at_rest")         /* a joint does not move */                                                \
  X(REPEATED_SAMPLES, "repeated_samples")   /* rows that stand still while the arm moves */                            \
  X(CLIPPED, "clipped")                     /* a torque at the end of its range */                                     \
  X(RANK_DEFICIENT, "rank_deficient")       /* the motion does not tell a parameter from others */                     \
  X(PRIOR_MASSLESS, "prior_massless")       /* a link of the model has no mass; something rough stood in for it */     \
  X(PRIOR_UNPHYSICAL, "prior_unphysical")   /* no body has a link's inertia; the nearest possible one stood in */      \
  X(PAYLOAD_UNSEEN, "payload_unseen")       /* a log that shall hold a load shows none */                              \
  X(STRIBECK_UNKNOWN, "stribeck_unknown")   /* the data do not tell a Stribeck velocity that was searched for */       \
  X(FIT_POOR, "fit_poor")                   /* much of a joint's torque stays unexplained */                           \
  X(NOISE_ONLY, "noise_only")               /* what is left is more than noise, which alone deviations know of */      \
  X(INCONSISTENT_LINK, "inconsistent_link") /* no body has the parameters that were found */                           \
  X(BEYOND_TRAINING, "beyond_training")     /* the validation is faster than what was trained on */                    \
  X(FRICTION_SIGN, "friction_sign")         /* the data pull friction to a sign that no friction has */                \
  X(ILL_CONDITIONED, "ill_conditioned")     /* the motion hardly tells parameters apart */                             \
  X(EVENT, "event")                         /* moments at which several joints are far off at once */                  \
  X(RIPPLE_FILTERED, "ripple_filtered")     /* the torque filter leaves too little of a line over the motor angle */

enum armdyn_warning_code {
#define X(name, text) ARMDYN_WARNING_##name,
  ARMDYN_WARNING_LIST(X)
#undef X
      ARMDYN_WARNING_COUNT
};

struct armdyn_warning {
  enum armdyn_warning_code code;
  int joint;        /* 0 .. n - 1; -1: of no joint */
  char detail[256]; /* one or two sentences for a person: what was seen, and what to do */
};

enum { ARMDYN_WARNINGS_MAX = 64 };
/* A list of warnings; what is beyond its length is only counted. */
struct armdyn_warnings {
  size_t count, dropped;
  struct armdyn_warning list[ARMDYN_WARNINGS_MAX];
};

/* The name of a code, never NULL. */
const char *armdyn_warning_name(enum armdyn_warning_code code);

/* ---------------------------------------------------------------- what is identified */

/* Friction terms to identify, or-ed. Terms that the robot has already
 * are identified too. */
enum armdyn_friction_terms {
#define X(name, text, ...) ARMDYN_IDENTIFY_##name = 1 << ARMDYN_FRICTION_##name,
  ARMDYN_FRICTION_TERM_LIST(X)
#undef X
#define X(name, text, linear, plain, signless, usual) | linear << ARMDYN_FRICTION_##name
  /* What of the others torque is not linear in (the velocity of stiction, orders and phases of lines) must be found
       * before, by armdyn_choose_friction: unknowns have them only where the robot has. */
  ARMDYN_IDENTIFY_LINEAR = 0 ARMDYN_FRICTION_TERM_LIST(X),
#undef X
#define X(name, text, linear, plain, signless, usual) | usual << ARMDYN_FRICTION_##name
  ARMDYN_IDENTIFY_USUAL = 0 ARMDYN_FRICTION_TERM_LIST(X), /* those that are tried unasked */
#undef X
  ARMDYN_IDENTIFY_ANY = (1 << ARMDYN_FRICTION_TERM_COUNT) - 1,
  /* Either direction has a coefficient of its own. */
  ARMDYN_IDENTIFY_COULOMB_DIRECTED = 1 << ARMDYN_FRICTION_TERM_COUNT,
  ARMDYN_IDENTIFY_VISCOUS_DIRECTED = 2 << ARMDYN_FRICTION_TERM_COUNT,
  ARMDYN_IDENTIFY_DIRECTED = ARMDYN_IDENTIFY_COULOMB_DIRECTED | ARMDYN_IDENTIFY_VISCOUS_DIRECTED
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
/* The same with terms of friction for each joint.
 *   friction  in   n */
enum armdyn_status armdyn_unknowns_by_joint(const struct armdyn_robot *robot, const unsigned *friction,
                                            enum armdyn_rotor_columns rotors, struct armdyn_unknowns **out,
                                            struct armdyn_error *error);
/* The same where friction depends on the load: torque is not linear in such friction and in links together, so the loads are
 * those of a robot that is known beforehand.
 *   loads  in   robot's kinematics, with the bodies and rotors whose torques are the loads; NULL: robot itself */
enum armdyn_status armdyn_unknowns_under(const struct armdyn_robot *robot, const struct armdyn_robot *loads,
                                         const unsigned *friction, enum armdyn_rotor_columns rotors,
                                         struct armdyn_unknowns **out, struct armdyn_error *error);
void armdyn_unknowns_free(struct armdyn_unknowns *unknowns);
/* The base parameters: count, names and combinations. */
const struct armdyn_base_parameters *armdyn_unknowns_base(const struct armdyn_unknowns *unknowns);
/* Standard parameters: how many, which, their names, and the prior's values (friction that the robot lacks: 0). */
size_t armdyn_unknowns_standard_count(const struct armdyn_unknowns *unknowns);
struct armdyn_parameter_id armdyn_unknowns_standard_id(const struct armdyn_unknowns *unknowns, size_t index);
void armdyn_unknowns_standard_name(const struct armdyn_unknowns *unknowns, size_t index,
                                   char name[ARMDYN_PARAMETER_NAME_SIZE]);
const double *armdyn_unknowns_prior(const struct armdyn_unknowns *unknowns);

/* Torques that base parameters give a motion.
 *   beta  in   as many as there are base parameters
 *   tau   out  motion->count x n
 * OK or EMEMORY. */
enum armdyn_status armdyn_predict(const struct armdyn_unknowns *unknowns, const double *beta,
                                  const struct armdyn_motion *motion, double *tau);
/* The same through the filter that the motion's tau went through, to be held against it: a filter rounds off the jumps of
 * Coulomb friction, and what is compared must be filtered alike. Source: Gautier 1997 (parallel filtering). */
enum armdyn_status armdyn_predict_filtered(const struct armdyn_unknowns *unknowns, const double *beta,
                                           const struct armdyn_motion *motion, double *tau);

/* Look for mistakes in a log before anything is identified from it: repeated samples, torques at the end of their range,
 * joints at rest, positions and torques beyond the model's limits or far from its torques; and if it fits the model badly,
 * whether it would fit well with another direction of gravity, a sign changed, columns exchanged or degrees for radians.
 *   log       in   a minute of it is enough
 *   warnings  out  added to
 * OK; the refusals of armdyn_condition (numbers that are not finite, too few of them); or EMEMORY. */
enum armdyn_status armdyn_preflight(const struct armdyn_unknowns *unknowns, const struct armdyn_log *log,
                                    const struct armdyn_conditioning *conditioning, struct armdyn_warnings *warnings,
                                    struct armdyn_error *error);

/* Does a motion repeat another one, run at another time? Then what is identified from the one fits the other without being
 * right anywhere else.
 *   first, second  in
 *   repeats        out  at least half of the shorter one lies on the other, within a twentieth of how far each joint moves
 *   shift          out  s, when `second` starts after `first`, only if it repeats; NULL: not wanted
 * OK or EMEMORY. */
enum armdyn_status armdyn_motion_repeats(size_t n, const struct armdyn_motion *first,
                                         const struct armdyn_motion *second, bool *repeats, double *shift);

/* Base parameter k of `wanted` by those of other unknowns of the same arm, whose parameters are known by their ids: the
 * sum of factors[j] times base parameter j of `known`.
 *   factors      out  as many as `known` has base parameters
 *   expressible  out  false: it is no such sum
 * OK or EMEMORY. */
enum armdyn_status armdyn_base_parameter_in(const struct armdyn_unknowns *wanted, size_t k,
                                            const struct armdyn_unknowns *known, double *factors, bool *expressible);

/* ---------------------------------------------------------------- equations */

/* The equations Y_b beta = tau of any number of samples as one triangle R beta = z a joint, with what no beta explains:
 * sum |Y_b beta - tau|^2 = |R beta - z|^2 + rest. Memory does not depend on the number of samples. */
struct armdyn_regression;

/* NULL: out of memory. `unknowns` must live as long. */
struct armdyn_regression *armdyn_regression_new(const struct armdyn_unknowns *unknowns);
void armdyn_regression_free(struct armdyn_regression *regression);

/* Take in a motion.
 *   weights  in  count x n factors of the equations; NULL: 1
 * O(samples x base parameters^2). OK; EMEMORY or EINPUT (a torque_cutoff beyond half the rate) only for motions with a
 * torque_cutoff. Source: Golub & Van Loan, 6.5. */
enum armdyn_status armdyn_regression_add(struct armdyn_regression *regression, const struct armdyn_motion *motion,
                                         const double *weights);
/* Take in all that another regression of the same unknowns has. */
void armdyn_regression_merge(struct armdyn_regression *into, const struct armdyn_regression *from);
size_t armdyn_regression_sample_count(const struct armdyn_regression *regression);
/* Sums of squares of what beta leaves and of the torque itself, by joint (n each): errors without the data. */
void armdyn_regression_squares(const struct armdyn_regression *regression, const double *beta, double *left,
                               double *torque);

/* ---------------------------------------------------------------- friction that is known */

/* The friction of some joints is known, from tests of their own: its torque is taken off what is measured, and links,
 * rotors, offsets and the friction of the others are identified from the rest (the classical two steps). */
struct armdyn_known_friction;

/*   friction  in  n; its offsets do not count: they are identified
 *   known     in  n, of which joints; friction of the others is not looked at
 *   out       out  release with armdyn_known_friction_free; does not need the robot
 * OK, EINPUT (friction that no model can have) or EMEMORY. */
enum armdyn_status armdyn_known_friction_new(const struct armdyn_robot *robot, const struct armdyn_friction *friction,
                                             const bool *known, struct armdyn_known_friction **out,
                                             struct armdyn_error *error);
void armdyn_known_friction_free(struct armdyn_known_friction *known); /* NULL is fine */
/* The robot without friction of these joints: what unknowns are to be made of. Lives as long. */
const struct armdyn_robot *armdyn_known_friction_bare(const struct armdyn_known_friction *known);
/* Data with their torques less the known friction's, filtered where they are. One at a time. */
struct armdyn_source armdyn_known_friction_source(struct armdyn_known_friction *known,
                                                  const struct armdyn_source *source);
/* The torques of the known friction.
 *   filtered  in   through the filter of the motion's tau, too
 *   tau       out  motion->count x n
 * OK, EMEMORY or EINPUT (a torque_cutoff beyond half the rate). */
enum armdyn_status armdyn_known_friction_torques(const struct armdyn_known_friction *known,
                                                 const struct armdyn_motion *motion, bool filtered, double *tau);

/* ---------------------------------------------------------------- estimators */

/* OLS         least squares
 * WLS         joints weighted by their deviation, which least squares gives
 * IRLS        the same, samples weighted by Huber's function until they settle
 * RIDGE       weighted, and drawn to the prior by the square of the distance to it
 * CONSISTENT  the same, by a distance that is infinite for what no robot can have: every link is a possible body, rotors and
 *             friction are positive
 * DIDIM       that, on positions of a simulated loop: see armdyn_identify_in_loop. Of other data it is CONSISTENT
 * IV          WLS by instruments: errors of positions that are none of theirs bias nothing */
#define ARMDYN_ESTIMATOR_LIST(X)                                                                                       \
  X(OLS, "ols")                                                                                                        \
  X(WLS, "wls")                                                                                                        \
  X(IRLS, "irls")                                                                                                      \
  X(RIDGE, "ridge")                                                                                                    \
  X(CONSISTENT, "consistent")                                                                                          \
  X(DIDIM, "didim")                                                                                                    \
  X(IV, "iv")
enum armdyn_estimator {
#define X(name, text) ARMDYN_##name,
  ARMDYN_ESTIMATOR_LIST(X)
#undef X
      ARMDYN_ESTIMATORS
};

/* Zeros are the defaults. */
struct armdyn_estimation {
  enum armdyn_estimator estimator;
  bool ignore_prior;     /* RIDGE, CONSISTENT: rough bodies stand in for the links of the model */
  double prior_strength; /* RIDGE, CONSISTENT: of the prior against one sample's squares; 0: by cross-validation */
  size_t folds;          /* of the cross-validation: consecutive parts of the data, 2 .. 32; 0: 8 */
  bool free_signs;  /* friction may have any sign; else coulomb, viscous >= 0, stiction >= coulomb, and the slope of
                            friction is not negative up to three times the fastest speed, or the limit */
  bool lack_of_fit; /* wanted, and warnings of events and of parameters that are hardly told apart: one more reading */
  bool (*cancelled)(void *context); /* called now and then; true ends the work with ECANCELLED; NULL: never */
  void (*trying)(void *context, size_t trial,
                 size_t trials); /* armdyn_choose_friction begins another one; NULL: untold */
  void *context;
  const struct armdyn_source
      *instruments;                 /* IV: the same samples as the data, with positions that came another way, as those
                                              of armdyn_loop_path; their torques are not looked at */
  const struct armdyn_robot *loads; /* armdyn_choose_friction, armdyn_refine_stribeck: as in armdyn_unknowns_under */
  const bool *friction_known;       /* n: of these joints armdyn_choose_friction has but the offset; NULL: of none */
  const double
      *more_covariance; /* b x b, added to that of the base parameters: what is not known of what was found before
                                    them, see armdyn_refine_stribeck; NULL: nothing */
};

/* How the error on held-out parts of the training data depends on the strength of the prior. */
enum { ARMDYN_STRENGTHS = 33, ARMDYN_FOLDS_MAX = 32, ARMDYN_EVENTS_MAX = 32 };
struct armdyn_strength {
  double strength, error; /* error: |e| / |tau| over all joints and held-out parts */
};

/* Does the model leave something that comes back whenever the joint comes back to a velocity, or to a position; or to the ways
 * that it and another joint move, as friction at motors that both of them turn? */
enum armdyn_lack_kind {
  ARMDYN_LACK_OVER_VELOCITY,
  ARMDYN_LACK_OVER_POSITION,
  ARMDYN_LACK_OVER_OTHERS, /* of all other joints the one for which p is least; p times how many there are */
  ARMDYN_LACKS
};

struct armdyn_lack_of_fit {
  double f; /* what is left in every bin, over what differs between passes through it; near 1: only noise is left. NAN:
                  fewer than 8 bins with 3 passes each */
  double p; /* of such an f or a larger one, if the model were right */
  size_t other; /* OVER_OTHERS: which joint; else 0 */
  size_t bins;  /* with 3 passes or more */
  size_t passes;
};
/* Is it clear (p < 0.001) that the model leaves more than noise, and is that more than twice the noise? Then deviations,
 * which know of noise alone, say too little. */
bool armdyn_lacks_fit(const struct armdyn_lack_of_fit *lack);

/* What an estimator answers; b is the number of base parameters, p that of standard ones. */
struct armdyn_estimate {
  double *beta; /* b */
  double *
      deviation; /* b, standard deviations (NAN: friction of a joint that rests), of residuals that are correlated and unequal (Newey & West
                                 1987); of RIDGE and CONSISTENT with how far the prior may pull, which is as wide as the data show it to be if
                                 that is wider than its strength says */
  bool *at_bound;     /* p: a sign of friction (free_signs) holds it; it has no deviation (NAN) */
  double *covariance; /* b x b */
  double *standard;   /* p: RIDGE, CONSISTENT what was found, else the smallest change of the prior that has beta */
  double *standard_deviation;             /* p; of what the data leave open only the prior's part, 0 without prior */
  double *joint_deviation;                /* n, N m (N), of the residuals */
  double *correlation;                    /* n, how many samples of the residuals count as one, >= 1 */
  struct armdyn_lack_of_fit *lack_of_fit; /* n x ARMDYN_LACKS, by joint */
  bool *physical;                         /* n: can a body have the link's standard parameters? */
  double condition;      /* of the regressor of all joints, SI units; INFINITY: it has dependent columns */
  size_t rounds;         /* of iteration */
  double prior_strength; /* used, 0: none */
  struct armdyn_strength curve[ARMDYN_STRENGTHS]; /* from strong to weak; all 0 without cross-validation */
  size_t fold_count;                              /* of the cross-validation; 0: there was none */
  double held_out[ARMDYN_FOLDS_MAX]; /* |e|^2 on each held-out part, at the strength with the least error */
  size_t event_count; /* moments at which several joints are far off at once, of which the warning EVENT tells */
  struct armdyn_log_window events[ARMDYN_EVENTS_MAX];
  struct armdyn_warnings warnings;
};

/* Identify from conditioned motions.
 *   motions  in   motion_count of them, which together are the training data
 *   out      out  release with armdyn_estimate_free
 * OK, EINPUT, ESINGULAR (the motion, or the instruments, do not excite a parameter, which is named; not RIDGE and
 * CONSISTENT), ECANCELLED or EMEMORY. Deterministic.
 * Sources: Huber 1981 (IRLS); Wensing, Kim & Slotine 2018 and Lee, Wensing & Park 2019 (CONSISTENT); Janot, Vandanjon &
 * Gautier 2014, A generic instrumental variable approach for industrial robot identification (IV). */
enum armdyn_status armdyn_identify(const struct armdyn_unknowns *unknowns, const struct armdyn_motion *motions,
                                   size_t motion_count, const struct armdyn_estimation *estimation,
                                   struct armdyn_estimate *out, struct armdyn_error *error);
/* The same from data of any length; memory does not depend on it. Reads everything twice, IRLS once a round. Refusals of
 * the source are handed on. */
enum armdyn_status armdyn_identify_source(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                          const struct armdyn_estimation *estimation, struct armdyn_estimate *out,
                                          struct armdyn_error *error);
void armdyn_estimate_free(struct armdyn_estimate *estimate);

/* A robot whose links and rotors are those that data tell without friction of the load: from its torques the search for such
 * friction begins.
 *   friction  in   n, terms; that of the load is left out
 *   loads     out  release with armdyn_robot_free
 * OK, the refusals of armdyn_identify_source, or EMEMORY. */
enum armdyn_status armdyn_loads_first(const struct armdyn_robot *robot, const unsigned *friction,
                                      enum armdyn_rotor_columns rotors, const struct armdyn_source *source,
                                      const struct armdyn_estimation *estimation, struct armdyn_robot **loads,
                                      struct armdyn_error *error);

enum { ARMDYN_LOAD_ROUNDS = 8 };
/* Identify where friction depends on the load: tau = Y beta + c |y| s(qd) with y = Y beta of the links and rotors. Under the
 * loads of the round before it is linear, and the rounds end where c no longer changes; c times a change of y is small
 * against the change, so each makes the error smaller by about that factor.
 *   robot, friction, rotors  in      what the unknowns were made of
 *   unknowns                 in/out  with any loads; then with those of the estimate
 *   rounds                   out     at most ARMDYN_LOAD_ROUNDS; 1 without such friction
 * As armdyn_identify_source, which it is without such friction; EINPUT where the data want c >= 1. */
enum armdyn_status armdyn_identify_under_load(const struct armdyn_robot *robot, const unsigned *friction,
                                              enum armdyn_rotor_columns rotors, const struct armdyn_source *source,
                                              const struct armdyn_estimation *estimation,
                                              struct armdyn_unknowns **unknowns, struct armdyn_estimate *out,
                                              size_t *rounds, struct armdyn_error *error);

/* Friction of a joint over its velocity as an estimate has it, without lines over the motor angle.
 *   velocity   in   count, rad/s (m/s)
 *   torque     out  count, N m (N)
 *   deviation  out  count, standard deviations of it; NAN: the joint rests in the data
 * Cannot fail. */
void armdyn_friction_curve(const struct armdyn_unknowns *unknowns, const struct armdyn_estimate *estimate, size_t joint,
                           size_t count, const double *velocity, double *torque, double *deviation);

/* Of all standard parameters that have these base parameters, the ones nearest to the prior, in the metric of the distance
 * that CONSISTENT uses. What the data do not tell stays what it was, as far as it can.
 *   ignore_prior  in   as in the estimation
 *   beta          in   b
 *   covariance    in   b x b of beta; NULL: not known
 *   standard      out  p
 *   deviation     out  p, only with a covariance; 0 for what beta says nothing of
 *   warnings      out  added to: links of the prior that no body can be
 * OK or EMEMORY. */
enum armdyn_status armdyn_standard_parameters(const struct armdyn_unknowns *unknowns, bool ignore_prior,
                                              const double *beta, const double *covariance, double *standard,
                                              double *deviation, struct armdyn_warnings *warnings);
/* Can a body have these ten parameters (the order of armdyn_parameter_choice): is its pseudo-inertia positive definite? */
bool armdyn_link_is_physical(const double link[10]);

/* ---------------------------------------------------------------- choice of friction terms */

/* What was tried for one joint. */
struct armdyn_friction_trial {
  unsigned term; /* of enum armdyn_friction_terms; 0: only another velocity scale */
  double error;  /* with it and all that was kept before: |e| / |tau| of the joint on held-out data */
  double gain; /* mean of what it takes off the joint's |e|^2 of the held-out parts, in standard errors of that mean */
  double
      velocity; /* the best Stribeck velocity of those tried, or velocity scale, rad/s (m/s); NAN: not of this trial */
  double exponent; /* of Stribeck friction; NAN: not of this trial */
  bool kept;
};

enum { ARMDYN_FRICTION_TRIALS = 24 };
struct armdyn_friction_choice {
  unsigned terms;        /* kept, or-ed */
  double without, error; /* held-out errors of the joint without friction and with all that was kept */
  size_t trial_count;
  struct armdyn_friction_trial trials[ARMDYN_FRICTION_TRIALS]; /* in the order in which they were tried */
};

/* Choose the friction of each joint by what it gains on data that it was not fitted to (blocked cross-validation, ridge
 * estimates): one term after the other, each kept if the mean of what it gains on the joint's held-out parts is more than
 * one standard error of that mean, the one-standard-error rule of Breiman, Friedman, Olshen & Stone 1984, 3.4.3, and if the
 * data do not pull it to a sign that no friction has. What is no longer missed at the end is taken out again.
 * The Stribeck velocity is one of six, 1 to 32 % of the fastest that the joint moves, its exponent 1 or 2, for
 * armdyn_refine_stribeck to refine; the velocity scale one of six, or the model's; lines over the motor angle are searched
 * in what the terms before leave. A robot's own Stribeck velocity and lines stay.
 *   required    in   terms to identify in any case, or-ed; not 0: the friction that the robot has is identified too
 *   candidates  in   terms to try, or-ed
 *   estimation  in   folds, ignore_prior, cancelled, trying
 *   choice      out  n
 *   out         out  the robot with the friction to identify: velocity scales, and a Stribeck velocity where that term was
 *                    kept. Give it to armdyn_unknowns_by_joint with the choices' terms; release with armdyn_robot_free
 * OK, the refusals of armdyn_identify_source, or EMEMORY. */
enum armdyn_status armdyn_choose_friction(const struct armdyn_robot *robot, unsigned required, unsigned candidates,
                                          enum armdyn_rotor_columns rotors, const struct armdyn_source *source,
                                          const struct armdyn_estimation *estimation,
                                          struct armdyn_friction_choice *choice, struct armdyn_robot **out,
                                          struct armdyn_error *error);

/* What was found of Stribeck velocities. */
struct armdyn_stribeck {
  double deviation
      [ARMDYN_JOINTS_MAX];         /* standard deviations, rad/s (m/s); NAN: not searched, or the data do not tell it */
  double *covariance;              /* b x b: the part of the base parameters' that is owed to the velocities, for
                         armdyn_estimation.more_covariance; b of the refined robot with the same terms and rotors */
  struct armdyn_warnings warnings; /* joints whose data do not tell it */
};

/* Refine the Stribeck velocities that armdyn_choose_friction has chosen among a few, each on its own: least squares over all
 * parameters and velocities at once, by Gauss and Newton. Reads everything twice a round, some five rounds, twelve at most.
 *   given       in   the robot that armdyn_choose_friction was given: velocities that it has stay
 *   chosen      in   the robot that it answered
 *   terms       in   n, as for armdyn_unknowns_by_joint
 *   estimation  in   ignore_prior, cancelled, trying (a round begins)
 *   refined     out  the robot with the velocities, without the term in joints whose data show none; release with
 *                    armdyn_robot_free
 *   out         out  release with armdyn_stribeck_free
 * OK, the refusals of armdyn_identify_source, or EMEMORY. Source: Golub & Pereyra 1973, Kaufman 1975. */
enum armdyn_status armdyn_refine_stribeck(const struct armdyn_robot *given, const struct armdyn_robot *chosen,
                                          const unsigned *terms, enum armdyn_rotor_columns rotors,
                                          const struct armdyn_source *source,
                                          const struct armdyn_estimation *estimation, struct armdyn_robot **refined,
                                          struct armdyn_stribeck *out, struct armdyn_error *error);
void armdyn_stribeck_free(struct armdyn_stribeck *stribeck);

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

/* How an estimate did, by joint. */
struct armdyn_judgement {
  bool validated;                 /* on other data than it was trained on */
  const struct armdyn_fit *fit;   /* n, both sides through the same filter */
  const double *trained, *judged; /* n: the fastest in the training and in what it was judged by, rad/s (m/s) */
};
/* Say what gives reason to doubt an estimate: much of a torque unexplained, deviations that know of noise only, links that
 * no body can be, a validation faster than the training, lines over the motor angle that the torque filter took away.
 *   unknowns  in   of the estimate
 *   estimate  in   with lack_of_fit
 *   warnings  out  added to
 * Cannot fail. */
void armdyn_doubt(const struct armdyn_unknowns *unknowns, const struct armdyn_estimate *estimate,
                  const struct armdyn_judgement *judgement, struct armdyn_warnings *warnings);

#ifdef __cplusplus
}
#endif
#endif
