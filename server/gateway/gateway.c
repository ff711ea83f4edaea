#include "server/gateway/gateway.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/config/options.h"
#include "server/gateway/gateway_internal.h"

enum {
  TICK_MS = 50,           /* how often who waits too long is told so */
  RESTART_LEAST_MS = 100, /* back-off of restarts */
  RESTART_MOST_MS = 5000,
  KEEP_AGAIN_MS = 1000, /* between two attempts to store an end */
  HEALTHY_MS = 10000,   /* a gateway that lived so long starts the back-off anew */
};

/* -- life of the process -- */

/* The gateway is gone without having ended its transfers: nobody sees them any more. */
static void interrupt_all(struct gateway *g, const char *reason)
{
  struct transfer_report report = { .state = TRANSFER_INTERRUPTED, .problem = PROBLEM_TRANSFER_INTERRUPTED };
  char id[ID_SIZE];
  snprintf(report.reason, sizeof report.reason, "the gateway ended: %s", reason);
  for (;;) {
    pthread_mutex_lock(&g->lock);
    bool found = registry_first(&g->registry, id);
    pthread_mutex_unlock(&g->lock);
    if (found) gateway_end_recording(g, id, true);
    pthread_mutex_lock(&g->lock);
    if (found) {
      report.sent = registry_sent(&g->registry, id);
      registry_owe_stop(&g->registry, id);
      registry_report(&g->registry, id, clock_wall_ms(), &report);
    }
    pthread_mutex_unlock(&g->lock);
    if (!found) return;
    announce_change(&g->changes, id);
    gateway_keep(g, id, false);
  }
}

static bool stopping(struct gateway *g, int64_t *deadline_ns)
{
  pthread_mutex_lock(&g->lock);
  *deadline_ns = g->stop_at_ns;
  pthread_mutex_unlock(&g->lock);
  return *deadline_ns != 0;
}

/* How a gateway ends, for who listens to it. */
enum departure { GONE, SILENT, GOES_ON_ALONE };

/* The next frame; pings go out meanwhile, and what answers them is taken. Answers EUNAVAILABLE when none came in a tick. */
static enum armdyn_status hear(struct gateway *g, struct pulse *pulse, struct frame *frame)
{
  int64_t begun = clock_monotonic_ns();
  if (pulse_ping_due(pulse, begun)) atomic_store(&g->ping_due, true);
  gateway_ping(g);
  enum armdyn_status rc = channel_receive(&g->child.channel, frame, TICK_MS);
  pulse_waited(pulse, begun, clock_monotonic_ns(), TICK_MS);
  if (rc || frame->type != GATEWAY_PONG) return rc;
  pulse_heard(pulse);
  pthread_mutex_lock(&g->lock);
  g->answers = true;
  pthread_mutex_unlock(&g->lock);
  return ARMDYN_EUNAVAILABLE;
}

/* Listen until the gateway is gone, is silent, or (stopping) takes longer than it may. */
static enum departure listen_to(struct gateway *g)
{
  struct frame frame;
  struct pulse pulse;
  int64_t deadline_ns, keep_ns = 0;
  pulse_begin(&pulse, g->silence_ns);
  for (;;) {
    enum armdyn_status rc = hear(g, &pulse, &frame);
    if (!rc) gateway_take_frame(g, &frame);
    int64_t now = clock_monotonic_ns();
    gateway_expire_questions(g, now, "the controller did not answer in time");
    if (now > keep_ns) {
      gateway_keep_unstored(g);
      keep_ns = now + KEEP_AGAIN_MS * 1000000LL;
    }
    if (rc && rc != ARMDYN_EUNAVAILABLE) return GONE;
    if (pulse_lost(&pulse)) return SILENT;
    if (stopping(g, &deadline_ns) && now > deadline_ns) return GOES_ON_ALONE;
  }
}

/* Its controller is not described any more, so nobody can ask after it. */
static void orphan(struct gateway *g, const char *id)
{
  const struct transfer_report report = { .state = TRANSFER_INTERRUPTED,
                                          .problem = PROBLEM_TRANSFER_INTERRUPTED,
                                          .reason =
                                              "the service ended while it was on; its controller is unknown now" };
  pthread_mutex_lock(&g->lock);
  registry_report(&g->registry, id, clock_wall_ms(), &report);
  pthread_mutex_unlock(&g->lock);
  gateway_keep(g, id, false);
}

