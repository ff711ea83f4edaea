/* The jobs that have not ended, in memory: who is next, and how they leave. A job is found by a hash of its id, and the
 * next one by looking at groups, of which there are as many as keys, robots and priorities meet. */
#include <signal.h>
#include <stdlib.h>

#include "server/base/log.h"
#include "server/jobs/internal.h"
#include "server/jobs/sharing.h"

/* -- tables -- */

enum armdyn_status live_open(struct jobs *jobs, size_t most)
{
  for (jobs->slots = 64; jobs->slots < most; jobs->slots *= 2) {
  }
  jobs->by_id = calloc(jobs->slots, sizeof(struct live_job *));
  jobs->parties = calloc(jobs->slots, sizeof(struct party *));
  return jobs->by_id && jobs->parties ? ARMDYN_OK : ARMDYN_EMEMORY;
}

/* FNV-1a */
static size_t slot_of(const struct jobs *jobs, const char *text)
{
  uint64_t hash = UINT64_C(14695981039346656037);
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
  return (size_t)(hash ^ hash >> 32) & (jobs->slots - 1);
}

struct live_job *live_find(const struct jobs *jobs, const char *id)
{
  struct live_job *job = jobs->by_id[slot_of(jobs, id)];
  while (job && strcmp(job->id, id) != 0) job = job->same_slot;
  return job;
}

static struct party *party_find(const struct jobs *jobs, enum sharing sharing, const char *name)
{
  struct party *party = jobs->parties[slot_of(jobs, name)];
  while (party && (party->sharing != sharing || strcmp(party->name, name) != 0)) party = party->next;
  return party;
}

/* Who is new takes his turn beside the one that has waited longest: neither before it, or who submits one job after the other
 * would hold up a queue, nor behind it. */
static struct party *party_make(struct jobs *jobs, enum sharing sharing, const char *name)
{
  struct party *party = calloc(1, sizeof *party), **slot = &jobs->parties[slot_of(jobs, name)];
  if (!party) return NULL;
  *party = (struct party){ .next = *slot, .sharing = sharing, .share = { .turn = jobs->turn } };
  snprintf(party->name, sizeof party->name, "%s", name);
  for (const struct group *group = jobs->turn ? jobs->groups : NULL; group; group = group->next) {
    const uint64_t turn = group->parties[sharing]->share.turn;
    if (group->waiting && turn < party->share.turn) party->share.turn = turn;
  }
  return *slot = party;
}

/* It goes with its last job. */
static void party_leave(struct jobs *jobs, struct party *party)
{
  if (party->live) return;
  struct party **at = &jobs->parties[slot_of(jobs, party->name)];
  while (*at != party) at = &(*at)->next;
  *at = party->next;
  free(party);
}

static void group_leave(struct jobs *jobs, struct group *group)
{
  if (group->live) return;
  *group->at = group->next;
  if (group->next) group->next->at = group->at;
  for (enum sharing s = 0; s < SHARINGS; s++) {
    struct group **at = &group->parties[s]->groups;
    while (*at != group) at = &(*at)->of_party[s];
    *at = group->of_party[s];
    party_leave(jobs, group->parties[s]);
  }
  free(group);
}

static struct group *group_make(struct jobs *jobs, int priority, struct party *const parties[SHARINGS])
{
  struct group *group = calloc(1, sizeof *group);
  if (!group) return NULL;
  *group = (struct group){ .next = jobs->groups, .at = &jobs->groups, .priority = priority };
  if (group->next) group->next->at = &group->next;
  jobs->groups = group;
  for (enum sharing s = 0; s < SHARINGS; s++) {
    group->parties[s] = parties[s];
    group->of_party[s] = parties[s]->groups;
    parties[s]->groups = group;
  }
  return group;
}

/* NULL: there is no memory. */
static struct group *group_of(struct jobs *jobs, int priority, const char *const names[SHARINGS])
{
  struct party *parties[SHARINGS];
  struct group *group = NULL;
  bool known = true;
  for (enum sharing s = 0; s < SHARINGS; s++) {
    parties[s] = party_find(jobs, s, names[s]);
    if (!parties[s]) parties[s] = party_make(jobs, s, names[s]);
    known = known && parties[s];
  }
  if (known) group = parties[OF_ROBOT]->groups;
  while (group && (group->priority != priority || group->parties[OF_KEY] != parties[OF_KEY]))
    group = group->of_party[OF_ROBOT];
  if (known && !group) group = group_make(jobs, priority, parties);
  for (enum sharing s = 0; !group && s < SHARINGS; s++)
    if (parties[s]) party_leave(jobs, parties[s]);
  return group;
}

