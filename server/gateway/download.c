#include <math.h>
#include <stdarg.h>

#include "server/base/clock.h"
#include "server/gateway/download.h"

enum {
  BEAT_MS = 200,          /* between two heartbeats */
  CONNECT_MS = 1000,      /* one attempt */
  RETRY_MS = 200,         /* between two attempts */
  LOOK_EVERY = 32,        /* windows between two looks at the next offset */
  FRUITLESS_MOST = 10,    /* looks without progress, or connections lost without any */
  BEGIN_MOST = 5,         /* a controller that restarts again and again */
  WATCH_MARGIN_MS = 10000 /* how much longer than its duration a motion is looked for after the link was lost */
};

struct download {
  const struct transfer_order *order;
  const struct profile_head *head;
  struct client *client;
  const struct download_port *port;
  struct transfer_report now;
  bool ended;

  int64_t beat_due_ns;
  uint16_t instance; /* of the controller when BEGIN was carried out */
  int begun;         /* BEGINs carried out */
  bool started;      /* START was rung, by us, or the controller was seen playing */
  bool leaving;      /* the service is gone; the motion is brought to its end */
  bool confirmed;    /* the controller said that nothing moves */
  int64_t ready_ns;  /* when it became ready */
  int64_t lost_ns;   /* since when it is out of sight; 0: it is not */
  struct armdyn_error error;
};

static int64_t after_ms(int64_t ms)
{
  return clock_monotonic_ns() + ms * 1000000;
}

