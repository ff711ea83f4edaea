/* The audit trail: who did what. */
#include <inttypes.h>

#include "server/app.h"
#include "server/routes/listing.h"
#include "server/routes/route.h"

/* An entry is the stored line with its number and hash before it. */
static void visit(void *context, const struct store_audit *entry)
{
  struct listing *listing = context;
  char key[32];
  snprintf(key, sizeof key, "%" PRId64, entry->number);
  if (!listing_takes(listing, key)) return;
  struct json_writer *w = &listing->writer;
  json_begin_object(w);
  json_key(w, "number"), json_write_integer(w, entry->number);
  json_key(w, "hash"), json_write_text(w, entry->hash);
  json_key(w, "entry"), json_write_raw(w, entry->line);
  json_end_object(w);
}

enum outcome audit_list(struct exchange *x)
{
  struct listing listing;
  if (!listing_begin(&listing, x)) return ANSWERED;
  const struct store_audit_filter filter = {
    .before = listing.page.before ? strtoll(listing.page.before, NULL, 10) : 0,
    .limit = listing.page.limit,
    .key = exchange_query(x, "key"),
    .operation = exchange_query(x, "operation"),
  };
  listing_end(&listing, store_audit_list(exchange_app(x)->store, &filter, visit, &listing));
  return ANSWERED;
}
