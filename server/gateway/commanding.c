/* What is asked of a running transfer: ARM, START, HOLD and RESUME, which wait through a lost connection until their time is
 * over; STOP, which waits for nothing; and the end of the service. */
#include <math.h>

#include "server/base/clock.h"
#include "server/gateway/running.h"

static const double rate_known = 0.01;      /* how well the controller's clock must be known before ARM */
static const double rate_most = 0.02;       /* how wrong it may be */
enum { SCANS_MOST = 100, LEAST_MS = 3000 }; /* to find that out; of fast programs the latter */

/* With what is seen now, after the command was granted. */
static void answer(struct running *r, const struct transfer_command *command, enum armdyn_status status,
                   const char *text)
{
  char why[sizeof r->error.message];
  snprintf(why, sizeof why, "%s", text);
  if (link_is_open(&r->client->link)) running_observe(r);
  if (command->number) r->port->answer(r->port->context, command, status, why);
}

void running_expire(struct running *r)
{
  running_stop(r, false, TRANSFER_FAILED, PROBLEM_START_EXPIRED,
               "start_before, or start_within, passed before START could be sent");
}

/* -- ARM -- */

/* Is the arm where the profile begins? The controller asks the same with its own tolerance. */
static enum armdyn_status check_position(struct running *r)
{
  const float *position = r->client->state.position;
  for (uint32_t a = 0; a < r->head->axis_count; a++) {
    const struct profile_axis *axis = &r->head->axes[a];
    double off = (double)position[axis->axis] - (double)r->head->start[axis->axis];
    if (isnan(position[axis->axis]))
      return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                           "no register tells where axis %u (%s) is; the PLC must start it", axis->axis + 1,
                           axis->joint);
    if (!(fabs(off) <= axis->start_tolerance))
      return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "axis %u (%s) is %.4g away from the start, more than %.4g",
                           axis->axis + 1, axis->joint, off, axis->start_tolerance);
  }
  return ARMDYN_OK;
}

/* Does its clock go as ours does? A torque profile that is played at another speed is another profile. What seems wrong is
 * measured once more. EBUSY: that takes some more cycles of its program. */
static enum armdyn_status check_clock(struct running *r)
{
  struct uptime *u = &r->client->uptime;
  const int64_t now = clock_monotonic_ns();
  double rate = uptime_rate(u), within = uptime_uncertainty(u);
  double waited_ms = (double)(now - r->wanted_ns) * 1e-6, most_ms = SCANS_MOST * (u->scan_ms + u->round_trip_ms);
  if (r->client->address.mapped) return ARMDYN_OK;
  bool undecided = within > rate_known || (fabs(rate) + within > rate_most && fabs(rate) - within <= rate_most);
  if (undecided && waited_ms < fmax(most_ms, LEAST_MS)) return ARMDYN_EBUSY;
  if (fabs(rate) <= rate_most || (within > rate_known && fabs(rate) <= rate_most + within)) return ARMDYN_OK;
  if (!r->measured_anew) {
    r->measured_anew = true;
    r->wanted_ns = now;
    uptime_forget_rate(u);
    return ARMDYN_EBUSY;
  }
  return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                       "the controller's clock goes %.1f %% too %s: the cycle of its task is configured wrongly",
                       100 * fabs(rate), rate > 0 ? "fast" : "slow");
}

static enum armdyn_status try_arm(struct running *r)
{
  if (r->started) return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "it was started already");
  if (client_has_open(r->client, COMMAND_ARM, r->head->id))
    return client_command(r->client, COMMAND_ARM, r->head, 0, &r->error);
  enum armdyn_status rc = client_look(r->client, &r->error);
  if (!rc) rc = check_position(r);
  if (!rc) rc = check_clock(r);
  return rc ? rc : client_command(r->client, COMMAND_ARM, r->head, 0, &r->error);
}

/* -- START -- */

/* The last look before it: all of it must be ours. */
static enum armdyn_status check_armed(struct running *r)
{
  enum armdyn_status rc = client_look(r->client, &r->error);
  if (rc) return rc;
  const struct controller_state *s = &r->client->state;
  if (s->phase != PHASE_ARMED || !running_same(r) || s->profile != r->head->id)
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the controller is not armed");
  return r->closed ? loading_verify(r) : ARMDYN_OK;
}

static bool is_late(const struct transfer_command *command)
{
  return command->before_ms && clock_wall_ms() > command->before_ms;
}

/* START is made once. Until it is acknowledged, or its time is over, that one is repeated; never another. */
static enum armdyn_status try_start(struct running *r, const struct transfer_command *command)
{
  if (!client_has_open(r->client, COMMAND_START, r->head->id)) {
    if (r->started) return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "START was sent already");
    enum armdyn_status rc = check_armed(r);
    if (rc) return rc;
    if (is_late(command)) return armdyn_refuse(&r->error, ARMDYN_ELIMIT, "", "start_before has passed");
  }
  r->started = true;
  if (!r->now.started_ms) r->now.started_ms = clock_wall_ms();
  enum armdyn_status rc = client_command(r->client, COMMAND_START, r->head, command->before_ms, &r->error);
  if (rc == ARMDYN_ECONFLICT && !r->client->address.mapped) r->now.started_ms = 0; /* it never is carried out */
  return rc;
}

