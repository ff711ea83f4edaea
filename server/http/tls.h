/* TLS before the HTTP service. Every encrypted connection is relayed to a socketpair: its other end is an ordinary
 * connection to the event threads. So everything that the service does with sockets (deadlines, refusals in the middle of
 * a body, watching for clients that leave) holds for TLS as it does without, and no event thread waits for a handshake.
 *
 * A handshake's time is that of the first request: when the service closes its end, so does the relay. What clients do not
 * take stops the service as a full socket would; at most 16 KiB of a connection are held here in each direction. */
#ifndef SERVER_HTTP_TLS_H
#define SERVER_HTTP_TLS_H

#include <stdint.h>

#include "api/wire/buffer.h"
#include "armdyn/status.h"

struct tls;

struct tls_setup {
  const char *certificate, *key; /* files; they must outlive it */
  int64_t patience_ns;           /* with a client that takes nothing */
};
/* EINPUT: as identity_read. */
enum armdyn_status tls_start(const struct tls_setup *setup, struct tls **tls, struct armdyn_error *error);
/* Read both files again; connections that are there go on as they are. After a failure the former certificate stays. */
enum armdyn_status tls_reload(struct tls *tls, struct armdyn_error *error);
/* The end for the service of a client's connection, which is taken; -1: there is no room, and it is closed. */
int tls_relay(struct tls *tls, int client);
/* When the service has closed its ends: what it wrote still goes out, for a second at most. NULL is fine. */
void tls_stop(struct tls *tls);

void tls_write_metrics(struct tls *tls, struct buffer *out);

#endif
