/* Meshes of a robot: what its visuals name, uploaded file by file, kept as triangles and answered as binary STL. They belong
 * to the robot, not to one revision of it. */
#include "api/mesh/mesh.h"

#include "api/json/fields.h"
#include "server/app.h"
#include "server/base/id.h"
#include "server/http/preconditions.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"
#include "server/routes/robots.h"

#define TRIANGLES "triangles" /* the name of the series */

/* The robot, as asked for. NULL: answered. */
static const struct robot_entry *robot_of(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  return robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome) ? entry : NULL;
}

/* false: answered. */
static bool robot_is_there(struct exchange *x)
{
  const struct robot_entry *entry = robot_of(x);
  if (entry) robots_release(exchange_app(x)->robots, entry);
  return entry;
}

static bool found(struct exchange *x, enum armdyn_status status)
{
  const char *robot = exchange_segment(x, "robot"), *mesh = exchange_segment(x, "mesh");
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "robot '%.64s' has no mesh '%.64s'", robot, mesh);
  else if (status == ARMDYN_ESTALE)
    answer_problem(x, PROBLEM_STALE, NULL);
  else if (status == ARMDYN_EEXISTS)
    answer_problem(x, PROBLEM_STALE, "robot '%.64s' has a mesh '%.64s' already", robot, mesh);
  else if (status)
    answer_status(x, status, NULL);
  return status == ARMDYN_OK;
}

static enum armdyn_status read_row(struct exchange *x, struct store_mesh *row)
{
  return store_mesh_get(exchange_app(x)->store, exchange_segment(x, "robot"), exchange_segment(x, "mesh"), row);
}

/* -- in JSON -- */

/* visual: that names it first; NULL: none of this revision does. row: what was uploaded; NULL: nothing. */
static void encode(struct json_writer *w, const char *robot, const char *mesh, const struct armdyn_visual *visual,
                   const struct store_mesh *row)
{
  char href[2 * ARMDYN_NAME_SIZE + 32];
  snprintf(href, sizeof href, "/v1/robots/%s/meshes/%s", robot, mesh);
  json_begin_object(w);
  json_key(w, "mesh"), json_write_text(w, mesh);
  json_key(w, "named"), json_write_truth(w, visual != NULL);
  if (visual && *visual->reference) json_key(w, "reference"), json_write_text(w, visual->reference);
  json_key(w, "uploaded"), json_write_truth(w, row != NULL);
  if (row) {
    char etag[32];
    snprintf(etag, sizeof etag, "\"%lld\"", (long long)row->number);
    json_key(w, "etag"), json_write_text(w, etag);
    json_key(w, "created_at"), json_write_text(w, row->created_at);
    json_key(w, "triangles"), json_write_integer(w, row->triangles);
    json_key(w, "box"), json_write_raw_n(w, row->figures, strlen(row->figures));
  }
  json_key(w, "href"), json_write_text(w, href);
  json_end_object(w);
}

/* The first visual of this mesh; NULL: there is none. */
static const struct armdyn_visual *visual_of(const struct armdyn_robot_description *robot, const char *mesh)
{
  for (size_t i = 0; i < robot->visual_count; i++)
    if (!strcmp(robot->visuals[i].mesh, mesh)) return &robot->visuals[i];
  return NULL;
}

/* -- the list: not of the store alone, for it tells what is missing, too -- */

struct item {
  char mesh[ARMDYN_NAME_SIZE], created_at[TIME_SIZE]; /* "": not uploaded */
  struct buffer text;
};

struct list {
  struct listing listing;
  const struct armdyn_robot_description *robot;
  struct item *items;
  size_t count;
  enum armdyn_status status;
};

static void add(struct list *list, const char *mesh, const struct store_mesh *row)
{
  struct item *more = realloc(list->items, (list->count + 1) * sizeof *more);
  if (!more) {
    list->status = ARMDYN_EMEMORY;
    return;
  }
  list->items = more;
  struct item *item = &more[list->count++];
  *item = (struct item){ .text = BUFFER(KB(4)) };
  snprintf(item->mesh, sizeof item->mesh, "%s", mesh);
  if (row) memcpy(item->created_at, row->created_at, sizeof item->created_at);
  encode(&(struct json_writer){ .out = &item->text }, list->robot->name, mesh, visual_of(list->robot, mesh), row);
}

static void visit(void *context, const struct store_mesh *row)
{
  add(context, row->mesh, row);
}

static bool is_listed(const struct list *list, const char *mesh)
{
  for (size_t i = 0; i < list->count; i++)
    if (!strcmp(list->items[i].mesh, mesh)) return true;
  return false;
}

static const char *sorted_by(const struct store_query *query, const struct item *item)
{
  return strcmp(query->sort, "mesh") ? item->created_at : item->mesh;
}

static int in_order(const void *left, const void *right, void *context)
{
  const struct item *a = left, *b = right;
  const struct store_query *query = context;
  int order = strcmp(sorted_by(query, a), sorted_by(query, b));
  if (!order) order = strcmp(a->mesh, b->mesh);
  return query->ascending ? order : -order;
}

