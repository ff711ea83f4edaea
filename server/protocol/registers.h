/* Register protocol v2: the holding registers through which a controller takes a torque profile, its commands, states and
 * errors.
 *
 * These lists are the protocol. The gateway writes by them, the simulated controller answers by them, `armdyn registers`
 * prints them for whoever programs a controller, and the manual holds what it prints. Offsets count from the controller's
 * base; u32 and float32 take two registers, high word first. CONTROLLER: the controller writes and the gateway reads;
 * GATEWAY: the other way round; neither ever writes the other's. */
#ifndef SERVER_PROTOCOL_REGISTERS_H
#define SERVER_PROTOCOL_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROTOCOL_NAME  "armdyn-v2"
#define PROTOCOL_PROBE 12345.678f

/* name, offset, registers, who writes, type, title, meaning */
#define PROTOCOL_REGISTERS(X)                                                                                          \
  X(MAGIC, 0, 1, CONTROLLER, U16, "magic", "0xA5D1, written last at the start")                                        \
  X(VERSION, 1, 1, CONTROLLER, U16, "version", "of the protocol: 2")                                                   \
  X(AXES, 2, 1, CONTROLLER, U16, "axes", "axes of the controller, 1 to 10")                                            \
  X(SAMPLES_MOST, 3, 2, CONTROLLER, U32, "most samples", "samples of a profile that fit")                              \
  X(WINDOW_MOST, 5, 1, CONTROLLER, U16, "most window words", "data words that one window may have, at most 118")       \
  X(ABILITIES, 6, 1, CONTROLLER, U16, "abilities",                                                                     \
    "bits 0 to 2: formats 1 to 3; 8: STREAM; 9: HOLD and RESUME; 10: takes at once (its program has run before the "   \
    "next request is taken); 11: knows epochs; 14: measurements; 15: a simulator")                                     \
  X(PROBE, 7, 2, CONTROLLER, F32, "word-order probe", "12345.678")                                                     \
  X(INSTANCE, 9, 1, CONTROLLER, U16, "instance id",                                                                    \
    "another one at every start: a retained counter + 1, or the clock")                                                \
  X(PLACES, 10, 1, CONTROLLER, U16, "window places", "N, 1 to 16")                                                     \
  X(HEARTBEAT, 11, 1, GATEWAY, U16, "heartbeat", "+1 every 200 ms, in one request with the profile id that follows")   \
  X(HEARTBEAT_PROFILE, 12, 2, GATEWAY, U32, "heartbeat: profile id", "of who beats; only that of the active counts")   \
  X(COMMAND, 20, 1, GATEWAY, U16, "command", "a command is one request of +20 to +59")                                 \
  X(ZERO, 21, 1, GATEWAY, U16, "reserved", "0")                                                                        \
  X(PROFILE, 22, 2, GATEWAY, U32, "profile id", "random, never 0; 0 only of a person's STOP")                          \
  X(TOTAL, 24, 2, GATEWAY, U32, "total samples", "0: open, of STREAM")                                                 \
  X(PERIOD, 26, 2, GATEWAY, U32, "sample period", "microseconds")                                                      \
  X(FORMAT, 28, 1, GATEWAY, U16, "format", "1 torque in per mille of rated, 2 torque float32, 3 position and torque")  \
  X(AXIS_MASK, 29, 1, GATEWAY, U16, "axis mask", "bit 0: axis 1, ...; a sample holds these axes, ascending")           \
  X(END_POLICY, 30, 1, GATEWAY, U16, "end policy", "1 hold the last position, 2 zero torque")                          \
  X(LOSS_POLICY, 31, 1, GATEWAY, U16, "loss policy", "when the heartbeat is lost: 1 controlled stop, 2 finish")        \
  X(CRC, 32, 2, GATEWAY, U32, "CRC-32", "of all data words of the profile; 0 of STREAM")                               \
  X(LATEST, 34, 2, GATEWAY, U32, "latest uptime", "ms; later than this the command is not executed")                   \
  X(CHECK, 36, 2, GATEWAY, U32, "check word", "CRC-32 over the instance id, +20 to +35, +38 to +59")                   \
  X(EPOCH, 38, 1, GATEWAY, U16, "epoch", "of the holder; 0: none")                                                     \
  X(NUMBER, 39, 1, GATEWAY, U16, "number", "of the command, random, unlike the one before")                            \
  X(START_POSITION, 40, 20, GATEWAY, F32, "start position", "of every axis; ARM compares it with the measured one")    \
  X(ACKNOWLEDGED, 60, 1, CONTROLLER, U16, "acknowledged number", "of the last command, written last in its scan")      \
  X(STATE, 61, 1, CONTROLLER, U16, "state", "0 to 7, see the table of states")                                         \
  X(ERROR, 62, 1, CONTROLLER, U16, "error", "of the last command; 0: it was carried out")                              \
  X(NEXT_OFFSET, 63, 2, CONTROLLER, U32, "next offset", "samples held without a gap")                                  \
  X(PLAY_INDEX, 65, 2, CONTROLLER, U32, "play index", "sample being played; while COMMIT runs: samples checked")       \
  X(FREE_SAMPLES, 67, 2, CONTROLLER, U32, "free samples", "total - next; of a stream: ring - (next - play index)")     \
  X(HEARTBEAT_ECHO, 69, 1, CONTROLLER, U16, "heartbeat echoed", "the heartbeat as last seen")                          \
  X(CRC_STORED, 70, 2, CONTROLLER, U32, "CRC-32 as stored",                                                            \
    "computed from what is stored, not from what came; valid from READY on (of a stream: after COMMIT)")               \
  X(PROFILE_ACTIVE, 72, 2, CONTROLLER, U32, "active profile id", "0: none")                                            \
  X(LOSS_POLICY_ACTIVE, 74, 1, CONTROLLER, U16, "loss policy in force", "may be stricter than asked")                  \
  X(UPTIME, 75, 2, CONTROLLER, U32, "uptime", "ms, wrapping; the sum of the same increments as the play time")         \
  X(OWN_ERROR, 77, 1, CONTROLLER, U16, "own error",                                                                    \
    "why the program itself did something (FAULT, HOLDING, a window refused); cleared by BEGIN, STREAM, CLEAR")        \
  X(CHECK_ACKNOWLEDGED, 78, 2, CONTROLLER, U32, "acknowledged check word", "of the acknowledged command")              \
  X(POSITION, 80, 20, CONTROLLER, F32, "measured position", "of every axis, by axis number")

