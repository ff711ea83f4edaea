/* Lists of orders: held against a loop over what was put in, and none of them reads rows that it does not answer. */
#include <sqlite3.h>
#include <stdlib.h>

#include "store_fixture.h"
#include "tests/support/sanitized.h"

enum { ROWS = 60, STATEMENTS_MOST = 512 };

/* -- what the store asks of SQLite, as SQLite says -- */

static char *statements[STATEMENTS_MOST];
static size_t statement_count;

static int note_statement(unsigned what, void *context, void *statement, void *text)
{
  (void)what, (void)context, (void)text;
  const char *asked = sqlite3_sql(statement);
  if (strncmp(asked, "SELECT sorted", 13) || strstr(asked, "FROM orders") == NULL) return 0;
  cr_assert_lt(statement_count, STATEMENTS_MOST);
  statements[statement_count++] = strdup(asked);
  return 0;
}

static int watch(sqlite3 *db, char **message, const struct sqlite3_api_routines *routines)
{
  (void)message, (void)routines;
  return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, note_statement, NULL);
}

static void setup_watched(void)
{
  sqlite3_auto_extension((void (*)(void))watch);
  setup();
}

static void teardown_watched(void)
{
  teardown();
  sqlite3_reset_auto_extension();
}

TestSuite(orders, .init = setup_watched, .fini = teardown_watched);

/* -- rows -- */

struct known {
  char id[ID_SIZE], created_at[TIME_SIZE], finished_at[TIME_SIZE], controller[16], label[3][16], request[160];
  enum order_state state;
  unsigned number;
};
static struct known rows[ROWS];

static void store_one(struct known *row, struct store_order *ended, unsigned i)
{
  static char tags[] = "{}", history[] = "[]";
  struct store_order order = { .request = row->request, .tags = tags, .history = history };
  static const enum order_state states[] = { ORDER_ACCEPTED, ORDER_DONE, ORDER_STOPPED, ORDER_DONE, ORDER_FAILED };
  row->state = states[i % COUNT(states)];
  id_make(row->id);
  snprintf(row->created_at, sizeof row->created_at, "2026-11-22T00:%02u:00.000Z", i / 3 % 60);
  if (order_state_final(row->state))
    snprintf(row->finished_at, sizeof row->finished_at, "2026-11-22T01:%02u:00.000Z", i * 7 % 60);
  snprintf(row->controller, sizeof row->controller, "cell-%u", i % 4);
  for (unsigned k = 0; k < 3; k++) snprintf(row->label[k], sizeof row->label[k], "L-%u", i % (k + 2));
  snprintf(row->request, sizeof row->request,
           "{\"job_order_id\":\"%s\",\"work_master_id\":\"%s\",\"equipment_id\":\"%s\"}", row->label[0], row->label[1],
           row->label[2]);
  memcpy(order.id, row->id, sizeof order.id);
  memcpy(order.created_at, row->created_at, sizeof order.created_at);
  snprintf(order.controller, sizeof order.controller, "%s", row->controller);
  snprintf(order.created_by, sizeof order.created_by, "key");
  snprintf(order.created_by_name, sizeof order.created_by_name, "M-%u", i % 2);
  snprintf(order.reason, sizeof order.reason, "R-%u", i % 3);
  row->number = i;
  OK(store_order_create(store, &order, NULL));
  order.state = row->state;
  memcpy(order.finished_at, row->finished_at, sizeof order.finished_at);
  *ended = order;
}

static void store_rows(void)
{
  static struct store_order ended[ROWS];
  for (unsigned i = 0; i < ROWS; i++) store_one(&rows[i], &ended[i], i);
  OK(store_order_update_all(store, ended, ROWS));
}

/* -- conditions, and what they leave by our own loop -- */

enum {
  CONTROLLER,
  STATE,
  CREATED_FROM,
  CREATED_BEFORE,
  FINISHED_FROM,
  FINISHED_BEFORE,
  LABEL,
  LABELS_LAST = LABEL + 2,
  REASON,
  MAKER,
  CONDITIONS
};

static const struct store_filter filters[CONDITIONS] = {
  [CONTROLLER] = COLUMN("controller", "cell-1"),
  [STATE] = { .name = "state", .match = STORE_ONE_OF, .text = "failed,done" },
  [CREATED_FROM] = { .name = "created_at", .match = STORE_AT_LEAST, .text = "2026-11-22T00:05:00.000Z" },
  [CREATED_BEFORE] = { .name = "created_at", .match = STORE_BELOW, .text = "2026-11-22T00:30:00.000Z" },
  [FINISHED_FROM] = { .name = "finished_at", .match = STORE_AT_LEAST, .text = "2026-11-22T01:07:00.000Z" },
  [FINISHED_BEFORE] = { .name = "finished_at", .match = STORE_BELOW, .text = "2026-11-22T01:49:00.000Z" },
  [LABEL] = COLUMN("job_order_id", "L-1"),
  [LABEL + 1] = COLUMN("work_master_id", "L-1"),
  [LABELS_LAST] = COLUMN("equipment_id", "L-1"),
  [REASON] = COLUMN("reason", "R-1"),
  [MAKER] = COLUMN("created_by_name", "M-1"),
};

