/* The audit trail: who did what. */
#include "server/app.h"
#include "server/routes/handlers.h"
#include "server/routes/list_ranges.h"

/* An entry is the stored line with its number and hash before it. */
static void visit(void *context, const struct store_audit *entry)
{
  struct buffer item = BUFFER(MB(1));
  struct json_writer w = { .out = &item };
  json_begin_object(&w);
  json_key(&w, "number"), json_write_integer(&w, entry->number);
  json_key(&w, "hash"), json_write_text(&w, entry->hash);
  json_key(&w, "entry"), json_write_raw(&w, entry->line);
  json_end_object(&w);
  listing_item(context, &item);
  buffer_release(&item);
}

/* ?at_after=, ?at_before=: conditions of the query; `texts` live as long as it does. false: a fault. */
static bool take_times(struct listing *listing, char texts[2][TIME_SIZE])
{
  static const struct {
    const char *parameter;
    enum store_match match;
  } known[] = { { "at_after", STORE_AT_LEAST }, { "at_before", STORE_BELOW } };
  bool good = true;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    int64_t ms = -1;
    good &= list_time(listing->x, known[k].parameter, &ms);
    if (ms < 0) continue;
    clock_format(ms, texts[k]);
    listing->query.filters[listing->query.filter_count++] =
        (struct store_filter){ .name = "at", .match = known[k].match, .text = texts[k] };
  }
  return good;
}

enum outcome audit_list(struct exchange *x)
{
  const bool timed = exchange_query(x, "at_after") || exchange_query(x, "at_before");
  const struct list_form form = { .filters = "key operation",
                                  .sorts = "number at",
                                  .order = timed ? "-at" : "-number", /* so that an index serves */
                                  .fields = "number hash entry" };
  char times[2][TIME_SIZE];
  struct listing listing;
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  if (!take_times(&listing, times)) {
    listing_refuse(&listing);
    return ANSWERED;
  }
  listing_end(&listing, store_audit_list(exchange_app(x)->store, &listing.query, visit, &listing));
  return ANSWERED;
}
