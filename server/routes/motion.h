/* What the routes of controllers and of transfers need of each other. */
#ifndef SERVER_ROUTES_MOTION_H
#define SERVER_ROUTES_MOTION_H

#include "api/codec/controller.h"
#include "server/http/exchange.h"
#include "server/store/store.h"

/* The controller of this name as stored. false: 404 or another problem has been answered.
 *   row  out  NULL = not wanted; release it */
bool controller_of_request(struct exchange *x, const char *name, struct controller_description *controller,
                           struct store_controller *row);

/* May the caller, and does the controller's entry let this service, start motion? false: answered. */
bool may_start(struct exchange *x, const struct controller_description *controller);

/* transfer_prepare for a caller. false: answered. */
struct prepared_transfer;
bool transfer_prepare_for(struct exchange *x, struct prepared_transfer *p);

/* A controller that a transfer holds is not changed under it. false: answered, 409. */
bool controller_is_free(struct exchange *x, const char *name);

/* Answer that this transfer holds the endpoint of a controller. */
void answer_lease_held(struct exchange *x, const char *controller, const char *holder);

/* What an answer to a STOP says of who sent it; NULL: the node that serves. */
const char *stop_sent_by(const struct exchange *x);

/* Send STOP and answer with what came of it, at once when nobody may wait. transfer: "" = of the controller. */
enum outcome stop_and_answer(struct exchange *x, const char *controller, const char *transfer);

#endif
