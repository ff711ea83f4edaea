/* What shows the links of a robot, between JSON and struct armdyn_visual: {"joint", "mesh", "frame", "scale"}, or a shape as
 * bodies have it (api/codec/shape.h). */
#ifndef API_CODEC_VISUAL_H
#define API_CODEC_VISUAL_H

#include "api/json/fields.h"
#include "armdyn/robot.h"

extern const struct json_type visual_type;

#endif
