/* What is decided before a body is read: is this a sound request, for a route, by somebody who may, in formats that the
 * route knows, of a size that it takes? */
#include <strings.h>

#include "server/base/memory.h"
#include "server/http/acceptor.h"
#include "server/http/audit.h"
#include "server/http/coding.h"
#include "server/http/gate.h"
#include "server/http/internal.h"
#include "server/http/stand_in.h"

/* In the order of enum known_header. */
static const struct {
  const char *name;
  size_t length;
} known_headers[KNOWN_HEADERS] = {
#define HEADER(text)                                                                                                   \
  {                                                                                                                    \
    text, sizeof text - 1                                                                                              \
  }
  HEADER("Accept"),
  HEADER("Authorization"),
  HEADER("Content-Encoding"),
  HEADER("Content-Length"),
  HEADER("Content-Type"),
  HEADER("Expect"),
  HEADER("Host"),
  HEADER("Origin"),
  HEADER("Sec-Fetch-Site"),
  HEADER("traceparent"),
  HEADER("Transfer-Encoding"),
  HEADER("X-Request-Id"),
#undef HEADER
};

/* There are known headers of this length: most others are passed over with one look. */
enum { LONGEST = sizeof "Transfer-Encoding" - 1 };
static const bool lengths[LONGEST + 1] = {
  [4] = true, [6] = true, [11] = true, [12] = true, [13] = true, [14] = true, [16] = true, [17] = true
};

static enum MHD_Result note_header(void *context, enum MHD_ValueKind kind, const char *name, size_t name_length,
                                   const char *value, size_t value_length)
{
  (void)kind, (void)value_length;
  struct exchange *x = context;
  if (name_length > LONGEST || !lengths[name_length]) return MHD_YES;
  for (int h = 0; h < KNOWN_HEADERS; h++) {
    if (known_headers[h].length != name_length || strcasecmp(known_headers[h].name, name)) continue;
    if (!x->known[h]) x->known[h] = value ? value : "";
    break;
  }
  return MHD_YES;
}

static bool refuse(struct exchange *x, enum problem problem, const char *detail)
{
  answer_problem_extra(x, problem, NULL, detail);
  return false;
}

/* The caller's own id if it is sane, so that it is found in both logs. */
static void name_request(struct exchange *x)
{
  const char *id = x->known[HEADER_REQUEST_ID];
  size_t length = id ? strlen(id) : 0;
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  if (length > 0 && length < REQUEST_ID_SIZE && strspn(id, allowed) == length)
    memcpy(x->request_id, id, length + 1);
  else
    request_id_make(x->http, x->request_id);

  uint64_t number = atomic_fetch_add_explicit(&x->http->trace_count, 1, memory_order_relaxed);
  trace_make(x->known[HEADER_TRACEPARENT], x->http->trace_seed, number, x->traceparent);
}

struct noting {
  const struct http *http;
  struct forwarded forwarded;
};

static enum MHD_Result note_forwarded(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
  (void)kind;
  struct noting *noting = context;
  const char *believed = noting->http->app->options->forwarded_header;
  if (value && !strcasecmp(name, believed)) forwarded_add(&noting->forwarded, believed, value);
  return MHD_YES;
}

static void find_client(struct exchange *x)
{
  x->client = x->connection->peer;
  if (!ranges_have(&x->http->trusted, &x->client)) return;
  struct noting noting = { .http = x->http };
  MHD_get_connection_values(x->mhd, MHD_HEADER_KIND, note_forwarded, &noting);
  forwarded_client(&noting.forwarded, &x->http->trusted, &x->client);
}

void exchange_refuse_broken(struct exchange *x)
{
  const struct framing *f = &x->connection->gate.framing;
  refuse(x, f->problem, f->detail);
}

static bool frame_is_sound(struct exchange *x)
{
  x->unsound = gate_is_broken(&x->connection->gate);
  if (x->unsound) exchange_refuse_broken(x);
  return !x->unsound;
}

