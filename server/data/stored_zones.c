#include "server/data/stored_zones.h"

#include <string.h>

#include "api/codec/zoning.h"

enum armdyn_status stored_zones_open(struct store *store, const char *id, const struct armdyn_robot_description *robot,
                                     const char *pointer, struct armdyn_zone **zones, size_t *count,
                                     struct armdyn_error *error)
{
  struct store_result result;
  enum armdyn_status status = store_result_get(store, "zoning", id, &result);
  if (status == ARMDYN_ENOTFOUND) return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "%s is no zoning", id);
  if (status) return status;
  if (strcmp(result.robot, robot->name) != 0)
    status = armdyn_refuse(error, ARMDYN_EINPUT, pointer, "is of another robot, %s", result.robot);
  if (!status) {
    status = zoning_zones_read(result.document, robot->joint_count, zones, count);
    if (status == ARMDYN_EINPUT)
      armdyn_refuse(error, status, pointer, "has not the robot's %zu joints", robot->joint_count);
  }
  store_result_release(&result);
  return status;
}
