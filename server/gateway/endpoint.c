#include "server/gateway/endpoint.h"

#include <pthread.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/gateway/download.h"
#include "server/gateway/endpoint_internal.h"
#include "server/gateway/journal.h"

enum {
  IDLE_MS = 30000,     /* a thread that nobody needs ends */
  LOCK_RETRY_MS = 100, /* while another gateway has the controller */
  FRESH_MS = 500,      /* an observation that is good enough for who asks */
  LOOK_MS = 1000       /* connecting only to look */
};

/* -- the thread -- */

static void observe_now(struct endpoint *p, enum armdyn_status contact)
{
  struct observation seen = { .connected = false };
  if (!contact) client_observe(&p->client, &seen);
  endpoint_observe(p, &seen);
}

static enum armdyn_status look(struct endpoint *p, struct armdyn_error *error)
{
  enum armdyn_status rc = link_is_open(&p->client.link) ? client_look(&p->client, error) : ARMDYN_EUNAVAILABLE;
  if (rc) rc = client_connect(&p->client, LOOK_MS, error);
  return rc;
}

/* A transfer that has not begun ends here. */
static void drop_order(struct endpoint *p, enum transfer_state end, int problem, const char *reason)
{
  pthread_mutex_lock(&p->owner->lock);
  struct transfer_order *order = p->order;
  p->order = NULL;
  pthread_mutex_unlock(&p->owner->lock);
  if (!order) return;
  struct transfer_report report = { .state = end, .problem = problem };
  snprintf(report.reason, sizeof report.reason, "%.*s", (int)sizeof report.reason - 1, reason);
  endpoint_tell_state(p, order, &report);
  transfer_order_free(order);
}

/* A command while no transfer runs. Only STOP is granted when another gateway still has the controller. */
static void grant_idle(struct endpoint *p, const struct transfer_command *command)
{
  struct armdyn_error error = { "", "" };
  enum armdyn_status rc;
  if (*command->transfer && command->kind != ASK_STOP) {
    endpoint_tell(p, command, ARMDYN_ENOTFOUND, "the transfer has ended");
    return;
  }
  if (command->kind == ASK_STOP) {
    drop_order(p, TRANSFER_STOPPED, -1, stop_reason(command));
    rc = client_stop(&p->client, NULL, &error);
  } else if (p->lock_fd < 0) {
    rc = ARMDYN_EBUSY;
    error = p->lock_error;
  } else {
    rc = look(p, &error);
    if (!rc && command->kind == ASK_CLEAR) rc = client_command(&p->client, COMMAND_CLEAR, NULL, 0, &error);
  }
  observe_now(p, link_is_open(&p->client.link) ? ARMDYN_OK : ARMDYN_EUNAVAILABLE);
  if (p->lock_fd < 0) client_disconnect(&p->client); /* it is another one's, and may take one connection alone */
  endpoint_tell(p, command, rc, error.message);
}

static void run_order(struct endpoint *p)
{
  const struct download_port port = endpoint_port(p);
  journal_reserve(p->owner->dir, p->order->id);
  p->client.address = p->order->address; /* by the entry that it was made for; others may name the same place */
  download_run(p->order, &p->client, &port);
  pthread_mutex_lock(&p->owner->lock);
  struct transfer_order *order = p->order;
  p->order = p->following;
  p->following = NULL;
  p->end_told = false;
  pthread_mutex_unlock(&p->owner->lock);
  transfer_order_free(order);
}

/* Nobody sets its outputs any more: what still moves must not move on. */
static void stop_left(struct endpoint *p, struct transfer_report *end)
{
  struct armdyn_error error = { "", "" };
  const bool stopped = !client_stop(&p->client, NULL, &error);
  snprintf(
      end->reason, sizeof end->reason,
      "the service ended while it was on, its gateway left no word, and nobody sets its outputs: STOP was sent, %s",
      stopped ? "and confirmed" : "and is not confirmed");
}

/* The gateway before this one has let go: what did it write about its transfers? */
static void run_recoveries(struct endpoint *p, struct recovery *list)
{
  while (list) {
    struct recovery *r = list;
    struct transfer_report end = { .state = TRANSFER_INTERRUPTED,
                                   .problem = PROBLEM_TRANSFER_INTERRUPTED,
                                   .reason = "the service ended while it was on, and its gateway left no word" };
    int64_t at_ms = clock_wall_ms();
    if (journal_read(p->owner->dir, r->transfer, &at_ms, &end) && r->sets_outputs) stop_left(p, &end);
    p->owner->listener.report(p->owner->listener.context, r->transfer, &end);
    list = r->next;
    free(r);
  }
}

/* Under the lock: what to do next. False: nothing for a long time, or the service is gone. */
static bool wait_for_work(struct endpoint *p)
{
  struct timespec deadline = endpoint_deadline(IDLE_MS);
  for (;;) {
    if (p->command_count || p->order || p->recoveries) return true;
    if (p->owner->leaving) return false;
    if (pthread_cond_timedwait(&p->changed, &p->owner->lock, &deadline) && !p->command_count && !p->order &&
        !p->recoveries)
      return false;
  }
}

