/* How a simulated controller plays its profile. */
#ifndef SERVER_SIMULATOR_PLAY_H
#define SERVER_SIMULATOR_PLAY_H

#include "server/simulator/state.h"

/* Torque of sample k, axis a of the profile, N m; and its position, rad. */
double simulator_torque(const struct simulator *s, uint32_t k, unsigned a);
/* Limits of an axis of the arm; INFINITY where there is none. */
double simulator_torque_most(const struct simulator *s, unsigned axis);
double simulator_rate_most(const struct simulator *s, unsigned axis);

/* The words of sample k, which it holds. */
uint16_t *simulator_sample(const struct simulator *s, uint32_t k);
uint32_t simulator_play_index(const struct simulator *s);
/* One millisecond of motion, or of rest. */
void simulator_play(struct simulator *s);
void simulator_play_from_start(struct simulator *s);
/* So many milliseconds pass in which it did nothing: they count for its clock, but not while it plays, for then the play
 * time stands still too; and for the heartbeat, which is a matter of real time, as heartbeat_ms. */
void simulator_lag(struct simulator *s, int64_t ms, int heartbeat_ms);
/* Come to rest on the path (without a position reference: at once), then go where `why` says. */
void simulator_brake(struct simulator *s, enum brake why);

#endif