/* Within a window place: place k starts at +100 + 128 k. */
#define PROTOCOL_WINDOW_REGISTERS(X)                                                                                   \
  X(WINDOW_OFFSET, 0, 2, GATEWAY, U32, "sample offset", "taken when it equals the next offset")                        \
  X(WINDOW_WORDS, 2, 1, GATEWAY, U16, "words", "data words that follow, whole samples")                                \
  X(WINDOW_CRC, 3, 2, GATEWAY, U32, "CRC-32", "over profile id, sample offset, words and data words")                  \
  X(WINDOW_DATA, 5, 118, GATEWAY, WORDS, "data", "samples, interleaved by axis")

/* Behind the last place, from +100 + 128 N on, where ability bit 14 says so; all of one moment. */
#define PROTOCOL_MEASURED_REGISTERS(X)                                                                                 \
  X(MEASURED_TIME, 0, 2, CONTROLLER, U32, "measured: time", "microseconds from the profile's first sample, wrapping")  \
  X(MEASURED_POSITION, 2, 20, CONTROLLER, F32, "measured: position", "of every axis, by axis number")                  \
  X(MEASURED_TORQUE, 22, 20, CONTROLLER, F32, "measured: torque", "of every axis; on the profile's side of the gear")

/* Offsets: REGISTER_MAGIC, ...; of a place and of the measurements from their first register. */
enum register_offset {
#define X(name, offset, count, writer, type, title, meaning) REGISTER_##name = offset,
  PROTOCOL_REGISTERS(X) PROTOCOL_WINDOW_REGISTERS(X) PROTOCOL_MEASURED_REGISTERS(X)
#undef X
};

enum register_writer { BY_CONTROLLER, BY_GATEWAY };
enum register_type { REGISTER_U16, REGISTER_U32, REGISTER_F32, REGISTER_WORDS };
enum register_block { BLOCK_FIXED, BLOCK_PLACE, BLOCK_MEASURED };

struct register_row {
  enum register_block block;
  uint16_t offset, count; /* within its block */
  enum register_writer writer;
  enum register_type type;
  const char *name, *title, *meaning;
};
extern const struct register_row protocol_registers[];
extern const size_t protocol_register_count;

