#include "server/store/migrate.h"

#include "server/base/embed.h"

/* The Makefile rebuilds this when a migration changes. */
EMBED(migration_0001, "migrations/sqlite/0001_initial.sql");
EMBED(migration_0002, "migrations/sqlite/0002_datasets.sql");
EMBED(migration_0003, "migrations/sqlite/0003_lists.sql");
EMBED(migration_0004, "migrations/sqlite/0004_keys.sql");
EMBED(migration_0005, "migrations/sqlite/0005_audit.sql");
EMBED(migration_0006, "migrations/sqlite/0006_mappings.sql");
EMBED(migration_0007, "migrations/sqlite/0007_aliases.sql");
EMBED(migration_0008, "migrations/sqlite/0008_job_terms.sql");
EMBED(migration_0009, "migrations/sqlite/0009_traces.sql");
EMBED(migration_0010, "migrations/sqlite/0010_webhooks.sql");
EMBED(migration_0011, "migrations/sqlite/0011_transfer_callbacks.sql");
EMBED(migration_0012, "migrations/sqlite/0012_webhook_versions.sql");
EMBED(migration_0013, "migrations/sqlite/0013_meshes.sql");
EMBED(migration_0014, "migrations/sqlite/0014_enabled.sql");
EMBED(migration_0015, "migrations/sqlite/0015_code_proofs.sql");
EMBED(migration_0016, "migrations/sqlite/0016_owners.sql");
EMBED(migration_0017, "migrations/sqlite/0017_parts.sql");
EMBED(migration_0018, "migrations/sqlite/0018_cells.sql");
EMBED(migration_0019, "migrations/sqlite/0019_orders.sql");
EMBED(migration_0020, "migrations/sqlite/0020_order_events.sql");
EMBED(migration_0021, "migrations/sqlite/0021_order_lists.sql");
EMBED(migration_0022, "migrations/sqlite/0022_events.sql");
EMBED(migration_0023, "migrations/sqlite/0023_accounts.sql");
EMBED(migration_0024, "migrations/sqlite/0024_kept_keys.sql");
EMBED(migration_0025, "migrations/sqlite/0025_order_makers.sql");
EMBED(migration_0026, "migrations/sqlite/0026_alarms.sql");
EMBED(migration_0027, "migrations/sqlite/0027_order_steps.sql");
EMBED(migration_0028, "migrations/sqlite/0028_measured.sql");
EMBED(migration_0029, "migrations/sqlite/0029_measured_event.sql");
EMBED(migration_0030, "migrations/sqlite/0030_result_lists.sql");
EMBED(migration_0032, "migrations/sqlite/0032_result_search.sql");
EMBED(migration_0033, "migrations/sqlite/0033_watches.sql");
EMBED(migration_0040, "migrations/sqlite/0040_nodes.sql");
EMBED(migration_0046, "migrations/sqlite/0046_audit_times.sql");
EMBED(migration_0050, "migrations/sqlite/0050_standing_nodes.sql");

static const struct migration items[] = {
  { "0001_initial", migration_0001 },
  { "0002_datasets", migration_0002 },
  { "0003_lists", migration_0003 },
  { "0004_keys", migration_0004 },
  { "0005_audit", migration_0005 },
  { "0006_mappings", migration_0006 },
  { "0007_aliases", migration_0007 },
  { "0008_job_terms", migration_0008 },
  { "0009_traces", migration_0009 },
  { "0010_webhooks", migration_0010 },
  { "0011_transfer_callbacks", migration_0011 },
  { "0012_webhook_versions", migration_0012 },
  { "0013_meshes", migration_0013 },
  { "0014_enabled", migration_0014 },
  { "0015_code_proofs", migration_0015 },
  { "0016_owners", migration_0016 },
  { "0017_parts", migration_0017 },
  { "0018_cells", migration_0018 },
  { "0019_orders", migration_0019 },
  { "0020_order_events", migration_0020 },
  { "0021_order_lists", migration_0021 },
  { "0022_events", migration_0022 },
  { "0023_accounts", migration_0023 },
  { "0024_kept_keys", migration_0024 },
  { "0025_order_makers", migration_0025 },
  { "0026_alarms", migration_0026 },
  { "0027_order_steps", migration_0027 },
  { "0028_measured", migration_0028 },
  { "0029_measured_event", migration_0029 },
  { "0030_result_lists", migration_0030 },
  { "0032_result_search", migration_0032 },
  { "0033_watches", migration_0033 },
  { "0040_nodes", migration_0040 },
  { "0046_audit_times", migration_0046 },
  { "0050_standing_nodes", migration_0050 },
};

const struct migrations store_migrations = { items, sizeof items / sizeof *items, 0 };

/* PostgreSQL begins with all that SQLite had come to; from there on every number has a file of each. */
EMBED(postgresql_0030, "migrations/postgresql/0030_schema.sql");
EMBED(postgresql_0032, "migrations/postgresql/0032_result_search.sql");
EMBED(postgresql_0033, "migrations/postgresql/0033_watches.sql");
EMBED(postgresql_0040, "migrations/postgresql/0040_nodes.sql");
EMBED(postgresql_0046, "migrations/postgresql/0046_audit_times.sql");
EMBED(postgresql_0050, "migrations/postgresql/0050_standing_nodes.sql");

static const struct migration postgresql_items[] = {
  { "0030_schema", postgresql_0030 },      { "0032_result_search", postgresql_0032 },
  { "0033_watches", postgresql_0033 },     { "0040_nodes", postgresql_0040 },
  { "0046_audit_times", postgresql_0046 }, { "0050_standing_nodes", postgresql_0050 },
};

static const struct migrations postgresql_migrations = { postgresql_items,
                                                         sizeof postgresql_items / sizeof *postgresql_items, 29 };

const struct migrations *migrations_of(const struct sql *sql)
{
  return strcmp(sql_engine_name(sql), "postgresql") ? &store_migrations : &postgresql_migrations;
}
