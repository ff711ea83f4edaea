/* What the service keeps, as operations of its domain. SQLite below (WAL, synchronous=FULL), or PostgreSQL: one writer thread
 * that groups commits, readers on connections of their own.
 *
 * Every writing operation returns after its commit is durable. All may be called from any thread but event threads.
 * Strings handed out are owned by the caller (free, or the _release of their struct). */
#ifndef SERVER_STORE_STORE_H
#define SERVER_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/limits.h"
#include "armdyn/robot.h"
#include "armdyn/status.h"
#include "server/base/clock.h"
#include "server/base/id.h"
#include "server/base/trace.h"

struct store;

enum { LABEL_SIZE = LIMIT_TAG + 1 };

/* Open DIR/armdyn.db: takes DIR/lock (EBUSY when another process holds it), checks integrity, backs up and migrates an
 * older schema, refuses a newer one, sweeps what a crash left half-staged. */
enum armdyn_status store_open(const char *dir, struct store **store, struct armdyn_error *error);
/* The same at an address of PostgreSQL ("postgresql://..."), or "": DIR/armdyn.db. DIR holds what is this node's own. EBUSY:
 * another node holds the store; EUNAVAILABLE: it does not answer. */
struct store_place {
  const char *dir, *address;
  const char *reached_at; /* HOST:PORT where other nodes reach this one; "" = they do not */
};
enum armdyn_status store_open_at(const struct store_place *place, struct store **store, struct armdyn_error *error);
/* Another node holds it, and this one writes nothing any more. */
bool store_is_fenced(const struct store *store);
/* Wall clock until which nobody else can hold it, if it is asked now; INT64_MAX: nobody ever. Waits for nothing. */
int64_t store_holds_until_ms(const struct store *store);
bool store_is_on_server(const char *address);
/* In place of an address, for children: it is in ARMDYN_STORE. */
#define STORE_IN_ENVIRONMENT "postgresql:"
/* Bring a database on a server to the schema of this program, as who may make tables. EBUSY: a node holds the store.
 *   before, now  out  schema versions; 0: it was empty */
enum armdyn_status store_migrate(const char *address, int *before, int *now, struct armdyn_error *error);
/* Its file, DIR/armdyn.db. EINPUT: no path may be that long. */
enum { STORE_PATH_SIZE = 4096 };
enum armdyn_status store_file(const char *dir, char path[STORE_PATH_SIZE], struct armdyn_error *error);
/* The same database read-only, from another process while that holds it: `address` is its store_address. Only what reads may
 * be called. */
enum armdyn_status store_open_reader(const char *address, struct store **store, struct armdyn_error *error);
/* Copy the database in `path`, whether or not a service has it open, to a new file: what was committed when the copy began,
 * checked. EEXISTS: there is such a file. */
enum armdyn_status store_backup(const char *path, const char *to, struct armdyn_error *error);
/* Make DIR/armdyn.db of such a copy. EEXISTS: there is one already, which stays; EBUSY: a service runs on DIR; ECONFLICT:
 * the copy is of a newer program, or of another one.
 *   enable  in  the store itself is moved: else its controllers and webhooks begin disabled */
enum armdyn_status store_restore(const char *from, const char *dir, bool enable, struct armdyn_error *error);
/* Take the rights of others from the files of a store, which an older program or a person may have left them. */
void store_tighten(const char *dir);
/* One file of it that others may read, if there is any. */
enum { STORE_OPEN_FILE_SIZE = 256 };
bool store_open_to_others(const char *dir, char file[STORE_OPEN_FILE_SIZE]);
/* The file, or where it would be: what stands beside it is named by it. */
const char *store_path(const struct store *store);
const char *store_address(const struct store *store);
const char *store_engine(const struct store *store); /* "sqlite", "postgresql" */
/* Commits what is queued, checkpoints, closes. */
void store_close(struct store *store);
int store_schema_version(const struct store *store);
/* Does the store answer, and take writes? For /readyz. */
enum armdyn_status store_check(struct store *store, struct armdyn_error *error);
/* Does it take writes? Costs nothing as long as it did; after a failure a write is tried. */
enum armdyn_status store_health(struct store *store);
/* How long it has been waiting for the disk to take what it writes now, s; 0: it writes nothing. Waits for nobody. */
double store_busy(struct store *store);

/* A rehearsal (server/base/rehearsal.h): until its end the changes of this thread are seen by its own reads alone, and then
 * they are gone: nothing of them is ever committed. Rows of series are counted and not written. From the first change on
 * nobody else writes, so who rehearses takes no lock that others hold while they write. */
void store_rehearse(void);
void store_rehearsal_end(void);

/* Do the reads of this thread wait for nobody's? There are two connections for such. */
void store_reads_first(bool first);

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
  bool kept;                   /* as long as what it made: of orders, jobs, transfers and data sets */
};
/* Was this request answered before? OK: `href` is what it created (free it); ENOTFOUND: new; ECONFLICT: the same key
 * with another body, `href` too. Entries live 24 hours, or as long as what they made. A creation whose key was kept by
 * another meanwhile answers ECONFLICT and creates nothing: find again. */
enum armdyn_status store_idempotency_find(struct store *store, const struct store_idempotency *key, char **href);
/* Keep the key of a request that creates nothing but must not be repeated (it moves an arm on): durable before its effect.
 * `collection` and `name` make the href: "transfers" and an id. ECONFLICT: it is kept already. */
enum armdyn_status store_idempotency_remember(struct store *store, const struct store_idempotency *key,
                                              const char *collection, const char *name);

/* -- lists: filtered, searched, sorted, page by page --
 * Visitors are called after the rows were read, so they may take their time and call the store; rows are theirs only
 * during the call. */
