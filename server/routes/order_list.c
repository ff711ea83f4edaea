/* Lists of orders, and how many there are in each state. */
#include "server/app.h"
#include "server/routes/handlers.h"
#include "server/routes/list_ranges.h"
#include "server/routes/orders.h"

enum { ITEM_MOST = MB(1) };

static void visit(void *context, const struct store_order *row)
{
  struct listing *listing = context;
  struct buffer item = BUFFER(ITEM_MOST);
  (void)order_encode(exchange_app(listing->x), row, true, &item); /* a failed item fails the list */
  listing_item(listing, &item);
  buffer_release(&item);
}

enum outcome order_list(struct exchange *x)
{
  static const struct list_form form = {
    .filters = "controller",
    .sorts = "created_at started_at finished_at controller state priority",
    .fields = "id controller state start priority created_by reason changed_by changed_at started_by queue_position "
              "blocked message "
              "progress eta created_at expires_at ready_at started_at finished_at job trajectory transfer plan "
              "measured unmeasured tags "
              "job_order_id work_master_id equipment_id",
  };
  struct listing listing;
  struct list_ranges ranges;
  struct buffer totals = BUFFER(KB(4));
  int64_t counts[ORDER_STATE_COUNT];
  struct store *store = exchange_app(x)->store;
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  const bool states = list_states(&listing, order_state_names, ORDER_STATE_COUNT, &ranges);
  if (!list_times(&listing, &ranges) || !states) {
    listing_refuse(&listing);
    return ANSWERED;
  }
  enum armdyn_status status = store_order_totals(store, &listing.query, counts);
  if (!status) list_totals(&listing, order_state_names, counts, ORDER_STATE_COUNT, &totals);
  list_add_states(&listing, &ranges, order_state_names);
  if (!status) status = store_order_list(store, &listing.query, visit, &listing);
  listing_end(&listing, status);
  buffer_release(&totals);
  return ANSWERED;
}
