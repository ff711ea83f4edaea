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
#include "server/routes/versioned.h"

#define TRIANGLES "triangles" /* the name of the series */

/* The robot, as asked for. NULL: answered. */
static const struct robot_entry *robot_of(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  return robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome) ? entry : NULL;
}

static enum armdyn_status get_row(struct exchange *x, const char *name, void *row)
{
  return store_mesh_get(exchange_app(x)->store, exchange_segment(x, "robot"), name, row);
}

static void release(void *row)
{
  store_mesh_release(row);
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

/* The first visual of this mesh, of any one where it is NULL; NULL: there is none. */
static const struct armdyn_visual *visual_of(const struct armdyn_robot_description *robot, const char *mesh)
{
  for (size_t i = 0; i < robot->visual_count; i++)
    if (mesh ? !strcmp(robot->visuals[i].mesh, mesh) : *robot->visuals[i].mesh) return &robot->visuals[i];
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
  if (list->count) qsort_r(list->items, list->count, sizeof *list->items, in_order, query);
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
      if (*list.robot->visuals[i].mesh && !is_listed(&list, list.robot->visuals[i].mesh))
        add(&list, list.robot->visuals[i].mesh, NULL);
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

/* Does the newest model name it? So that nobody's typing error is kept for ever. false: answered. */
static bool is_named(struct exchange *x)
{
  const struct robot_entry *entry = robot_of(x);
  const char *mesh = exchange_segment(x, "mesh");
  if (!entry) return false;
  const struct armdyn_robot_description *robot = armdyn_robot_description(entry->robot);
  const struct armdyn_visual *named = visual_of(robot, mesh), *first = visual_of(robot, NULL);
  if (!named && first)
    answer_problem(x, PROBLEM_NOT_FOUND, "no visual of '%s' names a mesh '%.64s'; the first one names '%s'",
                   robot->name, mesh, first->mesh);
  else if (!named)
    answer_problem(x, PROBLEM_NOT_FOUND,
                   "'%s' has no visuals that are meshes: add them to the model, or import its URDF again", robot->name);
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
static enum armdyn_status read_triangles(struct exchange *x, struct store_mesh *row, struct armdyn_error *error)
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

static enum armdyn_status encode_row(struct exchange *x, bool made, const void *row, struct buffer *out)
{
  (void)made;
  const struct store_mesh *mesh = row;
  const struct robot_entry *entry;
  enum armdyn_status status = robots_get(exchange_app(x)->robots, mesh->robot, 0, true, &entry);
  if (status) return status;
  encode(&(struct json_writer){ .out = out }, mesh->robot, mesh->mesh,
         visual_of(armdyn_robot_description(entry->robot), mesh->mesh), mesh);
  robots_release(exchange_app(x)->robots, entry);
  return out->failure;
}

static bool read_body(struct exchange *x, const char *name, void *row)
{
  struct store_mesh *to = row;
  struct armdyn_error error = { "", "" };
  id_make(to->id);
  snprintf(to->robot, sizeof to->robot, "%s", exchange_segment(x, "robot"));
  snprintf(to->mesh, sizeof to->mesh, "%s", name);
  enum armdyn_status status = read_triangles(x, to, &error);
  if (!status) return true;
  store_samples_discard(exchange_app(x)->store, to->id);
  answer_status(x, status, &error);
  return false;
}

static enum armdyn_status put(struct exchange *x, void *row, int64_t expected, const struct store_idempotency *once)
{
  (void)once; /* there is no POST */
  struct store *store = exchange_app(x)->store;
  struct store_mesh *to = row;
  enum armdyn_status status = store_mesh_put(store, to, expected);
  if (status) store_samples_discard(store, to->id);
  return status;
}

static bool remove_row(struct exchange *x, int64_t expected)
{
  return versioned_found(
      x, &meshes,
      store_mesh_delete(exchange_app(x)->store, exchange_segment(x, "robot"), exchange_segment(x, "mesh"), expected));
}

const struct versioned meshes = {
  .noun = "mesh",
  .article = "a",
  .segment = "mesh",
  .collection = "meshes",
  .of_robot = true,
  .size = sizeof(struct store_mesh),
  .version_at = offsetof(struct store_mesh, number),
  .name_at = offsetof(struct store_mesh, mesh),
  .admit = robot_is_there,
  .admit_put = is_named,
  .get = get_row,
  .release = release,
  .encode = encode_row,
  .read = read_body,
  .put = put,
  .remove = remove_row,
};

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
  if (!robot_is_there(x) || !versioned_found(x, &meshes, get_row(x, exchange_segment(x, "mesh"), &row)))
    return ANSWERED;
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
