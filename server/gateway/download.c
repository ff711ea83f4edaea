#include "server/gateway/download.h"

#include <math.h>
#include <stdarg.h>

#include "server/base/clock.h"
#include "server/gateway/running.h"

enum {
  SEEN_MS = 100,           /* between two tellings of what is seen */
  SOON_MS = 10,            /* between two looks while a command waits for its time */
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
  if (state == TRANSFER_PLAYING && r->now.state < TRANSFER_PLAYING) r->now.started_ms = clock_wall_ms();
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

void running_observe(struct running *r)
{
  struct observation seen;
  client_observe(r->client, &seen);
  r->port->observe(r->port->context, &seen);
  if (r->now.sent > r->told) r->port->progress(r->port->context, r->now.sent);
  r->told = r->now.sent;
  r->seen_due_ns = after_ms(SEEN_MS);
}

/* -- ending it -- */

/* May the arm move for it where nobody sees it? A PLC may start by itself what it has and has checked. */
static bool may_be_played(const struct running *r)
{
  return r->started || r->offered || r->now.state >= TRANSFER_READY;
}

static void lose_sight(struct running *r, const char *why)
{
  running_report(r, TRANSFER_INTERRUPTED, PROBLEM_TRANSFER_INTERRUPTED, "lost sight of it: %s", why);
}

void running_stop(struct running *r, bool person, enum transfer_state end, int problem, const char *reason)
{
  enum armdyn_status rc = ARMDYN_OK;
  if (r->begun || person) rc = client_stop(r->client, person ? NULL : r->head, &r->error);
  r->confirmed = !rc;
  if (rc && r->begun && may_be_played(r)) {
    running_report(r, TRANSFER_INTERRUPTED, PROBLEM_TRANSFER_INTERRUPTED, "%.60s; STOP is not confirmed (%.100s)",
                   reason, r->error.message);
    return;
  }
  if (link_is_open(&r->client->link)) running_observe(r);
  running_report(r, end, problem, "%s", reason);
}

void running_fail(struct running *r, enum armdyn_status rc)
{
  if (r->ended) return;
  char why[sizeof r->error.message];
  memcpy(why, r->error.message, sizeof why);
  if (rc == ARMDYN_EUNAVAILABLE && may_be_played(r))
    lose_sight(r, why);
  else if (rc == ARMDYN_EUNAVAILABLE)
    running_report(r, TRANSFER_FAILED, PROBLEM_CONTROLLER_UNREACHABLE, "%s", why);
  else
    running_stop(r, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, why);
}

/* -- keeping in touch -- */

enum armdyn_status running_stay_in_touch(struct running *r)
{
  if (clock_monotonic_ns() >= r->seen_due_ns) running_observe(r);
  return client_beat(r->client, &r->error);
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

/* -- from READY to the end -- */

/* The connection is lost between READY and the end: look again, for as long as the motion may last. */
static void find_again(struct running *r)
{
  int64_t most_ms = r->order->connect_deadline_ms;
  if (r->started) most_ms = (int64_t)r->head->total * r->head->period_us / 1000 + WATCH_MARGIN_MS;
  if (!r->lost_ns) r->lost_ns = clock_monotonic_ns();
  r->watch.held = true; /* for all that we know */
  r->watch.rest.holds = false;
  r->port->observe(r->port->context, &(struct observation){ .connected = false });

  char why[sizeof r->error.message];
  memcpy(why, r->error.message, sizeof why);
  enum armdyn_status rc = running_regain(r, r->lost_ns + most_ms * 1000000);
  if (rc == ARMDYN_ECANCELLED) return;
  if (!rc && clock_monotonic_ns() > r->lost_ns + most_ms * 1000000) rc = ARMDYN_EUNAVAILABLE; /* it never stays */
  if (rc)
    lose_sight(r, why);
  else if (r->client->address.mapped && r->started && r->client->state.phase == PHASE_ARMED)
    running_stop(r, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "START did not arrive, and is not sent again");
  else if (r->client->address.mapped && !r->started && loading_verify(r) == ARMDYN_ECONFLICT)
    running_fail(r, ARMDYN_ECONFLICT); /* another master, or a restart, was there meanwhile */
  else
    outputs_after_loss(r);
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

/* As often as that is due; of a motion that is held all that is played at its own speed. */
static enum armdyn_status record(struct running *r)
{
  struct telemetry *t = &r->telemetry;
  if (r->client->state.phase == PHASE_HOLDING) telemetry_hold(t, r->client);
  if (!records(r)) return ARMDYN_OK;
  int64_t now = clock_monotonic_ns(), period = r->order->telemetry_us * 1000LL;
  if (now < t->due_ns) return ARMDYN_OK;
  t->due_ns = now - t->due_ns < period ? t->due_ns + period : now + period;
  if (t->block.count >= TELEMETRY_ROWS / 4) hand_over(r, false);
  return telemetry_measure(t, r->client, &r->order->profile, &r->error);
}

/* Until a heartbeat, an output, more of a stream, a measurement, or a command that waits is due, whichever is first. */
static int due_ms(const struct running *r)
{
  int64_t now = clock_monotonic_ns(), due = r->client->beat_due_ns, output = outputs_due_ns(r);
  if (output < due) due = output;
  if (r->wanted.kind && now + SOON_MS * 1000000LL < due) due = now + SOON_MS * 1000000LL;
  if (feeds(r) && r->feed_due_ns < due) due = r->feed_due_ns;
  if (records(r) && r->telemetry.due_ns < due) due = r->telemetry.due_ns;
  return due > now ? (int)((due - now + 999999) / 1000000) : 0;
}

static enum armdyn_status feed(struct running *r)
{
  if (!feeds(r) || clock_monotonic_ns() < r->feed_due_ns) return ARMDYN_OK;
  enum armdyn_status rc = loading_feed(r, &r->more);
  r->feed_due_ns = after_ms(r->more ? client_cycle_part_ms(r->client) : FEED_MS);
  return rc;
}

/* Look, and do what is due. */
static enum armdyn_status tend(struct running *r)
{
  enum armdyn_status rc = client_beat(r->client, &r->error);
  if (!rc) rc = client_look(r->client, &r->error);
  if (!rc && running_same(r)) rc = feed(r);
  if (!rc) rc = outputs_tend(r);
  return rc ? rc : record(r);
}

/* Nobody has started it yet. */
static void attend_unstarted(struct running *r)
{
  guarding_renew(r);
  if (r->ended) return;
  if (r->order->start && r->now.state == TRANSFER_READY) running_arm(r);
  if (!r->ended && r->order->start && clock_wall_ms() > r->order->start_before_ms) running_expire(r);
  if (!r->ended && clock_monotonic_ns() > r->ready_ns + r->order->ready_timeout_ms * 1000000LL)
    running_stop(r, false, TRANSFER_FAILED, PROBLEM_CONFLICT, "nobody started it within ready_timeout");
}

/* Wait for what is due next, listen and look. */
static void attend(struct running *r)
{
  struct transfer_command command;
  if (r->port->take_command(r->port->context, due_ms(r), &command)) running_grant(r, &command);
  if (r->ended) return;
  enum armdyn_status rc = tend(r);
  if (rc == ARMDYN_ECANCELLED) return; /* to hear what is urgent */
  if (rc == ARMDYN_EUNAVAILABLE) {
    find_again(r);
    return;
  }
  if (rc && rc != ARMDYN_ESTALE) {
    running_fail(r, rc);
    return;
  }
  r->lost_ns = 0;
  running_follow(r);
  if (!r->ended) running_go_on(r);
  if (clock_monotonic_ns() >= r->seen_due_ns) running_observe(r);
  if (!r->ended && r->started_ns && r->client->state.phase == PHASE_ARMED &&
      clock_monotonic_ns() > r->started_ns + MOVE_MOST_MS * 1000000LL)
    running_stop(r, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, "it was told to start, and does not move");
  if (!r->ended && !r->started) attend_unstarted(r);
}

static enum armdyn_status load(struct running *r)
{
  unsigned asked = r->head->format;
  guarding_begin(r);
  if (r->ended) return ARMDYN_ECANCELLED;
  enum armdyn_status rc = running_regain(r, after_ms(r->order->connect_deadline_ms));
  if (!rc) rc = loading_check(r);
  if (rc) return rc;
  char clear[ARMDYN_NAME_SIZE + 64] = "";
  guarding_tell(r, clear, sizeof clear);
  if (r->head->format == asked)
    running_report(r, TRANSFER_LOADING, -1, "%s%s", r->order->assumed, clear);
  else
    running_report(r, TRANSFER_LOADING, -1, "%s%s; in format %u: the controller does not take %u", r->order->assumed,
                   clear, r->head->format, asked);
  return loading_run(r);
}

static const char *ready_remark(const struct running *r)
{
  const struct controller_address *address = &r->client->address;
  if (address->mapped && address->map.unverified)
    return "unverified: what the controller holds cannot be read; its PLC must start it";
  return r->closed ? "" : "as much as the controller has room for is there";
}

void download_run(struct transfer_order *order, struct client *client, const struct download_port *port)
{
  struct running r = { .order = order, .head = &order->profile.head, .client = client, .port = port };
  r.jitter = (unsigned)clock_monotonic_ns();
  running_report(&r, TRANSFER_CONNECTING, -1, "%s", "");
  client->open.command = 0; /* whatever was open before is no concern of this transfer */
  client->urgent = port->urgent;
  client->context = port->context;
  enum armdyn_status rc = load(&r);
  if (rc) running_fail(&r, rc);
  r.ready_ns = clock_monotonic_ns();
  order->start_before_ms = start_before_when_ready(order->start_before_ms, order->start_within_ms, clock_wall_ms());
  if (!r.ended) running_report(&r, TRANSFER_READY, -1, "%s", ready_remark(&r));
  while (!r.ended) attend(&r);
  running_go_on(&r);
  client->urgent = NULL;
  client->beats_for = 0;
}
