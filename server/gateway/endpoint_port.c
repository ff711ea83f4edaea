/* What a running transfer hears from outside, and says to it (download.h). */
#include "server/base/clock.h"
#include "server/gateway/endpoint_internal.h"
#include "server/gateway/journal.h"

struct timespec endpoint_deadline(int wait_ms)
{
  int64_t ns = clock_monotonic_ns() + wait_ms * 1000000LL;
  return (struct timespec){ ns / 1000000000, ns % 1000000000 };
}

void endpoint_tell(struct endpoint *p, const struct transfer_command *command, enum armdyn_status status,
                   const char *text)
{
  if (command->kind == ASK_LEAVE) return;
  struct message_answer answer;
  memset(&answer, 0, sizeof answer);
  answer.number = command->number;
  answer.status = status;
  snprintf(answer.text, sizeof answer.text, "%s", text);
  pthread_mutex_lock(&p->owner->lock);
  answer.seen = p->seen;
  pthread_mutex_unlock(&p->owner->lock);
  p->owner->listener.answer(p->owner->listener.context, &answer);
}

bool endpoint_next_command(struct endpoint *p, struct transfer_command *command)
{
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < p->command_count; i++) {
      if (pass == 0 && p->commands[i].kind != ASK_STOP) continue;
      *command = p->commands[i];
      p->command_count--;
      memmove(p->commands + i, p->commands + i + 1, (p->command_count - i) * sizeof *p->commands);
      return true;
    }
  if (!p->owner->leaving || p->leave_told || !p->order || p->lock_fd < 0) return false;
  p->leave_told = true;
  *command = (struct transfer_command){ .kind = ASK_LEAVE };
  return true;
}

/* A command for a transfer that is not the one here is answered at once. */
static bool meant_for(const struct transfer_command *command, const struct transfer_order *order)
{
  return !*command->transfer || (order && !strcmp(command->transfer, order->id));
}

static bool port_take_command(void *context, int wait_ms, struct transfer_command *command)
{
  struct endpoint *p = context;
  struct timespec deadline = endpoint_deadline(wait_ms);
  pthread_mutex_lock(&p->owner->lock);
  p->movement.steps++;
  bool found = endpoint_next_command(p, command);
  while (!found && wait_ms > 0) {
    int rc = pthread_cond_timedwait(&p->changed, &p->owner->lock, &deadline);
    found = endpoint_next_command(p, command);
    if (rc) break;
  }
  bool ours = found && meant_for(command, p->order);
  pthread_mutex_unlock(&p->owner->lock);
  if (!found || ours) return found;
  endpoint_tell(p, command, ARMDYN_ENOTFOUND, "another transfer is on this controller");
  return port_take_command(context, 0, command);
}

bool endpoint_stop_waits(const struct endpoint *p)
{
  size_t i = 0;
  while (i < p->command_count && p->commands[i].kind != ASK_STOP) i++;
  return i < p->command_count;
}

static bool port_urgent(void *context)
{
  struct endpoint *p = context;
  pthread_mutex_lock(&p->owner->lock);
  p->movement.steps++;
  bool urgent = endpoint_stop_waits(p) || (p->owner->leaving && !p->leave_told);
  pthread_mutex_unlock(&p->owner->lock);
  return urgent;
}

static void port_answer(void *context, const struct transfer_command *command, enum armdyn_status status,
                        const char *text)
{
  endpoint_tell(context, command, status, status ? text : "");
}

void endpoint_log(enum log_level level, const char *message, const struct transfer_order *order, const char *state,
                  const char *reason)
{
  log_event(level, message, "transfer", order->id, "state", state, "reason", *reason ? reason : NULL, "trace",
            *order->trace ? order->trace : NULL, NULL);
}

void endpoint_tell_state(struct endpoint *p, const struct transfer_order *order, const struct transfer_report *report)
{
  bool ends = transfer_state_final(report->state);
  if (ends && journal_write(p->owner->dir, order->id, clock_wall_ms(), report))
    endpoint_log(LOG_ERROR, "cannot write the gateway's journal", order, NULL, "");
  endpoint_log(LOG_INFO, "gateway", order, transfer_state_name(report->state), report->reason);
  p->owner->listener.report(p->owner->listener.context, order->id, report);
}

static void port_report(void *context, const struct transfer_report *report)
{
  struct endpoint *p = context;
  pthread_mutex_lock(&p->owner->lock);
  p->end_told = transfer_state_final(report->state);
  pthread_mutex_unlock(&p->owner->lock);
  endpoint_tell_state(p, p->order, report);
}

static void port_progress(void *context, uint32_t sent)
{
  struct endpoint *p = context;
  p->owner->listener.progress(p->owner->listener.context, p->order->id, sent);
}

static bool port_telemetry(void *context, const struct telemetry_block *block, bool must)
{
  struct endpoint *p = context;
  return p->owner->listener.telemetry(p->owner->listener.context, p->order->id, block, must);
}

void endpoint_observe(struct endpoint *p, const struct observation *seen)
{
  pthread_mutex_lock(&p->owner->lock);
  p->movement.steps++;
  if (seen->seen_ms) p->seen = *seen;
  p->seen.connected = seen->connected;
  pthread_mutex_unlock(&p->owner->lock);
}

static void port_observe(void *context, const struct observation *seen)
{
  endpoint_observe(context, seen);
}

static bool port_take_cell(void *context, struct guard_cell *cell)
{
  struct endpoint *p = context;
  pthread_mutex_lock(&p->owner->lock);
  const bool newer = guard_take_newer(p->order->guard, cell);
  pthread_mutex_unlock(&p->owner->lock);
  return newer;
}

struct download_port endpoint_port(struct endpoint *p)
{
  return (struct download_port){ .context = p,
                                 .take_command = port_take_command,
                                 .urgent = port_urgent,
                                 .answer = port_answer,
                                 .report = port_report,
                                 .progress = port_progress,
                                 .observe = port_observe,
                                 .telemetry = port_telemetry,
                                 .take_cell = port_take_cell,
                                 .on_server_loss = p->owner->on_server_loss };
}
