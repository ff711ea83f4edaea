/* Collision checks: what is asked of logs or of a simulated collision, and what is answered. */
#ifndef API_CODEC_COLLISION_CHECK_H
#define API_CODEC_COLLISION_CHECK_H

#include "api/codec/identification.h"

/* What strikes the arm in a simulation. */
struct collision_push {
  double time, duration; /* s; duration INFINITY: until the end */
  double wrench[6];      /* on the tool, [moment; force], N m, N */
  enum armdyn_wrench_frame wrench_frame;
};

/* Logs or a simulation, with thresholds or a reference to find them in. */
struct collision_check_request {
  struct id_list datasets;  /* to look for collisions in */
  char trajectory[27];      /* or followed by a simulated arm; "": none */
  struct id_list reference; /* without collisions */
  bool has_thresholds, has_collision;
  double thresholds[ARMDYN_JOINTS_MAX];
  double margin; /* thresholds over the largest residual of the reference */
  struct collision_push collision;
  double observer_bandwidth_hz;
  double tracking_bandwidth_hz, sample_rate; /* of the simulation; NAN = not given */
  bool friction;
  struct identification_conditioning conditioning;
  struct result_labels labels;
};
/* holds no memory of its own. OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status collision_check_request_decode(const char *text, size_t length,
                                                  const struct armdyn_robot_description *robot,
                                                  struct collision_check_request *out, struct faults *faults);

/* One log, or the simulation. */
struct collision_log {
  double duration;                                        /* s, looked at */
  double rms[ARMDYN_JOINTS_MAX], peak[ARMDYN_JOINTS_MAX]; /* of the residuals */
  size_t alarms; /* of a reference: by thresholds that were found in the rest of it */
};

struct collision_event {
  size_t log;                     /* of the data that were checked */
  size_t joint;                   /* from 0 */
  double time, end;               /* s, of the log's clock */
  double sample_time;             /* s, in /samples */
  double residual;                /* of the joint when it began */
  double peak[ARMDYN_JOINTS_MAX]; /* signed */
};

struct collision_check_result {
  const struct collision_check_request *request;
  const char *request_text;
  const struct armdyn_robot_description *robot;
  const double *thresholds; /* in force */
  double gain;              /* 1/s */
  /* the logs: first those of the reference, then those that were checked; of a simulation, which is one, there is no data */
  const struct identification_data *data;
  const struct collision_log *logs;
  size_t reference_count, checked_count;
  size_t parts; /* that the reference was divided into; each was judged by the rest */
  struct identification_conditioning conditioning; /* of the logs, as used */
  const struct collision_event *events;
  size_t event_count, listed; /* all of them; those that are listed */
  struct collision_outcome {
    double time, duration;             /* s, on the samples' clock */
    double torques[ARMDYN_JOINTS_MAX]; /* J' w when it begins */
    double delay;                      /* s; NAN: not detected */
    size_t false_alarms;               /* before it */
  } outcome;                           /* of a simulation */
  double sample_rate;                  /* Hz, of the samples that are kept */
  const struct identification_warning *warnings;
  size_t warning_count;
};
void collision_check_result_encode(const struct collision_check_result *result, struct buffer *out);
extern const struct result_form collision_check_form;

#endif
