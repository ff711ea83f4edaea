#include <math.h>
#include <stdarg.h>

#include "server/base/clock.h"
#include "server/gateway/running.h"

enum {
  BEAT_MS = 200,           /* between two heartbeats */
  FEED_MS = 40,            /* between two looks at a stream that plays */
  MOVE_MOST_MS = 10000,    /* from START to the first sign of motion */
  CONNECT_MS = 1000,       /* one attempt */
  PAUSE_LEAST_MS = 50,     /* between two attempts, at first */
  PAUSE_MOST_MS = 2000,    /* and at last */
  WATCH_MARGIN_MS = 10000, /* how much longer than its duration a motion is looked for after the link was lost */
};

static int64_t after_ms(int64_t ms)
{
  return clock_monotonic_ns() + ms * 1000000;
}

/* -- what is measured -- */

static void hand_over(struct running *r, bool must)
{
  struct telemetry *t = &r->telemetry;
  if (t->block.count && r->port->telemetry(r->port->context, &t->block, must)) telemetry_taken(t);
}

void running_report(struct running *r, enum transfer_state state, int problem, const char *format, ...)
{
  if (transfer_state_final(state)) hand_over(r, true);
  r->now.state = state;
  r->now.problem = problem;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->now.reason, sizeof r->now.reason, format, arguments);
  va_end(arguments);
  r->ended = transfer_state_final(state);
  r->port->report(r->port->context, &r->now);
}

/* -- what is seen -- */

static void observe(struct running *r)
{
  struct observation seen = { .seen_ms = clock_wall_ms(),
                              .connected = link_is_open(&r->client->link),
                              .simulated = r->client->identity.simulated,
                              .state = r->client->state };
  seen.mapped = r->client->address.mapped;
  memcpy(seen.signals, r->client->mapped.signals, sizeof seen.signals);
  if (seen.connected && client_positions(r->client, seen.position, &r->error)) seen.connected = false;
  r->port->observe(r->port->context, &seen);
  r->seen_due_ns = after_ms(BEAT_MS / 2);
}

/* -- ending it -- */

/* Stop the controller if it has anything of ours (or `always`), make it forget that, and end. What was told to stop but
 * says nothing is out of sight. */
static void stop_and_end(struct running *r, bool always, enum transfer_state end, int problem, const char *reason)
{
  enum controller_phase before = r->client->state.phase;
  enum armdyn_status rc = r->begun || always ? client_stop(r->client, &r->error) : ARMDYN_OK;
  r->confirmed = !rc;
  if (rc && r->begun && (r->started || before >= PHASE_READY)) {
    running_report(r, TRANSFER_INTERRUPTED, PROBLEM_TRANSFER_INTERRUPTED, "%.60s; STOP is not confirmed (%.100s)",
                   reason, r->error.message);
    return;
  }
  if (r->begun && !rc && r->client->state.phase != PHASE_FAULT && r->client->state.phase != PHASE_EMPTY)
    client_command(r->client, COMMAND_CLEAR, NULL, &r->error); /* nobody shall start it later */
  if (link_is_open(&r->client->link)) observe(r);
  running_report(r, end, problem, "%s", reason);
}

static void expire(struct running *r)
{
  stop_and_end(r, false, TRANSFER_FAILED, PROBLEM_START_EXPIRED, "start_before passed before START could be sent");
}

/* -- what the controller says, as states of the transfer -- */

static void follow_end(struct running *r, const struct controller_state *s)
{
  if (s->phase == PHASE_FAULT)
    running_report(r, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "the controller is in FAULT: error %u, %s", s->error,
                   controller_error_text(s->error));
  else if (s->phase == PHASE_DONE)
    running_report(r, TRANSFER_DONE, -1, "%s", "");
  else
    running_report(r, TRANSFER_STOPPED, -1, "the controller ended it: it is in state %s",
                   controller_phase_name(s->phase));
}

