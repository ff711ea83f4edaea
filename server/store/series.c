#include "api/limits.h"
#include "server/store/internal.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "chunks are little-endian and copied as they are");

enum {
  STAGED_CHUNKS = 16, /* a transaction: 1 MiB */
  STAGED_VALUES = STAGED_CHUNKS * STORE_CHUNK_VALUES,
  PURGED_CHUNKS = 64 /* freeing is cheaper than writing */
};

struct store_series_writer {
  struct store *store;
  char owner[ID_SIZE];
  char name[ARMDYN_NAME_SIZE];
  char columns[STORE_COLUMNS_SIZE];
  size_t width, rows_most;
  struct store_patience patience;
  enum armdyn_status status; /* the first failure sticks */
  int64_t series;            /* its key once something is staged, else 0 */
  size_t staged, used;       /* values in the database, and in `values` */
  double values[STAGED_VALUES];
};

enum armdyn_status store_series_begin_long(struct store *store, const char *owner, const char *name,
                                           const char *columns, size_t width, size_t rows_most,
                                           struct store_series_writer **out)
{
  *out = NULL;
  if (width == 0 || strlen(owner) >= ID_SIZE || strlen(name) >= ARMDYN_NAME_SIZE) return ARMDYN_EINPUT;
  if (strlen(columns) >= STORE_COLUMNS_SIZE) return ARMDYN_ELIMIT;
  struct store_series_writer *w = malloc(sizeof *w);
  if (!w) return ARMDYN_EMEMORY;
  w->store = store;
  snprintf(w->owner, sizeof w->owner, "%s", owner);
  snprintf(w->name, sizeof w->name, "%s", name);
  snprintf(w->columns, sizeof w->columns, "%s", columns);
  w->width = width;
  w->rows_most = rows_most;
  w->patience = (struct store_patience){ 0 };
  w->status = ARMDYN_OK;
  w->series = 0;
  w->staged = w->used = 0;
  *out = w;
  return ARMDYN_OK;
}

enum armdyn_status store_series_begin(struct store *store, const char *owner, const char *name, const char *columns,
                                      size_t width, struct store_series_writer **out)
{
  return store_series_begin_long(store, owner, name, columns, width, LIMIT_SERIES_ROWS, out);
}

void store_series_be_patient(struct store_series_writer *w, const struct store_patience *patience)
{
  w->patience = *patience;
}

#define OWNERS "SELECT id FROM results UNION ALL SELECT id FROM datasets UNION ALL SELECT id FROM meshes"

/* An owner that exists has its series complete: none is added later. */
static enum armdyn_status insert_series(struct sql *sql, const struct store_series_writer *w, int64_t *series)
{
  enum armdyn_status status =
      store_conflict(sql, "SELECT 1 FROM (" OWNERS ") AS owners WHERE id = ?", w->owner, ARMDYN_OK);
  if (!status)
    status = sql_run(
        sql, "INSERT INTO series (owner, name, columns, width, rows) VALUES (?, ?, ?, ?, 0)",
        VALUES(value_text(w->owner), value_text(w->name), value_text(w->columns), value_integer((int64_t)w->width)),
        NULL);
  if (status) return status;
  return sql_number(sql, "SELECT id FROM series WHERE owner = ? AND name = ?",
                    VALUES(value_text(w->owner), value_text(w->name)), series);
}

struct staging {
  const struct store_series_writer *w;
  int64_t series;
};

