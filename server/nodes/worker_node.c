#include "server/nodes/worker_node.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "armdyn/armdyn.h"
#include "server/base/log.h"
#include "server/ipc/child.h"
#include "server/nodes/relay.h"
#include "server/store/node.h"
#include "server/work/messages.h"

enum {
  SEEN_MS = 2000,     /* how often the node says that it is there */
  LOOK_MS = 1000,     /* how often a worker without a conversation looks for one */
  SILENCE_MS = 120000 /* of who gives jobs, after which a worker is ended: nobody waits for it */
};

/* A worker of the node: a thread, a process of `armdyn worker`, and the conversation that it has. */
struct seat {
  struct worker_node *node;
  pthread_t thread;
  bool begun;
  struct post *post;
  struct child child;
  atomic_bool busy; /* with a job */
};

struct worker_node {
  struct worker_node_setup setup;
  struct store_node self;
  struct node_link *link;
  int lock; /* DIR/lock: two may not have one name */
  pthread_t seen;
  bool is_seen;
  atomic_bool ending, draining;
  struct seat seats[NODE_WORKERS_MOST];
};

static void rest(int ms)
{
  nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* -- a worker -- */

static bool goes_on(void *context)
{
  const struct seat *seat = context;
  return !atomic_load(&seat->node->ending);
}

static void note_frame(void *context, uint32_t type, bool in)
{
  struct seat *seat = context;
  if (in && type == MESSAGE_RUN) atomic_store(&seat->busy, true);
  if (!in && (type == MESSAGE_RESULT || type == MESSAGE_PROBLEM || type == MESSAGE_HELPED))
    atomic_store(&seat->busy, false);
}

static void log_end(const struct seat *seat, enum relay_end end)
{
  static const char *const why[] = { [RELAY_CHANNEL] = "its process ended",
                                     [RELAY_PEER] = "who gave it jobs ended",
                                     [RELAY_STALE] = "it was given to another one: what it computed is refused",
                                     [RELAY_SILENT] = "nobody gives it jobs",
                                     [RELAY_BROKEN] = "the database was away too long" };
  if (!atomic_load(&seat->node->ending))
    log_event(atomic_load(&seat->busy) ? LOG_WARNING : LOG_INFO, "a worker's conversation is over", "worker",
              LOG_NUMBER(seat - seat->node->seats), "reason", why[end], NULL);
}

/* One process for one conversation: what a former one began must not be answered in the next. */
static void converse(struct seat *seat)
{
  const struct worker_node_setup *setup = &seat->node->setup;
  const char *const arguments[] = { "worker", STORE_IN_ENVIRONMENT, setup->memory_mib, setup->cpu_s, NULL };
  struct relay relay = { .channel = &seat->child.channel,
                         .post = seat->post,
                         .silence_ms = SILENCE_MS,
                         .goes_on = goes_on,
                         .passed = note_frame,
                         .context = seat };
  struct armdyn_error error;
  char reason[CHILD_REASON_SIZE];
  if (child_start(&seat->child, arguments, true, &error)) {
    log_event(LOG_ERROR, "cannot start a worker", "reason", error.message, NULL);
    rest(LOOK_MS);
    return;
  }
  const enum relay_end end = relay_run(&relay);
  child_end(&seat->child, end != RELAY_CHANNEL, reason);
  if (end == RELAY_CHANNEL) relay_tell_end(seat->post, seat->child.exit);
  log_end(seat, end);
  atomic_store(&seat->busy, false);
}

static void *seat_main(void *context)
{
  struct seat *seat = context;
  while (goes_on(seat)) {
    bool is_new = false;
    if (!post_follow(seat->post, &is_new) && is_new)
      converse(seat);
    else
      post_await(seat->post, -1, LOOK_MS);
  }
  return NULL;
}

/* -- the node -- */

static void *seen_main(void *context)
{
  struct worker_node *node = context;
  bool was_away = false;
  while (!atomic_load(&node->ending)) {
    node->self.draining = atomic_load(&node->draining);
    const bool away = node_link_announce(node->link, &node->self) != ARMDYN_OK;
    if (away != was_away) log_event(LOG_WARNING, away ? "the database is away" : "the database is back", NULL);
    was_away = away;
    for (int ms = 0; ms < SEEN_MS && !atomic_load(&node->ending) && node->self.draining == atomic_load(&node->draining);
         ms += 50)
      rest(50);
  }
  return NULL;
}

static enum armdyn_status start_threads(struct worker_node *node, struct armdyn_error *error)
{
  for (int i = 0; i < node->setup.workers; i++) {
    struct seat *seat = &node->seats[i];
    seat->node = node;
    const enum armdyn_status status =
        post_open(node->setup.address, node->self.id, i, POST_WORKING, &seat->post, error);
    if (status) return status;
    seat->begun = !pthread_create(&seat->thread, NULL, seat_main, seat);
    if (!seat->begun) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "cannot start a thread for worker %d", i + 1);
  }
  node->is_seen = !pthread_create(&node->seen, NULL, seen_main, node);
  return node->is_seen ? ARMDYN_OK : armdyn_refuse(error, ARMDYN_EMEMORY, "", "cannot start a thread");
}

/* A copy of the directory is a node of the same name; on the same machine its lock tells. */
static enum armdyn_status take_name(struct worker_node *node, struct armdyn_error *error)
{
  const enum armdyn_status status = store_hold_directory(node->setup.data, &node->lock, error);
  return status ? status : store_node(node->setup.data, node->self.id, error);
}

enum armdyn_status worker_node_start(const struct worker_node_setup *setup, struct worker_node **out,
                                     struct armdyn_error *error)
{
  struct worker_node *node = calloc(1, sizeof *node);
  if (!node) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory to start with");
  node->setup = *setup;
  node->lock = -1;
  node->self.workers = setup->workers;
  node->self.process = getpid();
  gethostname(node->self.host, sizeof node->self.host - 1);
  snprintf(node->self.version, sizeof node->self.version, "%s", armdyn_version());
  clock_format(clock_wall_ms(), node->self.started_at);
  enum armdyn_status status = take_name(node, error);
  if (!status) status = node_link_open(setup->address, false, &node->link, error);
  if (!status && (status = node_link_announce(node->link, &node->self)))
    armdyn_refuse(error, status, "", "cannot write to the table of nodes: %s", armdyn_status_text(status));
  if (!status) status = start_threads(node, error);
  if (status)
    worker_node_stop(node, 0);
  else
    *out = node;
  return status;
}

static bool is_busy(const struct worker_node *node)
{
  for (int i = 0; i < node->setup.workers; i++)
    if (atomic_load(&node->seats[i].busy)) return true;
  return false;
}

void worker_node_stop(struct worker_node *node, int64_t deadline_ns)
{
  if (!node) return;
  atomic_store(&node->draining, true);
  if (node->is_seen && clock_monotonic_ns() < deadline_ns) rest(SEEN_MS); /* until the serving node knows it */
  while (is_busy(node) && clock_monotonic_ns() < deadline_ns) rest(50);
  atomic_store(&node->ending, true);
  for (int i = 0; i < node->setup.workers; i++) {
    if (node->seats[i].begun) pthread_join(node->seats[i].thread, NULL);
    post_close(node->seats[i].post);
  }
  if (node->is_seen) pthread_join(node->seen, NULL);
  if (node->link) node_link_leave(node->link, node->self.id);
  node_link_close(node->link);
  if (node->lock >= 0) close(node->lock);
  free(node);
}
