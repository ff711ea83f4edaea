/* How a simulated controller plays its profile: what controller.c needs of it. */
#ifndef SERVER_SIMULATOR_PLAY_H
#define SERVER_SIMULATOR_PLAY_H

#include "server/simulator/controller.h"

/* Torque of sample k, axis a of the profile, N m; and its position, rad. */
double simulator_torque(const struct simulator *s, uint32_t k, unsigned a);
double simulator_position(const struct simulator *s, uint32_t k, unsigned a);
/* Limits of an axis of the arm; INFINITY where there is none. */
double simulator_torque_most(const struct simulator *s, unsigned axis);
double simulator_rate_most(const struct simulator *s, unsigned axis);

/* The words of sample k, which it holds. */
uint16_t *simulator_sample(const struct simulator *s, uint32_t k);
/* Samples known: all, or of an open stream those that came. */
uint32_t simulator_known(const struct simulator *s);
/* How far an open stream is ahead of what is played, in us; of everything else INFINITY. */
double simulator_ahead_us(const struct simulator *s);
uint32_t simulator_play_index(const struct simulator *s);
/* One millisecond of motion, or of rest. */
void simulator_play(struct simulator *s);
void simulator_play_from_start(struct simulator *s);
/* Come to rest on the path (without a position reference: at once), then go where `why` says. */
void simulator_brake(struct simulator *s, enum brake why);

/* Of controller.c: change the state, with its cause, under the eyes of the witness; drop the profile. */
void simulator_change(struct simulator *s, enum controller_phase to, int cause);
void simulator_forget(struct simulator *s);

#endif
