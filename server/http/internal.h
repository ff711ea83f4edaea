/* What the files of this room share; nobody else includes it. See connection.c for phases, lifetime.c for states. */
#ifndef SERVER_HTTP_INTERNAL_H
#define SERVER_HTTP_INTERNAL_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>

#include "server/app.h"
#include "server/base/trace.h"
#include "server/config/options.h"
#include "server/http/auth.h"
#include "server/http/exchange.h"
#include "server/http/forwarded.h"
#include "server/http/gate_state.h"
#include "server/http/origin.h"
#include "server/http/router.h"
#include "server/http/tally.h"
#include "server/http/target.h"
#include "server/http/throttle.h"
#include "server/store/store.h"

enum {
  CONNECTIONS_PER_THREAD = 120,  /* libmicrohttpd hangs with 128 active ones in one thread */
  RESERVE_CONNECTIONS = 100,     /* beyond them: see acceptor.h */
  CONNECTION_MEMORY = 32 * 1024, /* request line and headers, and one read of a body; cleared after every request */
  REQUEST_ID_SIZE = 65,
  HEADERS_OF_ANSWER = 8,
  SMALL_BODY = 16 * 1024, /* kept from request to request; refused bodies up to it are read and dropped */
  LINGERING_MOST = 64,
  BLOCKING_THREADS = 16, /* for handlers that touch the disk */
  URGENT_THREADS = 2,    /* for those of exchange_is_urgent */
  UPLOADS_BEHIND = 10,   /* nice of the threads that take uploads: who waits for an answer goes first */
  WAITING_KEYS = 256,    /* two that meet in one place share it */
  QUEUE_MOST = 1200      /* of work handed to threads: more than connections cannot come */
};

/* -- connections (connection.c) -- */

/* Where a connection is in the life of a request. The event thread moves it on; the watching thread may move it to
 * EXPIRED when its deadline has passed, and whoever is first wins. */
enum phase {
  PHASE_FRESH,   /* accepted, no request line yet */
  PHASE_READING, /* a request arrives */
  PHASE_TAKING,  /* a piece of its body is being taken; no deadline */
  PHASE_SERVING, /* it is being answered; no deadline */
  PHASE_SENDING, /* the answer goes out */
  PHASE_IDLE,    /* kept for the next request */
  PHASE_EXPIRED  /* being closed */
};

struct connection {
  struct connection *previous, *next; /* of http->connections, under http->lock */
  struct http *http;
  int fd;
  struct event_thread *thread;
  struct sockaddr_storage peer;
  bool local; /* over control.sock: accepted from a socket of that family */
  _Atomic int phase;
  _Atomic int64_t deadline; /* monotonic ns; 0 = none */
  struct gate gate;
  struct exchange *spare; /* memory of the last exchange, for the next */
  struct auth_memory memory;
  struct exchange *waiting; /* under http->lock: suspended until exchange_resume */
  int linger;               /* a duplicate of fd that outlives it, -1 = none */
  _Atomic bool cut;         /* it ends without the answer that it owes, and the log has been told */
};

/* One event thread (acceptor.c). */
struct event_thread {
  struct http *http;
  struct MHD_Daemon *daemon;
  _Atomic size_t connections; /* given to it and not closed */
  bool reserve;               /* for what must be answered when all others are full, and only for that */
};

void connection_notify(void *event_thread, struct MHD_Connection *mhd, void **context,
                       enum MHD_ConnectionNotificationCode what);
/* false: it has expired meanwhile. */
bool connection_advance(struct connection *connection, enum phase from, enum phase to, int64_t deadline);
/* Write a whole answer past libmicrohttpd, which cannot answer in the middle of a body; the connection must be closed
 * afterwards. */
void connection_refuse(struct connection *connection, enum problem problem, const char *detail, const char *request_id);
/* The same with a body that is there already. */
void connection_refuse_with(struct connection *connection, int http_status, const char *body, size_t length,
                            const char *request_id);
/* The answer will be sent while the client still sends: keep the socket open a little after closing, so that no reset
 * destroys the answer before it is read. */
