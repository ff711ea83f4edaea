/* Pages of a list: {"items": [...], "next_cursor": "..." | null}. The cursor is the key of the last item.
 *
 *   struct listing listing;
 *   if (!listing_begin(&listing, x)) return ANSWERED;
 *   listing_end(&listing, store_robot_list(store, &listing.page, visit, &listing));
 *   return ANSWERED;
 *
 * visit asks listing_takes(listing, key) for each row and writes one object with listing->writer when it is true. */
#ifndef SERVER_ROUTES_LISTING_H
#define SERVER_ROUTES_LISTING_H

#include "api/json/writer.h"
#include "server/http/exchange.h"
#include "server/store/store.h"

enum { LISTING_KEY_SIZE = 128, LISTING_DEFAULT = 50 };

struct listing {
  struct exchange *x;
  struct store_page page; /* one more row than is answered: is there a next page? */
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
/* Answers with the page, or with what the store said. */
void listing_end(struct listing *listing, enum armdyn_status status);

#endif
