/* What was measured of each motion is summed up once, when it has ended: how far which joint was from its plan, and the
 * energies. The sum is kept with the transfer; the data set may be deleted afterwards.
 *
 * A thread of its own asks the store twice a second for transfers that have ended without a sum, and takes them one after the
 * other. So what a crash, a full disk or an upgrade left is summed up later, and nobody who moves an arm waits for it. */
#ifndef SERVER_TRANSFERS_SUMMING_H
#define SERVER_TRANSFERS_SUMMING_H

#include "armdyn/status.h"

struct app;
struct summing;

enum armdyn_status summing_start(struct app *app, struct summing **summing, struct armdyn_error *error);
void summing_stop(struct summing *summing); /* what is not summed up is after the next start; NULL is fine */

#endif
