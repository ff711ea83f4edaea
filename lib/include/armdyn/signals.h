/* What the signals of a log are worth, before anything is identified from them. */
#ifndef ARMDYN_SIGNALS_H
#define ARMDYN_SIGNALS_H

#include "armdyn/identify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- velocities that were logged */

/* Why a velocity that was logged is not taken. */
enum armdyn_velocity_verdict {
  ARMDYN_VELOCITY_AGREES, /* it is */
  ARMDYN_VELOCITY_RESTS,  /* the joint does not move: nothing is known of it */
  ARMDYN_VELOCITY_UNLIKE, /* it is not the velocity of these positions at any gain and delay */
  ARMDYN_VELOCITY_GAIN,   /* it is so many times what positions say, or that is not known well */
  ARMDYN_VELOCITY_OFFSET, /* it is not 0 where positions stand */
  ARMDYN_VELOCITY_LATE,   /* it is later or earlier than positions, or that is not known well */
  ARMDYN_VELOCITY_NOISY,  /* it agrees, but positions tell accelerations with less noise */
  ARMDYN_VELOCITY_VERDICTS
};
struct armdyn_logged_velocity {
  enum armdyn_velocity_verdict verdict;
  double gain, gain_deviation;   /* NAN: not known */
  double delay, delay_deviation; /* s, later than positions */
  double latest; /* s, of which a delay does no harm: a hundredth of a radian at a tenth of the cut-off */
  double offset; /* rad/s (m/s) */
  double unlike; /* |what gain, offset and delay leave| / |velocity| */
  double noise;  /* of accelerations that follow from it, by that of those from positions */
};
/* Hold the velocities of a log against its positions. They agree if gain and offset are within a hundredth (of 1, of the
 * fastest speed), and the delay is at most the latest, all known as well.
 *   log           in   with qd; a minute of it is enough
 *   conditioning  in   rate, position_cutoff, trim
 *   out           out  n
 * OK, the refusals of armdyn_condition, or EMEMORY. */
enum armdyn_status armdyn_check_velocities(const struct armdyn_robot *robot, const struct armdyn_log *log,
                                           const struct armdyn_conditioning *conditioning,
                                           struct armdyn_logged_velocity *out, struct armdyn_error *error);
/* Say of which joints the velocity is not that of the positions, and what to do.
 *   found     in   n
 *   used      in   n: it is taken all the same
 *   warnings  out  added to
 * Cannot fail. */
void armdyn_velocity_warnings(const struct armdyn_robot *robot, const struct armdyn_logged_velocity *found,
                              const bool *used, struct armdyn_warnings *warnings);
/* ---------------------------------------------------------------- cut-offs */

/* What a cut-off of torques leaves on held-out parts of the data, against the torque as it was measured. */
enum { ARMDYN_CUTOFF_PARTS = 8 };
struct armdyn_held_out {
  double torque_cutoff;             /* in: Hz; 0: none */
  double left[ARMDYN_CUTOFF_PARTS]; /* |e|^2 of each part, joints weighted */
};
/* Least squares of each joint by itself over all parts but one, of torques and friction behind the cut-off, then without it on
 * the part that was left out. Reads everything once.
 *   source   in      conditioned, its margins wide enough for the lowest cut-off that is tried: a block's arrays hold them
 *   weight   in/out  n, 1 / |e|^2 of each joint at the first cut-off; all 0: they are taken from it
 *   tried    in/out  count
 * OK, the refusals of the source, EINPUT (a cut-off beyond half the rate) or EMEMORY. */
enum armdyn_status armdyn_try_cutoffs(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                      double *weight, size_t count, struct armdyn_held_out *tried,
                                      struct armdyn_error *error);
/* What one leaves by what another does, of all parts: a ratio of roots. */
double armdyn_held_out_error(const struct armdyn_held_out *of, const struct armdyn_held_out *by);
/* By how much b is better than a, in standard errors of the mean difference of the parts. */
double armdyn_held_out_gain(const struct armdyn_held_out *a, const struct armdyn_held_out *b);

/* ---------------------------------------------------------------- torques that are late */

/* A delay that is plain in one log. */
struct armdyn_plain_delay {
  double delay; /* s, of the torque that fits best; 0: none is better than the one that was logged */
  double left;  /* |e|^2 with it, by that without; 1: none */
};
/* Below these, it is worth a search, and a warning. */
#define ARMDYN_DELAY_SEARCHED 0.9
#define ARMDYN_DELAY_WARNED   0.7
/* Shift each joint's torque by up to ten steps of 4 ms, and see what its equations leave.
 *   log  in   a minute of it is enough
 *   out  out  n
 * OK, the refusals of armdyn_condition, or EMEMORY. */
enum armdyn_status armdyn_plain_delays(const struct armdyn_unknowns *unknowns, const struct armdyn_log *log,
                                       const struct armdyn_conditioning *conditioning, struct armdyn_plain_delay *out,
                                       struct armdyn_error *error);
/* Say which are plain with what the conditioning has taken out.
 *   searched  in   delays were searched for, and what shows was taken out
 *   warnings  out  added to
 * Cannot fail. */
void armdyn_delay_warnings(const struct armdyn_plain_delay *plain, size_t n, bool searched,
                           struct armdyn_warnings *warnings);

/* How much later than its position the torque of a joint is logged. */
enum { ARMDYN_DELAY_FOLDS = ARMDYN_CUTOFF_PARTS };
struct armdyn_torque_delay {
  double delay, deviation; /* s; NAN: the data do not tell. The deviation is that of the jackknife over the parts */
  double without[ARMDYN_DELAY_FOLDS], with[ARMDYN_DELAY_FOLDS]; /* |e|^2 of held-out parts of the data */
};
/* Find them, what the conditioning has taken out already apart, to first order: with what was found taken out, call it again.
 * Reads everything twice. Masses, rotors and friction are each joint's own.
 *   delays  out  n
 * OK, the refusals of the source, or EMEMORY. */
enum armdyn_status armdyn_find_torque_delays(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                             struct armdyn_torque_delay *delays, struct armdyn_error *error);
/* Does a delay show: is it more than twice its deviation, and is the mean of what it takes off held-out errors more than one
 * standard error of that? What is longer than 0.1 s, or than a quarter of a period of the torque filter's cut-off, does not:
 * presliding of joints that creep looks like that, and a slope is no longer a shift.
 *   first          in  before anything was taken out
 *   last           in  of the last call; its delay is the whole one
 *   torque_cutoff  in  Hz; 0: none */
bool armdyn_torque_delay_shows(const struct armdyn_torque_delay *first, const struct armdyn_torque_delay *last,
                               double torque_cutoff);

#ifdef __cplusplus
}
#endif
#endif
