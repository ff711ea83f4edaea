/* Resources that people write, and that have versions: found, demanded by If-Match and If-None-Match, answered, put and
 * deleted alike. To add one: a struct versioned, which its routes are about (routes.c). */
#ifndef SERVER_ROUTES_VERSIONED_H
#define SERVER_ROUTES_VERSIONED_H

#include "server/http/exchange.h"
#include "server/store/store.h"

struct versioned {
  const char *noun;       /* "alias", in words */
  const char *article;    /* "an" */
  const char *segment;    /* of its path that names it */
  const char *collection; /* "aliases" */
  bool of_robot;          /* "/v1/robots/{robot}/aliases/{alias}" */
  size_t size;            /* of a row of the store, which is all zero before it is read */
  size_t version_at;      /* its version within the row, int64_t, from 1 */
  /* What else a request must keep to. false: answered; NULL: nothing. */
  bool (*admit)(struct exchange *x);
  bool (*admit_put)(struct exchange *x);
  enum armdyn_status (*get)(struct exchange *x, void *row); /* that of the path; row is released in any case */
  void (*release)(void *row);                               /* NULL: it owns nothing */
  /* As an answer with this status has it, which may need headers. */
  enum armdyn_status (*encode)(struct exchange *x, int http_status, const void *row, struct buffer *out);
  bool (*read)(struct exchange *x, void *row);                  /* from the body, but for the name. false: answered */
  bool (*put)(struct exchange *x, void *row, int64_t expected); /* 0: there is none yet. false: answered */
  bool (*remove)(struct exchange *x, int64_t expected);         /* false: answered */
};

extern const struct versioned aliases, cells, controllers, datasets, mappings, meshes, parts, webhooks;

/* Is it there, by what the store said? false: answered. */
bool versioned_found(struct exchange *x, const struct versioned *kind, enum armdyn_status status);
/* What the request demands of the version that is there; *expected 0: it is to be made. false: answered. */
bool versioned_demanded(struct exchange *x, const struct versioned *kind, bool may_create, int64_t *expected);
/* Answer with a row; 201 with its Location. */
void versioned_answer(struct exchange *x, const struct versioned *kind, int http_status, const void *row);

#endif
