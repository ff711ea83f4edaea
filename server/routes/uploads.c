/* Uploads of logs: read piece by piece, judged and kept as they come, visible when they are whole. */
#include <nettle/sha2.h>
#include <sodium.h>

#include "api/dataset/reader.h"
#include "server/app.h"
#include "server/data/new_dataset.h"
#include "server/http/idempotency.h"
#include "server/robots/cache.h"
#include "server/routes/account.h"
#include "server/routes/datasets.h"
#include "server/routes/handlers.h"
#include "server/routes/robots.h"

enum {
  UPLOAD_MEMORY = 4 << 20, /* of the writer and the judge, about */
  EXPANDED_LEAST = 1 << 20,
  EXPANDED_MOST = 100 /* times, without a single good row: nobody logs that */
};

struct upload {
  struct app *app;
  const struct robot_entry *entry;
  struct dataset_mapping *mapping; /* NULL: none */
  char mapping_name[ARMDYN_NAME_SIZE];
  char label[LABEL_SIZE];
  char id[ID_SIZE];
  bool preview;
  size_t expanded; /* bytes of the log */
  struct dataset_reader *reader;
  struct new_dataset *dataset; /* once the columns are known */
};

static void release(void *state)
{
  struct upload *u = state;
  new_dataset_free(u->dataset);
  dataset_reader_free(u->reader);
  free(u->mapping);
  robots_release(u->app->robots, u->entry);
  free(u);
}

/* -- while it comes -- */

static enum armdyn_status take_rows(void *context, const struct dataset_layout *layout, const double *rows,
                                    size_t count)
{
  struct upload *u = context;
  enum armdyn_status status = ARMDYN_OK;
  if (!u->dataset) status = new_dataset_begin(u->app->store, u->id, layout, &u->dataset);
  return status ? status : new_dataset_add(u->dataset, rows, count);
}

static enum armdyn_status take(void *state, struct exchange *x, const char *bytes, size_t length,
                               struct armdyn_error *error)
{
  struct upload *u = state;
  enum armdyn_status status = dataset_reader_take(u->reader, bytes, length, error);
  u->expanded += length;
  if (status || u->expanded < EXPANDED_LEAST || u->expanded / EXPANDED_MOST < exchange_body_received(x)) return status;
  if (dataset_reader_good_rows(u->reader)) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "",
                       "%zu bytes became more than %d times as many, and no good row was among them; the rest of the "
                       "log was not read",
                       exchange_body_received(x), EXPANDED_MOST);
}

/* -- when it is whole -- */

static void answer_preview(struct exchange *x, const struct upload *u)
{
  struct buffer body = BUFFER(MB(1));
  struct json_writer w = { .out = &body };
  dataset_reader_write_preview(u->reader, &w);
  answer_json(x, 200, &body);
}

static void replay(struct exchange *x, const char *href)
{
  answer_dataset(x, strrchr(href, '/') + 1);
}

static void create(struct exchange *x, const struct idempotency *once, void *context)
{
  struct upload *u = context;
  char source[STORE_SHA256_SIZE], name[ARMDYN_NAME_SIZE], reason[STORE_REASON_SIZE];
  sodium_bin2hex(source, sizeof source, exchange_body_digest(x), SHA256_DIGEST_SIZE);
  const struct new_dataset_origin origin = {
    .robot = armdyn_robot_description(u->entry->robot),
    .revision = u->entry->revision,
    .label = u->label,
    .media = media_type(exchange_body_media(x)),
    .mapping = u->mapping ? u->mapping_name : NULL,
    .source_sha256 = source,
    .conditions = dataset_reader_from_current(u->reader) ? "{\"torque_source\":\"current\"}" : "{}",
    .created_by_name = name,
    .reason = reason,
  };
  account_of(x, name, reason);
  enum armdyn_status status = new_dataset_keep(u->dataset, &origin, idempotency_key(once));
  if (status == ARMDYN_ECONFLICT)
    answer_problem(x, PROBLEM_CONFLICT, "the robot was deleted, or this Idempotency-Key was used, while the log came");
  else if (status)
    answer_status(x, status, NULL);
  else
    answer_dataset(x, u->id);
}

