#include "server/work/lineage.h"

#include <stdlib.h>

#include "api/codec/robot.h"
#include "api/json/document.h"
#include "server/data/stored_dataset.h"

/* -- back through revisions and identifications -- */

struct walk {
  struct store *store;
  const char *robot;
  struct evaluation_lineage *out; /* its identifications are those that were met, in turn */
  size_t looked_at, revision_count, revisions_looked_at;
  int64_t revisions[LINEAGE_MOST];
};

enum armdyn_status lineage_revision_read(struct store *store, const char *robot, int64_t revision,
                                         struct armdyn_robot_description *out, struct store_robot *row)
{
  struct store_robot found;
  enum armdyn_status status = store_robot_get(store, robot, revision, &found);
  if (status) return status;
  status = robot_decode(found.document, strlen(found.document), true, out, NULL, NULL);
  if (row) *row = found, row->document = NULL;
  store_robot_release(&found);
  return status == ARMDYN_EINPUT || status == ARMDYN_ESYNTAX ? ARMDYN_EIO : status;
}

static void meet_revision(struct walk *walk, int64_t revision)
{
  for (size_t i = 0; i < walk->revision_count; i++)
    if (walk->revisions[i] == revision) return;
  if (walk->revision_count < LINEAGE_MOST)
    walk->revisions[walk->revision_count++] = revision;
  else
    walk->out->cut = true;
}

static void add_id(struct walk *walk, char (*list)[27], size_t *count, const char *id)
{
  for (size_t i = 0; i < *count; i++)
    if (!strcmp(list[i], id)) return;
  if (*count < LINEAGE_MOST)
    snprintf(list[(*count)++], sizeof *list, "%.26s", id);
  else
    walk->out->cut = true;
}

static void meet_identification(struct walk *walk, const char *id)
{
  if (id && *id) add_id(walk, walk->out->identifications, &walk->out->identification_count, id);
}

/* Is there something of the one in the other that somebody measured, or may have? */
static bool have_in_common(const struct armdyn_robot_description *a, const struct armdyn_robot_description *b)
{
  if (a->joint_count != b->joint_count) return false;
  if (a->payload.mass != 0 && !memcmp(&a->payload, &b->payload, sizeof a->payload)) return true;
  for (size_t j = 0; j < a->joint_count; j++) {
    static const struct armdyn_body nothing;
    const struct armdyn_body *link = &a->joints[j].link;
    const struct armdyn_friction *f = &a->joints[j].friction;
    const bool has_friction = f->coulomb.positive != 0 || f->viscous.positive != 0 || f->offset != 0;
    if (memcmp(link, &nothing, sizeof nothing) != 0 && !memcmp(link, &b->joints[j].link, sizeof *link)) return true;
    if (has_friction && !memcmp(f, &b->joints[j].friction, sizeof *f)) return true;
  }
  return false;
}

static enum armdyn_status look_at_revision(struct walk *walk, int64_t revision)
{
  struct armdyn_robot_description *own = calloc(2, sizeof *own);
  struct store_robot row;
  enum armdyn_status status =
      own ? lineage_revision_read(walk->store, walk->robot, revision, own, &row) : ARMDYN_EMEMORY;
  if (status) goto out;
  if (*row.identification)
    meet_identification(walk, row.identification);
  else
    walk->out->written[walk->out->written_count++] = revision;
  status = revision > 1 ? lineage_revision_read(walk->store, walk->robot, revision - 1, own + 1, NULL) : ARMDYN_OK;
  if (!status && revision > 1 && have_in_common(own, own + 1)) meet_revision(walk, revision - 1);
out:
  free(own);
  return status == ARMDYN_ENOTFOUND ? ARMDYN_OK : status; /* of an earlier robot of this name */
}

/* The hash that provenance, or the list of an identification of friction, has of a data set. */
static void find_hash(const cJSON *list, struct evaluation_origin *origin)
{
  const cJSON *data;
  cJSON_ArrayForEach (data, list) {
    const char *id = document_text(data, "id");
    if (id && !strcmp(id, origin->dataset)) document_copy_text(data, "sha256", origin->sha256, sizeof origin->sha256);
  }
}

