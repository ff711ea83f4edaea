/* Trajectories between JSON and the library: what is asked, and what is answered. */
#ifndef API_CODEC_TRAJECTORY_H
#define API_CODEC_TRAJECTORY_H

#include "api/codec/carried.h"
#include "api/codec/own_samples.h"
#include "api/codec/result.h"
#include "api/codec/shaper.h"
#include "api/codec/surroundings.h"
#include "api/json/fields.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/electrical.h"
#include "armdyn/motion_fit.h"
#include "armdyn/trajectory.h"

/* The profiles come first, with the numbers of enum armdyn_profile. */
enum trajectory_method {
  TRAJECTORY_ENERGY_OPTIMAL = ARMDYN_PROFILE_COUNT,
  TRAJECTORY_PATH_TIMING,
  TRAJECTORY_SAMPLES,
  TRAJECTORY_SEQUENCE,
  TRAJECTORY_METHODS
};

struct trajectory_point {
  double q[ARMDYN_JOINTS_MAX];
  double time;  /* s; NAN = free */
  bool by_tool; /* q has to be found */
  struct tool_pose tool;
  unsigned task;                     /* components of it that count, ARMDYN_TASK_... */
  char controller[ARMDYN_NAME_SIZE]; /* of a start: q was measured there; "": given */
};

/* A part of a motion that is made of others. */
struct trajectory_step {
  char trajectory[OWN_SAMPLES_ID]; /* id of a stored motion; "": the arm rests */
  double dwell;                    /* s, of a rest */
};
extern const struct json_type trajectory_step_type;

/* What is kept of a path while it is timed: the spline through its points in joint space, or a line or arc of the tool. */
enum trajectory_path { TRAJECTORY_PATH_JOINT, TRAJECTORY_PATH_LINE, TRAJECTORY_PATH_ARC, TRAJECTORY_PATHS };

/* One kind of limit as a request writes it: absent (the robot's own), a value for each joint, or null = removed. */
struct requested_limit {
  bool given;
  bool removed[ARMDYN_JOINTS_MAX];
  double value[ARMDYN_JOINTS_MAX][2]; /* position: lower, upper; else the first */
};

struct requested_limits {
  struct requested_limit position, velocity, acceleration, jerk, torque, torque_rate;
};

/* What an energy-optimal motion minimises, besides the price on its time. */
struct trajectory_cost {
  enum armdyn_cost_model model;
  bool asked;    /* the request names it, or what only one model has; else it follows from the drives' data */
  bool weighted; /* torque: else by the torque limits */
  double weights[ARMDYN_JOINTS_MAX];
  struct armdyn_electrical_model drives; /* electrical */
};

struct trajectory_request {
  struct carried carried;
  enum trajectory_method method;
  struct trajectory_point start, goal;
  size_t waypoint_count;
  struct trajectory_point *waypoints;
  double duration; /* s; NAN = the shortest that keeps the limits */
  struct requested_limits limits;
  double sample_rate; /* Hz */
  bool shaped;
  struct shaper_request shaper; /* of the motion once it is planned */

  double tool_speed_max;             /* m/s; NAN = not limited */
  struct clearance_constraint clear; /* energy_optimal keeps it; others are held against the cell */

  struct own_samples samples; /* of samples only */
  size_t step_count;          /* of a sequence only */
  struct trajectory_step *steps;

  /* of path_timing only */
  enum trajectory_path path;
  double path_tolerance; /* m, rad: of a line or arc; NAN = the default */

  /* of energy-optimal motions only */
  struct trajectory_cost cost;
  double time_price;                 /* of a second, in the unit of the cost */
  double duration_min, duration_max; /* s, of a free duration; NAN = not given */
  size_t intervals, multistart;
  uint64_t seed;
  double deadline;                   /* s */
  double durations[LIMIT_DURATIONS]; /* s, to compare what each costs */
  size_t duration_count;
  bool zero_boundary_acceleration;
  char seed_trajectory[OWN_SAMPLES_ID]; /* "" = none */

  struct result_labels labels;
};

/* Decode and check in full against the robot: everything but whether the motion keeps its limits on the way.
 *   out  out  release with trajectory_request_release unless refused
 * OK, ESYNTAX (400), EINPUT (422), EMEMORY. */
