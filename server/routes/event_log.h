/* Events of the log in JSON: what GET /v1/events/log lists, webhooks and MQTT tell. */
#ifndef SERVER_ROUTES_EVENT_LOG_H
#define SERVER_ROUTES_EVENT_LOG_H

#include "api/wire/buffer.h"
#include "server/store/store.h"

void event_encode(const struct store_event *event, struct buffer *out);

#endif
