/* The event threads, and the thread that accepts connections for them.
 *
 * libmicrohttpd's own pool gives a connection to whichever thread wakes first, so that a few connections keep all threads
 * busy, and they wait for each other on few cores. Here they are spread over half as many threads as there are cores, so
 * that workers, the gateway and clients on the same machine do not take turns with them; the others come in as connections
 * fill those, for none may hold 128 (libmicrohttpd then hangs).
 *
 * One more thread is the reserve. What comes when all others are full, or from an address that has enough, goes there: it is
 * answered one request, and only a stop, or one that watches or administers the service; everything else is told why not.
 * A place of it is held for seconds, and whoever has held one longest makes room when all are taken. */
#ifndef SERVER_HTTP_ACCEPTOR_H
#define SERVER_HTTP_ACCEPTOR_H

#include <stdbool.h>

#include "armdyn/status.h"

struct acceptor;
struct http;
struct sockaddr_storage;

struct acceptor_setup {
  struct http *http;
  int listen_fd, control_fd; /* taken over when acceptor_start returns OK; control_fd -1 = none */
  struct tls *tls;           /* what comes over listen_fd is encrypted; NULL = it is not */
  unsigned threads;          /* event threads */
  unsigned least;            /* of them serve from the first connections on */
};
enum armdyn_status acceptor_start(const struct acceptor_setup *setup, struct acceptor **acceptor);
/* Has this address as many connections as one may have? */
bool acceptor_address_is_full(struct http *http, const struct sockaddr_storage *address);
/* What libmicrohttpd said last on this event thread, which it does before it closes a connection by itself. */
const char *acceptor_last_words(void);
/* No new connections from now on. */
void acceptor_quiesce(struct acceptor *acceptor);
/* Ends the threads; no connection may be suspended. NULL is fine. */
void acceptor_stop(struct acceptor *acceptor);

#endif
