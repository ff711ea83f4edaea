/* Resources that people write, and that have versions: created once for each Idempotency-Key, listed, found, demanded by
 * If-Match and If-None-Match, answered, put and deleted alike. To add one: a struct versioned, which its routes are about
 * (routes.c). */
#ifndef SERVER_ROUTES_VERSIONED_H
#define SERVER_ROUTES_VERSIONED_H

#include "server/http/exchange.h"
#include "server/routes/listing.h"
#include "server/store/store.h"

struct versioned {
  const char *noun;       /* "alias", in words */
  const char *article;    /* "an" */
  const char *segment;    /* of its path that names it */
  const char *collection; /* "aliases" */
  bool of_robot;          /* "/v1/robots/{robot}/aliases/{alias}" */
  size_t size;            /* of a row of the store, which is all zero before it is read */
  size_t version_at;      /* its version within the row, int64_t, from 1 */
  size_t name_at;         /* its name within the row, a text */
  size_t document_at;     /* canonical JSON within the row, char *: put again, it changes nothing; 0: there is none */
  /* What else a request must keep to. false: answered; NULL: nothing. */
  bool (*admit)(struct exchange *x);
  bool (*admit_put)(struct exchange *x);
  enum armdyn_status (*get)(struct exchange *x, const char *name, void *row); /* row is released in any case */
  void (*release)(void *row);                                                 /* NULL: it owns nothing */
  /* As an answer has it; made: just now, of which more may be told than ever after. */
  enum armdyn_status (*encode)(struct exchange *x, bool made, const void *row, struct buffer *out);
  /* From the body; name: that of the path, NULL: as the body says. false: answered. */
  bool (*read)(struct exchange *x, const char *name, void *row);
  /* May the one that is there be changed now? false: answered; NULL: always. */
  bool (*may_change)(struct exchange *x, const char *name);
  /* expected 0: there is none yet; ELIMIT: there are as many as there may be. What else the row has is set, too. */
  enum armdyn_status (*put)(struct exchange *x, void *row, int64_t expected, const struct store_idempotency *once);
  int most;                                             /* that there may be, of those with ELIMIT */
  bool (*remove)(struct exchange *x, int64_t expected); /* false: answered */
  const struct list_form *form;                         /* what their list is asked by */
  /* For every row versioned_item. */
  enum armdyn_status (*list)(struct exchange *x, struct listing *listing);
  enum armdyn_status (*summary)(const void *row, struct buffer *out); /* of a list's item; NULL: as an answer */
};

extern const struct versioned aliases, cells, controllers, datasets, mappings, meshes, parts, webhooks;

/* Is it there, by what the store said? false: answered. */
bool versioned_found(struct exchange *x, const struct versioned *kind, enum armdyn_status status);
/* What the request demands of the version that is there; *expected 0: it is to be made. false: answered. */
bool versioned_demanded(struct exchange *x, const struct versioned *kind, bool may_create, int64_t *expected);
/* Does the body say the name that the path does (NULL: there is none)? false: a fault was added. */
bool versioned_is_named(struct exchange *x, const char *name, const char *said);
/* Write a row as an item of its list. */
void versioned_item(struct listing *listing, const struct versioned *kind, const void *row);
/* Answer with a row that was there before. */
void versioned_answer(struct exchange *x, const struct versioned *kind, const void *row);

#endif
