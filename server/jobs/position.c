/* How many will be begun until a job is: the choices are made again and again on a copy of what decides. */
#include <stdlib.h>

#include "server/jobs/internal.h"

/* So many groups are looked at before it is given up: some ms. */
enum { LOOKS = 1000000 };

struct replayed {
  struct candidate next; /* its shares are those of the copy */
  size_t waiting, begun;
  bool own;
};
struct replay {
  uint64_t turn;
  size_t running_most, workers;
  struct share *shares;
  size_t share_count;
  struct replayed *groups;
  size_t group_count;
  struct share *(*running)[SHARINGS]; /* a ring, in the order in which they will end */
  size_t ring, ended, begun;
};

static struct share *copy_of(struct jobs *jobs, struct replay *r, struct party *party)
{
  if (party->copied != jobs->replays) {
    party->copied = jobs->replays;
    party->copy = r->share_count++;
    r->shares[party->copy] = party->share;
  }
  return &r->shares[party->copy];
}

static void begin(struct replay *r, const struct candidate *job)
{
  for (enum sharing s = 0; s < SHARINGS; s++)
    r->running[r->begun % r->ring][s] = &r->shares[job->shares[s] - r->shares];
  r->begun++;
}

static struct replayed *choose(struct replay *r)
{
  struct replayed *best = NULL;
  for (struct replayed *g = r->groups; g < r->groups + r->group_count; g++)
    if ((!r->running_most || g->next.shares[OF_KEY]->running < r->running_most) &&
        (!best || goes_before(&g->next, &best->next)))
      best = g;
  return best;
}

/* The next one begins, after another has ended where there is no worker for it, or its key may have no more of them.
 * NULL: none can. */
static struct replayed *begin_next(struct replay *r)
{
  for (;;) {
    struct replayed *next = r->begun - r->ended < r->workers ? choose(r) : NULL;
    if (next) {
      begin(r, &next->next);
      struct share **shares = r->running[(r->begun - 1) % r->ring];
      r->turn++;
      for (enum sharing s = 0; s < SHARINGS; s++) shares[s]->turn = r->turn, shares[s]->running++;
      return next;
    }
    if (r->begun == r->ended) return NULL;
    for (enum sharing s = 0; s < SHARINGS; s++) r->running[r->ended % r->ring][s]->running--;
    r->ended++;
  }
}

/* How many of its group wait before it, itself among them; 0: too far from either end to tell. */
static size_t rank(const struct live_job *job)
{
  size_t older = 0, younger = 0, looks = 0;
  const struct live_job *back = job, *on = job;
  for (; back && on && looks < LOOKS / 10; looks++) {
    older += !back->held;
    younger += !on->held;
    back = back->previous;
    on = on->next;
  }
  if (!back) return older;
  return on ? 0 : job->group->waiting - (younger - 1);
}

static void copy(struct jobs *jobs, struct replay *r, const struct live_job *job)
{
  jobs->replays++;
  for (const struct group *group = jobs->groups; group; group = group->next) {
    struct replayed copied = { .next = { .priority = group->priority }, .waiting = group->waiting };
    for (enum sharing s = 0; s < SHARINGS; s++) copied.next.shares[s] = copy_of(jobs, r, group->parties[s]);
    if (group->first) copied.next.number = group->first->number;
    copied.own = group == job->group;
    if (copied.waiting) r->groups[r->group_count++] = copied;
  }
  for (const struct live_job *other = jobs->first; other; other = other->next) {
    struct candidate running = { 0 };
    for (enum sharing s = 0; s < SHARINGS; s++) running.shares[s] = copy_of(jobs, r, other->group->parties[s]);
    begin(r, &running);
  }
}

static size_t play(struct replay *r, size_t rank)
{
  if (r->group_count == 1) return rank;
  for (size_t position = 1, looks = r->group_count; looks < LOOKS; position++, looks += r->group_count) {
    struct replayed *next = begin_next(r);
    if (!next) return 0;
    next->begun++;
    if (next->own && next->begun == rank) return position;
    if (next->begun == next->waiting) *next = r->groups[--r->group_count];
  }
  return 0;
}

size_t live_position(struct jobs *jobs, const struct live_job *job)
{
  if (job->running || job->held) return 0;
  size_t workers = jobs->runner_count, ready = 0, groups = 0, position = 0;
  const size_t own = rank(job);
  far_count(jobs, &workers, &ready);
  for (const struct group *group = jobs->groups; group; group = group->next) groups++;
  struct replay r = { .turn = jobs->turn,
                      .running_most = jobs->running_most,
                      .workers = workers,
                      .ring = workers + jobs->running + 1,
                      .shares = calloc(SHARINGS * groups + 1, sizeof *r.shares),
                      .groups = calloc(groups + 1, sizeof *r.groups) };
  r.running = calloc(r.ring, sizeof *r.running);
  if (own && r.shares && r.groups && r.running) {
    copy(jobs, &r, job);
    position = play(&r, own);
  }
  free(r.shares);
  free(r.groups);
  free(r.running);
  return position;
}