/* The controller's state, seen and told. */
static void follow(struct running *r)
{
  static const enum transfer_state loaded[PHASE_COUNT] = { [PHASE_READY] = TRANSFER_READY,
                                                           [PHASE_ARMED] = TRANSFER_ARMED,
                                                           [PHASE_PLAYING] = TRANSFER_PLAYING,
                                                           [PHASE_HOLDING] = TRANSFER_HOLDING };
  const struct controller_state *s = &r->client->state;
  /* A stream is armed while it is still loading. */
  enum transfer_state state =
      s->phase == PHASE_LOADING && r->order->stream && !r->started ? TRANSFER_READY : loaded[s->phase];
  if (r->client->identity.instance != r->instance) {
    if (r->started)
      running_report(r, TRANSFER_INTERRUPTED, PROBLEM_TRANSFER_INTERRUPTED, "the controller restarted while it played");
    else
      running_report(r, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "the controller restarted and lost the profile");
    return;
  }
  bool held = s->profile == r->head->id;
  bool played = s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING || s->phase == PHASE_DONE;
  if (held && played && r->now.state < TRANSFER_PLAYING) {
    r->started = true;
    running_report(r, TRANSFER_PLAYING, -1, "%s", "");
  }
  if (!held || !state) {
    follow_end(r, s);
    return;
  }
  if (state == r->now.state) return;
  if (s->phase == PHASE_HOLDING && s->error == CONTROLLER_UNDERRUN) r->client->link.figures->underruns++;
  if (s->phase == PHASE_HOLDING && s->error)
    running_report(r, TRANSFER_HOLDING, -1, "the controller holds: error %u, %s", s->error,
                   controller_error_text(s->error));
  else
    running_report(r, state, -1, "%s", "");
}

/* -- wishes -- */

/* With what is seen now, after the wish was granted. */
static void answer(struct running *r, const struct wish *wish, enum armdyn_status status, const char *text)
{
  char why[sizeof r->error.message];
  snprintf(why, sizeof why, "%s", text);
  if (link_is_open(&r->client->link)) observe(r);
  r->port->answer(r->port->context, wish, status, why);
}

/* ARM is asked for: is the arm where the profile begins? The controller asks the same with its own tolerance. */
static enum armdyn_status arm(struct running *r)
{
  float position[REGISTERS_AXES];
  enum armdyn_status rc = client_positions(r->client, position, &r->error);
  for (uint32_t a = 0; !rc && a < r->head->axis_count; a++) {
    const struct profile_axis *axis = &r->head->axes[a];
    double off = (double)position[axis->axis] - (double)r->head->start[axis->axis];
    if (isnan(position[axis->axis]))
      rc = armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                         "no register tells where axis %u (%s) is; the PLC must start it", axis->axis + 1, axis->joint);
    else if (!(fabs(off) <= axis->start_tolerance))
      rc = armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "axis %u (%s) is %.4g away from the start, more than %.4g",
                         axis->axis + 1, axis->joint, off, axis->start_tolerance);
  }
  return rc ? rc : client_command(r->client, COMMAND_ARM, NULL, &r->error);
}

/* START, rung once. Whatever comes of that, it is never rung again: what the answer did not tell, watching will. Where the
 * connection broke before, it waits for the next one. */
static void start(struct running *r, const struct wish *wish)
{
  if (r->client->state.phase != PHASE_ARMED || r->started) {
    answer(r, wish, ARMDYN_ECONFLICT, "the controller is not armed");
    stop_and_end(r, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED,
                 "START was asked for when the controller was not armed");
    return;
  }
  if (clock_wall_ms() > wish->start_before_ms) {
    answer(r, wish, ARMDYN_ECONFLICT, "start_before has passed");
    expire(r);
    return;
  }
  r->started = true;
  r->started_ns = clock_monotonic_ns();
  enum armdyn_status rc = client_command(r->client, COMMAND_START, NULL, &r->error);
  if (rc == ARMDYN_EUNAVAILABLE && !client_has_rung(r->client, COMMAND_START)) {
    r->started = false;
    r->unrung = *wish;
    return;
  }
  if (!rc) follow(r);
  answer(r, wish, rc, r->error.message);
  if (rc == ARMDYN_ECONFLICT) {
    char why[sizeof r->error.message];
    memcpy(why, r->error.message, sizeof why);
    stop_and_end(r, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, why);
  }
}

