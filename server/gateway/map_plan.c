#include <math.h>

#include "server/gateway/map_plan.h"

static unsigned unit_of(int unit_id, unsigned unit)
{
  return unit_id < 0 ? unit : (unsigned)unit_id;
}

enum armdyn_status map_write_field(const struct register_map *map, unsigned unit, const char *name, double value,
                                   struct map_write *out, struct armdyn_error *error)
{
  const struct map_field *f = map_field_of(map, name);
  if (!f) return armdyn_refuse(error, ARMDYN_EINPUT, "", "the register map has no field '%s'", name);
  *out = (struct map_write){ .unit = unit_of(f->unit_id, unit),
                             .address = (unsigned)(f->address - map->address_base),
                             .count = f->space == MAP_COIL ? 1 : (unsigned)map_type_words(f->form.type),
                             .space = f->space,
                             .read_back = f->verify == MAP_READ_BACK };
  snprintf(out->what, sizeof out->what, "%s = %.9g", name, value);
  if (map_encode(&f->form, value, out->words)) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "", "field '%s' does not take %.9g", name, value);
}

/* -- a profile -- */

struct planning {
  const struct register_map *map;
  const struct profile *profile;
  unsigned unit;
  map_visit *visit;
  void *context;
  bool ended;
  double last[LIMIT_AXES]; /* torques of the sample before, as the controller understands them */
  struct armdyn_error *error;
};

static enum armdyn_status plan_field(struct planning *p, const char *name, double value)
{
  struct map_write write;
  if (!*name || p->ended) return ARMDYN_OK;
  enum armdyn_status rc = map_write_field(p->map, p->unit, name, value, &write, p->error);
  if (!rc) p->ended = !p->visit(p->context, &write);
  return rc;
}

/* The axis-th of a sample that moves this axis of the controller; its count when none does. */
static size_t axis_index(const struct profile_head *head, int axis)
{
  size_t a = 0;
  while (a < head->axis_count && head->axes[a].axis + 1 != (unsigned)axis) a++;
  return a;
}

/* Rounding to counts never goes beyond what the exact torque keeps: the nearest that is within the limit, and no step
 * that is beyond the limit of rate. */
static bool encode_torque(struct planning *p, size_t k, size_t a, const struct map_form *form, double torque,
                          uint16_t *words)
{
  static const double rounding = 1e-6;
  const struct profile_axis *axis = &p->profile->head.axes[a];
  double most = axis->torque_most * (1 + rounding), rate = axis->rate_most * p->profile->head.period_us * 1e-6;
  if (!map_encode(form, torque, words)) return false;
  double sent = map_decode(form, words);
  if (fabs(sent) > most) {
    if (!map_encode(form, torque - copysign(fabs(form->scale), torque), words)) return false;
    sent = map_decode(form, words);
  }
  double step = k ? fabs(sent - p->last[a]) : 0;
  p->last[a] = sent;
  return fabs(sent) <= most && !(step > rate * (1 + rounding) + rounding * fabs(sent));
}

static enum armdyn_status encode_point(struct planning *p, size_t k, uint16_t *words)
{
  const struct map_points *points = &p->map->points;
  for (size_t i = 0; i < points->column_count; i++) {
    const struct map_column *c = &points->columns[i];
    size_t a = axis_index(&p->profile->head, c->axis);
    bool position = c->quantity == MAP_POSITION;
    double value = position ? profile_position(p->profile, k, a) : profile_torque(p->profile, k, a);
    if (position ? map_encode(&c->form, value, words + c->at) : encode_torque(p, k, a, &c->form, value, words + c->at))
      continue;
    return armdyn_refuse(p->error, ARMDYN_EINPUT, "",
                         "sample %zu, axis %d: the column of its %s does not take %.9g within every limit", k, c->axis,
                         position ? "position" : "torque", value);
  }
  return ARMDYN_OK;
}

