/* The rest of a stored motion, planned anew from where the arm is. */
#ifndef API_CODEC_REPLAN_H
#define API_CODEC_REPLAN_H

#include "api/codec/trajectory.h"

struct replan_request {
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX]; /* measured */
  double time;                                        /* s, of the stored motion */
  double duration;                                    /* s, of what is left; NAN = as it was */
  size_t intervals;                                   /* 0: as fine as it was */
  double deadline;                                    /* s */
  double sample_rate;                                 /* Hz; NAN = as it was */
};

/* OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status replan_request_decode(const char *text, size_t length, size_t joints, struct replan_request *out,
                                         struct faults *faults);

struct replan_result {
  const char *trajectory; /* its id */
  const struct armdyn_robot_description *robot;
  const struct replan_request *request;
  const struct trajectory_request *planned; /* limits and objective */
  const struct armdyn_limits *limits;       /* n, in force */
  const struct armdyn_optimal_result *found;
  const struct armdyn_margin *margin;
  const struct armdyn_trajectory *motion;
  double time;        /* s, in the solver */
  const double *rows; /* row_count samples as armdyn_trajectory_sample has them */
  size_t row_count;
};
void replan_result_encode(const struct replan_result *result, struct buffer *out);

#endif
