/* Pages of a list: {"items": [...], "next_cursor": "..." | null}.
 *
 * Lists by name or number have the key of the last item as their cursor:
 *   struct listing listing;
 *   if (!listing_begin(&listing, x)) return ANSWERED;
 *   listing_end(&listing, store_robot_list(store, &listing.page, visit, &listing));
 *   return ANSWERED;
 * visit asks listing_takes(listing, key) for each row and writes one object with listing->writer when it is true.
 *
 * Lists that are filtered, searched and sorted take a form of what they can be asked by:
 *   if (!listing_query(&listing, x, &form)) return ANSWERED;
 *   listing_end(&listing, store_job_list(store, &listing.query, visit, &listing));
 * visit gives listing_item(listing, item) the text of one object for each row. */
#ifndef SERVER_ROUTES_LISTING_H
#define SERVER_ROUTES_LISTING_H

#include "api/codec/result.h"
#include "server/http/exchange.h"
#include "server/store/store.h"

enum { LISTING_KEY_SIZE = 128, LISTING_NAME_SIZE = LIMIT_TAG + 1, LISTING_DEFAULT = 50, LISTING_OWN = 4 };

/* What a list can be asked by, beside limit, cursor, q, tag and the ids of ISA-95. Words have spaces between. */
struct list_form {
  const char *filters;               /* parameters that name columns of the store, which they must equal */
  const char *sorts;                 /* columns to sort by */
  const char *fields;                /* members of an item */
  const struct result_form *results; /* of a list of results: its members and metrics; else NULL */
};

struct listing {
  struct exchange *x;
  struct store_page page; /* one more row than is answered: is there a next page? */
  struct store_query query;
  bool queried;
  char names[STORE_FILTERS][LISTING_NAME_SIZE]; /* of tags and metrics in the query */
  char digest[17];                              /* of the query that the cursor belongs to */
  const char *fields;                           /* asked for; NULL: all */
  struct buffer body;
  struct json_writer writer;
  size_t taken;
  bool more;
  char last[LISTING_KEY_SIZE];
};

/* Reads ?limit= and ?cursor=. false: answered (422). */
bool listing_begin(struct listing *listing, struct exchange *x);
/* false: this row belongs to the next page. */
bool listing_takes(struct listing *listing, const char *key);

/* Reads what such a list is asked by: the parameters of LISTED (routes.c) and those of the form. false: answered (422).
 * The query lives as long as the exchange and the listing; LISTING_OWN more conditions may be added to it. */
bool listing_query(struct listing *listing, struct exchange *x, const struct list_form *form);
/* Write an item, or the members of it that are asked for; a failed buffer fails the answer. */
void listing_item(struct listing *listing, const struct buffer *item);

/* Answers with the faults found meanwhile (422). */
void listing_refuse(struct listing *listing);
/* Answers with the page, or with what the store said. */
void listing_end(struct listing *listing, enum armdyn_status status);

/* Is `name` one of these words? */
bool listing_knows(const char *words, const char *name);

#endif