/* The START that waits, if there is one: rung on this connection, or told that it cannot be. */
static void start_unrung(struct running *r)
{
  struct wish wish = r->unrung;
  if (!wish.kind) return;
  r->unrung.kind = WISH_NONE;
  if (r->ended)
    answer(r, &wish, ARMDYN_ECONFLICT, "the transfer ended before START could be sent");
  else
    start(r, &wish);
}

static void plain_command(struct running *r, const struct wish *wish, enum controller_command command)
{
  enum armdyn_status rc = client_command(r->client, command, NULL, &r->error);
  if (!rc) follow(r);
  answer(r, wish, rc, r->error.message);
}

static void stop_wished(struct running *r, const struct wish *wish)
{
  stop_and_end(r, true, TRANSFER_STOPPED, -1, stop_reason(wish));
  answer(r, wish, r->confirmed ? ARMDYN_OK : ARMDYN_EUNAVAILABLE, r->confirmed ? "" : r->error.message);
}

static void leave(struct running *r)
{
  if (r->leaving) return;
  r->leaving = true;
  bool moving = r->client->state.phase == PHASE_PLAYING && r->started;
  if (r->port->on_server_loss == SERVER_LOSS_FINISH && moving) return;
  stop_and_end(r, false, TRANSFER_STOPPED, -1, "the service ended");
}

/* While nothing but waiting is on: everything. */
static void grant(struct running *r, const struct wish *wish)
{
  switch (wish->kind) {
  case WISH_STOP: stop_wished(r, wish); break;
  case WISH_LEAVE: leave(r); break;
  case WISH_START: start(r, wish); break;
  case WISH_HOLD: plain_command(r, wish, COMMAND_HOLD); break;
  case WISH_RESUME: plain_command(r, wish, COMMAND_RESUME); break;
  case WISH_ARM: {
    enum armdyn_status rc = r->started ? ARMDYN_ECONFLICT : arm(r);
    if (!rc) follow(r);
    answer(r, wish, rc, r->error.message);
    break;
  }
  case WISH_LOOK: answer(r, wish, ARMDYN_OK, ""); break;
  default: answer(r, wish, ARMDYN_ECONFLICT, "a transfer holds the controller");
  }
}

/* While it connects or loads: STOP and LEAVE end it, everything else comes too early. */
void running_hear(struct running *r, int wait_ms)
{
  struct wish wish;
  while (!r->ended && r->port->take_wish(r->port->context, wait_ms, &wish)) {
    wait_ms = 0;
    if (wish.kind == WISH_STOP || wish.kind == WISH_LEAVE || wish.kind == WISH_LOOK)
      grant(r, &wish);
    else
      answer(r, &wish, ARMDYN_ECONFLICT, "the transfer is not loaded yet");
  }
  if (!r->ended && r->order->start && clock_wall_ms() > r->order->start_before_ms && !r->started) expire(r);
}

/* -- keeping in touch -- */

enum armdyn_status running_beat(struct running *r)
{
  if (clock_monotonic_ns() < r->beat_due_ns) return ARMDYN_OK;
  r->beat_due_ns = after_ms(BEAT_MS);
  return client_beat(r->client, &r->error);
}

/* While it loads: a heartbeat, and what there is to see, as often as that is due. */
enum armdyn_status running_stay_in_touch(struct running *r)
{
  if (clock_monotonic_ns() < r->beat_due_ns) return ARMDYN_OK;
  observe(r);
  return running_beat(r);
}

