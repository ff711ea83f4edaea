/* Looks at the controllers that streams of events, webhooks and MQTT ask for, keeps what it saw last, and tells the log of
 * events which were lost and which are back. */
#ifndef SERVER_TRANSFERS_OBSERVER_H
#define SERVER_TRANSFERS_OBSERVER_H

#include "api/wire/buffer.h"
#include "armdyn/status.h"
#include "server/base/announce.h"

struct app;
struct observer;

/*   changes  in  hears of every controller that was looked at */
struct observer *observer_new(struct app *app, const struct announce *changes);
void observer_free(struct observer *observer); /* after the gateway has stopped; NULL is fine */
/* Ask after those whose turn it is. Does not wait. */
void observer_tick(struct observer *observer);

/* Look at all of them, also when nobody asks. */
void observer_keep_looking(struct observer *observer, bool wanted);

/* What was seen of a controller last. */
struct sighting {
  bool lost;      /* it does not answer, though it should */
  bool fault;     /* it is in fault, for the reason `error` */
  bool restarted; /* it was started anew since this was asked last */
  unsigned error;
};
/* false: it was not looked at, so nothing is known. */
bool observer_sighting(struct observer *observer, const char *controller, struct sighting *out);

/* {"name", "status"} as last seen; the status is null before that. May read the store.
 *   only_news  in  ENOTFOUND when the last description that was asked for so said the same, but for the time */
enum armdyn_status observer_describe(struct observer *observer, const char *controller, bool only_news,
                                     struct buffer *out);

#endif