static enum armdyn_status stage(struct sql *sql, void *argument)
{
  struct staging *s = argument;
  const struct store_series_writer *w = s->w;
  enum armdyn_status status = ARMDYN_OK;
  s->series = w->series;
  if (!s->series) status = insert_series(sql, w, &s->series);
  for (size_t at = 0; !status && at < w->used; at += STORE_CHUNK_VALUES) {
    size_t count = w->used - at < STORE_CHUNK_VALUES ? w->used - at : STORE_CHUNK_VALUES;
    status = sql_send(sql, "INSERT INTO series_chunks (series, chunk, data) VALUES (?, ?, ?)",
                      VALUES(value_integer(s->series), value_integer((int64_t)((w->staged + at) / STORE_CHUNK_VALUES)),
                             value_blob(w->values + at, count * sizeof(double))));
  }
  if (status) return status;
  return sql_change(sql, "UPDATE series SET rows = ? WHERE id = ?",
                    VALUES(value_integer((int64_t)((w->staged + w->used) / w->width)), value_integer(s->series)));
}

/* Of a repetition nothing is there yet: what fails is undone. */
static enum armdyn_status write_staged(struct store_series_writer *w)
{
  struct staging staging = { .w = w };
  const struct store_patience *patience = &w->patience;
  enum armdyn_status status;
  for (int tries = 0; (status = store_write(w->store, stage, &staging, w->used * sizeof(double))); tries++)
    if (!patience->wait || !patience->wait(patience->context, status, tries)) return status;
  w->series = staging.series;
  return ARMDYN_OK;
}

static enum armdyn_status flush(struct store_series_writer *w)
{
  if (!rehearsing() && (w->status = write_staged(w))) return w->status;
  w->staged += w->used;
  w->used = 0;
  return ARMDYN_OK;
}

enum armdyn_status store_series_append(struct store_series_writer *w, const double *rows, size_t count)
{
  size_t before = (w->staged + w->used) / w->width;
  if (!w->status && count > w->rows_most - before) w->status = ARMDYN_ELIMIT;
  for (size_t left = count * w->width; !w->status && left > 0;) {
    size_t room = STAGED_VALUES - w->used, now = left < room ? left : room;
    memcpy(w->values + w->used, rows, now * sizeof(double));
    w->used += now;
    rows += now;
    left -= now;
    if (w->used == STAGED_VALUES) flush(w);
  }
  return w->status;
}

/* Delete, a few chunks at a time, the series that a query finds (again and again, until it finds none). */
struct purge {
  const char *find;
  struct values values;
  bool done;
};

static enum armdyn_status purge_some(struct sql *sql, void *argument)
{
  struct purge *p = argument;
  enum armdyn_status status;
  int64_t series;
  for (int budget = PURGED_CHUNKS; budget > 0;) {
    status = sql_number(sql, p->find, p->values, &series);
    p->done = status == ARMDYN_ENOTFOUND;
    if (status) return p->done ? ARMDYN_OK : status;
    int deleted;
    status = sql_run(sql,
                     "DELETE FROM series_chunks WHERE series = ?1 AND chunk IN"
                     " (SELECT chunk FROM series_chunks WHERE series = ?1 LIMIT ?2)",
                     VALUES(value_integer(series), value_integer(budget)), &deleted);
    if (!status && deleted < budget)
      status = sql_run(sql, "DELETE FROM series WHERE id = ?", VALUES(value_integer(series)), NULL);
    if (status) return status;
    budget -= deleted;
  }
  return ARMDYN_OK;
}

static enum armdyn_status purge(struct store *store, const char *find, struct values values)
{
  struct purge p = { .find = find, .values = values, .done = rehearsing() };
  enum armdyn_status status = ARMDYN_OK;
  while (!status && !p.done) status = store_write(store, purge_some, &p, 0);
  return status;
}

enum armdyn_status store_series_sweep(struct store *store)
{
  return purge(store, "SELECT id FROM series WHERE owner NOT IN (" OWNERS ") LIMIT 1", NO_VALUES);
}

enum armdyn_status store_series_purge(struct store *store, const char *owner)
{
  return purge(store, "SELECT id FROM series WHERE owner = ? LIMIT 1", VALUES(value_text(owner)));
}

