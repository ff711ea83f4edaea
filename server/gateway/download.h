/* One transfer: download or stream a profile, have it checked, armed and started on request, and watch it to its end.
 *
 * It runs on the thread of its controller and hears of commands only between two round trips. After START nothing is sent
 * again but heartbeats, what is asked for (HOLD, RESUME, STOP) and the rest of a stream; a lost connection is then opened
 * again only to watch. */
#ifndef SERVER_GATEWAY_DOWNLOAD_H
#define SERVER_GATEWAY_DOWNLOAD_H

#include "server/gateway/client.h"
#include "server/gateway/transfer.h"

/* Bring a transfer to its end: the last report has a final state. The profile's format may change. */
void download_run(struct transfer_order *order, struct client *client, const struct download_port *port);

#endif
