/* What the files of the store share. */
#ifndef SERVER_STORE_INTERNAL_H
#define SERVER_STORE_INTERNAL_H

#include "server/base/rehearsal.h"
#include "server/store/readers.h"
#include "server/store/record.h"
#include "server/store/store.h"
#include "server/store/writer.h"

struct store {
  int lock;      /* DIR/lock */
  char *path;    /* of the file, or where it would be */
  char *address; /* that is opened: the same, or one of PostgreSQL */
  int schema_version;
  struct writer *writer;
  struct readers *readers;
};

/* Run a change on the writer thread; `bytes` as in writer_do. Of a rehearsal: on this thread, and not to be kept. */
enum armdyn_status store_write(struct store *store, writer_apply *apply, void *argument, size_t bytes);

/* record_get and record_list on a reader of the pool, which is given back before the rows are visited. What is
 * not read is all zero, and may be released. */
enum armdyn_status store_read(struct store *store, const char *text, struct values values,
                              const struct record_type *type, void *record);
typedef void record_visit(void *context, const void *record);
enum armdyn_status store_read_list(struct store *store, const struct listing *listing, const struct record_type *type,
                                   record_visit *visit, void *context);

/* A caller's visitor of its own struct, behind the lists, which know rows by their type:
 *   TYPED_VISITOR(store_job)
 *   store_read_list(store, &listing, &job_type, visit_row, &(struct visitor){ visit, context }) */
#define TYPED_VISITOR(record)                                                                                          \
  struct visitor {                                                                                                     \
    record##_visit *visit;                                                                                             \
    void *context;                                                                                                     \
  };                                                                                                                   \
  static void visit_row(void *context, const void *row)                                                                \
  {                                                                                                                    \
    const struct visitor *v = context;                                                                                 \
    v->visit(v->context, row);                                                                                         \
  }

/* A kind of rows that store_query can be asked of. */
struct list_type {
  const char *table;   /* or a SELECT in parentheses */
  const char *columns; /* that a list shows */
  const char *key;     /* column that tells the rows apart, not NULL in any: "id", "name" */
  const char *of;      /* column that says whose rows they are, a robot's; NULL: nobody's */
  const char *search;  /* columns to search beside the key, each with a comma in front: ", label, notes"; may be "" */
  const char *tags;    /* table of their tags, which are searched, too; NULL: they have none */
  /* An index of the trigrams of all that is searched, and the table that tells whose its rows are (`number`,
   * `result_id`), in SQLite; NULL: there is none. */
  const char *trigrams, *numbers;
  /* What SQLite cannot know of the indexes, or NULL: */
  const char *const *narrow; /* columns, then NULL: a condition of one leaves few rows, and nothing else is sought by */
  const char *const *never_null; /* columns, then NULL: sorted by one of them, its index serves */
  /* States whose rows an index (state, created_at, key) has, a NULL behind the last, and columns with an index
   * (column, state, created_at, key), or NULL */
  const char *const *states, *const *of_states;
  /* A table of how many rows there are (`count`) of each state and of values of columns, and these, then NULL; or NULL. */
  const char *counts;
  const char *const *counted;
  /* columns, then NULL, whose indexes hold what conditions look at: sorted by one of them nothing is sought by, and by
   * themselves never */
  const char *const *walked;
  const struct record_type *type;
};
/* owner: whose rows, of those that `of` tells apart; else NULL. */
enum armdyn_status store_read_query(struct store *store, const struct list_type *list, const char *owner,
                                    struct store_query *query, record_visit *visit, void *context);

/* How many rows are in each state, by the conditions of the query alone.
 *   names  in  of the states, a NULL behind the last
 *   totals out of each */
enum armdyn_status store_read_totals(struct store *store, const struct list_type *list, const struct store_query *query,
                                     const char *const *names, int64_t *totals);

/* One changing statement with a record in it. */
struct store_change {
  const char *text;
  const struct record_type *type;
  const void *record;
  const char *name;                    /* the record's id or name */
  const char *collection;              /* creating: its place in the API, "jobs" */
  const struct store_idempotency *key; /* creating: or NULL */
  const char *exists;                  /* updating: a query that finds it by name, whatever its state */
};
/* INSERT, and keep the request's Idempotency-Key with it. */
enum armdyn_status store_create(struct store *store, struct store_change *change);
/* UPDATE with a condition on the present state: ECONFLICT when that is not met, ENOTFOUND when there is no such row. */
enum armdyn_status store_update(struct store *store, struct store_change *change);
enum armdyn_status store_change_guarded(struct sql *sql, const struct store_change *change);

