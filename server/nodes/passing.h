/* Connections that are passed on to another node, byte by byte: whoever connects here talks to that one, and encrypts
 * with it, as if he had connected there. One thread. */
#ifndef SERVER_NODES_PASSING_H
#define SERVER_NODES_PASSING_H

#include <sys/socket.h>

#include "armdyn/status.h"

struct passing;
/* The descriptor, which does not block, stays the caller's; nobody else may accept from it meanwhile. */
enum armdyn_status passing_start(int listen_fd, struct passing **passing, struct armdyn_error *error);
/* To whom; those that lead to another one end. size 0: to nobody, and who comes is closed. */
void passing_lead(struct passing *passing, const struct sockaddr_storage *to, socklen_t size);
/* How many there are now. */
size_t passing_count(struct passing *passing);
/* All end. NULL is fine. */
void passing_stop(struct passing *passing);

#endif