enum store_match {
  STORE_IS,
  STORE_BELOW,
  STORE_AT_MOST,
  STORE_ABOVE,
  STORE_AT_LEAST,
  STORE_ONE_OF /* text is the values that it may have, with commas between */
};
enum store_where {
  STORE_COLUMN, /* of the row */
  STORE_TAG,
  STORE_MEMBER, /* a text of a result's summary, or one of its list of texts */
  STORE_METRIC  /* a number of a result's summary */
};
struct store_filter {
  enum store_where where;
  const char *name; /* of a column: never from outside */
  enum store_match match;
  const char *text; /* NULL: `number` counts */
  double number;
};
/* Rows in a state; or some of them, which memory alone knows (a job that runs is a queued one here). */
struct store_state {
  const char *name;
  const char *ids; /* with commas between; NULL: all of the state */
  bool except;     /* all but these */
};
/* Where a row stands in a sorted list. */
enum { STORE_KEY_SIZE = 256 };
struct store_key {
  enum { STORE_KEY_NONE, STORE_KEY_NULL, STORE_KEY_NUMBER, STORE_KEY_TEXT } type; /* NONE: before the first row */
  double number;
  char text[STORE_KEY_SIZE]; /* cut to its size */
  char id[ARMDYN_NAME_SIZE]; /* or name, or number: what tells the list's rows apart */
};
enum { STORE_FILTERS = 26, STORE_STATES = 16 };
struct store_query {
  struct store_filter filters[STORE_FILTERS]; /* all of them hold */
  size_t filter_count;
  struct store_state states[STORE_STATES]; /* it is one of these, no two of which have rows in common */
  size_t state_count;                      /* 0: any state */
  const char *search; /* anywhere in what tells rows apart and describes them, whatever the case (ASCII); NULL: any */
  const char *sort;   /* NULL: created_at; else a column, never from outside, or a metric */
  bool metric;        /* `sort` is a metric; rows without it come last */
  bool ascending;
  int64_t search_ms;    /* that it may take to look for `search`, then EUNAVAILABLE; 0: as long as it takes */
  size_t limit;         /* 0: all */
  struct store_key key; /* in: the page begins behind it; out: of the last row that was visited */
  bool more;            /* out: there are rows behind the page */
  /* The store's own: which of the filters that look beside the rows hold for many, a bit each; and does one hold for so few
   * that they are read first, and sorted? */
  uint32_t wide;
  bool driven;
};
/* All of a list, by name. */
#define STORE_ALL_BY_NAME (&(struct store_query){ .sort = "name", .ascending = true })

/* -- is it whole? Of a reader too; the first two read all of it -- */
enum armdyn_status store_examine(struct store *store, struct armdyn_error *error); /* SQLite's own check */
/* Of a store on a server: does a commit wait for a standby, so that a fail-over loses nothing that was acknowledged? */
enum armdyn_status store_examine_replication(struct store *store, bool *synchronous);
enum armdyn_status store_examine_references(struct store *store,
                                            struct armdyn_error *error); /* nothing hangs in the air */
/* ECONFLICT: of a newer program. newest: out, what this program knows. */
enum armdyn_status store_examine_schema(struct store *store, int *version, int *newest, struct armdyn_error *error);
/* The latest time at which a robot's revision, a job or a transfer was made; "": none was. */
enum armdyn_status store_last_time(struct store *store, char time[TIME_SIZE]);

/* -- what takes how much room -- */
struct store_usage {
  int64_t bytes, unused_bytes; /* of the database; of these, what is used again before it grows */
  int64_t log_bytes;           /* of its write-ahead log */
};
struct store_usage_kind {
  char kind[32];        /* of results ("trajectory"); "dataset", "job", "transfer", "robot_revision", "audit_entry" */
  int64_t count;        /* of rows */
  int64_t pinned;       /* of these */
  int64_t series_bytes; /* of their samples */
};
typedef void store_usage_kind_visit(void *context, const struct store_usage_kind *kind);
enum armdyn_status store_usage(struct store *store, struct store_usage *usage, store_usage_kind_visit *visit,
                               void *context);

/* -- robots: a name and immutable revisions 1, 2, ... -- */
enum { STORE_REASON_SIZE = 1025 };
struct store_robot {
  char name[ARMDYN_NAME_SIZE];
  int64_t revision;
  char created_at[TIME_SIZE];
  bool unphysical, archived;
  char reason[STORE_REASON_SIZE]; /* why it was made; "": nobody said */
  char identification[ID_SIZE];   /* that it was promoted from; "": none */
  char *document;                 /* canonical JSON of the model */
};
void store_robot_release(struct store_robot *robot);
/* name, document, unphysical, reason and identification of `robot` in; revision, created_at out. EEXISTS. The name of an
 * archived robot comes back to life with its next revision; that of a deleted one goes on counting, so that a (name,
 * revision) never means two models. */
enum armdyn_status store_robot_create(struct store *store, struct store_robot *robot,
                                      const struct store_idempotency *key);
/* A new revision if the newest one is `expected`; ENOTFOUND, ESTALE. */
enum armdyn_status store_robot_update(struct store *store, struct store_robot *robot, int64_t expected);
/* The same, and with it, or not at all:
 *   alias  in/out  that stands for it from now on, as of store_alias_put but for the revision; NULL = none
 *   key    in      of the request that makes it; its href is that of the revision; NULL = none */
struct store_alias;
enum armdyn_status store_robot_promote(struct store *store, struct store_robot *robot, int64_t expected,
                                       struct store_alias *alias, const struct store_idempotency *key);
/* revision 0: the newest, unless archived. Revisions of an archived robot can still be had by their number. ENOTFOUND. */
enum armdyn_status store_robot_get(struct store *store, const char *name, int64_t revision, struct store_robot *out);
/* archive: hide and keep. ENOTFOUND, ESTALE, ECONFLICT when results, controllers or queued jobs refer to it and
 * !archive. */
enum armdyn_status store_robot_delete(struct store *store, const char *name, int64_t expected, bool archive);
typedef void store_robot_visit(void *context, const struct store_robot *robot); /* document is NULL in lists */
/* The newest revisions of those that are not archived; all revisions of one. */
enum armdyn_status store_robot_list(struct store *store, struct store_query *query, store_robot_visit *visit,
                                    void *context);
enum armdyn_status store_robot_revisions(struct store *store, const char *name, struct store_query *query,
                                         store_robot_visit *visit, void *context);

/* -- aliases: names that stand for a revision -- */
struct store_alias {
  char robot[ARMDYN_NAME_SIZE], alias[ARMDYN_NAME_SIZE];
  int64_t version; /* its ETag; never used again for this name */
  int64_t revision;
  char reason[STORE_REASON_SIZE], changed_at[TIME_SIZE];
};
/* robot, alias, revision and reason in, the rest out.
 *   expected  in  its version; 0: there must be none; STORE_ANY_VERSION
 * ENOTFOUND, EEXISTS, ESTALE; ECONFLICT: the robot has no such revision. */
enum { STORE_ANY_VERSION = -1 };
enum armdyn_status store_alias_put(struct store *store, struct store_alias *alias, int64_t expected);
/* ENOTFOUND, ESTALE. */
enum armdyn_status store_alias_delete(struct store *store, const char *robot, const char *alias, int64_t expected);
enum armdyn_status store_alias_get(struct store *store, const char *robot, const char *alias, struct store_alias *out);
typedef void store_alias_visit(void *context, const struct store_alias *alias);
enum armdyn_status store_alias_list(struct store *store, const char *robot, struct store_query *query,
                                    store_alias_visit *visit, void *context);

