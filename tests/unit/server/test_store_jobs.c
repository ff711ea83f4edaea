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

/* 24 jobs of two kinds, two robots, three states, against a filter in the test. */
Test(jobs, list_filters_and_pages)
{
  struct store_job jobs[24];
  for (size_t i = 0; i < COUNT(jobs); i++) {
    jobs[i] = a_job(i % 2 ? "r" : "s", 1);
    if (i % 3 == 0) snprintf(jobs[i].kind, sizeof jobs[i].kind, "excitation");
    OK(store_job_create(store, &jobs[i], NULL));
    jobs[i].state = i % 4 == 0 ? JOB_FAILED : i % 4 == 1 ? JOB_CANCELLED : JOB_QUEUED;
    if (jobs[i].state != JOB_QUEUED) OK(store_job_end(store, &jobs[i]));
  }
  static const char *const kinds[] = { NULL, "trajectory", "excitation", "none" };
  static const char *const names[] = { NULL, "r", "s", "none" };
  static const int states[] = { -1, JOB_QUEUED, JOB_FAILED, JOB_CANCELLED, JOB_SUCCEEDED };
  for (size_t k = 0; k < COUNT(kinds); k++)
    for (size_t r = 0; r < COUNT(names); r++)
      for (size_t s = 0; s < COUNT(states); s++) {
        int state = states[s];
        const char *state_name = state < 0 ? NULL : job_state_name((enum job_state)state);
        struct store_query query =
            query_of(5, COLUMNS(COLUMN("kind", kinds[k]), COLUMN("robot", names[r]), COLUMN("state", state_name)));
        struct ids expected = { 0 }, got = { 0 };
        for (size_t i = COUNT(jobs); i-- > 0;)
          if ((!kinds[k] || !strcmp(kinds[k], jobs[i].kind)) && (!names[r] || !strcmp(names[r], jobs[i].robot)) &&
              (state < 0 || state == (int)jobs[i].state))
            memcpy(expected.id[expected.count++], jobs[i].id, ID_SIZE);
        do OK(store_job_list(store, &query, note, &got));
        while (query.more);
        same(&got, &expected);
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
