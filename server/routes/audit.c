/* The audit trail: who did what. */
#include "server/app.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"

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

enum outcome audit_list(struct exchange *x)
{
  static const struct list_form form = {
    .filters = "key operation", .sorts = "number", .order = "-number", .fields = "number hash entry"
  };
  struct listing listing;
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  listing_end(&listing, store_audit_list(exchange_app(x)->store, &listing.query, visit, &listing));
  return ANSWERED;
}
