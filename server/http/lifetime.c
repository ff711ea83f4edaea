/* The life of an exchange: begun when the request line is there, filled by the event thread, answered by its handler
 * there or on another thread, ended when the client has the answer.
 *
 * A connection is suspended before anybody else may resume it, and resumed exactly once: by the pool's thread when the
 * handler has answered, by exchange_resume when it said WAITS, or by the watch when the client has gone. Compare and
 * exchange on `state` decides who. */
#include <linux/sockios.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/pool.h"
#include "server/http/acceptor.h"
#include "server/http/address.h"
#include "server/http/audit.h"
#include "server/http/gate.h"
#include "server/http/internal.h"
#include "server/http/stand_in.h"

static const int64_t SECOND = 1000000000;
static const size_t SLOWEST_READER = 16 * 1024; /* bytes a second that a client must take */

void request_id_make(struct http *http, char id[REQUEST_ID_SIZE])
{
  static const char hex[] = "0123456789abcdef";
  enum { PREFIX = sizeof http->request_prefix - 1, DIGITS_LEAST = 8 };
  const uint64_t number = atomic_fetch_add_explicit(&http->request_count, 1, memory_order_relaxed);
  unsigned digits = DIGITS_LEAST;
  while (digits < 16 && number >> 4 * digits) digits++;
  memcpy(id, http->request_prefix, PREFIX);
  id[PREFIX] = '-';
  for (unsigned i = 0; i < digits; i++) id[PREFIX + 1 + i] = hex[number >> 4 * (digits - 1 - i) & 15];
  id[PREFIX + 1 + digits] = '\0';
}

void exchange_hold(struct exchange *x, size_t bytes)
{
  if (bytes > x->held) atomic_fetch_add_explicit(&x->http->bytes_in_flight, bytes - x->held, memory_order_relaxed);
  if (bytes < x->held) atomic_fetch_sub_explicit(&x->http->bytes_in_flight, x->held - bytes, memory_order_relaxed);
  x->held = bytes;
}

static void exchange_forget_headers(struct exchange *x)
{
  for (size_t i = 0; i < x->header_count; i++) free(x->headers[i].value);
  x->header_count = 0;
}

static void free_large_body(struct exchange *x)
{
  if (x->body_capacity <= SMALL_BODY) return;
  free(x->body);
  x->body = NULL;
  x->body_capacity = x->body_length = 0;
}

/* Forget one request; keep memory worth keeping. */
static void reset(struct exchange *x)
{
  if (x->response) MHD_destroy_response(x->response);
  exchange_forget_headers(x);
  exchange_hold(x, 0);
  if (x->streams) exchange_waits_no_more(x);
  free_large_body(x);
  char *text = x->text, *body = x->body;
  size_t text_capacity = x->text_capacity, body_capacity = x->body_capacity;
  memset(x, 0, offsetof(struct exchange, faults.items));
  x->text = text;
  x->text_capacity = text_capacity;
  x->body = body;
  x->body_capacity = body_capacity;
}

void exchange_free(struct exchange *x)
{
  free(x->text);
  free(x->body);
  free(x);
}

static void exchange_release(struct exchange *x)
{
  if (atomic_fetch_sub(&x->references, 1) > 1) return;
  reset(x);
  exchange_free(x);
}

/* The absolute form, http://host/path, asks for its path (RFC 9112, 3.2.2). */
static const char *origin_form(const char *uri)
{
  size_t scheme = strncasecmp(uri, "http://", 7) ? strncasecmp(uri, "https://", 8) ? 0 : 8 : 7;
  if (!scheme) return uri;
  const char *path = uri + scheme + strcspn(uri + scheme, "/?");
  return *path ? path : "/";
}

