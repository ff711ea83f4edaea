/* Server-sent events: one hub keeps the newest events, any number of answers stream them.
 *
 * Rooms tell the hub by `hub_changed` that a thing is not what it was. Its thread describes the thing soon after (several
 * changes in between are one event), gives the event the next id and wakes the streams that asked for it. Nothing is
 * described while nobody has listened for a while. A stream that falls behind what is kept is ended: the client connects
 * again and gets a snapshot. */
#ifndef SERVER_HTTP_EVENTS_H
#define SERVER_HTTP_EVENTS_H

#include "server/http/event_types.h"

struct hub;

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
