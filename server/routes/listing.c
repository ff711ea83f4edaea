#include "server/routes/listing.h"

#include "api/limits.h"

/* Names, ids and numbers of revisions consist of these. */
static bool is_key(const char *cursor)
{
  static const char taken[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  size_t length = strlen(cursor);
  return length > 0 && length < LISTING_KEY_SIZE && strspn(cursor, taken) == length;
}

bool listing_begin(struct listing *listing, struct exchange *x)
{
  memset(listing, 0, sizeof *listing);
  long long limit = LISTING_DEFAULT;
  const char *cursor = exchange_query(x, "cursor");
  bool good = exchange_query_integer(x, "limit", 1, LIMIT_LIST, &limit);
  if (cursor && !is_key(cursor)) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "cursor", FAULT_PATTERN, "is no cursor that this list gave");
    good = false;
  }
  if (!good) {
    answer_problem(x, PROBLEM_INVALID, NULL);
    return false;
  }
  listing->x = x;
  listing->page = (struct store_page){ (size_t)limit + 1, cursor };
  listing->body = (struct buffer)BUFFER(MB(8));
  listing->writer = (struct json_writer){ .out = &listing->body };
  json_begin_object(&listing->writer);
  json_key(&listing->writer, "items");
  json_begin_array(&listing->writer);
  return true;
}

bool listing_takes(struct listing *listing, const char *key)
{
  if (listing->taken + 1 == listing->page.limit) {
    listing->more = true;
    return false;
  }
  listing->taken++;
  snprintf(listing->last, sizeof listing->last, "%s", key);
  return true;
}

void listing_end(struct listing *listing, enum armdyn_status status)
{
  if (status) {
    buffer_release(&listing->body);
    answer_status(listing->x, status, NULL);
    return;
  }
  struct json_writer *w = &listing->writer;
  json_end_array(w);
  json_key(w, "next_cursor"), json_write_text(w, listing->more ? listing->last : NULL);
  json_end_object(w);
  answer_json(listing->x, 200, &listing->body);
}
