#include <sqlite3.h>

#include "store_fixture.h"

TestSuite(robots, .init = setup, .fini = teardown);

Test(robots, create_get_and_survive_a_restart)
{
  struct store_robot robot = a_robot("puma560"), got;
  robot.unphysical = true;
  OK(store_robot_create(store, &robot, NULL));
  cr_assert_eq(robot.revision, 1);
  cr_assert_gt(clock_parse(robot.created_at), 0);
  reopen();
  for (int64_t revision = 0; revision <= 1; revision++) {
    OK(store_robot_get(store, "puma560", revision, &got));
    cr_assert_str_eq(got.name, "puma560");
    cr_assert_eq(got.revision, 1);
    cr_assert_str_eq(got.created_at, robot.created_at);
    cr_assert_str_eq(got.document, robot.document);
    cr_assert(got.unphysical);
    cr_assert_not(got.archived);
    store_robot_release(&got);
    store_robot_release(&got); /* harmless */
  }
  IS(store_robot_get(store, "puma", 0, &got), ENOTFOUND);
  IS(store_robot_get(store, "puma560", 2, &got), ENOTFOUND);
  IS(store_robot_create(store, &robot, NULL), EEXISTS);
}

Test(robots, a_name_is_needed)
{
  struct store_robot robot = a_robot("");
  IS(store_robot_create(store, &robot, NULL), EINPUT);
  robot = a_robot("x");
  robot.document = NULL;
  IS(store_robot_create(store, &robot, NULL), EINPUT);
  IS(store_robot_get(store, "x", 0, &robot), ENOTFOUND);
}

Test(robots, updates_make_revisions_that_never_change)
{
  struct store_robot robot = a_robot("a"), got;
  OK(store_robot_create(store, &robot, NULL));
  struct store_robot second = a_robot("a");
  second.document = "{\"second\":true}";
  IS(store_robot_update(store, &second, 2), ESTALE);
  OK(store_robot_update(store, &second, 1));
  cr_assert_eq(second.revision, 2);
  IS(store_robot_update(store, &second, 1), ESTALE);
  OK(store_robot_get(store, "a", 0, &got));
  cr_assert_str_eq(got.document, second.document);
  store_robot_release(&got);
  OK(store_robot_get(store, "a", 1, &got));
  cr_assert_str_eq(got.document, robot.document);
  store_robot_release(&got);
  second = a_robot("b");
  IS(store_robot_update(store, &second, 1), ENOTFOUND);
}

