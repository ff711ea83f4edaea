/* What the service keeps, as operations of its domain. SQLite below: one writer thread that groups commits (WAL,
 * synchronous=FULL), readers on read-only connections of their own.
 *
 * Every writing operation returns after its commit is durable. All may be called from any thread but event threads.
 * Strings handed out are owned by the caller (free, or the _release of their struct). */
#ifndef SERVER_STORE_STORE_H
#define SERVER_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armdyn/robot.h"
#include "armdyn/status.h"
#include "server/base/clock.h"
#include "server/base/id.h"

struct store;

/* Open DIR/armdyn.db: takes DIR/lock (EBUSY when another process holds it), checks integrity, backs up and migrates an
 * older schema, refuses a newer one, sweeps what a crash left half-staged. */
enum armdyn_status store_open(const char *dir, struct store **store, struct armdyn_error *error);
/* Commits what is queued, checkpoints, closes. */
void store_close(struct store *store);
int store_schema_version(const struct store *store);
/* Does the store answer, and take writes? For /readyz. */
enum armdyn_status store_check(struct store *store, struct armdyn_error *error);

/* What the writer did since the start: commits / operations tells how well they are grouped. For metrics. */
struct store_counts {
  uint64_t operations, commits, failed_commits, checkpoints;
  size_t queued; /* operations that wait now */
};
struct store_counts store_counts(struct store *store);

/* A creating request's Idempotency-Key: kept in the transaction that creates the resource. NULL where there is none. */
struct store_idempotency {
  const char *scope;           /* API key + method + path + Idempotency-Key */
  const unsigned char *digest; /* 32 bytes, of the body */
};
/* Was this request answered before? OK: `href` is what it created (free it); ENOTFOUND: new; ECONFLICT: the same key
 * with another body. Entries live 24 hours. A creation whose key was kept by another meanwhile answers ECONFLICT and
 * creates nothing: find again. */
enum armdyn_status store_idempotency_find(struct store *store, const struct store_idempotency *key, char **href);
/* Keep the key of a request that creates nothing but must not be repeated (it moves an arm on): durable before its effect.
 * `collection` and `name` make the href: "transfers" and an id. ECONFLICT: it is kept already. */
enum armdyn_status store_idempotency_remember(struct store *store, const struct store_idempotency *key,
                                              const char *collection, const char *name);

/* A page of a list, newest first: at most `limit` rows (0: all) with id < before (NULL: from the start). Ids sort by
 * time. Robots and controllers are listed by ascending name, with name > before; revisions by number.
 * Visitors are called after the rows were read, so they may take their time and call the store; rows are theirs only
 * during the call. */
struct store_page {
  size_t limit;
  const char *before;
};

/* -- robots: a name and immutable revisions 1, 2, ... -- */
struct store_robot {
  char name[ARMDYN_NAME_SIZE];
  int64_t revision;
  char created_at[TIME_SIZE];
  bool unphysical, archived;
  char *document; /* canonical JSON of the model */
};
void store_robot_release(struct store_robot *robot);
/* name, document and unphysical of `robot` in; revision, created_at out. EEXISTS. The name of an archived robot comes
 * back to life with its next revision; that of a deleted one goes on counting, so that a (name, revision) never means
 * two models. */
enum armdyn_status store_robot_create(struct store *store, struct store_robot *robot,
                                      const struct store_idempotency *key);
/* A new revision if the newest one is `expected`; ENOTFOUND, ESTALE. */
enum armdyn_status store_robot_update(struct store *store, struct store_robot *robot, int64_t expected);
/* revision 0: the newest, unless archived. Revisions of an archived robot can still be had by their number. ENOTFOUND. */
enum armdyn_status store_robot_get(struct store *store, const char *name, int64_t revision, struct store_robot *out);
/* archive: hide and keep. ENOTFOUND, ESTALE, ECONFLICT when results, controllers or queued jobs refer to it and
 * !archive. */
enum armdyn_status store_robot_delete(struct store *store, const char *name, int64_t expected, bool archive);
typedef void store_robot_visit(void *context, const struct store_robot *robot); /* document is NULL in lists */
enum armdyn_status store_robot_list(struct store *store, const struct store_page *page, store_robot_visit *visit,
                                    void *context);
enum armdyn_status store_robot_revisions(struct store *store, const char *name, const struct store_page *page,
                                         store_robot_visit *visit, void *context);

