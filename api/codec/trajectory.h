/* Trajectories between JSON and the library: what is asked, and what is answered. */
#ifndef API_CODEC_TRAJECTORY_H
#define API_CODEC_TRAJECTORY_H

#include "api/codec/result.h"
#include "api/json/fields.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/trajectory.h"

struct trajectory_point {
  double q[ARMDYN_JOINTS_MAX];
  double time; /* s; NAN = free */
};

/* One kind of limit as a request writes it: absent (the robot's own), a value for each joint, or null = removed. */
struct limit_wish {
  bool given;
  bool removed[ARMDYN_JOINTS_MAX];
  double value[ARMDYN_JOINTS_MAX][2]; /* position: lower, upper; else the first */
};

struct limit_wishes {
  struct limit_wish position, velocity, acceleration, jerk, torque, torque_rate;
};

struct trajectory_request {
  enum armdyn_profile method;
  struct trajectory_point start, goal;
  size_t waypoint_count;
  struct trajectory_point *waypoints;
  double duration; /* s; NAN = the shortest that keeps the limits */
  struct limit_wishes limits;
  double sample_rate; /* Hz */
  struct result_labels labels;
};

/* Decode and check in full against the robot: everything but whether the motion keeps its limits on the way.
 *   out  out  release with trajectory_request_release unless refused
 * OK, ESYNTAX (400), EINPUT (422), EMEMORY. */
enum armdyn_status trajectory_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct trajectory_request *out, struct faults *faults);
void trajectory_request_release(struct trajectory_request *request);
/* The limits in force: the request's where it has them, else the robot's.
 *   limits  out  n */
void trajectory_request_limits(const struct trajectory_request *request, const struct armdyn_robot_description *robot,
                               struct armdyn_limits *limits);
/* Is there such a limit? */
bool trajectory_limited(const struct armdyn_limits *limits, enum armdyn_limit_kind kind);
/* Why the motion may not go to a controller: it was planned with less than the robot's own limits.
 *   blockers  out  room for ARMDYN_LIMIT_KINDS x n
 *   Returns how many. */
struct trajectory_blocker {
  const char *code; /* "limit_removed", "limit_raised" */
  enum armdyn_limit_kind limit;
  size_t joint;
};
size_t trajectory_request_blockers(const struct trajectory_request *request,
                                   const struct armdyn_robot_description *robot, struct trajectory_blocker *blockers);
/* The same request with another duration, as JSON.
 *   time_scale  in  passing times of waypoints are multiplied by it; 0: they become free */
void trajectory_request_rewrite(const char *text, size_t length, double duration, double time_scale,
                                struct buffer *out);

/* What was computed. margin: ARMDYN_LIMIT_KINDS x n. */
struct trajectory_result {
  const struct armdyn_robot_description *robot;
  const struct trajectory_request *request;
  const char *request_text;
  const struct armdyn_trajectory *trajectory;
  const struct armdyn_margin *margin;
  const struct armdyn_motion_energy *energy;
  const bool *stepping; /* n: does the torque step between samples beyond torque_rate? */
  double minimum_duration;
};
/* The document that is kept: a JSON object. */
void trajectory_result_encode(const struct trajectory_result *result, struct buffer *out);
/* "the velocity of joint j2 is used most: 98.2 % at 0.25 s", of the margins in force. */
void trajectory_margin_words(const struct armdyn_robot_description *robot, const struct armdyn_margin *margin,
                             char *out, size_t size);

extern const struct result_form trajectory_form;

#endif