/* The controller is another gateway's still. Wait a little; or, when the service is gone, wait no longer: what was to be
 * recovered stays as it is in the store, for the next one. Under the lock. */
static void wait_for_lock(struct endpoint *p)
{
  struct endpoints *e = p->owner;
  struct timespec deadline = endpoint_deadline(LOCK_RETRY_MS);
  if (!e->leaving) {
    pthread_cond_timedwait(&p->changed, &e->lock, &deadline);
    return;
  }
  for (struct recovery *r; (r = p->recoveries); free(r)) p->recoveries = r->next;
  pthread_mutex_unlock(&e->lock);
  drop_order(p, TRANSFER_FAILED, PROBLEM_UNAVAILABLE, "the service ended before the controller was free");
  pthread_mutex_lock(&e->lock);
}

/* The lock cannot be had, and nobody else has it. Under the lock at entry and exit. */
static void fail_order(struct endpoint *p, const char *why)
{
  if (!p->order) return;
  endpoint_log(LOG_ERROR, "a controller cannot be used", p->order, NULL, why);
  pthread_mutex_unlock(&p->owner->lock);
  drop_order(p, TRANSFER_FAILED, PROBLEM_UNAVAILABLE, why);
  pthread_mutex_lock(&p->owner->lock);
}

/* Keep other gateways from the controller. A disk may take seconds for that: the others are not held up, nor is a STOP, which
 * needs no lock. Under the lock at entry and exit. */
static enum armdyn_status own_controller(struct endpoint *p)
{
  if (p->lock_fd >= 0 || endpoint_stop_waits(p)) return ARMDYN_OK;
  pthread_mutex_unlock(&p->owner->lock);
  enum armdyn_status rc = endpoint_lock(p->owner->dir, &p->client.address, &p->lock_fd, &p->lock_error);
  pthread_mutex_lock(&p->owner->lock);
  return rc;
}

/* One piece of work: commands first, then what was left behind, then a transfer. Under the lock at entry and exit. */
static void work_once(struct endpoint *p)
{
  struct endpoints *e = p->owner;
  struct transfer_command command;
  struct recovery *recoveries = NULL;
  p->movement.steps++;
  p->client.address = p->address; /* its map may have changed */
  enum armdyn_status locked = own_controller(p);
  bool asked = endpoint_next_command(p, &command), run = false;
  if (!asked && locked) {
    if (locked != ARMDYN_EBUSY) fail_order(p, p->lock_error.message);
    wait_for_lock(p);
    return;
  }
  if (!asked && p->recoveries) {
    recoveries = p->recoveries;
    p->recoveries = NULL;
  } else if (!asked) {
    run = p->order != NULL;
  }
  p->works = true;
  pthread_mutex_unlock(&e->lock);
  if (asked && command.kind == ASK_LEAVE)
    drop_order(p, TRANSFER_STOPPED, -1, "the service ended");
  else if (asked)
    grant_idle(p, &command);
  run_recoveries(p, recoveries);
  if (run) run_order(p);
  pthread_mutex_lock(&e->lock);
  p->works = false;
}

static void *endpoint_main(void *context)
{
  struct endpoint *p = context;
  struct endpoints *e = p->owner;
  pthread_mutex_lock(&e->lock);
  while (wait_for_work(p)) work_once(p);
  struct endpoint **at = &e->first;
  while (*at != p) at = &(*at)->next;
  *at = p->next;
  pthread_mutex_unlock(&e->lock);

  client_disconnect(&p->client);
  if (p->lock_fd >= 0) close(p->lock_fd);
  pthread_mutex_lock(&e->lock);
  p->next = e->ended;
  e->ended = p;
  pthread_cond_broadcast(&e->changed);
  pthread_mutex_unlock(&e->lock);
  return NULL;
}

/* Under the lock: the threads that have ended. They take the lock no more. */
static void reap(struct endpoints *e)
{
  for (struct endpoint *p; (p = e->ended);) {
    e->ended = p->next;
    e->threads--;
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    free(p);
  }
}

/* -- from outside -- */

struct endpoints *endpoints_new(const char *dir, enum server_loss on_server_loss,
                                const struct endpoint_listener *listener, struct figures *figures)
{
  struct endpoints *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->dir = dir;
  e->on_server_loss = on_server_loss;
  e->listener = *listener;
  e->figures = figures;
  pthread_mutex_init(&e->lock, NULL);
  pthread_cond_init(&e->changed, NULL);
  return e;
}

static void cond_init(pthread_cond_t *cond)
{
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(cond, &attributes);
  pthread_condattr_destroy(&attributes);
}

