#include "store_fixture.h"

static void setup_with_robot(void)
{
  setup();
  struct store_robot robot = a_robot("r");
  OK(store_robot_create(store, &robot, NULL));
}

TestSuite(jobs, .init = setup_with_robot, .fini = teardown);

Test(jobs, are_kept_as_accepted)
{
  struct store_job job = a_job("r", 1), got;
  job.tags = "{\"part\":\"A7\"}";
  job.state = JOB_RUNNING; /* never stored */
  snprintf(job.owner, sizeof job.owner, "admin");
  OK(store_job_create(store, &job, NULL));
  IS(store_job_create(store, &job, NULL), EEXISTS);
  reopen();
  OK(store_job_get(store, job.id, &got));
  cr_assert_str_eq(got.id, job.id);
  cr_assert_str_eq(got.kind, "trajectory");
  cr_assert_str_eq(got.robot, "r");
  cr_assert_str_eq(got.owner, "admin");
  cr_assert_eq(got.revision, 1);
  cr_assert_eq(got.state, JOB_QUEUED);
  cr_assert_eq(got.attempt, 0);
  cr_assert_str_eq(got.created_at, job.created_at);
  cr_assert_str_eq(got.started_at, "");
  cr_assert_str_eq(got.finished_at, "");
  cr_assert_str_eq(got.result_id, "");
  cr_assert_str_eq(got.request, job.request);
  cr_assert_str_eq(got.tags, job.tags);
  cr_assert_str_eq(got.attempts, "[]");
  cr_assert_null(got.problem);
  store_job_release(&got);
  IS(store_job_get(store, "01ARZ3NDEKTSV4RRFFQ69G5FAV", &got), ENOTFOUND);
}

Test(jobs, a_retry_keeps_how_the_attempt_ended)
{
  struct store_job job = a_job("r", 1), got;
  OK(store_job_create(store, &job, NULL));
  job.attempt = 1;
  job.attempts = "[{\"attempt\":1,\"reason\":\"signal 9\"}]";
  memcpy(job.started_at, job.created_at, sizeof job.started_at);
  OK(store_job_retry(store, &job));
  OK(store_job_get(store, job.id, &got));
  cr_assert_eq(got.state, JOB_QUEUED);
  cr_assert_eq(got.attempt, 1);
  cr_assert_str_eq(got.attempts, job.attempts);
  cr_assert_str_eq(got.started_at, job.created_at);
  store_job_release(&got);
  id_make(job.id);
  IS(store_job_retry(store, &job), ENOTFOUND);
}

Test(jobs, end_once)
{
  static const enum job_state ends[] = { JOB_FAILED, JOB_CANCELLED };
  for (size_t i = 0; i < COUNT(ends); i++) {
    struct store_job job = a_job("r", 1), got;
    struct store_result result = a_result(&job);
    IS(store_job_end(store, &job), EINPUT); /* queued is no end */
    job.state = ends[i];
    IS(store_job_end(store, &job), ENOTFOUND);
    OK(store_job_create(store, &job, NULL));
    job.problem = "{\"status\":422}";
    memcpy(job.finished_at, job.created_at, sizeof job.finished_at);
    OK(store_job_end(store, &job));
    OK(store_job_get(store, job.id, &got));
    cr_assert_eq(got.state, ends[i]);
    cr_assert_str_eq(got.problem, job.problem);
    cr_assert_str_eq(got.finished_at, job.created_at);
    store_job_release(&got);
    IS(store_job_end(store, &job), ECONFLICT);
    IS(store_job_retry(store, &job), ECONFLICT);
    IS(store_result_create(store, &result, &job), ECONFLICT);
    struct store_result none;
    IS(store_result_get(store, "trajectory", result.id, &none), ENOTFOUND); /* all or nothing */
  }
}

struct ids {
  size_t count;
  char id[64][ID_SIZE];
};

static void note(void *context, const struct store_job *job)
{
  struct ids *ids = context;
  cr_assert_lt(ids->count, 64);
  cr_assert(!job->request || !strcmp(job->request, "{\"duration\":1}")); /* lists leave it out */
  memcpy(ids->id[ids->count++], job->id, ID_SIZE);
}

static void same(const struct ids *got, const struct ids *expected)
{
  cr_assert_eq(got->count, expected->count, "%zu, not %zu", got->count, expected->count);
  for (size_t i = 0; i < got->count; i++) cr_assert_str_eq(got->id[i], expected->id[i]);
}

/* -- lists, held against loops -- */

enum { JOBS = 24, WAITS = 1 << JOB_QUEUED, RUNS = 1 << JOB_RUNNING };
static struct store_job jobs[JOBS]; /* of two kinds and robots, in states of which JOB_RUNNING is known here alone */
static char running[JOBS * ID_SIZE];

