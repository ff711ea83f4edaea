/* What stands between the sockets and libmicrohttpd, which is not to be trusted with heads: it takes some that are none, and
 * answers others twice. It gives no way to look at bytes before it does, so its one call of recv() is ours (this file
 * defines that function for the whole program; every other call, and every other socket, goes through unchanged).
 *
 * Bytes come into its buffer as always, and framing.c reads them there; only of a head that comes in pieces a copy is kept
 * until it is whole. In place of what is malformed libmicrohttpd gets a sound request, which exchanges (admission.c,
 * lifetime.c) know and refuse, and nothing more. It must never begin a request that was not passed here: gate_lets_begin
 * says so, and what it denies is closed. */
#ifndef SERVER_HTTP_GATE_H
#define SERVER_HTTP_GATE_H

#include "server/http/gate_state.h"

struct connection;
/* Sockets that are looked at, by file descriptor. false: there is no place for this one. */
bool gate_open(struct connection *connection);
void gate_close(struct connection *connection);

/* Once for every request that begins: was it passed? */
bool gate_lets_begin(struct gate *gate);
/* Is the request that began last malformed, in its head or, as far as it has come, in its body? */
bool gate_is_broken(const struct gate *gate);
/* Has a part of the next head come? */
bool gate_holds(const struct gate *gate);

#endif
