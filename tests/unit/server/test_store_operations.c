/* Operations of one transaction, of which some fail, early or late: held against a model of sets. In a file, or, by
 * tests/postgresql/test_pipeline.py, in the database that ARMDYN_STORE names, where statements are sent together. */
#include <criterion/criterion.h>

#include "server/store/sql.h"
#include "temporary.h"

enum { NUMBERS = 200, OPERATIONS = 40, STEPS = 6, ROUNDS = 60 };
#define OK(call) cr_assert_eq(call, ARMDYN_OK)

static struct sql *sql;

static void start(void)
{
  char path[PATH_MAX + 20];
  const char *address = getenv("ARMDYN_STORE");
  struct armdyn_error error = { "", "" };
  temporary_make();
  snprintf(path, sizeof path, "%s/test.db", temporary);
  cr_assert_eq(sql_open(address ? address : path, SQL_WRITE, &sql, &error), ARMDYN_OK, "%s", error.message);
  OK(sql_script(
      sql, "DROP TABLE IF EXISTS numbers; CREATE TABLE numbers (n " SQL_EITHER("INTEGER", "bigint") " PRIMARY KEY)"));
}

static void end(void)
{
  sql_close(sql);
  temporary_remove();
}

TestSuite(operations, .init = start, .fini = end);

static unsigned draw(unsigned *seed, unsigned below)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

/* Either way of adding a number: sent, or waited for. */
static enum armdyn_status add(int64_t n, bool wait)
{
  static const char text[] = "INSERT INTO numbers (n) VALUES (?)";
  const struct values values = VALUES(value_integer(n));
  return wait ? sql_run(sql, text, values, NULL) : sql_send(sql, text, values);
}

static int64_t count(void)
{
  int64_t n = -1;
  OK(sql_number(sql, "SELECT count(*) FROM numbers", NO_VALUES, &n));
  return n;
}

/* One operation and what it is to lead to. `there` is the model. */
struct operation {
  enum armdyn_status expected, status;
};

static void operate(struct operation *o, bool *there, unsigned *seed)
{
  bool own[NUMBERS] = { false };
  enum armdyn_status status = ARMDYN_OK;
  OK(sql_savepoint(sql));
  o->expected = ARMDYN_OK;
  for (unsigned steps = draw(seed, STEPS + 1); steps > 0; steps--) {
    const unsigned n = draw(seed, NUMBERS);
    if (!o->expected && (there[n] || own[n])) o->expected = ARMDYN_EEXISTS;
    if (!o->expected) own[n] = true;
    if (!status) status = add(n, draw(seed, 4) == 0);
  }
  if (!o->expected && draw(seed, 8) == 0) { /* it thinks better of it */
    o->expected = ARMDYN_ESTALE;
    if (!status) status = ARMDYN_ESTALE;
  }
  o->status = status;
  if (status)
    OK(sql_undo(sql));
  else
    OK(sql_release(sql, &o->status));
  for (int n = 0; n < NUMBERS; n++) there[n] |= own[n] && !o->expected;
}

Test(operations, each_fails_for_itself_and_all_others_are_kept)
{
  unsigned seed = 20261128, failed = 0;
  for (int round = 0; round < ROUNDS; round++) {
    struct operation all[OPERATIONS] = { { ARMDYN_OK, ARMDYN_OK } };
    bool there[NUMBERS] = { false };
    int64_t expected = 0;
    OK(sql_script(sql, "DELETE FROM numbers"));
    OK(sql_begin(sql));
    for (int i = 0; i < OPERATIONS; i++) operate(&all[i], there, &seed);
    OK(sql_commit(sql));
    for (int i = 0; i < OPERATIONS; i++) {
      cr_assert_eq(all[i].status, all[i].expected, "round %d, operation %d", round, i);
      failed += all[i].expected != ARMDYN_OK;
    }
    for (int n = 0; n < NUMBERS; n++) expected += there[n];
    cr_assert_eq(count(), expected);
  }
  cr_assert_gt(failed, ROUNDS * OPERATIONS / 4);
}

Test(operations, a_failure_is_known_when_it_is_asked_for)
{
  enum armdyn_status first = ARMDYN_OK, second = ARMDYN_OK;
  OK(sql_begin(sql));
  OK(sql_savepoint(sql));
  OK(add(1, false));
  OK(sql_release(sql, &first));
  OK(sql_savepoint(sql));
  if (add(1, false) == ARMDYN_OK)
    OK(sql_release(sql, &second));
  else
    OK(sql_undo(sql));
  OK(sql_savepoint(sql));
  cr_assert_eq(count(), 1); /* by the third, which the second's failure does not touch */
  OK(sql_release(sql, &first));
  OK(sql_settle(sql));
  cr_assert_eq(first, ARMDYN_OK);
  sql_rollback(sql);
  cr_assert(!sql_in_transaction(sql));
  cr_assert_eq(count(), 0);
}

Test(operations, more_than_is_sent_at_once)
{
  enum armdyn_status status = ARMDYN_OK;
  OK(sql_begin(sql));
  OK(sql_savepoint(sql));
  for (int64_t n = 0; n < 3000; n++) OK(add(n, false));
  OK(sql_release(sql, &status));
  OK(sql_commit(sql));
  cr_assert_eq(status, ARMDYN_OK);
  cr_assert_eq(count(), 3000);
}
