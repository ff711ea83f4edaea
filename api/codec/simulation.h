/* Simulations between JSON and the library: what is asked, and what is answered. */
#ifndef API_CODEC_SIMULATION_H
#define API_CODEC_SIMULATION_H

#include "api/codec/carried.h"
#include "api/codec/control.h"
#include "api/codec/dynamics_request.h"
#include "api/codec/result.h"
#include "api/codec/state_feedback.h"
#include "armdyn/regressor.h"
#include "armdyn/zones.h"

/* Torques over time, for open loop. */
struct torque_profile {
  struct table tau;
  double rate; /* Hz */
};

enum simulation_method { SIMULATION_ADAPTIVE, SIMULATION_FIXED, SIMULATION_METHODS };

struct simulation_request {
  struct carried carried;                             /* of the model, and of the plant where that says nothing else */
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX]; /* at t = 0 */
  bool has_q, has_qd;
  double tau[ARMDYN_JOINTS_MAX]; /* of the drives, constant */
  bool has_control, has_plant;
  struct control_request control; /* instead of ideal computed torque; without a trajectory it holds the start */
  struct plant_request plant;     /* that is controlled; the model itself unless given */
  char trajectory[27];            /* that is followed instead, by its id; "": none */
  bool open_loop;                 /* its torques are played, whatever the arm does */
  bool has_profile;
  struct torque_profile profile; /* these are */
  bool has_feedback;
  struct state_feedback feedback; /* beside torques that are played or constant */
  double bandwidth_hz;            /* of what follows it; NAN = not given */
  double duration;                /* s; NAN = that of the trajectory */
  bool friction;
  enum simulation_method method;
  double tolerance;   /* of adaptive steps, relative and absolute; NAN = not given */
  double step;        /* s, of fixed steps; NAN = not given */
  double sample_rate; /* Hz; never NAN once decoded. With control its rate divided by a whole number */
  struct result_labels labels;
};

/* Decode and check in full: everything but how the motion goes.
 *   out  out  release with simulation_request_release unless refused
 * OK, ESYNTAX (400), EINPUT (422), EMEMORY. */
enum armdyn_status simulation_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct simulation_request *out, struct faults *faults);

void simulation_request_release(struct simulation_request *request);

struct simulation_momentum {
  double angular[3], linear[3]; /* about the base origin, in base axes; kg m^2/s, kg m/s */
};
struct simulation_state {
  double kinetic, potential; /* J */
  struct simulation_momentum momentum;
};

/* Are torques played over time, whatever the arm does? */
bool simulation_replays(const struct simulation_request *request);
/* How long the profile lasts, s. */
double simulation_profile_time(const struct simulation_request *request);

/* Are so many samples kept? OK, or EINPUT for /sample_rate. */
enum armdyn_status simulation_check_samples(double duration, double sample_rate, struct armdyn_error *error);
/* That, and do so many periods of a controller run? Also EINPUT for /control/rate_hz. */
enum armdyn_status simulation_check_size(const struct simulation_request *request, struct armdyn_error *error);

/* What a law that adapts believed in, at equal times. */
enum { LEARNING_TIMES = 21 };
struct simulation_learning {
  const struct armdyn_robot *robot;
  struct armdyn_parameter_choice choice; /* of its parameters */
  size_t count, times;                   /* parameters; filled */
  double t[LEARNING_TIMES];
  double *values, *rates, *model; /* LEARNING_TIMES x count; count; count */
};

enum { SIMULATION_SCHEDULED = ARMDYN_ZONES_MAX };

/* What was computed. */
struct simulation_result {
  const struct simulation_request *request;
  const char *request_text;
  long steps;
  size_t samples;
  struct simulation_state start, end;
  /* where it is controlled, at the samples; with `control` at its periods: */
  double off_rms[ARMDYN_JOINTS_MAX], off_max[ARMDYN_JOINTS_MAX]; /* of where it should be */
  double peak_torque[ARMDYN_JOINTS_MAX];
  double saturated[ARMDYN_JOINTS_MAX]; /* share of the periods in which more was asked than the limit */
  double scheduled
      [SIMULATION_SCHEDULED];  /* share of the periods in which each entry or zone of the schedule was in force */
  size_t entry, entry_changes; /* the last; how often it changed */
  const struct armdyn_control *control; /* in force; NULL: none */
  const struct armdyn_robot_description *robot;
  double work;                                    /* J, of the drives */
  double peak_kinetic;                            /* J, at a sample */
  struct tool_peak tool_speed, tool_acceleration; /* m/s, m/s^2, at a sample; with `control` at a period */
  double unbalanced; /* J, the largest |energy - energy at the start - work| at a sample, that of elements in it */
  bool has_account;
  struct armdyn_energy_account account; /* of the plant's elements, at the end */
  struct simulation_learning learning;  /* no times: the law does not learn */
};
/* The document that is kept: a JSON object. */
void simulation_result_encode(const struct simulation_result *result, struct buffer *out);
extern const struct result_form simulation_form;

#endif
