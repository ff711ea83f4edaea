/* Classic profiles over the points of another motion in the same time, to compare it with. */
#ifndef SERVER_WORK_BASELINE_H
#define SERVER_WORK_BASELINE_H

#include <stdbool.h>

#include "armdyn/trajectory.h"

/* Which profiles a motion is compared with. */
enum { BASELINES = 2 };
extern const enum armdyn_profile baseline_profiles[BASELINES];

/* Plan one within the limits or, when it cannot keep them, without any.
 *   points, times  in   count x n and count: where the motion is when; the last time is the duration
 *   tool_speed     in   m/s, most of the tool; NAN = not limited
 *   feasible       out  it keeps the limits
 *   out            out  release with armdyn_trajectory_free when found
 * false: there is none. */
bool baseline_plan(const struct armdyn_robot *robot, enum armdyn_profile profile, const double *points,
                   const double *times, size_t count, const struct armdyn_limits *limits, double tool_speed,
                   struct armdyn_trajectory *out, bool *feasible);

#endif
