/* Data sets as logs to condition: parts of them, read piece by piece for the library. */
#ifndef SERVER_DATA_LOGGED_MOTION_H
#define SERVER_DATA_LOGGED_MOTION_H

#include "api/codec/parts.h"
#include "armdyn/identify.h"
#include "server/data/stored_dataset.h"

struct logged_motion {
  struct stored_dataset *dataset;
  const struct armdyn_robot_description *robot;
  size_t first, count; /* rows of the data set that belong to it */
  double begin, end;   /* s, times of its first and last row */
  bool has_torques, has_velocities;
  bool use_qd[ARMDYN_JOINTS_MAX]; /* joints whose logged velocity is taken; whoever knows that it is right says so */
  bool whole_torques;             /* with gravity and friction */
  bool motor_side;                /* its torques are those of the motors */
  bool other_conditions; /* it was logged with another payload, tool or gravity than the model's, as its owner says */
  bool other_tool_or_gravity; /* the same of tool and gravity alone */
  bool other_payload;         /* ... and of the payload, which is: */
  struct armdyn_body payload;
  double *time, *q, *tau, *qd; /* qd without meaning where velocities are lacking */
  size_t room;                 /* rows */
};

/* Open a data set of this robot, which must have torques.
 *   id         in
 *   from, to   in   parts of its rows, 0..1
 *   motion     out  close it in any case
 *   error      out  what does not fit, in words that go on after "data set ID "
 * OK, ENOTFOUND, EINPUT, EIO, EMEMORY, EBUSY. */
enum armdyn_status logged_motion_open(struct store *store, const char *id, const struct armdyn_robot_description *robot,
                                      double from, double to, struct logged_motion *motion, struct armdyn_error *error);
/* The same, where those that it lacks are zeros: see has_torques. */
enum armdyn_status logged_motion_open_any(struct store *store, const char *id,
                                          const struct armdyn_robot_description *robot, double from, double to,
                                          struct logged_motion *motion, struct armdyn_error *error);
void logged_motion_close(struct logged_motion *motion);
/* For armdyn_log_stream_new; as long as the motion stays where it is. */
struct armdyn_log_reader logged_motion_reader(struct logged_motion *motion);
/* Its first `seconds`, until the next reading. */
enum armdyn_status logged_motion_head(struct logged_motion *motion, double seconds, struct armdyn_log *log,
                                      struct armdyn_error *error);
/* Mean samples a second. */
double logged_motion_rate(const struct logged_motion *motion);
/* How fast it is, Hz: see armdyn_bandwidth; of its first 50,000 samples. */
enum armdyn_status logged_motion_bandwidth(struct logged_motion *motion, double *bandwidth, struct armdyn_error *error);
/* The cutoff of the filters for a motion of this bandwidth at this rate, where nobody commands another; all in Hz. */
double logged_motion_cutoff(double bandwidth, double rate);

#endif
