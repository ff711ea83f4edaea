/* Watches: what controllers measure is followed, each arm's parameters against the model that is promoted. A thread of its
 * own takes in what the gateway hears, so that nothing waits for it. What was learnt is kept in the store now and then and
 * at the end, and gone on with after the next start. */
#ifndef SERVER_WATCH_WATCH_H
#define SERVER_WATCH_WATCH_H

#include "api/codec/watch.h"
#include "server/gateway/gateway.h"
#include "server/robots/cache.h"

struct watches;

/* With those of the store. */
enum armdyn_status watches_start(struct store *store, struct robots *robots, struct watches **watches,
                                 struct armdyn_error *error);
/* Nothing is taken in any more, and all is kept. NULL is fine, here and below. */
void watches_stop(struct watches *watches);
void watches_free(struct watches *watches);

/* To be given to the gateway. */
struct telemetry_tap watches_tap(struct watches *watches);

/* Begin one.
 *   request  in   checked
 *   body     out  what watches_describe says of it then
 * OK; EEXISTS: there is one that was asked for otherwise (the same again changes nothing); ENOTFOUND: no such controller;
 * EINPUT with the error; what the store says. */
enum armdyn_status watches_begin(struct watches *watches, const char *controller, const struct watch_request *request,
                                 struct buffer *body, struct armdyn_error *error);
/* {...} of the watch. ENOTFOUND. */
enum armdyn_status watches_describe(struct watches *watches, const char *controller, struct buffer *body);
/* ENOTFOUND. */
enum armdyn_status watches_end(struct watches *watches, const char *controller);

/* Is the arm of this controller watched? Waits for nothing. */
bool watches_watching(struct watches *watches, const char *controller);

/* What a watch has seen. */
struct watch_sighting {
  bool drifted; /* joints have drifted, `joints` says which */
  bool contact; /* something touched the arm since this was asked last */
  char joints[128];
};
/* false: it is not watched. */
bool watches_sighting(struct watches *watches, const char *controller, struct watch_sighting *out);

#endif
