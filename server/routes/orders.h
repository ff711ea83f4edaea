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
/* What keeps a controller's queue, and who stands in it; the failure of `out`. */
enum armdyn_status queue_encode(struct app *app, const char *controller, struct buffer *out);

#endif
