#include "server/work/control_zones.h"

#include <stdlib.h>

#include "server/data/stored_zones.h"

static bool has_zones(const struct control_request *asked)
{
  return asked->has_schedule && *asked->schedule.zones;
}

/* The control's own gains, by the inertia of each zone. */
static enum armdyn_status scale(const struct armdyn_robot *model, const double *at, const struct armdyn_gains *gains,
                                struct armdyn_zone *zones, size_t count)
{
  const size_t n = armdyn_robot_joint_count(model);
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  double *ratios = malloc(count * n * sizeof *ratios);
  enum armdyn_status status =
      workspace && ratios ? armdyn_zones_ratios(model, at, workspace, zones, count, ratios) : ARMDYN_EMEMORY;
  if (!status) armdyn_zones_take_gains(zones, count, n, ratios, gains);
  armdyn_workspace_free(workspace);
  free(ratios);
  return status;
}

enum armdyn_status control_zones_open(struct work *work, const struct control_request *asked,
                                      const struct armdyn_robot *model, const char *pointer, struct armdyn_zone **zones,
                                      struct armdyn_control *control, struct armdyn_error *error)
{
  const struct control_schedule *schedule = &asked->schedule;
  struct store *store;
  char where[64];
  *zones = NULL;
  if (!has_zones(asked)) return ARMDYN_OK;
  snprintf(where, sizeof where, "%s/schedule/zones", pointer);
  enum armdyn_status status = work_store(work, &store);
  if (!status)
    status = stored_zones_open(store, schedule->zones, work->robot, where, zones, &control->schedule.zone_count, error);
  control->schedule.zones = *zones;
  if (status || !schedule->has_gains_at) return status;
  return scale(model, schedule->gains_at, &control->gains, *zones, control->schedule.zone_count);
}

size_t control_zones_source(const struct control_request *asked, const char *pointer, struct job_source *source)
{
  if (!has_zones(asked)) return 0;
  *source = (struct job_source){ .referral = { .kind = "zoning" } };
  snprintf(source->referral.id, sizeof source->referral.id, "%s", asked->schedule.zones);
  snprintf(source->pointer, sizeof source->pointer, "%s/schedule/zones", pointer);
  return 1;
}
