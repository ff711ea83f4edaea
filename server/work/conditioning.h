/* How logs are conditioned where a request leaves it open. */
#ifndef SERVER_WORK_CONDITIONING_H
#define SERVER_WORK_CONDITIONING_H

#include "api/codec/identification.h"
#include "server/data/logged_motion.h"

/* From the data: the rate of the first log, cut-offs by how fast the fastest of them is, the trim by the cut-offs.
 *   motions  in/out  count of them; they are read
 *   out      out
 *   used     out     the same as a request would say it, without NAN
 * OK, EINPUT, EIO or EMEMORY. */
enum armdyn_status conditioning_choose(const struct identification_conditioning *asked, struct logged_motion *motions,
                                       size_t count, struct armdyn_conditioning *out,
                                       struct identification_conditioning *used, struct armdyn_error *error);

/* What is cut off the ends for these cut-offs, s; 0 Hz: none. */
double conditioning_trim(double position_cutoff, double torque_cutoff);

/* The beginning of a log, as long as it takes to know a motion again, conditioned.
 *   motion  out  release with armdyn_motion_free */
enum armdyn_status conditioned_head(struct logged_motion *logged, const struct armdyn_conditioning *conditioning,
                                    struct armdyn_motion *motion, struct armdyn_error *error);

/* Is a log of the same motion as the one whose conditioned head is given? See armdyn_motion_repeats.
 *   repeats  out  only with OK */
enum armdyn_status conditioned_head_repeats(struct logged_motion *logged,
                                            const struct armdyn_conditioning *conditioning,
                                            const struct armdyn_motion *head, bool *repeats,
                                            struct armdyn_error *error);

/* How much of a log that is, s. */
enum { HEAD_SECONDS = 60 };

#endif