enum {
  PROTOCOL_VERSION = 2,
  PROTOCOL_MAGIC = 0xA5D1,
  PROTOCOL_BASE = 1000, /* where the block starts unless told otherwise */
  PROTOCOL_AXES = 10,   /* most axes */

  PROTOCOL_PLACES = 100,       /* offset of the first window place */
  PROTOCOL_PLACE_STRIDE = 128, /* from one place to the next */
  PROTOCOL_PLACES_MOST = 16,
  PROTOCOL_WINDOW_HEADER = 5, /* registers of a window before its data */
  PROTOCOL_WINDOW_MOST = 118, /* data words of a window: FC16 takes 123 registers */
  PROTOCOL_MEASURED = 42,     /* registers of the measurements */
  PROTOCOL_SPAN_MOST = PROTOCOL_PLACES + PROTOCOL_PLACES_MOST * PROTOCOL_PLACE_STRIDE + PROTOCOL_MEASURED,
  PROTOCOL_COMMAND = 40, /* registers of a command, from COMMAND on */
  PROTOCOL_LOOK = 91,    /* registers of a look, from INSTANCE on: who it is, what was last written, and how it is */

  PROTOCOL_BEAT_MS = 200,          /* between two heartbeats */
  PROTOCOL_BEAT_MOST_MS = 1000,    /* without one: it is lost */
  PROTOCOL_LATEST_MOST_MS = 60000, /* a latest uptime further ahead than this is in the past */
  PROTOCOL_AHEAD_MS = 500,         /* of an open stream, before it may play */
  PROTOCOL_PERIOD_LEAST_US = 100,
  PROTOCOL_PERIOD_MOST_US = 1000000,
};

/* Registers of the block with N places, measurements included; the last must not lie beyond 65535. */
static inline unsigned protocol_span(unsigned places)
{
  return PROTOCOL_PLACES + places * PROTOCOL_PLACE_STRIDE + PROTOCOL_MEASURED;
}

/* -- abilities: bits of REGISTER_ABILITIES -- */

enum controller_ability {
  ABILITY_FORMATS = 0x0007,
  ABILITY_STREAM = 0x0100,
  ABILITY_HOLD = 0x0200,
  ABILITY_AT_ONCE = 0x0400,
  ABILITY_EPOCHS = 0x0800,
  ABILITY_MEASURES = 0x4000,
  ABILITY_SIMULATOR = 0x8000
};

/* -- states -- */

/* name, number, word, meaning */
#define PROTOCOL_STATES(X)                                                                                             \
  X(EMPTY, 0, "empty", "no profile: id, next offset and CRC-32 are 0")                                                 \
  X(LOADING, 1, "loading", "windows are taken; COMMIT, which may last several scans, checks them")                     \
  X(READY, 2, "ready", "all of it is there, checked")                                                                  \
  X(ARMED, 3, "armed", "the arm stands at its start; the heartbeat is watched from here on")                           \
  X(PLAYING, 4, "playing", "the profile is played on the controller's own clock")                                      \
  X(HOLDING, 5, "holding", "at rest on the path, or on the way there")                                                 \
  X(DONE, 6, "done", "played to its end; id, next offset and CRC-32 stay")                                             \
  X(FAULT, 7, "fault", "stopped for the reason in +77; CLEAR alone leads out")

enum controller_phase {
#define X(name, number, word, meaning) PHASE_##name = number,
  PROTOCOL_STATES(X)
#undef X
      PHASE_COUNT
};
const char *protocol_phase_name(unsigned phase);    /* "EMPTY", ...; "unknown" beyond the list */
const char *protocol_phase_word(unsigned phase);    /* "empty", ... as sentences and the API say it */
const char *protocol_phase_meaning(unsigned phase); /* "" beyond the list */

/* -- commands, and where each leads from every state -- */

/* TO(state), or NO: error 1. IN_STREAMS(state): of a stream alone. AT_REST(state): acknowledged at once, the state changes
 * when the arm is at rest.
 *   name, number,  EMPTY, LOADING, READY, ARMED, PLAYING, HOLDING, DONE, FAULT */
