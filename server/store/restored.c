#include "server/store/restored.h"

const char restored_mark[] = "CREATE TABLE IF NOT EXISTS restored (mark INTEGER) STRICT";

enum armdyn_status restored_disable(struct sql *sql)
{
  int64_t marked;
  enum armdyn_status status =
      sql_number(sql, "SELECT count(*) FROM sqlite_schema WHERE name = 'restored'", NO_VALUES, &marked);
  if (status || !marked) return status;
  status =
      sql_script(sql, "BEGIN IMMEDIATE;"
                      "UPDATE controllers SET version = version + 1,"
                      " document = json_set(document, '$.enabled', json('false'));"
                      "UPDATE webhooks SET version = version + 1, enabled = 0;"
                      "UPDATE orders SET state = 'interrupted', finished_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),"
                      " problem = json_object('type', '/problems/transfer-interrupted', 'title',"
                      " 'Sight of the transfer was lost', 'status', 500, 'detail',"
                      " 'The service goes on with a restored copy, and what the arm did since is not known.')"
                      " WHERE state NOT IN ('done', 'stopped', 'failed', 'interrupted');"
                      "DROP TABLE restored;"
                      "COMMIT");
  if (status) sql_script(sql, "ROLLBACK");
  return status;
}