/* Points from .. to - 1 of the profile, which stand from the first place of the table on. */
static enum armdyn_status plan_points(struct planning *p, size_t from, size_t to)
{
  const struct map_points *points = &p->map->points;
  size_t stride = (size_t)points->stride, most = (size_t)p->map->write_most / stride;
  for (size_t at = from; at < to && !p->ended; at += most) {
    size_t count = to - at < most ? to - at : most;
    struct map_write write = { .unit = unit_of(points->unit_id, p->unit),
                               .address = (unsigned)(points->address - p->map->address_base) +
                                          (unsigned)((at - from) * stride),
                               .count = (unsigned)(count * stride),
                               .space = MAP_HOLDING,
                               .read_back = points->verify == MAP_READ_BACK };
    snprintf(write.what, sizeof write.what, "points %zu to %zu", at, at + count - 1);
    for (size_t k = 0; k < count; k++) {
      enum armdyn_status rc = encode_point(p, at + k, write.words + k * stride);
      if (rc) return rc;
    }
    p->ended = !p->visit(p->context, &write);
  }
  return ARMDYN_OK;
}

static enum armdyn_status plan_page(struct planning *p, size_t from, size_t to)
{
  const struct map_points *points = &p->map->points;
  enum armdyn_status rc = plan_field(p, points->index_field, (double)from);
  if (!rc) rc = plan_points(p, from, to);
  if (!rc) rc = plan_field(p, points->page_count_field, (double)(to - from));
  if (!rc) rc = plan_field(p, points->page_trigger.field, points->page_trigger.value);
  return rc;
}

enum armdyn_status map_plan(const struct register_map *map, unsigned unit, const struct profile *profile,
                            map_visit *visit, void *context, struct armdyn_error *error)
{
  const struct map_points *points = &map->points;
  size_t total = profile->head.total, page = (size_t)points->count;
  struct planning p = { .map = map, .profile = profile, .unit = unit, .visit = visit, .context = context };
  p.error = error;
  if (!*points->index_field && total > page)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the profile has %zu points, the controller's table %zu", total,
                         page);
  enum armdyn_status rc = plan_field(&p, points->period_field, profile->head.period_us * 1e-6);
  for (size_t at = 0; !rc && at < total && !p.ended; at += page)
    rc = plan_page(&p, at, total - at < page ? total : at + page);
  if (!rc) rc = plan_field(&p, points->count_field, (double)total);
  if (!rc) rc = plan_field(&p, points->trigger.field, points->trigger.value);
  return rc;
}

/* -- axes -- */

static bool has_column(const struct register_map *map, unsigned axis)
{
  for (size_t i = 0; i < map->points.column_count; i++)
    if (map->points.columns[i].axis == (int)axis) return true;
  return false;
}

static bool has_axis(const struct axis_map *axes, int axis)
{
  for (size_t a = 0; a < axes->count; a++)
    if ((int)axes->axes[a].axis + 1 == axis) return true;
  return false;
}

enum armdyn_status map_bind(const struct register_map *map, const struct axis_map *axes, struct faults *faults)
{
  size_t before = faults->count;
  char where[64];
  if (!map->has_points)
    fault_add(faults, FAULT_AT_POINTER, "/profile/map/points", FAULT_REQUIRED, "where a profile goes must be said");
  for (size_t a = 0; map->has_points && a < axes->count; a++)
    if (!has_column(map, axes->axes[a].axis + 1))
      fault_add(faults, FAULT_AT_POINTER, "/profile/map/points/columns", FAULT_REQUIRED,
                "no column is of axis %u (joint %s)", axes->axes[a].axis + 1, axes->axes[a].name);
  for (size_t i = 0; i < map->points.column_count; i++) {
    if (has_axis(axes, map->points.columns[i].axis)) continue;
    snprintf(where, sizeof where, "/profile/map/points/columns/%zu/axis", i);
    fault_add(faults, FAULT_AT_POINTER, where, FAULT_INCONSISTENT, "no joint moves axis %d",
              map->points.columns[i].axis);
  }
  for (size_t i = 0; i < map->position_count; i++) {
    if (has_axis(axes, map->positions[i].axis)) continue;
    snprintf(where, sizeof where, "/profile/map/positions/%zu/axis", i);
    fault_add(faults, FAULT_AT_POINTER, where, FAULT_INCONSISTENT, "no joint moves axis %d", map->positions[i].axis);
  }
  return faults->count > before ? ARMDYN_EINPUT : ARMDYN_OK;
}

bool map_has_positions(const struct register_map *map)
{
  for (size_t i = 0; i < map->points.column_count; i++)
    if (map->points.columns[i].quantity == MAP_POSITION) return true;
  return false;
}
