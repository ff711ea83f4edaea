/* Orders in answers, lists and events: what the files of their routes share. */
#ifndef SERVER_ROUTES_ORDERS_H
#define SERVER_ROUTES_ORDERS_H

#include "server/http/exchange.h"
#include "server/store/store.h"

/* What lists and events show of an order (`summary`), or all of it, as GET does; the failure of `out`. */
enum armdyn_status order_encode(struct app *app, const struct store_order *row, bool summary, struct buffer *out);
/* The same at a place that it has not taken. */
struct order_place;
enum armdyn_status order_encode_at(const struct store_order *row, const struct order_place *place, bool summary,
                                   struct buffer *out);
/* The order of this id; release it. false: answered. */
bool order_find(struct exchange *x, const char *id, struct store_order *row);
/* Answer with the order of this id. */
void order_answer(struct exchange *x, int http_status, const char *id);
/* The same, as it is encoded: with the ETag that it has. Takes the body. */
void order_answer_encoded(struct exchange *x, int http_status, const struct store_order *row, struct buffer *body);
/* The number of its ETag: how often it was changed, above a hash of all that is answered. Caches compare the whole; If-Match
 * compares the upper part alone, for what the service itself changes (state, place, message) is nobody's to overwrite. */
int64_t order_version(const struct store_order *row, const struct buffer *body);
bool order_is_version(const struct store_order *row, int64_t version);
/* What keeps a controller's queue, and who stands in it; the failure of `out`. */
enum armdyn_status queue_encode(struct app *app, const char *controller, struct buffer *out);

struct order_request;
/* Would it be accepted of this caller now? false: answered. */
bool order_may_be_made(struct exchange *x, const struct order_request *request);
/* What it says of the row, which has its time of acceptance; the texts are the caller's to release. false: no memory. */
bool order_say(const struct order_request *request, struct store_order *row);

#endif
