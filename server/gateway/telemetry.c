#include <math.h>

#include "server/base/clock.h"
#include "server/gateway/telemetry.h"

static const double turn = 4294.967296; /* s: microseconds in a u32 */

/* The time of a measurement on a clock that does not wrap. What tells none is placed by our own clock. */
static double time_of(struct telemetry *t, const struct client *c, const struct measurement *m)
{
  int64_t now = clock_monotonic_ns();
  if (!t->begun_ns) t->begun_ns = now;
  if (isnan(m->time)) return (double)(now - t->begun_ns) * 1e-9;
  if (!controller_can(&c->identity, ABILITY_MEASURES)) return m->time;
  if (m->time + t->turns * turn < t->last - turn / 2) t->turns++;
  return m->time + t->turns * turn;
}

static double commanded_torque(const struct profile *profile, double time, size_t axis)
{
  double index = time * 1e6 / profile->head.period_us + 1e-6; /* a time that was an index is not rounded down */
  return profile_torque(profile, index < profile->head.total - 1 ? (size_t)index : profile->head.total - 1, axis);
}

/* False: the controller does not tell where every joint is. */
static bool to_joints(const struct profile *profile, const struct measurement *m, struct telemetry_row *row,
                      bool *commanded)
{
  for (size_t a = 0; a < profile->head.axis_count; a++) {
    const struct profile_axis *axis = &profile->head.axes[a];
    double position = (double)m->position[axis->axis], torque = (double)m->torque[axis->axis];
    if (!isfinite(position)) return false;
    if (!isfinite(torque)) {
      torque = commanded_torque(profile, row->time, a);
      *commanded = true;
    }
    row->q[axis->joint_index] = (position - axis->position_offset) / axis->position_scale;
    row->tau[axis->joint_index] = torque / axis->torque_scale;
  }
  return true;
}

void telemetry_hold(struct telemetry *t, const struct client *c)
{
  t->over = t->over || c->address.mapped;
  t->held = true;
  t->held_ns = 0;
}

/* Does a motion that was held go at its own speed again? Measured over so long that scan cycles do not matter. */
static bool at_speed(struct telemetry *t, const struct client *c, double time)
{
  static const double span_least = 0.25, scans = 20, speed_least = 0.95;
  const int64_t now = clock_monotonic_ns();
  const double span = (double)(now - t->held_ns) * 1e-9;
  if (t->held_ns && span < fmax(span_least, scans * 1e-3 * c->uptime.scan_ms)) return false;
  bool there = t->held_ns && time - t->held_at >= speed_least * span;
  t->held_ns = now;
  t->held_at = time;
  return there;
}

enum armdyn_status telemetry_measure(struct telemetry *t, struct client *c, const struct profile *profile,
                                     struct armdyn_error *error)
{
  struct measurement m;
  struct telemetry_row row = { .time = 0 };
  bool commanded = t->block.commanded, first = !t->begun_ns;
  if (t->over) return ARMDYN_OK;
  enum armdyn_status rc = client_measure(c, profile->head.period_us, &m, error);
  if (rc) return rc;
  row.time = time_of(t, c, &m);
  if (!first && !(row.time > t->last)) return ARMDYN_OK; /* nothing new */
  t->held = t->held && !at_speed(t, c, row.time);
  if (t->held) return ARMDYN_OK;
  if (!to_joints(profile, &m, &row, &commanded)) {
    t->over = true;
    return ARMDYN_OK;
  }
  t->last = row.time;
  if (t->block.count == TELEMETRY_ROWS) return ARMDYN_OK; /* nobody takes them: a gap, which the data set will tell */
  t->block.joints = profile->head.axis_count;
  t->block.commanded = commanded;
  t->block.content = commanded ? profile->head.torque_content : TORQUE_FULL;
  t->block.rows[t->block.count++] = row;
  return ARMDYN_OK;
}