const char *live_robot(const struct live_job *job)
{
  return job->group->parties[OF_ROBOT]->name;
}

/* -- lists by age -- */

/* Behind those that are older, of which few are behind where it belongs. */
static void join(struct live_job **first, struct live_job **last, struct live_job *job, bool from_behind)
{
  struct live_job *before = from_behind ? *last : NULL, *after = from_behind ? NULL : *first;
  while (before && before->number > job->number) before = (after = before)->previous;
  while (after && after->number < job->number) after = (before = after)->next;
  job->previous = before;
  job->next = after;
  *(before ? &before->next : first) = job;
  *(after ? &after->previous : last) = job;
}

static void leave(struct live_job **first, struct live_job **last, struct live_job *job)
{
  *(job->previous ? &job->previous->next : first) = job->next;
  *(job->next ? &job->next->previous : last) = job->previous;
  job->next = job->previous = NULL;
}

enum armdyn_status live_append(struct jobs *jobs, struct live_job *job, const char *key, const char *robot)
{
  const char *const names[SHARINGS] = { [OF_KEY] = key, [OF_ROBOT] = robot };
  enum armdyn_status status = deadlines_make_room(jobs, jobs->live + 1);
  struct group *group = status ? NULL : group_of(jobs, job->priority, names);
  if (!group) return ARMDYN_EMEMORY;
  struct live_job **slot = &jobs->by_id[slot_of(jobs, job->id)];
  job->same_slot = *slot;
  *slot = job;
  job->group = group;
  job->number = ++jobs->accepted;
  join(&group->first, &group->last, job, true);
  group->live++;
  group->waiting += !job->held;
  for (enum sharing s = 0; s < SHARINGS; s++) group->parties[s]->live++;
  jobs->live++;
  deadlines_add(jobs, job);
  pthread_cond_broadcast(&jobs->changed);
  if (job->timed) pthread_cond_signal(&jobs->waiters_changed);
  return ARMDYN_OK;
}

size_t live_waiting(const struct jobs *jobs, const char *key)
{
  const struct party *party = party_find(jobs, OF_KEY, key);
  return party ? party->live - party->share.running : 0;
}

/* -- who is next -- */

bool goes_before(const struct candidate *a, const struct candidate *b)
{
  if (a->priority != b->priority) return a->priority > b->priority;
  for (enum sharing s = 0; s < SHARINGS; s++) {
    const struct share *of_a = a->shares[s], *of_b = b->shares[s];
    if (of_a->running != of_b->running) return of_a->running < of_b->running;
    if (of_a->turn != of_b->turn) return of_a->turn < of_b->turn;
  }
  return a->number < b->number;
}

static bool may_start(const struct jobs *jobs, const struct group *group)
{
  return group->waiting && (!jobs->running_most || group->parties[OF_KEY]->share.running < jobs->running_most);
}

static struct live_job *oldest_of(const struct group *group)
{
  struct live_job *job = group->first;
  while (job->held) job = job->next;
  return job;
}

static struct live_job *find_next(const struct jobs *jobs)
{
  struct live_job *next = NULL;
  struct candidate best = { 0 };
  for (const struct group *group = jobs->groups; group; group = group->next) {
    if (!may_start(jobs, group) || (next && group->priority < best.priority)) continue;
    struct live_job *job = oldest_of(group);
    struct candidate other = { .priority = group->priority, .number = job->number };
    for (enum sharing s = 0; s < SHARINGS; s++) other.shares[s] = &group->parties[s]->share;
    if (!next || goes_before(&other, &best)) next = job, best = other;
  }
  return next;
}

bool live_due(const struct jobs *jobs)
{
  const struct group *group = jobs->groups;
  while (group && !may_start(jobs, group)) group = group->next;
  return group;
}

