/* Mappings: how the logs of a drive become columns of a data set. */
#include "api/dataset/mapping.h"

#include "api/json/fields.h"
#include "server/app.h"
#include "server/http/preconditions.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"

enum { DOCUMENT_MOST = KB(256) };

static bool found(struct exchange *x, enum armdyn_status status, const char *name)
{
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no mapping '%.64s'", name);
  else if (status == ARMDYN_ESTALE)
    answer_problem(x, PROBLEM_STALE, NULL);
  else if (status == ARMDYN_EEXISTS)
    answer_problem(x, PROBLEM_STALE, "there is a mapping '%.64s' already", name);
  else if (status)
    answer_status(x, status, NULL);
  return status == ARMDYN_OK;
}

/* A stored mapping as GET answers it. */
static enum armdyn_status encode(const struct store_mapping *row, struct buffer *out)
{
  struct dataset_mapping *mapping = malloc(sizeof *mapping);
  if (!mapping) return ARMDYN_EMEMORY;
  enum armdyn_status status = dataset_mapping_decode(row->document, strlen(row->document), mapping, NULL);
  if (!status) dataset_mapping_resource(mapping, row->name, row->created_at, out);
  free(mapping);
  return status ? ARMDYN_EINTERNAL : out->failure; /* it was accepted once */
}

static void answer(struct exchange *x, int http_status, const struct store_mapping *row)
{
  struct buffer body = BUFFER(DOCUMENT_MOST);
  enum armdyn_status status = encode(row, &body);
  if (found(x, status, row->name)) {
    if (http_status == 201) exchange_set_header(x, "Location", "/v1/mappings/%s", row->name);
    answer_etag(x, row->version);
    answer_json(x, http_status, &body);
  }
  buffer_release(&body);
}

enum outcome mapping_get(struct exchange *x)
{
  const char *name = exchange_segment(x, "mapping");
  struct store_mapping row;
  if (!found(x, store_mapping_get(exchange_app(x)->store, name, &row), name)) return ANSWERED;
  if (!answered_not_modified(x, row.version)) answer(x, 200, &row);
  store_mapping_release(&row);
  return ANSWERED;
}

/* What the request demands of the version there is (0: none). false: answered. */
static bool demanded(struct exchange *x, const char *name, bool may_create, enum precondition *wanted, int64_t *version)
{
  struct store_mapping row;
  enum armdyn_status status = store_mapping_get(exchange_app(x)->store, name, &row);
  const int64_t present = status ? 0 : row.version;
  if (!status) store_mapping_release(&row);
  const bool creating = may_create && exchange_header(x, "If-None-Match");
  if (!(creating && status == ARMDYN_ENOTFOUND) && !found(x, status, name)) return false;
  *version = present;
  *wanted = exchange_precondition(x, may_create, version);
  if (*wanted == EXPECT_REFUSED) return false;
  if (*wanted == EXPECT_NONE && present) return found(x, ARMDYN_EEXISTS, name);
  return *wanted == EXPECT_NONE || *version == present || found(x, ARMDYN_ESTALE, name);
}

/* The body, checked, as the store keeps it. */
static enum armdyn_status read_body(struct exchange *x, struct store_mapping *row)
{
  size_t length;
  const char *body = exchange_body(x, &length);
  struct buffer document = BUFFER(DOCUMENT_MOST);
  struct dataset_mapping *mapping = malloc(sizeof *mapping);
  if (!mapping) return ARMDYN_EMEMORY;
  enum armdyn_status status = dataset_mapping_decode(body, length, mapping, exchange_faults(x));
  if (!status) {
    dataset_mapping_encode(mapping, &document);
    status = document.failure;
    row->document = buffer_take(&document, NULL);
  }
  buffer_release(&document);
  free(mapping);
  return status;
}

enum outcome mapping_put(struct exchange *x)
{
  struct store *store = exchange_app(x)->store;
  struct store_mapping row = { 0 };
  enum precondition wanted;
  int64_t version;
  const char *name = exchange_segment(x, "mapping");
  if (!json_name_pattern.matches(name)) {
    answer_problem(x, PROBLEM_INVALID, "the name must be %s, got '%.64s'", json_name_pattern.words, name);
    return ANSWERED;
  }
  if (!demanded(x, name, true, &wanted, &version)) return ANSWERED;
  enum armdyn_status status = read_body(x, &row);
  snprintf(row.name, sizeof row.name, "%s", name);
  if (!status)
    status = wanted == EXPECT_NONE ? store_mapping_create(store, &row) : store_mapping_update(store, &row, version);
  store_mapping_release(&row);
  if (!found(x, status, name)) return ANSWERED;
  if (found(x, store_mapping_get(store, name, &row), name)) {
    answer(x, wanted == EXPECT_NONE ? 201 : 200, &row);
    store_mapping_release(&row);
  }
  return ANSWERED;
}

enum outcome mapping_delete(struct exchange *x)
{
  const char *name = exchange_segment(x, "mapping");
  enum precondition wanted;
  int64_t version;
  if (demanded(x, name, false, &wanted, &version) &&
      found(x, store_mapping_delete(exchange_app(x)->store, name, version), name))
    answer_empty(x, 204);
  return ANSWERED;
}

static void visit(void *context, const struct store_mapping *row)
{
  struct buffer item = BUFFER(DOCUMENT_MOST);
  if (!encode(row, &item)) listing_item(context, &item);
  buffer_release(&item);
}

enum outcome mapping_list(struct exchange *x)
{
  static const struct list_form form = {
    .sorts = "name created_at",
    .order = "name",
    .fields = "name description delimiter decimal encoding skip_rows time columns created_at",
  };
  struct listing listing;
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  listing_end(&listing, store_mapping_list(exchange_app(x)->store, &listing.query, visit, &listing));
  return ANSWERED;
}
