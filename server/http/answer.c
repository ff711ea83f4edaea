/* The answers that handlers give: each becomes a libmicrohttpd response, ready to be queued. */
#include <unistd.h>

#include "api/json/number.h"
#include "server/base/log.h"
#include "server/http/internal.h"

enum { STREAM_BLOCK = 64 * 1024 };

static void add_header(const struct exchange *x, struct MHD_Response *response, const char *name, const char *value)
{
  if (MHD_add_response_header(response, name, value) != MHD_YES)
    log_event(LOG_ERROR, "a header of an answer was refused", "request_id", x->request_id, "header", name, "value",
              value, NULL);
}

static bool has_header(const struct exchange *x, const char *name)
{
  for (size_t i = 0; i < x->header_count; i++)
    if (!strcmp(x->headers[i].name, name)) return true;
  return false;
}

/* What browsers shall not make of an answer: something else than it says, a copy that outlives its truth, or, of a document,
 * a page that may do something. What a call only computed, without a look at what is kept, is nothing that a page could
 * take in as a script or a picture, and as true tomorrow: it goes without, for these lines would cost it some per cent of
 * its time. */
static void restrain_browsers(const struct exchange *x, int http_status, struct MHD_Response *response,
                              const char *content_type)
{
  const bool is_html = content_type && !strncmp(content_type, "text/html", 9);
  const bool keeps = x->route && (x->route->method == HTTP_GET || x->route->where != ON_EVENT_THREAD);
  const bool computed = x->route && !keeps && http_status < 400 && !is_html;
  if (computed) return;
  add_header(x, response, "X-Content-Type-Options", "nosniff");
  if (!has_header(x, "Cache-Control")) add_header(x, response, "Cache-Control", "no-store");
  if (is_html && !has_header(x, "Content-Security-Policy"))
    add_header(x, response, "Content-Security-Policy",
               "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:");
}

/* Exactly one answer: a second one is a mistake of the handler, and the first stays. */
static void give(struct exchange *x, int http_status, const char *content_type, struct MHD_Response *response,
                 size_t bytes)
{
  if (!response) {
    log_event(LOG_ERROR, "out of memory for an answer", "request_id", x->request_id, NULL);
    return;
  }
  if (x->response) {
    log_event(LOG_ERROR, "a handler answered twice", "request_id", x->request_id, "path", x->text, NULL);
    MHD_destroy_response(response);
    return;
  }
  if (content_type) add_header(x, response, "Content-Type", content_type);
  add_header(x, response, "X-Request-Id", x->request_id);
  restrain_browsers(x, http_status, response, content_type);
  if (x->dry_run) add_header(x, response, "Dry-Run", "true");
  for (size_t i = 0; i < x->header_count; i++) add_header(x, response, x->headers[i].name, x->headers[i].value);
  if (atomic_load_explicit(&x->http->stopping, memory_order_relaxed) || x->reserve)
    add_header(x, response, "Connection", "close");
  x->response = response;
  x->status = http_status;
  x->answer_bytes = x->answer_held = bytes;
}

/* Takes the value; NULL: out of memory. */
static void keep_header(struct exchange *x, const char *name, char *value)
{
  if (value && x->header_count < HEADERS_OF_ANSWER) {
    x->headers[x->header_count].name = name;
    x->headers[x->header_count++].value = value;
    return;
  }
  if (value) log_event(LOG_ERROR, "too many headers of an answer", "request_id", x->request_id, "header", name, NULL);
  free(value);
}

void exchange_set_header(struct exchange *x, const char *name, const char *format, ...)
{
  char *value;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&value, format, arguments);
  va_end(arguments);
  keep_header(x, name, length < 0 ? NULL : value);
}

void exchange_set_revision(struct exchange *x, long long revision)
{
  char text[NUMBER_SIZE];
  const size_t length = number_print_integer(revision, text);
  keep_header(x, "Armdyn-Robot-Revision", strndup(text, length));
}

