/* Mappings: how the logs of a drive become columns of a data set. */
#include "api/dataset/mapping.h"

#include "api/json/fields.h"
#include "server/app.h"
#include "server/routes/versioned.h"

enum { DOCUMENT_MOST = KB(256) };

static enum armdyn_status encode(struct exchange *x, bool made, const void *stored, struct buffer *out)
{
  (void)x, (void)made;
  const struct store_mapping *row = stored;
  struct dataset_mapping *mapping = malloc(sizeof *mapping);
  if (!mapping) return ARMDYN_EMEMORY;
  enum armdyn_status status = dataset_mapping_decode(row->document, strlen(row->document), mapping, NULL);
  if (!status) dataset_mapping_resource(mapping, row->name, row->created_at, out);
  free(mapping);
  return status ? ARMDYN_EINTERNAL : out->failure; /* it was accepted once */
}

static bool name_is_good(struct exchange *x)
{
  const char *name = exchange_segment(x, "mapping");
  if (json_name_pattern.matches(name)) return true;
  answer_problem(x, PROBLEM_INVALID, "the name must be %s, got '%.64s'", json_name_pattern.words, name);
  return false;
}

static enum armdyn_status get_row(struct exchange *x, const char *name, void *row)
{
  return store_mapping_get(exchange_app(x)->store, name, row);
}

static void release(void *row)
{
  store_mapping_release(row);
}

/* As the store keeps it. */
static bool read_body(struct exchange *x, const char *name, void *row)
{
  size_t length;
  const char *body = exchange_body(x, &length);
  struct store_mapping *to = row;
  struct buffer document = BUFFER(DOCUMENT_MOST);
  struct dataset_mapping *mapping = malloc(sizeof *mapping);
  enum armdyn_status status =
      mapping ? dataset_mapping_decode(body, length, mapping, exchange_faults(x)) : ARMDYN_EMEMORY;
  if (!status) {
    dataset_mapping_encode(mapping, &document);
    status = document.failure;
    to->document = buffer_take(&document, NULL);
    snprintf(to->name, sizeof to->name, "%s", name);
  }
  if (status) answer_status(x, status, NULL);
  buffer_release(&document);
  free(mapping);
  return !status;
}

static enum armdyn_status put(struct exchange *x, void *row, int64_t expected, const struct store_idempotency *once)
{
  (void)once; /* there is no POST */
  struct store *store = exchange_app(x)->store;
  return expected ? store_mapping_update(store, row, expected) : store_mapping_create(store, row);
}

static bool remove_row(struct exchange *x, int64_t expected)
{
  return versioned_found(x, &mappings,
                         store_mapping_delete(exchange_app(x)->store, exchange_segment(x, "mapping"), expected));
}

static void visit(void *listing, const struct store_mapping *row)
{
  versioned_item(listing, &mappings, row);
}

static enum armdyn_status list(struct exchange *x, struct listing *listing)
{
  return store_mapping_list(exchange_app(x)->store, &listing->query, visit, listing);
}

const struct versioned mappings = {
  .noun = "mapping",
  .article = "a",
  .segment = "mapping",
  .collection = "mappings",
  .size = sizeof(struct store_mapping),
  .version_at = offsetof(struct store_mapping, version),
  .name_at = offsetof(struct store_mapping, name),
  .admit_put = name_is_good,
  .get = get_row,
  .release = release,
  .encode = encode,
  .read = read_body,
  .put = put,
  .remove = remove_row,
  .form = &(const struct list_form){ .sorts = "name created_at",
                                     .order = "name",
                                     .fields = "name description delimiter decimal encoding skip_rows time columns "
                                               "created_at" },
  .list = list,
};