enum armdyn_status trajectory_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct trajectory_request *out, struct faults *faults);
void trajectory_request_release(struct trajectory_request *request);
const char *trajectory_method_name(enum trajectory_method method);
/* Is its motion looked for, so that it has a cost and is compared? */
bool trajectory_is_searched(enum trajectory_method method);

/* What its motion minimises, as the library wants it; pointers into the request.
 *   Answers how many. */
size_t trajectory_cost_terms(const struct trajectory_request *request, struct armdyn_cost_term terms[2]);

extern const struct json_type requested_limits_type;
/* The limits in force: the request's where it has them, else the robot's.
 *   limits  out  n */
void requested_limits_in_force(const struct requested_limits *requested, const struct armdyn_robot_description *robot,
                               struct armdyn_limits *limits);
/* Is there such a limit? */
bool trajectory_limited(const struct armdyn_limits *limits, enum armdyn_limit_kind kind);
/* Why the motion may not go to a controller: it was planned with less than the robot's own limits.
 *   blockers  out  room for ARMDYN_LIMIT_KINDS x n
 *   Returns how many. */
struct trajectory_blocker {
  const char *code; /* "limit_removed", "limit_raised", "limit_exceeded" */
  enum armdyn_limit_kind limit;
  size_t joint;
};
size_t requested_limits_blockers(const struct requested_limits *requested, const struct armdyn_robot_description *robot,
                                 struct trajectory_blocker *blockers);
/* The same request with a given duration, as JSON.
 *   time_scale  in  passing times of waypoints are multiplied by it; 0: they become free
 *   deadline    in  s, of its search; NAN: as it is */
void trajectory_request_rewrite(const char *text, size_t length, double duration, double time_scale, double deadline,
                                struct buffer *out);

/* The same path by a classic profile in the same time, to compare with. */
struct trajectory_baseline {
  bool found, feasible; /* planned at all; within the limits in force */
  double cost;          /* by the request's cost */
  double energy;        /* mechanical, J */
  double electrical;    /* J; NAN without drives' data */
};

/* What the motion would take in another duration. */
struct trajectory_alternative {
  struct armdyn_pareto_point point;
  double energy;     /* mechanical, J; NAN where there is no motion */
  double electrical; /* J; NAN without drives' data too */
};

/* How an energy-optimal motion, or the timing of a path, was found. */
struct trajectory_search {
  struct armdyn_optimal_result found;
  double gap;  /* of a path's timing: at most this part of the cost is above the global optimum */
  double time; /* s, in the solver */
  struct trajectory_alternative alternatives[LIMIT_DURATIONS]; /* as the request's durations */
  struct trajectory_baseline baselines[ARMDYN_PROFILE_COUNT];  /* trapezoid and quintic; the cubic is no baseline */
};

/* How a motion was made of samples. */
struct trajectory_fit {
  struct armdyn_motion_fit found;
  size_t samples;
  size_t fastest; /* the joint that moves fastest at an end, where it does not rest there */
};

/* What was computed. margin: ARMDYN_LIMIT_KINDS x n. */
struct trajectory_result {
  const struct armdyn_robot_description *robot;
  const struct trajectory_request *request;
  const char *request_text;
  const struct armdyn_trajectory *trajectory;
  const struct armdyn_margin *margin;
  const double *points; /* point_count x n: start, waypoints, goal */
  size_t point_count;
  struct tool_peak tool_speed, tool_acceleration; /* of its origin; m/s, m/s^2 */
  const struct armdyn_motion_energy *energy;
  const struct armdyn_electrical_energy *electrical; /* NULL: the drives' data are not complete */
  const struct armdyn_energy_bound *bound;           /* of any motion in its place; NULL as well */
  const struct shaping *shaping;                     /* NULL: not shaped */
  const struct trajectory_fit *fit;                  /* NULL: not of samples */
  const struct trajectory_search *search;            /* NULL: a profile */
  const struct armdyn_motion_clearance *clearance;   /* NULL: no cell is named */
  const bool *stepping;                              /* n: does the torque step between samples beyond torque_rate? */
  double minimum_duration;
};
/* The document that is kept: a JSON object. */
void trajectory_result_encode(const struct trajectory_result *result, struct buffer *out);
/* "the velocity of joint j2 is used most: 98.2 % at 0.25 s", of the margins in force. */
void trajectory_margin_words(const struct armdyn_robot_description *robot, const struct armdyn_margin *margin,
                             char *out, size_t size);

extern const struct result_form trajectory_form;

#endif