/* -- proofs of programs that were made of a revision -- */
enum { STORE_CODE_PROOFS = 100, STORE_VERSION_SIZE = 32 }; /* that are kept of a revision, the newest */
struct store_code_proof {
  char id[ID_SIZE];
  char robot[ARMDYN_NAME_SIZE];
  int64_t revision;
  char created_at[TIME_SIZE];
  char version[STORE_VERSION_SIZE]; /* of the program that made it */
  char *request;                    /* JSON as the document writes it, so that equal ones are equal */
  char *programs;                   /* JSON list */
};
/* robot, revision, version, request and programs in, the rest out; in place of the one of the same request. ENOTFOUND: no
 * such revision. */
enum armdyn_status store_code_proof_keep(struct store *store, struct store_code_proof *proof);
typedef void store_code_proof_visit(void *context, const struct store_code_proof *proof);
enum armdyn_status store_code_proof_list(struct store *store, const char *robot, struct store_query *query,
                                         store_code_proof_visit *visit, void *context);

/* -- parts: what a robot carries, by name -- */
struct store_part {
  char robot[ARMDYN_NAME_SIZE], part[ARMDYN_NAME_SIZE];
  int64_t version; /* its ETag; never used again for this name */
  char changed_at[TIME_SIZE];
  char *document; /* JSON as part_type has it */
};
void store_part_release(struct store_part *part);
/* robot, part and document in, the rest out.
 *   expected  in  its version; 0: there must be none
 * ENOTFOUND, EEXISTS, ESTALE; ECONFLICT: no such robot. */
enum armdyn_status store_part_put(struct store *store, struct store_part *part, int64_t expected,
                                  const struct store_idempotency *key);
/* ENOTFOUND, ESTALE; ECONFLICT: a controller's arm holds it. */
enum armdyn_status store_part_delete(struct store *store, const char *robot, const char *part, int64_t expected);
enum armdyn_status store_part_get(struct store *store, const char *robot, const char *part, struct store_part *out);
typedef void store_part_visit(void *context, const struct store_part *part);
enum armdyn_status store_part_list(struct store *store, const char *robot, struct store_query *query,
                                   store_part_visit *visit, void *context);

/* -- referrals: who was computed from what. What is referred to cannot be deleted -- */
struct store_referral {
  char kind[32]; /* "dataset", "identification", ... */
  char id[ID_SIZE];
};
/* Is there such a data set or result? OK, ENOTFOUND. */
enum armdyn_status store_referral_check(struct store *store, const struct store_referral *referral);
typedef void store_referral_visit(void *context, const struct store_referral *referrer);
/* At most `limit` (0: all) jobs that have not ended, results and transfers that refer to this data set or result. */
enum armdyn_status store_referrers(struct store *store, const char *kind, const char *id, size_t limit,
                                   store_referral_visit *visit, void *context);

/* -- jobs -- */
enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED, JOB_STATE_COUNT };
extern const char *const job_state_names[JOB_STATE_COUNT + 1]; /* the last one NULL */
const char *job_state_name(enum job_state state);

struct store_job {
  char id[ID_SIZE];
  char kind[32]; /* "trajectory" */
  char robot[ARMDYN_NAME_SIZE];
  char owner[ID_SIZE]; /* whose key it was made with; "": it is older than that is known */
  int64_t revision;
  enum job_state state;                                                      /* JOB_RUNNING is never stored */
  int attempt;                                                               /* how many were begun */
  char created_at[TIME_SIZE], started_at[TIME_SIZE], finished_at[TIME_SIZE]; /* "" = null */
  char result_id[ID_SIZE];                                                   /* "" = none */
  char *request;                                                             /* JSON as accepted */
  char *tags;                                                                /* JSON object */
  char *problem;                                                             /* problem+json, NULL = none */
  char *attempts; /* JSON list of how attempts ended that did not finish: [{"attempt","reason","at"}] */
  char job_order_id[LABEL_SIZE], work_master_id[LABEL_SIZE], equipment_id[LABEL_SIZE]; /* out: of the request */
  int priority;                                                                        /* out: of the request */
  char traceparent[TRACE_SIZE];                                                        /* of the request that made it */
  int64_t time_limit_ms; /* out: of the request, from created_at on; 0 = none */
  char created_by_name[ARMDYN_NAME_SIZE], reason[STORE_REASON_SIZE]; /* whose key, and why; "": not known, not said */
  /* Only store_job_create reads these: the data sets and results that it computes from; its result will refer to them. */
  const struct store_referral *sources;
  size_t source_count;
};
void store_job_release(struct store_job *job);
/* All of `job` in (id and created_at too) but its end; stored as queued. EEXISTS; ECONFLICT: a source does not exist. */
enum armdyn_status store_job_create(struct store *store, const struct store_job *job,
                                    const struct store_idempotency *key);
enum armdyn_status store_job_get(struct store *store, const char *id, struct store_job *out);
/* Keep attempt, attempts, started_at after an attempt that was lost. ENOTFOUND; ECONFLICT when the job has ended. */
enum armdyn_status store_job_retry(struct store *store, const struct store_job *job);
/* The end of a job that has no result: state (failed, cancelled), finished_at, problem, attempt(s), started_at. A job
 * ends once: ENOTFOUND, ECONFLICT; EINPUT for another state. */
enum armdyn_status store_job_end(struct store *store, const struct store_job *job);
typedef void store_job_visit(void *context, const struct store_job *job);
/* Rows are without request, problem and attempts. */
enum armdyn_status store_job_list(struct store *store, struct store_query *query, store_job_visit *visit,
                                  void *context);
/* How many there are in each state, of those that meet the query's conditions; its search and its page do not count. */
enum armdyn_status store_job_totals(struct store *store, const struct store_query *query,
                                    int64_t totals[JOB_STATE_COUNT]);
/* Delete jobs that ended before this time, and their results: at most `most` of them, and none whose result is pinned,
 * referred to, was sent to a controller or made a revision of its robot.
 *   removed  out  how many were deleted, also when it fails */
enum armdyn_status store_jobs_clear(struct store *store, const char *ended_before, size_t most, size_t *removed);

/* Those that have not ended, oldest first, without what they are to compute: what the scheduler takes up again at start.
 *   behind  in  the id of the last one that is known already; "": none is
 *   most    in  so many; 0: all */
enum armdyn_status store_job_queued(struct store *store, const char *behind, size_t most, store_job_visit *visit,
                                    void *context);

