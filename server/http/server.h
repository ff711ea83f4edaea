/* The HTTP service: libmicrohttpd's epoll thread pool below, routes above.
 *
 * Stopping is in three steps, so that others may end between them: http_quiesce (nothing new is taken), http_drain (what
 * runs is answered), http_stop (everything is closed and freed). */
#ifndef SERVER_HTTP_SERVER_H
#define SERVER_HTTP_SERVER_H

#include <stdint.h>

#include "server/http/auth.h"
#include "server/http/route.h"

struct http;
struct app;
struct tls;

struct http_setup {
  struct app *app; /* handed to the handlers; its options and pool are used here too */
  struct auth *auth;
  const struct route *routes;
  size_t route_count;
  int listen_fd;   /* taken over once http_start returns OK */
  struct tls *tls; /* for listen_fd; NULL = no encryption; must outlive it */
  int control_fd;  /* the same of control.sock: whoever may open that file is an administrator; -1 = none */
};

enum armdyn_status http_start(const struct http_setup *setup, struct http **http, struct armdyn_error *error);
/* No new connections; kept ones end with their present request; exchange_stopping is true from now on. */
void http_quiesce(struct http *http);
/* Wait until every request that has arrived is answered and sent, at most until the deadline (monotonic ns); from then on
 * requests are refused with 503. When it returns no handler runs any more; what was answered WAITS still waits. */
void http_drain(struct http *http, int64_t deadline_ns);
/* Sends what is answered, answers 503 to whoever still waits, closes every connection. Nobody may call exchange_resume
 * afterwards. */
void http_stop(struct http *http);

#endif
