/* Judging what is asked before any planning, and wording refusals. */
#ifndef LIB_TRAJECTORY_REQUEST_H
#define LIB_TRAJECTORY_REQUEST_H

#include "armdyn/trajectory.h"

/* The limits in force: the request's, or the robot's where it has none. */
void request_limits(const struct armdyn_robot *robot, const struct armdyn_profile_request *request,
                    struct armdyn_limits *limits);

/* Is a joint's limit sane: lower < upper, others > 0? OK, or EINPUT with a pointer like "/limits/velocity/2". */
enum armdyn_status limits_check(const struct armdyn_limits *limits, size_t joint, struct armdyn_error *error);

/* Counts, finite numbers, sane limits, increasing times, and one duration (NAN = free). OK or EINPUT. */
enum armdyn_status request_check(const struct armdyn_robot *robot, const struct armdyn_profile_request *request,
                                 const struct armdyn_limits *limits, double duration_min, double duration_max,
                                 double *duration, struct armdyn_error *error);

/* EINFEASIBLE when a point is beyond a position limit; `margin` then tells that one. */
enum armdyn_status request_points_within(const struct armdyn_robot *robot, const struct armdyn_profile_request *request,
                                         const struct armdyn_limits *limits, struct armdyn_margin *margin,
                                         struct armdyn_error *error);

/* Are all points the same? */
bool request_is_still(size_t joints, size_t points, const double *q);

/* Word an EINFEASIBLE: the limit that is exceeded most, where, when, by how much, and what duration would do. */
enum armdyn_status infeasible(const struct armdyn_robot *robot, const struct armdyn_margin *margin, double duration,
                              double minimum_duration, struct armdyn_error *error);
/* The same where that is the tool's speed, m/s at `time`. */
enum armdyn_status infeasible_tool(double speed, double time, double duration, double usage, double minimum_duration,
                                   struct armdyn_error *error);

#endif
