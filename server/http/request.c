/* What a handler may ask of its request. */
#include <errno.h>
#include <math.h>

#include "api/json/fields.h"
#include "server/base/metric.h"
#include "server/http/internal.h"
#include "server/http/tls.h"

struct app *exchange_app(const struct exchange *x)
{
  return (struct app *)(uintptr_t)x->http->app;
}

const char *exchange_segment(const struct exchange *x, const char *name)
{
  for (size_t i = 0; i < x->match.count; i++)
    if (!strcmp(x->match.values[i].name, name)) return x->match.values[i].value;
  return "";
}

const char *exchange_query(const struct exchange *x, const char *name)
{
  return target_parameter(&x->target, name);
}

bool exchange_query_item(const struct exchange *x, size_t index, const char **name, const char **value)
{
  if (index >= x->target.parameter_count) return false;
  *name = x->target.parameters[index].name;
  *value = x->target.parameters[index].value;
  return true;
}

const char *exchange_query_text(const struct exchange *x)
{
  return x->query_text;
}

const char *exchange_header(const struct exchange *x, const char *name)
{
  return x->mhd ? MHD_lookup_connection_value(x->mhd, MHD_HEADER_KIND, name) : NULL;
}

const char *exchange_body(const struct exchange *x, size_t *length)
{
  *length = x->body_length;
  return x->body ? x->body : "";
}

const char *exchange_traceparent(const struct exchange *x)
{
  return x->traceparent;
}

const char *exchange_path(const struct exchange *x)
{
  return x->text;
}

const char *exchange_method(const struct exchange *x)
{
  return x->head_only ? "GET" : x->method;
}

const void *exchange_about(const struct exchange *x)
{
  return x->route->about;
}

bool exchange_may_block(const struct exchange *x)
{
  return x->may_block;
}

void exchange_is_about_order(struct exchange *x, const char *job_order_id)
{
  if (*job_order_id) snprintf(x->job_order_id, sizeof x->job_order_id, "%s", job_order_id);
}

void exchange_keeps_nothing(struct exchange *x)
{
  x->keeps_nothing = true;
}

enum media exchange_body_media(const struct exchange *x)
{
  return x->body_media;
}

enum media exchange_answer_media(const struct exchange *x)
{
  return x->answer_media;
}

const char *exchange_key_id(const struct exchange *x)
{
  return x->caller.id;
}

const struct caller *exchange_caller(const struct exchange *x)
{
  return &x->caller;
}

bool exchange_may_move(struct exchange *x, const char *controller)
{
  if (auth_may_move(x->http->auth, &x->caller, controller)) return true;
  answer_problem(x, PROBLEM_MOTION_FORBIDDEN, "key '%s' does not name controller '%s' in its `motion`", x->caller.name,
                 controller);
  return false;
}

void exchange_write_metrics(const struct exchange *x, struct buffer *out)
{
  struct http *http = x->http;
  pthread_mutex_lock(&http->lock);
  size_t connections = http->connection_count;
  pthread_mutex_unlock(&http->lock);
  tally_write(http->tally, out);
  if (http->tls) tls_write_metrics(http->tls, out);
  metric_write(out, "armdyn_http_connections", METRIC_GAUGE, "Connections that are open.", (double)connections);
  metric_write(out, "armdyn_http_connections_limit", METRIC_GAUGE, "Connections that are served at once.",
               (double)http->slots);
  metric_write(out, "armdyn_http_turned_away_total", METRIC_COUNTER,
               "Requests that found all connections, or those of their address, taken.",
               (double)atomic_load(&http->turned_away));
  metric_write(out, "armdyn_http_waiting", METRIC_GAUGE, "Requests that wait for something, and streams of events.",
               (double)atomic_load(&http->waiting));
  metric_write(out, "armdyn_http_bytes_in_flight", METRIC_GAUGE, "Bodies received and answers not yet sent.",
               (double)atomic_load(&http->bytes_in_flight));
}

bool exchange_stopping(const struct exchange *x)
{
  return atomic_load_explicit(&x->http->stopping, memory_order_relaxed);
}