#define PROTOCOL_COMMANDS(X)                                                                                           \
  X(BEGIN, 1, TO(LOADING), TO(LOADING), TO(LOADING), NO, NO, NO, TO(LOADING), NO)                                      \
  X(COMMIT, 2, NO, TO(READY), NO, IN_STREAMS(ARMED), IN_STREAMS(PLAYING), IN_STREAMS(HOLDING), NO, NO)                 \
  X(ARM, 3, NO, IN_STREAMS(ARMED), TO(ARMED), NO, NO, NO, NO, NO)                                                      \
  X(START, 4, NO, NO, NO, TO(PLAYING), NO, NO, NO, NO)                                                                 \
  X(HOLD, 5, NO, NO, NO, NO, TO(HOLDING), NO, NO, NO)                                                                  \
  X(RESUME, 6, NO, NO, NO, NO, NO, TO(PLAYING), NO, NO)                                                                \
  X(STOP, 7, TO(EMPTY), TO(EMPTY), TO(EMPTY), TO(EMPTY), AT_REST(EMPTY), AT_REST(EMPTY), TO(EMPTY), TO(FAULT))         \
  X(CLEAR, 8, TO(EMPTY), TO(EMPTY), TO(EMPTY), NO, NO, NO, TO(EMPTY), TO(EMPTY))                                       \
  X(STREAM, 9, TO(LOADING), TO(LOADING), TO(LOADING), NO, NO, NO, TO(LOADING), NO)

enum controller_command {
#define X(name, number, ...) COMMAND_##name = number,
  PROTOCOL_COMMANDS(X)
#undef X
      COMMAND_COUNT
};
const char *protocol_command_name(unsigned command); /* "BEGIN", ...; "unknown" beyond the list */

struct protocol_transition {
  bool allowed, in_streams, at_rest; /* in_streams: of nothing else; at_rest: later than the acknowledgement */
  enum controller_phase to;
};
/* Of a command that is none, nothing is allowed. */
struct protocol_transition protocol_transition(unsigned command, enum controller_phase from);

/* -- errors -- */

/* name, number, text, what the controller's programmer should know */
#define PROTOCOL_ERRORS(X)                                                                                             \
  X(OK, 0, "no error", "")                                                                                             \
  X(NOT_ALLOWED, 1, "command not allowed in this state", "see the table of states")                                    \
  X(FORMAT, 2, "format not offered", "also a period or a policy that is none")                                         \
  X(TOO_LONG, 3, "profile too long", "also a total of 0, or of STREAM one that is not 0")                              \
  X(CRC, 4, "CRC-32 does not match", "of what is stored; also a count of samples that is not the total")               \
  X(TORQUE, 5, "torque above the limit", "of yours; a NaN is above every limit")                                       \
  X(TORQUE_RATE, 6, "torque rate above the limit", "of yours, from one sample to the next")                            \
  X(START_POSITION, 7, "arm is not at the start position", "or that is no number")                                     \
  X(UNDERRUN, 8, "underrun", "a stream ran dry, or less than 500 ms of it are there")                                  \
  X(HEARTBEAT, 9, "heartbeat lost", "1 s without a change that carries the active profile id")                         \
  X(WINDOW, 10, "window refused", "its CRC-32 is right, but it has part of a sample, or goes beyond the total")        \
  X(AXES, 11, "axes not offered", "an axis mask of 0, or with axes that are not there")                                \
  X(INTERNAL, 12, "internal error", "of the controller")                                                               \
  X(ANOTHER_PROFILE, 13, "another profile", "the id is not that of the active one; BEGIN, STREAM, CLEAR are exempt")   \
  X(TOO_LATE, 14, "too late", "(latest - uptime) modulo 2^32 is above 60000")                                          \
  X(OLD_EPOCH, 15, "old epoch", "lower than one seen before; only where ability bit 11 is set")

enum controller_error {
#define X(name, number, text, meaning) CONTROLLER_##name = number,
  PROTOCOL_ERRORS(X)
#undef X
      CONTROLLER_ERROR_COUNT
};
const char *protocol_error_text(unsigned error);    /* "unknown error" beyond the list */
const char *protocol_error_meaning(unsigned error); /* "" beyond the list */

/* -- samples -- */

enum sample_format { FORMAT_TORQUE_PERMILLE = 1, FORMAT_TORQUE = 2, FORMAT_POSITION_TORQUE = 3, FORMAT_END };
enum { END_HOLD = 1, END_ZERO_TORQUE = 2, LOSS_STOP = 1, LOSS_FINISH = 2 };

/* Data words of one sample: 1, 2 or 4 for every axis; 0 for an unknown format. */
unsigned protocol_sample_words(unsigned format, unsigned axes);

#endif
