/* The gateway process as `serve` sees it: it is started, fed with transfers, listened to, and started again when it
 * crashes (its transfers are then `interrupted`). Everything it reports is stored here; it owns no store. */
#ifndef SERVER_GATEWAY_GATEWAY_H
#define SERVER_GATEWAY_GATEWAY_H

#include "api/codec/controller.h"
#include "server/base/announce.h"
#include "server/gateway/hearers.h"
#include "server/robots/cache.h"
#include "server/store/store.h"

struct gateway;
struct options;

/* Transfers that an earlier run left unfinished are asked after: they become what their gateway wrote about them, or
 * `interrupted`.
 *   store    in  NULL, and robots NULL: of a node that stands by. It has no transfers, knows what gateway_learn tells it, and is
 *                asked for nothing but STOP
 *   changes  in  hears of every transfer that begins, gets on or ends; NULL = nobody
 *   tap      in  hears of telemetry; NULL = nobody */
enum armdyn_status gateway_start(struct store *store, struct robots *robots, const struct options *options,
                                 const struct announce *changes, const struct telemetry_tap *tap,
                                 struct gateway **gateway, struct armdyn_error *error);
/* Of a node that stands by: the controllers, and the transfers that have not ended, are those of this store. What cannot
 * be read stays as it was. */
enum armdyn_status gateway_learn(struct gateway *gateway, struct store *store);
/* Bring transfers to their configured end, until the deadline (monotonic ns); a gateway that takes longer goes on alone
 * and leaves its word in the journal. Frees. No-op on NULL. */
void gateway_stop(struct gateway *gateway, int64_t deadline_ns);
/* Is it there, and does it answer?
 *   why  out  if not: why, and what is done about it; NULL is fine */
bool gateway_ready(struct gateway *gateway, char why[GATEWAY_WHY]);

/* -- controllers: where each name is, in memory, so that STOP needs no disk -- */
void gateway_controller_changed(struct gateway *gateway, const struct controller_description *controller);
void gateway_controller_gone(struct gateway *gateway, const char *name);
bool gateway_knows(struct gateway *gateway, const char *controller);
/* All, by name, to be freed. NULL: out of memory. */
struct listed_controller *gateway_controllers(struct gateway *gateway, size_t *count);
/* The controller of a transfer that has not ended. */
bool gateway_controller_of(struct gateway *gateway, const char *transfer, char controller[ARMDYN_NAME_SIZE],
                           char job_order_id[LABEL_SIZE]);
/* Find out who its host is; may ask a name server, and wait for it. */
void gateway_locate(struct gateway *gateway, const char *controller);
/* The transfer that holds this controller's endpoint: true and its id. */
bool gateway_lease(struct gateway *gateway, const char *controller, char holder[ID_SIZE]);

/* Another number after every STOP that anybody sent to this controller, under whichever name, counted before it goes out: who
 * finds the number unchanged and then asks for a motion has it stopped by that STOP. 0: none was sent. */
uint64_t gateway_stopped(struct gateway *gateway, const char *controller);
/* Another number after every end of the gateway process. */
unsigned gateway_generation(struct gateway *gateway);

/* -- transfers -- */

/* A cell has a new revision, or is gone: transfers that have not begun to move are held against it anew by the gateway, and end
 * where they may touch; of those that are held, what is left, before they go on. May read the store and wait for the gateway.
 *   known  in  the revision that the gateway has; 0: an earlier one */
void gateway_cell_changed(struct gateway *gateway, const char *name, int64_t known);

/* While it is drained, no transfer is taken. */
void gateway_drain(struct gateway *gateway, bool draining);
bool gateway_draining(struct gateway *gateway);
/* How many transfers have not ended. */
size_t gateway_active(struct gateway *gateway);

/* Accept a transfer: durable when it returns OK, and on its way to the controller.
 *   transfer  in/out  id, controller, trajectory, request, tags in; the rest out; stays the caller's
 *   order     in      taken in any case
 *   holder    out     the transfer that holds the endpoint, with EBUSY; "" = nobody does
 * EBUSY (also of a busy store), EUNAVAILABLE (the gateway is down or drained), what the store says.
 * May ask a name server, and wait for it. */
enum armdyn_status gateway_submit(struct gateway *gateway, struct store_transfer *transfer,
                                  const struct store_idempotency *key, struct transfer_order *order,
                                  char holder[ID_SIZE]);
/* As it is now: memory wins over what is stored. Release it. May read the store. */
enum armdyn_status gateway_transfer(struct gateway *gateway, const char *id, struct store_transfer *out);
/* Put what is newer in memory into a row of a list. */
void gateway_refresh(struct gateway *gateway, struct store_transfer *row);

/* What its processes have counted since the service was started; at most about a second old. */
void gateway_figures(struct gateway *gateway, struct gateway_figures *out);
/* How many of them were killed because they did not answer. */
uint64_t gateway_silences(struct gateway *gateway);

/* -- commands -- */

extern const char gateway_barred[]; /* what is answered for a controller that is not enabled, but for STOP */
/* Ask something of a controller; does not wait. transfer: "" = of the controller, whatever it plays.
 * answered NULL: nobody asks. */
void gateway_command(struct gateway *gateway, const char *controller, const char *transfer,
                     enum transfer_command_kind kind, int64_t start_before_ms, gateway_answered *answered,
                     void *context);

#endif