static void ask_after(struct gateway *g)
{
  struct message_recover message;
  for (size_t i = 0;;) {
    memset(&message, 0, sizeof message);
    pthread_mutex_lock(&g->lock);
    bool found = registry_unfinished(&g->registry, i, message.transfer, &message.address, &message.sets_outputs);
    pthread_mutex_unlock(&g->lock);
    if (!found) return;
    if (!*message.address.host) {
      orphan(g, message.transfer);
      continue;
    }
    gateway_send(g, GATEWAY_RECOVER, &message, sizeof message);
    i++;
  }
}

static enum armdyn_status start_child(struct gateway *g, struct armdyn_error *error)
{
  const char *arguments[] = { "gateway", g->dir, g->on_server_loss, g->log_level, NULL };
  pthread_mutex_lock(&g->send_lock);
  enum armdyn_status rc = child_start(&g->child, arguments, false, error);
  g->up = !rc;
  pthread_mutex_unlock(&g->send_lock);
  return rc;
}

/* What a gateway that is gone may have left moving, with nobody to set its outputs. It is nobody's STOP: queues are blocked by
 * the loss already. What cannot be sent is left to the gateway after this one. */
static void stop_owed(struct gateway *g)
{
  struct message_command message;
  memset(&message, 0, sizeof message);
  message.command.kind = ASK_STOP;
  for (;;) {
    pthread_mutex_lock(&g->lock);
    bool found = registry_owed(&g->registry, &message.address);
    pthread_mutex_unlock(&g->lock);
    if (!found || gateway_send(g, GATEWAY_COMMAND, &message, sizeof message)) return;
    log_event(LOG_WARNING, "STOP: its gateway ended within a motion that sets outputs", "host", message.address.host,
              "port", LOG_NUMBER(message.address.port), NULL);
    pthread_mutex_lock(&g->lock);
    registry_stop_sent(&g->registry, &message.address);
    pthread_mutex_unlock(&g->lock);
  }
}

/* Reap it, or leave one alone that still ends its transfers. */
static void end_child(struct gateway *g, enum departure departure, char reason[CHILD_REASON_SIZE])
{
  if (departure == SILENT)
    kill(g->child.pid, SIGKILL); /* first: who holds the lock may be waiting for it to take a frame */
  pthread_mutex_lock(&g->send_lock);
  g->up = false;
  g->generation++;
  if (departure == GOES_ON_ALONE) {
    channel_close(&g->child.channel);
    snprintf(reason, CHILD_REASON_SIZE, "it goes on alone");
  } else {
    child_end(&g->child, true, reason);
  }
  pthread_mutex_unlock(&g->send_lock);
  if (departure == SILENT)
    snprintf(reason, CHILD_REASON_SIZE, "killed after %lld s without an answer", g->silence_ns / 1000000000LL);
  pthread_mutex_lock(&g->lock);
  g->answers = false;
  g->silences += departure == SILENT;
  snprintf(g->why, sizeof g->why, "the gateway ended (%s) and is being started again", reason);
  figures_add(&g->before, &g->now);
  memset(&g->now, 0, sizeof g->now);
  pthread_mutex_unlock(&g->lock);
}

static void *supervise(void *context)
{
  struct gateway *g = context;
  char reason[CHILD_REASON_SIZE];
  struct armdyn_error error = { "", "" };
  int64_t deadline_ns;
  for (int pause_ms = RESTART_LEAST_MS;;) {
    int64_t born = clock_monotonic_ns();
    end_child(g, listen_to(g), reason);
    gateway_disappoint(g);
    if (stopping(g, &deadline_ns)) return NULL; /* what it did not report stays for the next start */
    log_event(LOG_ERROR, "the gateway ended; it is started again", "reason", reason, NULL);
    interrupt_all(g, reason);
    do {
      if (clock_monotonic_ns() - born > HEALTHY_MS * 1000000LL) pause_ms = RESTART_LEAST_MS;
      nanosleep(&(struct timespec){ pause_ms / 1000, pause_ms % 1000 * 1000000L }, NULL);
      pause_ms = 2 * pause_ms < RESTART_MOST_MS ? 2 * pause_ms : RESTART_MOST_MS;
      if (stopping(g, &deadline_ns)) return NULL;
    } while (start_child(g, &error));
    stop_owed(g);
  }
}

