/* Parts: what a robot carries, under the names that people number their parts by. */
#include "api/codec/carried.h"
#include "server/app.h"
#include "server/routes/robots.h"
#include "server/routes/versioned.h"

enum { DOCUMENT_MOST = KB(16) };

static enum armdyn_status encode(struct exchange *x, bool made, const void *stored, struct buffer *out)
{
  (void)x, (void)made;
  const struct store_part *row = stored;
  struct part part;
  struct json_writer w = { .out = out };
  if (json_decode(row->document, strlen(row->document), &part_type, &part, NULL, NULL))
    return ARMDYN_EINTERNAL; /* it was accepted once */
  json_begin_object(&w);
  json_key(&w, "robot"), json_write_text(&w, row->robot);
  json_encode_fields(&w, &part_type, &part, NULL);
  json_key(&w, "changed_at"), json_write_text(&w, row->changed_at);
  json_end_object(&w);
  return out->failure;
}

static bool name_is_good(struct exchange *x)
{
  const char *name = exchange_segment(x, "part");
  if (part_name_pattern.matches(name)) return true;
  answer_problem(x, PROBLEM_INVALID, "the name must be %s, got '%.64s'", part_name_pattern.words, name);
  return false;
}

static enum armdyn_status get_row(struct exchange *x, const char *name, void *row)
{
  return store_part_get(exchange_app(x)->store, exchange_segment(x, "robot"), name, row);
}

static void release(void *row)
{
  store_part_release(row);
}

/* As the store keeps it. */
static bool read_body(struct exchange *x, const char *name, void *row)
{
  struct store_part *to = row;
  size_t length;
  const char *body = exchange_body(x, &length);
  struct part part;
  struct buffer document = BUFFER(DOCUMENT_MOST);
  enum armdyn_status status = json_decode(body, length, &part_type, &part, NULL, exchange_faults(x));
  if (!status && !versioned_is_named(x, name, part.name)) status = ARMDYN_EINPUT;
  if (!status) {
    json_encode(&document, &part_type, &part, NULL);
    status = document.failure;
    to->document = buffer_take(&document, NULL);
    snprintf(to->robot, sizeof to->robot, "%s", exchange_segment(x, "robot"));
    snprintf(to->part, sizeof to->part, "%s", part.name);
  }
  if (status) answer_status(x, status, NULL);
  buffer_release(&document);
  return !status;
}

static enum armdyn_status put(struct exchange *x, void *row, int64_t expected, const struct store_idempotency *once)
{
  return store_part_put(exchange_app(x)->store, row, expected, once);
}

static bool remove_row(struct exchange *x, int64_t expected)
{
  const char *name = exchange_segment(x, "part");
  enum armdyn_status status = store_part_delete(exchange_app(x)->store, exchange_segment(x, "robot"), name, expected);
  if (status != ARMDYN_ECONFLICT) return versioned_found(x, &parts, status);
  answer_problem(x, PROBLEM_CONFLICT, "a controller's arm holds the part '%s': say first what it holds instead", name);
  return false;
}

static void visit(void *listing, const struct store_part *row)
{
  versioned_item(listing, &parts, row);
}

static enum armdyn_status list(struct exchange *x, struct listing *listing)
{
  return store_part_list(exchange_app(x)->store, exchange_segment(x, "robot"), &listing->query, visit, listing);
}

const struct versioned parts = {
  .noun = "part",
  .article = "a",
  .segment = "part",
  .collection = "parts",
  .of_robot = true,
  .size = sizeof(struct store_part),
  .version_at = offsetof(struct store_part, version),
  .name_at = offsetof(struct store_part, part),
  .document_at = offsetof(struct store_part, document),
  .admit = robot_is_there,
  .admit_put = name_is_good,
  .get = get_row,
  .release = release,
  .encode = encode,
  .read = read_body,
  .put = put,
  .remove = remove_row,
  .form = &(const struct list_form){ .sorts = "part changed_at",
                                     .order = "part",
                                     .fields = "robot name payload tool changed_at" },
  .list = list,
};
