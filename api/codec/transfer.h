/* Requests for transfers and their starts, in JSON. */
#ifndef API_CODEC_TRANSFER_H
#define API_CODEC_TRANSFER_H

#include "api/codec/controller.h"
#include "api/codec/register_map.h"
#include "api/codec/result.h"
#include "api/codec/surroundings.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"

enum transfer_mode { TRANSFER_DOWNLOAD, TRANSFER_STREAM };
/* In the order of the wire names; the numbers of the register protocol are these + 1. */
enum transfer_format { TRANSFER_TORQUE_PERMILLE, TRANSFER_TORQUE, TRANSFER_POSITION_TORQUE };

#define TRANSFER_START_WITHIN_MOST 60.0 /* s: START is sent by a person who is there */
#define OUTPUT_DWELL_LEAST         0.5  /* s: writing, confirming and, where that fails, STOP need their time */
#define TRANSFER_EXPIRES_WITHIN    300.0 /* s from the acceptance: what is started by itself is loaded by then, or never */

/* An output of the controller that is set within the motion, while the arm rests. */
struct transfer_output {
  struct output_setting set;
  double begins_at, dwell; /* s from the motion's beginning; how long it rests from there */
};
struct transfer_request {
  char trajectory[27];
  double rate; /* Hz; NAN: as stored */
  enum transfer_mode mode;
  enum transfer_format format; /* position_torque unless asked otherwise */
  bool any_format;             /* nothing was asked for: another one will do where the controller lacks this one */
  bool start;
  char start_before[40];  /* RFC 3339; "" = none */
  double start_within;    /* s after it is ready; NAN = none */
  bool part_mismatch;     /* acknowledged: the arm may hold another part than the motion was planned for */
  struct touches touches; /* that the motion is to make in the controller's cell, to pick and to place */
  size_t output_count;
  struct transfer_output outputs[LIMIT_STEPS];
  struct json_map tags;
  struct result_callback callback; /* whom its end is told */
  char job_order_id[LIMIT_TAG + 1], work_master_id[LIMIT_TAG + 1], equipment_id[LIMIT_TAG + 1];
};
/* OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status transfer_request_decode(const char *text, size_t length, struct transfer_request *request,
                                           struct faults *faults);
/* The request as accepted; and its tags alone, as the store keeps them. */
void transfer_request_encode(const struct transfer_request *request, struct buffer *out);
void transfer_tags_encode(const struct transfer_request *request, struct buffer *out);

/* At least one of them; where both are given, the earlier moment. */
struct start_request {
  char start_before[40]; /* RFC 3339; "" = none */
  double start_within;   /* s from the request; NAN = none */
};
enum armdyn_status start_request_decode(const char *text, size_t length, struct start_request *request,
                                        struct faults *faults);

/* What GET answers. Texts are RFC 3339 or "" = null where they are times; JSON where they are documents. */
struct transfer_resource {
  const char *id, *controller, *trajectory, *state;
  long long sent, total;
  const char *created_at, *started_at, *finished_at;
  const char *history, *problem; /* problem NULL: null */
  bool has_telemetry;            /* under its own id */
  const char *request, *tags;
  const char *job_order_id, *work_master_id, *equipment_id; /* NULL or "" = absent */
  const char *created_by, *reason;                          /* "" is null */
  const char *verdict;                                      /* "" = undecided */
  const char *notes;                                        /* NULL = "" */
  const char *measured, *unmeasured;                        /* NULL: null */
  const char *traceparent;                                  /* "" is null */
  bool summary;                                             /* in lists: without history, problem, request and trace */
};
void transfer_resource_encode(const struct transfer_resource *transfer, struct json_writer *w);

/* -- what PATCH changes: a merge patch (RFC 7396) -- */

/* In the order of the wire names. */
enum transfer_verdict { VERDICT_UNDECIDED, VERDICT_GOOD, VERDICT_SCRAP };
const char *transfer_verdict_name(enum transfer_verdict verdict);
struct transfer_annotation {
  struct json_map tags;
  enum transfer_verdict verdict; /* on the part */
  char *notes;                   /* allocated; up to LIMIT_NOTES bytes */
};
/* Lay a patch over what stands there; null takes back to the default.
 *   tags, notes, verdict  in   the present ones
 *   annotation            out  release its notes
 * OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status transfer_annotation_patch(const char *text, size_t length, const char *tags, const char *notes,
                                             const char *verdict, struct transfer_annotation *annotation,
                                             struct faults *faults);

/* -- what was measured against what was planned -- */

struct playback_error {
  double rms, max, relative; /* relative: of the rms of the plan; NAN when that is 0 */
  double worst, worst_at;    /* measured less planned where that is greatest, and when, s */
};
/* What of a joint's position error is a delay, a constant, and neither; NAN: not to be told. */
struct playback_lag {
  double lag;         /* s behind the plan */
  double offset, rms; /* rad, m; rms of what both leave */
};
/* A stretch of the motion without a gap. */
struct playback_part {
  double from, to; /* s */
  size_t samples;
};
struct playback_energy {
  double planned, measured;                 /* J */
  double braking_planned, braking_measured; /* J: given back by joints, or drives, that brake */
};
enum { PLAYBACK_PARTS = 64, PLAYBACK_RESIDUALS = 1000 };
struct playback {
  const char *transfer, *trajectory;
  bool commanded;              /* torques are those of the profile */
  enum torque_content content; /* which hold that; the rest was added from the model */
  size_t samples;
  double from, to;  /* s */
  double tolerance; /* rad, m: how far a joint may be from its plan; NAN: nobody said */
  size_t part_count;
  struct playback_part parts[PLAYBACK_PARTS];
  const struct armdyn_robot_description *robot;
  struct playback_error position[ARMDYN_JOINTS_MAX], torque[ARMDYN_JOINTS_MAX];
  struct playback_lag lag[ARMDYN_JOINTS_MAX];
  struct playback_energy mechanical, electrical;
  bool has_electrical;
  /* measured less planned, of every so many-th moment: residual_count, and that x n */
  size_t residual_count;
  const double *residual_t, *residual_q, *residual_tau;
};
void playback_encode(const struct playback *playback, struct buffer *out);

/* How a controller's clock goes against ours. */
struct controller_clock {
  double uptime, offset,
      watched;               /* s: what it says; how far it went ahead of ours while it was watched, and how long */
  double error, uncertainty; /* how much faster it goes: 0.01 is 1 % */
  double cycle, round_trip;  /* s: of its program; of a request */
};
#define CONTROLLER_STALE_AFTER 1.0 /* s: what was seen longer ago is not where it is */
/* What is known of a controller's state. */
struct controller_status {
  bool connected, simulated;
  const char *observed_at; /* "" = never */
  double age;              /* s */
  const char *state;
  size_t joint_count;
  const double *position; /* joint order, rad, m; NULL: unknown or too old */
  const double *torque;   /* likewise, N m, N */
  long long profile_id, play_index;
  const char *last_error;               /* NULL: none */
  const struct controller_clock *clock; /* NULL: not known well enough */
  const char *lease;                    /* id of a transfer; NULL: none */
  bool watched;                         /* its parameters are followed */
  const struct register_map *registers; /* NULL: it has none */
  const double *signals;                /* of the map's fields, in their order; NAN: not readable */
};
void controller_status_encode(const struct controller_status *status, struct buffer *out);

/* The answer to a STOP, as members of the object that is open.
 *   why  in  it is not confirmed
 *   by   in  what else is said: who sent it; NULL: the node that serves */
void stop_members_encode(bool confirmed, const char *controller_state, const char *why, const char *by,
                         struct json_writer *w);

#endif