static void report(struct download *d, enum transfer_state state, int problem, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void report(struct download *d, enum transfer_state state, int problem, const char *format, ...)
{
  d->now.state = state;
  d->now.problem = problem;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(d->now.reason, sizeof d->now.reason, format, arguments);
  va_end(arguments);
  d->ended = transfer_state_final(state);
  d->port->report(d->port->context, &d->now);
}

/* -- ending it -- */

/* Stop the controller if it has anything of ours (or `always`), make it forget that, and end. What was told to stop but
 * says nothing is out of sight. */
static void stop_and_end(struct download *d, bool always, enum transfer_state end, int problem, const char *reason)
{
  enum controller_phase before = d->client->state.phase;
  enum armdyn_status rc = d->begun || always ? client_stop(d->client, &d->error) : ARMDYN_OK;
  d->confirmed = !rc;
  if (rc && d->begun && (d->started || before >= PHASE_READY)) {
    report(d, TRANSFER_INTERRUPTED, PROBLEM_TRANSFER_INTERRUPTED, "%.60s; STOP is not confirmed (%.100s)", reason,
           d->error.message);
    return;
  }
  if (d->begun && !rc && d->client->state.phase != PHASE_FAULT && d->client->state.phase != PHASE_EMPTY)
    client_command(d->client, COMMAND_CLEAR, NULL, &d->error); /* nobody shall start it later */
  report(d, end, problem, "%s", reason);
}

static void expire(struct download *d)
{
  stop_and_end(d, false, TRANSFER_FAILED, PROBLEM_START_EXPIRED, "start_before passed before START could be sent");
}

/* -- what the controller says, as states of the transfer -- */

static void follow_end(struct download *d, const struct controller_state *s)
{
  if (s->phase == PHASE_FAULT)
    report(d, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "the controller is in FAULT: error %u, %s", s->error,
           controller_error_text(s->error));
  else if (s->phase == PHASE_DONE)
    report(d, TRANSFER_DONE, -1, "%s", "");
  else
    report(d, TRANSFER_STOPPED, -1, "the controller ended it: it is in state %s", controller_phase_name(s->phase));
}

/* The controller's state, seen and told. */
static void follow(struct download *d)
{
  static const enum transfer_state states[PHASE_COUNT] = { [PHASE_READY] = TRANSFER_READY,
                                                           [PHASE_ARMED] = TRANSFER_ARMED,
                                                           [PHASE_PLAYING] = TRANSFER_PLAYING,
                                                           [PHASE_HOLDING] = TRANSFER_HOLDING };
  const struct controller_state *s = &d->client->state;
  if (d->client->identity.instance != d->instance) {
    if (d->started)
      report(d, TRANSFER_INTERRUPTED, PROBLEM_TRANSFER_INTERRUPTED, "the controller restarted while it played");
    else
      report(d, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "the controller restarted and lost the profile");
    return;
  }
  bool held = s->profile == d->head->id;
  bool played = s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING || s->phase == PHASE_DONE;
  if (held && played && d->now.state < TRANSFER_PLAYING) {
    d->started = true;
    report(d, TRANSFER_PLAYING, -1, "%s", "");
  }
  if (!held || !states[s->phase]) {
    follow_end(d, s);
    return;
  }
  if (states[s->phase] == d->now.state) return;
  if (s->phase == PHASE_HOLDING && s->error)
    report(d, TRANSFER_HOLDING, -1, "the controller holds: error %u, %s", s->error, controller_error_text(s->error));
  else
    report(d, states[s->phase], -1, "%s", "");
}

/* -- wishes -- */

static void observe(struct download *d)
{
  struct observation seen = { .seen_ms = clock_wall_ms(),
                              .connected = link_is_open(&d->client->link),
                              .simulated = d->client->identity.simulated,
                              .state = d->client->state };
  if (seen.connected && client_positions(d->client, seen.position, &d->error)) seen.connected = false;
  d->port->observe(d->port->context, &seen);
}

/* With what is seen now, after the wish was granted. */
static void answer(struct download *d, const struct wish *wish, enum armdyn_status status, const char *text)
{
  char why[sizeof d->error.message];
  snprintf(why, sizeof why, "%s", text);
  if (link_is_open(&d->client->link)) observe(d);
  d->port->answer(d->port->context, wish, status, why);
}

/* ARM is asked for: is the arm where the profile begins? The controller asks the same with its own tolerance. */
static enum armdyn_status arm(struct download *d)
{
  float position[REGISTERS_AXES];
  enum armdyn_status rc = client_positions(d->client, position, &d->error);
  for (uint32_t a = 0; !rc && a < d->head->axis_count; a++) {
    const struct profile_axis *axis = &d->head->axes[a];
    double off = (double)position[axis->axis] - (double)d->head->start[axis->axis];
    if (!(fabs(off) <= axis->start_tolerance))
      rc = armdyn_refuse(&d->error, ARMDYN_ECONFLICT, "", "axis %u (%s) is %.4g away from the start, more than %.4g",
                         axis->axis + 1, axis->joint, off, axis->start_tolerance);
  }
  return rc ? rc : client_command(d->client, COMMAND_ARM, NULL, &d->error);
}

/* START, once. Whatever comes of it, it is never rung again: what the answer did not tell, watching will. */
static void start(struct download *d, const struct wish *wish)
{
  if (d->client->state.phase != PHASE_ARMED || d->started) {
    answer(d, wish, ARMDYN_ECONFLICT, "the controller is not armed");
    stop_and_end(d, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED,
                 "START was asked for when the controller was not armed");
    return;
  }
  if (clock_wall_ms() > wish->start_before_ms) {
    answer(d, wish, ARMDYN_ECONFLICT, "start_before has passed");
    expire(d);
    return;
  }
  d->started = true;
  enum armdyn_status rc = client_command(d->client, COMMAND_START, NULL, &d->error);
  if (!rc) follow(d);
  answer(d, wish, rc, d->error.message);
  if (rc == ARMDYN_ECONFLICT) {
    char why[sizeof d->error.message];
    memcpy(why, d->error.message, sizeof why);
    stop_and_end(d, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, why);
  }
}

static void plain_command(struct download *d, const struct wish *wish, enum controller_command command)
{
  enum armdyn_status rc = client_command(d->client, command, NULL, &d->error);
  if (!rc) follow(d);
  answer(d, wish, rc, d->error.message);
}

static void stop_wished(struct download *d, const struct wish *wish)
{
  stop_and_end(d, true, TRANSFER_STOPPED, -1, "stopped on request");
  answer(d, wish, d->confirmed ? ARMDYN_OK : ARMDYN_EUNAVAILABLE, d->confirmed ? "" : d->error.message);
}

static void leave(struct download *d)
{
  if (d->leaving) return;
  d->leaving = true;
  bool moving = d->client->state.phase == PHASE_PLAYING && d->started;
  if (d->port->on_server_loss == SERVER_LOSS_FINISH && moving) return;
  stop_and_end(d, false, TRANSFER_STOPPED, -1, "the service ended");
}

/* While nothing but waiting is on: everything. */
static void grant(struct download *d, const struct wish *wish)
{
  switch (wish->kind) {
  case WISH_STOP: stop_wished(d, wish); break;
  case WISH_LEAVE: leave(d); break;
  case WISH_START: start(d, wish); break;
  case WISH_HOLD: plain_command(d, wish, COMMAND_HOLD); break;
  case WISH_RESUME: plain_command(d, wish, COMMAND_RESUME); break;
  case WISH_ARM: {
    enum armdyn_status rc = d->started ? ARMDYN_ECONFLICT : arm(d);
    if (!rc) follow(d);
    answer(d, wish, rc, d->error.message);
    break;
  }
  case WISH_LOOK: answer(d, wish, ARMDYN_OK, ""); break;
  default: answer(d, wish, ARMDYN_ECONFLICT, "a transfer holds the controller");
  }
}

/* While it connects or loads: STOP and LEAVE end it, everything else comes too early. */
static void hear(struct download *d, int wait_ms)
{
  struct wish wish;
  while (!d->ended && d->port->take_wish(d->port->context, wait_ms, &wish)) {
    wait_ms = 0;
    if (wish.kind == WISH_STOP || wish.kind == WISH_LEAVE || wish.kind == WISH_LOOK)
      grant(d, &wish);
    else
      answer(d, &wish, ARMDYN_ECONFLICT, "the transfer is not loaded yet");
  }
  if (!d->ended && d->order->start && clock_wall_ms() > d->order->start_before_ms && !d->started) expire(d);
}

/* -- keeping in touch -- */

static enum armdyn_status beat_if_due(struct download *d)
{
  if (clock_monotonic_ns() < d->beat_due_ns) return ARMDYN_OK;
  d->beat_due_ns = after_ms(BEAT_MS);
  return client_beat(d->client, &d->error);
}

/* While it loads: a heartbeat, and what there is to see, as often as that is due. */
static enum armdyn_status stay_in_touch(struct download *d)
{
  if (clock_monotonic_ns() < d->beat_due_ns) return ARMDYN_OK;
  observe(d);
  return beat_if_due(d);
}

/* Connect (again) until the deadline. OK; EUNAVAILABLE after it; EINPUT: something else answers there; ECANCELLED: the
 * transfer ended meanwhile. */
static enum armdyn_status regain(struct download *d, int64_t deadline_ns)
{
  for (;;) {
    enum armdyn_status rc = client_connect(d->client, CONNECT_MS, &d->error);
    if (rc != ARMDYN_EUNAVAILABLE) return rc;
    if (clock_monotonic_ns() > deadline_ns) return rc;
    hear(d, RETRY_MS);
    if (d->ended) return ARMDYN_ECANCELLED;
  }
}

/* -- loading -- */

/* Does the controller still hold what BEGIN announced? */
static bool ours(const struct download *d)
{
  return d->begun && d->client->identity.instance == d->instance && d->client->state.profile == d->head->id;
}

static enum armdyn_status begin(struct download *d)
{
  if (d->begun >= BEGIN_MOST)
    return armdyn_refuse(&d->error, ARMDYN_ECONFLICT, "", "the controller lost the profile %d times", d->begun);
  enum armdyn_status rc = client_command(d->client, COMMAND_BEGIN, d->head, &d->error);
  if (rc) return rc;
  d->begun++;
  d->instance = d->client->identity.instance;
  return client_look(d->client, &d->error);
}

/* Send up to LOOK_EVERY windows from the controller's next offset on, then look where it is. */
static enum armdyn_status send_windows(struct download *d)
{
  unsigned per_sample = sample_words(d->head->format, d->head->axis_count);
  uint32_t per_window = d->client->identity.window_most / per_sample, at = d->client->state.next_offset;
  for (int k = 0; k < LOOK_EVERY && at < d->head->total; k++) {
    uint32_t count = d->head->total - at < per_window ? d->head->total - at : per_window;
    enum armdyn_status rc =
        client_window(d->client, at, d->order->profile.words + (size_t)at * per_sample, count * per_sample, &d->error);
    if (rc) return rc;
    at += count;
  }
  return client_look(d->client, &d->error);
}

/* On one connection, from wherever the controller is, to READY. */
static enum armdyn_status load_here(struct download *d)
{
  enum armdyn_status rc = ARMDYN_OK;
  if (ours(d) && d->client->state.phase == PHASE_READY) return ARMDYN_OK; /* only the answer to COMMIT was lost */
  for (int fruitless = 0; !rc && !d->ended;) {
    if (!ours(d) || d->client->state.phase != PHASE_LOADING) {
      rc = begin(d);
      continue;
    }
    uint32_t before = d->client->state.next_offset;
    if (before == d->head->total) return client_command(d->client, COMMAND_COMMIT, d->head, &d->error);
    if ((rc = send_windows(d)) || (rc = stay_in_touch(d))) break;
    d->now.sent = d->client->state.next_offset;
    d->port->progress(d->port->context, d->now.sent);
    fruitless = d->now.sent > before ? 0 : fruitless + 1;
    if (fruitless > FRUITLESS_MOST)
      return armdyn_refuse(&d->error, ARMDYN_ECONFLICT, "", "the controller takes no more windows: error %u, %s",
                           d->client->state.error, controller_error_text(d->client->state.error));
    hear(d, 0);
  }
  return d->ended ? ARMDYN_ECANCELLED : rc;
}

/* Through lost connections, resuming where the controller is. */
static enum armdyn_status load(struct download *d)
{
  enum armdyn_status rc;
  for (int fruitless = 0; (rc = load_here(d)) == ARMDYN_EUNAVAILABLE && fruitless <= FRUITLESS_MOST; fruitless++) {
    uint32_t before = d->now.sent;
    hear(d, RETRY_MS);
    if (d->ended) return ARMDYN_ECANCELLED;
    if ((rc = regain(d, after_ms(d->order->connect_deadline_ms)))) return rc;
    if (ours(d)) d->now.sent = d->client->state.next_offset;
    if (d->now.sent > before) fruitless = -1;
  }
  return rc;
}

/* Can this controller play it, and is it free? */
static enum armdyn_status check_controller(struct download *d)
{
  const struct controller_identity *id = &d->client->identity;
  const struct profile_head *head = d->head;
  if (head->axis_mask >> id->axes)
    return armdyn_refuse(&d->error, ARMDYN_ECONFLICT, "", "the profile needs axis %u, the controller has %u",
                         head->axes[head->axis_count - 1].axis + 1, id->axes);
  if (!(id->formats >> (head->format - 1) & 1))
    return armdyn_refuse(&d->error, ARMDYN_ECONFLICT, "", "the controller does not take format %u", head->format);
  if (head->total > id->samples_most)
    return armdyn_refuse(&d->error, ARMDYN_ECONFLICT, "", "the profile has %u samples, the controller holds %u",
                         head->total, id->samples_most);
  if (sample_words(head->format, head->axis_count) > id->window_most)
    return armdyn_refuse(&d->error, ARMDYN_ECONFLICT, "", "a sample has %u words, the controller's window %u",
                         sample_words(head->format, head->axis_count), id->window_most);
  enum controller_phase phase = d->client->state.phase;
  if (phase == PHASE_ARMED || phase == PHASE_PLAYING || phase == PHASE_HOLDING || phase == PHASE_FAULT)
    return armdyn_refuse(&d->error, ARMDYN_ECONFLICT, "",
                         "the controller is in state %s (error %u, %s); stop or clear it", controller_phase_name(phase),
                         d->client->state.error, controller_error_text(d->client->state.error));
  return ARMDYN_OK;
}

static void fail(struct download *d, enum armdyn_status rc)
{
  if (d->ended) return;
  char why[sizeof d->error.message];
  memcpy(why, d->error.message, sizeof why);
  if (rc == ARMDYN_EUNAVAILABLE)
    report(d, TRANSFER_FAILED, PROBLEM_CONTROLLER_UNREACHABLE, "%s", why);
  else
    stop_and_end(d, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, why);
}

/* -- from READY to the end -- */

/* The connection is lost between READY and the end: look again, for as long as the motion may last. */
static void find_again(struct download *d)
{
  int64_t most_ms = d->order->connect_deadline_ms;
  if (d->started) most_ms = (int64_t)d->head->total * d->head->period_us / 1000 + WATCH_MARGIN_MS;
  if (!d->lost_ns) d->lost_ns = clock_monotonic_ns();
  d->port->observe(d->port->context, &(struct observation){ .connected = false });

  char why[sizeof d->error.message];
  memcpy(why, d->error.message, sizeof why);
  enum armdyn_status rc = regain(d, d->lost_ns + most_ms * 1000000);
  if (rc == ARMDYN_ECANCELLED) return;
  if (!rc && clock_monotonic_ns() > d->lost_ns + most_ms * 1000000) rc = ARMDYN_EUNAVAILABLE; /* it never stays */
  if (rc && (d->started || d->now.state == TRANSFER_ARMED))
    report(d, TRANSFER_INTERRUPTED, PROBLEM_TRANSFER_INTERRUPTED, "lost sight of it: %s", why);
  else if (rc)
    report(d, TRANSFER_FAILED, PROBLEM_CONTROLLER_UNREACHABLE, "%s", why);
  else if (d->started && d->client->state.phase == PHASE_ARMED && !client_was_taken(d->client))
    stop_and_end(d, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "START did not arrive, and is not sent again");
}

static void arm_by_itself(struct download *d)
{
  enum armdyn_status rc = arm(d);
  if (rc == ARMDYN_ECONFLICT) fail(d, rc);
}

/* One heartbeat's worth of waiting, listening and looking. */
static void attend(struct download *d)
{
  struct wish wish;
  int64_t wait_ms = (d->beat_due_ns - clock_monotonic_ns()) / 1000000;
  if (wait_ms > BEAT_MS) wait_ms = BEAT_MS;
  if (d->port->take_wish(d->port->context, wait_ms > 0 ? (int)wait_ms : 0, &wish)) grant(d, &wish);
  if (d->ended) return;

  enum armdyn_status rc = beat_if_due(d);
  if (!rc) rc = client_look(d->client, &d->error);
  if (rc) {
    find_again(d);
    return;
  }
  d->lost_ns = 0;
  follow(d);
  observe(d);
  if (d->ended || d->started) return;
  if (d->order->start && d->now.state == TRANSFER_READY) arm_by_itself(d);
  if (!d->ended && d->order->start && clock_wall_ms() > d->order->start_before_ms) expire(d);
  if (!d->ended && clock_monotonic_ns() > d->ready_ns + d->order->ready_timeout_ms * 1000000LL)
    stop_and_end(d, false, TRANSFER_FAILED, PROBLEM_CONFLICT, "nobody started it within ready_timeout");
}

void transfer_order_free(struct transfer_order *order)
{
  if (!order) return;
  profile_release(&order->profile);
  free(order);
}

void download_run(const struct transfer_order *order, struct client *client, const struct download_port *port)
{
  struct download d = { .order = order, .head = &order->profile.head, .client = client, .port = port };
  report(&d, TRANSFER_CONNECTING, -1, "%s", "");
  client->rung.command = 0; /* whatever was open before is no concern of this transfer */
  enum armdyn_status rc = regain(&d, after_ms(order->connect_deadline_ms));
  if (!rc) rc = check_controller(&d);
  if (!rc) {
    report(&d, TRANSFER_LOADING, -1, "%s", "");
    rc = load(&d);
  }
  if (rc) {
    fail(&d, rc);
    return;
  }
  if (d.ended) return;
  d.now.sent = d.head->total;
  d.ready_ns = clock_monotonic_ns();
  report(&d, TRANSFER_READY, -1, "%s", "");
  while (!d.ended) attend(&d);
}
