/* Parts: what a robot carries, under the names that people number their parts by. */
#include "api/codec/carried.h"
#include "server/app.h"
#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"
#include "server/routes/robots.h"
#include "server/routes/versioned.h"

enum { DOCUMENT_MOST = KB(16) };

/* Is the robot there, and not hidden? false: answered. */
static bool robot_is_there(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!robot_of_request(x, NULL, &entry, &outcome)) return false;
  robots_release(exchange_app(x)->robots, entry);
  return true;
}

/* A stored part as GET answers it. */
static enum armdyn_status encode(const struct store_part *row, struct buffer *out)
{
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

static enum armdyn_status encode_row(struct exchange *x, int http_status, const void *row, struct buffer *out)
{
  (void)x, (void)http_status;
  return encode(row, out);
}

static bool name_is_good(struct exchange *x)
{
  const char *name = exchange_segment(x, "part");
  if (part_name_pattern.matches(name)) return true;
  answer_problem(x, PROBLEM_INVALID, "the name must be %s, got '%.64s'", part_name_pattern.words, name);
  return false;
}

static enum armdyn_status get_row(struct exchange *x, void *row)
{
  return store_part_get(exchange_app(x)->store, exchange_segment(x, "robot"), exchange_segment(x, "part"), row);
}

static void release(void *row)
{
  store_part_release(row);
}

/* The body, checked, as the store keeps it.
 *   name  in  that the path demands; NULL: whichever it says */
static bool read_part(struct exchange *x, const char *name, struct store_part *to)
{
  size_t length;
  const char *body = exchange_body(x, &length);
  struct part part;
  struct buffer document = BUFFER(DOCUMENT_MOST);
  enum armdyn_status status = json_decode(body, length, &part_type, &part, NULL, exchange_faults(x));
  if (!status && name && strcmp(name, part.name)) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/name", FAULT_INCONSISTENT,
              "must be '%s' as in the path, got '%s'", name, part.name);
    status = ARMDYN_EINPUT;
  }
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

static bool read_body(struct exchange *x, void *row)
{
  return read_part(x, exchange_segment(x, "part"), row);
}

static bool put(struct exchange *x, void *row, int64_t expected)
{
  return versioned_found(x, &parts, store_part_put(exchange_app(x)->store, row, expected, NULL));
}

static bool remove_row(struct exchange *x, int64_t expected)
{
  const char *name = exchange_segment(x, "part");
  enum armdyn_status status = store_part_delete(exchange_app(x)->store, exchange_segment(x, "robot"), name, expected);
  if (status != ARMDYN_ECONFLICT) return versioned_found(x, &parts, status);
  answer_problem(x, PROBLEM_CONFLICT, "a controller's arm holds the part '%s': say first what it holds instead", name);
  return false;
}

const struct versioned parts = {
  .noun = "part",
  .article = "a",
  .segment = "part",
  .collection = "parts",
  .of_robot = true,
  .size = sizeof(struct store_part),
  .version_at = offsetof(struct store_part, version),
  .admit = robot_is_there,
  .admit_put = name_is_good,
  .get = get_row,
  .release = release,
  .encode = encode_row,
  .read = read_body,
  .put = put,
  .remove = remove_row,
};

/* -- creating -- */

static void answer_part(struct exchange *x, const struct store_part *row)
{
  struct buffer body = BUFFER(DOCUMENT_MOST);
  (void)encode(row, &body); /* a failed body fails the answer */
  exchange_set_header(x, "Location", "/v1/robots/%s/parts/%s", row->robot, row->part);
  answer_etag(x, row->version);
  answer_json(x, 201, &body);
}

static void replay(struct exchange *x, const char *href)
{
  struct store_part row = { .version = 0 };
  enum armdyn_status status =
      store_part_get(exchange_app(x)->store, exchange_segment(x, "robot"), strrchr(href, '/') + 1, &row);
  if (!status)
    answer_part(x, &row);
  else if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "the part was deleted since");
  else
    answer_status(x, status, NULL);
  store_part_release(&row);
}

static void create(struct exchange *x, const struct idempotency *once, void *unused)
{
  struct store_part row = { .version = 0 };
  (void)unused;
  if (!robot_is_there(x) || !read_part(x, NULL, &row)) return;
  enum armdyn_status status = store_part_put(exchange_app(x)->store, &row, 0, idempotency_key(once));
  if (!status)
    answer_part(x, &row);
  else if (status == ARMDYN_EEXISTS)
    answer_problem(x, PROBLEM_CONFLICT, "robot '%s' has a part '%s' already; PUT changes it", row.robot, row.part);
  else
    answer_status(x, status, NULL);
  store_part_release(&row);
}

enum outcome part_create(struct exchange *x)
{
  idempotency_run(x, false, replay, create, NULL);
  return ANSWERED;
}

/* -- the list -- */

static void visit(void *context, const struct store_part *row)
{
  struct buffer item = BUFFER(DOCUMENT_MOST);
  if (!encode(row, &item)) listing_item(context, &item);
  buffer_release(&item);
}

enum outcome part_list(struct exchange *x)
{
  static const struct list_form form = {
    .sorts = "part changed_at",
    .order = "part",
    .fields = "robot name payload tool changed_at",
  };
  struct listing listing;
  if (!robot_is_there(x) || !listing_query(&listing, x, &form)) return ANSWERED;
  listing_end(&listing,
              store_part_list(exchange_app(x)->store, exchange_segment(x, "robot"), &listing.query, visit, &listing));
  return ANSWERED;
}