/* -- results and their series -- */
struct store_result {
  char id[ID_SIZE];
  char kind[32]; /* "trajectory" */
  char job[ID_SIZE];
  char robot[ARMDYN_NAME_SIZE];
  int64_t revision;
  char created_at[TIME_SIZE];
  char *document; /* JSON object of the kind */
  char *summary;  /* JSON object of what lists show of it: texts, lists of texts, and "metrics", numbers or null */
  char *tags;
  char job_order_id[LABEL_SIZE], work_master_id[LABEL_SIZE], equipment_id[LABEL_SIZE]; /* out: of the job's request */
  /* what people write on it: store_result_annotate */
  int64_t version; /* 1, 2, ...: how often, for its ETag */
  bool pinned;
  char label[LABEL_SIZE];
  char *notes;
};
void store_result_release(struct store_result *result);
enum armdyn_status store_result_get(struct store *store, const char *kind, const char *id, struct store_result *out);
/* Keep tags, label, notes and pinned of `result` if its version is still that; its version becomes the next one.
 * ENOTFOUND, ESTALE. */
enum armdyn_status store_result_annotate(struct store *store, struct store_result *result);
/* With its series; its job stays. ENOTFOUND; ECONFLICT: it is pinned, or see store_referrers. */
enum armdyn_status store_result_delete(struct store *store, const char *kind, const char *id, int64_t expected);
typedef void store_result_visit(void *context, const struct store_result *result);
/* Rows are without document and notes. */
enum armdyn_status store_result_list(struct store *store, struct store_query *query, store_result_visit *visit,
                                     void *context);

/* A series is a table of float64, written in chunks that nobody sees until its owner exists: store_result_create with the
 * same id, or store_dataset_create. Half-written ones are swept at start. */
enum { STORE_CHUNK_VALUES = 8192, STORE_COLUMNS_SIZE = 1024 };
struct store_series_writer;
/* columns: comma-separated names, `width` of them. */
enum armdyn_status store_series_begin(struct store *store, const char *owner, const char *name, const char *columns,
                                      size_t width, struct store_series_writer **writer);
/* rows: count x width, row-major; staged in transactions of at most 1 MiB. A failure sticks. */
enum armdyn_status store_series_append(struct store_series_writer *writer, const double *rows, size_t count);
/* Whoever cannot make the rows again need not lose them to a disk that is full for a while: `wait` rests before the
 * `tries`-th repetition (from 0) of what the store did not take; false: give up. All zero (as at first): at once. */
struct store_patience {
  bool (*wait)(void *context, enum armdyn_status status, int tries);
  void *context;
};
void store_series_be_patient(struct store_series_writer *writer, const struct store_patience *patience);
/* Stage what is left; the writer is freed in either case. keep false: throw the series away. EEXISTS: the owner has
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
enum armdyn_status store_series_info(struct store *store, const char *owner, const char *name,
                                     struct store_series *out);
/* Read rows [first, first + count) into `rows` (count x width). EINPUT when there are not as many. */
enum armdyn_status store_series_read(struct store *store, const char *owner, const char *name, size_t first,
                                     size_t count, double *rows);

/* -- data sets: logged motion -- */
enum { STORE_SHA256_SIZE = 65 };
#define STORE_SAMPLES "samples" /* the name of their series */

struct store_dataset {
  char id[ID_SIZE];
  char robot[ARMDYN_NAME_SIZE];
  int64_t revision; /* the newest when it was uploaded: its drives turned currents into torques */
  int64_t version;  /* its ETag */
  char created_at[TIME_SIZE];
  char label[LABEL_SIZE];
  int64_t samples;                /* rows of its series */
  char sha256[STORE_SHA256_SIZE]; /* of the samples as stored: float64, little-endian, row by row */
  char *figures;                  /* JSON object: what the upload found; never changes */
  char *conditions;               /* JSON object */
  char *tags;                     /* JSON object */
  char *notes;
  char job_order_id[LABEL_SIZE], work_master_id[LABEL_SIZE], equipment_id[LABEL_SIZE];
  char created_by_name[ARMDYN_NAME_SIZE], reason[STORE_REASON_SIZE]; /* whose key, and why; "": not known, not said */
};
void store_dataset_release(struct store_dataset *dataset);

/* Write the samples of a data set or result, and the pyramid of their extremes along with them; nobody sees either until
 * their owner exists. Memory does not depend on how many there are.
 *   columns    in  comma-separated names, `width` of them, the first one the time, which increases
 *   rows_most  in  LIMIT_DATASET_ROWS or less */
struct store_samples_writer;
enum armdyn_status store_samples_begin(struct store *store, const char *id, const char *columns, size_t width,
                                       size_t rows_most, struct store_samples_writer **writer);
void store_samples_be_patient(struct store_samples_writer *writer, const struct store_patience *patience);
/* rows: count x width. A failure sticks. ELIMIT: more than rows_most. */
enum armdyn_status store_samples_append(struct store_samples_writer *writer, const double *rows, size_t count);
/* As store_series_end. */
enum armdyn_status store_samples_end(struct store_samples_writer *writer, bool keep);

/* Throw away what was kept for a data set that is not created after all. */
void store_samples_discard(struct store *store, const char *id);

/* All of `dataset` in but version and created_at. EEXISTS; ECONFLICT: there is no such revision of the robot. */
enum armdyn_status store_dataset_create(struct store *store, struct store_dataset *dataset,
                                        const struct store_idempotency *key);
enum armdyn_status store_dataset_get(struct store *store, const char *id, struct store_dataset *out);
/* label, conditions, tags, notes and ids, if the version is `expected`; version out. ENOTFOUND, ESTALE. */
enum armdyn_status store_dataset_update(struct store *store, struct store_dataset *dataset, int64_t expected);
/* With its samples. ENOTFOUND, ESTALE, ECONFLICT: see store_referrers. */
enum armdyn_status store_dataset_delete(struct store *store, const char *id, int64_t expected);
typedef void store_dataset_visit(void *context, const struct store_dataset *dataset);
/* Rows are without notes. */
enum armdyn_status store_dataset_list(struct store *store, struct store_query *query, store_dataset_visit *visit,
                                      void *context);

/* How many samples have t < time, or (inclusive) t <= time. ENOTFOUND, EIO, EMEMORY. */
enum armdyn_status store_samples_rows_until(struct store *store, const char *id, double time, bool inclusive,
                                            size_t *rows);
