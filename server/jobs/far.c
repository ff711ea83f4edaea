/* Workers of other nodes (`armdyn worker-node`), which say in the store that they are there. Each gets a runner like those of
 * this node, whose process is one that speaks for it (`armdyn worker-relay`): so turns, attempts, silence and cancelling are
 * the same, and the serving node alone writes what became of a job. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "armdyn/armdyn.h"
#include "server/base/log.h"
#include "server/jobs/internal.h"
#include "server/jobs/jobs.h"
#include "server/store/node.h"
#include "server/store/nodes.h"

enum { FAR_MOST = 256, LOOK_MS = 1000 };

/* A worker that may be given jobs. */
struct offer {
  char node[ID_SIZE];
  int worker;
};

struct far {
  struct jobs *jobs;
  char self[ID_SIZE]; /* this node's name */
  pthread_t looking;
  bool begun, stopping;
  size_t count; /* of runners whose thread was started */
  struct runner runners[FAR_MOST];
  struct offer offers[FAR_MOST]; /* the looking thread's */
  size_t offered;
  char strange[ID_SIZE]; /* the last node of another version, which was told of */
};

/* -- a runner: it has a node, or waits for one -- */

static void *far_main(void *context)
{
  struct runner *r = context;
  struct jobs *jobs = r->jobs;
  for (;;) {
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->stopping && (!*r->node || r->withdrawn)) {
      r->node[0] = '\0';
      condition_wait_until(&jobs->changed, &jobs->lock, clock_monotonic_ns() + LOOK_MS * INT64_C(1000000));
    }
    const bool stopping = jobs->stopping;
    pthread_mutex_unlock(&jobs->lock);
    if (stopping) return NULL;
    r->failures = 0;
    runner_take_turns(r);
  }
}

void far_arguments(const struct runner *r, const char *arguments[5], char worker[16])
{
  snprintf(worker, 16, "%d", r->worker);
  arguments[0] = "worker-relay";
  arguments[1] = r->node;
  arguments[2] = worker;
  arguments[3] = r->jobs->far->self;
}

void far_count(const struct jobs *jobs, size_t *workers, size_t *ready)
{
  const struct far *far = jobs->far;
  for (size_t i = 0; far && i < far->count; i++) {
    *workers += *far->runners[i].node != '\0';
    *ready += far->runners[i].ready;
  }
}

/* -- who is there -- */

static void note_offer(void *context, const struct store_node *node)
{
  struct far *far = context;
  if (node->draining || *node->address || node->silent_ms > NODE_GONE_MS) return;
  if (strcmp(node->version, armdyn_version()) != 0) {
    if (strcmp(far->strange, node->id) != 0)
      log_event(LOG_WARNING, "a node of another version is given no jobs", "node", node->id, "host", node->host,
                "version", node->version, NULL);
    memcpy(far->strange, node->id, sizeof far->strange);
    return;
  }
  for (int i = 0; i < node->workers && far->offered < FAR_MOST; i++) {
    struct offer *offer = &far->offers[far->offered++];
    memcpy(offer->node, node->id, sizeof offer->node);
    offer->worker = i;
  }
}

static bool is_of(const struct runner *r, const struct offer *offer)
{
  return r->worker == offer->worker && !strcmp(r->node, offer->node);
}

/* Under the lock: who is drained ends its job; who is silent is noticed by its runner. */
static void withdraw_gone(struct far *far)
{
  for (size_t i = 0; i < far->count; i++) {
    struct runner *r = &far->runners[i];
    bool offered = false;
    for (size_t k = 0; k < far->offered && !offered; k++) offered = is_of(r, &far->offers[k]);
    r->withdrawn = *r->node && !offered;
  }
}

/* Under the lock: a runner without a node, or a new one; NULL: there are too many. */
static struct runner *find_runner(struct far *far)
{
  for (size_t i = 0; i < far->count; i++)
    if (!*far->runners[i].node) return &far->runners[i];
  if (far->count == FAR_MOST) return NULL;
  struct runner *r = &far->runners[far->count];
  *r = (struct runner){ .jobs = far->jobs };
  if (pthread_create(&r->thread, NULL, far_main, r)) return NULL;
  far->count++;
  return r;
}

/* Under the lock. */
static void assign_new(struct far *far)
{
  for (size_t k = 0; k < far->offered; k++) {
    struct runner *r = NULL;
    for (size_t i = 0; i < far->count && !r; i++)
      if (is_of(&far->runners[i], &far->offers[k])) r = &far->runners[i];
    if (r || !(r = find_runner(far))) continue;
    memcpy(r->node, far->offers[k].node, sizeof r->node);
    r->worker = far->offers[k].worker;
    r->withdrawn = false;
  }
}

