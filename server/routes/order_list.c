/* Lists of orders, and how many there are in each state. */
#include "api/json/writer.h"
#include "server/app.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"
#include "server/routes/orders.h"

enum { ITEM_MOST = MB(1) };

struct order_listing {
  struct listing listing;
  char states[256];
  char times[4][TIME_SIZE];
};

static void visit(void *context, const struct store_order *row)
{
  struct order_listing *l = context;
  struct buffer item = BUFFER(ITEM_MOST);
  (void)order_encode(exchange_app(l->listing.x), row, true, &item); /* a failed item fails the list */
  listing_item(&l->listing, &item);
  buffer_release(&item);
}

static bool is_state(const char *word, size_t length)
{
  for (int state = 0; state < ORDER_STATE_COUNT; state++) {
    const char *name = order_state_name((enum order_state)state);
    if (strlen(name) == length && !memcmp(name, word, length)) return true;
  }
  return false;
}

/* ?state=queued,running; false: a fault. */
static bool take_states(struct order_listing *l)
{
  const char *text = exchange_query(l->listing.x, "state");
  struct store_query *query = &l->listing.query;
  if (!text) return true;
  for (const char *word = text;; word++) {
    const size_t length = strcspn(word, ",");
    if (!is_state(word, length) || strlen(text) >= sizeof l->states) {
      fault_add(exchange_faults(l->listing.x), FAULT_AT_PARAMETER, "state", FAULT_ENUM,
                "must be states with commas between; there is no state '%.*s'", length < 64 ? (int)length : 64, word);
      return false;
    }
    word += length;
    if (!*word) break;
  }
  snprintf(l->states, sizeof l->states, "%s", text);
  query->filters[query->filter_count++] =
      (struct store_filter){ .name = "state", .match = STORE_ONE_OF, .text = l->states };
  return true;
}

/* ?created_after= and so on, with any offset; false: a fault. */
static bool take_times(struct order_listing *l)
{
  static const struct {
    const char *parameter, *column;
    enum store_match match;
  } ranges[] = {
    { "created_after", "created_at", STORE_AT_LEAST },
    { "created_before", "created_at", STORE_BELOW },
    { "finished_after", "finished_at", STORE_AT_LEAST },
    { "finished_before", "finished_at", STORE_BELOW },
  };
  struct store_query *query = &l->listing.query;
  bool good = true;
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
    const char *text = exchange_query(l->listing.x, ranges[k].parameter);
    const int64_t ms = clock_parse(text);
    if (!text) continue;
    if (ms < 0) {
      fault_add(exchange_faults(l->listing.x), FAULT_AT_PARAMETER, ranges[k].parameter, FAULT_PATTERN,
                "must be an RFC 3339 time, got '%.64s'", text);
      good = false;
      continue;
    }
    clock_format(ms, l->times[k]);
    query->filters[query->filter_count++] =
        (struct store_filter){ .name = ranges[k].column, .match = ranges[k].match, .text = l->times[k] };
  }
  return good;
}

static enum armdyn_status write_totals(struct exchange *x, struct buffer *out)
{
  int64_t totals[ORDER_STATE_COUNT];
  struct json_writer w = { .out = out };
  enum armdyn_status status = store_order_totals(exchange_app(x)->store, exchange_query(x, "controller"),
                                                 exchange_query(x, "job_order_id"), totals);
  json_begin_object(&w);
  for (int state = 0; state < ORDER_STATE_COUNT && !status; state++)
    json_key(&w, order_state_name((enum order_state)state)), json_write_integer(&w, totals[state]);
  json_end_object(&w);
  return status ? status : out->failure;
}

enum outcome order_list(struct exchange *x)
{
  static const struct list_form form = {
    .filters = "controller",
    .sorts = "created_at started_at finished_at controller state priority",
    .fields = "id controller state start priority created_by started_by queue_position blocked message progress eta "
              "created_at expires_at ready_at started_at finished_at job trajectory transfer plan tags job_order_id "
              "work_master_id equipment_id",
  };
  struct order_listing l = { .states = "" };
  struct buffer totals = BUFFER(KB(4));
  if (!listing_query(&l.listing, x, &form)) return ANSWERED;
  const bool states = take_states(&l), times = take_times(&l);
  if (states && times) {
    enum armdyn_status status = write_totals(x, &totals);
    if (!status) status = store_order_list(exchange_app(x)->store, &l.listing.query, visit, &l);
    l.listing.totals = totals.data;
    listing_end(&l.listing, status);
  } else {
    listing_refuse(&l.listing);
  }
  buffer_release(&totals);
  return ANSWERED;
}
