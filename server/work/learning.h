/* What a law that adapts believes in while a loop runs: at equal times, for a simulation's result. */
#ifndef SERVER_WORK_LEARNING_H
#define SERVER_WORK_LEARNING_H

#include "api/codec/simulation.h"

/* Take a period of a loop that lasts so long, s.
 *   learning  in/out  zeroed before the first; release with learning_release
 * False: no memory. A law that does not adapt leaves it as it is. */
bool learning_take(struct simulation_learning *learning, const struct armdyn_loop_sample *sample,
                   const struct armdyn_robot *robot, bool frictionless, double duration);
void learning_release(struct simulation_learning *learning);

#endif
