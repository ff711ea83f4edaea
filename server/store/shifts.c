/* Orders that touched a stretch of time, row by row: what a report of a shift is summed up from. */
#include "server/store/internal.h"

/* The index holds all conditions: rows out of range are not opened, and those that ended before it are not come by. */
#define TOUCHING                                                                                                       \
  "SELECT id, state, coalesce(finished_at, ''), coalesce(job_order_id, ''), history, plan, problem,"                   \
  " " SQL_EITHER(                                                                                                      \
      "json_extract(request, '$.part')",                                                                               \
      "json_text(request, 'part')") ", (SELECT measured FROM transfers WHERE transfers.id = orders.transfer)"          \
                                    " FROM orders " SQL_EITHER(                                                        \
                                        "INDEXED BY orders_shift",                                                     \
                                        "") " WHERE controller = ?1 AND coalesce(finished_at, '9') >= ?2 AND "         \
                                            "created_at < ?3 ORDER BY created_at, id"

static const char *text_at(struct sql_statement *statement, int column)
{
  return sql_text(statement, column);
}

enum armdyn_status store_shift(struct store *store, const char *controller, const char *from, const char *to,
                               store_shift_visit *visit, void *context)
{
  struct sql *sql = NULL;
  struct sql_statement *statement = NULL;
  bool row = false;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status)
    status = sql_query(sql, TOUCHING, VALUES(value_text(controller), value_text(from), value_text(to)), &statement);
  while (!status && !(status = sql_step(statement, &row)) && row) {
    const struct store_shift_order order = { .id = text_at(statement, 0),
                                             .state = text_at(statement, 1),
                                             .finished_at = text_at(statement, 2),
                                             .job_order_id = text_at(statement, 3),
                                             .history = text_at(statement, 4),
                                             .plan = text_at(statement, 5),
                                             .problem = text_at(statement, 6),
                                             .part = text_at(statement, 7),
                                             .measured = text_at(statement, 8) };
    status = visit(context, &order);
  }
  sql_finish(statement);
  readers_give(store->readers, sql);
  return status;
}
