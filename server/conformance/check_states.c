/* Every command in every state, by the table of the protocol. */
#include "server/conformance/checks.h"

enum { REST_MS = 10000 };

static bool is_tried(const struct bench *t, enum controller_command command)
{
  if ((command == COMMAND_HOLD || command == COMMAND_RESUME) && !controller_can(&t->is, ABILITY_HOLD)) return false;
  if (command == COMMAND_STREAM && !controller_can(&t->is, ABILITY_STREAM)) return false;
  return bench_may_send(t, command);
}

/* The command in the state in which the controller is now. */
static bool tried(struct bench *t, enum controller_command command, enum controller_phase phase)
{
  const struct protocol_transition leads = protocol_transition(command, phase);
  const bool allowed = leads.allowed && !leads.in_streams; /* a download was sent */
  struct protocol_command c;
  struct controller_state now;
  if (!bench_command(t, command, &c)) return false;
  if (phase == PHASE_EMPTY && command != COMMAND_BEGIN && command != COMMAND_STREAM) c.profile = 0; /* the active one */
  if (!bench_expect_error(t, &c, allowed ? CONTROLLER_OK : CONTROLLER_NOT_ALLOWED)) return false;
  if (allowed) return bench_await(t, leads.to, REST_MS, &now);
  if (!bench_look(t, &now)) return false;
  if (now.phase == phase) return true;
  return bench_wrong(t, "%s in %s was refused, and the state became %s", protocol_command_name(command),
                     protocol_phase_name(phase), protocol_phase_name(now.phase));
}

static void every_command(struct bench *t)
{
  const enum controller_phase phase = t->phase;
  bool there = false; /* nothing was obeyed since it was brought to the state */
  for (int n = COMMAND_BEGIN; n < COMMAND_COUNT; n++) {
    const enum controller_command command = (enum controller_command)n;
    if (!is_tried(t, command)) continue;
    if (!there && !bench_bring_to(t, phase)) return;
    if (!tried(t, command, phase)) return;
    const struct protocol_transition leads = protocol_transition(command, phase);
    const bool refused = !leads.allowed || leads.in_streams;
    there = (refused || (command == COMMAND_STOP && leads.to == phase)) && phase != PHASE_PLAYING;
  }
}

#define MEND "take a command only where the table of states has an arrow; error 1 otherwise, and nothing changes"
static const struct check rows[] = {
  { "every command in EMPTY", every_command, MEND, PHASE_EMPTY },
  { "every command in LOADING", every_command, MEND, PHASE_LOADING },
  { "every command in READY", every_command, MEND, PHASE_READY },
  { "every command in ARMED", every_command, MEND, PHASE_ARMED },
  { "every command in PLAYING", every_command, MEND, PHASE_PLAYING },
  { "every command in HOLDING", every_command, MEND, PHASE_HOLDING },
  { "every command in DONE", every_command, MEND, PHASE_DONE },
  { "every command in FAULT", every_command, MEND, PHASE_FAULT },
};
const struct check_table state_checks = { "states", rows, sizeof rows / sizeof *rows };
