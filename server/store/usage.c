/* What takes how much room. */
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
  "(SELECT CAST(coalesce(sum(8 * width * rows), 0) AS BIGINT) FROM series " SQL_EITHER("CROSS ", "") "JOIN " table     \
                                                                                                     " ON " table      \
                                                                                                     ".id = owner)"

enum armdyn_status store_usage(struct store *store, struct store_usage *usage, store_usage_kind_visit *visit,
                               void *context)
{
  struct listing kinds = {
    .select =
        "SELECT kind, count, pinned, series_bytes FROM ("
        "SELECT kind, count, pinned, coalesce(bytes, 0) AS series_bytes"
        " FROM (SELECT kind, count(*) AS count, CAST(sum(pinned) AS BIGINT) AS pinned FROM results GROUP BY kind) AS "
        "kinds"
        " LEFT JOIN (SELECT results.kind AS owned, CAST(sum(8 * width * rows) AS BIGINT) AS bytes FROM series"
        " " SQL_EITHER(
            "CROSS ",
            "") "JOIN results ON results.id = owner GROUP BY results.kind) AS taken"
                " ON owned = kind"
                " UNION ALL SELECT 'dataset', count(*), 0, " SERIES_OF(
                    "datasets") " FROM datasets"
                                " UNION ALL SELECT 'mesh', count(*), 0, " SERIES_OF(
                                    "meshes") " FROM meshes"
                                              " UNION ALL SELECT 'job', count(*), 0, 0 FROM jobs"
                                              " UNION ALL SELECT 'order', count(*), 0, 0 FROM orders"
                                              " UNION ALL SELECT 'transfer', count(*), 0, 0 FROM transfers"
                                              " UNION ALL SELECT 'robot_revision', count(*), 0, 0 FROM robot_revisions"
                                              " UNION ALL SELECT 'audit_entry', count(*), 0, 0 FROM audit) AS kinds",
    .order = "kind",
    .ascending = true,
  };
  struct sql *sql = NULL;
  struct sql_room room = { 0 };
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = sql_room(sql, &room);
  readers_give(store->readers, sql);
  if (status) return status;
  *usage = (struct store_usage){ .bytes = room.bytes, .log_bytes = room.log_bytes, .unused_bytes = room.unused_bytes };
  return store_read_list(store, &kinds, &usage_type, visit_row, &(struct visitor){ visit, context });
}
