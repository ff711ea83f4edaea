#include "server/jobs/sharing.h"

#include <stdlib.h>

#include "api/limits.h"
#include "server/base/log.h"
#include "server/work/kinds.h"

enum {
  SEND_MS = 5000,
  GIVE_WAY_MS = 250 /* how long a job that is due waits for who helps another to end a part */
};

enum part_state { PART_FREE, PART_TAKEN, PART_READY, PART_DONE };
/* Of a job, under the lock. */
struct job_parts {
  size_t count, done; /* done: that its own worker has, or will fetch */
  size_t helpers;
  size_t held; /* bytes of what is READY */
  bool alone;  /* nobody helps any more: see end_to_help */
  struct job_part {
    enum part_state state;
    const struct runner *by; /* TAKEN */
    char *outcome;           /* READY: as it goes to the worker */
    size_t length;
  } parts[];
};

void sharing_free(struct job_parts *sharing)
{
  for (size_t k = 0; sharing && k < sharing->count; k++) free(sharing->parts[k].outcome);
  free(sharing);
}

/* The first part in a state; count: none is. */
static size_t first_of(const struct job_parts *s, enum part_state state)
{
  size_t k = 0;
  while (k < s->count && s->parts[k].state != state) k++;
  return k;
}

static size_t take(struct job_parts *s, const struct runner *r)
{
  const size_t k = first_of(s, PART_FREE);
  if (k < s->count) s->parts[k].state = PART_TAKEN, s->parts[k].by = r;
  return k;
}

static bool room(const struct job_parts *s)
{
  return s->held + (s->helpers + 1) * (LIMIT_FRAME + sizeof(size_t)) <= LIMIT_OUTCOMES;
}

/* What a runner has taken is nobody's again, or, of the job's own worker, done. Was there any? */
static bool settle(struct job_parts *s, const struct runner *r, enum part_state state)
{
  bool any = false;
  for (size_t k = 0; k < s->count; k++) {
    if (s->parts[k].state != PART_TAKEN || s->parts[k].by != r) continue;
    s->parts[k].state = state;
    s->done += state == PART_DONE;
    any = true;
  }
  return any;
}

/* -- the job's own runner -- */

static enum attempt_end malformed(struct attempt *a)
{
  return attempt_lost(a, "worker sent malformed parts");
}

enum attempt_end sharing_begin(struct attempt *a, const struct frame *frame)
{
  struct message_share share;
  if (frame->length != sizeof share || a->live->sharing) return malformed(a);
  memcpy(&share, frame->data, sizeof share);
  if (share.count > LIMIT_PARTS) return malformed(a);
  struct job_parts *s = calloc(1, sizeof *s + share.count * sizeof *s->parts);
  if (!s) {
    snprintf(a->reason, sizeof a->reason, "out of memory");
    return ATTEMPT_STORE;
  }
  s->count = share.count;
  pthread_mutex_lock(&a->jobs->lock);
  a->live->sharing = s;
  pthread_cond_broadcast(&a->jobs->changed);
  pthread_mutex_unlock(&a->jobs->lock);
  return ATTEMPT_RESULT;
}

/* One outcome that is ready, out of the table; false: none is. */
static bool fetch(struct attempt *a, struct job_part *out)
{
  struct job_parts *s = a->live->sharing;
  pthread_mutex_lock(&a->jobs->lock);
  const size_t k = first_of(s, PART_READY);
  const bool found = k < s->count;
  if (found) {
    *out = s->parts[k];
    s->held -= out->length + sizeof(size_t);
    s->parts[k] = (struct job_part){ .state = PART_DONE };
  }
  pthread_mutex_unlock(&a->jobs->lock);
  return found;
}

