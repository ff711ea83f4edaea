/* One thread for each host, port, unit and base that a controller may stand at, so that a silent one delays nobody else. */
#ifndef SERVER_GATEWAY_ENDPOINT_H
#define SERVER_GATEWAY_ENDPOINT_H

#include "server/gateway/listener.h"

struct endpoints;

/* dir: where locks and journal are; it and the figures live as long as the endpoints. */
struct endpoints *endpoints_new(const char *dir, enum server_loss on_server_loss,
                                const struct endpoint_listener *listener, struct figures *figures);
/* Queue a transfer; the order is taken and freed. EBUSY when one is there whose end has not been told, EMEMORY. */
enum armdyn_status endpoints_submit(struct endpoints *e, struct transfer_order *order);
/* Hand over a command; it is answered in any case. */
void endpoints_command(struct endpoints *e, const struct controller_address *address,
                       const struct transfer_command *command);
/* A new revision of a cell; the text stays the caller's. The transfers whose controllers stand in it look at it before they
 * let anything move. */
void endpoints_cell(struct endpoints *e, const struct guard_cell *cell);
/* Returns once a command could be handed over: the way to every controller is open. To be called once a second.
 * false: a thread stands still over its work, and no other one has a transfer that would be lost with this process. */
bool endpoints_pass(struct endpoints *e);
/* Report the end of a transfer of an earlier gateway as soon as that one has let go of the controller.
 *   sets_outputs  in  where that one left no word, the controller is stopped: its outputs are not as the motion needs them */
void endpoints_recover(struct endpoints *e, const struct controller_address *address, const char *transfer,
                       bool sets_outputs);
/* The service is gone: bring every transfer to its configured end, then return. Frees everything. */
void endpoints_leave(struct endpoints *e);

#endif
