/* The requests of a register map, made: written and read back, held, waited for, compared. */
#ifndef SERVER_GATEWAY_MAP_PERFORM_H
#define SERVER_GATEWAY_MAP_PERFORM_H

#include "server/gateway/client_state.h"
#include "server/gateway/map_plan.h"

/* Registers of any space, from an address as on the wire. EUNAVAILABLE. */
enum armdyn_status map_read(struct client *c, unsigned unit, enum map_register space, unsigned address, unsigned count,
                            uint16_t *words, struct armdyn_error *error);
/*   meanwhile  in  what is done while something is waited for
 * ECONFLICT: it reads back as something else, or is not what was waited for, in its time; the message says which register
 * and what it holds. EUNAVAILABLE, ECANCELLED. */
enum armdyn_status map_perform(struct client *c, const struct map_request *request, const struct meanwhile *meanwhile,
                               struct armdyn_error *error);
/* Is what it says there now? ECONFLICT, EUNAVAILABLE. */
enum armdyn_status map_compare(struct client *c, const struct map_request *request, struct armdyn_error *error);

#endif
