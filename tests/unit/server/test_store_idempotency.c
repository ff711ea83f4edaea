#include <sqlite3.h>

#include "store_fixture.h"

TestSuite(idempotency, .init = setup, .fini = teardown);

static const unsigned char body[32] = { 1, 2, 3 }, other_body[32] = { 1, 2, 4 };

static void expect(const char *scope, const char *expected)
{
  char *href;
  OK(store_idempotency_find(store, &(struct store_idempotency){ scope, body, false }, &href));
  cr_assert_str_eq(href, expected);
  free(href);
  IS(store_idempotency_find(store, &(struct store_idempotency){ scope, other_body, false }, &href), ECONFLICT);
  cr_assert_str_eq(href, expected);
  free(href);
}

static void expect_new(const char *scope)
{
  char *href;
  IS(store_idempotency_find(store, &(struct store_idempotency){ scope, body, false }, &href), ENOTFOUND);
  cr_assert_null(href);
}

Test(idempotency, every_creation_keeps_its_key_through_restarts)
{
  char job_href[64], transfer_href[64];
  struct store_robot robot = a_robot("puma560");
  OK(store_robot_create(store, &robot, &(struct store_idempotency){ "k POST /v1/robots 1", body, false }));
  struct store_controller controller = { .name = "cell-4", .document = "{}" };
  OK(store_controller_create(store, &controller,
                             &(struct store_idempotency){ "k POST /v1/controllers 1", body, false }));
  struct store_job job = a_job("puma560", 1);
  OK(store_job_create(store, &job, &(struct store_idempotency){ "k POST job 1", body, false }));
  struct store_result result = a_result(&job);
  OK(store_result_create(store, &result, &job));
  struct store_transfer transfer = a_transfer("cell-4", result.id);
  OK(store_transfer_create(store, &transfer, &(struct store_idempotency){ "k POST transfer 1", body, false }));
  snprintf(job_href, sizeof job_href, "/v1/jobs/%s", job.id);
  snprintf(transfer_href, sizeof transfer_href, "/v1/transfers/%s", transfer.id);
  for (int i = 0; i < 2; i++) {
    expect("k POST /v1/robots 1", "/v1/robots/puma560");
    expect("k POST /v1/controllers 1", "/v1/controllers/cell-4");
    expect("k POST job 1", job_href);
    expect("k POST transfer 1", transfer_href);
    expect_new("k POST /v1/robots 2");
    reopen();
  }
}

Test(idempotency, a_second_creation_with_the_key_creates_nothing)
{
  struct store_idempotency key = { "scope", body, false };
  struct store_robot first = a_robot("a"), second = a_robot("b"), got;
  OK(store_robot_create(store, &first, &key));
  IS(store_robot_create(store, &second, &key), ECONFLICT);
  IS(store_robot_get(store, "b", 0, &got), ENOTFOUND);
  expect("scope", "/v1/robots/a");
}

Test(idempotency, a_refused_creation_keeps_no_key)
{
  struct store_robot robot = a_robot("a");
  OK(store_robot_create(store, &robot, NULL));
  IS(store_robot_create(store, &robot, &(struct store_idempotency){ "scope", body, false }), EEXISTS);
  expect_new("scope");
}

/* Makes all entries older, while the store is closed. */
static void age(int64_t ms)
{
  sqlite3 *db;
  char path[PATH_MAX + 20], text[100];
  snprintf(path, sizeof path, "%s/armdyn.db", temporary);
  cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
  snprintf(text, sizeof text, "UPDATE idempotency SET created_ms = created_ms - %lld", (long long)ms);
  cr_assert_eq(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

static int64_t entries(void)
{
  sqlite3 *db;
  sqlite3_stmt *statement;
  char path[PATH_MAX + 20];
  snprintf(path, sizeof path, "%s/armdyn.db", temporary);
  cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
  cr_assert_eq(sqlite3_prepare_v2(db, "SELECT count(*) FROM idempotency", -1, &statement, NULL), SQLITE_OK);
  cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
  int64_t count = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return count;
}

enum { HOUR_MS = 3600 * 1000 };

Test(idempotency, entries_live_24_hours)
{
  struct store_robot robot = a_robot("a");
  OK(store_robot_create(store, &robot, &(struct store_idempotency){ "scope", body, false }));
  store_close(store);
  age(24 * HOUR_MS - 60000);
  open_store();
  expect("scope", "/v1/robots/a");
  store_close(store);
  age(120000);
  cr_assert_eq(entries(), 1);
  open_store(); /* prunes */
  expect_new("scope");
  store_close(store);
  cr_assert_eq(entries(), 0);
  open_store();
}
