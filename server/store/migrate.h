/* The schema, as numbered steps in SQL, each applied once, in one transaction of its own. */
#ifndef SERVER_STORE_MIGRATE_H
#define SERVER_STORE_MIGRATE_H

#include <stddef.h>

#include "server/store/sql.h"
#include "server/store/store.h"

struct migration {
  const char *name;
  const char *text; /* SQL; must not begin or end transactions */
};
/* Migration i makes version before + i + 1. An empty database begins with the first. */
struct migrations {
  const struct migration *items;
  size_t count;
  int64_t before;
};

/* Those of migrations/, built into the program. To add one: a file there, or one in the folder of each engine. */
extern const struct migrations store_migrations;
const struct migrations *migrations_of(const struct sql *sql);
int64_t migrations_newest(const struct migrations *migrations);

/* Bring the database to the newest version. A file that exists already and is older is first copied to
 * DIR/armdyn-v<old>-<time>.db; one that is newer, damaged, or not ours is refused.
 *   dir      in   of the file; NULL: the database is not one
 *   version  out  of the schema now */
enum armdyn_status migrate(struct sql *sql, const char *dir, const struct migrations *migrations, int *version,
                           struct armdyn_error *error);

/* The schema version of a database that this program can use; ECONFLICT: it is newer, or not ours. */
enum armdyn_status migrate_version(struct sql *sql, const char *what, const struct migrations *migrations,
                                   int64_t *version, struct armdyn_error *error);

/* store_open with other migrations, for tests of upgrades. */
enum armdyn_status store_open_with(const char *dir, const struct migrations *migrations, struct store **store,
                                   struct armdyn_error *error);

#endif
