/* Controllers between JSON and struct controller_description, by one field table for both directions. */
#ifndef API_CODEC_CONTROLLER_H
#define API_CODEC_CONTROLLER_H

#include <stdint.h>

#include "api/codec/register_map.h"
#include "api/limits.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"

enum { HOST_SIZE = 254 };
enum torque_side { TORQUE_AT_JOINT, TORQUE_AT_MOTOR };
enum link_loss { LINK_LOSS_STOP, LINK_LOSS_FINISH };
enum motion_end { MOTION_END_HOLD, MOTION_END_ZERO_TORQUE };
/* Which kind of controller it is, where that says what it adds to a torque by itself. */
enum controller_kind { KIND_OTHER, KIND_CSP_TORQUE_OFFSET, KIND_UR_DIRECT_TORQUE, KIND_KUKA_FRI };
/* What the torques hold that it is sent. */
enum torque_content { TORQUE_FULL, TORQUE_WITHOUT_GRAVITY, TORQUE_WITHOUT_GRAVITY_AND_FRICTION };
extern const char *const torque_content_names[3];
extern const char *const controller_kind_names[4];
enum controller_protocol { PROTOCOL_ARMDYN, PROTOCOL_REGISTER_MAP };

/* Which joint an axis of the controller moves: controller position = sign scale q + offset. */
struct controller_axis {
  char joint[ARMDYN_NAME_SIZE];
  int axis; /* of the controller, from 1 */
  int sign; /* 1 or -1 */
  double position_scale, position_offset;
  enum torque_side torque_side; /* motor: torque of the joint / gear ratio */
  double rated_torque;          /* N m, N on that side; NAN: the joint's torque limit */
};

/* Of every joint, in joint order, on the joint side. */
struct controller_limits {
  size_t torque_count, torque_rate_count; /* 0: none */
  double torque[ARMDYN_JOINTS_MAX];       /* N m, N */
  double torque_rate[ARMDYN_JOINTS_MAX];  /* N m/s, N/s */
};

/* How the controller is spoken to, and what it may be sent. */
struct controller_profile {
  enum controller_protocol protocol;
  enum controller_kind kind;
  enum torque_content torque_content;
  int base;                /* first holding register, from 0 */
  struct register_map map; /* of PROTOCOL_REGISTER_MAP */
  bool has_map;
  size_t axis_count;
  struct controller_axis axes[LIMIT_AXES]; /* none: joint 1 is axis 1, and so on */
  struct controller_limits limits;
  double start_tolerance;  /* rad, m */
  double following_error;  /* rad, m: how far a joint may be from the profile while it plays */
  double connect_deadline; /* s until a transfer that cannot connect has failed */
  double ready_timeout;    /* s that a transfer waits to be armed and started */
  double window_timeout;   /* s without progress until a download has failed */
  int in_flight;           /* Modbus requests at once while it loads */
  double telemetry_rate;   /* Hz, measurements while it plays; 0: none */
  bool allow_start, allow_torque_only, allow_revision_mismatch;
  enum link_loss on_link_loss;
  enum motion_end on_end;
};

struct controller_description {
  char name[ARMDYN_NAME_SIZE];
  char host[HOST_SIZE];
  int port, unit;
  char robot[ARMDYN_NAME_SIZE];
  int64_t revision;            /* 0: the latest */
  char cell[ARMDYN_NAME_SIZE]; /* what stands around it, which nothing that it is sent may touch; "": is not known */
  bool enabled;                /* else it is not spoken to, but for STOP */
  struct controller_profile profile;
};

/* Parse and check: syntax, fields, bounds, axes and joints named once. What depends on the robot is checked by
 * axis_map_make (server/gateway/profile.h). OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status controller_decode(const char *text, size_t length, struct controller_description *controller,
                                     struct faults *faults);
/* What the store keeps; decode(encode(x)) == x. */
void controller_encode(const struct controller_description *controller, struct buffer *out);
/* What GET answers: the same and, as a readOnly field, when it was made. */
void controller_resource_encode(const struct controller_description *controller, const char *created_at,
                                struct buffer *out);

#endif
