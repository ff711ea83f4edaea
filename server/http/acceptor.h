/* The event threads, and the thread that accepts connections for them.
 *
 * libmicrohttpd's own pool gives a connection to whichever thread wakes first, so that a few connections keep all threads
 * busy, and they wait for each other on few cores. Here they are spread over half as many threads as there are cores, so
 * that workers, the gateway and clients on the same machine do not take turns with them; the others come in as connections
 * fill those, for none may hold 128 (libmicrohttpd then hangs). */
#ifndef SERVER_HTTP_ACCEPTOR_H
#define SERVER_HTTP_ACCEPTOR_H

#include "armdyn/status.h"

struct acceptor;
struct http;

struct acceptor_setup {
  struct http *http;
  int listen_fd, control_fd; /* taken over when acceptor_start returns OK; control_fd -1 = none */
  struct tls *tls;           /* what comes over listen_fd is encrypted; NULL = it is not */
  unsigned threads;          /* event threads */
  unsigned least;            /* of them serve from the first connections on */
  long per_address;          /* connections; 0 = no limit; -1 = 200 off loopback */
};
enum armdyn_status acceptor_start(const struct acceptor_setup *setup, struct acceptor **acceptor);
/* No new connections from now on. */
void acceptor_quiesce(struct acceptor *acceptor);
/* Ends the threads; no connection may be suspended. NULL is fine. */
void acceptor_stop(struct acceptor *acceptor);

#endif