/* Least and greatest values of rows [first, end) in buckets, at most `points` of them. The buckets have equally many rows
 * but the last; they begin and end where blocks of the pyramid do, so that the first may begin a little before `first`,
 * and the last end a little after `end`.
 *   width    in   of the data set's series
 *   out      out  points x 2 width: the minima of a bucket, then its maxima
 *   buckets  out  how many
 * ENOTFOUND, EINPUT (first >= end, or no such rows, or no points), EIO, EMEMORY. Reads at most 32 blocks a bucket. */
enum armdyn_status store_samples_extremes(struct store *store, const char *id, size_t width, size_t first, size_t end,
                                          size_t points, double *out, size_t *buckets);

/* -- meshes of robots; their triangles are a series of the id, kept before the mesh exists -- */
struct store_mesh {
  int64_t number; /* its ETag: of this upload alone, for ever */
  char id[ID_SIZE];
  char robot[ARMDYN_NAME_SIZE], mesh[ARMDYN_NAME_SIZE];
  char created_at[TIME_SIZE];
  int64_t triangles;
  char *figures; /* JSON object: the box around it */
};
void store_mesh_release(struct store_mesh *mesh);
/* All of `mesh` in but number and created_at, in place of the one whose number is `expected` (0: there is none). ESTALE,
 * EEXISTS; ENOTFOUND: no such mesh, or robot. */
enum armdyn_status store_mesh_put(struct store *store, struct store_mesh *mesh, int64_t expected);
/* With its triangles. ENOTFOUND, ESTALE. */
enum armdyn_status store_mesh_delete(struct store *store, const char *robot, const char *mesh, int64_t expected);
enum armdyn_status store_mesh_get(struct store *store, const char *robot, const char *mesh, struct store_mesh *out);
typedef void store_mesh_visit(void *context, const struct store_mesh *mesh);
/* All of a robot, by name. */
enum armdyn_status store_mesh_list(struct store *store, const char *robot, store_mesh_visit *visit, void *context);

/* -- mappings of logs -- */
struct store_mapping {
  char name[ARMDYN_NAME_SIZE];
  int64_t version; /* its ETag; never used again for this name */
  char created_at[TIME_SIZE];
  char *document; /* canonical JSON */
};
void store_mapping_release(struct store_mapping *mapping);
/* name and document in, the rest out. EEXISTS. */
enum armdyn_status store_mapping_create(struct store *store, struct store_mapping *mapping);
/* ENOTFOUND, ESTALE. */
enum armdyn_status store_mapping_update(struct store *store, struct store_mapping *mapping, int64_t expected);
enum armdyn_status store_mapping_delete(struct store *store, const char *name, int64_t expected);
enum armdyn_status store_mapping_get(struct store *store, const char *name, struct store_mapping *out);
typedef void store_mapping_visit(void *context, const struct store_mapping *mapping);
enum armdyn_status store_mapping_list(struct store *store, struct store_query *query, store_mapping_visit *visit,
                                      void *context);

/* -- cells -- */
struct store_cell {
  char name[ARMDYN_NAME_SIZE];
  int64_t version; /* its revision, and ETag; never used again for this name */
  char created_at[TIME_SIZE];
  char *document; /* canonical JSON */
};
void store_cell_release(struct store_cell *cell);
/* name and document in, the rest out. EEXISTS, ECONFLICT (see store_idempotency). */
enum armdyn_status store_cell_create(struct store *store, struct store_cell *cell, const struct store_idempotency *key);
/* A revision more. ENOTFOUND, ESTALE. */
enum armdyn_status store_cell_update(struct store *store, struct store_cell *cell, int64_t expected);
/* With all revisions. */
enum armdyn_status store_cell_delete(struct store *store, const char *name, int64_t expected);
/* version 0: the newest. */
enum armdyn_status store_cell_get(struct store *store, const char *name, int64_t version, struct store_cell *out);
typedef void store_cell_visit(void *context, const struct store_cell *cell);
/* The newest of each. */
enum armdyn_status store_cell_list(struct store *store, struct store_query *query, store_cell_visit *visit,
                                   void *context);

/* -- controllers -- */
struct store_controller {
  char name[ARMDYN_NAME_SIZE];
  int64_t version; /* its ETag; never used again for this name */
  char created_at[TIME_SIZE];
  char robot[ARMDYN_NAME_SIZE]; /* whose deletion it forbids; "" = none */
  char part[ARMDYN_NAME_SIZE];  /* that its arm holds now; "": none */
  char part_at[TIME_SIZE];      /* since when that was said; "": nobody said */
  char *document;
};
void store_controller_release(struct store_controller *controller);
/* name, robot and document in; version, created_at out. EEXISTS; ECONFLICT: no such robot. */
enum armdyn_status store_controller_create(struct store *store, struct store_controller *controller,
                                           const struct store_idempotency *key);
/* If the version is `expected`: ENOTFOUND, ESTALE. */
enum armdyn_status store_controller_update(struct store *store, struct store_controller *controller, int64_t expected);
/* Its arm holds this part of its robot from now on; "": none. Its version stays. ENOTFOUND: no such controller; ECONFLICT: its
 * robot has no such part. */
enum armdyn_status store_controller_hold(struct store *store, const char *name, const char *part);
enum armdyn_status store_controller_get(struct store *store, const char *name, struct store_controller *out);
enum armdyn_status store_controller_delete(struct store *store, const char *name, int64_t expected);
typedef void store_controller_visit(void *context, const struct store_controller *controller);
enum armdyn_status store_controller_list(struct store *store, struct store_query *query, store_controller_visit *visit,
                                         void *context);

/* -- watches: one of a controller -- */
struct store_watch {
  char controller[ARMDYN_NAME_SIZE];
  char started_at[TIME_SIZE];
  char *request;
  char *state; /* what was learnt, as it was kept last; NULL: nothing yet */
};
/* EEXISTS; ECONFLICT: no such controller. */
enum armdyn_status store_watch_create(struct store *store, const struct store_watch *watch);
/* ENOTFOUND. */
enum armdyn_status store_watch_keep(struct store *store, const struct store_watch *watch);
enum armdyn_status store_watch_delete(struct store *store, const char *controller);
typedef void store_watch_visit(void *context, const struct store_watch *watch);
enum armdyn_status store_watch_list(struct store *store, store_watch_visit *visit, void *context);

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
extern const char *const transfer_state_names[TRANSFER_STATE_COUNT + 1]; /* the last one NULL */
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
  char job_order_id[LABEL_SIZE], work_master_id[LABEL_SIZE], equipment_id[LABEL_SIZE]; /* out: of the request */
  char traceparent[TRACE_SIZE];                                                        /* of the request that made it */
  char created_by_name[ARMDYN_NAME_SIZE], reason[STORE_REASON_SIZE]; /* whose key, and why; "": not known, not said */
  /* what people write on it: store_transfer_annotate */
  int64_t version;  /* 1, 2, ...: how often */
  char verdict[16]; /* on the part: "undecided", "good", "scrap"; "" = undecided */
  char *notes;
  char *measured, *unmeasured; /* out: as store_transfer_sum_up was told; both NULL = not yet */
};
void store_transfer_release(struct store_transfer *transfer);
/* All of `transfer` in. EEXISTS; ECONFLICT: no such trajectory. */
enum armdyn_status store_transfer_create(struct store *store, const struct store_transfer *transfer,
                                         const struct store_idempotency *key);
