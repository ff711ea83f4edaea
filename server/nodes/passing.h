/* Connections that are passed on to another node, byte by byte: whoever connects here talks to that one, and encrypts
 * with it, as if he had connected there. While that one is silent, or refuses, they lead to this node's own service, if it
 * has one. One thread. */
#ifndef SERVER_NODES_PASSING_H
#define SERVER_NODES_PASSING_H

#include <stdbool.h>
#include <sys/socket.h>

#include "armdyn/status.h"

struct passing;
/* The descriptor, which does not block, stays the caller's; nobody else may accept from it meanwhile.
 *   encrypted  in  clients encrypt: what was said to one that has answered means nothing to another */
enum armdyn_status passing_start(int listen_fd, bool encrypted, struct passing **passing, struct armdyn_error *error);
/* To whom; those that lead to another one end. size 0: to nobody, and who comes is closed. */
void passing_lead(struct passing *passing, const struct sockaddr_storage *to, socklen_t size);
/* Where this node's own service is; size 0: nowhere. */
void passing_own(struct passing *passing, const struct sockaddr_storage *own, socklen_t size);
/* The other node does not answer: who comes, and who waits for an answer of it, is led to this node's own service with what he
 * has said so far; where that cannot be, his connection ends, and he asks again. */
void passing_silent(struct passing *passing, bool silent);
/* All end. NULL is fine. */
void passing_stop(struct passing *passing);

#endif
