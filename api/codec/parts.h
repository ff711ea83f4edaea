/* Field tables of what occurs in several documents: poses and rigid bodies. */
#ifndef API_CODEC_PARTS_H
#define API_CODEC_PARTS_H

#include "api/json/fields.h"
#include "armdyn/robot.h"

extern const struct json_type pose_type; /* struct armdyn_pose; identity by default */

/* struct armdyn_body; zero by default. A body that is physically impossible is a fault. */
extern const struct json_type body_type;

/* The same for models, which may be allowed to be impossible: json_context.user begins with a struct body_context. */
extern const struct json_type model_body_type;
struct body_context {
  bool allow_unphysical;     /* in */
  size_t unphysical, faults; /* out: impossible bodies met; faults added for them */
};

#endif
