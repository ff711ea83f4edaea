/* The log of events, for who was away. */
#include "server/routes/event_log.h"

#include "api/json/writer.h"
#include "server/app.h"
#include "server/routes/handlers.h"
#include "server/routes/list_ranges.h"
#include "server/routes/listing.h"

enum { ITEM_MOST = KB(64) };

void event_encode(const struct store_event *event, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "number"), json_write_integer(&w, event->number);
  json_member_given(&w, "at", event->at);
  json_member_given(&w, "type", event->type);
  json_member_given(&w, "controller", event->controller);
  json_member_given(&w, "order", event->order_id);
  json_member_given(&w, "job", event->job);
  json_member_given(&w, "transfer", event->transfer);
  json_member_given(&w, "alarm", event->alarm);
  json_member_given(&w, "job_order_id", event->job_order_id);
  json_member_given(&w, "text", event->text);
  json_end_object(&w);
}

static void visit(void *listing, const struct store_event *event)
{
  struct buffer item = BUFFER(ITEM_MOST);
  event_encode(event, &item);
  listing_item(listing, &item);
  buffer_release(&item);
}

static void add(struct store_query *query, struct store_filter filter)
{
  query->filters[query->filter_count++] = filter;
}

static const char *const event_types[] = {
  "order.accepted",    "order.planning",   "order.queued",    "order.loading",        "order.ready",
  "order.running",     "order.held",       "order.done",      "order.stopped",        "order.failed",
  "order.interrupted", "order.measured",   "job.succeeded",   "job.failed",           "job.cancelled",
  "transfer.done",     "transfer.stopped", "transfer.failed", "transfer.interrupted", "queue.blocked",
  "queue.released",    "controller.lost",  "controller.back", "alarm.raised",         "alarm.cleared",
  "alarm.acknowledged"
};

/* Types with commas between, as the store compares them. */
static bool take_types(struct listing *listing)
{
  const char *types = exchange_query(listing->x, "type");
  if (!types) return true;
  if (!list_words(listing, "type", event_types, sizeof event_types / sizeof *event_types)) return false;
  add(&listing->query, (struct store_filter){ .name = "type", .match = STORE_ONE_OF, .text = types });
  return true;
}

enum outcome event_log(struct exchange *x)
{
  static const struct list_form form = {
    .filters = "controller job transfer alarm",
    .sorts = "number",
    .order = "number",
    .fields = "number at type controller order job transfer alarm job_order_id text",
  };
  struct listing listing;
  long long after = 0;
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  const char *order = exchange_query(x, "order");
  bool good = exchange_query_integer(x, "after", 0, INT64_MAX, &after);
  good &= take_types(&listing);
  if (!good) {
    listing_refuse(&listing);
    return ANSWERED;
  }
  if (after)
    add(&listing.query, (struct store_filter){ .name = "number", .match = STORE_ABOVE, .number = (double)after });
  if (order) add(&listing.query, (struct store_filter){ .name = "order_id", .text = order });
  listing_end(&listing, store_event_list(exchange_app(x)->store, &listing.query, visit, &listing));
  return ANSWERED;
}