static bool find_route(struct exchange *x)
{
  switch (target_parse(x->target_text, &x->target)) {
  case TARGET_OK: break;
  case TARGET_MALFORMED: return refuse(x, PROBLEM_BAD_REQUEST, "the URL is malformed");
  case TARGET_UNKNOWN: return refuse(x, PROBLEM_NOT_FOUND, NULL);
  case TARGET_CROWDED: return refuse(x, PROBLEM_URI_TOO_LONG, "too many query parameters");
  }
  if (!router_match(x->http->router, x->target.segments, x->target.segment_count, &x->match))
    return refuse(x, PROBLEM_NOT_FOUND, NULL);
  enum http_method method;
  x->head_only = !strcmp(x->method, "HEAD");
  if (method_of_name(x->method, &method)) x->route = x->match.by_method[method];
  if (x->route) return true;

  char allow[ALLOW_SIZE];
  router_allow(&x->match, allow);
  exchange_set_header(x, "Allow", "%s", allow);
  if (strcmp(x->method, "OPTIONS")) return refuse(x, PROBLEM_METHOD_NOT_ALLOWED, NULL);
  answer_empty(x, 204);
  return false;
}

/* A node that stands by in place of a silent one takes stops alone. That others were refused is nobody's change. */
static bool is_taken_here(struct exchange *x)
{
  const struct stand_in *stands = x->http->app->stand_in;
  char detail[512];
  if (!stands || x->route->where == AT_ONCE) return true;
  x->audited = true;
  stands->refuse(stands->context, detail, sizeof detail);
  exchange_set_header(x, "Retry-After", "1");
  return refuse(x, PROBLEM_UNAVAILABLE, detail);
}

/* More than a few refusals a minute leave no entry in the audit trail, which is never cleared: anybody could fill the disk.
 * The log has them all. */
static bool too_often(struct exchange *x, struct throttle *throttle, int *seconds)
{
  x->audited = throttle_count(throttle, (const struct sockaddr *)&x->client, seconds);
  return x->audited;
}

static bool guesses_too_often(struct exchange *x)
{
  int seconds;
  if (!too_often(x, x->http->throttle, &seconds)) return false;
  exchange_set_header(x, "Retry-After", "%d", seconds);
  answer_problem(x, PROBLEM_TOO_MANY, "too many wrong keys from this address");
  return true;
}

static bool key_is_good(struct exchange *x)
{
  if (x->connection->local) { /* the owner of the data could read the store itself */
    x->caller = (struct caller){ "local", "local", ROLE_ADMIN };
    return true;
  }
  x->keys = auth_generation(x->http->auth);
  switch (
      auth_check(x->http->auth, x->known[HEADER_AUTHORIZATION], x->route->role, &x->connection->memory, &x->caller)) {
  case AUTH_GRANTED: return true;
  case AUTH_FORBIDDEN:
    answer_problem(x, PROBLEM_FORBIDDEN, "key '%s' is a key for the role %s; this call needs %s", x->caller.name,
                   role_name(x->caller.role), role_name(x->route->role));
    return false;
  case AUTH_MISSING: /* guesses nothing: it is told what is missing, always */
    (void)too_often(x, x->http->strangers, &(int){ 0 });
    exchange_set_header(x, "WWW-Authenticate", "Bearer");
    break;
  case AUTH_WRONG:
    if (guesses_too_often(x)) return false;
    exchange_set_header(x, "WWW-Authenticate", "Bearer error=\"invalid_token\"");
    return refuse(x, PROBLEM_UNAUTHORIZED,
                  "the key that was sent is none of this service's, was revoked, or has expired");
  }
  return refuse(x, PROBLEM_UNAUTHORIZED, NULL);
}

/* Without keys whoever comes in may do everything, so nobody may come by a name that is not ours. */
static bool host_is_ours(struct exchange *x)
{
  const char *host = x->known[HEADER_HOST];
  if (auth_has_keys(x->http->auth) || !host || host_is_known(&x->http->names, host)) return true;
  (void)too_often(x, x->http->strangers, &(int){ 0 });
  answer_problem(
      x, PROBLEM_FOREIGN_HOST,
      "Host is '%.100s': without keys this service is localhost, 127.0.0.1, [::1] and what --host-names lists", host);
  return false;
}

