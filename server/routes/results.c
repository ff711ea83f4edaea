/* What the routes of all results of jobs do alike. */
#include "server/routes/results.h"

#include <math.h>

#include "api/limits.h"
#include "server/app.h"
#include "server/http/preconditions.h"
#include "server/routes/listing.h"

static const double RATE_LEAST = 1e-3, RATE_MOST = 100000, TIME_MOST = 1e9;

/* Is there a newer revision of its robot? */
static bool is_stale(const struct app *app, const struct store_result *result)
{
  const struct robot_entry *newest;
  if (robots_get(app->robots, result->robot, 0, true, &newest)) return false;
  bool stale = newest->revision > result->revision;
  robots_release(app->robots, newest);
  return stale;
}

static struct result_resource resource_of(const struct result_kind *kind, const struct store_result *result)
{
  return (struct result_resource){ .form = kind->form,
                                   .id = result->id,
                                   .job = result->job,
                                   .robot = result->robot,
                                   .revision = result->revision,
                                   .created_at = result->created_at,
                                   .tags = result->tags,
                                   .document = result->document };
}

enum armdyn_status result_document(const struct app *app, const struct result_kind *kind, const char *id,
                                   struct buffer *out, int64_t *version)
{
  struct store_result result;
  enum armdyn_status status = store_result_get(app->store, kind->name, id, &result);
  if (status) return status;
  struct result_resource resource = resource_of(kind, &result);
  resource.stale = is_stale(app, &result);
  if (version) *version = resource.stale ? 2 : 1; /* nothing else of it ever changes */
  result_resource_encode(&resource, out);
  store_result_release(&result);
  return out->failure;
}

/* true: there is one. false: answered. */
static bool found(struct exchange *x, const struct result_kind *kind, enum armdyn_status status)
{
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no %s '%.64s'", kind->name, exchange_segment(x, kind->name));
  else if (status)
    answer_status(x, status, NULL);
  return status == ARMDYN_OK;
}

enum outcome result_get(struct exchange *x, const struct result_kind *kind)
{
  struct buffer body = BUFFER(MB(4));
  int64_t version = 0;
  if (found(x, kind, result_document(exchange_app(x), kind, exchange_segment(x, kind->name), &body, &version)) &&
      !answered_not_modified(x, version)) {
    answer_etag(x, version);
    answer_json(x, 200, &body);
  }
  buffer_release(&body);
  return ANSWERED;
}

enum outcome result_delete(struct exchange *x, const struct result_kind *kind)
{
  enum armdyn_status status = store_result_delete(exchange_app(x)->store, kind->name, exchange_segment(x, kind->name));
  if (status == ARMDYN_ECONFLICT)
    answer_problem(x, PROBLEM_CONFLICT, "a transfer refers to this %s", kind->name);
  else if (found(x, kind, status))
    answer_empty(x, 204);
  return ANSWERED;
}

struct list {
  const struct result_kind *kind;
  struct listing listing;
};

static void visit(void *context, const struct store_result *result)
{
  struct list *list = context;
  struct listing *listing = &list->listing;
  if (!listing_takes(listing, result->id)) return;
  struct result_resource resource = resource_of(list->kind, result);
  resource.summary = true;
  struct buffer item = BUFFER(MB(1));
  result_resource_encode(&resource, &item);
  if (buffer_ok(&item)) json_write_raw_n(&listing->writer, item.data, item.length);
  buffer_release(&item);
}

enum outcome result_list(struct exchange *x, const struct result_kind *kind)
{
  struct list list = { .kind = kind };
  if (!listing_begin(&list.listing, x)) return ANSWERED;
  listing_end(&list.listing, store_result_list(exchange_app(x)->store, kind->name, exchange_query(x, "robot"),
                                               &list.listing.page, visit, &list));
  return ANSWERED;
}

/* -- samples -- */

static void refuse_field(struct exchange *x, const struct samples_form *form, const char *text, size_t length)
{
  struct buffer names = BUFFER(KB(1));
  for (size_t f = 0; f < form->field_count; f++) buffer_format(&names, "%s%s", f ? ", " : "", form->fields[f].name);
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "fields", FAULT_ENUM,
            "must be names out of %s with commas between, got '%.*s'", buffer_ok(&names) ? names.data : "",
            length < 64 ? (int)length : 64, text);
  buffer_release(&names);
}

/* ?fields=q,tau as a bit mask; all when it is absent. */
static bool asked_fields(struct exchange *x, const struct samples_form *form, unsigned *fields)
{
  const char *text = exchange_query(x, "fields");
  *fields = text ? 0 : (1u << form->field_count) - 1;
  while (text) {
    size_t length = strcspn(text, ","), f = 0;
    while (f < form->field_count &&
           (strlen(form->fields[f].name) != length || strncmp(form->fields[f].name, text, length) != 0))
      f++;
    if (f == form->field_count) {
      refuse_field(x, form, text, length);
      return false;
    }
    *fields |= 1u << f;
    text = text[length] ? text + length + 1 : NULL;
  }
  return true;
}

/* false: answered. */
static bool asked_samples(struct exchange *x, const struct samples_form *form, struct samples_query *query)
{
  *query = (struct samples_query){ .media = exchange_answer_media(x), .rate = NAN, .from = 0, .to = INFINITY };
  bool good = exchange_query_number(x, "rate", RATE_LEAST, RATE_MOST, &query->rate);
  good &= exchange_query_number(x, "from", 0, TIME_MOST, &query->from);
  good &= exchange_query_number(x, "to", 0, TIME_MOST, &query->to);
  good &= asked_fields(x, form, &query->fields);
  if (good && query->to < query->from) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "to", FAULT_INCONSISTENT,
              "must not be before from, %g s, got %g s", query->from, query->to);
    good = false;
  }
  if (!good) answer_problem(x, PROBLEM_INVALID, NULL);
  return good;
}

enum outcome result_samples(struct exchange *x, const struct result_kind *kind)
{
  struct app *app = exchange_app(x);
  struct samples_query query;
  struct store_result result;
  struct samples *samples;
  struct armdyn_error error = { 0 };
  if (!asked_samples(x, kind->samples, &query) ||
      !found(x, kind, store_result_get(app->store, kind->name, exchange_segment(x, kind->name), &result)))
    return ANSWERED;
  enum armdyn_status status = samples_open(app->store, app->robots, kind->samples, &result, &query, &samples, &error);
  store_result_release(&result);
  if (status == ARMDYN_EINPUT && error.pointer[0]) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, error.pointer, FAULT_MAXIMUM, "%s", error.message);
    answer_problem(x, PROBLEM_INVALID, NULL);
  } else if (found(x, kind, status)) {
    if (query.media != MEDIA_JSON) exchange_set_header(x, "Columns", "%s", samples_columns(samples));
    answer_stream(x, 200, media_type(query.media), samples_next, samples_free, samples, samples_memory(samples));
  }
  return ANSWERED;
}
