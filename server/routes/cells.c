/* Cells: what stands around arms. */
#include "api/codec/cell.h"

#include "api/json/fields.h"
#include "api/mesh/cell_mesh.h"
#include "api/mesh/cell_stl.h"
#include "api/urdf/cell_xml.h"
#include "api/urdf/name.h"
#include "server/app.h"
#include "server/base/rehearsal.h"
#include "server/data/stored_cell.h"
#include "server/gateway/gateway.h"
#include "server/http/preconditions.h"
#include "server/routes/cells.h"
#include "server/routes/handlers.h"
#include "server/routes/versioned.h"

static enum armdyn_status encode_row(struct exchange *x, bool made, const void *row, struct buffer *out)
{
  (void)x, (void)made;
  const struct store_cell *stored = row;
  struct cell_document cell;
  const enum armdyn_status status = stored_cell_decode(stored, &cell);
  if (status) return status;
  cell_resource_encode(&cell, stored->version, stored->created_at, out);
  cell_release(&cell);
  return out->failure;
}

void cell_fault_add(struct exchange *x, const char *name, int64_t revision)
{
  if (revision)
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/cell_revision", FAULT_INCONSISTENT,
              "there is no revision %lld of a cell '%s'", (long long)revision, name);
  else
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/cell", FAULT_INCONSISTENT, "there is no cell '%s'", name);
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

static enum armdyn_status get_row(struct exchange *x, const char *name, void *row)
{
  int64_t revision;
  asked_revision(x, &revision);
  return store_cell_get(exchange_app(x)->store, name, revision, row);
}

static void release(void *row)
{
  store_cell_release(row);
}

/* -- formats: JSON says all that these parameters say of the others. To add one: a function and a row -- */

struct import {
  const char *name; /* asked for, else that of the path; NULL: neither */
  double scale;     /* m for 1 of a mesh */
  bool scaled;      /* that was said */
  struct armdyn_error error;
};

static enum armdyn_status fault_of_parameter(struct exchange *x, const char *parameter, enum fault_code code,
                                             const char *words)
{
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, parameter, code, "%s", words);
  return ARMDYN_EINPUT;
}

static enum armdyn_status read_json(struct exchange *x, const char *body, size_t length, struct import *in,
                                    struct cell_document *cell)
{
  if (exchange_query(x, "name"))
    return fault_of_parameter(x, "name", FAULT_UNSUPPORTED, "stands in the body of a cell in JSON");
  if (in->scaled) return fault_of_parameter(x, "scale", FAULT_UNSUPPORTED, "goes with meshes only");
  return cell_decode(body, length, cell, exchange_faults(x));
}

static enum armdyn_status read_xml(struct exchange *x, const char *body, size_t length, struct import *in,
                                   struct cell_document *cell)
{
  if (in->scaled)
    return fault_of_parameter(x, "scale", FAULT_UNSUPPORTED, "goes with meshes only: SDF and URDF are in m");
  return cell_xml_decode(body, length, in->name, cell, exchange_faults(x));
}

static enum armdyn_status read_mesh(struct exchange *x, const char *body, size_t length, struct import *in,
                                    struct cell_document *cell)
{
  const struct cell_mesh_options options = { in->name, in->scale };
  char name[ARMDYN_NAME_SIZE];
  if (!in->name) return fault_of_parameter(x, "name", FAULT_REQUIRED, "is missing: a mesh has no name for the cell");
  urdf_name_make(in->name, strlen(in->name), name);
  if (!*name || strcmp(name, in->name))
    return fault_of_parameter(x, "name", FAULT_PATTERN,
                              "must be lower-case letters, digits, '.', '_' and '-', 1 to 64 of them, the first one a "
                              "letter or digit");
  return cell_mesh_decode(body, length, &options, cell, &in->error);
}

static const struct {
  enum media media;
  enum armdyn_status (*read)(struct exchange *x, const char *body, size_t length, struct import *in,
                             struct cell_document *cell);
} formats[] = {
  { MEDIA_JSON, read_json }, { MEDIA_XML, read_xml }, { MEDIA_STL, read_mesh }, { MEDIA_OBJ, read_mesh }
};

static enum armdyn_status read_format(struct exchange *x, const char *name, struct import *in,
                                      struct cell_document *cell)
{
  size_t length, i = 0;
  const char *body = exchange_body(x, &length), *asked = exchange_query(x, "name");
  *in = (struct import){ .name = asked ? asked : name, .scale = 1, .scaled = exchange_query(x, "scale") };
  if (!exchange_query_number(x, "scale", 1e-6, 1e3, &in->scale)) return ARMDYN_EINPUT;
  while (formats[i].media != exchange_body_media(x)) i++; /* the route takes no others */
  return formats[i].read(x, body, length, in, cell);
}

