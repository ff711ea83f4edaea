/* Gain scheduling: a table of laws and gains over speed, load or position, with hysteresis. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "armdyn/zones.h"
#include "lib/control/controller.h"

enum armdyn_status schedule_check(const struct armdyn_schedule *schedule, size_t n, struct armdyn_error *error)
{
  if (!schedule->count && !schedule->zones) return ARMDYN_OK;
  if (schedule->zones && (schedule->count || !schedule->zone_count))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/schedule/zones", "needs zones, and no entries beside them");
  if (schedule->count > ARMDYN_SCHEDULE_ENTRIES_MAX || schedule->joint >= n)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/schedule", "%zu entries over joint %zu", schedule->count,
                         schedule->joint + 1);
  if (!(schedule->hysteresis >= 0 && isfinite(schedule->hysteresis)))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/schedule/hysteresis", "must be finite and not below 0, got %g",
                         schedule->hysteresis);
  for (size_t k = 0; k < schedule->count; k++) {
    const struct armdyn_schedule_entry *entry = &schedule->entries[k];
    if (!armdyn_law_schedules(entry->law))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/schedule/entries", "entry %zu has a law that is no PID", k + 1);
    if (k > 1 && !(entry->from > entry[-1].from))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/schedule/entries", "must increase, got %g after %g", entry->from,
                           entry[-1].from);
    for (size_t j = 0; j < n; j++)
      if (!(entry->kp[j] >= 0 && entry->ki[j] >= 0 && entry->kd[j] >= 0))
        return armdyn_refuse(error, ARMDYN_EINPUT, "/schedule/entries", "entry %zu has a gain below 0", k + 1);
  }
  return ARMDYN_OK;
}

static void zone_step(struct armdyn_controller *c, const double *q)
{
  const struct armdyn_schedule *schedule = &c->control.schedule;
  const size_t size = c->n * sizeof *q, now = c->zoned ? c->entry : SIZE_MAX;
  c->entry = armdyn_zone_of(schedule->zones, schedule->zone_count, c->n, q, now, schedule->hysteresis);
  c->zoned = true;
  const struct armdyn_zone *zone = &schedule->zones[c->entry];
  memcpy(c->control.gains.kp, zone->kp, size);
  memcpy(c->control.gains.ki, zone->ki, size);
  memcpy(c->control.gains.kd, zone->kd, size);
}

void schedule_step(struct armdyn_controller *c, const double *q, const double *qd)
{
  const struct armdyn_schedule *schedule = &c->control.schedule;
  const size_t j = schedule->joint, size = c->n * sizeof *q;
  if (schedule->zones) zone_step(c, q);
  if (!schedule->count) return;
  const double over[] = { [ARMDYN_SCHEDULE_SPEED] = fabs(qd[j]),
                          [ARMDYN_SCHEDULE_LOAD] = fabs(c->last_tau[j]),
                          [ARMDYN_SCHEDULE_POSITION] = q[j] };
  const double x = over[schedule->over];
  while (c->entry + 1 < schedule->count && x >= schedule->entries[c->entry + 1].from) c->entry++;
  while (c->entry > 0 && x < schedule->entries[c->entry].from - schedule->hysteresis) c->entry--;
  const struct armdyn_schedule_entry *entry = &schedule->entries[c->entry];
  c->law = entry->law;
  memcpy(c->control.gains.kp, entry->kp, size);
  memcpy(c->control.gains.ki, entry->ki, size);
  memcpy(c->control.gains.kd, entry->kd, size);
}

size_t armdyn_controller_entry(const struct armdyn_controller *controller)
{
  return controller->entry;
}
