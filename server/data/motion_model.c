#include "server/data/motion_model.h"

#include "api/codec/carried.h"

enum armdyn_status motion_model_get(struct robots *robots, const struct store_result *motion,
                                    const struct robot_entry **entry)
{
  struct carried carried;
  enum armdyn_status status = carried_read(motion->document, &carried);
  return status ? status : robots_get_with(robots, motion->robot, motion->revision, &carried.overrides, entry);
}
