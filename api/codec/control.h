/* A controller as requests name it: "control". */
#ifndef API_CODEC_CONTROL_H
#define API_CODEC_CONTROL_H

#include "api/codec/control_schedule.h"
#include "api/codec/plant.h"
#include "armdyn/control.h"

struct control_factors {
  size_t count;
  struct armdyn_adaptation_factor items[ARMDYN_ADAPTATION_FACTORS_MAX];
};

struct control_request {
  struct armdyn_gains gains;
  unsigned given; /* of them, enum armdyn_gain or-ed */
  enum armdyn_law law;
  double rate_hz;
  size_t delay_periods;
  double encoder_resolution[ARMDYN_JOINTS_MAX]; /* rad, m; 0 = exact */
  bool has_encoder;
  double velocity_filter_hz;          /* 0 = the velocity is measured exactly; once decoded never NAN */
  struct armdyn_torque_filter filter; /* no NAN */
  struct armdyn_search search;
  bool has_search;
  size_t learn_periods;
  bool has_learn_periods;
  struct control_factors factors;
  struct control_schedule schedule;
  bool has_schedule;
  bool torque_limits; /* of the robot's joints are kept */
};
/* Decoding: context->user is the robot's description. */
extern const struct json_type control_type;

/* The gains in force: those given in place of those that the bandwidth makes at q.
 *   control  out  all of it */
void control_in_force(const struct control_request *request, const struct armdyn_robot *robot, double bandwidth_hz,
                      const double *q, bool friction, struct armdyn_workspace *workspace,
                      struct armdyn_control *control);

/* Of bit k of enum armdyn_gain; NULL: there are no more. */
const char *control_gain_name(size_t k);
/* Is a PID left of this law when its model is taken away? */
bool control_alone(enum armdyn_law law);
/* That PID: the same gains; of computed_torque, whose gains are of accelerations, those times the diagonal of M at q.
 *   control  in/out */
void control_take_alone(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                        struct armdyn_control *control);

/* Law, rate and gains in force, as a result tells them: an object.
 *   asked  in  whose zones they are in, where they are */
void control_encode(struct json_writer *w, const struct armdyn_control *control, const struct control_schedule *asked,
                    const struct armdyn_robot_description *robot);

#endif
