#include "server/http/router.h"

#include "server/base/log.h"

static const char *const method_names[HTTP_METHOD_COUNT] = { "GET", "PUT", "POST", "PATCH", "DELETE" };

/* One segment of one or more paths. */
struct node {
  char *text;             /* of a {name} segment: the name */
  struct node **literals; /* children, in the order of strcmp */
  size_t literal_count;
  struct node *named, *sibling; /* children for any segment, and the next of them */
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

static void free_node(struct node *node);

static void free_children(struct node *node)
{
  for (size_t i = 0; i < node->literal_count; i++) free_node(node->literals[i]);
  for (struct node *child = node->named, *next; child; child = next) {
    next = child->sibling;
    free_node(child);
  }
  free(node->literals);
}

static void free_node(struct node *node)
{
  free_children(node);
  free(node->text);
  free(node);
}

/* The literal child for this segment; NULL: there is none, and this is its place. */
static struct node *find_literal(const struct node *parent, const char *segment, size_t *place)
{
  size_t first = 0, last = parent->literal_count;
  while (first < last) {
    const size_t middle = (first + last) / 2;
    struct node *child = parent->literals[middle];
    const int order = strcmp(child->text, segment);
    if (!order) return child;
    if (order < 0)
      first = middle + 1;
    else
      last = middle;
  }
  *place = first;
  return NULL;
}

static struct node *node_new(const char *text, size_t length)
{
  struct node *node = calloc(1, sizeof *node);
  if (!node || (node->text = strndup(text, length))) return node;
  free(node);
  return NULL;
}

static struct node *literal_child(struct node *parent, const char *segment, size_t length)
{
  size_t place = 0;
  struct node *node = node_new(segment, length), *known = node ? find_literal(parent, node->text, &place) : NULL;
  struct node **literals = NULL;
  if (node && !known) literals = realloc(parent->literals, (parent->literal_count + 1) * sizeof(struct node *));
  if (!literals) {
    if (node) free_node(node);
    return known;
  }
  memmove(literals + place + 1, literals + place, (parent->literal_count++ - place) * sizeof(struct node *));
  parent->literals = literals;
  return literals[place] = node;
}

static struct node *named_child(struct node *parent, const char *name, size_t length)
{
  struct node **at = &parent->named;
  while (*at && (strncmp((*at)->text, name, length) || (*at)->text[length])) at = &(*at)->sibling;
  return *at ? *at : (*at = node_new(name, length));
}

/* The child for this segment of a table path, made if it is new; NULL when out of memory. */
static struct node *child_for(struct node *parent, const char *segment, size_t length)
{
  const bool named = length > 2 && segment[0] == '{' && segment[length - 1] == '}';
  return named ? named_child(parent, segment + 1, length - 2) : literal_child(parent, segment, length);
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

/* Depth first: an exact segment wins, but hides no path that only a {name} leads to. */
static bool descend(const struct node *node, const char *const *segments, size_t count, struct match *match)
{
  if (!count) {
    match->by_method = node->by_method;
    return leads_somewhere(node);
  }
  size_t place;
  const struct node *exact = find_literal(node, segments[0], &place);
  if (exact && descend(exact, segments + 1, count - 1, match)) return true;
  if (!segments[0][0] || match->count == SEGMENTS_MOST) return false; /* a name is never empty */
  for (const struct node *child = node->named; child; child = child->sibling) {
    match->values[match->count].name = child->text;
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