void connection_linger(struct connection *connection);

/* It ends without an answer, or with a part of one: the log says so, and why. The first reason counts. */
void connection_cut(struct connection *connection, const char *why);

/* Let the longest open one of the reserve go: who comes anew may be in need. */
void connection_make_room(struct http *http);

enum armdyn_status watch_start(struct http *http);
void watch_stop(struct http *http);

/* -- the service (server.c) -- */

struct http {
  const struct app *app;
  struct auth *auth;
  struct router *router;
  struct acceptor *acceptor;
  struct tls *tls;                /* NULL = none */
  struct pool *blocking, *urgent; /* of handlers that touch the disk */
  struct pool *uploads;           /* of those that take a body in pieces */
  struct auditor *auditor;
  struct throttle *throttle, *strangers; /* of wrong keys; of requests without one */
  struct tally *tally;
  struct ranges trusted;              /* proxies */
  struct host_names names;            /* of this service */
  int64_t body_timeout, idle_timeout; /* ns */
  size_t slots;
  size_t upload_most;                    /* bytes of a streamed body, and of what it is when decompressed */
  int64_t upload_cpu;                    /* ns of the processor that one may take; INT64_MAX: no limit */
  _Atomic size_t bytes_in_flight;        /* bodies received and answers not yet sent */
  _Atomic long waiting;                  /* exchanges that returned WAITS and are not resumed, and streams of events */
  _Atomic long waiting_as[WAITING_KEYS]; /* the same by a hash of their key */
  _Atomic bool stopping;                 /* nothing new; kept connections end */
  _Atomic bool refusing;                 /* no handler is called any more */
  _Atomic uint64_t request_count;
  _Atomic uint64_t turned_away; /* requests that came by the reserve and were not for it */
  char request_prefix[9];
  uint64_t trace_seed;
  _Atomic uint64_t trace_count;

  pthread_mutex_t lock;
  struct connection *connections;
  size_t connection_count;

  pthread_t watch;
  bool watching;
  int wake_fd; /* eventfd */
  struct {
    int fd;
    int64_t until;
    size_t budget;
  } lingering[LINGERING_MOST]; /* under lock */
  size_t lingering_count;
};

void request_id_make(struct http *http, char id[REQUEST_ID_SIZE]);

/* -- exchanges (lifetime.c) -- */

/* Who has the exchange after its handler was called. */
enum exchange_state {
  EXCHANGE_RUNNING,
  EXCHANGE_WAITING,  /* the handler returned WAITS and nobody has resumed yet */
  EXCHANGE_ANSWERED, /* there is an answer to queue */
  EXCHANGE_GONE      /* the client went while somebody waited; that one still holds it */
};

enum stage { STAGE_HEADERS, STAGE_BODY, STAGE_TAKING, STAGE_HANDED_OVER };

/* Headers that every request is asked for; found in one pass. */
enum known_header {
  HEADER_ACCEPT,
  HEADER_AUTHORIZATION,
  HEADER_CONTENT_ENCODING,
  HEADER_CONTENT_LENGTH,
  HEADER_CONTENT_TYPE,
  HEADER_EXPECT,
  HEADER_HOST,
  HEADER_ORIGIN,
  HEADER_SEC_FETCH_SITE,
  HEADER_TRACEPARENT,
  HEADER_TRANSFER_ENCODING,
  HEADER_REQUEST_ID,
  KNOWN_HEADERS
};

struct exchange {
  struct http *http;
  struct connection *connection;
  struct MHD_Connection *mhd; /* NULL once the client has gone */
  bool reserve;               /* it came by the reserve (acceptor.h) */
  _Atomic int references;     /* the connection's, and the waiter's */
  _Atomic int state;
  enum stage stage;
  bool head_only, may_block, refused;
  bool may_wait;          /* holds one of the places of http->waiting ... */
  unsigned char waits_as; /* ... and of http->waiting_as */
  bool streams;           /* and keeps it until its answer has gone out */
  bool audited;           /* it has left its entry in the audit trail, or leaves none */
  bool keeps_nothing;
  bool dry_run;                  /* it is a rehearsal (server/base/rehearsal.h) */
  char job_order_id[LABEL_SIZE]; /* that it is about; "" = none */
  bool unsound;                  /* its framing: where it ends is not known, and the connection cannot be kept */
  int64_t started;
  size_t held; /* bytes of http->bytes_in_flight */

