#include "server/store/migrate.h"

#include "server/base/embed.h"

/* sqlite_items, postgresql_items: a row for each file of migrations/ (migrations.py) */
#include "server/store/migrations.h"

const struct migrations store_migrations = { sqlite_items, sizeof sqlite_items / sizeof *sqlite_items, 0 };

static const struct migrations postgresql_migrations = { postgresql_items,
                                                         sizeof postgresql_items / sizeof *postgresql_items,
                                                         POSTGRESQL_BEFORE };

const struct migrations *migrations_of(const struct sql *sql)
{
  return strcmp(sql_engine_name(sql), "postgresql") ? &store_migrations : &postgresql_migrations;
}
