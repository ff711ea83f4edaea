/* Requests that say who is to be told of their end. */
#ifndef SERVER_WEBHOOKS_CALLBACK_H
#define SERVER_WEBHOOKS_CALLBACK_H

#include "server/http/exchange.h"

/* The webhook of a `callback` ("" is nobody) must be known. false: answered. */
bool callback_is_known(struct exchange *x, const char *webhook);

#endif
