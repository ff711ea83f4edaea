/* What the routes of all results of jobs do alike. */
#include "server/routes/results.h"

#include <math.h>

#include "api/limits.h"
#include "server/app.h"
#include "server/http/preconditions.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"
#include "server/routes/plots.h"

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

static struct result_resource resource_of(const struct job_kind *kind, const struct store_result *result)
{
  return (struct result_resource){ .form = kind->form,
                                   .unsampled = !kind->samples,
                                   .id = result->id,
                                   .job = result->job,
                                   .robot = result->robot,
                                   .revision = result->revision,
                                   .created_at = result->created_at,
                                   .tags = result->tags,
                                   .job_order_id = result->job_order_id,
                                   .work_master_id = result->work_master_id,
                                   .equipment_id = result->equipment_id,
                                   .label = result->label,
                                   .notes = result->notes,
                                   .pinned = result->pinned,
                                   .document = result->document ? result->document : result->summary,
                                   .summary = !result->document };
}

/* Of the ETag: what people write changes it, and a newer revision of the robot. */
static int64_t version_of(const struct store_result *result, bool stale)
{
  return 2 * result->version + stale;
}

enum armdyn_status result_document(const struct app *app, const struct job_kind *kind, const char *id,
                                   struct buffer *out, int64_t *version)
{
  struct store_result result;
  enum armdyn_status status = store_result_get(app->store, kind->name, id, &result);
  if (status) return status;
  struct result_resource resource = resource_of(kind, &result);
  resource.stale = is_stale(app, &result);
  if (version) *version = version_of(&result, resource.stale);
  result_resource_encode(&resource, out);
  store_result_release(&result);
  return out->failure;
}

bool result_found(struct exchange *x, const struct job_kind *kind, enum armdyn_status status)
{
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no %s '%.64s'", kind->name, exchange_segment(x, kind->name));
  else if (status)
    answer_status(x, status, NULL);
  return status == ARMDYN_OK;
}

enum outcome result_get(struct exchange *x)
{
  const struct job_kind *kind = exchange_about(x);
  struct buffer body = BUFFER(MB(4));
  int64_t version = 0;
  if (result_found(x, kind, result_document(exchange_app(x), kind, exchange_segment(x, kind->name), &body, &version)) &&
      !answered_not_modified(x, version)) {
    answer_etag(x, version);
    answer_json(x, 200, &body);
  }
  buffer_release(&body);
  return ANSWERED;
}

/* -- what people write on it -- */

/* Lay the patch over `result` and store it, unless it changed since. false: answered. */
static bool patch(struct exchange *x, const struct job_kind *kind, struct store_result *result)
{
  size_t length;
  const char *body = exchange_body(x, &length);
  struct result_annotation annotation;
  struct buffer tags = BUFFER(MB(1));
  enum armdyn_status status = result_annotation_patch(body, length, result->tags, result->label, result->notes,
                                                      result->pinned, &annotation, exchange_faults(x));
  if (status) {
    answer_status(x, status, NULL);
    return false;
  }
  tags_encode(&annotation.tags, &tags);
  struct store_result changed = { .version = result->version, .pinned = annotation.pinned };
  memcpy(changed.id, result->id, sizeof changed.id);
  memcpy(changed.kind, result->kind, sizeof changed.kind);
  memcpy(changed.label, annotation.label, sizeof changed.label);
  changed.tags = tags.data, changed.notes = annotation.notes;
  status = tags.failure ? tags.failure : store_result_annotate(exchange_app(x)->store, &changed);
  buffer_release(&tags);
  result_annotation_release(&annotation);
  if (status == ARMDYN_ESTALE) answer_problem(x, PROBLEM_STALE, NULL);
  return status != ARMDYN_ESTALE && result_found(x, kind, status);
}

/* The result of the path, if it is as If-Match says. false: answered. */
static bool result_as_demanded(struct exchange *x, const struct job_kind *kind, struct store_result *result)
{
  struct app *app = exchange_app(x);
  const char *id = exchange_segment(x, kind->name);
  if (!result_found(x, kind, store_result_get(app->store, kind->name, id, result))) return false;
  const int64_t present = version_of(result, is_stale(app, result));
  int64_t version = present;
  enum precondition wanted = exchange_precondition(x, false, &version);
  bool good = wanted == EXPECT_ANY || (wanted == EXPECT_VERSION && version == present);
  if (!good && wanted != EXPECT_REFUSED) answer_problem(x, PROBLEM_STALE, NULL);
  if (!good) store_result_release(result);
  return good;
}

