/* What is told of a job that has ended: for server/webhooks. */
#ifndef SERVER_ROUTES_WEBHOOKS_H
#define SERVER_ROUTES_WEBHOOKS_H

#include "api/wire/buffer.h"
#include "server/base/trace.h"

struct app;

/* {"type": "job.succeeded", "timestamp": "...", "data": {job}} and the trace of its request. ENOTFOUND. */
enum armdyn_status webhook_message(struct app *app, const char *job, struct buffer *message,
                                   char traceparent[TRACE_SIZE]);

#endif
