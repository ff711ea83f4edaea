/* The gateway process as `serve` sees it: it is started, fed with transfers, listened to, and started again when it
 * crashes (its transfers are then `interrupted`). Everything it reports is stored here; it owns no store. */
#ifndef SERVER_GATEWAY_GATEWAY_H
#define SERVER_GATEWAY_GATEWAY_H

#include "server/store/store.h"

struct gateway;
struct options;
struct robots;

enum armdyn_status gateway_start(struct store *store, const struct options *options, struct robots *robots,
                                 struct gateway **gateway, struct armdyn_error *error);
/* Bring transfers to their configured end, until the deadline (monotonic ns). */
void gateway_stop(struct gateway *gateway, int64_t deadline_ns);
bool gateway_ready(const struct gateway *gateway);

#endif