enum attempt_end sharing_answer(struct attempt *a, struct runner *r)
{
  struct job_parts *s = a->live->sharing;
  struct job_part ready;
  enum armdyn_status status = ARMDYN_OK;
  if (!s) return malformed(a);
  while (!status && fetch(a, &ready)) {
    status = channel_send(&r->child.channel, MESSAGE_OUTCOME, ready.outcome, ready.length, SEND_MS);
    free(ready.outcome);
  }
  pthread_mutex_lock(&a->jobs->lock);
  settle(s, r, PART_DONE);
  const size_t k = take(s, r);
  const bool awaits = k == s->count && (first_of(s, PART_TAKEN) < s->count || first_of(s, PART_READY) < s->count);
  const struct message_part part = { .index = k < s->count ? (uint32_t)k : MESSAGE_NO_PART, .done = (uint32_t)s->done };
  pthread_mutex_unlock(&a->jobs->lock);
  a->asks = awaits;
  if (awaits) pulse_heard(&r->progress); /* who computes for it is watched himself */
  if (!status && !awaits) status = channel_send(&r->child.channel, MESSAGE_PART, &part, sizeof part, SEND_MS);
  if (!status) return ATTEMPT_RESULT;
  a->peer_gone = status == ARMDYN_EIO;
  return attempt_lost(a, "worker took no parts");
}

/* -- who helps -- */

bool sharing_find(struct runner *r)
{
  const struct job_parts *least = NULL;
  for (const struct live_job *job = r->jobs->first; job; job = job->next) {
    const struct job_parts *s = job->sharing;
    if (!s || s->alone || job->cancelled || !room(s) || first_of(s, PART_FREE) == s->count) continue;
    if (least && least->helpers <= s->helpers) continue;
    least = s;
    memcpy(r->helps, job->id, sizeof r->helps);
  }
  return least;
}

/* Under the lock: of the job that it helps; NULL: that has ended, or is tried again. */
static struct job_parts *shared_with(const struct runner *r)
{
  const struct live_job *job = live_find(r->jobs, r->helps);
  return job && !job->cancelled ? job->sharing : NULL;
}

static bool begin_to_help(struct runner *r)
{
  pthread_mutex_lock(&r->jobs->lock);
  struct job_parts *s = shared_with(r);
  if (s) s->helpers++;
  pthread_mutex_unlock(&r->jobs->lock);
  return s;
}

/* How it went with who helped. */
enum help_end { HELP_ENDED, HELP_GAVE_WAY, HELP_LOST };
struct help {
  enum help_end end;
  bool asked; /* for parts */
  bool gone;  /* LOST: it closed its end */
};

/* What a part does to a worker, or why it has no outcome, is the job's own worker's to tell. */
static void end_to_help(struct runner *r, const struct help *help)
{
  pthread_mutex_lock(&r->jobs->lock);
  struct job_parts *s = shared_with(r);
  if (s) {
    const bool undone = settle(s, r, PART_FREE);
    s->helpers -= s->helpers > 0;
    s->alone = s->alone || help->end == HELP_LOST || (help->end == HELP_ENDED && (undone || !help->asked));
  }
  r->helps[0] = '\0';
  pthread_cond_broadcast(&r->jobs->changed);
  pthread_mutex_unlock(&r->jobs->lock);
}

/* Under the lock: a job is due, which a worker would begin. */
static bool waits_for_worker(const struct jobs *jobs)
{
  return !jobs->draining && live_due(jobs);
}

static enum armdyn_status give_next(struct runner *r)
{
  struct message_part part = { .index = MESSAGE_NO_PART };
  pthread_mutex_lock(&r->jobs->lock);
  struct job_parts *s = shared_with(r);
  if (s && !s->alone && room(s) && !r->jobs->stopping && !waits_for_worker(r->jobs)) {
    const size_t k = take(s, r);
    if (k < s->count) part = (struct message_part){ .index = (uint32_t)k, .done = (uint32_t)s->done };
  }
  pthread_mutex_unlock(&r->jobs->lock);
  return channel_send(&r->child.channel, MESSAGE_PART, &part, sizeof part, SEND_MS);
}

