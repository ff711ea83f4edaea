/* Jobs: accepted durably, queued, given to worker processes, retried when a worker is lost, waited for, cancelled.
 * The kinds are rows of the table in kinds.c. */
#ifndef SERVER_JOBS_JOBS_H
#define SERVER_JOBS_JOBS_H

#include "api/wire/buffer.h"
#include "server/base/announce.h"
#include "server/jobs/figures.h"
#include "server/store/nodes.h"

struct jobs;
struct options;

/* Start the scheduler and `workers` worker processes; jobs that a former run left queued are taken up again.
 *   changes  in  hears of every job that begins, gets on or ends; NULL = nobody */
enum armdyn_status jobs_start(struct store *store, const struct options *options, const struct announce *changes,
                              struct jobs **jobs, struct armdyn_error *error);
/* Stop taking jobs, let running ones finish until the deadline (monotonic ns), kill the rest: they stay queued. */
void jobs_stop(struct jobs *jobs, int64_t deadline_ns);
/* Are all workers alive? For /readyz.
 *   why  out  if not: which is not, and why; NULL is fine */
enum { JOBS_WHY = 256 };
bool jobs_ready(struct jobs *jobs, char why[JOBS_WHY]);
/* Have three worker processes crashed or hung within ten minutes? */
bool jobs_workers_fail(struct jobs *jobs);

/* While it is drained, no job is taken, and none that waits is begun. */
void jobs_drain(struct jobs *jobs, bool draining);
bool jobs_draining(struct jobs *jobs);

/* For metrics. */
void jobs_figures(struct jobs *jobs, struct jobs_figures *out);

/* The nodes that compute: this one first, then the others, if the store is one that they can reach. */
enum jobs_node_state {
  NODE_SERVING,
  NODE_COMPUTING,
  NODE_DRAINING,
  NODE_GONE,
  NODE_STRANGE,
  NODE_STANDING_BY,
  NODE_STATES
};
struct jobs_node {
  struct store_node node; /* of this one only id (or ""), host, process, version, workers */
  enum jobs_node_state state;
  size_t ready, running; /* of its workers */
};
typedef void jobs_node_visit(void *context, const struct jobs_node *node);
enum armdyn_status jobs_nodes(struct jobs *jobs, jobs_node_visit *visit, void *context);

/* Accept a job: durable when it returns OK; `job` in: kind, robot, revision, owner, request, tags, priority, time_limit_ms;
 * out: the rest.
 * ELIMIT: queue full, or the share of its owner used up; EUNAVAILABLE: the service stops or is drained; `error` says so.
 * Else as store_job_create. */
enum armdyn_status jobs_rehearse(struct jobs *jobs, struct store_job *job, const struct store_idempotency *key,
                                 size_t *position, struct armdyn_error *error);
enum armdyn_status jobs_submit(struct jobs *jobs, struct store_job *job, const struct store_idempotency *key,
                               struct armdyn_error *error);
/* The job as it is now (state and progress in memory win over what is stored). progress in 0..1, message up to 128. */
struct job_view {
  struct store_job job;
  double progress;
  char message[128];
  size_t queue_position; /* among those that wait, as they will be begun: 1 is next; 0: not waiting, or not asked for */
};
enum armdyn_status jobs_get(struct jobs *jobs, const char *id, struct job_view *view);
void job_view_release(struct job_view *view);
/* What is in memory of a job that a list of the store showed: changes view->job, sets the rest. */
void jobs_refresh(struct jobs *jobs, struct job_view *view);
/* The ids of the jobs that run now, a comma before and behind each. */
void jobs_running(struct jobs *jobs, struct buffer *ids);
/* Cancel and wait (for some seconds at most) until that is stored. ENOTFOUND; ECONFLICT when it has ended already. */
enum armdyn_status jobs_cancel(struct jobs *jobs, const char *id);
/* Call `wake(context)` once, from another thread, when the job ends, at deadline_ns, or when the service stops,
 * whichever is first. EUNAVAILABLE: the service stops; EMEMORY; then it is never called. */
enum armdyn_status jobs_wait(struct jobs *jobs, const char *id, int64_t deadline_ns, void (*wake)(void *context),
                             void *context);

#endif