enum outcome result_patch(struct exchange *x)
{
  const struct job_kind *kind = exchange_about(x);
  struct app *app = exchange_app(x);
  const char *id = exchange_segment(x, kind->name);
  struct store_result result;
  if (!result_as_demanded(x, kind, &result)) return ANSWERED;
  bool good = patch(x, kind, &result);
  store_result_release(&result);
  int64_t version;
  struct buffer body = BUFFER(MB(4));
  if (good && result_found(x, kind, result_document(app, kind, id, &body, &version))) {
    answer_etag(x, version);
    answer_json(x, 200, &body);
  }
  buffer_release(&body);
  return ANSWERED;
}

/* -- its end -- */

static void add_referrer(void *context, const struct store_referral *referrer)
{
  struct buffer *text = context;
  buffer_format(text, "%s%s %s", text->length ? ", " : "", referrer->kind, referrer->id);
}

void answer_referred(struct exchange *x, const char *kind, const char *id)
{
  enum { REFERRERS_TOLD = 8 };
  struct buffer text = BUFFER(KB(1));
  store_referrers(exchange_app(x)->store, kind, id, REFERRERS_TOLD, add_referrer, &text);
  answer_problem(x, PROBLEM_CONFLICT, "it is kept for what refers to it: %s; delete that first",
                 text.length && buffer_ok(&text) ? text.data : "gone meanwhile");
  buffer_release(&text);
}

/* 409 with the reason: pinned, or who refers to it. */
static void answer_kept(struct exchange *x, const struct job_kind *kind, const char *id)
{
  struct store_result result;
  if (!result_found(x, kind, store_result_get(exchange_app(x)->store, kind->name, id, &result))) return;
  if (result.pinned)
    answer_problem(x, PROBLEM_CONFLICT, "this %s is pinned; PATCH it with {\"pinned\": false} first", kind->name);
  else
    answer_referred(x, kind->name, id);
  store_result_release(&result);
}

enum outcome result_delete(struct exchange *x)
{
  const struct job_kind *kind = exchange_about(x);
  const char *id = exchange_segment(x, kind->name);
  struct store_result result;
  if (!result_as_demanded(x, kind, &result)) return ANSWERED;
  enum armdyn_status status = store_result_delete(exchange_app(x)->store, kind->name, id, result.version);
  store_result_release(&result);
  if (status == ARMDYN_ECONFLICT)
    answer_kept(x, kind, id);
  else if (status == ARMDYN_ESTALE)
    answer_problem(x, PROBLEM_STALE, NULL);
  else if (result_found(x, kind, status))
    answer_empty(x, 204);
  return ANSWERED;
}

/* -- lists -- */

struct list {
  const struct job_kind *kind;
  struct listing listing;
};

static void visit(void *context, const struct store_result *result)
{
  struct list *list = context;
  struct result_resource resource = resource_of(list->kind, result);
  struct buffer item = BUFFER(MB(1));
  result_resource_encode(&resource, &item);
  listing_item(&list->listing, &item);
  buffer_release(&item);
}

enum outcome result_list(struct exchange *x)
{
  const struct job_kind *kind = exchange_about(x);
  struct list list = { .kind = kind };
  const struct list_form form = {
    .filters = "robot revision job",
    .sorts = "created_at label robot job_order_id",
    .fields = "id job robot revision created_at tags label pinned job_order_id work_master_id equipment_id metrics",
    .results = kind->form,
  };
  if (!listing_query(&list.listing, x, &form)) return ANSWERED;
  struct store_query *query = &list.listing.query;
  query->filters[query->filter_count++] = (struct store_filter){ .name = "kind", .text = kind->name };
  bool pinned = false;
  if (!exchange_query_truth(x, "pinned", &pinned)) {
    listing_refuse(&list.listing);
    return ANSWERED;
  }
  if (exchange_query(x, "pinned"))
    query->filters[query->filter_count++] = (struct store_filter){ .name = "pinned", .number = pinned };
  listing_end(&list.listing, store_result_list(exchange_app(x)->store, query, visit, &list));
  return ANSWERED;
}

/* -- samples -- */

