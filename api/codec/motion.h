/* What is told of every motion that was computed, whatever kind of result it is: how it uses its limits, whether it may go
 * to a controller, and what to know before. */
#ifndef API_CODEC_MOTION_H
#define API_CODEC_MOTION_H

#include "api/codec/trajectory.h"

/* A list of the margins (ARMDYN_LIMIT_KINDS x n) of the limits in force, by kind, then joint. */
void motion_margins_encode(struct json_writer *w, const struct armdyn_robot_description *robot,
                           const struct armdyn_limits *limits, const struct armdyn_margin *margin);
/* The members "transferable" and "blockers".
 *   clearance  in  of the motion; NULL: it is held against no cell
 *   restless   in  name of the joint that moves fastest at an end; NULL: it begins and ends at rest */
void motion_transferable_encode(struct json_writer *w, const struct armdyn_robot_description *robot,
                                const struct requested_limits *requested, const struct armdyn_margin *margin,
                                const struct armdyn_motion_clearance *clearance, const char *restless);
/* Elements of "warnings": joints whose torque steps between two samples (stepping: n). */
void motion_step_warnings_encode(struct json_writer *w, const struct armdyn_robot_description *robot,
                                 const bool *stepping, double sample_rate);

/* A time of one move that looks like milliseconds: "unit_suspect" and what to say of it, as members of the object that is being
 * written.
 *   where  in  pointer into the request */
#define MOTION_SUSPECT_TIME 100.0 /* s; arms move for seconds, and 0.1 s are 100 ms */
void motion_time_warning_encode(struct json_writer *w, const char *where, double seconds);

#endif
