/* From logs to motions: an even clock, velocities and accelerations, no noise above a cut-off; at once, or block by block.
 *
 * Matrices are row-major, n is the number of joints.
 */
#ifndef ARMDYN_CONDITIONING_H
#define ARMDYN_CONDITIONING_H

#include "armdyn/robot.h"

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

/* Position, velocity and acceleration by Han's tracking differentiator: one pass follows x, a second one what comes out, and
 * so all three went through the same low-pass. What they lag is measured for each column and taken out.
 *   x             in   count x columns, count >= 4
 *   cutoff        in   Hz, where either pass has -3 dB for a motion that does not meet the limit; 0 < cutoff < rate / 2
 *   acceleration  in   of the first pass, at most, unit of x per s^2 (r of the source); 0: no limit
 *   q, qd, qdd    out  count x columns each; q may be x
 *   lag           out  columns, s; NULL: not wanted
 * OK, EINPUT or EMEMORY. What it costs: a sine of frequency f keeps about 1 / (1 + 0.41 (f / cutoff)^2)^2 of its
 * amplitude, so for the same motion the cut-off must be higher than that of armdyn_lowpass. Source: Han 2009. */
enum armdyn_status armdyn_track(size_t count, size_t columns, double rate, double cutoff, double acceleration,
                                const double *x, double *q, double *qd, double *qdd, double *lag,
                                struct armdyn_error *error);

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
/* One sample of it.
 *   time, x  in      as in armdyn_resample, count >= 4
 *   t        in      s, from time[0] to time[count - 1]
 *   at       in/out  0 at first; where the search begins: the t of later calls must not be smaller
 *   out      out     columns
 * Cannot fail. */
void armdyn_interpolate(size_t count, size_t columns, const double *time, const double *x, double t, size_t *at,
                        double *out);

/* What an arm has logged. */
struct armdyn_log {
  size_t count;
  const double *time; /* count, s */
  const double *q;    /* count x n, rad (m) */
  const double *tau;  /* count x n, N m (N) */
  const double *qd;   /* count x n, rad/s (m/s); NULL: velocities were not logged */
  const bool *use_qd; /* n: of these joints the velocity is that, and not the change of q; NULL: of none */
};

/* How positions become velocities and accelerations. */
enum armdyn_conditioning_method {
  ARMDYN_BUTTERWORTH,            /* armdyn_lowpass, and differences, of a velocity that was logged only one */
  ARMDYN_TRACKING_DIFFERENTIATOR /* armdyn_track, of positions alone */
};

struct armdyn_conditioning {
  enum armdyn_conditioning_method method;
  double rate;                            /* Hz of the even clock; 0: the log's mean */
  double position_cutoff;                 /* Hz; 0: not filtered, which a tracking differentiator cannot do */
  double tracking_acceleration;           /* of armdyn_track; 0: no limit */
  double torque_cutoff;                   /* Hz; 0: not filtered */
  double trim;                            /* s, cut off both ends after filtering */
  double torque_delay[ARMDYN_JOINTS_MAX]; /* s by which a joint's torques are logged later than positions: taken out */
};

/* A motion on an even clock, ready for identification. Arrays are count x n. */
struct armdyn_motion {
  size_t count;
  double rate; /* Hz */
  double *q, *qd, *qdd;
  double *tau;          /* filtered */
  double *tau_raw;      /* as measured */
  double torque_cutoff; /* Hz, of the filter that tau went through; 0: none. Columns of friction, which jumps where the
                           speed changes its sign, go through the same filter before they are compared with tau. */
  size_t log;           /* of a stream: which of its logs this is from; else 0 */
  double start;         /* s, time of the first sample by the log's clock */
  size_t before, after; /* samples that the arrays hold on either side of these: they run the filters in */
  double *memory;       /* what armdyn_motion_free releases; NULL in a part */
};