/* Everything but id, controller, trajectory, created_at, request, tags. A final state is never left again (ECONFLICT),
 * and start_sent never taken back. ENOTFOUND. */
enum armdyn_status store_transfer_update(struct store *store, const struct store_transfer *transfer);
/* Keep tags, notes and verdict of `transfer`, which has ended, if its version is still that; its version becomes the next one.
 * ENOTFOUND, ESTALE. */
enum armdyn_status store_transfer_annotate(struct store *store, struct store_transfer *transfer);
/* Claim the one START of a transfer: OK once, ECONFLICT ever after and when the transfer has ended. ENOTFOUND.
 * key: of the request that starts it, kept with the claim; NULL = none. */
enum armdyn_status store_transfer_claim_start(struct store *store, const char *id);
enum armdyn_status store_transfer_claim_start_with(struct store *store, const char *id,
                                                   const struct store_idempotency *key);
enum armdyn_status store_transfer_get(struct store *store, const char *id, struct store_transfer *out);
typedef void store_transfer_visit(void *context, const struct store_transfer *transfer);
/* Rows are without request, history and problem. */
enum armdyn_status store_transfer_list(struct store *store, struct store_query *query, store_transfer_visit *visit,
                                       void *context);
/* As store_job_totals. */
enum armdyn_status store_transfer_totals(struct store *store, const struct store_query *query,
                                         int64_t totals[TRANSFER_STATE_COUNT]);
/* All that have not ended, oldest first: what a crash may have interrupted. */
enum armdyn_status store_transfer_unfinished(struct store *store, store_transfer_visit *visit, void *context);
/* Some that have ended, as has the order of each, and nothing says what was measured, or why nothing was, oldest first: their
 * ids alone. */
enum armdyn_status store_transfer_not_summed_up(struct store *store, size_t most, store_transfer_visit *visit,
                                                void *context);
/* Say it, once and for ever; a transfer that says it already stays as it is.
 *   measured    in  JSON, or NULL
 *   unmeasured  in  why nothing was, or NULL */
enum armdyn_status store_transfer_sum_up(struct store *store, const char *id, const char *measured,
                                         const char *unmeasured);

/* -- orders: from a job order to the motion -- */
enum order_state {
  ORDER_ACCEPTED,
  ORDER_PLANNING,
  ORDER_QUEUED,
  ORDER_LOADING,
  ORDER_READY,
  ORDER_RUNNING,
  ORDER_HELD,
  ORDER_DONE,
  ORDER_STOPPED,
  ORDER_FAILED,
  ORDER_INTERRUPTED,
  ORDER_STATE_COUNT
};
extern const char *const order_state_names[ORDER_STATE_COUNT + 1]; /* the last one NULL */
const char *order_state_name(enum order_state state);
static inline bool order_state_final(enum order_state state)
{
  return state >= ORDER_DONE;
}

enum { STORE_PLAN_KEY_SIZE = 65 };
struct store_order {
  char id[ID_SIZE];
  char controller[ARMDYN_NAME_SIZE];
  enum order_state state;
  int priority;
  bool automatic;                                              /* it starts by itself */
  char created_by[ID_SIZE], created_by_name[ARMDYN_NAME_SIZE]; /* the key */
  char reason[STORE_REASON_SIZE];                              /* why; "": nobody said */
  char started_by[ID_SIZE], started_by_name[ARMDYN_NAME_SIZE]; /* who asked for its start; "": nobody did */
  char created_at[TIME_SIZE], expires_at[TIME_SIZE];           /* automatic: latest moment of its START; "" = none */
  char ready_at[TIME_SIZE], started_at[TIME_SIZE], finished_at[TIME_SIZE];
  char job[ID_SIZE], trajectory[ID_SIZE], transfer[ID_SIZE]; /* "" = none yet; a transfer that is named may not exist */
  char plan_key[STORE_PLAN_KEY_SIZE]; /* a hash of all that its plan depends on; "" = not known yet */
  char *request;                      /* JSON as accepted */
  char *tags;
  char *history; /* JSON list of {"state","at","reason"} */
  char *plan;    /* JSON of what was planned; NULL = nothing yet */
  char *
      sequence; /* JSON of those of its moves that are planned (server/orders/sequence.h); NULL = it has no steps, or none is begun */
  char *problem;                                                                       /* NULL = none */
  char *measured, *unmeasured;                                                         /* out: of its transfer */
  char job_order_id[LABEL_SIZE], work_master_id[LABEL_SIZE], equipment_id[LABEL_SIZE]; /* out: of the request */
  char traceparent[TRACE_SIZE];                                                        /* of the request that made it */
  int64_t changes;                                             /* how often what was ordered was changed */
  char changed_at[TIME_SIZE];                                  /* when last; "": never */
  char changed_by[ID_SIZE], changed_by_name[ARMDYN_NAME_SIZE]; /* by whom: a key */
};
void store_order_release(struct store_order *order);
/* All of `order` in. EEXISTS, ECONFLICT (see store_idempotency). */
enum armdyn_status store_order_create(struct store *store, const struct store_order *order,
                                      const struct store_idempotency *key);
/* What changes of it. A final state is never left again, and a transfer never exchanged for another: ECONFLICT. ENOTFOUND.
 * key: of the request that is the reason, kept with it; NULL = none. */
enum armdyn_status store_order_update(struct store *store, const struct store_order *order,
                                      const struct store_idempotency *key);
/* The same of several, all or none. */
enum armdyn_status store_order_update_all(struct store *store, const struct store_order *orders, size_t count);
/* What was ordered is another now: all of `order` in, with one more of its changes. ECONFLICT: it has a transfer, has ended, or
 * was changed meanwhile; ENOTFOUND. */
