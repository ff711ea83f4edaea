/* A running transfer against the cell that its controller stands in. The service has asked the same before; here it is asked
 * of the positions that are sent, by the process that sends them, and again whenever the cell changes before START. */
#include "server/gateway/running.h"

static bool goes_on(void *context)
{
  const struct running *r = context;
  return !r->port->urgent(r->port->context);
}

/* From a sample on. What is said to be wrong is in r->error. */
static enum armdyn_status hold_against_cell(struct running *r, uint32_t from)
{
  struct guard *guard = r->order->guard;
  struct armdyn_error found = { "", "" };
  char revision[48] = "";
  if (guard->cell.revision) snprintf(revision, sizeof revision, " (revision %lld)", (long long)guard->cell.revision);
  const enum armdyn_status status = guard_check(guard, from, r->head->period_us, goes_on, r, &found);
  if (!status) r->unproved = false;
  if (status && status != ARMDYN_ECANCELLED)
    armdyn_refuse(&r->error, status, "", "cell '%s'%s: %s", guard->cell.name, revision, found.message);
  return status;
}

static void take_newer(struct running *r)
{
  struct guard *guard = r->order->guard;
  struct guard_cell newer;
  while (guard && r->port->take_cell(r->port->context, &newer)) {
    guard_cell_release(&guard->cell);
    guard->cell = newer;
    guard->proved = 0;
    r->unproved = true;
  }
}

static enum armdyn_status end_touching(struct running *r, enum armdyn_status status)
{
  char why[sizeof r->error.message];
  memcpy(why, r->error.message, sizeof why);
  const enum problem problem = status == ARMDYN_ELIMIT   ? PROBLEM_LIMIT_EXCEEDED
                               : status == ARMDYN_EINPUT ? PROBLEM_CONFLICT
                                                         : PROBLEM_INTERNAL;
  running_stop(r, false, TRANSFER_FAILED, (int)problem, why);
  memcpy(r->error.message, why, sizeof why);
  return ARMDYN_ECONFLICT;
}

/* Nothing has moved yet. */
static enum armdyn_status renew(struct running *r)
{
  take_newer(r);
  if (!r->order->guard || !r->unproved || r->ended) return ARMDYN_OK;
  const enum armdyn_status status = hold_against_cell(r, 0);
  return status && status != ARMDYN_ECANCELLED ? end_touching(r, status) : status;
}

void guarding_begin(struct running *r)
{
  r->unproved = r->order->guard != NULL;
  while (!r->ended && renew(r) == ARMDYN_ECANCELLED) running_hear(r, 0);
}

void guarding_tell(const struct running *r, char *text, size_t size)
{
  const struct guard *guard = r->order->guard;
  if (guard)
    snprintf(text, size, "; clear of cell '%s' (revision %lld)", guard->cell.name, (long long)guard->cell.revision);
}

void guarding_renew(struct running *r)
{
  renew(r);
}

/* The part of the motion that is left; of a register map nobody knows how much that is. */
static enum armdyn_status prove_rest(struct running *r)
{
  take_newer(r);
  if (!r->order->guard || !r->unproved) return ARMDYN_OK;
  const uint32_t from = r->client->address.mapped ? 0 : r->client->state.play_index;
  const enum armdyn_status status = hold_against_cell(r, from);
  return status && status != ARMDYN_ECANCELLED ? ARMDYN_ECONFLICT : status;
}

enum armdyn_status guarding_allow(struct running *r, const struct transfer_command *command)
{
  const char *held_against = r->order->guard ? r->order->guard->cell.name : "";
  if (command->kind == ASK_HOLD) return ARMDYN_OK;
  if (!command->own && !r->started && strcmp(command->cell, held_against))
    return armdyn_refuse(&r->error, ARMDYN_ECONFLICT, "",
                         "the controller stands in another cell now ('%s') than the one that the motion was held "
                         "against ('%s'): transfer it again",
                         command->cell, held_against);
  if (command->kind == ASK_RESUME) return prove_rest(r);
  return r->started ? ARMDYN_OK : renew(r);
}
