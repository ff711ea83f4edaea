/* Where a controller's arm stands now. */
#ifndef SERVER_TRANSFERS_STANDING_H
#define SERVER_TRANSFERS_STANDING_H

#include "api/codec/controller.h"
#include "api/problem/refusal.h"
#include "server/gateway/gateway.h"

struct app;

struct standing {
  double q[ARMDYN_JOINTS_MAX]; /* joint order, rad, m */
  size_t joints;
  struct observation seen;
};
/* Ask the controller, and wait some seconds for its answer. false: `why` says why that is not known, or that the arm is on
 * its way. May block. */
bool standing_measure(struct app *app, const struct controller_description *controller, struct standing *out,
                      struct refusal *why);

#endif
