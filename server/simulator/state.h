/* What a simulated controller is: its registers, its program's memory, its arm. controller.c is its program and its registers,
 * commands.c what it does at a command, play.c how it plays. */
#ifndef SERVER_SIMULATOR_STATE_H
#define SERVER_SIMULATOR_STATE_H

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

/* Samples known: all, or of an open stream those that came; and where their play ends. */
uint32_t simulator_known(const struct simulator *s);
double simulator_end_us(const struct simulator *s);
/* How far an open stream is ahead of what is played, in us; of everything else INFINITY. */
double simulator_ahead_us(const struct simulator *s);
/* Is all of a download there, its CRC-32 being what was asked for; enough of an open stream; all of a closed one? */
bool simulator_whole(const struct simulator *s);

/* Change the state, with its cause, under the eyes of the witness; drop the profile. */
void simulator_change(struct simulator *s, enum controller_phase to, int cause);
void simulator_forget(struct simulator *s);

#endif