/* Resample, filter, differentiate and trim one log.
 *   motion  out  release with armdyn_motion_free
 * OK, EINPUT (fewer than 16 samples left, numbers that are not finite, a clock that runs backwards) or EMEMORY. */
enum armdyn_status armdyn_condition(size_t n, const struct armdyn_log *log,
                                    const struct armdyn_conditioning *conditioning, struct armdyn_motion *motion,
                                    struct armdyn_error *error);
/* The same for a piece of a longer log, such as fits into memory: pieces that are conditioned with enough around them make
 * up the motion of the whole to rounding (some 1e-10 of the accelerations); of a tracking differentiator but for its lag,
 * which is measured in each: pieces are shifted against the whole by some microseconds (10 us measured at 1 kHz, 1e-4 rad/s).
 *   log           in   the piece, with armdyn_conditioning_margin on either side as far as the whole log has it
 *   conditioning  in   its rate is that of the whole log and may not be 0; its trim is not used
 *   origin        in   s, time of a sample of the even clock, which may be outside of the piece: the first of the log
 *   from, to      in   s, samples from <= t < to stay
 * As armdyn_condition; fewer than 16 samples may stay, even none. */
enum armdyn_status armdyn_condition_piece(size_t n, const struct armdyn_log *log,
                                          const struct armdyn_conditioning *conditioning, double origin, double from,
                                          double to, struct armdyn_motion *motion, struct armdyn_error *error);
/* How long before and after a sample the log influences it, s. */
double armdyn_conditioning_margin(const struct armdyn_conditioning *conditioning);
void armdyn_motion_free(struct armdyn_motion *motion);
/* Samples first .. first + count - 1 of a motion of n joints, which keeps the memory. */
struct armdyn_motion armdyn_motion_part(const struct armdyn_motion *motion, size_t n, size_t first, size_t count);

/* ---------------------------------------------------------------- data beyond memory */

/* Training data that come block by block, in order, as often as an estimator asks. */
struct armdyn_source {
  size_t samples; /* of all blocks together; only divides them into the parts of a cross-validation */
  size_t blocks;
  /* Hand over block `index`, valid until the next call. */
  enum armdyn_status (*read)(void *context, size_t index, struct armdyn_motion *motion, struct armdyn_error *error);
  void *context;
};

/* A log that is read piece by piece. */
struct armdyn_log_reader {
  size_t count;       /* samples */
  double first, last; /* s, their times */
  /* Samples first .. first + count - 1, valid until the next call of any reader. */
  enum armdyn_status (*read)(void *context, size_t first, size_t count, struct armdyn_log *log,
                             struct armdyn_error *error);
  void *context;
};

/* Conditions logs block by block, with memory for one block. */
struct armdyn_log_stream;

/*   readers       in   reader_count of them; what they point to must live as long
 *   conditioning  in   of all of them
 *   out           out  release with armdyn_log_stream_free
 * OK, EINPUT or EMEMORY. */
enum armdyn_status armdyn_log_stream_new(size_t n, const struct armdyn_log_reader *readers, size_t reader_count,
                                         const struct armdyn_conditioning *conditioning, struct armdyn_log_stream **out,
                                         struct armdyn_error *error);
void armdyn_log_stream_free(struct armdyn_log_stream *stream);
/* A part of a log, by its own clock. */
struct armdyn_log_window {
  size_t log;      /* 0 .. reader_count - 1 */
  double from, to; /* s */
};
/* Leave parts of the logs out, as if nothing had been logged there: with them what the torque filter spreads of them, a
 * period of its cut-off on either side. Before a source is taken, and once.
 *   windows  in  in any order; they may overlap, and lie beyond their logs
 * OK or EMEMORY. */
enum armdyn_status armdyn_log_stream_exclude(struct armdyn_log_stream *stream, const struct armdyn_log_window *windows,
                                             size_t count);
/* Its blocks, as long as the stream lives: the same samples as armdyn_condition makes of each log at once. */
struct armdyn_source armdyn_log_stream_source(struct armdyn_log_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
