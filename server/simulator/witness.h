/* A witness of a simulated controller that trusts nobody: it sees every change of state with its cause and counts what
 * must never happen, above all motion that nobody asked for. */
#ifndef SERVER_SIMULATOR_WITNESS_H
#define SERVER_SIMULATOR_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/protocol/registers.h"

/* What made the state change: a command of the gateway, or the controller by itself. */
enum witness_cause { CAUSE_NONE = 0, CAUSE_ITSELF = 100 }; /* 1..9: enum controller_command */

struct witness {
  enum controller_phase phase;
  uint64_t last;  /* number and check word of the last command that was carried out or refused; 0: none was */
  bool started;   /* since the last BEGIN or STREAM */
  bool streaming; /* the last of those was STREAM */
  unsigned long violations;
  char first[128]; /* the first violation in words */
};

/* A command is about to be carried out. */
void witness_command(struct witness *w, unsigned command, uint16_t number, uint32_t check);
/* A command was refused: its number is used up all the same. */
void witness_refusal(struct witness *w, uint16_t number, uint32_t check);
/* The state changed. whole: all samples are held and their CRC-32, computed anew, is the one asked for; of an open
 * stream: at least 500 ms of it are there. */
void witness_change(struct witness *w, enum controller_phase to, int cause, bool whole);
/* A sample is being played, of `taken` samples that came; inside: the torque is within the limits. */
void witness_sample(struct witness *w, uint32_t index, uint32_t taken, bool inside);
/* The motion is done. same: the CRC-32 of what was played, word for word, is that of the profile. */
void witness_end(struct witness *w, uint32_t played, uint32_t total, bool same);
/* After a restart everything starts afresh but the count. */
void witness_restart(struct witness *w);

#endif
