/* What is asked of a controller with a register map, request by request: to be shown (dry-run), to be sent, and to be held
 * against what the controller has. */
#ifndef SERVER_GATEWAY_MAP_PLAN_H
#define SERVER_GATEWAY_MAP_PLAN_H

#include "server/gateway/map_words.h"
#include "server/gateway/profile.h"

/* One step, on one register or several. */
struct map_request {
  enum map_step_kind kind;
  unsigned unit, address, count; /* the address as on the wire, from 0 */
  enum map_register space;
  uint16_t words[123]; /* to be written, or to be found */
  uint16_t mask;       /* the bits of its one register that it is about; 0xFFFF: all */
  bool toggled;        /* the words are what the last toggle wrote */
  bool points;         /* of the profile's points */
  bool read_back;      /* read again at once */
  bool stays;          /* it is there until START: what is found then must be it */
  int function;        /* 5, 6 or 16; of what is not written 1, 2, 3 or 4 */
  int hold_ms;         /* of a pulse, until 0 is written */
  int timeout_ms;      /* of a wait */
  char what[80];       /* in words */
};

/* False: no more. */
typedef bool map_visit(void *context, const struct map_request *request);

/* One value into one field. unit: of the controller, for fields that name none. Visits one request, or, where the
 * controller takes one register a request, several.
 * EINPUT: the map has no such field, or it does not take this value; the message says which. */
enum armdyn_status map_plan_field(const struct register_map *map, unsigned unit, const char *field, double value,
                                  map_visit *visit, void *context, struct armdyn_error *error);
/* The steps of a command that is of no profile: arm, start, .., clear. OK or EINPUT. */
enum armdyn_status map_plan_steps(const struct register_map *map, unsigned unit, const struct map_steps *steps,
                                  map_visit *visit, void *context, struct armdyn_error *error);
/* All that brings a profile there, in order: begin, period, page by page (index, points, count, steps), count, commit.
 * OK, also when a visit ended it; EINPUT: a value that its field or column does not take, more points than fit. */
enum armdyn_status map_plan(const struct register_map *map, unsigned unit, const struct profile *profile,
                            map_visit *visit, void *context, struct armdyn_error *error);

/* Can the map carry profiles of these axes, so that what arrives can be proved? A table with a column for each axis, an
 * acknowledgement of every page, and period, count and points that can be read; or it is `unverified`, and the entry does
 * not let this service start it. Adds faults with pointers below /profile. OK or EINPUT. */
enum armdyn_status map_bind(const struct controller_profile *controller, const struct axis_map *axes,
                            struct faults *faults);
/* Does any column say this? */
bool map_has(const struct register_map *map, enum map_quantity quantity);

#endif
