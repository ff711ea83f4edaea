/* Who makes something, and why. */
#ifndef SERVER_ROUTES_ACCOUNT_H
#define SERVER_ROUTES_ACCOUNT_H

#include "server/http/exchange.h"
#include "server/store/store.h"

/* The caller's name, and X-Reason ("" without one), which fits: audit_takes_reason saw to it. */
void account_of(const struct exchange *x, char name[ARMDYN_NAME_SIZE], char reason[STORE_REASON_SIZE]);

#endif
