/* A runner's worker process: its start, whether it lives, its end. */
#include <signal.h>

#include "server/base/log.h"
#include "server/jobs/internal.h"
#include "server/jobs/jobs.h"

enum {
  READY_MS = 20000, /* for a new process to say that it is ready */
  RESTART_MS = 100, /* rest before a second start, doubled up to ... */
  RESTART_MOST_MS = 5000,
  HEALTHY_MS = 10000, /* after one that lived so long the rests begin anew */
  ENDS_MS = 600000    /* see jobs_workers_fail */
};
static const int64_t FAR_SILENCE_NS = INT64_C(10000000000);

void worker_down(struct runner *r, bool kill_it, char reason[CHILD_REASON_SIZE])
{
  pthread_mutex_lock(&r->jobs->lock);
  r->victim = 0; /* from here on nobody kills it but us: once reaped, the pid may be another's */
  r->ready = false;
  pthread_mutex_unlock(&r->jobs->lock);
  child_end(&r->child, kill_it, reason);
  if (clock_monotonic_ns() - r->born_ns > HEALTHY_MS * 1000000LL) r->failures = 0;
  pthread_mutex_lock(&r->jobs->lock);
  if (!*r->why) snprintf(r->why, sizeof r->why, "ended by %.40s", reason);
  pthread_mutex_unlock(&r->jobs->lock);
}

void worker_note_end(const struct runner *r)
{
  struct jobs *jobs = r->jobs;
  if (*r->node) return; /* nodes come and go */
  pthread_mutex_lock(&jobs->lock);
  jobs->ends_ns[jobs->ends++ % WORKER_ENDS] = clock_monotonic_ns();
  pthread_mutex_unlock(&jobs->lock);
}

bool jobs_workers_fail(struct jobs *jobs)
{
  const int64_t since = clock_monotonic_ns() - ENDS_MS * 1000000LL;
  pthread_mutex_lock(&jobs->lock);
  const bool fail = jobs->ends >= WORKER_ENDS && jobs->ends_ns[jobs->ends % WORKER_ENDS] > since; /* the oldest */
  pthread_mutex_unlock(&jobs->lock);
  return fail;
}

/* An answer of another node goes through the database twice. */
static int64_t far_silence_ns(const struct jobs *jobs)
{
  return jobs->silence_ns > FAR_SILENCE_NS ? jobs->silence_ns : FAR_SILENCE_NS;
}

/* -- does it live? -- */

enum armdyn_status worker_hear(struct runner *r, struct frame *frame, int wait_ms)
{
  int64_t begun = clock_monotonic_ns();
  if (pulse_ping_due(&r->answers, begun)) channel_send(&r->child.channel, MESSAGE_PING, NULL, 0, 0);
  enum armdyn_status status = channel_receive(&r->child.channel, frame, wait_ms);
  int64_t now = clock_monotonic_ns();
  pulse_waited(&r->answers, begun, now, wait_ms);
  pulse_waited(&r->progress, begun, now, wait_ms);
  struct message_pong pong;
  if (status || frame->type != MESSAGE_PONG || frame->length != sizeof pong) return status;
  memcpy(&pong, frame->data, sizeof pong);
  pulse_heard(&r->answers);
  if (pong.steps != r->steps) pulse_heard(&r->progress);
  r->steps = pong.steps;
  return ARMDYN_EUNAVAILABLE;
}

bool worker_hangs(struct runner *r, bool at_work)
{
  bool silent = pulse_lost(&r->answers), stalls = at_work && pulse_lost(&r->progress);
  if (!silent && !stalls) return false;
  const struct pulse *pulse = silent ? &r->answers : &r->progress;
  pthread_mutex_lock(&r->jobs->lock);
  r->jobs->hung++;
  snprintf(r->why, sizeof r->why, "was killed after %lld s without %s", (long long)(pulse->limit_ns / 1000000000),
           silent ? "an answer" : "progress");
  pthread_mutex_unlock(&r->jobs->lock);
  return true;
}

/* An idle one: is it still there, does it answer, and say nothing else? */
static bool still_up(struct runner *r)
{
  struct frame frame;
  char reason[CHILD_REASON_SIZE];
  enum armdyn_status status = worker_hear(r, &frame, 0);
  bool hangs = worker_hangs(r, false);
  if (status == ARMDYN_EUNAVAILABLE && !hangs) return true;
  worker_down(r, status != ARMDYN_EIO, reason);
  worker_note_end(r);
  log_event(LOG_WARNING, "an idle worker ended", "reason", r->why, NULL);
  return false;
}

/* -- start -- */

static bool become_ready(struct runner *r)
{
  struct frame frame;
  char reason[CHILD_REASON_SIZE];
  enum armdyn_status status = channel_receive(&r->child.channel, &frame, READY_MS);
  if (status || frame.type != MESSAGE_READY) {
    worker_down(r, status != ARMDYN_EIO, reason);
    worker_note_end(r);
    log_event(LOG_ERROR, "a worker did not become ready", "reason", reason, NULL);
    return false;
  }
  pulse_begin(&r->answers, *r->node ? far_silence_ns(r->jobs) : r->jobs->silence_ns);
  r->steps = 0;
  pthread_mutex_lock(&r->jobs->lock);
  r->ready = true;
  r->why[0] = '\0';
  pthread_mutex_unlock(&r->jobs->lock);
  return true;
}

/* What the worker opens: an address, which may hold a password, it finds in its environment. */
static const char *store_of_worker(const struct store *store)
{
  return store_is_on_server(store_address(store)) ? STORE_IN_ENVIRONMENT : store_path(store);
}

bool worker_up(struct runner *r)
{
  struct jobs *jobs = r->jobs;
  if (r->child.pid && still_up(r)) return true;
  if (r->failures)
    jobs_rest(jobs, *r->node ? &r->withdrawn : &jobs->stopping,
              jobs_pause(r->failures - 1, RESTART_MS, RESTART_MOST_MS));
  pthread_mutex_lock(&jobs->lock);
  bool stopping = jobs->stopping || r->withdrawn;
  pthread_mutex_unlock(&jobs->lock);
  if (stopping) return false;

  const char *arguments[] = { "worker", store_of_worker(jobs->store), jobs->memory_mib, jobs->cpu_s, NULL };
  char worker[16];
  struct armdyn_error error;
  if (*r->node) far_arguments(r, arguments, worker);
  r->failures++;
  r->born_ns = clock_monotonic_ns();
  if (child_start(&r->child, arguments, true, &error)) {
    worker_note_end(r);
    log_event(LOG_ERROR, "cannot start a worker", "reason", error.message, NULL);
    return false;
  }
  pthread_mutex_lock(&jobs->lock);
  r->victim = r->child.pid;
  if (jobs->killing) kill(r->victim, SIGKILL);
  pthread_mutex_unlock(&jobs->lock);
  return become_ready(r);
}
