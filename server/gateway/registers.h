/* Register protocol v1: the holding registers through which a controller takes a torque profile, and the words in them.
 *
 * One list says what stands where. The gateway writes by it, the simulator answers by it, and whoever programs a
 * controller reads it. Addresses are offsets from the controller's base; u32 and float32 take two registers, high word
 * first. CONTROLLER: the controller writes and the gateway reads; GATEWAY: the other way round. */
#ifndef SERVER_GATEWAY_REGISTERS_H
#define SERVER_GATEWAY_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armdyn/status.h"

/* name, offset, registers, who writes, type, title, meaning */
#define REGISTER_LIST(X)                                                                                               \
  X(MAGIC, 0, 1, CONTROLLER, U16, "magic", "0xA5D1")                                                                   \
  X(VERSION, 1, 1, CONTROLLER, U16, "version", "of the protocol: 1")                                                   \
  X(AXES, 2, 1, CONTROLLER, U16, "axes", "axes of the controller, 1..10")                                              \
  X(SAMPLES_MOST, 3, 2, CONTROLLER, U32, "most samples", "samples that fit")                                           \
  X(WINDOW_MOST, 5, 1, CONTROLLER, U16, "most window words", "data words that one window may have, at most 119")       \
  X(FORMATS, 6, 1, CONTROLLER, U16, "formats",                                                                         \
    "bit 0: format 1, bit 1: format 2, bit 2: format 3; bit 14: measurements are at 223; bit 15: a simulator")         \
  X(PROBE, 7, 2, CONTROLLER, F32, "word-order probe", "12345.678")                                                     \
  X(INSTANCE, 9, 1, CONTROLLER, U16, "instance", "another number after every start of the controller")                 \
  X(HEARTBEAT, 10, 1, GATEWAY, U16, "heartbeat", "+1 every 200 ms; the controller trips after 1 s without change")     \
  X(COMMAND, 20, 1, GATEWAY, U16, "command", "1 BEGIN 2 COMMIT 3 ARM 4 START 5 HOLD 6 RESUME 7 STOP 8 CLEAR 9 STREAM") \
  X(SLOT, 21, 1, GATEWAY, U16, "slot", "where to keep the profile: 0")                                                 \
  X(PROFILE, 22, 2, GATEWAY, U32, "profile id", "chosen by the gateway, not 0")                                        \
  X(TOTAL, 24, 2, GATEWAY, U32, "total samples", "0: open (streaming)")                                                \
  X(PERIOD, 26, 2, GATEWAY, U32, "sample period", "microseconds")                                                      \
  X(FORMAT, 28, 1, GATEWAY, U16, "format", "1 torque in per mille of rated, 2 torque float32, 3 position and torque")  \
  X(AXIS_MASK, 29, 1, GATEWAY, U16, "axis mask", "bit 0: axis 1, ...; a sample holds these axes, ascending")           \
  X(END_POLICY, 30, 1, GATEWAY, U16, "end policy", "1 hold the last position, 2 zero torque")                          \
  X(LOSS_POLICY, 31, 1, GATEWAY, U16, "loss policy", "when the heartbeat is lost: 1 controlled stop, 2 finish")        \
  X(CRC, 32, 2, GATEWAY, U32, "CRC-32", "IEEE 802.3, over all data words in order, each as two big-endian bytes")      \
  X(SEQUENCE, 39, 1, GATEWAY, U16, "sequence number", "the doorbell: written last, a new number runs the command")     \
  X(START_POSITION, 40, 20, GATEWAY, F32, "start position", "of every axis; ARM compares it with the measured one")    \
  X(ACKNOWLEDGED, 60, 1, CONTROLLER, U16, "acknowledged sequence", "the last command that was carried out or refused") \
  X(STATE, 61, 1, CONTROLLER, U16, "state", "0 EMPTY 1 LOADING 2 READY 3 ARMED 4 PLAYING 5 HOLDING 6 DONE 7 FAULT")    \
  X(ERROR, 62, 1, CONTROLLER, U16, "error", "of the last command, or of the fault; 0 none")                            \
  X(NEXT_OFFSET, 63, 2, CONTROLLER, U32, "next offset", "samples held without a gap")                                  \
  X(PLAY_INDEX, 65, 2, CONTROLLER, U32, "play index", "sample being played")                                           \
  X(FREE_SAMPLES, 67, 2, CONTROLLER, U32, "free samples", "room left")                                                 \
  X(HEARTBEAT_ECHO, 69, 1, CONTROLLER, U16, "heartbeat echoed", "the heartbeat as last seen")                          \
  X(CRC_COMPUTED, 70, 2, CONTROLLER, U32, "CRC-32 as computed", "of the data words held")                              \
  X(PROFILE_ACTIVE, 72, 2, CONTROLLER, U32, "active profile id", "0: none")                                            \
  X(LOSS_POLICY_ACTIVE, 74, 1, CONTROLLER, U16, "loss policy in force", "may be stricter than asked")                  \
  X(POSITION, 80, 20, CONTROLLER, F32, "measured position", "of every axis")                                           \
  X(WINDOW_OFFSET, 100, 2, GATEWAY, U32, "window: sample offset", "taken when it equals the next offset")              \
  X(WINDOW_WORDS, 102, 1, GATEWAY, U16, "window: words", "data words that follow, whole samples")                      \
  X(WINDOW_CRC, 103, 1, GATEWAY, U16, "window: CRC-16", "Modbus, over the three registers before and the data")        \
  X(WINDOW_DATA, 104, 119, GATEWAY, WORDS, "window: data", "samples, axis-interleaved")                                \
  X(MEASURED_TIME, 223, 2, CONTROLLER, U32, "measured: time",                                                          \
    "microseconds from the profile's first sample, wrapping")                                                          \
  X(MEASURED_POSITION, 225, 20, CONTROLLER, F32, "measured: position", "of every axis, then")                          \
  X(MEASURED_TORQUE, 245, 20, CONTROLLER, F32, "measured: torque", "of every axis, then; on the profile's side")