static enum armdyn_status take_outcome(struct runner *r, const struct frame *frame)
{
  struct message_part part;
  char *copy = malloc(frame->length + 1);
  if (!copy || frame->length < sizeof part) {
    free(copy);
    return copy ? ARMDYN_ESYNTAX : ARMDYN_EMEMORY;
  }
  memcpy(copy, frame->data, frame->length);
  memcpy(&part, frame->data, sizeof part);
  pthread_mutex_lock(&r->jobs->lock);
  struct job_parts *s = shared_with(r);
  if (s && part.index < s->count && s->parts[part.index].state == PART_TAKEN && s->parts[part.index].by == r) {
    s->parts[part.index] = (struct job_part){ .state = PART_READY, .outcome = copy, .length = frame->length };
    s->held += frame->length + sizeof(size_t);
    s->done++;
    r->jobs->helped++;
    copy = NULL;
  }
  pthread_mutex_unlock(&r->jobs->lock);
  free(copy);
  return ARMDYN_OK;
}

static bool wanted(struct runner *r)
{
  pthread_mutex_lock(&r->jobs->lock);
  const bool due = waits_for_worker(r->jobs);
  pthread_mutex_unlock(&r->jobs->lock);
  return due;
}

static void converse(struct runner *r, const struct attempt *a, struct help *help)
{
  int64_t due_since = INT64_MAX;
  pulse_begin(&r->progress, attempt_stall_ns(a));
  help->end = HELP_LOST;
  for (;;) {
    struct frame frame;
    enum armdyn_status status = worker_hear(r, &frame, GIVE_WAY_MS);
    if (worker_hangs(r, true)) return;
    const int64_t now = clock_monotonic_ns();
    if (!wanted(r))
      due_since = INT64_MAX;
    else if (due_since == INT64_MAX)
      due_since = now;
    else if (now - due_since > GIVE_WAY_MS * INT64_C(1000000))
      help->end = HELP_GAVE_WAY;
    if (help->end == HELP_GAVE_WAY) return;
    if (status == ARMDYN_EUNAVAILABLE) continue;
    if (!status && frame.type == MESSAGE_HELPED) help->end = HELP_ENDED;
    if (!status && frame.type == MESSAGE_HELPED) return;
    if (!status && frame.type == MESSAGE_NEXT)
      help->asked = true, status = give_next(r);
    else if (!status)
      status = frame.type == MESSAGE_OUTCOME ? take_outcome(r, &frame) : ARMDYN_ESYNTAX;
    help->gone = status == ARMDYN_EIO;
    if (status) return;
  }
}

/* Killed with its job, or to give way, it is nobody's fault. */
static void end_worker(struct runner *r, const struct help *help)
{
  char reason[CHILD_REASON_SIZE], id[ID_SIZE];
  pthread_mutex_lock(&r->jobs->lock);
  const bool meant = help->end == HELP_GAVE_WAY || !shared_with(r) || r->jobs->killing;
  memcpy(id, r->helps, sizeof id);
  pthread_mutex_unlock(&r->jobs->lock);
  worker_down(r, !help->gone, reason);
  if (meant) {
    r->failures = 0;
    return;
  }
  worker_note_end(r);
  log_event(LOG_WARNING, "a worker that helped a job ended", "job", id, "reason", reason, NULL);
}

void sharing_help(struct runner *r)
{
  struct attempt a = { .jobs = r->jobs, .store = r->jobs->store, .helps = true, .document = BUFFER(LIMIT_FRAME + 1) };
  struct help help = { .end = HELP_GAVE_WAY };
  if (begin_to_help(r)) {
    if (attempt_begin(&a, &r->child.channel, r->helps) == ATTEMPT_RESULT)
      converse(r, &a, &help);
    else
      help.end = HELP_LOST, help.gone = a.peer_gone;
    if (help.end == HELP_GAVE_WAY || (help.end == HELP_LOST && a.handed_over)) end_worker(r, &help);
  }
  end_to_help(r, &help);
  attempt_release(&a);
}