static bool keep_target(struct exchange *x, const char *uri)
{
  uri = origin_form(uri);
  size_t length = strlen(uri), needed = 2 * (length + 1);
  if (needed > x->text_capacity) {
    size_t capacity = needed < 256 ? 256 : needed;
    char *text = realloc(x->text, capacity);
    if (!text) return false;
    x->text = text;
    x->text_capacity = capacity;
  }
  memcpy(x->text, uri, length + 1);
  x->target_text = x->text + length + 1;
  memcpy(x->target_text, uri, length + 1);
  x->query_text = x->text + strcspn(x->text, "?");
  if (*x->query_text) *x->query_text++ = '\0';
  return true;
}

static const char out_of_memory[] = "out of memory", out_of_turn[] = "it was at another point of its last request";

/* Nothing of it is served. */
static void *cut(struct connection *c, const char *why)
{
  if (atomic_load(&c->phase) != PHASE_EXPIRED) connection_cut(c, why);
  return NULL;
}

void *exchange_begin(void *context, const char *uri, struct MHD_Connection *mhd)
{
  struct http *http = context;
  struct connection *c = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
  if (!c) return NULL; /* exchange_serve closes it */
  if (!gate_lets_begin(&c->gate)) return cut(c, "libmicrohttpd made a request of what was none");
  struct exchange *x = c->spare;
  c->spare = NULL;
  if (!x) {
    x = malloc(sizeof *x);
    if (!x) return cut(c, out_of_memory);
    memset(x, 0, offsetof(struct exchange, faults.items));
  }
  x->http = http;
  x->connection = c;
  x->mhd = mhd;
  x->reserve = c->thread->reserve;
  x->started = clock_monotonic_ns();
  atomic_init(&x->references, 1);
  int64_t deadline = x->started + http->body_timeout;
  bool open = atomic_load(&c->phase) == PHASE_READING || connection_advance(c, PHASE_IDLE, PHASE_READING, deadline);
  if (!open) /* the first request's time began with the connection */
    open = connection_advance(c, PHASE_FRESH, PHASE_READING, atomic_load(&c->deadline));
  if (open && keep_target(x, uri)) return x;
  exchange_free(x);
  return cut(c, open ? out_of_memory : out_of_turn);
}

enum MHD_Result exchange_cut(struct exchange *x, const char *why)
{
  cut(x->connection, why);
  return MHD_NO;
}

/* -- the body -- */

static bool make_room(struct exchange *x, size_t needed)
{
  if (x->body && needed < x->body_capacity) return true; /* a byte for the NUL */
  size_t capacity = x->body_capacity ? x->body_capacity : 4096;
  while (capacity <= needed) capacity *= 2;
  if (capacity > x->route->body_most + 1 && needed <= x->route->body_most) capacity = x->route->body_most + 1;
  char *body = realloc(x->body, capacity);
  if (!body) return false;
  x->body = body;
  x->body_capacity = capacity;
  return true;
}

enum MHD_Result exchange_break_off(struct exchange *x, enum problem problem, const char *detail)
{
  if (connection_advance(x->connection, PHASE_READING, PHASE_EXPIRED, 0)) {
    x->status = problem_http_status(problem);
    connection_linger(x->connection);
    connection_refuse(x->connection, problem, detail, x->request_id);
  }
  return MHD_NO;
}

enum MHD_Result exchange_break_off_answered(struct exchange *x)
{
  if (connection_advance(x->connection, PHASE_READING, PHASE_EXPIRED, 0)) {
    connection_linger(x->connection);
    if (x->refusal) connection_refuse_with(x->connection, x->status, x->refusal, x->answer_bytes, x->request_id);
  }
  return MHD_NO;
}

static enum MHD_Result take(struct exchange *x, const char *bytes, size_t *size)
{
  size_t length = *size;
  *size = 0;
  if (x->refused) {
    x->body_length += length;
    if (x->body_length <= SMALL_BODY) return MHD_YES;
    return exchange_break_off(x, PROBLEM_TOO_LARGE,
                              "the request was refused, and its body is too large to be read to its end");
  }
  if (length > x->route->body_most - x->body_length) {
    char detail[128];
    snprintf(detail, sizeof detail, "the body is larger than %zu bytes", x->route->body_most);
    return exchange_break_off(x, PROBLEM_TOO_LARGE, detail);
  }
  bool crowded =
      x->route->where != AT_ONCE &&
      atomic_load_explicit(&x->http->bytes_in_flight, memory_order_relaxed) + length > LIMIT_BODIES_IN_FLIGHT;
  if (crowded || !make_room(x, x->body_length + length))
    return exchange_break_off(x, PROBLEM_UNAVAILABLE, "too many large requests at once");
  memcpy(x->body + x->body_length, bytes, length);
  x->body_length += length;
  x->body[x->body_length] = '\0';
  exchange_hold(x, x->body_length);
  return MHD_YES;
}