struct live_job *live_start(struct jobs *jobs)
{
  struct live_job *next = find_next(jobs);
  if (!next) return NULL;
  struct group *group = next->group;
  leave(&group->first, &group->last, next);
  group->waiting--;
  join(&jobs->first, &jobs->last, next, true);
  next->running = true;
  jobs->running++;
  jobs->turn++;
  for (enum sharing s = 0; s < SHARINGS; s++) {
    group->parties[s]->share.turn = jobs->turn;
    group->parties[s]->share.running++;
  }
  return next;
}

void live_rest(struct jobs *jobs, struct live_job *ended)
{
  struct group *group = ended->group;
  sharing_free(ended->sharing);
  ended->sharing = NULL;
  if (!ended->running) return;
  ended->running = false;
  jobs->running--;
  leave(&jobs->first, &jobs->last, ended);
  for (enum sharing s = 0; s < SHARINGS; s++) group->parties[s]->share.running--;
  join(&group->first, &group->last, ended, false);
  group->waiting++;
}

void live_hold(struct jobs *jobs, struct live_job *job, bool held)
{
  if (job->held == held) return;
  job->held = held;
  if (held) {
    job->group->waiting--;
    deadlines_remove(jobs, job);
    return;
  }
  job->group->waiting++;
  deadlines_add(jobs, job);
  pthread_cond_broadcast(&jobs->changed);
  if (job->timed) pthread_cond_signal(&jobs->waiters_changed);
}

void live_cancel(struct jobs *jobs, struct live_job *job)
{
  job->cancelled = true;
  deadlines_remove(jobs, job);
  live_kill(jobs, job);
  pthread_cond_broadcast(&jobs->changed);
}

/* -- how they leave -- */

void live_kill(struct jobs *jobs, const struct live_job *job)
{
  for (struct runner *r = jobs->runners; r < jobs->runners + jobs->runner_count; r++)
    if (r->victim && (r == job->runner || !strcmp(r->helps, job->id))) kill(r->victim, SIGKILL);
  far_kill(jobs, job);
}

void live_remove(struct jobs *jobs, struct live_job *job)
{
  struct group *group = job->group;
  live_rest(jobs, job);
  deadlines_remove(jobs, job);
  leave(&group->first, &group->last, job);
  struct live_job **at = &jobs->by_id[slot_of(jobs, job->id)];
  while (*at != job) at = &(*at)->same_slot;
  *at = job->same_slot;
  group->waiting -= !job->held;
  group->live--;
  for (enum sharing s = 0; s < SHARINGS; s++) group->parties[s]->live--;
  group_leave(jobs, group);
  job->group = NULL;
  jobs->live--;
  pthread_cond_broadcast(&jobs->changed);
}

void live_close(struct jobs *jobs)
{
  for (size_t k = 0; jobs->by_id && jobs->parties && k < jobs->slots; k++)
    while (jobs->by_id[k]) {
      struct live_job *job = jobs->by_id[k];
      live_remove(jobs, job);
      free(job);
    }
  free(jobs->by_id);
  free(jobs->parties);
  free(jobs->timed);
}

/* Under the lock. */
static void count_end(struct jobs *jobs, const char *kind, enum job_state how)
{
  size_t k = 0;
  while (k < JOB_KINDS_MOST && jobs->ended[k].kind[0] && strcmp(jobs->ended[k].kind, kind) != 0) k++;
  if (k == JOB_KINDS_MOST) return;
  snprintf(jobs->ended[k].kind, sizeof jobs->ended[k].kind, "%s", kind);
  jobs->ended[k].count[how]++;
}

void live_end(struct jobs *jobs, struct live_job *job, enum job_state how)
{
  char id[ID_SIZE], trace[TRACE_ID_SIZE];
  memcpy(id, job->id, sizeof id);
  trace_id(job->traceparent, trace);
  if (how != JOB_QUEUED)
    log_event(LOG_INFO, "job ended", "job", id, "kind", job->kind, "robot", live_robot(job), "state",
              job_state_name(how), "trace", *trace ? trace : NULL, NULL);
  pthread_mutex_lock(&jobs->lock);
  live_remove(jobs, job);
  if (how != JOB_QUEUED) count_end(jobs, job->kind, how);
  pthread_mutex_unlock(&jobs->lock);
  free(job);
  announce_change(&jobs->changes, id);
  waiters_wake(jobs, id);
}