int running_pause_ms(struct running *r, int attempt)
{
  int pause = PAUSE_LEAST_MS;
  for (int k = 0; k < attempt && pause < PAUSE_MOST_MS; k++) pause *= 2;
  if (pause > PAUSE_MOST_MS) pause = PAUSE_MOST_MS;
  return pause / 2 + rand_r(&r->jitter) % pause; /* half to one and a half of it */
}

enum armdyn_status running_regain(struct running *r, int64_t deadline_ns)
{
  for (int attempt = 0;; attempt++) {
    enum armdyn_status rc = client_connect(r->client, CONNECT_MS, &r->error);
    if (!rc && r->now.state > TRANSFER_CONNECTING) r->client->link.figures->reconnections++;
    if (rc != ARMDYN_EUNAVAILABLE) return rc;
    int64_t left_ms = (deadline_ns - clock_monotonic_ns()) / 1000000;
    if (left_ms < 0) return rc;
    int pause = running_pause_ms(r, attempt);
    running_hear(r, pause < left_ms ? pause : (int)left_ms);
    if (r->ended) return ARMDYN_ECANCELLED;
  }
}

static void fail(struct running *r, enum armdyn_status rc)
{
  if (r->ended) return;
  char why[sizeof r->error.message];
  memcpy(why, r->error.message, sizeof why);
  if (rc == ARMDYN_EUNAVAILABLE)
    running_report(r, TRANSFER_FAILED, PROBLEM_CONTROLLER_UNREACHABLE, "%s", why);
  else
    stop_and_end(r, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, why);
}

/* -- from READY to the end -- */

/* The connection is lost between READY and the end: look again, for as long as the motion may last. */
static void find_again(struct running *r)
{
  int64_t most_ms = r->order->connect_deadline_ms;
  if (r->started) most_ms = (int64_t)r->head->total * r->head->period_us / 1000 + WATCH_MARGIN_MS;
  if (!r->lost_ns) r->lost_ns = clock_monotonic_ns();
  r->port->observe(r->port->context, &(struct observation){ .connected = false });

  char why[sizeof r->error.message];
  memcpy(why, r->error.message, sizeof why);
  enum armdyn_status rc = running_regain(r, r->lost_ns + most_ms * 1000000);
  if (rc == ARMDYN_ECANCELLED) return;
  if (!rc && clock_monotonic_ns() > r->lost_ns + most_ms * 1000000) rc = ARMDYN_EUNAVAILABLE; /* it never stays */
  if (rc && (r->started || r->now.state == TRANSFER_ARMED))
    running_report(r, TRANSFER_INTERRUPTED, PROBLEM_TRANSFER_INTERRUPTED, "lost sight of it: %s", why);
  else if (rc)
    running_report(r, TRANSFER_FAILED, PROBLEM_CONTROLLER_UNREACHABLE, "%s", why);
  else if (r->started && r->client->state.phase == PHASE_ARMED && !client_was_taken(r->client))
    stop_and_end(r, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "START did not arrive, and is not sent again");
}

static void arm_by_itself(struct running *r)
{
  enum armdyn_status rc = arm(r);
  if (rc == ARMDYN_ECONFLICT) fail(r, rc);
}

static bool feeds(const struct running *r)
{
  return r->order->stream && !r->closed;
}

/* Does it play what is to be measured? A stream that is behind comes first. */
static bool records(const struct running *r)
{
  const struct controller_state *s = &r->client->state;
  return r->order->telemetry_us && !r->telemetry.over && s->phase == PHASE_PLAYING && s->profile == r->head->id &&
         !(feeds(r) && r->more);
}

/* As often as that is due; a motion that was held is recorded as far as it went until then. */
static enum armdyn_status record(struct running *r)
{
  struct telemetry *t = &r->telemetry;
  if (r->client->state.phase == PHASE_HOLDING) t->over = true;
  if (!records(r)) return ARMDYN_OK;
  int64_t now = clock_monotonic_ns(), period = r->order->telemetry_us * 1000LL;
  if (now < t->due_ns) return ARMDYN_OK;
  t->due_ns = now - t->due_ns < period ? t->due_ns + period : now + period;
  if (t->block.count >= TELEMETRY_ROWS / 4) hand_over(r, false);
  return telemetry_measure(t, r->client, &r->order->profile, &r->error);
}