enum armdyn_status store_order_change(struct store *store, const struct store_order *order);
enum armdyn_status store_order_get(struct store *store, const char *id, struct store_order *out);
typedef void store_order_visit(void *context, const struct store_order *order);
/* Rows are without history and problem. */
enum armdyn_status store_order_list(struct store *store, struct store_query *query, store_order_visit *visit,
                                    void *context);
/* Delete orders that ended before this time, with what was told of them: at most `most`.
 *   removed  out  how many were deleted */
enum armdyn_status store_orders_clear(struct store *store, const char *ended_before, size_t most, size_t *removed);
/* As store_job_totals. */
enum armdyn_status store_order_totals(struct store *store, const struct store_query *query,
                                      int64_t totals[ORDER_STATE_COUNT]);
/* The newest with this plan_key whose trajectory is still there. ENOTFOUND. */
enum armdyn_status store_order_planned(struct store *store, const char *plan_key, struct store_order *out);
/* The same of a move of an order of several: its trajectory. ENOTFOUND. */
enum armdyn_status store_move_planned(struct store *store, const char *plan_key, char trajectory[ID_SIZE]);
/* An order that had been made before `to` and had not ended before `from`, as long as its visit lasts. */
struct store_shift_order {
  const char *id, *state, *finished_at, *job_order_id;    /* "" = none */
  const char *history, *plan, *measured, *problem, *part; /* NULL = none */
};
/* Anything but OK ends the visits, and is answered. */
typedef enum armdyn_status store_shift_visit(void *context, const struct store_shift_order *order);
/* Those of a controller, the oldest first; from and to as clock_format writes them. */
enum armdyn_status store_shift(struct store *store, const char *controller, const char *from, const char *to,
                               store_shift_visit *visit, void *context);
/* All that have not ended, oldest first. */
enum armdyn_status store_order_unfinished(struct store *store, store_order_visit *visit, void *context);

enum { STORE_BLOCK_SIZE = 256 };
struct store_order_queue {
  char controller[ARMDYN_NAME_SIZE];
  char reason[STORE_BLOCK_SIZE]; /* why it does not go on; "": it does */
  char since[TIME_SIZE];
};
/* As it is from now on.
 *   key  in  of the request that is the reason; NULL = none. ECONFLICT: it is kept already. */
enum armdyn_status store_order_queue_put(struct store *store, const struct store_order_queue *queue,
                                         const struct store_idempotency *key);
typedef void store_order_queue_visit(void *context, const struct store_order_queue *queue);
enum armdyn_status store_order_queue_list(struct store *store, store_order_queue_visit *visit, void *context);

/* -- API keys -- */
enum store_role { STORE_VIEWER, STORE_OPERATOR, STORE_ENGINEER, STORE_ADMIN, STORE_ROLE_COUNT };
const char *store_role_name(enum store_role role);
struct store_api_key {
  char id[ID_SIZE];
  char name[ARMDYN_NAME_SIZE]; /* for people; need not be unique */
  enum store_role role;
  char *motion;  /* controllers that it may move, separated by commas; "*" all; NULL none */
  char hash[65]; /* hexadecimal, of the secret, which is kept nowhere */
  char created_at[TIME_SIZE], expires_at[TIME_SIZE], last_used_at[TIME_SIZE]; /* "" = never */
};
void store_api_key_release(struct store_api_key *key);
/* All of `key` in but created_at and last_used_at. ELIMIT: there are LIMIT_KEYS. */
enum armdyn_status store_api_key_create(struct store *store, struct store_api_key *key,
                                        const struct store_idempotency *once);
enum armdyn_status store_api_key_get(struct store *store, const char *id, struct store_api_key *out);
enum armdyn_status store_api_key_delete(struct store *store, const char *id);
struct store_api_key_use {
  char id[ID_SIZE], last_used_at[TIME_SIZE];
};
enum armdyn_status store_api_key_used(struct store *store, const struct store_api_key_use *use);
typedef void store_api_key_visit(void *context, const struct store_api_key *key);
enum armdyn_status store_api_key_list(struct store *store, struct store_query *query, store_api_key_visit *visit,
                                      void *context);

enum { STORE_SECRET_SIZE = 64, STORE_DELIVERY_ID_SIZE = 56, STORE_EVENT_SIZE = 32 };

/* -- the log of events: what happened, in the order in which it became durable. Rows come by triggers of the schema -- */
struct store_event {
  int64_t number; /* 1, 2, ... */
  char at[TIME_SIZE];
  char type[STORE_EVENT_SIZE];       /* "order.ready" */
  char controller[ARMDYN_NAME_SIZE]; /* of which it is; "" = null, as those below */
  char order_id[ID_SIZE], job[ID_SIZE], transfer[ID_SIZE];
  char alarm[ID_SIZE];
  char job_order_id[LIMIT_TAG + 1];
  char *text; /* why, in words; NULL = null */
};
void store_event_release(struct store_event *event);
typedef void store_event_visit(void *context, const struct store_event *event);
enum armdyn_status store_event_list(struct store *store, struct store_query *query, store_event_visit *visit,
                                    void *context);
enum armdyn_status store_event_get(struct store *store, int64_t number, struct store_event *out);
/* Those behind this number, the oldest first, at most so many. */
enum armdyn_status store_event_after(struct store *store, int64_t number, size_t most, store_event_visit *visit,
                                     void *context);
/* The same of the last ones: of each kind ("order", "queue") of each controller the newest. */
enum armdyn_status store_event_latest(struct store *store, int64_t number, size_t most, store_event_visit *visit,
                                      void *context);
enum armdyn_status store_event_newest(struct store *store, int64_t *number); /* 0: none was ever */
/* How far this reader is; who asks for the first time is at the newest. */
enum armdyn_status store_event_reader(struct store *store, const char *reader, int64_t *number);
enum armdyn_status store_event_has_read(struct store *store, const char *reader, int64_t number);
/* A controller was lost, or is back: an event, unless the last one of it said so. */
enum armdyn_status store_event_sight(struct store *store, const char *controller, bool lost, const char *text);

/* -- alarms: what is wrong and asks for somebody -- */
enum alarm_state { ALARM_ACTIVE, ALARM_ACKNOWLEDGED, ALARM_CLEARED, ALARM_STATE_COUNT };
extern const char *const alarm_state_names[ALARM_STATE_COUNT + 1]; /* the last one NULL */
struct store_alarm {
  char id[ID_SIZE];
  enum alarm_state state; /* of the times below; out */
  char code[32], source[16];
  char controller[ARMDYN_NAME_SIZE]; /* "": of none */
  char text[256];
  char since[TIME_SIZE], until[TIME_SIZE];                            /* until "": it stands */
  char acknowledged_at[TIME_SIZE], acknowledged_by[ARMDYN_NAME_SIZE]; /* name of the key; "": nobody has */
};
typedef void store_alarm_visit(void *context, const struct store_alarm *alarm);
/* All of them as they are, new ones too, or none. At most one of a code and a controller stands. */
enum armdyn_status store_alarms_keep(struct store *store, const struct store_alarm *alarms, size_t count);
/* Who acknowledged it first stays. ENOTFOUND. */
enum armdyn_status store_alarm_acknowledge(struct store *store, const char *id, const char *by,
                                           struct store_alarm *out);
