/* What a page of a list costs does not grow with what there is: the steps that SQLite takes for it are counted. */
#include <sqlite3.h>
#include <stdatomic.h>

#include "store_fixture.h"

enum { FEW = 100, MANY = 3000, PAGE = 20 };

static _Atomic int64_t steps;

static int count_steps(unsigned what, void *context, void *statement, void *time)
{
  (void)what, (void)context, (void)time;
  steps += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
  return 0;
}

static int watch(sqlite3 *db)
{
  return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, count_steps, NULL);
}

static void setup_watched(void)
{
  sqlite3_auto_extension((void (*)(void))watch);
  setup();
}

TestSuite(steps, .init = setup_watched, .fini = teardown);

#define LIST(kind, function)                                                                                           \
  static void see_##kind(void *context, const struct store_##kind *row)                                                \
  {                                                                                                                    \
    (void)context, (void)row;                                                                                          \
  }                                                                                                                    \
  static enum armdyn_status list_##kind(struct store_query *query)                                                     \
  {                                                                                                                    \
    return function(store, query, see_##kind, NULL);                                                                   \
  }
LIST(robot, store_robot_list)
LIST(job, store_job_list)
LIST(result, store_result_list)
LIST(transfer, store_transfer_list)
LIST(dataset, store_dataset_list)
LIST(audit, store_audit_list)

static enum armdyn_status list_revision(struct store_query *query)
{
  return store_robot_revisions(store, "r", query, see_robot, NULL);
}

/* Rows ?1 to ?2 like the one that is there. */
#define MORE(table, columns, values)                                                                                   \
  "WITH RECURSIVE n (i) AS (VALUES (?1) UNION ALL SELECT i + 1 FROM n WHERE i < ?2) INSERT INTO " table " (" columns   \
  ") SELECT " values " FROM n, (SELECT * FROM " table " LIMIT 1)"

#define MORE_REVISIONS(number)                                                                                         \
  MORE("robot_revisions", "name, revision, created_at, unphysical, document",                                          \
       "name, " number ", created_at, unphysical, document")

static const struct {
  enum armdyn_status (*list)(struct store_query *query);
  const char *sort, *more;
} lists[] = {
  { list_robot, "name", MORE_REVISIONS("i") },
  { list_revision, "revision", MORE_REVISIONS("i + 10000") },
  { list_job, "created_at",
    MORE("jobs", "id, kind, robot, revision, state, created_at, request, tags, attempts",
         "printf('%026d', i), kind, robot, revision, state, created_at, request, tags, attempts") },
  { list_result, "created_at",
    MORE("results", "id, kind, job, robot, revision, created_at, tags",
         "printf('%026d', i), kind, job, robot, revision, created_at, tags") },
  { list_result, "label",
    MORE("results", "id, kind, job, robot, revision, created_at, tags, label",
         "printf('L%025d', i), kind, job, robot, revision, created_at, tags, 'l' || i") },
  { list_result, "robot",
    MORE("results", "id, kind, job, robot, revision, created_at, tags",
         "printf('R%025d', i), kind, job, robot, revision, created_at, tags") },
  { list_job, "kind",
    MORE("jobs", "id, kind, robot, revision, state, created_at, request, tags, attempts",
         "printf('K%025d', i), kind, robot, revision, state, created_at, request, tags, attempts") },
  { list_job, "started_at",
    MORE("jobs", "id, kind, robot, revision, state, created_at, request, tags, attempts, started_at",
         "printf('S%025d', i), kind, robot, revision, state, created_at, request, tags, attempts, created_at") },
  { list_job, "finished_at",
    MORE("jobs", "id, kind, robot, revision, state, created_at, request, tags, attempts, finished_at",
         "printf('F%025d', i), kind, robot, revision, state, created_at, request, tags, attempts, created_at") },
  { list_job, "priority",
    MORE("jobs", "id, kind, robot, revision, state, created_at, request, tags, attempts",
         "printf('P%025d', i), kind, robot, revision, state, created_at, request, tags, attempts") },
  { list_transfer, "created_at",
    MORE("transfers", "id, controller, trajectory, state, sent, total, start_sent, created_at, request, tags, history",
         "printf('%026d', i), controller, trajectory, state, sent, total, 0, created_at, request, tags, history") },
  { list_dataset, "created_at",
    MORE("datasets",
         "id, robot, revision, version, created_at, label, samples, sha256, figures, conditions, tags, notes,"
         " job_order_id, work_master_id, equipment_id",
         "printf('%026d', i), robot, revision, version, created_at, label, samples, sha256, figures, conditions, tags,"
         " notes, job_order_id, work_master_id, equipment_id") },
  { list_audit, "number", MORE("audit", "number, line, hash", "i, line, hash") },
};

static void grow(const char *more, int first, int last)
{
  char path[STORE_PATH_SIZE];
  sqlite3 *db;
  sqlite3_stmt *statement;
  OK(store_file(temporary, path, NULL));
  cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
  cr_assert_eq(sqlite3_prepare_v2(db, more, -1, &statement, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
  sqlite3_bind_int(statement, 1, first);
  sqlite3_bind_int(statement, 2, last);
  cr_assert_eq(sqlite3_step(statement), SQLITE_DONE, "%s", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

static int64_t steps_of_a_page(size_t i)
{
  struct store_query query = { .sort = lists[i].sort, .limit = PAGE };
  if (lists[i].list == list_result)
    query.filters[query.filter_count++] = (struct store_filter)COLUMN("kind", "trajectory");
  steps = 0;
  OK(lists[i].list(&query));
  return steps;
}

Test(steps, a_page_of_much_takes_no_more_than_one_of_little)
{
  struct store_result motion = stored_result();
  struct store_transfer transfer = a_transfer("cell", motion.id);
  struct store_dataset dataset = { .robot = "r", .revision = 1, .figures = "{}", .samples = 1 };
  OK(store_transfer_create(store, &transfer, NULL));
  id_make(dataset.id);
  memset(dataset.sha256, 'a', STORE_SHA256_SIZE - 1);
  OK(store_dataset_create(store, &dataset, NULL));
  OK(store_audit_append(store, &(const char *){ "{}" }, 1));
  for (size_t i = 0; i < COUNT(lists); i++) {
    grow(lists[i].more, 2, FEW);
    const int64_t before = steps_of_a_page(i);
    grow(lists[i].more, FEW + 1, MANY);
    const int64_t after = steps_of_a_page(i);
    cr_assert_gt(before, 0);
    cr_assert_lt(after, 2 * before, "list %zu by %s: %jd steps, then %jd", i, lists[i].sort, (intmax_t)before,
                 (intmax_t)after);
  }
}

/* Searching for a text that no row has. */
static int64_t steps_of_a_search(const char *text)
{
  struct store_query query = { .sort = "created_at", .limit = PAGE, .search = text };
  query.filters[query.filter_count++] = (struct store_filter)COLUMN("kind", "trajectory");
  steps = 0;
  OK(list_result(&query));
  return steps;
}

Test(steps, what_is_nowhere_is_sought_in_an_index)
{
  stored_result();
  grow(lists[3].more, 2, FEW);
  const int64_t before = steps_of_a_search("nowhere");
  grow(lists[3].more, FEW + 1, MANY);
  const int64_t after = steps_of_a_search("nowhere");
  cr_assert_gt(before, 0);
  cr_assert_lt(after, 2 * before, "%jd steps, then %jd", (intmax_t)before, (intmax_t)after);
}

static int64_t rows_seen;

static void see_marked(void *context, const struct store_job *row)
{
  (void)context;
  rows_seen += !strcmp(row->reason, "zq");
}

/* Nothing is found sooner for a text of two letters: a page looks at so many rows and no more, and the pages are all. */
Test(steps, a_page_of_a_search_looks_at_so_many_rows)
{
  enum { SOME = 12000, MUCH = 30000 };
  struct store_query query = { .sort = "created_at", .limit = PAGE, .search = "zq" };
  stored_result();
  grow(lists[2].more, 2, SOME);
  steps = 0;
  OK(store_job_list(store, &query, see_job, NULL));
  const int64_t before = steps;
  cr_assert(query.more, "rows that were not looked at");
  grow(lists[2].more, SOME + 1, MUCH);
  grow("UPDATE jobs SET reason = 'zq' WHERE id LIKE '%7777' AND rowid BETWEEN ?1 AND ?2", 0, MUCH * 2);
  for (int ascending = 0; ascending < 2; ascending++) {
    query = (struct store_query){ .sort = "created_at", .limit = PAGE, .search = "zq", .ascending = ascending };
    size_t pages = 0;
    rows_seen = 0;
    do {
      steps = 0;
      OK(store_job_list(store, &query, see_marked, NULL));
      cr_assert_lt(steps, 2 * before, "%jd steps, and %jd of fewer rows", (intmax_t)steps, (intmax_t)before);
      pages++;
    } while (query.more);
    cr_assert_eq(rows_seen, 3, "%jd rows", (intmax_t)rows_seen);
    cr_assert_eq(pages, 4, "%zu pages", pages);
  }
}

/* A list with one condition that few rows meet, or all. */
static int64_t steps_where(enum armdyn_status (*list)(struct store_query *), struct store_filter filter)
{
  struct store_query query = { .sort = "created_at", .limit = PAGE };
  if (list == list_result) query.filters[query.filter_count++] = (struct store_filter)COLUMN("kind", "trajectory");
  query.filters[query.filter_count++] = filter;
  steps = 0;
  OK(list(&query));
  return steps;
}

Test(steps, conditions_are_sought_in_an_index)
{
  const struct store_filter nobodys = COLUMN("robot", "nobody"), own = COLUMN("robot", "r"),
                            pinned = { .name = "pinned", .number = 1 }, succeeded = COLUMN("state", "succeeded");
  stored_result();
  grow(lists[2].more, 2, MANY);
  grow(lists[3].more, 2, MANY);
  cr_assert_lt(steps_where(list_result, nobodys), MANY);
  cr_assert_lt(steps_where(list_result, own), MANY);
  cr_assert_lt(steps_where(list_result, pinned), MANY);
  cr_assert_lt(steps_where(list_job, succeeded), MANY);
}

/* Jobs by kind, robot and state, of which there are two each; the last waits, the one before it runs. */
#define RUNNING ",00000000000000000000000002,"
static const struct store_query of_jobs[] = {
  { .filters = { COLUMN("robot", "r") }, .filter_count = 1 },
  { .filters = { COLUMN("kind", "trajectory") }, .filter_count = 1 },
  { .filters = { COLUMN("robot", "r"), COLUMN("kind", "trajectory") }, .filter_count = 2 },
  { .filters = { COLUMN("robot", "r") }, .filter_count = 1, .states = { { .name = "failed" } }, .state_count = 1 },
  { .filters = { COLUMN("kind", "trajectory") },
    .filter_count = 1,
    .states = { { .name = "failed" } },
    .state_count = 1 },
  { .states = { { .name = "succeeded" }, { .name = "queued" } }, .state_count = 2 },
  { .states = { { .name = "succeeded" }, { .name = "queued", .ids = RUNNING } }, .state_count = 2 },
  { .states = { { .name = "failed" }, { .name = "queued", .ids = RUNNING } }, .state_count = 2 },
  { .states = { { .name = "queued", .ids = RUNNING } }, .state_count = 1 },
  { .states = { { .name = "queued", .ids = RUNNING, .except = true } }, .state_count = 1 },
};

static void measure_jobs(int64_t of_page[COUNT(of_jobs)], int64_t of_totals[COUNT(of_jobs)])
{
  int64_t totals[JOB_STATE_COUNT];
  for (size_t i = 0; i < COUNT(of_jobs); i++) {
    struct store_query query = of_jobs[i];
    query.limit = PAGE;
    steps = 0;
    OK(list_job(&query));
    of_page[i] = steps;
    query.state_count = 0;
    steps = 0;
    OK(store_job_totals(store, &query, totals));
    of_totals[i] = steps;
  }
}

Test(steps, pages_and_totals_of_jobs_by_kind_robot_and_states)
{
  static const char more[] = MORE(
      "jobs", "id, kind, robot, revision, state, created_at, request, tags, attempts",
      "printf('%026d', i), kind, robot, revision, CASE i % 2 WHEN 0 THEN 'queued' ELSE 'succeeded' END, created_at,"
      " request, tags, attempts");
  int64_t before[2][COUNT(of_jobs)], after[2][COUNT(of_jobs)];
  stored_result();
  grow(more, 2, FEW);
  measure_jobs(before[0], before[1]);
  grow(more, FEW + 1, MANY);
  measure_jobs(after[0], after[1]);
  for (size_t i = 0; i < COUNT(of_jobs); i++)
    for (size_t k = 0; k < 2; k++)
      cr_assert_lt(after[k][i], 2 * before[k][i], "%s %zu: %jd steps, then %jd", k ? "totals" : "page", i,
                   (intmax_t)before[k][i], (intmax_t)after[k][i]);
}