/* -- jobs -- */
enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED, JOB_STATE_COUNT };
const char *job_state_name(enum job_state state);

struct store_job {
  char id[ID_SIZE];
  char kind[32]; /* "trajectory" */
  char robot[ARMDYN_NAME_SIZE];
  int64_t revision;
  enum job_state state;                                                      /* JOB_RUNNING is never stored */
  int attempt;                                                               /* how many were begun */
  char created_at[TIME_SIZE], started_at[TIME_SIZE], finished_at[TIME_SIZE]; /* "" = null */
  char result_id[ID_SIZE];                                                   /* "" = none */
  char *request;                                                             /* JSON as accepted */
  char *tags;                                                                /* JSON object */
  char *problem;                                                             /* problem+json, NULL = none */
  char *attempts; /* JSON list of how attempts ended that did not finish: [{"attempt","reason","at"}] */
};
void store_job_release(struct store_job *job);
/* All of `job` in (id and created_at too) but its end; stored as queued. EEXISTS. */
enum armdyn_status store_job_create(struct store *store, const struct store_job *job,
                                    const struct store_idempotency *key);
enum armdyn_status store_job_get(struct store *store, const char *id, struct store_job *out);
/* Keep attempt, attempts, started_at after an attempt that was lost. ENOTFOUND; ECONFLICT when the job has ended. */
enum armdyn_status store_job_retry(struct store *store, const struct store_job *job);
/* The end of a job that has no result: state (failed, cancelled), finished_at, problem, attempt(s), started_at. A job
 * ends once: ENOTFOUND, ECONFLICT; EINPUT for another state. */
enum armdyn_status store_job_end(struct store *store, const struct store_job *job);
struct store_job_filter {
  const char *kind, *robot; /* NULL = any */
  int state;                /* -1 = any; JOB_RUNNING matches what is stored as queued */
};
typedef void store_job_visit(void *context, const struct store_job *job);
enum armdyn_status store_job_list(struct store *store, const struct store_job_filter *filter,
                                  const struct store_page *page, store_job_visit *visit, void *context);

/* All that have not ended, oldest first: what the scheduler takes up again at start. */
enum armdyn_status store_job_queued(struct store *store, store_job_visit *visit, void *context);

/* -- results and their series -- */
struct store_result {
  char id[ID_SIZE];
  char kind[32]; /* "trajectory" */
  char job[ID_SIZE];
  char robot[ARMDYN_NAME_SIZE];
  int64_t revision;
  char created_at[TIME_SIZE];
  char *document; /* JSON object of the kind */
  char *tags;
};
void store_result_release(struct store_result *result);
enum armdyn_status store_result_get(struct store *store, const char *kind, const char *id, struct store_result *out);
/* With its series; its job stays. ENOTFOUND, ECONFLICT: a transfer refers to it. */
enum armdyn_status store_result_delete(struct store *store, const char *kind, const char *id);
typedef void store_result_visit(void *context, const struct store_result *result);
enum armdyn_status store_result_list(struct store *store, const char *kind, const char *robot,
                                     const struct store_page *page, store_result_visit *visit, void *context);

/* A series is a table of float64, written in chunks that nobody sees until store_result_create names it.
 * Half-written ones are swept at start. */
enum { STORE_CHUNK_VALUES = 8192, STORE_COLUMNS_SIZE = 1024 };
struct store_series_writer;
/* columns: comma-separated names, `width` of them. */
enum armdyn_status store_series_begin(struct store *store, const char *result_id, const char *name, const char *columns,
                                      size_t width, struct store_series_writer **writer);
/* rows: count x width, row-major; staged in transactions of at most 1 MiB. A failure sticks. */
enum armdyn_status store_series_append(struct store_series_writer *writer, const double *rows, size_t count);
/* Stage what is left; the writer is freed in either case. keep false: throw the series away. EEXISTS: the result has
 * a series of this name already. NULL is fine. */
enum armdyn_status store_series_end(struct store_series_writer *writer, bool keep);
/* The end of a job with its result: result, its series and the job's state become visible in one transaction. Of `job`
 * its id, attempt, attempts, started_at and finished_at are taken. A job ends once: ENOTFOUND, ECONFLICT. */
enum armdyn_status store_result_create(struct store *store, const struct store_result *result,
                                       const struct store_job *job);

