#include "server/http/router.h"

#include "server/base/log.h"

static const char *const method_names[HTTP_METHOD_COUNT] = { "GET", "PUT", "POST", "PATCH", "DELETE" };

/* One segment of one or more paths. */
struct node {
  char *literal;                /* or */
  char *name;                   /* of a {name} segment */
  struct node *child, *sibling; /* literals first, the {name} last: an exact segment wins */
  const struct route *by_method[HTTP_METHOD_COUNT];
};

struct router {
  struct node root;
};

const char *method_name(enum http_method method)
{
  return method_names[method];
}

const char *role_name(enum role role)
{
  static const char *const names[ROLE_COUNT] = { "anyone", "viewer", "operator", "engineer", "admin" };
  return (unsigned)role < ROLE_COUNT ? names[role] : "unknown";
}

bool method_of_name(const char *name, enum http_method *method)
{
  if (!strcmp(name, "HEAD")) name = "GET";
  for (int m = 0; m < HTTP_METHOD_COUNT; m++) {
    if (strcmp(name, method_names[m])) continue;
    *method = (enum http_method)m;
    return true;
  }
  return false;
}

static void free_children(struct node *node)
{
  for (struct node *child = node->child, *next; child; child = next) {
    next = child->sibling;
    free_children(child);
    free(child->literal);
    free(child->name);
    free(child);
  }
}

/* The child for this segment of a table path, made if it is new; NULL when out of memory. */
static struct node *child_for(struct node *parent, const char *segment, size_t length)
{
  bool named = length > 2 && segment[0] == '{' && segment[length - 1] == '}';
  char *text = named ? strndup(segment + 1, length - 2) : strndup(segment, length);
  if (!text) return NULL;
  struct node **at = &parent->child;
  for (; *at; at = &(*at)->sibling) {
    const char *other = named ? (*at)->name : (*at)->literal;
    if (other && !strcmp(other, text)) {
      free(text);
      return *at;
    }
  }
  struct node *node = calloc(1, sizeof *node);
  if (!node) {
    free(text);
    return NULL;
  }
  *(named ? &node->name : &node->literal) = text;
  if (named) {
    *at = node;
  } else {
    node->sibling = parent->child;
    parent->child = node;
  }
  return node;
}

static bool add(struct router *router, const struct route *route)
{
  struct node *node = &router->root;
  for (const char *p = route->path; *p == '/';) {
    size_t length = strcspn(++p, "/");
    if (!(node = child_for(node, p, length))) return false;
    p += length;
  }
  if (node->by_method[route->method]) {
    log_event(LOG_ERROR, "two routes claim the same call", "method", method_names[route->method], "path", route->path,
              NULL);
    return false;
  }
  node->by_method[route->method] = route;
  return true;
}

struct router *router_new(const struct route *table, size_t count)
{
  struct router *router = calloc(1, sizeof *router);
  if (!router) return NULL;
  for (size_t i = 0; i < count; i++) {
    if (add(router, &table[i])) continue;
    router_free(router);
    return NULL;
  }
  return router;
}

void router_free(struct router *router)
{
  if (!router) return;
  free_children(&router->root);
  free(router);
}

static bool leads_somewhere(const struct node *node)
{
  for (int m = 0; m < HTTP_METHOD_COUNT; m++)
    if (node->by_method[m]) return true;
  return false;
}

/* Depth first; a {name} is tried after the literals, so that no path is hidden by the order of the table. */
static bool descend(const struct node *node, const char *const *segments, size_t count, struct match *match)
{
  if (!count) {
    match->by_method = node->by_method;
    return leads_somewhere(node);
  }
  for (const struct node *child = node->child; child; child = child->sibling) {
    if (child->literal) {
      if (!strcmp(child->literal, segments[0]) && descend(child, segments + 1, count - 1, match)) return true;
      continue;
    }
    if (!segments[0][0] || match->count == SEGMENTS_MOST) continue; /* a name is never empty */
    match->values[match->count].name = child->name;
    match->values[match->count++].value = segments[0];
    if (descend(child, segments + 1, count - 1, match)) return true;
    match->count--;
  }
  return false;
}

bool router_match(const struct router *router, const char *const *segments, size_t count, struct match *match)
{
  match->count = 0;
  return descend(&router->root, segments, count, match);
}

void router_allow(const struct match *match, char allow[ALLOW_SIZE])
{
  size_t length = 0;
  for (int m = 0; m < HTTP_METHOD_COUNT; m++)
    if (match->by_method[m])
      length += (size_t)snprintf(allow + length, ALLOW_SIZE - length, "%s%s, ", method_names[m],
                                 m == HTTP_GET ? ", HEAD" : "");
  snprintf(allow + length, ALLOW_SIZE - length, "OPTIONS");
}
