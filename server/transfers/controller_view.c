#include "server/transfers/controller_view.h"

#include <math.h>

#include "api/codec/transfer.h"
#include "server/app.h"
#include "server/robots/cache.h"
#include "server/watch/watch.h"

enum armdyn_status controller_view_make(struct app *app, const struct controller_description *controller,
                                        struct controller_view *view, struct faults *faults)
{
  const struct robot_entry *entry;
  enum armdyn_status status = robots_get(app->robots, controller->robot, controller->revision, true, &entry);
  if (status) return status;
  status = axis_map_make(controller, armdyn_robot_description(entry->robot), &view->map, faults);
  robots_release(app->robots, entry);
  memcpy(view->name, controller->name, sizeof view->name);
  view->registers = controller->profile.map;
  return status;
}

/* false: the controller does not tell where every joint is, as many with registers of their own do not. */
static bool find_position(const struct controller_view *view, const struct observation *seen, double *position)
{
  bool known = true;
  for (size_t i = 0; i < view->map.count; i++) {
    const struct mapped_axis *m = &view->map.axes[i];
    position[m->joint] = ((double)seen->state.position[m->axis] - m->position_offset) / m->position_scale;
    known = known && isfinite(position[m->joint]);
  }
  return known;
}

/* false: the controller does not tell what every joint pushes, or not now. */
static bool find_torque(const struct controller_view *view, const struct observation *seen, double *torque)
{
  bool known = seen->seen_ms != 0;
  for (size_t i = 0; i < view->map.count; i++) {
    const struct mapped_axis *m = &view->map.axes[i];
    torque[m->joint] = (double)seen->torque[m->axis] / m->torque_scale;
    known = known && isfinite(torque[m->joint]);
  }
  return known;
}

static double age_of(const struct observation *seen)
{
  return (double)(clock_wall_ms() - seen->seen_ms) * 1e-3;
}

bool controller_view_position(const struct controller_view *view, const struct observation *seen, double *position)
{
  if (!seen->seen_ms || !seen->connected || age_of(seen) > CONTROLLER_STALE_AFTER) return false;
  return find_position(view, seen, position);
}

void controller_view_encode(struct app *app, const struct controller_view *view, const struct observation *seen,
                            struct buffer *out)
{
  char observed_at[TIME_SIZE] = "", holder[ID_SIZE], error[80];
  double position[ARMDYN_JOINTS_MAX] = { 0 }, torque[ARMDYN_JOINTS_MAX] = { 0 };
  if (seen->seen_ms) clock_format(seen->seen_ms, observed_at);
  const bool placed = find_position(view, seen, position);
  unsigned number = seen->state.own_error ? seen->state.own_error : seen->state.error;
  snprintf(error, sizeof error, "%u: %s", number, protocol_error_text(number));
  const struct controller_clock clock = { .uptime = seen->clock.uptime_ms * 1e-3,
                                          .offset = seen->clock.offset_ms * 1e-3,
                                          .watched = seen->clock.watched_ms * 1e-3,
                                          .error = seen->clock.rate,
                                          .uncertainty = seen->clock.uncertainty,
                                          .cycle = seen->clock.scan_ms * 1e-3,
                                          .round_trip = seen->clock.round_trip_ms * 1e-3 };
  bool leased = gateway_lease(app->gateway, view->name, holder);
  const double age = age_of(seen);
  const struct controller_status status = {
    .connected = seen->connected,
    .simulated = seen->simulated,
    .observed_at = observed_at,
    .age = age > 0 ? age : 0,
    .state = protocol_phase_word(seen->state.phase),
    .joint_count = view->map.count,
    .position = placed ? position : NULL,
    .torque = find_torque(view, seen, torque) ? torque : NULL,
    .profile_id = seen->state.profile,
    .play_index = seen->state.play_index,
    .last_error = number ? error : NULL,
    .clock = seen->clock.known ? &clock : NULL,
    .lease = leased ? holder : NULL,
    .watched = watches_watching(app->watches, view->name),
    .registers = seen->mapped ? &view->registers : NULL,
    .signals = seen->signals,
  };
  controller_status_encode(&status, out);
}