/* Is it behind the end of the page before? */
static bool comes(const struct store_query *query, const struct item *item)
{
  const struct store_key *key = &query->key;
  if (query->search && !strcasestr(item->mesh, query->search)) return false;
  if (key->type == STORE_KEY_NONE) return true;
  int order = strcmp(sorted_by(query, item), key->text);
  if (!order) order = strcmp(item->mesh, key->id);
  return query->ascending ? order > 0 : order < 0;
}

static void write_page(struct list *list)
{
  struct store_query *query = &list->listing.query;
  size_t written = 0;
  qsort_r(list->items, list->count, sizeof *list->items, in_order, query);
  for (size_t i = 0; i < list->count && !query->more; i++) {
    const struct item *item = &list->items[i];
    if (!comes(query, item)) continue;
    query->more = written++ == query->limit;
    if (query->more) break;
    listing_item(&list->listing, &item->text);
    query->key.type = STORE_KEY_TEXT;
    snprintf(query->key.text, sizeof query->key.text, "%s", sorted_by(query, item));
    snprintf(query->key.id, sizeof query->key.id, "%s", item->mesh);
  }
}

enum outcome mesh_list(struct exchange *x)
{
  static const struct list_form form = {
    .sorts = "mesh created_at",
    .order = "mesh",
    .fields = "mesh named reference uploaded etag created_at triangles box href",
  };
  const struct app *app = exchange_app(x);
  struct list list = { .status = ARMDYN_OK };
  const struct robot_entry *entry = robot_of(x);
  if (!entry) return ANSWERED;
  if (listing_query(&list.listing, x, &form)) {
    list.robot = armdyn_robot_description(entry->robot);
    enum armdyn_status status = store_mesh_list(app->store, list.robot->name, visit, &list);
    for (size_t i = 0; i < list.robot->visual_count; i++)
      if (!is_listed(&list, list.robot->visuals[i].mesh)) add(&list, list.robot->visuals[i].mesh, NULL);
    if (!status) status = list.status;
    if (!status) write_page(&list);
    listing_end(&list.listing, status);
  }
  for (size_t i = 0; i < list.count; i++) buffer_release(&list.items[i].text);
  free(list.items);
  robots_release(app->robots, entry);
  return ANSWERED;
}

/* -- upload -- */

/* What the request demands of what is there; *expected 0: nothing. false: answered. */
static bool demanded(struct exchange *x, bool may_create, int64_t *expected)
{
  struct store_mesh row = { 0 };
  const enum armdyn_status status = read_row(x, &row);
  const int64_t present = row.number;
  store_mesh_release(&row);
  const bool creating = may_create && exchange_header(x, "If-None-Match");
  if (!(creating && status == ARMDYN_ENOTFOUND) && !found(x, status)) return false;
  *expected = present;
  const enum precondition wanted = exchange_precondition(x, may_create, expected);
  if (wanted == EXPECT_REFUSED) return false;
  if (wanted != EXPECT_NONE) return *expected == present || found(x, ARMDYN_ESTALE);
  *expected = 0;
  return !present || found(x, ARMDYN_EEXISTS);
}

/* Does the newest model name it? So that nobody's typing error is kept for ever. false: answered. */
static bool is_named(struct exchange *x)
{
  const struct robot_entry *entry = robot_of(x);
  const char *mesh = exchange_segment(x, "mesh");
  if (!entry) return false;
  const struct armdyn_robot_description *robot = armdyn_robot_description(entry->robot);
  const bool named = visual_of(robot, mesh);
  if (!named && robot->visual_count)
    answer_problem(x, PROBLEM_NOT_FOUND, "no visual of '%s' names a mesh '%.64s'; the first one names '%s'",
                   robot->name, mesh, robot->visuals[0].mesh);
  else if (!named)
    answer_problem(x, PROBLEM_NOT_FOUND,
                   "'%s' has no visuals, so no meshes: add them to the model, or import its URDF again", robot->name);
  robots_release(exchange_app(x)->robots, entry);
  return named;
}

static enum armdyn_status keep(void *writer, const double *triangles, size_t count)
{
  return store_series_append(writer, triangles, count);
}

static void write_vector(struct json_writer *w, const char *name, const double v[3])
{
  json_key(w, name), json_begin_array(w);
  for (int i = 0; i < 3; i++) json_write_number(w, v[i]);
  json_end_array(w);
}

/* The body as a series of the row's id, and what is known of it. */
static enum armdyn_status read_body(struct exchange *x, struct store_mesh *row, struct armdyn_error *error)
{
  static const char columns[] = "x1,y1,z1,x2,y2,z2,x3,y3,z3";
  size_t length;
  const char *body = exchange_body(x, &length);
  struct store_series_writer *writer = NULL;
  struct mesh_summary summary;
  struct buffer figures = BUFFER(KB(4));
  struct json_writer w = { .out = &figures };
  enum armdyn_status status =
      store_series_begin(exchange_app(x)->store, row->id, TRIANGLES, columns, MESH_CORNERS, &writer);
  if (status) return status;
  status = mesh_read(body, length, &(struct mesh_sink){ keep, writer }, &summary, error);
  const enum armdyn_status ended = store_series_end(writer, !status);
  if (!status) status = ended;
  if (status) return status;
  row->triangles = (int64_t)summary.triangles;
  json_begin_object(&w);
  write_vector(&w, "minimum", summary.minimum), write_vector(&w, "maximum", summary.maximum);
  json_end_object(&w);
  status = figures.failure;
  row->figures = buffer_take(&figures, NULL);
  buffer_release(&figures);
  return status;
}

