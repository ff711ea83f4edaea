/* The zones of a stored zoning, for a schedule of gains. */
#ifndef SERVER_DATA_STORED_ZONES_H
#define SERVER_DATA_STORED_ZONES_H

#include "armdyn/zones.h"
#include "server/store/store.h"

/*   zones    out  allocated
 *   pointer  in   to where the request names it
 * OK; EINPUT: there is none, or of another robot; EMEMORY, what the store says. */
enum armdyn_status stored_zones_open(struct store *store, const char *id, const struct armdyn_robot_description *robot,
                                     const char *pointer, struct armdyn_zone **zones, size_t *count,
                                     struct armdyn_error *error);

#endif
