#include "server/protocol/registers.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

const struct register_row protocol_registers[] = {
#define ROW(block, name, offset, count, writer, type, title, meaning)                                                  \
  { BLOCK_##block, offset, count, BY_##writer, REGISTER_##type, #name, title, meaning },
#define X(...) ROW(FIXED, __VA_ARGS__)
  PROTOCOL_REGISTERS(X)
#undef X
#define X(...) ROW(PLACE, __VA_ARGS__)
      PROTOCOL_WINDOW_REGISTERS(X)
#undef X
#define X(...) ROW(MEASURED, __VA_ARGS__)
          PROTOCOL_MEASURED_REGISTERS(X)
#undef X
};
const size_t protocol_register_count = COUNT_OF(protocol_registers);

static const struct {
  const char *name, *word, *meaning;
} phases[PHASE_COUNT] = {
#define X(name, number, word, meaning) [number] = { #name, word, meaning },
  PROTOCOL_STATES(X)
#undef X
};

const char *protocol_phase_name(unsigned phase)
{
  return phase < PHASE_COUNT ? phases[phase].name : "unknown";
}

const char *protocol_phase_word(unsigned phase)
{
  return phase < PHASE_COUNT ? phases[phase].word : "unknown";
}

const char *protocol_phase_meaning(unsigned phase)
{
  return phase < PHASE_COUNT ? phases[phase].meaning : "";
}

#define TO(phase)                                                                                                      \
  {                                                                                                                    \
    true, false, false, PHASE_##phase                                                                                  \
  }
#define IN_STREAMS(phase)                                                                                              \
  {                                                                                                                    \
    true, true, false, PHASE_##phase                                                                                   \
  }
#define AT_REST(phase)                                                                                                 \
  {                                                                                                                    \
    true, false, true, PHASE_##phase                                                                                   \
  }
#define NO                                                                                                             \
  {                                                                                                                    \
    false, false, false, PHASE_EMPTY                                                                                   \
  }
static const struct {
  const char *name;
  struct protocol_transition from[PHASE_COUNT];
} commands[COMMAND_COUNT] = {
#define X(name, number, ...) [number] = { #name, { __VA_ARGS__ } },
  PROTOCOL_COMMANDS(X)
#undef X
};

const char *protocol_command_name(unsigned command)
{
  return command >= 1 && command < COMMAND_COUNT ? commands[command].name : "unknown";
}

struct protocol_transition protocol_transition(unsigned command, enum controller_phase from)
{
  static const struct protocol_transition none = NO;
  return command < COMMAND_COUNT && (unsigned)from < PHASE_COUNT ? commands[command].from[from] : none;
}

static const struct {
  const char *text, *meaning;
} errors[CONTROLLER_ERROR_COUNT] = {
#define X(name, number, text, meaning) [number] = { text, meaning },
  PROTOCOL_ERRORS(X)
#undef X
};

const char *protocol_error_text(unsigned error)
{
  return error < CONTROLLER_ERROR_COUNT ? errors[error].text : "unknown error";
}

const char *protocol_error_meaning(unsigned error)
{
  return error < CONTROLLER_ERROR_COUNT ? errors[error].meaning : "";
}

unsigned protocol_sample_words(unsigned format, unsigned axes)
{
  static const unsigned words[FORMAT_END] = { 0, 1, 2, 4 };
  return format < FORMAT_END ? words[format] * axes : 0;
}