static void answer_row(struct exchange *x, int http_status, const struct store_mesh *row)
{
  struct buffer body = BUFFER(KB(16));
  struct json_writer w = { .out = &body };
  const struct robot_entry *entry = robot_of(x);
  if (!entry) return; /* it was deleted meanwhile, which has been answered */
  encode(&w, row->robot, row->mesh, visual_of(armdyn_robot_description(entry->robot), row->mesh), row);
  robots_release(exchange_app(x)->robots, entry);
  if (http_status == 201) exchange_set_header(x, "Location", "/v1/robots/%s/meshes/%s", row->robot, row->mesh);
  answer_etag(x, row->number);
  answer_json(x, http_status, &body);
}

enum outcome mesh_put(struct exchange *x)
{
  struct store *store = exchange_app(x)->store;
  struct store_mesh row = { 0 };
  struct armdyn_error error = { "", "" };
  int64_t expected;
  if (!is_named(x) || !demanded(x, true, &expected)) return ANSWERED;
  id_make(row.id);
  snprintf(row.robot, sizeof row.robot, "%s", exchange_segment(x, "robot"));
  snprintf(row.mesh, sizeof row.mesh, "%s", exchange_segment(x, "mesh"));
  enum armdyn_status status = read_body(x, &row, &error);
  const bool unread = status;
  if (!status) status = store_mesh_put(store, &row, expected);
  if (status) store_samples_discard(store, row.id);
  if (unread)
    answer_status(x, status, &error);
  else if (found(x, status))
    answer_row(x, expected ? 200 : 201, &row);
  store_mesh_release(&row);
  return ANSWERED;
}

enum outcome mesh_delete(struct exchange *x)
{
  int64_t expected;
  if (robot_is_there(x) && demanded(x, false, &expected) &&
      found(x, store_mesh_delete(exchange_app(x)->store, exchange_segment(x, "robot"), exchange_segment(x, "mesh"),
                                 expected)))
    answer_empty(x, 204);
  return ANSWERED;
}

/* -- download -- */

enum { BLOCK = 1024 }; /* triangles read at once */

struct download {
  struct store *store;
  char id[ID_SIZE];
  size_t total, next; /* triangles, and the first that is not in `block` */
  size_t used, count; /* of the block */
  double block[BLOCK * MESH_CORNERS];
  char piece[STL_HEADER_SIZE]; /* the header, then each triangle */
  size_t at, length;           /* what of it was handed out */
};
_Static_assert((int)STL_TRIANGLE_SIZE <= (int)STL_HEADER_SIZE, "a triangle fits where the header did");

/* The next triangle into `piece`; false: the store failed, or the mesh was replaced meanwhile. */
static bool next_piece(struct download *d)
{
  if (d->used == d->count) {
    d->count = d->total - d->next < BLOCK ? d->total - d->next : BLOCK;
    d->used = 0;
    if (store_series_read(d->store, d->id, TRIANGLES, d->next, d->count, d->block)) return false;
    d->next += d->count;
  }
  stl_write_triangle(d->block + MESH_CORNERS * d->used++, d->piece);
  d->at = 0;
  d->length = STL_TRIANGLE_SIZE;
  return true;
}

static long give_some(void *state, char *to, size_t size)
{
  struct download *d = state;
  size_t given = 0;
  while (given < size) {
    if (d->at == d->length) {
      if (d->used == d->count && d->next == d->total) break;
      if (!next_piece(d)) return -1;
    }
    const size_t left = d->length - d->at, now = left < size - given ? left : size - given;
    memcpy(to + given, d->piece + d->at, now);
    d->at += now;
    given += now;
  }
  return (long)given;
}

enum outcome mesh_get(struct exchange *x)
{
  struct store_mesh row = { 0 };
  if (!robot_is_there(x) || !found(x, read_row(x, &row))) return ANSWERED;
  if (answered_not_modified(x, row.number)) {
    store_mesh_release(&row);
    return ANSWERED;
  }
  struct download *d = calloc(1, sizeof *d);
  if (d) {
    d->store = exchange_app(x)->store;
    memcpy(d->id, row.id, sizeof d->id);
    d->total = (size_t)row.triangles;
    stl_write_header(d->total, d->piece);
    d->length = STL_HEADER_SIZE;
    answer_etag(x, row.number);
    answer_stream(x, 200, media_type(MEDIA_STL), give_some, free, d, sizeof *d);
  } else {
    answer_status(x, ARMDYN_EMEMORY, NULL);
  }
  store_mesh_release(&row);
  return ANSWERED;
}
