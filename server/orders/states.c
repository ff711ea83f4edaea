#include "server/orders/states.h"

#define BIT(state) (1u << ORDER_##state)

/* Each state, and those that may follow. What is left out cannot happen: it is refused and logged.
 *
 *   accepted -> planning -> queued -> loading -> ready -> running <-> held -> done
 *
 * One that is planned already goes to `queued` at once. From each, an order may be stopped (by a person) or fail. It goes back
 * once: to `accepted`, when its job has vanished before it ended. Once there is a transfer its word counts, and between two
 * looks at it several states may have passed. */
#define ENDS  (BIT(STOPPED) | BIT(FAILED))
#define MOVES (BIT(RUNNING) | BIT(HELD) | BIT(DONE) | BIT(INTERRUPTED) | ENDS)
static const unsigned followers[ORDER_STATE_COUNT] = {
  [ORDER_ACCEPTED] = BIT(PLANNING) | BIT(QUEUED) | ENDS,
  [ORDER_PLANNING] = BIT(ACCEPTED) | BIT(QUEUED) | ENDS,
  [ORDER_QUEUED] = BIT(LOADING) | ENDS,
  [ORDER_LOADING] = BIT(READY) | MOVES,
  [ORDER_READY] = MOVES,
  [ORDER_RUNNING] = BIT(HELD) | BIT(DONE) | BIT(INTERRUPTED) | ENDS,
  [ORDER_HELD] = BIT(RUNNING) | BIT(DONE) | BIT(INTERRUPTED) | ENDS,
};

/* What its transfer's state makes of an order. */
static const enum order_state of_transfer[TRANSFER_STATE_COUNT] = {
  [TRANSFER_QUEUED] = ORDER_LOADING,
  [TRANSFER_CONNECTING] = ORDER_LOADING,
  [TRANSFER_LOADING] = ORDER_LOADING,
  [TRANSFER_READY] = ORDER_READY,
  [TRANSFER_ARMED] = ORDER_READY,
  [TRANSFER_PLAYING] = ORDER_RUNNING,
  [TRANSFER_HOLDING] = ORDER_HELD,
  [TRANSFER_DONE] = ORDER_DONE,
  [TRANSFER_STOPPED] = ORDER_STOPPED,
  [TRANSFER_FAILED] = ORDER_FAILED,
  [TRANSFER_INTERRUPTED] = ORDER_INTERRUPTED,
};

/* In which state each command is taken. */
static const enum order_state taken_in[ORDER_COMMANDS] = {
  [COMMAND_START_ORDER] = ORDER_READY,
  [COMMAND_HOLD_ORDER] = ORDER_RUNNING,
  [COMMAND_RESUME_ORDER] = ORDER_HELD,
};

bool order_may_become(enum order_state from, enum order_state to)
{
  return (unsigned)from < ORDER_STATE_COUNT && (unsigned)to < ORDER_STATE_COUNT && (followers[from] >> to & 1);
}

enum order_state order_state_of(enum transfer_state transfer)
{
  return (unsigned)transfer < TRANSFER_STATE_COUNT ? of_transfer[transfer] : ORDER_INTERRUPTED;
}

enum order_state order_taken_in(enum order_command command)
{
  return taken_in[command];
}

bool order_blocks(enum order_state state, bool sent)
{
  switch (state) {
  case ORDER_HELD:
  case ORDER_FAILED:
  case ORDER_INTERRUPTED: return true;
  case ORDER_STOPPED: return sent; /* an order that was cancelled before leaves the arm as it is */
  default: return false;
  }
}

bool order_is_placed(enum order_state state)
{
  return state != ORDER_ACCEPTED;
}

bool order_is_loaded(enum order_state state)
{
  return state >= ORDER_LOADING && !order_state_final(state);
}
