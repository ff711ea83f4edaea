/* Server-sent events: one hub keeps the newest events, any number of answers stream them.
 *
 * Rooms tell the hub by `hub_changed` that a thing is not what it was. Its thread describes the thing soon after (several
 * changes in between are one event), gives the event the next id and wakes the streams that asked for it. Nothing is
 * described while nobody has listened for a while. A stream that falls behind what is kept is ended: the client connects
 * again and gets a snapshot. */
#ifndef SERVER_HTTP_EVENTS_H
#define SERVER_HTTP_EVENTS_H

#include "api/limits.h"
#include "armdyn/robot.h"
#include "server/http/exchange.h"

struct hub;

/* What streams choose by: the ids of jobs, the names of controllers. */
enum event_topic { TOPIC_JOBS, TOPIC_CONTROLLERS, TOPIC_COUNT };

/* What is told of a thing. */
struct event_description {
  struct buffer json;           /* one line */
  char topic[ARMDYN_NAME_SIZE]; /* whose it is, among those of the kind's topic */
  bool ended;                   /* nothing more will come of it */
};

/* A kind of things that events tell of: rows of the table in server/routes/events.c. */
struct event_kind {
  const char *name; /* of its events */
  enum event_topic topic;
  /* As it is now. Anything but OK: there is nothing to tell. May read the store. */
  enum armdyn_status (*describe)(struct app *app, const char *id, struct event_description *out);
};

struct event_setup {
  struct app *app;
  const struct event_kind *kinds;
  size_t kind_count;
  void (*tick)(struct app *app); /* several times a second, by the hub's thread; may read the store. NULL: nothing */
};

/* NULL: no memory. It takes changes, and tells nobody before hub_start. */
struct hub *hub_new(const struct event_setup *setup);
enum armdyn_status hub_start(struct hub *hub);
/* Every stream ends as soon as its client has taken what is written, and no further one begins. */
void hub_quiesce(struct hub *hub);
/* Its thread ends: nothing is described any more, so what the kinds describe may be freed. NULL is fine. */
void hub_stop(struct hub *hub);
void hub_free(struct hub *hub); /* stopped, and when no stream is left; NULL is fine */

/* This thing of the kind has changed, begun or ended. From any thread; never blocks. */
void hub_changed(struct hub *hub, size_t kind, const char *id);
/* Does any stream ask for this; with NULL, for anything of that topic? */
bool hub_asks(struct hub *hub, enum event_topic topic, const char *name);

void hub_write_metrics(struct hub *hub, struct buffer *out);

/* What a stream asks for. */
struct event_filter {
  struct event_names {
    bool all;
    size_t count;
    char names[LIMIT_EVENT_NAMES][ARMDYN_NAME_SIZE];
  } of[TOPIC_COUNT];
  bool one; /* it ends, with an event `end`, when the one thing that it is about has ended */
};
/* name NULL: anything of that topic? */
bool event_filter_takes(const struct event_filter *filter, enum event_topic topic, const char *name);

/* Answer with a stream. From now on nothing is missed, so what the snapshot shows may come again, and is never older.
 *   stream    out  give it to stream_answer
 *   resumes   out  the client has seen everything up to here (Last-Event-ID): it needs no snapshot
 * false: 503 has been answered, or 429: the caller's key has as many as one may have (options.streams_per_key). */
struct event_stream;
bool stream_open(struct exchange *x, struct hub *hub, const struct event_filter *filter, struct event_stream **stream,
                 bool *resumes);
/* snapshot: JSON of one line for the first event, or an empty buffer; taken. A failed one is answered as a failure. */
void stream_answer(struct event_stream *stream, struct buffer *snapshot);

#endif