/* Until a heartbeat, more of a stream, or a measurement is due, whichever is first; a START that waits is due now. */
static int due_ms(const struct running *r)
{
  int64_t due = r->beat_due_ns, now = clock_monotonic_ns();
  if (r->unrung.kind) return 0;
  if (feeds(r) && r->feed_due_ns < due) due = r->feed_due_ns;
  if (records(r) && r->telemetry.due_ns < due) due = r->telemetry.due_ns;
  return due > now ? (int)((due - now + 999999) / 1000000) : 0;
}

static enum armdyn_status feed(struct running *r)
{
  if (!feeds(r) || clock_monotonic_ns() < r->feed_due_ns) return ARMDYN_OK;
  enum armdyn_status rc = loading_feed(r, &r->more);
  r->feed_due_ns = r->more ? 0 : after_ms(FEED_MS);
  return rc;
}

/* Wait for what is due next, listen and look. */
static void attend(struct running *r)
{
  struct wish wish;
  if (r->port->take_wish(r->port->context, due_ms(r), &wish)) grant(r, &wish);
  if (r->ended) return;

  enum armdyn_status rc = running_beat(r);
  if (!rc) rc = client_look(r->client, &r->error);
  if (!rc) rc = feed(r);
  if (!rc) rc = record(r);
  if (rc == ARMDYN_ECONFLICT) {
    fail(r, rc);
    return;
  }
  if (rc) {
    find_again(r);
    return;
  }
  r->lost_ns = 0;
  follow(r);
  if (!r->ended) start_unrung(r);
  if (clock_monotonic_ns() >= r->seen_due_ns) observe(r);
  if (!r->ended && r->started && r->client->state.phase == PHASE_ARMED &&
      clock_monotonic_ns() > r->started_ns + MOVE_MOST_MS * 1000000LL)
    stop_and_end(r, true, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "it was told to start, and does not move");
  if (r->ended || r->started) return;
  if (r->order->start && r->now.state == TRANSFER_READY) arm_by_itself(r);
  if (!r->ended && r->order->start && clock_wall_ms() > r->order->start_before_ms) expire(r);
  if (!r->ended && clock_monotonic_ns() > r->ready_ns + r->order->ready_timeout_ms * 1000000LL)
    stop_and_end(r, false, TRANSFER_FAILED, PROBLEM_CONFLICT, "nobody started it within ready_timeout");
}

void transfer_order_free(struct transfer_order *order)
{
  if (!order) return;
  profile_release(&order->profile);
  free(order);
}

void download_run(struct transfer_order *order, struct client *client, const struct download_port *port)
{
  struct running r = { .order = order, .head = &order->profile.head, .client = client, .port = port };
  r.jitter = (unsigned)clock_monotonic_ns();
  running_report(&r, TRANSFER_CONNECTING, -1, "%s", "");
  client->rung.command = 0; /* whatever was open before is no concern of this transfer */
  unsigned asked = r.head->format;
  enum armdyn_status rc = running_regain(&r, after_ms(order->connect_deadline_ms));
  if (!rc) rc = loading_check(&r);
  if (!rc) {
    if (r.head->format == asked)
      running_report(&r, TRANSFER_LOADING, -1, "%s", "");
    else
      running_report(&r, TRANSFER_LOADING, -1, "in format %u: the controller does not take %u", r.head->format, asked);
    rc = loading_run(&r);
  }
  if (rc) {
    fail(&r, rc);
    return;
  }
  if (r.ended) return;
  r.ready_ns = clock_monotonic_ns();
  running_report(&r, TRANSFER_READY, -1, "%s", r.closed ? "" : "as much as the controller has room for is there");
  while (!r.ended) attend(&r);
  start_unrung(&r);
}
