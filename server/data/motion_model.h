/* The model that a stored motion was computed with: its robot's revision, with what the motion itself says of payload, tool
 * and gravity. */
#ifndef SERVER_DATA_MOTION_MODEL_H
#define SERVER_DATA_MOTION_MODEL_H

#include "server/robots/cache.h"
#include "server/store/store.h"

/* Release it with robots_release. EIO: the document cannot be read; what robots_get says. May block. */
enum armdyn_status motion_model_get(struct robots *robots, const struct store_result *motion,
                                    const struct robot_entry **entry);

#endif
