/* Trajectories: planned by jobs, kept with their samples. */
#include "api/codec/trajectory.h"

#include <math.h>

#include "api/limits.h"
#include "server/app.h"
#include "server/http/preconditions.h"
#include "server/routes/listing.h"
#include "server/routes/results.h"
#include "server/routes/route.h"
#include "server/routes/samples.h"

static const char kind[] = "trajectory";
static const double RATE_LEAST = 1e-3, RATE_MOST = 100000, TIME_MOST = 1e9;

enum outcome trajectory_create(struct exchange *x)
{
  return job_create(x, kind);
}

/* Is there a newer revision of its robot? */
static bool is_stale(const struct app *app, const struct store_result *result)
{
  const struct robot_entry *newest;
  if (robots_get(app->robots, result->robot, 0, true, &newest)) return false;
  bool stale = newest->revision > result->revision;
  robots_release(app->robots, newest);
  return stale;
}

static struct trajectory_resource resource_of(const struct store_result *result)
{
  return (struct trajectory_resource){ .id = result->id,
                                       .job = result->job,
                                       .robot = result->robot,
                                       .revision = result->revision,
                                       .created_at = result->created_at,
                                       .tags = result->tags,
                                       .document = result->document };
}

enum armdyn_status trajectory_document(const struct app *app, const char *id, struct buffer *out, int64_t *version)
{
  struct store_result result;
  enum armdyn_status status = store_result_get(app->store, kind, id, &result);
  if (status) return status;
  struct trajectory_resource resource = resource_of(&result);
  resource.stale = is_stale(app, &result);
  if (version) *version = resource.stale ? 2 : 1; /* nothing else of it ever changes */
  trajectory_resource_encode(&resource, out);
  store_result_release(&result);
  return out->failure;
}

/* true: there is one. false: answered. */
static bool found(struct exchange *x, enum armdyn_status status)
{
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no trajectory '%.64s'", exchange_segment(x, "trajectory"));
  else if (status)
    answer_status(x, status, NULL);
  return status == ARMDYN_OK;
}

enum outcome trajectory_get(struct exchange *x)
{
  struct buffer body = BUFFER(MB(4));
  int64_t version = 0;
  if (found(x, trajectory_document(exchange_app(x), exchange_segment(x, "trajectory"), &body, &version)) &&
      !answered_not_modified(x, version)) {
    answer_etag(x, version);
    answer_json(x, 200, &body);
  }
  buffer_release(&body);
  return ANSWERED;
}

enum outcome trajectory_delete(struct exchange *x)
{
  enum armdyn_status status = store_result_delete(exchange_app(x)->store, kind, exchange_segment(x, "trajectory"));
  if (status == ARMDYN_ECONFLICT)
    answer_problem(x, PROBLEM_CONFLICT, "a transfer refers to this trajectory");
  else if (found(x, status))
    answer_empty(x, 204);
  return ANSWERED;
}

static void visit(void *context, const struct store_result *result)
{
  struct listing *listing = context;
  if (!listing_takes(listing, result->id)) return;
  struct trajectory_resource resource = resource_of(result);
  resource.summary = true;
  struct buffer item = BUFFER(MB(1));
  trajectory_resource_encode(&resource, &item);
  if (buffer_ok(&item)) json_write_raw_n(&listing->writer, item.data, item.length);
  buffer_release(&item);
}

enum outcome trajectory_list(struct exchange *x)
{
  struct listing listing;
  if (!listing_begin(&listing, x)) return ANSWERED;
  listing_end(&listing, store_result_list(exchange_app(x)->store, kind, exchange_query(x, "robot"), &listing.page,
                                          visit, &listing));
  return ANSWERED;
}

/* -- samples -- */

/* ?fields=q,tau as a bit mask; all when it is absent. */
static bool asked_fields(struct exchange *x, unsigned *fields)
{
  const char *text = exchange_query(x, "fields");
  *fields = text ? 0 : (1u << SAMPLE_FIELDS) - 1;
  while (text) {
    size_t length = strcspn(text, ","), f = 0;
    while (f < SAMPLE_FIELDS &&
           (strlen(sample_field_names[f]) != length || strncmp(sample_field_names[f], text, length) != 0))
      f++;
    if (f == SAMPLE_FIELDS) {
      fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "fields", FAULT_ENUM,
                "must be names out of t, q, qd, qdd, tau, power with commas between, got '%.*s'",
                length < 64 ? (int)length : 64, text);
      return false;
    }
    *fields |= 1u << f;
    text = text[length] ? text + length + 1 : NULL;
  }
  return true;
}

/* false: answered. */
static bool asked_samples(struct exchange *x, struct samples_query *query)
{
  *query = (struct samples_query){ .media = exchange_answer_media(x), .rate = NAN, .from = 0, .to = INFINITY };
  bool good = exchange_query_number(x, "rate", RATE_LEAST, RATE_MOST, &query->rate);
  good &= exchange_query_number(x, "from", 0, TIME_MOST, &query->from);
  good &= exchange_query_number(x, "to", 0, TIME_MOST, &query->to);
  good &= asked_fields(x, &query->fields);
  if (good && query->to < query->from) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "to", FAULT_INCONSISTENT,
              "must not be before from, %g s, got %g s", query->from, query->to);
    good = false;
  }
  if (!good) answer_problem(x, PROBLEM_INVALID, NULL);
  return good;
}

enum outcome trajectory_samples(struct exchange *x)
{
  struct app *app = exchange_app(x);
  struct samples_query query;
  struct store_result result;
  struct samples *samples;
  struct armdyn_error error = { 0 };
  if (!asked_samples(x, &query) ||
      !found(x, store_result_get(app->store, kind, exchange_segment(x, "trajectory"), &result)))
    return ANSWERED;
  enum armdyn_status status = samples_open(app->store, app->robots, &result, &query, &samples, &error);
  store_result_release(&result);
  if (status == ARMDYN_EINPUT && error.pointer[0]) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, error.pointer, FAULT_MAXIMUM, "%s", error.message);
    answer_problem(x, PROBLEM_INVALID, NULL);
  } else if (found(x, status)) {
    if (query.media != MEDIA_JSON) exchange_set_header(x, "Columns", "%s", samples_columns(samples));
    answer_stream(x, 200, media_type(query.media), samples_next, samples_free, samples, samples_memory(samples));
  }
  return ANSWERED;
}
