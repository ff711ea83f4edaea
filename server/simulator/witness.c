#include "server/simulator/witness.h"

static void violate(struct witness *w, const char *what, int a, int b)
{
  if (!w->violations++) snprintf(w->first, sizeof w->first, "%s (%d, %d)", what, a, b);
}

/* Bit c: cause c may lead there; bit 15: the controller by itself. Everything else is a violation. */
#define BY(command) (1u << COMMAND_##command)
#define ITSELF      (1u << 15)
static const uint16_t allowed[PHASE_COUNT][PHASE_COUNT] = {
  [PHASE_EMPTY] = { [PHASE_LOADING] = BY(BEGIN) | BY(STREAM) },
  [PHASE_LOADING] = { [PHASE_READY] = BY(COMMIT), [PHASE_ARMED] = BY(ARM), [PHASE_EMPTY] = BY(STOP) | BY(CLEAR) },
  [PHASE_READY] = { [PHASE_ARMED] = BY(ARM),
                    [PHASE_LOADING] = BY(BEGIN) | BY(STREAM),
                    [PHASE_EMPTY] = BY(STOP) | BY(CLEAR) },
  [PHASE_ARMED] = { [PHASE_PLAYING] = BY(START), [PHASE_EMPTY] = BY(STOP), [PHASE_FAULT] = ITSELF },
  [PHASE_PLAYING] = { [PHASE_HOLDING] = BY(HOLD) | ITSELF,
                      [PHASE_EMPTY] = BY(STOP),
                      [PHASE_DONE] = ITSELF,
                      [PHASE_FAULT] = ITSELF },
  [PHASE_HOLDING] = { [PHASE_PLAYING] = BY(RESUME), [PHASE_EMPTY] = BY(STOP), [PHASE_FAULT] = ITSELF },
  [PHASE_DONE] = { [PHASE_LOADING] = BY(BEGIN) | BY(STREAM),
                   [PHASE_EMPTY] = BY(STOP) | BY(CLEAR),
                   [PHASE_FAULT] = ITSELF },
  [PHASE_FAULT] = { [PHASE_EMPTY] = BY(CLEAR) },
};

static uint64_t pair(uint16_t number, uint32_t check)
{
  return 1ULL << 48 | (uint64_t)number << 32 | check;
}

void witness_command(struct witness *w, unsigned command, uint16_t number, uint32_t check)
{
  if (w->last == pair(number, check)) violate(w, "a command was carried out twice", number, (int)command);
  w->last = pair(number, check);
  if (command == COMMAND_BEGIN || command == COMMAND_STREAM) {
    w->started = false;
    w->streaming = command == COMMAND_STREAM;
  }
  if (command != COMMAND_START) return;
  if (w->started) violate(w, "START twice for one profile", number, 0);
  w->started = true;
}

void witness_refusal(struct witness *w, uint16_t number, uint32_t check)
{
  w->last = pair(number, check);
}

void witness_change(struct witness *w, enum controller_phase to, int cause, bool whole)
{
  unsigned bit = cause == CAUSE_ITSELF ? ITSELF : 1u << cause;
  if (to != w->phase && !(allowed[w->phase][to] & bit))
    violate(w, "a change that is not allowed", (int)w->phase, (int)to);
  if ((to == PHASE_READY || to == PHASE_ARMED || to == PHASE_PLAYING) && !whole)
    violate(w, "ready with a profile that is not whole", (int)to, 0);
  if (w->phase == PHASE_LOADING && to == PHASE_ARMED && !w->streaming)
    violate(w, "armed before all of a download was there", (int)to, 0);
  if (to == PHASE_PLAYING && !w->started) violate(w, "playing without START", (int)to, 0);
  w->phase = to;
}

void witness_sample(struct witness *w, uint32_t index, uint32_t taken, bool inside)
{
  if (w->phase != PHASE_PLAYING && w->phase != PHASE_HOLDING) violate(w, "a sample outside of playing", (int)index, 0);
  if (index >= taken) violate(w, "a sample that never came", (int)index, (int)taken);
  if (!inside) violate(w, "a torque beyond the limit", (int)index, 0);
}

void witness_end(struct witness *w, uint32_t played, uint32_t total, bool same)
{
  if (played != total) violate(w, "done before all of it was played", (int)played, (int)total);
  if (!same) violate(w, "what was played is not the profile", (int)played, (int)total);
}

void witness_restart(struct witness *w)
{
  w->phase = PHASE_EMPTY;
  w->last = 0;
  w->started = w->streaming = false;
}