static bool meets(const struct known *row, unsigned conditions)
{
  const bool met[CONDITIONS] = {
    !strcmp(row->controller, "cell-1"),
    row->state == ORDER_FAILED || row->state == ORDER_DONE,
    strcmp(row->created_at, filters[CREATED_FROM].text) >= 0,
    strcmp(row->created_at, filters[CREATED_BEFORE].text) < 0,
    *row->finished_at && strcmp(row->finished_at, filters[FINISHED_FROM].text) >= 0,
    *row->finished_at && strcmp(row->finished_at, filters[FINISHED_BEFORE].text) < 0,
    !strcmp(row->label[0], "L-1"),
    !strcmp(row->label[1], "L-1"),
    !strcmp(row->label[2], "L-1"),
    row->number % 3 == 1,
    row->number % 2 == 1,
  };
  for (unsigned k = 0; k < CONDITIONS; k++)
    if (conditions >> k & 1 && !met[k]) return false;
  return true;
}

static const char *sorted_by;
static int compare(const void *a, const void *b)
{
  const struct known *x = *(const struct known *const *)a, *y = *(const struct known *const *)b;
  const bool finished = !strcmp(sorted_by, "finished_at");
  const int c = finished ? strcmp(x->finished_at, y->finished_at) : strcmp(x->created_at, y->created_at);
  return c ? c : strcmp(x->id, y->id);
}

struct got {
  char id[ROWS][ID_SIZE];
  size_t count;
};

static void note_order(void *context, const struct store_order *order)
{
  struct got *got = context;
  cr_assert_lt(got->count, ROWS);
  memcpy(got->id[got->count++], order->id, ID_SIZE);
}

static void list(unsigned conditions, const char *sort, bool ascending)
{
  static struct got got;
  const struct known *expected[ROWS];
  size_t count = 0;
  struct store_query query = { .limit = 7, .sort = sort, .ascending = ascending };
  for (unsigned k = 0; k < CONDITIONS; k++)
    if (conditions >> k & 1) query.filters[query.filter_count++] = filters[k];
  got.count = 0;
  do OK(store_order_list(store, &query, note_order, &got));
  while (query.more);
  for (size_t i = 0; i < ROWS; i++)
    if (meets(&rows[i], conditions)) expected[count++] = &rows[i];
  sorted_by = sort;
  qsort(expected, count, sizeof *expected, compare);
  cr_assert_eq(got.count, count, "conditions %x by %s: %zu, not %zu", conditions, sort, got.count, count);
  for (size_t i = 0; i < count; i++)
    cr_assert_str_eq(got.id[i], expected[ascending ? i : count - 1 - i]->id, "conditions %x by %s", conditions, sort);
}

/* The totals count what the conditions leave. */
static void count_states(unsigned conditions)
{
  struct store_query query = { .limit = 7 };
  int64_t totals[ORDER_STATE_COUNT], expected[ORDER_STATE_COUNT] = { 0 };
  for (unsigned k = 0; k < CONDITIONS; k++)
    if (conditions >> k & 1) query.filters[query.filter_count++] = filters[k];
  OK(store_order_totals(store, &query, totals));
  for (size_t i = 0; i < ROWS; i++) expected[rows[i].state] += meets(&rows[i], conditions);
  for (int state = 0; state < ORDER_STATE_COUNT; state++)
    cr_assert_eq(totals[state], expected[state], "conditions %x: %lld are %s, not %lld", conditions,
                 (long long)totals[state], order_state_name((enum order_state)state), (long long)expected[state]);
}

/* -- how they are found -- */

/* Each page is found in an index that alone tells which rows are its, or among the few of a label, a reason or a maker; only
 * then its rows are read. Sorted by the end, it is found where that index has it: the end of nearly every order meets nearly
 * every condition. */
static void check_plan(const char *statement)
{
  const bool narrow =
      strstr(statement, "_id = ") || strstr(statement, "reason = ") || strstr(statement, "created_by_name = ");
  const bool finished = strstr(statement, "coalesce(finished_at, '') AS sorted") != NULL;
  char *text = NULL, *path = NULL;
  sqlite3 *db;
  sqlite3_stmt *plan;
  cr_assert_geq(asprintf(&path, "%s/armdyn.db", temporary), 0);
  cr_assert_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
  cr_assert_geq(asprintf(&text, "EXPLAIN QUERY PLAN %s", statement), 0);
  cr_assert_eq(sqlite3_prepare_v2(db, text, -1, &plan, NULL), SQLITE_OK, "%s: %s", sqlite3_errmsg(db), statement);
  while (sqlite3_step(plan) == SQLITE_ROW) {
    const char *step = (const char *)sqlite3_column_text(plan, 3);
    if (!strstr(step, " orders ") || strstr(step, "sqlite_autoindex_orders_1 (id=?)")) continue;
    if (narrow)
      cr_assert(strstr(step, "_id=?") || strstr(step, "(reason=?") || strstr(step, "(created_by_name=?"), "%s of %s",
                step, statement);
    else
      cr_assert(strstr(step, finished ? " COVERING INDEX orders_finished" : " COVERING INDEX "), "%s of %s", step,
                statement);
  }
  sqlite3_finalize(plan);
  sqlite3_close(db);
  free(path);
  free(text);
}

Test(orders, lists_with_any_conditions_read_no_rows_but_those_they_answer)
{
  store_rows();
  for (unsigned conditions = 0; conditions < 1u << CONDITIONS;
       conditions += conditions < 1u << LABEL && !SANITIZED ? 1 : 37) {
    statement_count = 0;
    for (int way = 0; way < 4; way++) list(conditions, way & 2 ? "finished_at" : "created_at", way & 1);
    count_states(conditions);
    cr_assert_gt(statement_count, 0);
    for (size_t i = 0; i < statement_count; free(statements[i++])) check_plan(statements[i]);
  }
}