/* -- answering -- */

/* For a client that takes this many bytes from now on. */
static int64_t sending_deadline(const struct exchange *x, size_t bytes)
{
  return clock_monotonic_ns() + x->http->idle_timeout + (int64_t)(bytes / SLOWEST_READER) * SECOND;
}

/* What the socket still holds comes first, and that may be megabytes. */
void exchange_sends(struct exchange *x, size_t bytes)
{
  int before = 0;
  x->answer_bytes += bytes;
  if (!ioctl(x->connection->fd, SIOCOUTQ, &before) && before > 0) bytes += (size_t)before;
  atomic_store_explicit(&x->connection->deadline, sending_deadline(x, bytes), memory_order_relaxed);
}

/* It is the last one of its connection: what comes behind is nobody's. */
static void end_connection(struct exchange *x)
{
  (void)MHD_add_response_header(x->response, "Connection", "close");
  connection_linger(x->connection);
}

enum MHD_Result exchange_queue(struct exchange *x)
{
  if (!x->response) {
    log_event(LOG_ERROR, "a handler gave no answer", "request_id", x->request_id, "path", x->text, NULL);
    answer_problem(x, PROBLEM_INTERNAL, NULL);
    if (!x->response) return exchange_cut(x, out_of_memory);
  }
  if (gate_is_broken(&x->connection->gate) || x->http->app->stand_in) end_connection(x);
  audit_exchange(x->http->auditor, x, false);
  free_large_body(x);
  exchange_hold(x, x->answer_held);
  if (!connection_advance(x->connection, PHASE_SERVING, PHASE_SENDING, sending_deadline(x, x->answer_bytes)))
    return exchange_cut(x, out_of_turn);
  if (MHD_queue_response(x->mhd, (unsigned)x->status, x->response) == MHD_YES) return MHD_YES;
  return exchange_cut(x, "libmicrohttpd did not take the answer");
}

/* The handler said WAITS on this thread, and the connection is suspended. */
static void begin_waiting(struct exchange *x)
{
  struct http *http = x->http;
  struct MHD_Connection *mhd = x->mhd;
  pthread_mutex_lock(&http->lock);
  int expected = EXCHANGE_RUNNING;
  bool waits = atomic_compare_exchange_strong(&x->state, &expected, EXCHANGE_WAITING);
  if (waits) x->connection->waiting = x;
  pthread_mutex_unlock(&http->lock);
  if (!waits) MHD_resume_connection(mhd); /* answered meanwhile */
}

void exchange_resume(struct exchange *x)
{
  struct http *http = x->http;
  struct MHD_Connection *mhd = NULL;
  pthread_mutex_lock(&http->lock);
  int was = atomic_exchange(&x->state, EXCHANGE_ANSWERED);
  if (was == EXCHANGE_GONE) atomic_store(&x->state, EXCHANGE_GONE);
  if (was == EXCHANGE_WAITING) {
    x->connection->waiting = NULL;
    mhd = x->mhd;
  }
  pthread_mutex_unlock(&http->lock);
  if (x->may_wait) exchange_waits_no_more(x);
  exchange_release(x);
  if (mhd) MHD_resume_connection(mhd);
}

