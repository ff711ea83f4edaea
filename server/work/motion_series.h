/* The series of a motion that a job has found, as stored_trajectory.h reads them. */
#ifndef SERVER_WORK_MOTION_SERIES_H
#define SERVER_WORK_MOTION_SERIES_H

#include "armdyn/trajectory.h"
#include "server/data/samples.h"
#include "server/work/work.h"

/* Of every kind of motion: t, q, qd, qdd, tau, power; where they are named, position, velocity and acceleration of the tool. */
extern const struct series_form motion_samples;

/* Hand back samples and polynomials, with progress from `fraction` to 1.
 *   limits    in   n, in force
 *   stepping  out  n: does the torque go from one sample to the next beyond the limit of its rate? The planner bounds the
 *                  rate of a smooth torque; friction that changes its sign is a step, and a controller that is sent the
 *                  samples sees it
 * OK or EMEMORY. */
enum armdyn_status motion_series_send(struct work *work, const struct armdyn_robot *robot,
                                      const struct armdyn_trajectory *trajectory, double sample_rate,
                                      const struct armdyn_limits *limits, double fraction, bool *stepping);

#endif
