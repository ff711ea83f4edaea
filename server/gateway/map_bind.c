/* What a register map must have so that profiles may be brought there: columns, acknowledgements, and proof. */
#include "server/gateway/map_plan.h"

bool map_has(const struct register_map *map, enum map_quantity quantity)
{
  for (size_t i = 0; i < map->points.column_count; i++)
    if (map->points.columns[i].quantity == quantity) return true;
  return false;
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

static void check_axes(const struct register_map *map, const struct axis_map *axes, struct faults *faults)
{
  char where[64];
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
}

/* -- acknowledgement and proof -- */

static void check_pages(const struct register_map *map, struct faults *faults)
{
  const struct map_steps *page = &map->commands.page;
  if (!*map->points.index_field) return;
  for (size_t i = 0; i < page->count; i++)
    if (page->steps[i].kind == MAP_STEP_WAIT) return;
  fault_add(
      faults, FAULT_AT_POINTER, "/profile/map/commands/page", FAULT_REQUIRED,
      "pages need an acknowledgement: a step {\"do\": \"wait\", \"field\": .., \"equal_to\": ..} after what makes the "
      "controller take the page; pages that are written blind are lost, for a PLC looks at its registers only "
      "once a cycle");
}

static void check_told(const struct register_map *map, const char *name, const char *member, const char *of,
                       struct faults *faults)
{
  const struct map_field *f = map_field_of(map, name);
  char where[64];
  snprintf(where, sizeof where, "/profile/map/points/%s", member);
  if (!*name)
    fault_add(faults, FAULT_AT_POINTER, where, FAULT_REQUIRED,
              "nothing tells the %s that the controller has; name a field of it, or say \"unverified\": true, and its "
              "PLC starts it",
              of);
  else if (f && f->access == MAP_WRITE)
    fault_add(faults, FAULT_AT_POINTER, where, FAULT_INCONSISTENT,
              "field '%s' cannot be read, so nothing proves the %s: give it \"access\": \"read_write\", or say "
              "\"unverified\": true, and its PLC starts it",
              name, of);
}

static void check_proof(const struct controller_profile *c, struct faults *faults)
{
  const struct map_points *points = &c->map.points;
  if (c->map.unverified && c->allow_start)
    fault_add(faults, FAULT_AT_POINTER, "/profile/allow_start", FAULT_INCONSISTENT,
              "the map is \"unverified\": what nothing proves is never started by this service");
  if (c->map.unverified || !c->map.has_points) return;
  check_told(&c->map, points->period_field, "period_field", "period", faults);
  check_told(&c->map, points->count_field, "count_field", "number of points", faults);
  if (points->verify != MAP_READ_BACK)
    fault_add(
        faults, FAULT_AT_POINTER, "/profile/map/points/verify", FAULT_REQUIRED,
        "nothing proves that the points arrive: say \"readback\", or \"unverified\": true of the map, and its PLC "
        "starts it");
}

enum armdyn_status map_bind(const struct controller_profile *controller, const struct axis_map *axes,
                            struct faults *faults)
{
  const struct register_map *map = &controller->map;
  size_t before = faults->count;
  if (!map->has_points)
    fault_add(faults, FAULT_AT_POINTER, "/profile/map/points", FAULT_REQUIRED, "where a profile goes must be said");
  check_axes(map, axes, faults);
  check_pages(map, faults);
  check_proof(controller, faults);
  return faults->count > before ? ARMDYN_EINPUT : ARMDYN_OK;
}