static void add_origin(struct walk *walk, const char *identification, const cJSON *document, const char *id)
{
  struct evaluation_lineage *out = walk->out;
  const cJSON *window, *provenance = document_at(document, "provenance/datasets");
  const double fraction = document_number(document, "request/validation_fraction");
  if (!id || out->origin_count == LINEAGE_MOST) {
    out->cut = true;
    return;
  }
  struct evaluation_origin *origin = &out->origins[out->origin_count++];
  *origin = (struct evaluation_origin){ .part = isnan(fraction) ? 1 : 1 - fraction };
  snprintf(origin->dataset, sizeof origin->dataset, "%s", id);
  snprintf(origin->identification, sizeof origin->identification, "%s", identification);
  find_hash(provenance ? provenance : document_at(document, "data"), origin);
  cJSON_ArrayForEach (window, document_at(document, "request/exclude")) {
    const char *of = document_text(window, "dataset");
    if (!of || strcmp(of, id) != 0 || origin->window_count == EXCLUSIONS_MOST) continue;
    origin->windows[origin->window_count][0] = document_number(window, "from");
    origin->windows[origin->window_count++][1] = document_number(window, "to");
  }
}

static enum armdyn_status look_at_identification(struct walk *walk, const char *id)
{
  struct store_result result;
  const cJSON *item;
  enum armdyn_status status = store_result_get(walk->store, "identification", id, &result);
  const bool friction = status == ARMDYN_ENOTFOUND;
  if (friction) status = store_result_get(walk->store, "friction_identification", id, &result);
  if (status == ARMDYN_ENOTFOUND) {
    add_id(walk, walk->out->gone, &walk->out->gone_count, id);
    return ARMDYN_OK;
  }
  if (status) return status;
  cJSON *document = document_open(result.document);
  cJSON_ArrayForEach (item, document_at(document, friction ? "data" : "datasets"))
    add_origin(walk, id, document, friction ? document_text(item, "id") : cJSON_GetStringValue(item));
  cJSON_ArrayForEach (item, document_at(document, "request/unloaded"))
    add_origin(walk, id, document, cJSON_GetStringValue(item));
  meet_identification(walk, document_text(document, "request/friction_from"));
  meet_revision(walk, result.revision);
  status = document ? ARMDYN_OK : ARMDYN_EMEMORY;
  document_close(document);
  store_result_release(&result);
  return status;
}

enum armdyn_status lineage_follow(struct store *store, const char *robot, const char *identification, int64_t revision,
                                  struct evaluation_lineage *out)
{
  struct walk walk = { .store = store, .robot = robot, .out = out };
  enum armdyn_status status = ARMDYN_OK;
  if (*identification)
    meet_identification(&walk, identification);
  else
    meet_revision(&walk, revision);
  while (!status) {
    if (walk.looked_at < out->identification_count)
      status = look_at_identification(&walk, out->identifications[walk.looked_at++]);
    else if (walk.revisions_looked_at < walk.revision_count)
      status = look_at_revision(&walk, walk.revisions[walk.revisions_looked_at++]);
    else
      break;
  }
  return status;
}

/* -- the same rows -- */

enum { PRINTS_MEANT = 1 << 13, PRINTS_MOST = 1 << 15, ROWS_LEAST = 8 };
static const double share_least = 0.01;

struct row_print {
  uint64_t hash;
  double time;
  size_t row;
};
struct data_print {
  char id[27];
  bool gone;
  size_t rows, count;
  uint64_t mask;          /* kept are rows whose hash has none of these bits */
  struct row_print *list; /* by hash */
};

void data_prints_release(struct data_prints *prints)
{
  for (size_t i = 0; i < prints->count; i++) free(prints->list[i].list);
  free(prints->list);
  *prints = (struct data_prints){ .count = 0 };
}

/* Vigna's splitmix64, over the bits of numbers. */
static uint64_t hash_on(uint64_t hash, const double *x, size_t count)
{
  for (size_t k = 0; k < count; k++) {
    uint64_t bits;
    memcpy(&bits, &x[k], sizeof bits);
    hash = (hash ^ bits) + UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94D049BB133111EB);
    hash ^= hash >> 31;
  }
  return hash;
}

static int by_hash(const void *a, const void *b)
{
  const uint64_t x = ((const struct row_print *)a)->hash, y = ((const struct row_print *)b)->hash;
  return (x > y) - (x < y);
}

static void take_rows(struct data_print *print, const struct dataset_layout *layout, const double *rows, size_t count)
{
  for (size_t k = 0; k < count && print->count < PRINTS_MOST; k++) {
    const double *row = rows + k * layout->width;
    uint64_t hash = hash_on(0, row + layout->begin[DATASET_Q], layout->joints);
    if (layout->present[DATASET_TAU]) hash = hash_on(hash, row + layout->begin[DATASET_TAU], layout->joints);
    if (!(hash & print->mask))
      print->list[print->count++] = (struct row_print){ hash, row[layout->begin[DATASET_T]], print->rows + k };
  }
  print->rows += count;
}

