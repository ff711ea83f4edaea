/* What an engine does for sql.h: one table of functions, in the order of their declarations there, where they are
 * explained. */
#ifndef SERVER_STORE_SQL_ENGINE_H
#define SERVER_STORE_SQL_ENGINE_H

#include "server/store/sql.h"

struct sql_engine {
  const char *name;
  enum armdyn_status (*open)(const char *path, enum sql_mode mode, struct sql **sql, struct armdyn_error *error);
  void (*close)(struct sql *sql);
  const char *(*message)(struct sql *sql);

  enum armdyn_status (*prepare)(struct sql *sql, const char *text, struct sql_statement **statement);
  int (*places)(const struct sql_statement *statement);
  const char *(*place_name)(const struct sql_statement *statement, int place);
  enum armdyn_status (*bind)(struct sql_statement *statement, int place, struct value value);
  enum armdyn_status (*step)(struct sql_statement *statement, bool *row);
  enum armdyn_status (*send)(struct sql_statement *statement); /* NULL: it is stepped through */
  void (*finish)(struct sql_statement *statement);

  int (*columns)(const struct sql_statement *statement);
  const char *(*column_name)(const struct sql_statement *statement, int column);
  enum value_type (*type)(const struct sql_statement *statement, int column);
  const char *(*text)(const struct sql_statement *statement, int column);
  int64_t (*integer)(const struct sql_statement *statement, int column);
  double (*real)(const struct sql_statement *statement, int column);
  const void *(*blob)(const struct sql_statement *statement, int column, size_t *size);
  int (*changed)(struct sql *sql);
  enum armdyn_status (*script)(struct sql *sql, const char *text);

  enum armdyn_status (*begin)(struct sql *sql);
  enum armdyn_status (*commit)(struct sql *sql);
  void (*rollback)(struct sql *sql);
  bool (*in_transaction)(struct sql *sql);
  enum armdyn_status (*savepoint)(struct sql *sql);
  enum armdyn_status (*release)(struct sql *sql, enum armdyn_status *status);
  enum armdyn_status (*undo)(struct sql *sql);
  enum armdyn_status (*settle)(struct sql *sql); /* NULL: nothing to do */
  enum armdyn_status (*snapshot)(struct sql *sql);
  void (*snapshot_end)(struct sql *sql);

  enum armdyn_status (*await)(struct sql *sql, const char *channel, int fd, int ms); /* NULL: EUNAVAILABLE */
  void (*deadline)(struct sql *sql, const int64_t *monotonic_ns);
  enum armdyn_status (*touch)(struct sql *sql);
  enum armdyn_status (*room)(struct sql *sql, struct sql_room *room);
  int (*log_pages)(const struct sql *sql);
  enum armdyn_status (*checkpoint)(struct sql *sql, bool wait);
  enum armdyn_status (*hold)(struct sql *sql, const char *node, struct armdyn_error *error); /* NULL: nothing to do */
  int64_t (*keep)(struct sql *sql);                                                          /* NULL: nothing to do */
  bool (*is_fenced)(const struct sql *sql);                                                  /* NULL: never */
  int64_t (*holds_until_ms)(const struct sql *sql); /* NULL: nobody else ever holds it */
};

/* An engine's connections and statements begin with these. */
struct sql {
  const struct sql_engine *engine;
};
struct sql_statement {
  const struct sql_engine *engine;
};

extern const struct sql_engine sql_sqlite, sql_postgresql;

/* The text that one engine reads, of one with SQL_EITHER in it: the first alternatives, or the second. NULL: no memory.
 * To be freed. */
char *sql_alternative(const char *text, bool second);

#endif
