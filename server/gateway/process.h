/* The gateway process: `armdyn gateway`, started by `serve`. */
#ifndef SERVER_GATEWAY_PROCESS_H
#define SERVER_GATEWAY_PROCESS_H

#include "server/gateway/transfer.h"

/* Serve the channel on `fd` until its other end is gone, then bring every transfer to its end. dir: of locks and
 * journal. Returns the exit status. */
int gateway_process(int fd, const char *dir, enum server_loss on_server_loss);

#endif
