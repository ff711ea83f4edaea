/* The route table, compiled into a tree of path segments. Immutable once built; any thread may match. */
#ifndef SERVER_HTTP_ROUTER_H
#define SERVER_HTTP_ROUTER_H

#include "server/http/route.h"

enum { SEGMENTS_MOST = 12 };

struct router;

/* NULL when out of memory, or when two rows claim the same method and path (which is logged). */
struct router *router_new(const struct route *table, size_t count);
void router_free(struct router *router);

/* What the path leads to: the routes of its methods (NULL where there is none). */
struct match {
  const struct route *const *by_method;
  size_t count; /* segments that stand for a {name} */
  struct {
    const char *name; /* NUL-terminated, of the table */
    const char *value;
  } values[SEGMENTS_MOST];
};

/* segments: percent-decoded, NUL-terminated. false: no such path. */
bool router_match(const struct router *router, const char *const *segments, size_t count, struct match *match);

/* "GET, HEAD, PUT, OPTIONS" */
enum { ALLOW_SIZE = 64 };
void router_allow(const struct match *match, char allow[ALLOW_SIZE]);
const char *method_name(enum http_method method);
/* HEAD is GET; false for methods that no route can have. */
bool method_of_name(const char *name, enum http_method *method);

#endif