/* What was asked for cannot be, and nothing will be started later by this transfer. */
static void end_unstarted(struct running *r, enum armdyn_status rc)
{
  char why[sizeof r->error.message];
  memcpy(why, r->error.message, sizeof why);
  if (rc == ARMDYN_ELIMIT)
    running_expire(r);
  else
    running_stop(r, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, why);
}

/* -- all of them -- */

static enum armdyn_status try_motion(struct running *r, enum controller_command command, int64_t before_ms)
{
  if (!controller_can(&r->client->identity, ABILITY_HOLD))
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "the controller does not hold and resume");
  return client_command(r->client, command, r->head, before_ms, &r->error);
}

static enum armdyn_status try_wanted(struct running *r)
{
  if (r->wanted.kind != ASK_START && is_late(&r->wanted))
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                         "the service did not hold its store for certain any more: repeat the call");
  switch (r->wanted.kind) {
  case ASK_ARM: return try_arm(r);
  case ASK_START: return try_start(r, &r->wanted);
  case ASK_HOLD: return try_motion(r, COMMAND_HOLD, 0);
  default: return try_motion(r, COMMAND_RESUME, r->wanted.before_ms);
  }
}

/* Of a register map nothing is repeated; there watching must tell what became of it. */
static bool waits(const struct running *r, enum armdyn_status rc)
{
  if (rc == ARMDYN_EBUSY || rc == ARMDYN_ECANCELLED) return true;
  bool sent = r->client->address.mapped && r->started;
  return rc == ARMDYN_EUNAVAILABLE && !sent;
}

void running_go_on(struct running *r)
{
  if (!r->wanted.kind) return;
  if (r->ended) {
    answer(r, &r->wanted, ARMDYN_ECONFLICT, "the transfer ended before that could be sent");
    r->wanted.kind = ASK_NONE;
    return;
  }
  enum armdyn_status rc = guarding_allow(r, &r->wanted);
  if (!rc) rc = try_wanted(r);
  if (waits(r, rc)) return;
  const struct transfer_command command = r->wanted;
  r->wanted.kind = ASK_NONE;
  if (command.kind == ASK_START && !rc) r->started_ns = clock_monotonic_ns();
  if (command.kind == ASK_HOLD) r->watch.held = true;
  if (!rc || rc == ARMDYN_ESTALE) running_follow(r);
  answer(r, &command, !rc || rc == ARMDYN_EUNAVAILABLE ? rc : ARMDYN_ECONFLICT, rc ? r->error.message : "");
  if (!rc || rc == ARMDYN_EUNAVAILABLE || r->ended) return;
  if (command.kind == ASK_START)
    end_unstarted(r, rc);
  else if (command.own)
    running_fail(r, ARMDYN_ECONFLICT);
}

static void want(struct running *r, const struct transfer_command *command)
{
  if (r->wanted.kind) {
    answer(r, command, ARMDYN_ECONFLICT, "another command is on its way to the controller");
    return;
  }
  r->wanted = *command;
  r->wanted_ns = clock_monotonic_ns();
  r->measured_anew = false;
  running_go_on(r);
}

void running_arm(struct running *r)
{
  if (!r->wanted.kind) want(r, &(struct transfer_command){ .kind = ASK_ARM, .own = true });
}

static void stop_asked(struct running *r, const struct transfer_command *command)
{
  running_stop(r, true, TRANSFER_STOPPED, -1, stop_reason(command));
  answer(r, command, r->confirmed ? ARMDYN_OK : ARMDYN_EUNAVAILABLE, r->confirmed ? "" : r->error.message);
}

static void leave(struct running *r)
{
  if (r->leaving) return;
  r->leaving = true;
  bool moving = r->client->state.phase == PHASE_PLAYING && r->started;
  if (r->port->on_server_loss == SERVER_LOSS_FINISH && moving) return;
  running_stop(r, false, TRANSFER_STOPPED, -1, "the service ended");
}

void running_grant(struct running *r, const struct transfer_command *command)
{
  switch (command->kind) {
  case ASK_STOP: stop_asked(r, command); break;
  case ASK_LEAVE: leave(r); break;
  case ASK_ARM:
  case ASK_START:
  case ASK_HOLD:
  case ASK_RESUME: want(r, command); break;
  case ASK_LOOK:
  case ASK_MEASURE: answer(r, command, ARMDYN_OK, ""); break;
  default: answer(r, command, ARMDYN_ECONFLICT, "a transfer holds the controller");
  }
}

void running_hear(struct running *r, int wait_ms)
{
  struct transfer_command command;
  while (!r->ended && r->port->take_command(r->port->context, wait_ms, &command)) {
    wait_ms = 0;
    if (command.kind == ASK_STOP || command.kind == ASK_LEAVE || command.kind == ASK_LOOK ||
        command.kind == ASK_MEASURE)
      running_grant(r, &command);
    else
      answer(r, &command, ARMDYN_ECONFLICT, "the transfer is not loaded yet");
  }
  if (!r->ended && r->order->start && clock_wall_ms() > r->order->start_before_ms && !r->started) running_expire(r);
}
