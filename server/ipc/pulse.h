/* Does a child live? It answers pings, and is taken for dead when its parent has waited longer than a limit for the next
 * answer. Only time that the parent spent waiting counts: what it did meanwhile is not the child's silence, nor is a wait
 * that took longer than it should, for then the parent was not running on time, and the child may not have been either. */
#ifndef SERVER_IPC_PULSE_H
#define SERVER_IPC_PULSE_H

#include <stdbool.h>
#include <stdint.h>

struct pulse {
  int64_t limit_ns, silent_ns;
  int64_t ping_due_ns;
};

void pulse_begin(struct pulse *pulse, int64_t limit_ns);
/* Is it time for a ping? The next one is due a second later. */
bool pulse_ping_due(struct pulse *pulse, int64_t now_ns);
void pulse_heard(struct pulse *pulse);
/* The parent waited for it from begun_ns to now_ns, and had meant to for at most meant_ms. */
void pulse_waited(struct pulse *pulse, int64_t begun_ns, int64_t now_ns, int meant_ms);
bool pulse_lost(const struct pulse *pulse);

#endif
