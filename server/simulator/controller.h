/* A controller that speaks register protocol v2, without its network: reads and writes of registers, and its own clock.
 * It shares with the gateway the lists of server/protocol, nothing else, so that each proves the other.
 *
 * Without a scan its program runs at every write, as one does that is called directly after its Modbus server; with one it
 * sees its registers once a cycle, as most do, and sometimes half of a write only. */
#ifndef SERVER_SIMULATOR_CONTROLLER_H
#define SERVER_SIMULATOR_CONTROLLER_H

#include "server/protocol/words.h"
#include "server/simulator/arm.h"
#include "server/simulator/witness.h"

struct simulator_options {
  const struct armdyn_robot *robot; /* NULL: unit inertias */
  size_t axes;                      /* without a robot */
  const double *position;           /* NULL: at the start of the first profile */
  uint32_t samples_most;
  uint32_t ring;     /* samples that it holds of a stream */
  unsigned formats;  /* bit 0: format 1, ... */
  unsigned places;   /* for windows */
  int scan_ms;       /* 0: its program runs at every write */
  uint16_t instance; /* of its first start */
  bool blind;        /* of what it measures it tells positions alone */
  FILE *trace;       /* every sample played, as CSV; NULL = none */
  bool wrong_crc;    /* a fault: what it computes over the profile is wrong */
  bool stores_zeros; /* a fault: it stores zeros instead of samples, and finds nothing wrong with that */
};

/* How punctual the gateway is. */
struct simulator_timing {
  unsigned long beats[PROTOCOL_BEAT_MOST_MS + 1]; /* heartbeats while armed or moving, by the ms since the one before */
  double ahead_least_us;                          /* of an open stream that played; INFINITY: none did */
};

/* What the gateway asked for with BEGIN, or STREAM. */
struct simulator_profile {
  bool streamed, open;                /* open: COMMIT has not told its end yet */
  uint32_t id, total, period_us, crc; /* total, crc: unknown while it is open */
  unsigned format, axes, sample_words;
  uint8_t axis[PROTOCOL_AXES]; /* numbers from 0 of the axes in a sample */
  unsigned end_policy, loss_policy;
  float start[PROTOCOL_AXES];
};

/* COMMIT takes several scans. What is refused meanwhile has its own answer; then comes that of COMMIT. */
struct simulator_commit {
  bool running;
  struct protocol_command command;
  uint32_t check;   /* its check word */
  uint32_t checked; /* samples */
  uint32_t crc;     /* of those */
};

struct simulator {
  struct simulator_options options;
  struct arm arm;
  bool placed;
  uint16_t instance;
  uint16_t bank[PROTOCOL_SPAN_MOST];  /* the registers as the network sees them */
  uint16_t input[PROTOCOL_SPAN_MOST]; /* with a scan: as the program sees those of the gateway in this cycle */
  struct {
    uint16_t offset, count, words[PROTOCOL_SPAN_MOST - PROTOCOL_PLACES];
  } torn;                         /* what the next cycle sees of a write's second half: what stood there before */
  unsigned long writes_to_blocks; /* of several registers, with a scan */
  int scan_age;                   /* ms */

  enum controller_phase phase;
  uint16_t acknowledged, error, own_error, epoch;
  uint32_t check; /* of the acknowledged command */
  struct {
    uint16_t number;
    uint32_t check;
  } looked_at; /* the last command that was, acknowledged or not */
  uint32_t uptime_ms;
  struct simulator_profile profile;
  struct simulator_commit commit;
  uint16_t *data; /* words of the profile: sample k at k % room */
  uint32_t room;  /* samples that fit */
  uint32_t next;  /* samples taken without a gap */
  uint32_t crc;   /* as stored: of a stream so far, of a download since COMMIT */

  uint16_t heartbeat;   /* as last seen */
  int heartbeat_age;    /* ms of real time since the last that counted */
  double play_us, pace; /* place in the profile; how fast it goes on: 1 playing, 0 at rest */
  enum brake { GO_ON, BRAKE_TO_HOLD, BRAKE_TO_EMPTY, BRAKE_TO_FAULT } brake;
  uint32_t traced;     /* samples written to the trace */
  uint32_t traced_crc; /* of those */
  double hold[ARMDYN_JOINTS_MAX];

  unsigned long long registers_written, samples_played;
  unsigned long profiles, starts, underruns;
  struct simulator_timing timing;
  struct witness witness;
};

enum armdyn_status simulator_init(struct simulator *s, const struct simulator_options *options);
void simulator_release(struct simulator *s);

/* Registers by offset from the base. 0, or a Modbus exception: 2 illegal address (outside, or not the gateway's to
 * write). A refused write changes nothing. */
int simulator_read(struct simulator *s, size_t offset, size_t count, uint16_t *words);
int simulator_write(struct simulator *s, size_t offset, size_t count, const uint16_t *words);
/* One millisecond passes. */
void simulator_tick(struct simulator *s);
/* So many milliseconds pass in which it did nothing: they count for its clock, but not while it plays, for then the play
 * time stands still too; and for the heartbeat, which is a matter of real time, as heartbeat_ms. */
void simulator_lag(struct simulator *s, int64_t ms, int heartbeat_ms);
/* As after its power was cut: another instance, no profile; the arm stands where it was. */
void simulator_restart(struct simulator *s);

#endif