enum register_writer { BY_CONTROLLER, BY_GATEWAY };
enum register_type { REGISTER_U16, REGISTER_U32, REGISTER_F32, REGISTER_WORDS };

/* Offsets: REGISTER_MAGIC, ... */
enum register_offset {
#define X(name, offset, count, writer, type, title, meaning) REGISTER_##name = offset,
  REGISTER_LIST(X)
#undef X
};

struct register_row {
  uint16_t offset, count;
  enum register_writer writer;
  enum register_type type;
  const char *title, *meaning;
};
extern const struct register_row register_rows[];
extern const size_t register_row_count;

enum {
  REGISTERS_SPAN = 265,         /* offsets 0 .. 264 */
  REGISTERS_BASE = 1000,        /* where the block starts unless told otherwise */
  REGISTERS_AXES = 10,          /* most axes */
  REGISTERS_SIMULATED = 0x8000, /* bit of the formats: a simulator */
  REGISTERS_MEASURES = 0x4000,  /* bit of the formats: the registers from MEASURED_TIME on are there */
  REGISTERS_MAGIC = 0xA5D1,
  REGISTERS_VERSION = 1,
  REGISTERS_WINDOW = 119,      /* most data words of one window: FC16 takes 123 registers */
  REGISTERS_WINDOW_HEADER = 4, /* offset, words, CRC */
  REGISTERS_IDENTITY = 10,     /* registers from MAGIC on that tell who it is */
  REGISTERS_ARGUMENTS = 14,    /* registers from COMMAND on that a command takes */
  REGISTERS_STATE = 15,        /* registers from ACKNOWLEDGED on that tell how it is */
  REGISTERS_MEASURED = 42,     /* registers from MEASURED_TIME on */
};
#define REGISTERS_PROBE 12345.678f