/* Under the lock: the endpoint of an address, made when it is not there. NULL: out of memory or threads. */
static struct endpoint *endpoint_at(struct endpoints *e, const struct controller_address *address)
{
  for (struct endpoint *p = e->first; p; p = p->next)
    if (address_one_endpoint(&p->address, address)) {
      p->address = *address; /* its registers may lie otherwise now */
      return p;
    }
  reap(e);
  struct endpoint *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->owner = e;
  p->address = *address;
  p->client.address = *address;
  p->client.link.figures = e->figures;
  p->lock_fd = -1;
  cond_init(&p->changed);
  if (pthread_create(&p->thread, NULL, endpoint_main, p)) {
    pthread_cond_destroy(&p->changed);
    free(p);
    return NULL;
  }
  e->threads++;
  p->next = e->first;
  e->first = p;
  return p;
}

enum armdyn_status endpoints_submit(struct endpoints *e, struct transfer_order *order)
{
  enum armdyn_status rc = ARMDYN_OK;
  pthread_mutex_lock(&e->lock);
  struct endpoint *p = endpoint_at(e, &order->address);
  if (!p)
    rc = ARMDYN_EMEMORY;
  else if (!p->order)
    p->order = order;
  else if (p->end_told && !p->following)
    p->following = order;
  else
    rc = ARMDYN_EBUSY;
  if (!rc) pthread_cond_signal(&p->changed);
  pthread_mutex_unlock(&e->lock);
  if (rc) transfer_order_free(order);
  return rc;
}

void endpoints_command(struct endpoints *e, const struct controller_address *address,
                       const struct transfer_command *command)
{
  struct message_answer answer;
  memset(&answer, 0, sizeof answer);
  answer.number = command->number;
  pthread_mutex_lock(&e->lock);
  struct endpoint *p = endpoint_at(e, address);
  bool fresh = p && command->kind == ASK_LOOK && p->seen.connected && clock_wall_ms() - p->seen.seen_ms < FRESH_MS;
  bool room =
      p && (p->command_count < COMMANDS_MOST - 4 || (command->kind == ASK_STOP && p->command_count < COMMANDS_MOST));
  if (p) answer.seen = p->seen;
  if (!fresh && room) {
    p->commands[p->command_count++] = *command;
    pthread_cond_signal(&p->changed);
  }
  pthread_mutex_unlock(&e->lock);
  if (!fresh && room) return;
  answer.status = fresh ? ARMDYN_OK : ARMDYN_EBUSY;
  if (!fresh) snprintf(answer.text, sizeof answer.text, "too many commands wait at this controller");
  e->listener.answer(e->listener.context, &answer);
}

void endpoints_cell(struct endpoints *e, const struct guard_cell *cell)
{
  enum armdyn_status status = ARMDYN_OK;
  pthread_mutex_lock(&e->lock);
  for (struct endpoint *p = e->first; p; p = p->next) {
    struct transfer_order *const orders[] = { p->order, p->following };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
      if (orders[i] && orders[i]->guard && guard_offer(orders[i]->guard, cell)) status = ARMDYN_EMEMORY;
  }
  pthread_mutex_unlock(&e->lock);
  if (status) log_event(LOG_ERROR, "a cell that has changed was not taken", "cell", cell->name, NULL);
}

static bool has_work(const struct endpoint *p)
{
  return p->works || p->command_count || p->order || p->recoveries;
}

static void log_standstill(const struct endpoint *p)
{
  log_event(LOG_ERROR, "what speaks with a controller stands still; the gateway is given up once no other arm needs it",
            "host", p->address.host, "port", LOG_NUMBER(p->address.port), "transfer", p->order ? p->order->id : NULL,
            NULL);
}

bool endpoints_pass(struct endpoints *e)
{
  bool still = false, needed = false;
  pthread_mutex_lock(&e->lock);
  for (struct endpoint *p = e->first; p; p = p->next) {
    const bool stands = standstill_look(&p->movement, has_work(p));
    if (stands && p->movement.looks == STANDSTILL_LOOKS + 1) log_standstill(p);
    still = still || stands;
    needed = needed || (p->order && !stands);
  }
  pthread_mutex_unlock(&e->lock);
  return needed || !still;
}

void endpoints_recover(struct endpoints *e, const struct controller_address *address, const char *transfer,
                       bool sets_outputs)
{
  struct recovery *r = calloc(1, sizeof *r);
  if (!r) return; /* it stays what it is, until the next start */
  snprintf(r->transfer, sizeof r->transfer, "%s", transfer);
  r->sets_outputs = sets_outputs;
  pthread_mutex_lock(&e->lock);
  struct endpoint *p = endpoint_at(e, address);
  if (p) {
    r->next = p->recoveries;
    p->recoveries = r;
    pthread_cond_signal(&p->changed);
    r = NULL;
  }
  pthread_mutex_unlock(&e->lock);
  free(r);
}

void endpoints_leave(struct endpoints *e)
{
  pthread_mutex_lock(&e->lock);
  e->leaving = true;
  for (struct endpoint *p = e->first; p; p = p->next) pthread_cond_signal(&p->changed);
  for (reap(e); e->threads; reap(e)) pthread_cond_wait(&e->changed, &e->lock);
  pthread_mutex_unlock(&e->lock);
  pthread_cond_destroy(&e->changed);
  pthread_mutex_destroy(&e->lock);
  free(e);
}
