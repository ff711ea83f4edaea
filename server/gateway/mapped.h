/* A controller with a register map, behind client.h. What it cannot tell by itself, that a profile is there and may be
 * started, is remembered here; that it moves, or is done, is read from its registers. */
#ifndef SERVER_GATEWAY_MAPPED_H
#define SERVER_GATEWAY_MAPPED_H

#include "server/gateway/client_state.h"
#include "server/gateway/map_plan.h"

/* After the connection was made: pause if need be, and look. EUNAVAILABLE. */
enum armdyn_status mapped_meet(struct client *c, struct armdyn_error *error);
/* Read every readable field into c->mapped.signals, and c->state from them. EUNAVAILABLE. */
enum armdyn_status mapped_look(struct client *c, struct armdyn_error *error);
/* Positions and torques from the signals of the last look; NAN where no field tells. */
enum armdyn_status mapped_measure(const struct client *c, struct measurement *out, struct armdyn_error *error);
enum armdyn_status mapped_beat(struct client *c, const struct meanwhile *meanwhile, struct armdyn_error *error);
/* Write what the map says for this command. ECONFLICT: it says nothing, or the state forbids it; EUNAVAILABLE. START is
 * written once: where its answer is lost, watching must tell. */
enum armdyn_status mapped_command(struct client *c, enum controller_command command, const struct meanwhile *meanwhile,
                                  struct armdyn_error *error);
/* Bring a whole profile there. ECONFLICT: what was read back is not what was written, or it is not acknowledged;
 * EUNAVAILABLE, ECANCELLED. */
enum armdyn_status mapped_load(struct client *c, const struct profile *profile, const struct meanwhile *meanwhile,
                               struct armdyn_error *error);
/* Is what was brought there still there, as far as it can be read? ECONFLICT with the first register that is something
 * else; EUNAVAILABLE, ECANCELLED: something urgent is to be done. */
enum armdyn_status mapped_verify(struct client *c, const struct profile *profile, const struct meanwhile *meanwhile,
                                 struct armdyn_error *error);

#endif
