/* The queue of jobs, held against the rule as the manual has it, applied to a plain list of all jobs. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "server/jobs/internal.h"
#include "tests/support/robots.h"

enum { JOBS = 400, KEYS = 4, ROBOTS = 3 };

/* -- the rule, word for word -- */

struct plain {
  struct live_job *job; /* NULL: it has ended */
  int key, robot;
  bool running;
};

static struct plain plain[JOBS];
static int known;
static uint64_t turns, key_turn[KEYS], robot_turn[ROBOTS];

static size_t running_of(bool of_key, int who)
{
  size_t count = 0;
  for (int k = 0; k < known; k++)
    count += plain[k].job && plain[k].running && (of_key ? plain[k].key : plain[k].robot) == who;
  return count;
}

/* Somebody new stands beside the one that has waited longest. */
static void come(bool of_key, int who, uint64_t *turn, int job)
{
  uint64_t least = turns;
  for (int k = 0; k < job; k++) {
    if (!plain[k].job) continue;
    const int other = of_key ? plain[k].key : plain[k].robot;
    if (other == who) return;
    if (!plain[k].running && !plain[k].job->held && turn[other] < least) least = turn[other];
  }
  turn[who] = least;
}

static bool goes_first(const struct plain *a, const struct plain *b)
{
  if (a->job->priority != b->job->priority) return a->job->priority > b->job->priority;
  const size_t keys[2] = { running_of(true, a->key), running_of(true, b->key) };
  if (keys[0] != keys[1]) return keys[0] < keys[1];
  if (key_turn[a->key] != key_turn[b->key]) return key_turn[a->key] < key_turn[b->key];
  const size_t robots[2] = { running_of(false, a->robot), running_of(false, b->robot) };
  if (robots[0] != robots[1]) return robots[0] < robots[1];
  if (robot_turn[a->robot] != robot_turn[b->robot]) return robot_turn[a->robot] < robot_turn[b->robot];
  return a < b;
}

static struct plain *due(const struct jobs *jobs)
{
  struct plain *first = NULL;
  for (struct plain *p = plain; p < plain + known; p++) {
    if (!p->job || p->running || p->job->held) continue;
    if (jobs->running_most && running_of(true, p->key) >= jobs->running_most) continue;
    if (!first || goes_first(p, first)) first = p;
  }
  return first;
}

/* -- both -- */

static void open_queue(struct jobs *jobs, size_t running_most)
{
  *jobs = (struct jobs){ .running_most = running_most, .runner_count = 1 };
  pthread_mutex_init(&jobs->lock, NULL);
  condition_init(&jobs->changed);
  condition_init(&jobs->waiters_changed);
  cr_assert_eq(live_open(jobs, 16), ARMDYN_OK); /* few slots, so that jobs share them */
  known = 0;
  turns = 0;
}

static struct live_job *append(struct jobs *jobs, int key, int robot, int priority, int64_t deadline_ns)
{
  char names[SHARINGS][16];
  struct live_job *job = calloc(1, sizeof *job);
  cr_assert(job && known < JOBS);
  snprintf(job->id, sizeof job->id, "job-%d", known);
  snprintf(names[OF_KEY], sizeof *names, "%d", key); /* a key may be called as a robot is */
  snprintf(names[OF_ROBOT], sizeof *names, "%d", robot);
  job->priority = priority;
  job->deadline_ns = deadline_ns;
  cr_assert_eq(live_append(jobs, job, names[OF_KEY], names[OF_ROBOT]), ARMDYN_OK);
  come(true, key, key_turn, known);
  come(false, robot, robot_turn, known);
  plain[known++] = (struct plain){ .job = job, .key = key, .robot = robot };
  return job;
}

static struct live_job *start(struct jobs *jobs)
{
  struct plain *expected = due(jobs);
  cr_assert_eq(live_due(jobs), expected != NULL);
  struct live_job *job = live_start(jobs);
  cr_assert_eq(job, expected ? expected->job : NULL, "job %td", expected ? expected - plain : -1);
  if (!expected) return NULL;
  expected->running = true;
  key_turn[expected->key] = robot_turn[expected->robot] = ++turns;
  return job;
}

static void end(struct jobs *jobs, struct plain *p)
{
  live_remove(jobs, p->job);
  free(p->job);
  p->job = NULL;
}

