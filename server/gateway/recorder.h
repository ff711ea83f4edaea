/* Telemetry on its way into the store: one data set for each transfer that measured anything, under the transfer's own id,
 * whole when the transfer has ended. For one thread. */
#ifndef SERVER_GATEWAY_RECORDER_H
#define SERVER_GATEWAY_RECORDER_H

#include "server/gateway/message.h"
#include "server/robots/cache.h"

struct recorder {
  struct store *store;
  struct robots *robots;
  struct recording *first;
};

/* Rows of a transfer, in order; a disk that is full costs the telemetry, and nothing else. */
void recorder_take(struct recorder *recorder, const struct message_telemetry *message);
/* The transfer has ended: its data set is there when this returns, if there is anything to keep. */
void recorder_end(struct recorder *recorder, const char *transfer, const struct telemetry_origin *origin);
/* What is not whole is dropped. */
void recorder_release(struct recorder *recorder);

#endif