enum controller_command {
  COMMAND_BEGIN = 1,
  COMMAND_COMMIT,
  COMMAND_ARM,
  COMMAND_START,
  COMMAND_HOLD,
  COMMAND_RESUME,
  COMMAND_STOP,
  COMMAND_CLEAR,
  COMMAND_STREAM
};
const char *controller_command_name(enum controller_command command); /* "BEGIN", ... */

enum controller_phase {
  PHASE_EMPTY,
  PHASE_LOADING,
  PHASE_READY,
  PHASE_ARMED,
  PHASE_PLAYING,
  PHASE_HOLDING,
  PHASE_DONE,
  PHASE_FAULT,
  PHASE_COUNT
};
const char *controller_phase_name(enum controller_phase phase); /* "empty", ... */

enum controller_error {
  CONTROLLER_OK,
  CONTROLLER_NOT_ALLOWED,
  CONTROLLER_FORMAT,
  CONTROLLER_TOO_LONG,
  CONTROLLER_CRC,
  CONTROLLER_TORQUE,
  CONTROLLER_TORQUE_RATE,
  CONTROLLER_START_POSITION,
  CONTROLLER_UNDERRUN,
  CONTROLLER_HEARTBEAT,
  CONTROLLER_WINDOW,
  CONTROLLER_AXES,
  CONTROLLER_INTERNAL,
  CONTROLLER_ERROR_COUNT
};
const char *controller_error_text(unsigned error); /* "unknown error" beyond the list */

enum sample_format { FORMAT_TORQUE_PERMILLE = 1, FORMAT_TORQUE = 2, FORMAT_POSITION_TORQUE = 3, FORMAT_END };
enum { END_HOLD = 1, END_ZERO_TORQUE = 2, LOSS_STOP = 1, LOSS_FINISH = 2 };

/* Data words of one sample: 1, 2 or 4 for every axis; 0 for an unknown format. */
unsigned sample_words(unsigned format, unsigned axes);

/* -- words: high word first -- */
void words_put_u32(uint16_t *words, uint32_t value);
uint32_t words_get_u32(const uint16_t *words);
void words_put_float(uint16_t *words, float value);
float words_get_float(const uint16_t *words);

/* CRC-32 of IEEE 802.3 over words as big-endian bytes; start with 0, continue with what the last call answered.
 * Check value: "123456789" gives 0xCBF43926. */
uint32_t crc32_bytes(uint32_t crc, const void *bytes, size_t length);
uint32_t crc32_words(uint32_t crc, const uint16_t *words, size_t count);
/* CRC-16 of Modbus, likewise; start with 0xFFFF. Check value: 0x4B37. */
uint16_t crc16_bytes(uint16_t crc, const void *bytes, size_t length);
uint16_t crc16_words(uint16_t crc, const uint16_t *words, size_t count);

/* Write a window into words[0 .. 4 + count): header, CRC-16 and data. Answers the registers used. */
size_t window_encode(uint32_t offset, const uint16_t *data, size_t count, uint16_t *words);
/* The CRC-16 that a window of these words should carry. */
uint16_t window_crc(const uint16_t *words, size_t count);

/* Who a controller is: the registers from MAGIC on. */
struct controller_identity {
  unsigned axes, window_most, formats;
  bool simulated; /* no arm moves */
  bool measures;  /* it has the registers from MEASURED_TIME on */
  uint32_t samples_most;
  uint16_t instance;
};
/* OK, or EINPUT with a sentence: not this protocol, another version, words swapped, figures out of range. */
enum armdyn_status controller_identity_decode(const uint16_t words[REGISTERS_IDENTITY], struct controller_identity *out,
                                              struct armdyn_error *error);

/* How a controller is: the registers from ACKNOWLEDGED on. */
struct controller_state {
  uint16_t acknowledged, error, heartbeat, loss_policy;
  enum controller_phase phase;
  uint32_t next_offset, play_index, free_samples, crc, profile;
};
/* OK, or EINPUT when the state is none of the list. */
enum armdyn_status controller_state_decode(const uint16_t words[REGISTERS_STATE], struct controller_state *out,
                                           struct armdyn_error *error);

#endif