static void check_counts(const struct jobs *jobs)
{
  size_t live = 0, running = 0, waiting[KEYS] = { 0 };
  int64_t nearest = INT64_MAX;
  for (const struct plain *p = plain; p < plain + known; p++) {
    char id[ID_SIZE];
    snprintf(id, sizeof id, "job-%td", p - plain);
    cr_assert_eq(live_find(jobs, id), p->job);
    if (!p->job) continue;
    live++;
    running += p->running;
    waiting[p->key] += !p->running;
    if (!p->job->held && !p->job->cancelled && p->job->deadline_ns < nearest) nearest = p->job->deadline_ns;
  }
  cr_assert_eq(jobs->live, live);
  cr_assert_eq(jobs->running, running);
  const struct live_job *first = deadlines_first(jobs);
  cr_assert_eq(first ? first->deadline_ns : INT64_MAX, nearest);
  for (int k = 0; k < KEYS; k++) {
    char key[16];
    snprintf(key, sizeof key, "%d", k);
    cr_assert_eq(live_waiting(jobs, key), waiting[k]);
  }
}

static struct dice dice;

static int draw(int most)
{
  return (int)dice_uniform(&dice, 0, most - 1e-9);
}

Test(jobs_queue, next_is_who_the_rule_names)
{
  for (unsigned seed = 1; seed <= 12; seed++) {
    struct jobs jobs;
    open_queue(&jobs, seed % 3);
    dice = (struct dice){ seed };
    for (int step = 0; step < 1000; step++) {
      struct plain *p = known ? &plain[draw(known)] : NULL;
      const int what = draw(10);
      if (what < 4 && known < JOBS)
        append(&jobs, draw(KEYS) * draw(2), draw(ROBOTS), draw(2) * draw(3) - 1, draw(3) ? INT64_MAX : draw(1000));
      else if (what < 6)
        start(&jobs);
      else if (!p || !p->job)
        continue;
      else if (what < 8 && p->running)
        end(&jobs, p);
      else if (what == 8 && p->running) /* its worker was lost */
        live_rest(&jobs, p->job), p->running = false;
      else if (!p->running)
        live_hold(&jobs, p->job, !p->job->held);
      check_counts(&jobs);
    }
    live_close(&jobs);
  }
}

Test(jobs_queue, positions_come_true)
{
  for (unsigned seed = 1; seed <= 6; seed++) {
    struct jobs jobs;
    size_t told[JOBS];
    open_queue(&jobs, seed % 2);
    dice = (struct dice){ seed };
    for (int k = 0; k < 60; k++) append(&jobs, draw(KEYS), draw(ROBOTS), draw(4) ? 0 : draw(3), INT64_MAX);
    struct live_job *runs = start(&jobs), *held = plain[draw(60)].job;
    if (held != runs) live_hold(&jobs, held, true);
    for (int k = 0; k < 60; k++) told[k] = live_position(&jobs, plain[k].job);
    for (size_t position = 1; runs; position++) {
      struct plain *p = plain;
      while (p->job != runs) p++;
      end(&jobs, p);
      runs = start(&jobs);
      for (int k = 0; k < 60; k++)
        if (runs && plain[k].job == runs) cr_assert_eq(told[k], position, "seed %u", seed);
    }
    cr_assert_eq(jobs.live, held->held);
    live_close(&jobs);
  }
}

Test(jobs_queue, one_of_a_hundred_thousand)
{
  struct jobs jobs;
  open_queue(&jobs, 0);
  for (int k = 0; k < 100000; k++) {
    known = 0;
    append(&jobs, 0, 0, 0, INT64_MAX);
    if (k == 99999) cr_assert_eq(live_position(&jobs, jobs.groups->last), 100000);
  }
  struct live_job *first = live_start(&jobs);
  cr_assert_eq(first->number, 1);
  cr_assert_eq(live_position(&jobs, first), 0);
  cr_assert_eq(live_position(&jobs, jobs.groups->last), 99999);
  live_close(&jobs);
}

Test(jobs_queue, an_empty_one_closes)
{
  struct jobs jobs;
  open_queue(&jobs, 0);
  cr_assert_null(live_start(&jobs));
  cr_assert_null(live_find(&jobs, "job-0"));
  cr_assert_eq(live_waiting(&jobs, "0"), 0);
  live_close(&jobs);
}
