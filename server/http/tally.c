#include "server/http/tally.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Upper bounds of the histogram of times, in seconds; one more for everything above. */
static const double bounds[] = { 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60 };
enum { BUCKETS = sizeof bounds / sizeof *bounds + 1 };

/* Every status that is answered; 0 stands for any other. */
static const int statuses[] = { 200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 410, 412, 413,
                                414, 415, 416, 422, 428, 429, 431, 500, 501, 502, 503, 504, 505, 507, 0 };
enum { STATUSES = sizeof statuses / sizeof *statuses };

struct call {
  _Atomic uint64_t answers[STATUSES], times[BUCKETS], microseconds;
};

struct tally {
  const struct route *routes;
  size_t route_count;
  struct call calls[]; /* of the routes, and one more for what is no route */
};

struct tally *tally_new(const struct route *table, size_t count)
{
  struct tally *t = calloc(1, sizeof *t + (count + 1) * sizeof *t->calls);
  if (!t) return NULL;
  t->routes = table;
  t->route_count = count;
  return t;
}

void tally_free(struct tally *t)
{
  free(t);
}

static void add(_Atomic uint64_t *counter, uint64_t more)
{
  atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

void tally_count(struct tally *t, const struct route *route, int status, double seconds)
{
  struct call *call = &t->calls[route ? (size_t)(route - t->routes) : t->route_count];
  size_t s = 0, b = 0;
  while (statuses[s] && statuses[s] != status) s++;
  add(&call->answers[s], 1);
  if (seconds < 0) return;
  while (b < BUCKETS - 1 && seconds > bounds[b]) b++;
  add(&call->times[b], 1);
  add(&call->microseconds, (uint64_t)(seconds * 1e6));
}

static uint64_t read_counter(const _Atomic uint64_t *counter)
{
  return atomic_load_explicit(counter, memory_order_relaxed);
}

static const char *name_of(const struct tally *t, size_t call)
{
  return call < t->route_count ? t->routes[call].operation_id : "none";
}

static void write_answers(const struct tally *t, size_t i, struct buffer *out)
{
  for (size_t s = 0; s < STATUSES; s++) {
    uint64_t count = read_counter(&t->calls[i].answers[s]);
    if (count)
      buffer_format(out, "armdyn_http_requests_total{operation=\"%s\",status=\"%d\"} %" PRIu64 "\n", name_of(t, i),
                    statuses[s], count);
  }
}

static void write_times(const struct tally *t, size_t i, struct buffer *out)
{
  const struct call *call = &t->calls[i];
  uint64_t counts[BUCKETS], total = 0;
  for (size_t b = 0; b < BUCKETS; b++) total += counts[b] = read_counter(&call->times[b]);
  if (!total) return;
  uint64_t below = 0;
  for (size_t b = 0; b < BUCKETS - 1; b++) {
    below += counts[b];
    buffer_format(out, "armdyn_http_request_duration_seconds_bucket{operation=\"%s\",le=\"%g\"} %" PRIu64 "\n",
                  name_of(t, i), bounds[b], below);
  }
  buffer_format(out, "armdyn_http_request_duration_seconds_bucket{operation=\"%s\",le=\"+Inf\"} %" PRIu64 "\n",
                name_of(t, i), total);
  buffer_format(out, "armdyn_http_request_duration_seconds_sum{operation=\"%s\"} %.6f\n", name_of(t, i),
                (double)read_counter(&call->microseconds) * 1e-6);
  buffer_format(out, "armdyn_http_request_duration_seconds_count{operation=\"%s\"} %" PRIu64 "\n", name_of(t, i),
                total);
}

void tally_write(const struct tally *t, struct buffer *out)
{
  buffer_text(out, "# HELP armdyn_http_requests_total Requests answered, by call and status (0: any other).\n"
                   "# TYPE armdyn_http_requests_total counter\n");
  for (size_t i = 0; i <= t->route_count; i++) write_answers(t, i, out);
  buffer_text(out, "# HELP armdyn_http_request_duration_seconds Time from the request line to the end of the answer.\n"
                   "# TYPE armdyn_http_request_duration_seconds histogram\n");
  for (size_t i = 0; i <= t->route_count; i++) write_times(t, i, out);
}