static enum armdyn_status make_print(struct store *store, const char *id, struct data_print *print)
{
  struct stored_dataset *dataset = NULL;
  const double *rows;
  size_t count = 0;
  *print = (struct data_print){ .gone = false };
  snprintf(print->id, sizeof print->id, "%s", id);
  enum armdyn_status status = stored_dataset_open(store, id, &dataset);
  print->gone = status == ARMDYN_ENOTFOUND;
  if (status) return print->gone ? ARMDYN_OK : status;
  while ((size_t)stored_dataset_row(dataset)->samples / (print->mask + 1) > PRINTS_MEANT)
    print->mask = 2 * print->mask + 1;
  print->list = malloc(PRINTS_MOST * sizeof *print->list);
  if (!print->list) status = ARMDYN_EMEMORY;
  while (!status && !(status = stored_dataset_next(dataset, &rows, &count)) && count)
    take_rows(print, stored_dataset_layout(dataset), rows, count);
  stored_dataset_close(dataset);
  if (status) return status;
  qsort(print->list, print->count, sizeof *print->list, by_hash);
  struct row_print *less = realloc(print->list, (print->count + 1) * sizeof *less);
  if (less) print->list = less;
  return ARMDYN_OK;
}

/* Its index, so that it is there after another was made. */
static enum armdyn_status print_of(struct store *store, struct data_prints *prints, const char *id, size_t *index)
{
  for (*index = 0; *index < prints->count; ++*index)
    if (!strcmp(prints->list[*index].id, id)) return ARMDYN_OK;
  if (prints->count == prints->room) {
    const size_t room = 2 * prints->room + 8;
    struct data_print *more = realloc(prints->list, room * sizeof *more);
    if (!more) return ARMDYN_EMEMORY;
    prints->list = more, prints->room = room;
  }
  return make_print(store, id, &prints->list[prints->count++]);
}

static bool is_trained(const struct evaluation_origin *origin, const struct data_print *data, size_t index)
{
  const struct row_print *row = &data->list[index];
  bool trained = row->row < (size_t)(origin->part * (double)data->rows);
  for (size_t k = 0; k < origin->window_count; k++)
    trained = trained && !(row->time >= origin->windows[k][0] && row->time <= origin->windows[k][1]);
  return trained;
}

/* A row that the data have once, and that the other print would have kept, too. */
static bool is_telling(const struct data_print *data, size_t index, uint64_t mask)
{
  const uint64_t hash = data->list[index].hash;
  return !(hash & mask) && (!index || data->list[index - 1].hash != hash) &&
         (index + 1 == data->count || data->list[index + 1].hash != hash);
}

/* The part of the log's rows that was trained on; both are sorted. */
static double share_of(const struct evaluation_origin *origin, const struct data_print *trained,
                       const struct data_print *log)
{
  size_t all = 0, same = 0;
  for (size_t i = 0, t = 0; i < log->count; i++) {
    if (!is_telling(log, i, trained->mask)) continue;
    all++;
    while (t < trained->count && trained->list[t].hash < log->list[i].hash) t++;
    same += t < trained->count && trained->list[t].hash == log->list[i].hash && is_telling(trained, t, log->mask) &&
            is_trained(origin, trained, t);
  }
  return same >= ROWS_LEAST ? (double)same / (double)all : 0;
}

static double trained_share(const struct evaluation_origin *origin, const struct data_print *data)
{
  size_t trained = 0;
  for (size_t i = 0; i < data->count; i++) trained += is_trained(origin, data, i);
  return data->count ? (double)trained / (double)data->count : origin->part;
}

enum armdyn_status lineage_overlap(struct store *store, struct data_prints *prints,
                                   const struct evaluation_origin *origin, const char *id, const char *sha256,
                                   struct evaluation_leak *leak)
{
  const bool same = !strcmp(origin->dataset, id), same_content = !strcmp(origin->sha256, sha256);
  size_t log, trained;
  *leak = (struct evaluation_leak){ .origin = origin };
  enum armdyn_status status = print_of(store, prints, id, &log);
  if (!status) status = print_of(store, prints, same || same_content ? id : origin->dataset, &trained);
  if (status || prints->list[trained].gone) return status;
  leak->share = same || same_content ? trained_share(origin, &prints->list[log])
                                     : share_of(origin, &prints->list[trained], &prints->list[log]);
  if (same)
    leak->kind = LEAK_SAME_DATASET;
  else if (same_content)
    leak->kind = LEAK_SAME_CONTENT;
  else if (leak->share >= share_least)
    leak->kind = LEAK_SAME_SAMPLES;
  return ARMDYN_OK;
}
