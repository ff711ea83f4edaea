/* A connection to PostgreSQL, for the files that are its engine: sql_postgresql.c (statements), postgresql_values.c,
 * postgresql_rows.c, postgresql_transaction.c (transactions, and who may write) and postgresql_pipeline.c (what is sent
 * together in them). */
#ifndef SERVER_STORE_SQL_POSTGRESQL_H
#define SERVER_STORE_SQL_POSTGRESQL_H

#include <stdatomic.h>

#include "server/store/postgresql_connect.h"
#include "server/store/postgresql_text.h"
#include "server/store/sql_engine.h"

enum { POSTGRESQL_NUMBER_SIZE = 32, POSTGRESQL_NUMBERS = 128 };

/* What a transaction has not sent yet, or has no answer of: postgresql_pipeline.c. */
struct postgresql_queue {
  struct item *first, *last;
  size_t count, bytes;
  unsigned operation;         /* that is under way, counted from 1; 0: none is */
  enum armdyn_status failure; /* of it, which is to be undone then */
  bool answered;              /* something of this transaction was, by this connection */
};

struct connection {
  struct sql base;
  char *address;
  PGconn *pg;            /* NULL: it was lost */
  const PGconn *listens; /* the one that was told to */
  bool reads;
  bool began;    /* a transaction, which may be gone with its connection */
  bool snapshot; /* it is for reading, in one moment */
  char message[256];
  int changed;
  const int64_t *deadline_ns;
  int64_t epoch; /* of the holder of the store, who writes; 0: not it */
  int64_t renewed_ns;
  int64_t asked_ns;        /* when what renews it was sent last (CLOCK_BOOTTIME) ... */
  _Atomic int64_t sure_ns; /* ... and what did: the others' clock began later */
  bool renews;             /* this transaction does */
  _Atomic bool fenced;     /* another one holds the store since */
  char xid[24];            /* of the transaction */
  struct postgresql_queue queue;
  uint64_t clock;
  struct prepared *cache;
  char numbers[POSTGRESQL_NUMBERS][POSTGRESQL_NUMBER_SIZE]; /* as texts, in turn */
  unsigned number;
};

/* Types of values, pg_type.dat. */
enum { OID_BOOL = 16, OID_BYTEA = 17, OID_INT8 = 20, OID_INT2 = 21, OID_INT4 = 23, OID_FLOAT8 = 701 };

struct prepared {
  struct sql_statement base;
  struct connection *of;
  char *asked; /* the text as it was asked for */
  struct postgresql_text own;
  struct value values[POSTGRESQL_PLACES];
  PGresult *result; /* once it ran */
  int row;
  bool taken;
  uint64_t used; /* when, in calls of prepare */
};

struct postgresql_parameters {
  Oid types[POSTGRESQL_PLACES];
  const char *values[POSTGRESQL_PLACES];
  int lengths[POSTGRESQL_PLACES], formats[POSTGRESQL_PLACES];
  uint64_t numbers[POSTGRESQL_PLACES];
};
void postgresql_put_values(struct postgresql_parameters *out, const struct prepared *p);

static inline struct connection *connection_of(struct sql *sql)
{
  return (struct connection *)sql;
}

static inline struct prepared *prepared_of(struct sql_statement *statement)
{
  return (struct prepared *)statement;
}

static inline const struct prepared *prepared_at(const struct sql_statement *statement)
{
  return (const struct prepared *)statement;
}

/* Is it connected? If not, now; EUNAVAILABLE. */
enum armdyn_status postgresql_up(struct connection *c);
/* Run statements without values, by semicolons; the result is that of the last one that has rows, else of the last. To be
 * cleared. */
enum armdyn_status postgresql_ask(struct connection *c, const char *text, PGresult **result);
void postgresql_say(struct connection *c, const char *why);
/* The connection is gone: EUNAVAILABLE. */
enum armdyn_status postgresql_lose(struct connection *c, const char *why);
/* What the answer says that failed. */
enum armdyn_status postgresql_failure(struct connection *c, const PGresult *result);
/* For the next answer; false: it does not come in time (*late), or the connection is gone. */
bool postgresql_wait(struct connection *c, bool *late);

/* What a transaction sends first; of `asks_holder` the one row says its number and that the store is still held. */
enum armdyn_status postgresql_queue_text(struct connection *c, const char *text, bool asks_holder);
enum armdyn_status postgresql_run_in_pipeline(struct prepared *p);
enum armdyn_status postgresql_send(struct sql_statement *statement);
enum armdyn_status postgresql_savepoint(struct sql *sql);
enum armdyn_status postgresql_release(struct sql *sql, enum armdyn_status *status);
enum armdyn_status postgresql_undo(struct sql *sql);
enum armdyn_status postgresql_settle(struct sql *sql);
/* Throw away what is queued from there on; NULL: all of it. */
void postgresql_forget(struct connection *c, const struct item *from);
/* Its first answer: whether the store is still held. EUNAVAILABLE. */
enum armdyn_status postgresql_note_begun(struct connection *c, const PGresult *result);

int postgresql_columns(const struct sql_statement *statement);
const char *postgresql_column_name(const struct sql_statement *statement, int column);
enum value_type postgresql_type(const struct sql_statement *statement, int column);
const char *postgresql_text(const struct sql_statement *statement, int column);
int64_t postgresql_integer(const struct sql_statement *statement, int column);
double postgresql_real(const struct sql_statement *statement, int column);
const void *postgresql_blob(const struct sql_statement *statement, int column, size_t *size);

enum armdyn_status postgresql_await(struct sql *sql, const char *channel, int fd, int ms);
enum armdyn_status postgresql_begin(struct sql *sql);
enum armdyn_status postgresql_commit(struct sql *sql);
void postgresql_rollback(struct sql *sql);
bool postgresql_in_transaction(struct sql *sql);
enum armdyn_status postgresql_snapshot(struct sql *sql);
void postgresql_snapshot_end(struct sql *sql);
enum armdyn_status postgresql_touch(struct sql *sql);
enum armdyn_status postgresql_hold(struct sql *sql, const char *node, struct armdyn_error *error);
int64_t postgresql_keep(struct sql *sql);
bool postgresql_is_fenced(const struct sql *sql);
int64_t postgresql_holds_until_ms(const struct sql *sql);
void postgresql_give_up(struct connection *c);

#endif
