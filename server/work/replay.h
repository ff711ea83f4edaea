/* Torques over time that a simulated arm is given, whatever it does: open loop. Between samples
 * they change on straight lines. */
#ifndef SERVER_WORK_REPLAY_H
#define SERVER_WORK_REPLAY_H

#include "api/codec/simulation.h"
#include "server/store/store.h"

struct replay {
  size_t n, count;
  double *t, *tau; /* count, s, increasing; count x n */
};

/* The torques of a stored motion, as its samples have them. Release with replay_release in any case.
 * OK; EINPUT for /trajectory; what the store says. */
enum armdyn_status replay_read(struct store *store, const char *id, size_t joints, struct replay *replay,
                               struct armdyn_error *error);
/* Those of a request. OK or EMEMORY. */
enum armdyn_status replay_of(const struct torque_profile *profile, size_t joints, struct replay *replay);
void replay_release(struct replay *replay);

/* The torque of an armdyn_simulation whose torque_context is a struct replay; the last one stays. */
void replay_torque(void *context, double t, const double *q, const double *qd, double *tau);

#endif