static void finish(void *state, struct exchange *x)
{
  struct upload *u = state;
  struct armdyn_error error = { "", "" };
  enum armdyn_status status = dataset_reader_finish(u->reader, &error);
  if (status) {
    answer_status(x, status, &error);
    return;
  }
  if (u->preview) {
    answer_preview(x, u);
    return;
  }
  idempotency_run(x, false, replay, create, u);
}

/* -- before it comes -- */

static bool read_label(struct exchange *x, struct upload *u)
{
  const char *label = exchange_query(x, "label");
  if (!label) return true;
  if ((size_t)snprintf(u->label, sizeof u->label, "%s", label) < sizeof u->label) return true;
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "label", FAULT_LENGTH, "may have at most %d bytes, got %zu",
            LIMIT_TAG, strlen(label));
  return false;
}

static bool read_fields(struct exchange *x)
{
  if (!exchange_query(x, "fields") || exchange_body_media(x) == MEDIA_NPY) return true;
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "fields", FAULT_UNSUPPORTED,
            "names the columns of a .npy; CSV and JSON name their own");
  return false;
}

static enum armdyn_status read_mapping(struct exchange *x, struct upload *u)
{
  const char *name = exchange_query(x, "mapping");
  struct store_mapping row;
  if (!name) return ARMDYN_OK;
  if (exchange_body_media(x) != MEDIA_CSV) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "mapping", FAULT_UNSUPPORTED, "goes with CSV only");
    return ARMDYN_EINPUT;
  }
  enum armdyn_status status = store_mapping_get(u->app->store, name, &row);
  if (status == ARMDYN_ENOTFOUND) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "mapping", FAULT_INCONSISTENT, "there is no mapping '%.64s'",
              name);
    return ARMDYN_EINPUT;
  }
  if (status) return status;
  u->mapping = malloc(sizeof *u->mapping);
  status = u->mapping ? dataset_mapping_decode(row.document, strlen(row.document), u->mapping, NULL) : ARMDYN_EMEMORY;
  if (status && status != ARMDYN_EMEMORY) status = ARMDYN_EINTERNAL; /* it was accepted once */
  memcpy(u->mapping_name, row.name, sizeof u->mapping_name);
  store_mapping_release(&row);
  return status;
}

static enum armdyn_status open_reader(struct exchange *x, struct upload *u)
{
  const struct dataset_source source = { .media = exchange_body_media(x),
                                         .robot = armdyn_robot_description(u->entry->robot),
                                         .mapping = u->mapping,
                                         .fields = exchange_query(x, "fields") };
  return dataset_reader_new(&source, u->preview, take_rows, u, exchange_faults(x), &u->reader);
}

enum outcome dataset_upload(struct exchange *x)
{
  static const struct body_reader reader = { take, finish, release };
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!robot_of_request(x, NULL, &entry, &outcome)) return outcome;
  struct upload *u = calloc(1, sizeof *u);
  if (!u) {
    robots_release(exchange_app(x)->robots, entry);
    answer_status(x, ARMDYN_EMEMORY, NULL);
    return ANSWERED;
  }
  u->app = exchange_app(x);
  u->entry = entry;
  id_make(u->id);
  bool good = exchange_query_truth(x, "preview", &u->preview);
  if (u->preview) exchange_keeps_nothing(x);
  good &= read_label(x, u);
  good &= read_fields(x);
  enum armdyn_status status = read_mapping(x, u);
  if (!status && !good) status = ARMDYN_EINPUT;
  if (!status) status = open_reader(x, u);
  if (status) {
    answer_status(x, status, NULL);
    release(u);
    return ANSWERED;
  }
  exchange_read_body(x, &reader, u, UPLOAD_MEMORY);
  return READS;
}