/* As the store keeps it. */
static bool read_body(struct exchange *x, const char *name, void *row)
{
  struct store_cell *to = row;
  struct buffer document = BUFFER(LIMIT_ANSWER);
  struct cell_document cell = { .obstacles = NULL };
  struct import in;
  enum armdyn_status status = read_format(x, name, &in, &cell);
  if (!status && !versioned_is_named(x, name, cell.name)) status = ARMDYN_EINPUT;
  if (!status) {
    cell_encode(&cell, &document);
    status = document.failure;
    memcpy(to->name, cell.name, sizeof to->name);
    to->document = buffer_take(&document, NULL);
  }
  if (status) answer_status(x, status, *in.error.message ? &in.error : NULL);
  buffer_release(&document);
  cell_release(&cell);
  return !status;
}

static enum armdyn_status put(struct exchange *x, void *row, int64_t expected, const struct store_idempotency *once)
{
  const struct app *app = exchange_app(x);
  const struct store_cell *cell = row;
  enum armdyn_status status =
      expected ? store_cell_update(app->store, row, expected) : store_cell_create(app->store, row, once);
  if (!status && !rehearsing()) gateway_cell_changed(app->gateway, cell->name, 0);
  return status;
}

static bool remove_row(struct exchange *x, int64_t expected)
{
  const struct app *app = exchange_app(x);
  const char *name = exchange_segment(x, "cell");
  const enum armdyn_status status = store_cell_delete(app->store, name, expected);
  if (!status && !rehearsing()) gateway_cell_changed(app->gateway, name, 0);
  return versioned_found(x, &cells, status);
}

static enum armdyn_status summarize(const void *row, struct buffer *out)
{
  const struct store_cell *stored = row;
  struct json_writer w = { .out = out };
  struct cell_document cell;
  const enum armdyn_status status = stored_cell_decode(stored, &cell);
  if (status) return status;
  json_begin_object(&w);
  json_key(&w, "name"), json_write_text(&w, stored->name);
  if (*cell.description) json_key(&w, "description"), json_write_text(&w, cell.description);
  json_key(&w, "revision"), json_write_integer(&w, (long long)stored->version);
  json_key(&w, "body_count"), json_write_integer(&w, (long long)cell.cell.obstacle_count);
  json_key(&w, "created_at"), json_write_text(&w, stored->created_at);
  json_end_object(&w);
  cell_release(&cell);
  return out->failure;
}

static void visit(void *listing, const struct store_cell *row)
{
  versioned_item(listing, &cells, row);
}

static enum armdyn_status list(struct exchange *x, struct listing *listing)
{
  return store_cell_list(exchange_app(x)->store, &listing->query, visit, listing);
}

const struct versioned cells = {
  .noun = "cell",
  .article = "a",
  .segment = "cell",
  .collection = "cells",
  .size = sizeof(struct store_cell),
  .version_at = offsetof(struct store_cell, version),
  .name_at = offsetof(struct store_cell, name),
  .document_at = offsetof(struct store_cell, document),
  .admit = revision_is_good,
  .get = get_row,
  .release = release,
  .encode = encode_row,
  .read = read_body,
  .put = put,
  .remove = remove_row,
  .form = &(const struct list_form){ .sorts = "name created_at",
                                     .order = "name",
                                     .fields = "name description revision body_count created_at" },
  .list = list,
  .summary = summarize,
};

/* -- in the formats of others. To add one: a function and a row -- */

static const struct {
  enum media media;
  void (*encode)(const struct cell_document *cell, struct buffer *out);
} exports[] = { { MEDIA_XML, cell_xml_encode }, { MEDIA_STL, cell_stl_encode } };

static void answer_export(struct exchange *x, const struct store_cell *row, size_t format)
{
  struct buffer body = BUFFER(LIMIT_ANSWER);
  struct cell_document cell;
  const enum armdyn_status status = stored_cell_decode(row, &cell);
  if (status) {
    answer_status(x, status, NULL);
    return;
  }
  exports[format].encode(&cell, &body);
  cell_release(&cell);
  answer_etag(x, row->version);
  answer_bytes(x, 200, media_type(exports[format].media), &body);
}

enum outcome cell_get(struct exchange *x)
{
  struct store_cell row = { .version = 0 };
  size_t format = 0;
  exchange_set_header(x, "Vary", "Accept");
  while (format < sizeof exports / sizeof *exports && exports[format].media != exchange_answer_media(x)) format++;
  if (format == sizeof exports / sizeof *exports) return versioned_get(x);
  if (!revision_is_good(x)) return ANSWERED;
  if (versioned_found(x, &cells, get_row(x, exchange_segment(x, "cell"), &row)) &&
      !answered_not_modified(x, row.version))
    answer_export(x, &row, format);
  store_cell_release(&row);
  return ANSWERED;
}