bool exchange_is_urgent(const struct exchange *x)
{
  const struct route *route = x->route;
  return route->where == AT_ONCE || route->role == ROLE_ANYONE || route->role == ROLE_ADMIN;
}

/* FNV-1a */
static unsigned char place_of(const char *key)
{
  uint32_t hash = 2166136261u;
  while (*key) hash = (hash ^ (unsigned char)*key++) * 16777619u;
  return (unsigned char)(hash >> 24 ^ hash);
}

/* No key takes more places than it leaves; whoever comes without one is everybody. */
static bool takes_place(struct exchange *x)
{
  struct http *http = x->http;
  const bool shares = auth_has_keys(http->auth) && !x->connection->local;
  x->waits_as = place_of(x->caller.id);
  const long left = (long)(http->slots / 2) - atomic_fetch_add(&http->waiting, 1) - 1,
             own = atomic_fetch_add(&http->waiting_as[x->waits_as], 1) + 1;
  return left >= 0 && (!shares || own <= left);
}

bool exchange_may_wait(struct exchange *x)
{
  const bool stops = x->route->where == AT_ONCE; /* it is told what came of it, whoever else waits */
  if (exchange_stopping(x) || (x->reserve && !stops)) return false;
  if (x->may_wait) return true;
  x->may_wait = takes_place(x) || stops;
  if (!x->may_wait) exchange_waits_no_more(x);
  return x->may_wait;
}

void exchange_waits_no_more(struct exchange *x)
{
  atomic_fetch_sub(&x->http->waiting, 1);
  atomic_fetch_sub(&x->http->waiting_as[x->waits_as], 1);
}

bool exchange_may_stream(struct exchange *x)
{
  x->streams = exchange_may_wait(x);
  return x->streams;
}

struct faults *exchange_faults(struct exchange *x)
{
  return &x->faults;
}

bool exchange_has_no_fields(struct exchange *x)
{
  static const struct json_type nothing = { .words = "this call", .size = 1 };
  char object;
  if (!x->body_length) return true;
  enum armdyn_status status = json_decode(x->body, x->body_length, &nothing, &object, NULL, &x->faults);
  if (status) answer_status(x, status, NULL);
  return !status;
}

bool exchange_query_integer(struct exchange *x, const char *name, long long least, long long most, long long *value)
{
  const char *text = exchange_query(x, name);
  if (!text) return true;
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  bool digits = *text == '-' ? text[1] >= '0' && text[1] <= '9' : *text >= '0' && *text <= '9';
  if (!digits || *end || errno) {
    fault_add(&x->faults, FAULT_AT_PARAMETER, name, FAULT_TYPE, "must be a whole number, got '%.64s'", text);
    return false;
  }
  if (number < least || number > most) {
    fault_add(&x->faults, FAULT_AT_PARAMETER, name, number < least ? FAULT_MINIMUM : FAULT_MAXIMUM,
              "must be from %lld to %lld, got %lld", least, most, number);
    return false;
  }
  *value = number;
  return true;
}

bool exchange_query_number(struct exchange *x, const char *name, double least, double most, double *value)
{
  const char *text = exchange_query(x, name);
  if (!text) return true;
  char *end;
  double number = strtod(text, &end);
  if (text[strspn(text, "+-.eE0123456789")] || end == text || *end || !isfinite(number)) {
    fault_add(&x->faults, FAULT_AT_PARAMETER, name, FAULT_TYPE, "must be a number, got '%.64s'", text);
    return false;
  }
  if (number < least || number > most) {
    fault_add(&x->faults, FAULT_AT_PARAMETER, name, number < least ? FAULT_MINIMUM : FAULT_MAXIMUM,
              "must be from %g to %g, got %g", least, most, number);
    return false;
  }
  *value = number;
  return true;
}

bool exchange_query_truth(struct exchange *x, const char *name, bool *value)
{
  const char *text = exchange_query(x, name);
  if (!text) return true;
  if (strcmp(text, "true") && strcmp(text, "false")) {
    fault_add(&x->faults, FAULT_AT_PARAMETER, name, FAULT_TYPE, "must be true or false, got '%.64s'", text);
    return false;
  }
  *value = *text == 't';
  return true;
}
