/* What the two files of events share; nobody else includes it: events.c keeps and tells what changes, event_stream.c sends
 * it to one client. */
#ifndef SERVER_HTTP_EVENTS_INTERNAL_H
#define SERVER_HTTP_EVENTS_INTERNAL_H

#include <pthread.h>

#include "server/http/event_types.h"
#include "server/http/internal.h"

enum { CHANGES_MOST = 1024 /* things that changed between two looks; beyond it every stream begins anew */ };

struct event {
  uint64_t id;
  enum event_topic topic;
  char of[ARMDYN_NAME_SIZE];
  bool ended;
  size_t length;
  char text[]; /* as it is sent */
};

struct change {
  size_t kind;
  char id[ARMDYN_NAME_SIZE];
};

/* One answer. */
struct event_stream {
  struct event_stream *previous, *next;
  struct hub *hub;
  uint64_t number;
  struct exchange *x; /* on its event thread only */
  struct MHD_Connection *mhd;
  int fd;
  struct auth *auth; /* by whose right it is sent, and since when */
  struct caller caller;
  int64_t since_ns;
  struct event_filter filter;
  uint64_t at;       /* the next event */
  struct buffer out; /* what goes out now, and how much of it has gone */
  size_t sent;
  int64_t beat_ns;  /* when the next comment is due */
  bool sleeps;      /* suspended: only the hub resumes it */
  bool beats, ends; /* send a comment; say no more */
  bool lost;        /* break off: the client is gone, too slow, or has no right any more */
};

struct hub {
  struct event_setup setup;
  pthread_t thread;
  bool running;
  int epoll_fd; /* clients that leave while their connection is suspended, and wake_fd */
  int wake_fd;  /* readable: something has changed since the last look */

  pthread_mutex_t lock;
  bool stopping;
  struct event_stream *streams;
  uint64_t stream_count;              /* since the start */
  uint64_t refused;                   /* streams beyond the share of their key */
  uint64_t described;                 /* events since the start */
  struct event *events[LIMIT_EVENTS]; /* event i at i % LIMIT_EVENTS */
  uint64_t first, end;                /* those kept are [first, end) */
  size_t bytes;
  struct change changes[CHANGES_MOST];
  size_t change_count;
  bool overflow;
  int64_t deserted_ns; /* nobody has listened since; events are kept for a while */
};

/* -- events.c; all under the lock -- */

struct event **hub_place(struct hub *hub, uint64_t id);
/* Nobody has listened for so long that nothing is kept any more. */
bool hub_is_deserted(const struct hub *hub);
/* Who has seen everything until now has still missed something. */
void hub_begin_anew(struct hub *hub);

/* -- event_stream.c; under the lock -- */

void stream_wake(struct event_stream *stream);
/* Move over what a sleeping one did not ask for. true: it has something to say. */
bool stream_has_news(struct event_stream *stream);

#endif