enum armdyn_status store_alarm_get(struct store *store, const char *id, struct store_alarm *out);
enum armdyn_status store_alarm_list(struct store *store, struct store_query *query, store_alarm_visit *visit,
                                    void *context);
/* How many there are in each state, by the conditions of the query. */
enum armdyn_status store_alarm_totals(struct store *store, const struct store_query *query,
                                      int64_t totals[ALARM_STATE_COUNT]);
/* All that stand, the oldest first. */
enum armdyn_status store_alarms_standing(struct store *store, store_alarm_visit *visit, void *context);
/* Delete those that were cleared before this time: at most `most`.
 *   removed  out  how many were deleted */
enum armdyn_status store_alarms_clear(struct store *store, const char *ended_before, size_t most, size_t *removed);

/* -- webhooks, and the outbox of what is told to them: ends of jobs and transfers, states of orders, events -- */
struct store_webhook {
  char name[ARMDYN_NAME_SIZE];
  char url[LIMIT_WEBHOOK_URL + 1];
  char secret[STORE_SECRET_SIZE];        /* "whsec_..." */
  char former_secret[STORE_SECRET_SIZE]; /* "" = none */
  char former_until[TIME_SIZE];          /* it signs, too, as long */
  int64_t version;                       /* its ETag; never used again for this name */
  bool enabled;                          /* else nothing is sent, and what waits goes on waiting */
  char events[256];                      /* JSON: types that it is told of without a request that names it */
  char created_at[TIME_SIZE];
};
/* Is any webhook told of events of any of these types, with commas between ("controller.lost,controller.back")? */
enum armdyn_status store_webhook_hears(struct store *store, const char *types, bool *hears);
/* Name, url, enabled, events and secret in, the rest out. EEXISTS; ELIMIT: there are LIMIT_WEBHOOKS. */
enum armdyn_status store_webhook_create(struct store *store, struct store_webhook *webhook,
                                        const struct store_idempotency *key);
/* Another url, for what waits, too, other events, and whether it is enabled. ENOTFOUND, ESTALE. */
enum armdyn_status store_webhook_update(struct store *store, struct store_webhook *webhook, int64_t expected);
enum armdyn_status store_webhook_get(struct store *store, const char *name, struct store_webhook *out);
/* Another secret; the present one becomes the former one, until former_until. ENOTFOUND. */
enum armdyn_status store_webhook_rotate(struct store *store, struct store_webhook *webhook,
                                        const struct store_idempotency *key);
/* With its deliveries. ENOTFOUND, ESTALE. */
enum armdyn_status store_webhook_delete(struct store *store, const char *name, int64_t expected);
typedef void store_webhook_visit(void *context, const struct store_webhook *webhook);
enum armdyn_status store_webhook_list(struct store *store, struct store_query *query, store_webhook_visit *visit,
                                      void *context);

enum delivery_state { DELIVERY_PENDING, DELIVERY_DELIVERED, DELIVERY_FAILED, DELIVERY_STATE_COUNT };
const char *delivery_state_name(enum delivery_state state);

/* Made by the transaction that ends a job or transfer, or changes the state of an order (triggers of the schema); at most one
 * for each end, one for each such state of an order. */
struct store_delivery {
  char id[STORE_DELIVERY_ID_SIZE]; /* of the job or transfer; of an order with "-1", ...; "event-<number>-..." */
  char job[ID_SIZE], transfer[ID_SIZE], order_id[ID_SIZE]; /* it is one's, and the others' are "" */
  int64_t number;                                          /* or of an event in the log; else 0 */
  char event[STORE_EVENT_SIZE]; /* of an order: the state that it came to; the event's type */
  char webhook[ARMDYN_NAME_SIZE];
  enum delivery_state state;
  int attempts;
  int http_status;                                                    /* of the last attempt; 0 = there was no answer */
  char error[256];                                                    /* of the last attempt; "" = none */
  char created_at[TIME_SIZE], last_at[TIME_SIZE], next_at[TIME_SIZE]; /* "" = null */
};
typedef void store_delivery_visit(void *context, const struct store_delivery *delivery);
/* Those of a job, transfer or order, the oldest first. */
enum armdyn_status store_delivery_list(struct store *store, const char *owner, store_delivery_visit *visit,
                                       void *context);
/* The one of this webhook that is due first. ENOTFOUND. */
enum armdyn_status store_delivery_next(struct store *store, const char *webhook, struct store_delivery *out);
/* Keep how an attempt ended: all but ids, webhook and created_at. ENOTFOUND. */
enum armdyn_status store_delivery_attempted(struct store *store, const struct store_delivery *delivery);
/* How many are still to be delivered. */
enum armdyn_status store_delivery_pending(struct store *store, int64_t *count);
/* All of a job, transfer or order are due now, whatever came of them. ENOTFOUND: there is none. */
enum armdyn_status store_delivery_again(struct store *store, const char *owner);

/* -- audit trail: entries in a chain of hashes, appended and never changed -- */
struct store_audit {
  int64_t number; /* 1, 2, ... without a gap */
  char *line;     /* JSON object */
  char hash[65];  /* hexadecimal SHA-256 of the former hash, this number and this line, a newline between */
};
/* Append one entry for each line. */
enum armdyn_status store_audit_append(struct store *store, const char *const *lines, size_t count);
/* Those that nodes which stand by have left (node_link_note); of a file there are none. */
enum armdyn_status store_audit_collect(struct store *store);
typedef void store_audit_visit(void *context, const struct store_audit *entry);
enum armdyn_status store_audit_list(struct store *store, struct store_query *query, store_audit_visit *visit,
                                    void *context);
/* All entries from the first on, in bounded memory, each held against its hash.
 *   visit  in   NULL = only verify
 *   last   out  the last entry that is sound: number (0: none) and hash
 * OK; EINPUT with a message that names the first entry that was changed, or is missing. */
enum armdyn_status store_audit_verify(struct store *store, store_audit_visit *visit, void *context,
                                      struct store_audit *last, struct armdyn_error *error);

#endif
