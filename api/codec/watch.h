/* Watches: an arm's parameters over time from the telemetry of its controller; what is asked, and what is told. */
#ifndef API_CODEC_WATCH_H
#define API_CODEC_WATCH_H

#include "api/codec/identification.h"
#include "armdyn/drift.h"

enum watch_parameters { WATCH_FRICTION, WATCH_ALL }; /* all: of links and rotors, too */
struct watch_request {
  enum watch_parameters parameters;
  double memory; /* s of motion */
  double share;  /* of a joint's friction that changes may make, before that is an alarm */
  bool has_thresholds, has_collision_thresholds;
  double thresholds[ARMDYN_JOINTS_MAX];           /* N m, N: instead of the share */
  double collision_thresholds[ARMDYN_JOINTS_MAX]; /* N m, N */
  double observer_bandwidth_hz;
  struct identification_conditioning conditioning; /* NAN: chosen by the rate of telemetry */
};
/* Holds no memory of its own. OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status watch_request_decode(const char *text, size_t length, size_t joint_count, struct watch_request *out,
                                        struct faults *faults);
void watch_request_encode(const struct watch_request *request, size_t joint_count, struct buffer *out);

/* Why there is telemetry that was not taken in, or none where some should be. To add one: a row here, and what
 * it says in api/schemas/watch.yaml. */
#define WATCH_GAP_LIST(X)                                                                                              \
  X(MISSING, "samples_missing")         /* a stretch of a motion was not measured */                                   \
  X(GATEWAY_LOST, "gateway_lost")       /* the gateway ended while the arm moved */                                    \
  X(SERVICE_STOPPED, "service_stopped") /* the service did not run */                                                  \
  X(OVERRUN, "overrun")                 /* more came than could be taken in */                                         \
  X(TOO_SHORT, "too_short")             /* nothing is left of a motion between the ends that the filters need */       \
  X(NO_TORQUES, "no_torques")           /* torques are those commanded, or do not hold everything */                   \
  X(OTHER_ARM, "other_arm")             /* of another robot or gravity than what is watched */                         \
  X(REFUSED, "refused")                 /* the samples could not be conditioned */

enum watch_gap_reason {
#define X(name, text) WATCH_GAP_##name,
  WATCH_GAP_LIST(X)
#undef X
      WATCH_GAP_REASONS
};
extern const char *const watch_gap_names[WATCH_GAP_REASONS];

enum { WATCH_TIME_SIZE = 25 }; /* "2026-01-31T12:00:00.000Z" and NUL */
struct watch_gap {
  char from[WATCH_TIME_SIZE], to[WATCH_TIME_SIZE];
  enum watch_gap_reason reason;
  char transfer[27]; /* "": of none */
};
enum { WATCH_GAPS = 32, WATCH_POINTS = 100 };

/* A moment of the history: as many numbers as are followed, and as there are joints. */
struct watch_point {
  char at[WATCH_TIME_SIZE];
  double seconds; /* of motion, until then */
  double *change, *deviation, *drift_torque;
};

struct watch_joint {
  struct armdyn_drift_joint drift;
  double threshold; /* N m, N, in force; NAN: nothing was taken in yet */
  bool drifted;
  double residual, peak; /* of the observer, at the last sample, and signed of the last motion; NAN: none yet */
};

/* All that there is to tell. Times are texts, "" for none. */
struct watch_view {
  const char *controller, *robot, *transfer; /* transfer: that plays */
  const char *started_at, *begun_at, *updated_at, *drifted_at, *contact_at;
  int64_t revision;
  const struct armdyn_robot_description *model;
  const struct armdyn_drift *drift; /* names of parameters, and their values in the model */
  const struct watch_request *request;
  const struct armdyn_conditioning *conditioning; /* in force */
  size_t motions, samples, contacts, gap_count, point_count;
  double seconds; /* of motion */
  double spacing; /* of the history, s of motion */
  const double *change, *deviation;
  const struct watch_joint *joints;
  const struct watch_gap *gaps; /* the last of them, WATCH_GAPS at most, the oldest first */
  const struct watch_point *points;
};
/* The members, between a json_begin_object and json_end_object of the caller. */
void watch_encode(const struct watch_view *view, struct json_writer *w);

#endif