static void look(struct far *far)
{
  struct jobs *jobs = far->jobs;
  far->offered = 0;
  if (store_node_list(jobs->store, note_offer, far))
    return; /* the database is away: nothing is known to have changed */
  pthread_mutex_lock(&jobs->lock);
  if (!jobs->stopping) {
    withdraw_gone(far);
    assign_new(far);
  }
  pthread_cond_broadcast(&jobs->changed);
  pthread_mutex_unlock(&jobs->lock);
}

static void *look_main(void *context)
{
  struct far *far = context;
  struct jobs *jobs = far->jobs;
  bool stopping = false;
  while (!stopping) {
    look(far);
    const int64_t until_ns = clock_monotonic_ns() + LOOK_MS * INT64_C(1000000);
    pthread_mutex_lock(&jobs->lock);
    while (!(stopping = jobs->stopping) && clock_monotonic_ns() < until_ns)
      condition_wait_until(&jobs->changed, &jobs->lock, until_ns);
    pthread_mutex_unlock(&jobs->lock);
  }
  return NULL;
}

/* -- for people -- */

struct telling {
  struct jobs *jobs;
  jobs_node_visit *visit;
  void *context;
};

static enum jobs_node_state state_of(const struct store_node *node)
{
  if (node->silent_ms > NODE_GONE_MS) return NODE_GONE;
  if (*node->address) return NODE_STANDING_BY;
  if (strcmp(node->version, armdyn_version()) != 0) return NODE_STRANGE;
  return node->draining ? NODE_DRAINING : NODE_COMPUTING;
}

/* Under the lock. */
static void count_runner(const struct runner *r, struct jobs_node *out)
{
  out->ready += r->ready;
  for (const struct live_job *job = r->jobs->first; job; job = job->next) out->running += job->runner == r;
}

static void tell_far(void *context, const struct store_node *node)
{
  const struct telling *t = context;
  const struct far *far = t->jobs->far;
  if (!strcmp(node->id, far->self)) return; /* this one stood by, and was killed then */
  struct jobs_node out = { .node = *node, .state = state_of(node) };
  pthread_mutex_lock(&t->jobs->lock);
  for (size_t i = 0; i < far->count; i++)
    if (!strcmp(far->runners[i].node, node->id)) count_runner(&far->runners[i], &out);
  pthread_mutex_unlock(&t->jobs->lock);
  t->visit(t->context, &out);
}

static void tell_self(const struct telling *t)
{
  struct jobs *jobs = t->jobs;
  struct jobs_node out = { .state = NODE_SERVING };
  if (jobs->far) memcpy(out.node.id, jobs->far->self, sizeof out.node.id);
  gethostname(out.node.host, sizeof out.node.host - 1);
  snprintf(out.node.version, sizeof out.node.version, "%s", armdyn_version());
  out.node.process = getpid();
  pthread_mutex_lock(&jobs->lock);
  out.node.workers = (int64_t)jobs->runner_count;
  for (size_t i = 0; i < jobs->runner_count; i++) count_runner(&jobs->runners[i], &out);
  pthread_mutex_unlock(&jobs->lock);
  t->visit(t->context, &out);
}

enum armdyn_status jobs_nodes(struct jobs *jobs, jobs_node_visit *visit, void *context)
{
  struct telling t = { jobs, visit, context };
  tell_self(&t);
  return jobs->far ? store_node_list(jobs->store, tell_far, &t) : ARMDYN_OK;
}

/* -- start and stop -- */

enum armdyn_status far_start(struct jobs *jobs, const char *data, struct armdyn_error *error)
{
  struct far *far = calloc(1, sizeof *far);
  if (!far) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for workers of other nodes");
  far->jobs = jobs;
  enum armdyn_status status = store_node(data, far->self, error);
  jobs->far = far;
  if (!status && pthread_create(&far->looking, NULL, look_main, far))
    status = armdyn_refuse(error, ARMDYN_EMEMORY, "", "cannot start a thread for workers of other nodes");
  far->begun = !status;
  return status;
}

void far_kill(struct jobs *jobs, const struct live_job *job)
{
  struct far *far = jobs->far;
  for (size_t i = 0; far && i < far->count; i++) {
    const struct runner *r = &far->runners[i];
    if (r->victim && (!job || r == job->runner || !strcmp(r->helps, job->id))) kill(r->victim, SIGKILL);
  }
}

void far_stop(struct jobs *jobs)
{
  struct far *far = jobs->far;
  if (!far) return;
  if (far->begun) pthread_join(far->looking, NULL);
  for (size_t i = 0; i < far->count; i++) pthread_join(far->runners[i].thread, NULL);
  jobs->far = NULL;
  free(far);
}
