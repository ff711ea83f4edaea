/* What webhooks are told: for server/webhooks. */
#ifndef SERVER_ROUTES_WEBHOOKS_H
#define SERVER_ROUTES_WEBHOOKS_H

#include "api/wire/buffer.h"
#include "server/base/trace.h"
#include "server/http/exchange.h"
#include "server/store/store.h"

/* {"type": "job.succeeded", "timestamp": "...", "data": {job}} (or transfer.done with the transfer, controller.lost with the
 * event) and the trace of the request that made it. ENOTFOUND. */
enum armdyn_status webhook_message(struct app *app, const struct store_delivery *delivery, struct buffer *message,
                                   char traceparent[TRACE_SIZE]);

#endif