/* A proxy that is trusted may say by which name it was asked; without keys that would let in what host_is_ours keeps out. */
static const char *proxied_host(const struct exchange *x)
{
  const bool believed = auth_has_keys(x->http->auth) && ranges_have(&x->http->trusted, &x->connection->peer);
  return believed ? exchange_header(x, "X-Forwarded-Host") : NULL;
}

static bool page_is_ours(struct exchange *x)
{
  struct page_origin page = { .origin = x->known[HEADER_ORIGIN], .site = x->known[HEADER_SEC_FETCH_SITE] };
  if (x->route->method == HTTP_GET || (!page.origin && !page.site)) return true;
  page.host = x->known[HEADER_HOST];
  page.proxied_host = proxied_host(x);
  if (page_is_own(&x->http->names, &page)) return true;
  (void)too_often(x, x->http->strangers, &(int){ 0 });
  answer_problem(
      x, PROBLEM_FOREIGN_ORIGIN,
      "a page of '%.100s' made this request (Sec-Fetch-Site: %.20s), and this service is '%.100s': its own pages "
      "and programs may; a name it has behind a proxy belongs into --host-names",
      page.origin ? page.origin : "another origin", page.site ? page.site : "not sent", page.host ? page.host : "");
  return false;
}

/* A stop is taken from everybody: it hurts nobody, and to refuse one in error might. */
static bool is_no_stranger(struct exchange *x)
{
  if (x->connection->local || x->route->where == AT_ONCE) return true;
  return host_is_ours(x) && page_is_ours(x);
}

bool exchange_is_still_trusted(struct exchange *x)
{
  if (x->route->role == ROLE_ANYONE || x->connection->local) return true;
  if (auth_still_good(x->http->auth, &x->caller, x->started)) return true;
  exchange_set_header(x, "WWW-Authenticate", "Bearer error=\"invalid_token\"");
  return refuse(x, PROBLEM_UNAUTHORIZED, "the key was revoked, or has expired, while the request came");
}

static bool body_format_is_known(struct exchange *x)
{
  x->body_media = MEDIA_NONE;
  if (!x->route->bodies) return true;
  const char *coding = x->known[HEADER_CONTENT_ENCODING];
  const bool streamed = x->route->where == STREAMED;
  if (coding && strcasecmp(coding, "identity") && !(streamed && coding_is_known(coding))) {
    exchange_set_header(x, "Accept-Encoding", "%s", streamed ? "gzip, identity" : "identity");
    return refuse(x, PROBLEM_UNSUPPORTED_MEDIA,
                  streamed ? "Content-Encoding: this call takes a body as it is, or gzip"
                           : "Content-Encoding: this call takes a body as it is, not compressed");
  }
  const char *type = x->known[HEADER_CONTENT_TYPE], *length = x->known[HEADER_CONTENT_LENGTH];
  bool empty = !x->known[HEADER_TRANSFER_ENCODING] && (!length || strspn(length, "0") == strlen(length));
  x->body_media = media_of_content_type(type);
  if (x->body_media != MEDIA_NONE && (x->route->bodies & TAKES(x->body_media))) return true;
  if (empty && !type && (x->route->bodies & TAKES(MEDIA_NONE))) return true;
  return refuse(x, PROBLEM_UNSUPPORTED_MEDIA, type ? NULL : "Content-Type is missing");
}

/* Who accepts anything gets what he sent, where the route answers that. */
static bool answer_format_is_known(struct exchange *x)
{
  unsigned answers = x->route->answers ? x->route->answers : JSON_ONLY;
  const char *accept = x->known[HEADER_ACCEPT];
  bool anything = !accept || !strcmp(accept, "*/*");
  if (anything && x->body_media != MEDIA_NONE && (answers & TAKES(x->body_media)))
    x->answer_media = x->body_media;
  else
    x->answer_media = media_of_accept(accept, answers);
  return x->answer_media != MEDIA_NONE || refuse(x, PROBLEM_NOT_ACCEPTABLE, NULL);
}