void answer_bytes(struct exchange *x, int http_status, const char *content_type, struct buffer *body)
{
  enum armdyn_status failure = body->failure;
  size_t length = 0;
  char *bytes = buffer_take(body, &length);
  buffer_release(body);
  if (failure) {
    struct armdyn_error error = { "", "" };
    if (failure == ARMDYN_ELIMIT) snprintf(error.message, sizeof error.message, "the answer would be too large");
    answer_status(x, failure, &error);
    return;
  }
  struct MHD_Response *response =
      bytes ? MHD_create_response_from_buffer_with_free_callback(length, bytes, free)
            : MHD_create_response_from_buffer(0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
  if (!response) free(bytes);
  give(x, http_status, content_type, response, length);
}

void answer_json(struct exchange *x, int http_status, struct buffer *body)
{
  answer_bytes(x, http_status, media_type(MEDIA_JSON), body);
}

void answer_empty(struct exchange *x, int http_status)
{
  give(x, http_status, NULL, MHD_create_response_from_buffer(0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT), 0);
}

/* What passes by itself is soon worth another try, unless the caller of this was told when. */
static void name_a_time(struct exchange *x, int http_status)
{
  if ((http_status == 503 || http_status == 429) && !has_header(x, "Retry-After"))
    exchange_set_header(x, "Retry-After", "1");
}

void answer_problem_extra(struct exchange *x, enum problem problem, const char *extra, const char *detail)
{
  struct buffer body = BUFFER(KB(256));
  problem_write(&body, problem, detail, x->text, &x->faults, extra);
  if (!buffer_ok(&body)) { /* the shortest form of it */
    buffer_release(&body);
    problem_write(&body, problem, NULL, NULL, NULL, NULL);
  }
  size_t length = 0;
  char *bytes = buffer_take(&body, &length);
  if (!bytes) return; /* exchange_queue closes the connection */
  if (!x->response) x->refusal = bytes;
  name_a_time(x, problem_http_status(problem));
  give(x, problem_http_status(problem), "application/problem+json",
       MHD_create_response_from_buffer_with_free_callback(length, bytes, free), length);
}

void answer_problem(struct exchange *x, enum problem problem, const char *detail, ...)
{
  if (!detail) {
    answer_problem_extra(x, problem, NULL, NULL);
    return;
  }
  char text[512];
  va_list arguments;
  va_start(arguments, detail);
  vsnprintf(text, sizeof text, detail, arguments);
  va_end(arguments);
  answer_problem_extra(x, problem, NULL, text);
}

void answer_status(struct exchange *x, enum armdyn_status status, const struct armdyn_error *error)
{
  enum problem problem = problem_of_status(status);
  const char *message = error && *error->message ? error->message : NULL;
  int http_status = problem_http_status(problem);
  if (http_status >= 500)
    log_event(LOG_ERROR, "a call failed", "request_id", x->request_id, "path", x->text, "reason",
              message ? message : armdyn_status_text(status), NULL);
  if (error && *error->pointer && !x->faults.count) {
    enum fault_code code = status == ARMDYN_EUNPHYSICAL ? FAULT_UNPHYSICAL : FAULT_INCONSISTENT;
    fault_add(&x->faults, FAULT_AT_POINTER, error->pointer, code, "%s", message ? message : armdyn_status_text(status));
  }
  answer_problem_extra(x, problem, NULL, message);
}

void answer_refusal(struct exchange *x, const struct refusal *why)
{
  if (why->status)
    answer_status(x, why->status, NULL);
  else
    answer_problem_extra(x, why->problem, NULL, *why->detail ? why->detail : NULL);
}

/* -- streams -- */

struct stream {
  struct exchange *exchange;
  long (*next)(void *state, char *to, size_t size);
  void (*release)(void *state);
  void *state;
};

/* Nobody knows how long it gets, so every block that is asked for gives time for one more. */
static ssize_t read_stream(void *context, uint64_t position, char *to, size_t size)
{
  (void)position;
  struct stream *stream = context;
  long n = stream->next(stream->state, to, size);
  if (n == STREAM_SLEEPS) return 0;
  if (n == 0) return MHD_CONTENT_READER_END_OF_STREAM;
  if (n < 0) {
    shutdown(stream->exchange->connection->fd, SHUT_RDWR); /* libmicrohttpd 0.9.75 may leave it open for a minute */
    return MHD_CONTENT_READER_END_WITH_ERROR;
  }
  exchange_sends(stream->exchange, (size_t)n);
  return n;
}

static void release_stream(void *context)
{
  struct stream *stream = context;
  stream->release(stream->state);
  free(stream);
}

void answer_stream(struct exchange *x, int http_status, const char *content_type,
                   long (*next)(void *state, char *to, size_t size), void (*release)(void *state), void *state,
                   size_t held)
{
  if (atomic_load_explicit(&x->http->bytes_in_flight, memory_order_relaxed) + held > LIMIT_BODIES_IN_FLIGHT) {
    release(state);
    answer_problem(x, PROBLEM_UNAVAILABLE, "too many large answers at once");
    return;
  }
  struct stream *stream = malloc(sizeof *stream);
  struct MHD_Response *response = NULL;
  if (stream) {
    *stream = (struct stream){ x, next, release, state };
    response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, stream, release_stream);
  }
  if (!response) {
    free(stream);
    release(state);
  }
  give(x, http_status, content_type, response, 0);
  x->answer_held = held;
}