struct store_series {
  char columns[STORE_COLUMNS_SIZE]; /* comma-separated */
  size_t width, rows;
};
enum armdyn_status store_series_info(struct store *store, const char *result_id, const char *name,
                                     struct store_series *out);
/* Read rows [first, first + count) into `rows` (count x width). EINPUT when there are not as many. */
enum armdyn_status store_series_read(struct store *store, const char *result_id, const char *name, size_t first,
                                     size_t count, double *rows);

/* -- controllers -- */
struct store_controller {
  char name[ARMDYN_NAME_SIZE];
  int64_t version; /* its ETag; never used again for this name */
  char created_at[TIME_SIZE];
  char robot[ARMDYN_NAME_SIZE]; /* whose deletion it forbids; "" = none */
  char *document;
};
void store_controller_release(struct store_controller *controller);
/* name, robot and document in; version, created_at out. EEXISTS; ECONFLICT: no such robot. */
enum armdyn_status store_controller_create(struct store *store, struct store_controller *controller,
                                           const struct store_idempotency *key);
/* If the version is `expected`: ENOTFOUND, ESTALE. */
enum armdyn_status store_controller_update(struct store *store, struct store_controller *controller, int64_t expected);
enum armdyn_status store_controller_get(struct store *store, const char *name, struct store_controller *out);
enum armdyn_status store_controller_delete(struct store *store, const char *name, int64_t expected);
typedef void store_controller_visit(void *context, const struct store_controller *controller);
enum armdyn_status store_controller_list(struct store *store, const struct store_page *page,
                                         store_controller_visit *visit, void *context);

/* -- transfers -- */
enum transfer_state {
  TRANSFER_QUEUED,
  TRANSFER_CONNECTING,
  TRANSFER_LOADING,
  TRANSFER_READY,
  TRANSFER_ARMED,
  TRANSFER_PLAYING,
  TRANSFER_HOLDING,
  TRANSFER_DONE,
  TRANSFER_STOPPED,
  TRANSFER_FAILED,
  TRANSFER_INTERRUPTED,
  TRANSFER_STATE_COUNT
};
const char *transfer_state_name(enum transfer_state state);
static inline bool transfer_state_final(enum transfer_state state)
{
  return state >= TRANSFER_DONE;
}

struct store_transfer {
  char id[ID_SIZE];
  char controller[ARMDYN_NAME_SIZE];
  char trajectory[ID_SIZE];
  enum transfer_state state;
  int64_t sent, total; /* samples */
  bool start_sent;     /* set, durably, before START goes out; START is sent at most once, for ever */
  char created_at[TIME_SIZE], started_at[TIME_SIZE], finished_at[TIME_SIZE];
  char *request; /* JSON as accepted */
  char *tags;
  char *history; /* JSON list of {"state","at","reason"} */
  char *problem; /* NULL = none */
};
void store_transfer_release(struct store_transfer *transfer);
/* All of `transfer` in. EEXISTS; ECONFLICT: no such trajectory. */
enum armdyn_status store_transfer_create(struct store *store, const struct store_transfer *transfer,
                                         const struct store_idempotency *key);
/* Everything but id, controller, trajectory, created_at, request, tags. A final state is never left again (ECONFLICT),
 * and start_sent never taken back. ENOTFOUND. */
enum armdyn_status store_transfer_update(struct store *store, const struct store_transfer *transfer);
/* Claim the one START of a transfer: OK once, ECONFLICT ever after and when the transfer has ended. ENOTFOUND.
 * key: of the request that starts it, kept with the claim; NULL = none. */
enum armdyn_status store_transfer_claim_start(struct store *store, const char *id);
enum armdyn_status store_transfer_claim_start_with(struct store *store, const char *id,
                                                   const struct store_idempotency *key);
enum armdyn_status store_transfer_get(struct store *store, const char *id, struct store_transfer *out);
typedef void store_transfer_visit(void *context, const struct store_transfer *transfer);
enum armdyn_status store_transfer_list(struct store *store, const char *controller, int state,
                                       const struct store_page *page, store_transfer_visit *visit, void *context);
/* All that have not ended, oldest first: what a crash may have interrupted. */
enum armdyn_status store_transfer_unfinished(struct store *store, store_transfer_visit *visit, void *context);

#endif
