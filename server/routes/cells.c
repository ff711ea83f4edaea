/* Cells: what stands around arms. */
#include "api/codec/cell.h"

#include "api/json/fields.h"
#include "server/app.h"
#include "server/data/stored_cell.h"
#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"
#include "server/routes/versioned.h"

static enum armdyn_status encode_row(struct exchange *x, int http_status, const void *row, struct buffer *out)
{
  (void)x, (void)http_status;
  const struct store_cell *stored = row;
  struct cell_document cell;
  const enum armdyn_status status = stored_cell_decode(stored, &cell);
  if (status) return status;
  cell_resource_encode(&cell, stored->version, stored->created_at, out);
  cell_release(&cell);
  return out->failure;
}

/* ?revision=; 0: none is asked for. false: it is no number. */
static bool asked_revision(struct exchange *x, int64_t *revision)
{
  const char *text = exchange_query(x, "revision");
  const size_t digits = text ? strspn(text, "0123456789") : 0;
  *revision = digits && digits <= 15 && !text[digits] ? strtoll(text, NULL, 10) : 0;
  return !text || *revision > 0;
}

static bool revision_is_good(struct exchange *x)
{
  int64_t revision;
  if (asked_revision(x, &revision)) return true;
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "revision", FAULT_PATTERN, "must be a number from 1, got '%.64s'",
            exchange_query(x, "revision"));
  answer_problem(x, PROBLEM_INVALID, NULL);
  return false;
}

static enum armdyn_status get_row(struct exchange *x, void *row)
{
  int64_t revision;
  asked_revision(x, &revision);
  return store_cell_get(exchange_app(x)->store, exchange_segment(x, "cell"), revision, row);
}

static void release(void *row)
{
  store_cell_release(row);
}

/* The body, checked, as the store keeps it. `name`: that of the path, NULL: there is none. */
static bool read_cell(struct exchange *x, const char *name, struct store_cell *to)
{
  size_t length;
  const char *body = exchange_body(x, &length);
  struct buffer document = BUFFER(LIMIT_ANSWER);
  struct cell_document cell;
  enum armdyn_status status = cell_decode(body, length, &cell, exchange_faults(x));
  if (!status && name && strcmp(name, cell.name)) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/name", FAULT_INCONSISTENT,
              "must be '%s' as in the path, got '%s'", name, cell.name);
    status = ARMDYN_EINPUT;
  }
  if (!status) {
    cell_encode(&cell, &document);
    status = document.failure;
    memcpy(to->name, cell.name, sizeof to->name);
    to->document = buffer_take(&document, NULL);
  }
  if (status) answer_status(x, status, NULL);
  buffer_release(&document);
  cell_release(&cell);
  return !status;
}

static bool read_body(struct exchange *x, void *row)
{
  return read_cell(x, exchange_segment(x, "cell"), row);
}

static bool put(struct exchange *x, void *row, int64_t expected)
{
  struct store *store = exchange_app(x)->store;
  return versioned_found(x, &cells,
                         expected ? store_cell_update(store, row, expected) : store_cell_create(store, row, NULL));
}

static bool remove_row(struct exchange *x, int64_t expected)
{
  return versioned_found(x, &cells, store_cell_delete(exchange_app(x)->store, exchange_segment(x, "cell"), expected));
}

const struct versioned cells = {
  .noun = "cell",
  .article = "a",
  .segment = "cell",
  .collection = "cells",
  .size = sizeof(struct store_cell),
  .version_at = offsetof(struct store_cell, version),
  .admit = revision_is_good,
  .get = get_row,
  .release = release,
  .encode = encode_row,
  .read = read_body,
  .put = put,
  .remove = remove_row,
};

/* -- creating by POST -- */

static void answer_created(struct exchange *x, const struct store_cell *row)
{
  struct buffer body = BUFFER(LIMIT_ANSWER);
  const enum armdyn_status status = encode_row(x, 201, row, &body);
  if (status) {
    answer_status(x, status, NULL);
  } else {
    exchange_set_header(x, "Location", "/v1/cells/%s", row->name);
    answer_etag(x, row->version);
    answer_json(x, 201, &body);
  }
  buffer_release(&body);
}

static void replay(struct exchange *x, const char *href)
{
  struct store_cell row;
  const char *name = strrchr(href, '/') + 1;
  const enum armdyn_status status = store_cell_get(exchange_app(x)->store, name, 0, &row);
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no cell '%.64s'", name);
  else if (status)
    answer_status(x, status, NULL);
  else
    answer_created(x, &row);
  store_cell_release(&row);
}

static void create(struct exchange *x, const struct idempotency *once, void *unused)
{
  (void)unused;
  struct store_cell row = { 0 };
  if (!read_cell(x, NULL, &row)) return;
  const enum armdyn_status status = store_cell_create(exchange_app(x)->store, &row, idempotency_key(once));
  if (status == ARMDYN_EEXISTS)
    answer_problem(x, PROBLEM_CONFLICT, "there is a cell '%s' already", row.name);
  else if (status)
    answer_status(x, status, NULL);
  else
    answer_created(x, &row);
  store_cell_release(&row);
}

enum outcome cell_create(struct exchange *x)
{
  idempotency_run(x, false, replay, create, NULL);
  return ANSWERED;
}

/* -- the list -- */

static void visit(void *context, const struct store_cell *row)
{
  struct buffer item = BUFFER(KB(16));
  struct json_writer w = { .out = &item };
  struct cell_document cell;
  if (stored_cell_decode(row, &cell)) return;
  json_begin_object(&w);
  json_key(&w, "name"), json_write_text(&w, row->name);
  if (*cell.description) json_key(&w, "description"), json_write_text(&w, cell.description);
  json_key(&w, "revision"), json_write_integer(&w, (long long)row->version);
  json_key(&w, "body_count"), json_write_integer(&w, (long long)cell.cell.obstacle_count);
  json_key(&w, "created_at"), json_write_text(&w, row->created_at);
  json_end_object(&w);
  listing_item(context, &item);
  buffer_release(&item);
  cell_release(&cell);
}

enum outcome cell_list(struct exchange *x)
{
  static const struct list_form form = {
    .sorts = "name created_at",
    .order = "name",
    .fields = "name description revision body_count created_at",
  };
  struct listing listing;
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  listing_end(&listing, store_cell_list(exchange_app(x)->store, &listing.query, visit, &listing));
  return ANSWERED;
}