/* The waiter's reference is taken before the handler runs: exchange_resume may come before it returns. */
static enum outcome call_handler(struct exchange *x, bool may_block)
{
  x->may_block = may_block;
  atomic_fetch_add(&x->references, 1); /* the waiter's, should there be one */
  enum outcome outcome = x->route->handle(x);
  if (outcome != WAITS) atomic_fetch_sub(&x->references, 1);
  if (outcome != WAITS && x->may_wait && !x->streams) exchange_waits_no_more(x);
  if (outcome == BLOCKS) exchange_forget_headers(x);
  if (outcome == BLOCKS) x->may_wait = false;
  return outcome;
}

static void run_on_thread(void *context)
{
  struct exchange *x = context;
  struct MHD_Connection *mhd = x->mhd;
  store_reads_first(exchange_is_urgent(x));
  if (x->dry_run) store_rehearse();
  enum outcome outcome = audit_permits(x->http->auditor, x) ? call_handler(x, true) : ANSWERED;
  if (x->dry_run) store_rehearsal_end();
  store_reads_first(false);
  if (outcome == WAITS) {
    begin_waiting(x);
    return;
  }
  audit_exchange(x->http->auditor, x, true);
  atomic_store(&x->state, EXCHANGE_ANSWERED);
  MHD_resume_connection(mhd);
}

static enum MHD_Result hand_over(struct exchange *x, struct pool *pool)
{
  x->stage = STAGE_HANDED_OVER;
  MHD_suspend_connection(x->mhd);
  if (pool_submit(pool, run_on_thread, x)) {
    answer_problem(x, PROBLEM_UNAVAILABLE, "the service is busy: its queue is full");
    atomic_store(&x->state, EXCHANGE_ANSWERED);
    MHD_resume_connection(x->mhd);
  }
  return MHD_YES;
}

static enum MHD_Result dispatch(struct exchange *x)
{
  if (!connection_advance(x->connection, PHASE_READING, PHASE_SERVING, 0)) return exchange_cut(x, out_of_turn);
  if (x->refused) return exchange_queue(x);
  if (gate_is_broken(&x->connection->gate)) { /* in its body */
    if (!x->response) exchange_refuse_broken(x);
    return exchange_queue(x);
  }
  bool stopped = atomic_load(&x->http->refusing);
  if (stopped || !make_room(x, x->body_length)) {
    answer_problem(x, PROBLEM_UNAVAILABLE, stopped ? "the service stops" : "out of memory");
    return exchange_queue(x);
  }
  x->body[x->body_length] = '\0';
  if (x->route->where == STREAMED) return intake_complete(x);
  if (x->keys != auth_generation(x->http->auth) && x->route->where != AT_ONCE && !exchange_is_still_trusted(x))
    return exchange_queue(x);
  if (x->route->bodies == NO_FIELDS && !exchange_has_no_fields(x)) return exchange_queue(x);
  if (x->route->where == ON_POOL || x->route->where == READS_ON_POOL)
    return hand_over(x, exchange_is_urgent(x) ? x->http->urgent : x->http->blocking);
  const struct stand_in *stands = x->http->app->stand_in;
  if (stands) stands->stopped(stands->context, x->text, x->known[HEADER_AUTHORIZATION]);
  switch (call_handler(x, false)) {
  case ANSWERED: return exchange_queue(x);
  case BLOCKS: return hand_over(x, x->http->app->pool);
  case READS: /* only of routes that are STREAMED */
  case WAITS: break;
  }
  x->stage = STAGE_HANDED_OVER;
  MHD_suspend_connection(x->mhd);
  begin_waiting(x);
  return MHD_YES;
}

/* Refused before its body came: read a small body to keep the connection, answer at once otherwise. */
static enum MHD_Result refuse(struct exchange *x)
{
  x->refused = true;
  const char *length = x->known[HEADER_CONTENT_LENGTH];
  bool comes = length || x->known[HEADER_TRANSFER_ENCODING];
  bool small = !x->known[HEADER_EXPECT] && (!length || strtoull(length, NULL, 10) <= SMALL_BODY);
  if (!x->unsound && (!comes || small)) return MHD_YES;
  if (!connection_advance(x->connection, PHASE_READING, PHASE_SERVING, 0)) return exchange_cut(x, out_of_turn);
  connection_linger(x->connection);
  return exchange_queue(x);
}

