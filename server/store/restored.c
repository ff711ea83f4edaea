#include "server/store/restored.h"

const char restored_mark[] = "CREATE TABLE IF NOT EXISTS restored (mark INTEGER) STRICT";

enum armdyn_status restored_disable(struct sql *sql)
{
  int64_t marked;
  enum armdyn_status status =
      sql_number(sql, "SELECT count(*) FROM sqlite_schema WHERE name = 'restored'", NO_VALUES, &marked);
  if (status || !marked) return status;
  status = sql_script(sql, "BEGIN IMMEDIATE;"
                           "UPDATE controllers SET version = version + 1,"
                           " document = json_set(document, '$.enabled', json('false'));"
                           "UPDATE webhooks SET version = version + 1, enabled = 0;"
                           "DROP TABLE restored;"
                           "COMMIT");
  if (status) sql_script(sql, "ROLLBACK");
  return status;
}
