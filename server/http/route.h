/* A call of the service: a row of a table (server/routes/routes.c), matched by whole segments, so that order cannot matter. */
#ifndef SERVER_HTTP_ROUTE_H
#define SERVER_HTTP_ROUTE_H

#include <stddef.h>

#include "server/http/exchange.h"

enum http_method { HTTP_GET, HTTP_PUT, HTTP_POST, HTTP_PATCH, HTTP_DELETE, HTTP_METHOD_COUNT };
/* Each includes the ones before. */
enum role { ROLE_ANYONE, ROLE_VIEWER, ROLE_OPERATOR, ROLE_ENGINEER, ROLE_ADMIN, ROLE_COUNT };
const char *role_name(enum role role); /* "anyone", "viewer", ... */
enum where {
  ON_EVENT_THREAD, /* computes and keeps nothing: first try inline; a handler that would block answers BLOCKS */
  READS_ON_POOL,   /* touches the disk, always on a thread that may block, and keeps nothing either */
  ON_POOL,         /* the same, but what changes anything is here or below: all but a GET leaves an entry in the audit
                      trail (exchange_keeps_nothing excepts single requests) */
  STREAMED,        /* as ON_POOL, and takes its body in pieces, as many as options.upload_limit allows */
  AT_ONCE          /* a stop: as on an event thread, and taken whatever query, format and small body it comes with */
};

typedef enum outcome route_handler(struct exchange *x);

struct route {
  /* as in the contract: see api/calls.py */
  enum http_method method;
  const char *path; /* "/v1/robots/{robot}/inverse-dynamics" */
  enum role role;
  unsigned bodies;   /* bit mask of TAKES(media): the Content-Types taken; 0: no body */
  unsigned answers;  /* bit mask of TAKES(media) that Accept chooses from; 0: JSON */
  const char *query; /* names of the query parameters it knows, separated by spaces; others are 422 */
  const char *operation_id;
  const char *no_dry_run; /* why it changes something and has none; NULL: `query` tells */

  route_handler *handle;
  enum where where;
  size_t body_most;  /* bytes; 0: no body is taken */
  const void *about; /* what a handler of several calls has to know of this one (exchange_about) */
};

#define TAKES(media) (1u << (media))
#define JSON_ONLY    TAKES(MEDIA_JSON)
#define NO_FIELDS    (TAKES(MEDIA_NONE) | TAKES(MEDIA_JSON)) /* nothing, or the empty object that some clients send */

#endif
