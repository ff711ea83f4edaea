/* One HTTP request and its answer, as a handler sees it.
 *
 * A handler reads the request, gives exactly one answer and returns ANSWERED; or says that it cannot do so here:
 *   BLOCKS  the work takes more than about a millisecond or touches the disk, and this is an event thread
 *           (exchange_may_block is false): it is called again, from the start, on a thread of the compute pool;
 *   WAITS   somebody else will answer later, from any thread, and then call exchange_resume (a job that is waited for);
 *   READS   the body is taken in pieces (a route that is STREAMED): see exchange_read_body.
 * Handlers touch no libmicrohttpd. */
#ifndef SERVER_HTTP_EXCHANGE_H
#define SERVER_HTTP_EXCHANGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/codec/media.h"
#include "api/problem/problem.h"
#include "api/problem/refusal.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"

struct exchange;
struct app; /* server/app.h: everything that serves (store, jobs, gateway, robots in memory, options) */

enum outcome { ANSWERED, BLOCKS, WAITS, READS };

/* -- the request -- */
struct app *exchange_app(const struct exchange *x);
const char *exchange_segment(const struct exchange *x,
                             const char *name); /* {name} of the route; never NULL for one that it has */
const char *exchange_query(const struct exchange *x, const char *name); /* percent-decoded; NULL = absent */
/* The parameters one by one, in the order of the query; false behind the last. */
bool exchange_query_item(const struct exchange *x, size_t index, const char **name, const char **value);
const char *exchange_query_text(const struct exchange *x); /* all of it as asked, without '?'; "" when there is none */
const char *exchange_header(const struct exchange *x, const char *name); /* NULL = absent; not after WAITS */
const char *exchange_body(const struct exchange *x, size_t *length);     /* whole; "" when empty */
const char *exchange_traceparent(const struct exchange *x); /* of this request: a span in the caller's trace */
const char *exchange_path(const struct exchange *x);        /* as asked, without the query */
const char *exchange_method(const struct exchange *x);
const void *exchange_about(const struct exchange *x); /* of its route */
bool exchange_may_block(const struct exchange *x);
enum media exchange_body_media(const struct exchange *x);   /* of Content-Type, one that the route takes */
enum media exchange_answer_media(const struct exchange *x); /* the best of Accept among those of the route */
/* Whose key this is: its id, "admin" for the one of the file, "anonymous" without keys. */
const char *exchange_key_id(const struct exchange *x);
/* The same with its name and role (http/auth.h). */
struct caller;
const struct caller *exchange_caller(const struct exchange *x);
/* May the caller set this controller's arm in motion? false: 403 has been answered. */
bool exchange_may_move(struct exchange *x, const char *controller);
/* What the service has counted of requests and connections, as Prometheus text. */
void exchange_write_metrics(const struct exchange *x, struct buffer *out);
/* The service was asked to stop: who would wait answers now instead. */
bool exchange_stopping(const struct exchange *x);
struct faults *exchange_faults(struct exchange *x); /* empty at first; answer_status lists what is in it */
/* A query parameter as a number or a truth value: false and a fault (422) when it is there and is no such thing;
 * absent leaves *value as it is and is true. */
bool exchange_query_integer(struct exchange *x, const char *name, long long least, long long most, long long *value);
bool exchange_query_number(struct exchange *x, const char *name, double least, double most, double *value);
bool exchange_query_truth(struct exchange *x, const char *name, bool *value);

/* Which job order it is about, for the audit trail; the last one that is not "" counts. */
void exchange_is_about_order(struct exchange *x, const char *job_order_id);

/* This one only computes, though its route may change something: no entry in the audit trail. */
void exchange_keeps_nothing(struct exchange *x);

/* -- the answer: exactly one of these -- */
void answer_bytes(struct exchange *x, int http_status, const char *content_type, struct buffer *body); /* takes it */
void answer_json(struct exchange *x, int http_status, struct buffer *body);                            /* takes it */
void answer_empty(struct exchange *x, int http_status);
void answer_problem(struct exchange *x, enum problem problem, const char *detail, ...)
    __attribute__((format(printf, 3, 4))); /* with the faults found so far; detail may be NULL */
void answer_status(struct exchange *x, enum armdyn_status status, const struct armdyn_error *error);
/* A problem with further members: see problem_write. */
void answer_problem_extra(struct exchange *x, enum problem problem, const char *extra, const char *detail);
/* What was found against it; why->faults are those of the exchange. */
void answer_refusal(struct exchange *x, const struct refusal *why);
/* Large series: `next` fills up to `size` bytes and answers how many (0 = the end, < 0 = break off). It runs on an event
 * thread while the client takes the answer; or it has suspended the connection (event_stream.c) and answers STREAM_SLEEPS.
 * release is called once. `held`: bytes of memory that the state takes. */
enum { STREAM_SLEEPS = -2 };
void answer_stream(struct exchange *x, int http_status, const char *content_type,
                   long (*next)(void *state, char *to, size_t size), void (*release)(void *state), void *state,
                   size_t held);
/* Before the answer: a header of it. The name must be a literal. */
void exchange_set_header(struct exchange *x, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void exchange_set_revision(struct exchange *x, long long revision); /* of the robot that the answer is about */

/* -- a body that is never held whole, of a route that is STREAMED --
 * Its handler is called, where it may block, when the first bytes are there (or the end); it answers, or calls
 * exchange_read_body and returns READS. Then these are called, one after the other, on threads that may block. */
struct body_reader {
  /* The next bytes, decompressed. Anything but OK is the answer, with the faults of the exchange; the rest is dropped. */
  enum armdyn_status (*take)(void *state, struct exchange *x, const char *bytes, size_t length,
                             struct armdyn_error *error);
  /* That was all of it, and it is what Content-Digest says: answer. */
  void (*finish)(void *state, struct exchange *x);
  /* Once, at the end, also when the client has gone (then without the others). */
  void (*release)(void *state);
};
/* held: bytes of memory that the state takes. */
void exchange_read_body(struct exchange *x, const struct body_reader *reader, void *state, size_t held);
/* Bytes of it that have come, as they came: compressed. */
size_t exchange_body_received(const struct exchange *x);
/* In finish: SHA-256 of the body as it came, 32 bytes; NULL of a body that is not streamed. */
const unsigned char *exchange_body_digest(const struct exchange *x);

/* -- waiting -- */
/* Ask before returning WAITS: false when half of all connections wait already, or the caller's key would take more of these
 * places than it leaves to others, or the service stops; answer then. */
bool exchange_may_wait(struct exchange *x);
/* After WAITS: some thread gives the answer with the functions above and then calls this, once; it may do so before the
 * handler has returned WAITS. The exchange lives until then, even when the client has gone. */
void exchange_resume(struct exchange *x);

#endif
