/* What is written to a controller with a register map, register by register: to be shown (dry-run) and to be sent. */
#ifndef SERVER_GATEWAY_MAP_PLAN_H
#define SERVER_GATEWAY_MAP_PLAN_H

#include "server/gateway/map_words.h"
#include "server/gateway/profile.h"

/* One request. */
struct map_write {
  unsigned unit, address, count; /* the address as on the wire, from 0 */
  enum map_register space;       /* holding or coil */
  uint16_t words[123];
  bool read_back;
  char what[64]; /* in words */
};

/* False: no more. */
typedef bool map_visit(void *context, const struct map_write *write);

/* One value of one field. unit: of the controller, for fields that name none.
 * EINPUT: the map has no such field, or it does not take this value; the message says which. */
enum armdyn_status map_write_field(const struct register_map *map, unsigned unit, const char *field, double value,
                                   struct map_write *out, struct armdyn_error *error);
/* All writes that bring a profile there, in order: period, page by page (index, points, count, trigger), count, trigger.
 * OK, also when a visit ended it; EINPUT: a value that its field or column does not take, more points than fit. */
enum armdyn_status map_plan(const struct register_map *map, unsigned unit, const struct profile *profile,
                            map_visit *visit, void *context, struct armdyn_error *error);

/* Can the map carry profiles of these axes: has it points, and a column for each axis? Adds faults with pointers below
 * /profile/map. OK or EINPUT. */
enum armdyn_status map_bind(const struct register_map *map, const struct axis_map *axes, struct faults *faults);
/* Does any column say positions? */
bool map_has_positions(const struct register_map *map);

#endif
