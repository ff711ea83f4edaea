/* Shared by the calls of dynamics. */
#ifndef SERVER_ROUTES_DYNAMICS_H
#define SERVER_ROUTES_DYNAMICS_H

#include "server/robots/cache.h"
#include "server/routes/handlers.h"

/* The robot of a request, with the payload, gravity or tool of its own.
 *   entry    in   the stored one
 *   changed  in   NULL: nothing is
 *   own      out  what was built for this call, or NULL: armdyn_robot_free
 * NULL: refused, and answered. */
const struct armdyn_robot *robot_for_call(struct exchange *x, const struct robot_entry *entry,
                                          const struct armdyn_robot_description *changed, struct armdyn_robot **own);

#endif