enum armdyn_status store_series_end(struct store_series_writer *w, bool keep)
{
  if (!w) return ARMDYN_OK;
  if (keep && !w->status && (w->used > 0 || !w->series)) flush(w);
  enum armdyn_status status = w->status;
  if ((!keep || status) && w->series)
    purge(w->store, "SELECT id FROM series WHERE id = ?", VALUES(value_integer(w->series)));
  free(w);
  return keep ? status : ARMDYN_OK;
}

struct series {
  int64_t id;
  struct store_series info;
};

static enum armdyn_status find_series(struct sql *sql, const char *owner, const char *name, struct series *out)
{
  struct sql_statement *statement;
  bool row;
  enum armdyn_status status = sql_query(sql,
                                        "SELECT id, columns, width, rows FROM series WHERE owner = ?1 AND name = ?2"
                                        " AND EXISTS (SELECT 1 FROM (" OWNERS ") AS owners WHERE id = ?1)",
                                        VALUES(value_text(owner), value_text(name)), &statement);
  if (!status) status = sql_step(statement, &row);
  if (!status && !row) status = ARMDYN_ENOTFOUND;
  if (!status) {
    out->id = sql_integer(statement, 0);
    snprintf(out->info.columns, sizeof out->info.columns, "%s", sql_text(statement, 1));
    out->info.width = (size_t)sql_integer(statement, 2);
    out->info.rows = (size_t)sql_integer(statement, 3);
  }
  sql_finish(statement);
  return status;
}

enum armdyn_status store_series_info(struct store *store, const char *owner, const char *name, struct store_series *out)
{
  struct sql *sql;
  struct series series = { 0 };
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = find_series(sql, owner, name, &series);
  if (!status) *out = series.info;
  readers_give(store->readers, sql);
  return status;
}

/* Values [first, end) of a series, chunk by chunk; EIO when the chunks are not as they were written. */
static enum armdyn_status read_values(struct sql *sql, int64_t series, size_t first, size_t end, double *values)
{
  struct sql_statement *statement;
  bool row = true;
  size_t at = first;
  enum armdyn_status status =
      sql_query(sql, "SELECT chunk, data FROM series_chunks WHERE series = ? AND chunk BETWEEN ? AND ? ORDER BY chunk",
                VALUES(value_integer(series), value_integer((int64_t)(first / STORE_CHUNK_VALUES)),
                       value_integer((int64_t)((end - 1) / STORE_CHUNK_VALUES))),
                &statement);
  while (!status && at < end) {
    if ((status = sql_step(statement, &row))) break;
    size_t chunk = at / STORE_CHUNK_VALUES, offset = at % STORE_CHUNK_VALUES, count = STORE_CHUNK_VALUES - offset;
    if (count > end - at) count = end - at;
    size_t size = 0;
    const char *data = row ? sql_blob(statement, 1, &size) : NULL;
    if (!row || sql_integer(statement, 0) != (int64_t)chunk || size < (offset + count) * sizeof(double)) {
      status = ARMDYN_EIO;
      break;
    }
    memcpy(values + (at - first), data + offset * sizeof(double), count * sizeof(double));
    at += count;
  }
  sql_finish(statement);
  return status;
}

/* One transaction, so that the rows are of the series that was found. */
static enum armdyn_status read_rows(struct sql *sql, const char *owner, const char *name, size_t first, size_t count,
                                    double *rows)
{
  struct series series;
  enum armdyn_status status = sql_snapshot(sql);
  if (status) return status;
  status = find_series(sql, owner, name, &series);
  size_t width = status ? 0 : series.info.width;
  if (!status && (first > series.info.rows || count > series.info.rows - first)) status = ARMDYN_EINPUT;
  if (!status && count > 0) status = read_values(sql, series.id, first * width, (first + count) * width, rows);
  sql_snapshot_end(sql);
  return status;
}

enum armdyn_status store_series_read(struct store *store, const char *owner, const char *name, size_t first,
                                     size_t count, double *rows)
{
  struct sql *sql;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = read_rows(sql, owner, name, first, count, rows);
  readers_give(store->readers, sql);
  return status;
}