  const char *method;
  /* The target as asked, the '?' replaced by a NUL: path and query_text. Behind it a copy, taken apart by `target`. */
  char *text, *query_text, *target_text;
  size_t text_capacity;
  struct target target;
  struct match match;
  const struct route *route;
  const char *known[KNOWN_HEADERS];
  char request_id[REQUEST_ID_SIZE];
  char traceparent[TRACE_SIZE];
  struct caller caller;
  uint64_t keys;                  /* the generation of the keys that the caller was known by */
  struct sockaddr_storage client; /* the connection's peer, or whom a trusted proxy names */
  enum media body_media, answer_media;
  char *body; /* of a streamed one: the present block */
  size_t body_length, body_capacity;
  struct intake *intake; /* NULL: the body is not streamed, or has not begun */

  int status; /* 0 = no answer yet */
  struct MHD_Response *response;
  const char *refusal; /* the body of a problem, the response's */
  size_t answer_bytes; /* of a stream: so far */
  size_t answer_held;  /* bytes of memory until it is sent */
  struct {
    const char *name;
    char *value;
  } headers[HEADERS_OF_ANSWER];
  size_t header_count;

  struct faults faults; /* last: large, and untouched as long as there are none */
};

void *exchange_begin(void *context, const char *uri, struct MHD_Connection *mhd);
enum MHD_Result exchange_serve(void *context, struct MHD_Connection *mhd, const char *url, const char *method,
                               const char *version, const char *upload, size_t *upload_size, void **place);
void exchange_end(void *context, struct MHD_Connection *mhd, void **place, enum MHD_RequestTerminationCode how);
void exchange_free(struct exchange *x);
/* Its body has come, or a piece of it, which may have taken long: is the caller known still? false: 401 is the answer. */
bool exchange_is_still_trusted(struct exchange *x);
/* A stop, or what watches and administers the service: it waits for nobody's other work. */
bool exchange_is_urgent(const struct exchange *x);
/* Of a route with NO_FIELDS: the body is empty or {}. false: an answer has been given. */
bool exchange_has_no_fields(struct exchange *x);
/* Past libmicrohttpd, which takes no answer in the middle of a body: answer, and MHD_NO to close. */
enum MHD_Result exchange_break_off(struct exchange *x, enum problem problem, const char *detail);
enum MHD_Result exchange_break_off_answered(struct exchange *x); /* with the problem that was answered */
enum MHD_Result exchange_queue(struct exchange *x);
/* Close the connection: there will be no answer. MHD_NO. */
enum MHD_Result exchange_cut(struct exchange *x, const char *why);
/* It gives back the place that exchange_may_wait gave it. */
void exchange_waits_no_more(struct exchange *x);
/* As exchange_may_wait, for an answer that goes on without end. */
bool exchange_may_stream(struct exchange *x);
/* A stream gives so many bytes more: the client gets time to take them. On the event thread, while it sends. */
void exchange_sends(struct exchange *x, size_t bytes);
/* Let bytes_in_flight follow what this exchange holds. */
void exchange_hold(struct exchange *x, size_t bytes);

/* -- bodies that are never held whole (intake.c) -- */

enum MHD_Result intake_take(struct exchange *x, const char *bytes, size_t *size);
/* The body is complete. */
enum MHD_Result intake_complete(struct exchange *x);
/* Let go of it, finished or not. */
void intake_end(struct exchange *x);

/* -- admission (admission.c): everything that is decided before the body is read -- */

/* Route, key, query, formats, lengths. false: an answer has been given. */
bool exchange_admit(struct exchange *x);
/* Answer what is malformed in it (gate.h). */
void exchange_refuse_broken(struct exchange *x);

#endif