/* ECONFLICT when the query finds a row, `otherwise` when it finds none. */
enum armdyn_status store_conflict(struct sql *sql, const char *text, const char *id, enum armdyn_status otherwise);

/* The query answers the version of what `name` is: ESTALE unless that is `expected` (STORE_ANY_VERSION is all of them),
 * ENOTFOUND without a row. */
enum armdyn_status store_expect_version(struct sql *sql, const char *text, const char *name, int64_t expected);

/* The number that a new resource `name` starts with: one more than the last that the name ever had. */
enum armdyn_status store_first_number(struct sql *sql, const char *kind, const char *name, int64_t *number);
enum armdyn_status store_retire_number(struct sql *sql, const char *kind, const char *name, int64_t last);

/* What a robot has by name (aliases, parts): a row of (robot, name) with a version, whose numbers go on when it was deleted, so
 * that no ETag means two things. */
struct robots_own {
  const char *kind;    /* in `retired` */
  const char *version; /* SELECT version ... of (robot, name) */
  const char *remove;  /* DELETE ... of them */
};
/* "robot/name", as it is counted and as an Idempotency-Key refers to it. */
enum { ROBOTS_OWN_SIZE = 2 * ARMDYN_NAME_SIZE };
void robots_own_counted(const char *robot, const char *name, char out[ROBOTS_OWN_SIZE]);
/* The version that comes next; a refusal when the present one is not the one that is expected (0: none). */
enum armdyn_status robots_own_next(struct sql *sql, const struct robots_own *own, const char *robot, const char *name,
                                   int64_t expected, int64_t *version);
/* OK, ENOTFOUND, ESTALE, or what `held` says of one that is in use (NULL: nothing holds it). */
enum armdyn_status robots_own_remove(struct sql *sql, const struct robots_own *own, const char *robot, const char *name,
                                     int64_t expected,
                                     enum armdyn_status (*held)(struct sql *sql, const char *robot, const char *name));

/* What is deleted by its name, if its version is the one that is expected, and whose number is retired. */
struct named_removal {
  const char *version, *remove; /* queries by the name */
  const char *kind, *name;
  int64_t expected;
};
enum armdyn_status store_remove(struct store *store, const struct named_removal *removal);

/* Keep a request's Idempotency-Key (NULL: nothing to do) with what it created, in the same transaction.
 * ECONFLICT: the same key was kept meanwhile. */
enum armdyn_status store_idempotency_keep(struct sql *sql, const struct store_idempotency *key, const char *collection,
                                          const char *name);
/* Forget entries of more than 24 hours, at most `most` of them. */
enum armdyn_status store_idempotency_prune(struct sql *sql, int64_t most);

/* As store_alias_put, part of the transaction that makes the revision. */
enum armdyn_status store_alias_keep(struct sql *sql, struct store_alias *alias, int64_t expected);

/* An entry of the audit trail, part of the transaction that it tells of. */
enum armdyn_status store_audit_keep(struct sql *sql, const char *line);

/* A job's successful end, part of the transaction that creates its result. */
enum armdyn_status store_job_succeed(struct sql *sql, const struct store_job *job, const char *result_id);

/* store_series_begin with another bound on rows than a result's. */
enum armdyn_status store_series_begin_long(struct store *store, const char *owner, const char *name,
                                           const char *columns, size_t width, size_t rows_most,
                                           struct store_series_writer **writer);
/* Throw away series that a crash left without an owner. */
enum armdyn_status store_series_sweep(struct store *store);
/* Throw away the series of a deleted owner. */
enum armdyn_status store_series_purge(struct store *store, const char *owner);

/* Referrals, as parts of the transactions that make, end and delete those who refer. ECONFLICT: one of what is referred to
 * does not exist. */
enum armdyn_status store_referrals_keep(struct sql *sql, const char *from_kind, const char *from_id,
                                        const struct store_referral *to, size_t count);
/* The job's become its result's. */
enum armdyn_status store_referrals_inherit(struct sql *sql, const char *job, const char *kind, const char *id);
enum armdyn_status store_referrals_forget(struct sql *sql, const char *from_kind, const char *from_id);
/* ECONFLICT when somebody refers to it. */
enum armdyn_status store_referrals_check(struct sql *sql, const char *to_kind, const char *to_id);

#endif