static void refuse_field(struct exchange *x, const struct series_form *form, const char *text, size_t length)
{
  struct buffer names = BUFFER(KB(1));
  for (size_t f = 0; f < form->field_count; f++) buffer_format(&names, "%s%s", f ? ", " : "", form->fields[f].name);
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "fields", FAULT_ENUM,
            "must be names out of %s with commas between, got '%.*s'", buffer_ok(&names) ? names.data : "",
            length < 64 ? (int)length : 64, text);
  buffer_release(&names);
}

bool asked_fields(struct exchange *x, const struct series_form *form, unsigned *fields)
{
  const char *text = exchange_query(x, "fields");
  *fields = text ? 0 : (1u << (form->field_count - form->named_count)) - 1;
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
static bool asked_samples(struct exchange *x, const struct series_form *form, struct samples_query *query,
                          long long *points)
{
  *query = (struct samples_query){ .media = exchange_answer_media(x), .rate = NAN, .from = 0, .to = INFINITY };
  bool good = exchange_query_number(x, "rate", RATE_LEAST, RATE_MOST, &query->rate);
  good &= exchange_query_number(x, "from", 0, TIME_MOST, &query->from);
  good &= exchange_query_number(x, "to", 0, TIME_MOST, &query->to);
  good &= asked_points(x, points);
  good &= asked_fields(x, form, &query->fields);
  if (good && query->to < query->from) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "to", FAULT_INCONSISTENT,
              "must not be before from, %g s, got %g s", query->from, query->to);
    good = false;
  }
  if (!good) answer_problem(x, PROBLEM_INVALID, NULL);
  return good;
}

/* Samples from before the last fields were kept have none of their columns. */
static const struct series_form *samples_form_of(struct exchange *x, const struct job_kind *kind, const char *id)
{
  struct store_series series;
  const struct series_form *form = kind->samples;
  if (!form->former || store_series_info(exchange_app(x)->store, id, SERIES_SAMPLES, &series)) return form;
  for (; form->former; form = form->former) {
    char column[64];
    snprintf(column, sizeof column, ",%s1", form->fields[form->field_count - 1].name);
    if (strstr(series.columns, column)) break;
  }
  return form;
}

static enum armdyn_status plot_samples(struct exchange *x, const struct series_form *form, const char *id,
                                       const struct samples_query *query, size_t points)
{
  struct store_series series;
  enum armdyn_status status = store_series_info(exchange_app(x)->store, id, SERIES_SAMPLES, &series);
  return status ? status : answer_plot(x, id, form, series.width, query, points);
}

void answer_too_many_samples(struct exchange *x)
{
  answer_problem(
      x, PROBLEM_TOO_LARGE,
      "these are more than %zu numbers, what one answer of %zu MiB may have: ask for a part with `from` and `to`, or "
      "for some of the fields",
      LIMIT_ANSWER / sizeof(double), LIMIT_ANSWER >> 20);
}

static enum armdyn_status stream_samples(struct exchange *x, const struct series_form *form,
                                         const struct store_result *result, const struct samples_query *query)
{
  struct app *app = exchange_app(x);
  struct samples *samples;
  struct armdyn_error error = { 0 };
  enum armdyn_status status = samples_open(app->store, app->robots, form, result, query, &samples, &error);
  if (status == ARMDYN_EINPUT && error.pointer[0]) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, error.pointer, FAULT_MAXIMUM, "%s", error.message);
    answer_problem(x, PROBLEM_INVALID, NULL);
    return ARMDYN_OK;
  }
  if (status == ARMDYN_ELIMIT) {
    answer_too_many_samples(x);
    return ARMDYN_OK;
  }
  if (status) return status;
  if (query->media != MEDIA_JSON) exchange_set_header(x, "Columns", "%s", samples_columns(samples));
  answer_stream(x, 200, media_type(query->media), samples_next, samples_free, samples, samples_memory(samples));
  return ARMDYN_OK;
}

enum outcome result_samples(struct exchange *x)
{
  const struct job_kind *kind = exchange_about(x);
  struct samples_query query;
  struct store_result result;
  long long points = 0;
  const char *id = exchange_segment(x, kind->name);
  const struct series_form *form = samples_form_of(x, kind, id);
  if (!asked_samples(x, form, &query, &points) ||
      !result_found(x, kind, store_result_get(exchange_app(x)->store, kind->name, id, &result)))
    return ANSWERED;
  enum armdyn_status status =
      points ? plot_samples(x, form, result.id, &query, (size_t)points) : stream_samples(x, form, &result, &query);
  store_result_release(&result);
  if (status) (void)result_found(x, kind, status);
  return ANSWERED;
}