static void store_jobs(void)
{
  size_t length = 0;
  for (size_t i = 0; i < JOBS; i++) {
    jobs[i] = a_job(i % 2 ? "r" : "s", 1);
    if (i % 3 == 0) snprintf(jobs[i].kind, sizeof jobs[i].kind, "excitation");
    OK(store_job_create(store, &jobs[i], NULL));
    jobs[i].state = i % 4 == 0 ? JOB_FAILED : i % 4 == 1 ? JOB_CANCELLED : i % 4 == 2 ? JOB_RUNNING : JOB_QUEUED;
    if (jobs[i].state == JOB_RUNNING)
      length += (size_t)snprintf(running + length, sizeof running - length, ",%s", jobs[i].id);
    else if (jobs[i].state != JOB_QUEUED)
      OK(store_job_end(store, &jobs[i]));
  }
}

static bool meets(const struct store_job *job, const char *kind, const char *robot, unsigned states)
{
  return (!kind || !strcmp(kind, job->kind)) && (!robot || !strcmp(robot, job->robot)) &&
         (!states || states >> job->state & 1);
}

static void ask_states(struct store_query *query, unsigned states)
{
  for (enum job_state state = 0; state < JOB_STATE_COUNT; state++)
    if (states >> state & 1 && state != JOB_QUEUED && state != JOB_RUNNING)
      query->states[query->state_count++].name = job_state_name(state);
  if (!(states & (WAITS | RUNS))) return;
  const bool all = (states & WAITS) && (states & RUNS);
  query->states[query->state_count++] =
      (struct store_state){ job_state_name(JOB_QUEUED), all ? NULL : running, .except = states & WAITS };
}

/* By what is not sorted otherwise, in the order in which they were made. */
static void check_list(const char *kind, const char *robot, unsigned states, const char *sort, const char *search)
{
  struct store_query query = query_of(5, COLUMNS(COLUMN("kind", kind), COLUMN("robot", robot)));
  struct ids expected = { 0 }, got = { 0 };
  ask_states(&query, states);
  query.sort = sort, query.search = search, query.ascending = states % 2;
  for (size_t i = 0; i < JOBS; i++) {
    const struct store_job *job = &jobs[query.ascending ? i : JOBS - 1 - i];
    if (meets(job, kind, robot, states)) memcpy(expected.id[expected.count++], job->id, ID_SIZE);
  }
  do OK(store_job_list(store, &query, note, &got));
  while (query.more);
  same(&got, &expected);
}

static void check_totals(const char *kind, const char *robot)
{
  struct store_query query = query_of(0, COLUMNS(COLUMN("kind", kind), COLUMN("robot", robot)));
  int64_t expected[JOB_STATE_COUNT] = { 0 }, got[JOB_STATE_COUNT];
  for (size_t i = 0; i < JOBS; i++) expected[jobs[i].state] += meets(&jobs[i], kind, robot, 0);
  expected[JOB_QUEUED] += expected[JOB_RUNNING], expected[JOB_RUNNING] = 0;
  OK(store_job_totals(store, &query, got));
  for (int state = 0; state < JOB_STATE_COUNT; state++) cr_assert_eq(got[state], expected[state]);
}

Test(jobs, list_by_kind_robot_and_any_states)
{
  static const char *const kinds[] = { NULL, "trajectory", "excitation", "none" };
  static const char *const robots[] = { NULL, "r", "s", "none" };
  store_jobs();
  for (size_t k = 0; k < COUNT(kinds); k++)
    for (size_t r = 0; r < COUNT(robots); r++) {
      check_totals(kinds[k], robots[r]);
      for (unsigned states = 0; states < 1u << JOB_STATE_COUNT; states++)
        check_list(kinds[k], robots[r], states, states % 3 ? NULL : "priority", states % 5 ? NULL : "0");
    }
}

Test(jobs, new_ones_do_not_move_a_page)
{
  struct ids expected = { 0 }, got = { 0 };
  for (size_t i = 10; i-- > 0;) {
    struct store_job job = a_job("r", 1);
    OK(store_job_create(store, &job, NULL));
    memcpy(expected.id[i], job.id, ID_SIZE);
  }
  expected.count = 10;
  struct store_query all = { .limit = 3 };
  while (got.count < 10) {
    OK(store_job_list(store, &all, note, &got));
    struct store_job job = a_job("r", 1);
    OK(store_job_create(store, &job, NULL));
  }
  same(&got, &expected);
}

Test(jobs, queued_ones_oldest_first)
{
  struct ids expected = { 0 }, got = { 0 };
  for (int i = 0; i < 8; i++) {
    struct store_job job = a_job("r", 1);
    OK(store_job_create(store, &job, NULL));
    job.state = JOB_FAILED;
    if (i % 3 == 0)
      OK(store_job_end(store, &job));
    else
      memcpy(expected.id[expected.count++], job.id, ID_SIZE);
  }
  reopen();
  OK(store_job_queued(store, "", 3, note, &got));
  OK(store_job_queued(store, got.id[2], 0, note, &got));
  same(&got, &expected);
}

Test(jobs, states_have_names)
{
  static const char *const names[JOB_STATE_COUNT] = { "queued", "running", "succeeded", "failed", "cancelled" };
  for (int i = 0; i < JOB_STATE_COUNT; i++) cr_assert_str_eq(job_state_name((enum job_state)i), names[i]);
}