/* Of the length that the request tells; what tells none is counted as it comes. */
static bool body_fits(struct exchange *x)
{
  const char *text = x->known[HEADER_CONTENT_LENGTH];
  if (!text) return true;
  const bool streamed = x->route->where == STREAMED;
  const size_t most = streamed ? x->http->upload_most : x->route->body_most;
  unsigned long long length = strtoull(text, NULL, 10); /* ULLONG_MAX when it is beyond all bounds */
  if (length > most) {
    answer_problem(x, PROBLEM_TOO_LARGE, "the body has %s bytes; this call takes %zu%s", text, most,
                   streamed ? " (--upload-limit)" : "");
    return false;
  }
  if (streamed) return true;
  if (!exchange_is_urgent(x) &&
      atomic_load_explicit(&x->http->bytes_in_flight, memory_order_relaxed) + length > LIMIT_BODIES_IN_FLIGHT)
    return refuse(x, PROBLEM_UNAVAILABLE, "too many large requests at once");
  if (length < x->body_capacity) return true;
  size_t capacity = length < SMALL_BODY / 4 ? SMALL_BODY / 4 : (size_t)length + 1;
  char *body = memory_in_large_pages(realloc(x->body, capacity), capacity);
  if (!body) return refuse(x, PROBLEM_UNAVAILABLE, "out of memory");
  x->body = body;
  x->body_capacity = capacity;
  return true;
}

/* By the reserve come those who have to; an administrator's key opens everything but what lasts. */
static bool finds_room(struct exchange *x)
{
  if (!x->reserve || exchange_is_urgent(x)) return true;
  const bool has_key = x->connection->local || auth_has_keys(x->http->auth);
  if (x->caller.role == ROLE_ADMIN && has_key && x->route->where != STREAMED) return true;
  atomic_fetch_add(&x->http->turned_away, 1);
  exchange_set_header(x, "Retry-After", "5");
  if (acceptor_address_is_full(x->http, &x->connection->peer))
    return refuse(
        x, PROBLEM_TOO_MANY,
        "as many connections from this address are open as one may have (--connections-per-address): keep some "
        "and send many requests over each; only stops, /readyz and calls of administrators are taken beyond them");
  return refuse(x, PROBLEM_UNAVAILABLE,
                "all connections of this service are taken; only stops, /readyz and calls of administrators are taken "
                "beyond them");
}

/* Where there is no dry run it is refused, not passed over: whoever asks for one wants nothing to happen. */
static bool has_dry_run(struct exchange *x)
{
  static const char name[] = "dry_run";
  const char *why = x->route->no_dry_run, *asked = why ? exchange_query(x, name) : NULL;
  if (!asked || (x->route->where == AT_ONCE && !strcmp(asked, "false"))) return true;
  fault_add(&x->faults, FAULT_AT_PARAMETER, name, FAULT_UNSUPPORTED, "is no parameter of this call: %s", why);
  return refuse(x, PROBLEM_BAD_REQUEST, "this call has no dry run, and nothing was done");
}

static bool query_is_known(struct exchange *x)
{
  target_check(&x->target, x->route->query, &x->faults);
  bool dry_run = false;
  exchange_query_truth(x, "dry_run", &dry_run);
  if (x->faults.count) return refuse(x, PROBLEM_INVALID, NULL);
  x->dry_run = dry_run;
  return true;
}

bool exchange_admit(struct exchange *x)
{
  MHD_get_connection_values_n(x->mhd, MHD_HEADER_KIND, note_header, x);
  find_client(x);
  name_request(x);
  if (!frame_is_sound(x) || !find_route(x) || !is_taken_here(x)) return false;
  if (!is_no_stranger(x) || !key_is_good(x) || !finds_room(x)) return false;
  if (x->route->where == AT_ONCE) {
    x->answer_media = MEDIA_JSON;
    return has_dry_run(x) && body_fits(x);
  }
  if (!has_dry_run(x) || !query_is_known(x) || !audit_takes_reason(x)) return false;
  if (x->dry_run) exchange_keeps_nothing(x);
  return body_format_is_known(x) && answer_format_is_known(x) && body_fits(x);
}
