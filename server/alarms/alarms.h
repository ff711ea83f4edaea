/* Alarms: raised once when a cause is seen, cleared when it is gone, acknowledged by a person. A thread looks at the causes
 * (causes.c) twice a second, keeps what stands in memory, and brings every change into the store. What the store does not
 * take, because its disk is full say, is tried again at each look and shown meanwhile as it is in memory; so whoever is in
 * trouble waits for nobody, and no trouble hides itself; a second thread, which asks nothing of the store, sees a disk that
 * hangs and the first one with it. After a new start those that stood are taken up, and cleared as soon
 * as their cause is known to be gone. */
#ifndef SERVER_ALARMS_ALARMS_H
#define SERVER_ALARMS_ALARMS_H

#include "server/store/store.h"

struct app;
struct alarms;

/* With those of the store that stand. */
enum armdyn_status alarms_start(struct app *app, struct alarms **alarms, struct armdyn_error *error);
/* Nothing is looked at any more; before what is looked at stops. NULL is fine, here and below. */
void alarms_stop(struct alarms *alarms);
void alarms_free(struct alarms *alarms);

/* As it is now. ENOTFOUND. */
enum armdyn_status alarms_get(struct alarms *alarms, const char *id, struct store_alarm *out);
/* By the person or key of this name; who did it first stays. Durable when it answers OK, unless the store has nothing of the
 * alarm yet. ENOTFOUND, what the store says. */
enum armdyn_status alarms_acknowledge(struct alarms *alarms, const char *id, const char *by, struct store_alarm *out);
/* Put what is newer in memory into a row of a list. */
void alarms_refresh(struct alarms *alarms, struct store_alarm *row);
/* Those that the store has nothing of yet, the newest first. `visit` must not call back. */
void alarms_unstored(struct alarms *alarms, store_alarm_visit *visit, void *context);

#endif
