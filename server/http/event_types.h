/* What events tell of, and what a stream of them asks for. */
#ifndef SERVER_HTTP_EVENT_TYPES_H
#define SERVER_HTTP_EVENT_TYPES_H

#include "api/limits.h"
#include "armdyn/robot.h"
#include "server/http/exchange.h"

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

/* What a stream asks for. */
struct event_filter {
  struct event_names {
    bool all;
    size_t count;
    char names[LIMIT_EVENT_NAMES][ARMDYN_NAME_SIZE];
  } of[TOPIC_COUNT];
  bool one; /* it ends, with an event `end`, when the one thing that it is about has ended */
};

#endif
