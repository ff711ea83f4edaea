/* Outputs of the controller within a motion: each is written once, while the arm rests at its place, and must be confirmed
 * before that rest ends. Otherwise the controller is stopped where it stands: nothing moves on with an open gripper.
 *
 * The controller plays on its own clock and knows nothing of this. So what is seen here must be seen in time for STOP, and
 * whoever loses the connection cannot stop it: then its own watch over the heartbeat must. */
#include <math.h>

#include "server/base/clock.h"
#include "server/gateway/map_perform.h"
#include "server/gateway/running.h"

enum {
  SETTLE_MS = 50, /* after the last sample of a move: who follows it is a little late */
  STOP_MS = 200,  /* before the rest ends: STOP is on its way, beside two cycles of the controller's program */
  LOOK_MS = 20    /* between two looks while one is to be set, or confirmed */
};

static const struct output_task *at_hand(const struct running *r)
{
  return r->setting.done < r->order->output_count ? &r->order->outputs[r->setting.done] : NULL;
}

static uint32_t samples_of(const struct running *r, double ms)
{
  return (uint32_t)ceil(ms * 1e3 / r->head->period_us);
}

/* At this sample it is too late. */
static uint32_t deadline(const struct running *r, const struct output_task *task)
{
  const double cycle_ms = r->client->address.mapped ? 0 : r->client->uptime.scan_ms;
  const uint32_t before = samples_of(r, STOP_MS + 2 * cycle_ms);
  return task->to - task->from > before ? task->to - before : task->from;
}

/* Does the arm stand there, as far as that is measured? */
static bool stands(const struct running *r, const struct output_task *task)
{
  const bool planned = r->head->format == FORMAT_POSITION_TORQUE || r->head->format == FORMAT_MOTION;
  for (uint32_t a = 0; planned && a < r->head->axis_count; a++) {
    const struct profile_axis *axis = &r->head->axes[a];
    const double measured = (double)r->client->state.position[axis->axis];
    const double off = measured - profile_position(&r->order->profile, task->from, a);
    if (!isnan(measured) && !(fabs(off) <= axis->start_tolerance)) return false;
  }
  return true;
}

/* -- asking the controller -- */

struct asking {
  struct running *running;
  enum armdyn_status status;
};

static bool ask_one(void *context, const struct map_request *request)
{
  struct asking *a = context;
  const struct meanwhile beats = client_meanwhile(a->running->client);
  a->status = map_perform(a->running->client, request, &beats, &a->running->error);
  return !a->status;
}

/* By the map that it was ordered with. */
static enum armdyn_status ask(struct running *r, const struct map_step *step)
{
  struct asking a = { .running = r };
  struct map_steps steps = { .count = 1 };
  steps.steps[0] = *step;
  const struct controller_address *address = &r->order->address;
  enum armdyn_status rc = map_plan_steps(&address->map, address->unit, &steps, ask_one, &a, &r->error);
  link_unit(&r->client->link, address->unit); /* a field may be another unit's */
  return rc ? ARMDYN_ECONFLICT : a.status;
}

static enum armdyn_status set(struct running *r, const struct output_task *task)
{
  struct map_step step = { .kind = MAP_STEP_WRITE, .value = { .number = task->write } };
  memcpy(step.field, task->field, sizeof step.field);
  r->setting.written = true; /* whatever comes of it: it may have arrived */
  r->setting.written_ns = clock_monotonic_ns();
  return ask(r, &step);
}

/* ECONFLICT: not yet. */
static enum armdyn_status confirm(struct running *r, const struct output_task *task)
{
  struct map_step step = { .kind = MAP_STEP_CHECK, .equal_to = { .number = task->confirmed } };
  memcpy(step.field, task->confirmed_by, sizeof step.field);
  return ask(r, &step);
}

/* -- what comes of it -- */

static void tell(struct running *r, const struct output_task *task)
{
  running_report(r, r->now.state, -1, "output '%s' is '%s', confirmed %.3f s after it was set", task->set.name,
                 task->set.value, (double)(clock_monotonic_ns() - r->setting.written_ns) * 1e-9);
  r->setting.done++;
  r->setting.written = false;
}

static enum armdyn_status miss(struct running *r, const struct output_task *task)
{
  char why[sizeof r->now.reason], found[sizeof r->error.message];
  memcpy(found, r->error.message, sizeof found);
  if (r->setting.written)
    snprintf(why, sizeof why, "output '%s' was set and is not '%s' before the arm was to move on: %.70s",
             task->set.name, task->set.value, found);
  else
    snprintf(why, sizeof why, "output '%s' was not set to '%s': %s", task->set.name, task->set.value,
             stands(r, task) ? "the controller was not seen to rest there in time"
                             : "the arm did not come to rest at its place in time");
  running_stop(r, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_REFUSED, why);
  return ARMDYN_ECANCELLED;
}

static enum armdyn_status refuse(struct running *r, const struct output_task *task)
{
  char why[sizeof r->error.message];
  memcpy(why, r->error.message, sizeof why);
  return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "", "output '%s' cannot be set to '%s': %.100s", task->set.name,
                       task->set.value, why);
}

/* Is it time to set it? A held motion is not touched: somebody may be at the arm. */
static bool is_due(const struct running *r, const struct output_task *task)
{
  const struct controller_state *s = &r->client->state;
  return s->phase == PHASE_PLAYING && s->play_index >= task->from + samples_of(r, SETTLE_MS) && stands(r, task);
}

enum armdyn_status outputs_tend(struct running *r)
{
  const struct output_task *task = at_hand(r);
  const struct controller_state *s = &r->client->state;
  const bool told = r->now.state == TRANSFER_PLAYING || r->now.state == TRANSFER_HOLDING;
  if (!task || !running_ours(r)) return ARMDYN_OK;
  if (s->phase == PHASE_DONE) return miss(r, task);
  if (!told || (s->phase != PHASE_PLAYING && s->phase != PHASE_HOLDING)) return ARMDYN_OK;
  if (s->play_index >= deadline(r, task)) return miss(r, task);
  enum armdyn_status rc = ARMDYN_OK;
  if (!r->setting.written) {
    if (!is_due(r, task)) return ARMDYN_OK;
    rc = set(r, task);
    if (rc == ARMDYN_ECONFLICT) return refuse(r, task);
  }
  if (!rc) rc = confirm(r, task);
  if (!rc) tell(r, task);
  return rc == ARMDYN_ECONFLICT ? ARMDYN_OK : rc;
}

int64_t outputs_due_ns(const struct running *r)
{
  const struct output_task *task = at_hand(r);
  const struct controller_state *s = &r->client->state;
  const bool holds = s->phase == PHASE_HOLDING;
  if (!task || (s->phase != PHASE_PLAYING && !holds) || (holds && !r->setting.written)) return INT64_MAX;
  const double ahead = task->from > s->play_index ? task->from - s->play_index : 0;
  return clock_monotonic_ns() + (int64_t)(1e6 * fmax(LOOK_MS, ahead * r->head->period_us * 1e-3));
}

void outputs_after_loss(struct running *r)
{
  const struct output_task *task = at_hand(r);
  char why[sizeof r->now.reason];
  if (!task || !r->setting.written) return;
  snprintf(why, sizeof why, "the connection was lost while output '%s' was set to '%s': whether it is so is not known",
           task->set.name, task->set.value);
  running_stop(r, false, TRANSFER_FAILED, PROBLEM_CONTROLLER_UNREACHABLE, why);
}