/* Run a statement while the store is closed. */
static void alter(const char *text)
{
  sqlite3 *db;
  char path[PATH_MAX + 20];
  store_close(store);
  snprintf(path, sizeof path, "%s/armdyn.db", temporary);
  cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
  cr_assert_eq(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
  open_store();
}

Test(robots, are_promoted_with_their_alias_or_not_at_all)
{
  struct store_robot robot = a_robot("a");
  struct store_alias alias = { .robot = "a", .alias = "production" }, got;
  struct store_idempotency key = { "scope", (const unsigned char *)"01234567890123456789012345678901", false };
  char *href;
  OK(store_robot_create(store, &robot, NULL));
  alter("CREATE TRIGGER full BEFORE INSERT ON robot_aliases BEGIN SELECT RAISE(ABORT, 'no'); END");
  cr_assert_neq(store_robot_promote(store, &robot, 1, &alias, &key), ARMDYN_OK);
  IS(store_robot_get(store, "a", 2, &robot), ENOTFOUND);
  IS(store_idempotency_find(store, &key, &href), ENOTFOUND);
  alter("DROP TRIGGER full");
  robot = a_robot("a");
  OK(store_robot_promote(store, &robot, 1, &alias, &key));
  OK(store_idempotency_find(store, &key, &href));
  cr_assert_str_eq(href, "/v1/robots/a/revisions/2");
  free(href);
  OK(store_alias_get(store, "a", "production", &got));
  cr_assert_eq(got.revision, 2);
}

Test(robots, deleted_names_go_on_counting)
{
  struct store_robot robot = a_robot("a"), got;
  OK(store_robot_create(store, &robot, NULL));
  OK(store_robot_update(store, &robot, 1));
  IS(store_robot_delete(store, "a", 1, false), ESTALE);
  OK(store_robot_delete(store, "a", 2, false));
  IS(store_robot_delete(store, "a", 2, false), ENOTFOUND);
  for (int64_t revision = 0; revision <= 2; revision++) IS(store_robot_get(store, "a", revision, &got), ENOTFOUND);
  OK(store_robot_create(store, &robot, NULL));
  cr_assert_eq(robot.revision, 3);
}

Test(robots, archived_is_hidden_and_kept)
{
  struct store_result result = stored_result();
  struct store_robot got, again = a_robot("r");
  IS(store_robot_delete(store, "r", 1, false), ECONFLICT);
  OK(store_robot_delete(store, "r", 1, true));
  IS(store_robot_get(store, "r", 0, &got), ENOTFOUND);
  OK(store_robot_get(store, "r", 1, &got));
  cr_assert(got.archived);
  store_robot_release(&got);
  IS(store_robot_update(store, &again, 1), ENOTFOUND);
  IS(store_robot_delete(store, "r", 1, true), ENOTFOUND);
  struct store_result kept;
  OK(store_result_get(store, "trajectory", result.id, &kept));
  store_result_release(&kept);
  OK(store_robot_create(store, &again, NULL));
  cr_assert_eq(again.revision, 2);
  OK(store_robot_get(store, "r", 0, &got));
  cr_assert_not(got.archived);
  store_robot_release(&got);
}

Test(robots, are_held_by_queued_jobs_and_controllers)
{
  struct store_robot robot = a_robot("r");
  OK(store_robot_create(store, &robot, NULL));
  struct store_job job = a_job("r", 1);
  OK(store_job_create(store, &job, NULL));
  IS(store_robot_delete(store, "r", 1, false), ECONFLICT);
  job.state = JOB_CANCELLED;
  OK(store_job_end(store, &job));
  struct store_controller controller = { .name = "cell-4", .robot = "r", .document = "{}" };
  OK(store_controller_create(store, &controller, NULL));
  IS(store_robot_delete(store, "r", 1, false), ECONFLICT);
  OK(store_controller_delete(store, "cell-4", 1));
  OK(store_robot_delete(store, "r", 1, false));
}

struct names {
  size_t count;
  char name[64][ARMDYN_NAME_SIZE];
  int64_t revision[64];
};

static void note(void *context, const struct store_robot *robot)
{
  struct names *names = context;
  cr_assert_null(robot->document);
  cr_assert_lt(names->count, 64);
  names->revision[names->count] = robot->revision;
  memcpy(names->name[names->count++], robot->name, sizeof robot->name);
  struct store_robot got; /* a visitor may use the store */
  OK(store_robot_get(store, robot->name, 0, &got));
  store_robot_release(&got);
}

Test(robots, list_pages_by_name_while_others_come_and_go)
{
  char name[ARMDYN_NAME_SIZE];
  for (int i = 9; i >= 0; i--) {
    snprintf(name, sizeof name, "robot-%d", i);
    struct store_robot robot = a_robot(name);
    OK(store_robot_create(store, &robot, NULL));
  }
  struct names names = { 0 };
  struct store_query query = { .sort = "name", .ascending = true, .limit = 4 };
  OK(store_robot_list(store, &query, note, &names));
  cr_assert_eq(names.count, 4);
  /* Behind the cursor nothing moves the rest of the list. */
  struct store_robot early = a_robot("aaa"), late = a_robot("robot-55");
  OK(store_robot_create(store, &early, NULL));
  OK(store_robot_create(store, &late, NULL));
  OK(store_robot_delete(store, "robot-2", 1, false));
  OK(store_robot_delete(store, "robot-7", 1, true));
  OK(store_robot_update(store, &late, 1));
  for (query.limit = 2; query.more;) OK(store_robot_list(store, &query, note, &names));
  static const char *const expected[] = { "robot-0", "robot-1",  "robot-2", "robot-3", "robot-4",
                                          "robot-5", "robot-55", "robot-6", "robot-8", "robot-9" };
  cr_assert_eq(names.count, COUNT(expected), "%zu", names.count);
  for (size_t i = 0; i < COUNT(expected); i++) cr_assert_str_eq(names.name[i], expected[i]);
  cr_assert_eq(names.revision[6], 2);
}

Test(robots, revisions_newest_first)
{
  struct store_robot robot = a_robot("a"), other = a_robot("b");
  OK(store_robot_create(store, &robot, NULL));
  OK(store_robot_create(store, &other, NULL));
  for (int64_t i = 1; i < 12; i++) OK(store_robot_update(store, &robot, i));
  struct names names = { 0 };
  struct store_query query = { .sort = "revision", .limit = 5 };
  OK(store_robot_revisions(store, "a", &query, note, &names));
  cr_assert(query.more);
  cr_assert_str_eq(query.key.id, "8");
  query.limit = 0; /* all that are left */
  OK(store_robot_revisions(store, "a", &query, note, &names));
  cr_assert(!query.more);
  cr_assert_eq(names.count, 12);
  for (int i = 0; i < 12; i++) cr_assert_eq(names.revision[i], 12 - i);
}
