/* A fresh store for every test, and one of everything to put into it. */
#ifndef TESTS_UNIT_SERVER_STORE_FIXTURE_H
#define TESTS_UNIT_SERVER_STORE_FIXTURE_H

#include <criterion/criterion.h>

#include "server/store/store.h"
#include "temporary.h"

static struct store *store;

#define OK(call)         cr_assert_eq(call, ARMDYN_OK)
#define IS(call, status) cr_assert_eq(call, ARMDYN_##status)
#define COUNT(array)     (sizeof(array) / sizeof *(array))

/* Conditions that columns of a list must equal; those with a NULL text are left out. */
#define COLUMNS(...) ((const struct store_filter[]){ __VA_ARGS__, { .name = NULL } })
#define COLUMN(column, value)                                                                                          \
  {                                                                                                                    \
    .name = column, .text = value                                                                                      \
  }
static inline struct store_query query_of(size_t limit, const struct store_filter *filters)
{
  struct store_query query = { .limit = limit };
  for (; filters->name; filters++)
    if (filters->text) query.filters[query.filter_count++] = *filters;
  return query;
}

static inline void open_store(void)
{
  struct armdyn_error error = { "", "" };
  cr_assert_eq(store_open(temporary, &store, &error), ARMDYN_OK, "%s", error.message);
}

static inline void setup(void)
{
  temporary_make();
  open_store();
}

static inline void teardown(void)
{
  store_close(store);
  store = NULL;
  temporary_remove();
}

static inline void reopen(void)
{
  store_close(store);
  open_store();
}

static inline struct store_robot a_robot(const char *name)
{
  static char document[] = "{\"name\":\"r\"}";
  struct store_robot robot = { .document = document };
  snprintf(robot.name, sizeof robot.name, "%s", name);
  return robot;
}

static inline struct store_job a_job(const char *robot, int64_t revision)
{
  static char request[] = "{\"duration\":1}";
  struct store_job job = { .kind = "trajectory", .revision = revision, .request = request };
  snprintf(job.robot, sizeof job.robot, "%s", robot);
  id_make(job.id);
  clock_format(clock_wall_ms(), job.created_at);
  memcpy(job.finished_at, job.created_at, sizeof job.finished_at); /* of its end */
  return job;
}

static inline struct store_result a_result(const struct store_job *job)
{
  static char document[] = "{\"method\":\"quintic\"}";
  struct store_result result = { .kind = "trajectory", .revision = job->revision, .document = document };
  id_make(result.id);
  memcpy(result.job, job->id, sizeof result.job);
  memcpy(result.robot, job->robot, sizeof result.robot);
  memcpy(result.created_at, job->created_at, sizeof result.created_at);
  return result;
}

/* Robot "r" if need be, a job and its result, all stored. */
static inline struct store_result stored_result(void)
{
  struct store_robot robot = a_robot("r");
  enum armdyn_status status = store_robot_create(store, &robot, NULL);
  cr_assert(status == ARMDYN_OK || status == ARMDYN_EEXISTS);
  struct store_job job = a_job("r", 1);
  struct store_result result = a_result(&job);
  OK(store_job_create(store, &job, NULL));
  OK(store_result_create(store, &result, &job));
  return result;
}

static inline struct store_transfer a_transfer(const char *controller, const char *trajectory)
{
  static char request[] = "{\"rate\":250}";
  struct store_transfer transfer = { .total = 100, .request = request };
  id_make(transfer.id);
  snprintf(transfer.controller, sizeof transfer.controller, "%s", controller);
  snprintf(transfer.trajectory, sizeof transfer.trajectory, "%s", trajectory);
  clock_format(clock_wall_ms(), transfer.created_at);
  return transfer;
}

#endif
