/* What takes how much room. */
#include <sys/stat.h>

#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_usage_kind, kind, FIELD_TEXT),
  FIELD(store_usage_kind, count, FIELD_INTEGER),
  FIELD(store_usage_kind, pinned, FIELD_INTEGER),
  FIELD(store_usage_kind, series_bytes, FIELD_INTEGER),
};
static const struct record_type usage_type = RECORD_TYPE(store_usage_kind, fields);

TYPED_VISITOR(store_usage_kind)

/* Of a table whose rows have series: the rows that have some are looked for from there. */
#define SERIES_OF(table)                                                                                               \
  "(SELECT coalesce(sum(8 * width * rows), 0) FROM series CROSS JOIN " table " ON " table ".id = owner)"

static int64_t file_bytes(const char *path, const char *end)
{
  char name[4096];
  struct stat file;
  snprintf(name, sizeof name, "%s%s", path, end);
  return stat(name, &file) ? 0 : (int64_t)file.st_size;
}

enum armdyn_status store_usage(struct store *store, struct store_usage *usage, store_usage_kind_visit *visit,
                               void *context)
{
  struct listing kinds = {
    .select = "SELECT kind, count, pinned, series_bytes FROM ("
              "SELECT kind, count, pinned, coalesce(bytes, 0) AS series_bytes"
              " FROM (SELECT kind, count(*) AS count, sum(pinned) AS pinned FROM results GROUP BY kind)"
              " LEFT JOIN (SELECT results.kind AS of, sum(8 * width * rows) AS bytes FROM series"
              " CROSS JOIN results ON results.id = owner GROUP BY results.kind) ON of = kind"
              " UNION ALL SELECT 'dataset', count(*), 0, " SERIES_OF(
                  "datasets") " FROM datasets"
                              " UNION ALL SELECT 'mesh', count(*), 0, " SERIES_OF(
                                  "meshes") " FROM meshes"
                                            " UNION ALL SELECT 'job', count(*), 0, 0 FROM jobs"
                                            " UNION ALL SELECT 'order', count(*), 0, 0 FROM orders"
                                            " UNION ALL SELECT 'transfer', count(*), 0, 0 FROM transfers"
                                            " UNION ALL SELECT 'robot_revision', count(*), 0, 0 FROM robot_revisions"
                                            " UNION ALL SELECT 'audit_entry', count(*), 0, 0 FROM audit)",
    .order = "kind",
    .ascending = true,
  };
  struct sql *sql = NULL;
  int64_t free_pages = 0, page_bytes = 0;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = sql_number(sql, "PRAGMA freelist_count", NO_VALUES, &free_pages);
  if (!status) status = sql_number(sql, "PRAGMA page_size", NO_VALUES, &page_bytes);
  readers_give(store->readers, sql);
  if (status) return status;
  *usage = (struct store_usage){ .bytes = file_bytes(store->path, ""),
                                 .log_bytes = file_bytes(store->path, "-wal"),
                                 .unused_bytes = free_pages * page_bytes };
  return store_read_list(store, &kinds, &usage_type, visit_row, &(struct visitor){ visit, context });
}
