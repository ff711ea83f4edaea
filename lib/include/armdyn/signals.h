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
/* ---------------------------------------------------------------- torques that are late */

/* How much later than its position the torque of a joint is logged. */
enum { ARMDYN_DELAY_FOLDS = 8 };
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
