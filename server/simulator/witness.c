#include "server/simulator/witness.h"

static void violate(struct witness *w, const char *what, int a, int b)
{
  if (!w->violations++) snprintf(w->first, sizeof w->first, "%s (%d, %d)", what, a, b);
}

/* Bit c: cause c may lead there; bit 15: the controller by itself. Everything else is a violation. */
#define BY(command) (1u << COMMAND_##command)
#define ITSELF      (1u << 15)
static const uint16_t allowed[PHASE_COUNT][PHASE_COUNT] = {
  [PHASE_EMPTY] = { [PHASE_LOADING] = BY(BEGIN) },
  [PHASE_LOADING] = { [PHASE_READY] = BY(COMMIT), [PHASE_EMPTY] = BY(STOP) | BY(CLEAR) },
  [PHASE_READY] = { [PHASE_ARMED] = BY(ARM), [PHASE_LOADING] = BY(BEGIN), [PHASE_EMPTY] = BY(STOP) | BY(CLEAR) },
  [PHASE_ARMED] = { [PHASE_PLAYING] = BY(START), [PHASE_EMPTY] = BY(STOP), [PHASE_FAULT] = ITSELF },
  [PHASE_PLAYING] = { [PHASE_HOLDING] = BY(HOLD) | BY(STOP) | ITSELF, [PHASE_DONE] = ITSELF, [PHASE_FAULT] = ITSELF },
  [PHASE_HOLDING] = { [PHASE_PLAYING] = BY(RESUME), [PHASE_EMPTY] = BY(STOP) | ITSELF, [PHASE_FAULT] = ITSELF },
  [PHASE_DONE] = { [PHASE_LOADING] = BY(BEGIN), [PHASE_EMPTY] = BY(STOP) | BY(CLEAR), [PHASE_FAULT] = ITSELF },
  [PHASE_FAULT] = { [PHASE_EMPTY] = BY(CLEAR) },
};

void witness_command(struct witness *w, unsigned command, uint16_t sequence)
{
  if (w->any_command && sequence == w->sequence) violate(w, "a sequence number was carried out twice", sequence, 0);
  w->any_command = true;
  w->sequence = sequence;
  if (command == COMMAND_BEGIN) w->started = false;
  if (command != COMMAND_START) return;
  if (w->started) violate(w, "START twice for one profile", sequence, 0);
  w->started = true;
}

void witness_refusal(struct witness *w, uint16_t sequence)
{
  w->any_command = true;
  w->sequence = sequence;
}

void witness_change(struct witness *w, enum controller_phase to, int cause, bool whole)
{
  unsigned bit = cause == CAUSE_ITSELF ? ITSELF : 1u << cause;
  if (to != w->phase && !(allowed[w->phase][to] & bit))
    violate(w, "a change that is not allowed", (int)w->phase, (int)to);
  if ((to == PHASE_READY || to == PHASE_ARMED || to == PHASE_PLAYING) && !whole)
    violate(w, "ready with a profile that is not whole", (int)to, 0);
  if (to == PHASE_PLAYING && !w->started) violate(w, "playing without START", (int)to, 0);
  w->phase = to;
}

void witness_sample(struct witness *w, uint32_t index, uint32_t total, bool inside)
{
  if (w->phase != PHASE_PLAYING && w->phase != PHASE_HOLDING) violate(w, "a sample outside of playing", (int)index, 0);
  if (index >= total) violate(w, "a sample beyond the end", (int)index, (int)total);
  if (!inside) violate(w, "a torque beyond the limit", (int)index, 0);
}

void witness_restart(struct witness *w)
{
  w->phase = PHASE_EMPTY;
  w->any_command = w->started = false;
}