/* -- start and stop -- */

static void visit_controller(void *context, const struct store_controller *row)
{
  struct registry *registry = context;
  struct faults *faults = calloc(1, sizeof *faults);
  struct controller_description *controller = malloc(sizeof *controller);
  if (faults && controller && !controller_decode(row->document, strlen(row->document), controller, faults))
    registry_controller(registry, controller);
  free(controller);
  free(faults);
}

static void visit_unfinished(void *context, const struct store_transfer *row)
{
  if (registry_adopt(context, row)) log_event(LOG_ERROR, "a transfer cannot be followed up", "transfer", row->id, NULL);
}

/* What the store knows: where controllers are, and which transfers have no end yet. */
static enum armdyn_status remember(struct store *store, struct registry *registry)
{
  enum armdyn_status rc = store_controller_list(store, STORE_ALL_BY_NAME, visit_controller, registry);
  return rc ? rc : store_transfer_unfinished(store, visit_unfinished, registry);
}

enum armdyn_status gateway_learn(struct gateway *g, struct store *store)
{
  struct registry known = { .controllers = NULL };
  enum armdyn_status rc = remember(store, &known);
  if (!rc) {
    registry_watch_only(&known);
    pthread_mutex_lock(&g->lock);
    const struct registry former = g->registry;
    g->registry = known;
    g->registry.stops = former.stops;
    known = former;
    pthread_mutex_unlock(&g->lock);
  }
  registry_release(&known);
  return rc;
}

enum armdyn_status gateway_start(struct store *store, struct robots *robots, const struct options *options,
                                 const struct announce *changes, const struct telemetry_tap *tap,
                                 struct gateway **gateway, struct armdyn_error *error)
{
  struct gateway *g = calloc(1, sizeof *g);
  if (!g) return ARMDYN_EMEMORY;
  g->store = store;
  g->recorder = (struct recorder){ .store = store, .robots = robots };
  if (changes) g->changes = *changes;
  if (tap) g->tap = *tap;
  pthread_mutex_init(&g->lock, NULL);
  pthread_mutex_init(&g->send_lock, NULL);
  pthread_mutex_init(&g->cell_lock, NULL);
  snprintf(g->on_server_loss, sizeof g->on_server_loss, "%s", options->on_server_loss);
  snprintf(g->why, sizeof g->why, "the gateway is being started");
  g->silence_ns = options->child_silence * 1000000000LL;
  snprintf(g->log_level, sizeof g->log_level, "%s", options->log_level);
  snprintf(g->dir, sizeof g->dir, "%s/gateway", options->data);
  enum armdyn_status rc = ARMDYN_EIO;
  if (mkdir(g->dir, 0700) && errno != EEXIST) {
    armdyn_refuse(error, rc, "", "cannot make '%s': %s", g->dir, strerror(errno));
    goto out;
  }
  if (store && (rc = remember(store, &g->registry))) goto out;
  if ((rc = start_child(g, error))) goto out;
  ask_after(g);
  if (pthread_create(&g->supervisor, NULL, supervise, g)) {
    char reason[CHILD_REASON_SIZE];
    end_child(g, GONE, reason);
    rc = armdyn_refuse(error, ARMDYN_EMEMORY, "", "no thread for the gateway");
    goto out;
  }
  *gateway = g;
  g = NULL;
out:
  if (g) registry_release(&g->registry);
  free(g);
  return rc;
}

void gateway_stop(struct gateway *g, int64_t deadline_ns)
{
  if (!g) return;
  pthread_mutex_lock(&g->lock);
  g->stop_at_ns = deadline_ns;
  pthread_mutex_unlock(&g->lock);
  pthread_mutex_lock(&g->send_lock);
  if (g->up) shutdown(g->child.channel.fd, SHUT_WR); /* it ends its transfers, and can still tell us how */
  pthread_mutex_unlock(&g->send_lock);
  pthread_join(g->supervisor, NULL);
  recorder_release(&g->recorder);
  registry_release(&g->registry);
  pthread_mutex_destroy(&g->lock);
  pthread_mutex_destroy(&g->send_lock);
  pthread_mutex_destroy(&g->cell_lock);
  free(g);
}