enum MHD_Result exchange_serve(void *context, struct MHD_Connection *mhd, const char *url, const char *method,
                               const char *version, const char *upload, size_t *upload_size, void **place)
{
  (void)context, (void)url, (void)version, (void)mhd;
  struct exchange *x = *place;
  if (!x) return MHD_NO;
  switch (x->stage) {
  case STAGE_HEADERS:
    x->stage = STAGE_BODY;
    x->method = method;
    return exchange_admit(x) ? MHD_YES : refuse(x);
  case STAGE_TAKING:
    if (atomic_load(&x->state) != EXCHANGE_ANSWERED)
      return MHD_YES; /* suspended already; these bytes stay where they are */
    atomic_store(&x->state, EXCHANGE_RUNNING);
    x->stage = STAGE_BODY;
    break;
  case STAGE_BODY: break;
  case STAGE_HANDED_OVER:
    if (atomic_load(&x->state) == EXCHANGE_ANSWERED) return exchange_queue(x);
    return exchange_cut(x, "libmicrohttpd asked for an answer that was not there yet");
  }
  if (!*upload_size) return dispatch(x);
  if (x->refused || x->route->where != STREAMED) return take(x, upload, upload_size);
  return intake_take(x, upload, upload_size);
}

/* -- the end -- */

static void log_access(const struct exchange *x, bool whole, int64_t now)
{
  /* Nodes that stand by ask many times a second. */
  const enum log_level level = x->status == 200 && !strcmp(x->text, "/healthz") ? LOG_DEBUG : LOG_INFO;
  if (!log_wants(level)) return;
  if (atomic_load(&x->state) == EXCHANGE_GONE) { /* its answer is somebody else's to touch */
    log_event(LOG_INFO, "request", "request_id", x->request_id, "method", x->method, "path", x->text, "ended",
              "client gone", NULL);
    return;
  }
  if (!x->status) return; /* never complete: there was nothing to answer */
  double duration = (double)(now - x->started) * 1e-9;
  char address[ADDRESS_TEXT_SIZE], trace[TRACE_ID_SIZE];
  trace_id(x->traceparent, trace);
  address_text(&x->client, address);
  log_event(level, "request", "request_id", x->request_id, "method", x->method, "path", x->text, "status",
            LOG_NUMBER(x->status), "duration", LOG_NUMBER(duration), "bytes", LOG_NUMBER(x->answer_bytes), "trace",
            trace, "address", address, "ended", whole ? NULL : "early", NULL);
}

/* How long a stream of events was open says nothing of the service. */
static void count(const struct exchange *x, int64_t now)
{
  if (atomic_load(&x->state) == EXCHANGE_GONE || !x->status) return;
  double seconds = x->streams ? -1 : (double)(now - x->started) * 1e-9;
  tally_count(x->http->tally, x->route, x->status, seconds);
}

void exchange_end(void *context, struct MHD_Connection *mhd, void **place, enum MHD_RequestTerminationCode how)
{
  (void)context, (void)mhd;
  struct exchange *x = *place;
  *place = NULL;
  if (!x) return;
  struct connection *c = x->connection;
  intake_end(x);
  const int64_t now = clock_monotonic_ns();
  count(x, now);
  log_access(x, how == MHD_REQUEST_TERMINATED_COMPLETED_OK, now);
  if (how == MHD_REQUEST_TERMINATED_WITH_ERROR && !c->gate.ended && !x->streams) cut(c, acceptor_last_words());
  const bool next_comes = gate_holds(&c->gate);
  const int64_t time = next_comes ? x->http->body_timeout : x->http->idle_timeout;
  connection_advance(c, PHASE_SENDING, next_comes ? PHASE_READING : PHASE_IDLE, now + time);
  if (atomic_load(&x->references) > 1) { /* somebody still waits with it */
    x->mhd = NULL;
    x->connection = NULL;
    exchange_release(x);
    return;
  }
  reset(x);
  c->spare = x;
}
