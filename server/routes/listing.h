/* Pages of a list: {"items": [...], "next_cursor": "..." | null}. A list has a form of what it can be asked by:
 *   struct listing listing;
 *   if (!listing_query(&listing, x, &form)) return ANSWERED;
 *   listing_end(&listing, store_job_list(store, &listing.query, visit, &listing));
 *   return ANSWERED;
 * visit gives listing_item(listing, item) the text of one object for each row. */
#ifndef SERVER_ROUTES_LISTING_H
#define SERVER_ROUTES_LISTING_H

#include "api/codec/result.h"
#include "server/http/exchange.h"
#include "server/store/store.h"

enum { LISTING_NAME_SIZE = LIMIT_TAG + 1, LISTING_DEFAULT = 50, LISTING_OWN = 6 };

/* What a list can be asked by, beside limit, cursor and q, and, if its route takes them, tag and the ids of ISA-95. Words
 * have spaces between. */
struct list_form {
  const char *filters;               /* parameters that name columns of the store, which they must equal; NULL: none */
  const char *sorts;                 /* columns to sort by */
  const char *order;                 /* `sort` of a request without one; NULL: -created_at */
  const char *fields;                /* members of an item */
  const struct result_form *results; /* of a list of results: its members and metrics; else NULL */
};

struct listing {
  struct exchange *x;
  struct store_query query;
  char names[STORE_FILTERS][LISTING_NAME_SIZE]; /* of tags and metrics in the query */
  char digest[17];                              /* of the query that the cursor belongs to */
  const char *fields;                           /* asked for; NULL: all */
  const char *totals;                           /* JSON that tells of more than the page; NULL: nothing */
  struct buffer body;
  struct json_writer writer;
};

/* Reads what the list is asked by: the parameters of every list and those of the form. false:
 * answered (422). The query lives as long as the exchange and the listing; LISTING_OWN more conditions may be added to it. */
bool listing_query(struct listing *listing, struct exchange *x, const struct list_form *form);
/* Write an item, or the members of it that are asked for; a failed buffer fails the answer. */
void listing_item(struct listing *listing, const struct buffer *item);

/* Answers with the faults found meanwhile (422). */
void listing_refuse(struct listing *listing);
/* Answers with the page, or with what the store said. */
void listing_end(struct listing *listing, enum armdyn_status status);

#endif
