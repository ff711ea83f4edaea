/* Jobs: accepted work. What they have computed is in results.c. */
#include <strings.h>

#include "api/codec/job.h"
#include "api/limits.h"
#include "server/app.h"
#include "server/base/rehearsal.h"
#include "server/data/stored_trajectory.h"
#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/jobs/jobs.h"
#include "server/robots/cache.h"
#include "server/routes/account.h"
#include "server/routes/events.h"
#include "server/routes/handlers.h"
#include "server/routes/list_ranges.h"
#include "server/routes/request_names.h"
#include "server/routes/results.h"
#include "server/routes/robots.h"
#include "server/webhooks/callback.h"
#include "server/work/kinds.h"

enum { WAIT_MOST = 60, RETRY_AFTER = 5 };

static const size_t ANSWER_MOST = MB(8);

/* -- answering with a job -- */

static void encode(const struct app *app, const struct job_view *view, bool include_result, bool summary,
                   struct buffer *out)
{
  const struct store_job *job = &view->job;
  const struct job_kind *kind = job_kind_find(job->kind);
  char href[96] = "";
  struct buffer value = BUFFER(ANSWER_MOST);
  if (job->result_id[0]) snprintf(href, sizeof href, "/v1/%s/%s", kind ? kind->form->collection : "", job->result_id);
  if (include_result && kind && job->result_id[0] && result_document(app, kind, job->result_id, &value, NULL))
    buffer_clear(&value); /* deleted meanwhile */
  const struct job_resource resource = {
    .id = job->id,
    .kind = job->kind,
    .collection = kind ? kind->form->collection : NULL,
    .robot = job->robot,
    .state = job_state_name(job->state),
    .message = view->message,
    .revision = job->revision,
    .priority = job->priority,
    .time_limit = (double)job->time_limit_ms / 1000,
    .progress = view->progress,
    .attempt = job->attempt,
    .queue_position = (long long)view->queue_position,
    .created_at = job->created_at,
    .started_at = job->started_at,
    .finished_at = job->finished_at,
    .href = href[0] ? href : NULL,
    .request = job->request,
    .tags = job->tags,
    .job_order_id = job->job_order_id,
    .work_master_id = job->work_master_id,
    .equipment_id = job->equipment_id,
    .problem = job->problem,
    .attempts = job->attempts,
    .created_by = job->created_by_name,
    .reason = job->reason,
    .traceparent = job->traceparent,
    .value = value.length ? value.data : NULL,
    .summary = summary,
  };
  job_encode(&resource, out);
  buffer_release(&value);
}

bool job_has_ended(enum job_state state)
{
  return state != JOB_QUEUED && state != JOB_RUNNING;
}

enum armdyn_status job_summary(struct app *app, struct job_view *view, struct buffer *out)
{
  encode(app, view, false, true, out);
  return out->failure;
}

enum armdyn_status job_document(struct app *app, struct job_view *view, struct buffer *out)
{
  encode(app, view, false, false, out);
  return out->failure;
}

/* How the answer is given: 200, 202, or 200 when the job has ended (`wait` is what the client was granted). */
enum answer_as { AS_PRESENT, AS_ACCEPTED, AS_WAITED };

static void answer_job(struct exchange *x, const char *id, bool include_result, enum answer_as as, int wait)
{
  struct app *app = exchange_app(x);
  struct job_view view;
  enum armdyn_status status = jobs_get(app->jobs, id, &view);
  if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no job '%.64s'", id);
    return;
  }
  if (status) {
    answer_status(x, status, NULL);
    return;
  }
  exchange_is_about_order(x, view.job.job_order_id);
  bool in_time = as == AS_WAITED && job_has_ended(view.job.state);
  if (as != AS_PRESENT) exchange_set_header(x, "Location", "/v1/jobs/%s", id);
  if (in_time) exchange_set_header(x, "Preference-Applied", "wait=%d", wait);
  struct buffer body = BUFFER(ANSWER_MOST);
  encode(app, &view, include_result, false, &body);
  job_view_release(&view);
  if (as == AS_PRESENT)
    answer_document(x, &body);
  else
    answer_json(x, in_time ? 200 : 202, &body);
}

/* ?include=result. false: answered. */
static bool asked_include(struct exchange *x, bool *include_result)
{
  const char *include = exchange_query(x, "include");
  *include_result = include && strcmp(include, "result") == 0;
  if (!include || *include_result) return true;
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "include", FAULT_ENUM, "must be result, got '%.64s'", include);
  answer_problem(x, PROBLEM_INVALID, NULL);
  return false;
}

/* -- waiting -- */

/* Seconds of `Prefer: wait=N` (RFC 7240), 0 when there is none; what cannot be understood is no preference. */
static int preferred_wait(const struct exchange *x)
{
  const char *prefer = exchange_header(x, "Prefer");
  while (prefer && *prefer) {
    prefer += strspn(prefer, " \t,;");
    size_t length = strcspn(prefer, ",;");
    if (length > 5 && strncasecmp(prefer, "wait=", 5) == 0) {
      const char *digits = prefer + 5 + (prefer[5] == '"');
      size_t count = strspn(digits, "0123456789");
      if (!count) return 0;
      return count > 2 || strtol(digits, NULL, 10) > WAIT_MOST ? WAIT_MOST : (int)strtol(digits, NULL, 10);
    }
    prefer += length;
  }
  return 0;
}

/* A client that waits for its job. */
struct waiting {
  struct exchange *x;
  char id[ID_SIZE];
  bool include_result;
  int seconds;
};

static void wake(void *context)
{
  struct waiting *waiting = context;
  struct exchange *x = waiting->x;
  answer_job(x, waiting->id, waiting->include_result, AS_WAITED, waiting->seconds);
  free(waiting);
  exchange_resume(x);
}

/* As it would be accepted. */
static void answer_rehearsed(struct exchange *x, const char *id, size_t position)
{
  struct job_view view;
  enum armdyn_status status = jobs_get(exchange_app(x)->jobs, id, &view);
  if (status) {
    answer_status(x, status, NULL);
    return;
  }
  struct buffer body = BUFFER(ANSWER_MOST);
  view.queue_position = position;
  exchange_set_header(x, "Location", "/v1/jobs/%s", id);
  encode(exchange_app(x), &view, false, false, &body);
  job_view_release(&view);
  answer_json(x, 202, &body);
}

static enum outcome answer_when_ended(struct exchange *x, const char *id, bool include_result, int seconds)
{
  struct waiting *waiting = seconds && exchange_may_wait(x) ? malloc(sizeof *waiting) : NULL;
  if (waiting) {
    *waiting = (struct waiting){ .x = x, .include_result = include_result, .seconds = seconds };
    snprintf(waiting->id, sizeof waiting->id, "%s", id);
    int64_t deadline = clock_monotonic_ns() + (int64_t)seconds * 1000000000;
    if (!jobs_wait(exchange_app(x)->jobs, id, deadline, wake, waiting)) return WAITS; /* and x is no longer ours */
    free(waiting);
  }
  answer_job(x, id, include_result, seconds ? AS_WAITED : AS_ACCEPTED, seconds);
  return ANSWERED;
}

/* -- creating -- */

/* A source that may be any motion gets the kind that it is of. OK, ENOTFOUND or EIO. */
static enum armdyn_status find_source(struct store *store, struct store_referral *source)
{
  return strcmp(source->kind, SOURCE_MOTION) ? store_referral_check(store, source) : motion_find(store, source);
}

static bool is_motion(const struct store_referral *source)
{
  const struct job_kind *kind = job_kind_find(source->kind);
  return kind && kind->motion;
}

/* What the job computes from must be there, and motions be of such an arm. false: answered. */
static bool find_sources(struct exchange *x, size_t joints, struct job_source *sources, size_t count)
{
  struct store *store = exchange_app(x)->store;
  bool found = true;
  for (size_t i = 0; i < count; i++) {
    struct store_referral *source = &sources[i].referral;
    enum armdyn_status status = find_source(store, source);
    if (!status && is_motion(source)) status = stored_trajectory_fits(store, source->id, joints);
    if (status == ARMDYN_ENOTFOUND || status == ARMDYN_EINPUT) {
      fault_add(exchange_faults(x), FAULT_AT_POINTER, sources[i].pointer, FAULT_INCONSISTENT,
                status == ARMDYN_EINPUT ? "%s %s is of an arm with another number of joints" : "there is no %s %s",
                source->kind, source->id);
      found = false;
    } else if (status) {
      answer_status(x, status, NULL);
      return false;
    }
  }
  if (!found) answer_problem(x, PROBLEM_INVALID, NULL);
  return found;
}

/* Check the body and submit; `job` gets its id. false: answered.
 *   position  out  of a rehearsal: in the queue */
static bool submit(struct exchange *x, const struct job_kind *kind, const struct robot_entry *entry,
                   const struct idempotency *once, struct store_job *job, size_t *position)
{
  struct jobs *jobs = exchange_app(x)->jobs;
  size_t length;
  const char *body = exchange_body(x, &length);
  const struct armdyn_robot_description *robot = armdyn_robot_description(entry->robot);
  struct job_acceptance accepted = { .source_count = 0 };
  struct buffer named = BUFFER(LIMIT_MODEL_BODY + KB(64));
  enum armdyn_status status = ARMDYN_EINPUT;
  if (kind->carried && !request_names_put_in(x, robot->name, kind->in_cell, body, length, &named)) goto out;
  if (named.length) body = named.data, length = named.length;
  status = job_kind_accept(kind, robot, body, length, &accepted, exchange_faults(x));
  if (status) {
    answer_status(x, status, NULL);
    goto out;
  }
  struct store_referral referrals[JOB_SOURCES];
  status = ARMDYN_ENOTFOUND;
  if (!find_sources(x, robot->joint_count, accepted.sources, accepted.source_count)) goto out;
  if (!callback_is_known(x, accepted.webhook)) goto out;
  for (size_t i = 0; i < accepted.source_count; i++) referrals[i] = accepted.sources[i].referral;
  job->sources = referrals;
  job->source_count = accepted.source_count;
  snprintf(job->kind, sizeof job->kind, "%s", kind->name);
  snprintf(job->robot, sizeof job->robot, "%s", robot->name);
  snprintf(job->owner, sizeof job->owner, "%s", exchange_key_id(x));
  job->revision = entry->revision;
  job->request = (char *)(uintptr_t)body;
  job->tags = accepted.tags.data;
  job->priority = accepted.priority;
  job->time_limit_ms = accepted.time_limit_ms;
  snprintf(job->traceparent, sizeof job->traceparent, "%s", exchange_traceparent(x));
  struct armdyn_error error = { "", "" };
  status = rehearsing() ? jobs_rehearse(jobs, job, idempotency_key(once), position, &error)
                        : jobs_submit(jobs, job, idempotency_key(once), &error);
  job->request = job->tags = NULL;
  job->sources = NULL;
  if (status == ARMDYN_ELIMIT || status == ARMDYN_EUNAVAILABLE)
    exchange_set_header(x, "Retry-After", "%d", RETRY_AFTER);
  if (status == ARMDYN_ELIMIT)
    answer_problem_extra(x, PROBLEM_TOO_MANY, NULL, error.message);
  else if (status)
    answer_status(x, status, *error.message ? &error : NULL);
out:
  buffer_release(&named);
  buffer_release(&accepted.tags);
  return status == ARMDYN_OK;
}

enum outcome job_create(struct exchange *x)
{
  const struct job_kind *kind = exchange_about(x);
  struct app *app = exchange_app(x);
  bool include_result;
  if (!asked_include(x, &include_result)) return ANSWERED;
  int seconds = preferred_wait(x);

  struct idempotency once;
  char *href = NULL, id[ID_SIZE] = "";
  switch (idempotency_begin(x, false, &once, &href)) {
  case IDEMPOTENCY_REFUSED: return ANSWERED;
  case IDEMPOTENCY_REPLAY:
    snprintf(id, sizeof id, "%s", strrchr(href, '/') ? strrchr(href, '/') + 1 : "");
    free(href);
    return answer_when_ended(x, id, include_result, seconds);
  case IDEMPOTENCY_NEW: break;
  }

  struct store_job job = { .robot = "" };
  const struct robot_entry *entry;
  enum outcome outcome = ANSWERED;
  bool accepted = false;
  size_t position = 0;
  account_of(x, job.created_by_name, job.reason);
  if (robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome)) {
    accepted = submit(x, kind, entry, &once, &job, &position);
    robots_release(app->robots, entry);
  }
  idempotency_end(x, &once);
  if (!accepted) return ANSWERED;
  if (!rehearsing()) return answer_when_ended(x, job.id, include_result, seconds);
  answer_rehearsed(x, job.id, position);
  return ANSWERED;
}

/* -- the routes -- */

enum outcome job_get(struct exchange *x)
{
  bool include_result;
  if (asked_include(x, &include_result)) answer_job(x, exchange_segment(x, "job"), include_result, AS_PRESENT, 0);
  return ANSWERED;
}

enum outcome job_cancel(struct exchange *x)
{
  const char *id = exchange_segment(x, "job");
  enum armdyn_status status = jobs_cancel(exchange_app(x)->jobs, id);
  if (status == ARMDYN_OK || status == ARMDYN_ENOTFOUND)
    answer_job(x, id, false, AS_PRESENT, 0);
  else if (status == ARMDYN_ECONFLICT)
    answer_problem(x, PROBLEM_CONFLICT, "the job has ended already");
  else
    answer_status(x, status, NULL);
  return ANSWERED;
}

/* -- the list, by what jobs are now: what runs is known in memory only -- */

struct job_listing {
  struct listing listing;
  struct app *app;
};

static void visit(void *context, const struct store_job *job)
{
  struct job_listing *l = context;
  struct job_view view = { .job = *job };
  jobs_refresh(l->app->jobs, &view);
  struct buffer item = BUFFER(ANSWER_MOST);
  encode(l->app, &view, false, true, &item);
  listing_item(&l->listing, &item);
  buffer_release(&item);
}

/* The states that are asked for, as the store has them, which keeps as queued what runs: ids tell these apart. */
static void add_states(struct job_listing *l, const struct list_ranges *ranges, const char *running)
{
  struct store_query *query = &l->listing.query;
  const bool waits = list_state_asked(ranges->states, job_state_names[JOB_QUEUED]);
  const bool runs = list_state_asked(ranges->states, job_state_names[JOB_RUNNING]);
  list_add_states(&l->listing, ranges, job_state_names);
  for (size_t k = 0; k < query->state_count && runs != waits; k++)
    if (query->states[k].name == job_state_names[waits ? JOB_QUEUED : JOB_RUNNING])
      query->states[k] = (struct store_state){ job_state_names[JOB_QUEUED], running, .except = waits };
}

/* Of all that meet the conditions so far. */
static enum armdyn_status count(struct job_listing *l, const char *running, struct buffer *out)
{
  int64_t totals[JOB_STATE_COUNT], of_running[JOB_STATE_COUNT];
  struct store_query those = l->listing.query;
  those.states[those.state_count++] = (struct store_state){ job_state_names[JOB_QUEUED], running, .except = false };
  enum armdyn_status status = store_job_totals(l->app->store, &l->listing.query, totals);
  if (!status) status = store_job_totals(l->app->store, &those, of_running);
  if (status) return status;
  totals[JOB_RUNNING] = of_running[JOB_QUEUED];
  totals[JOB_QUEUED] -= totals[JOB_RUNNING];
  list_totals(&l->listing, job_state_names, totals, JOB_STATE_COUNT, out);
  return ARMDYN_OK;
}

static void list(struct job_listing *l, struct list_ranges *ranges)
{
  struct buffer running = BUFFER(MB(1)), totals = BUFFER(KB(4));
  jobs_running(l->app->jobs, &running);
  enum armdyn_status status = running.failure;
  if (!status) status = count(l, running.data, &totals);
  if (!status) {
    add_states(l, ranges, running.data);
    status = store_job_list(l->app->store, &l->listing.query, visit, l);
  }
  listing_end(&l->listing, status);
  buffer_release(&running);
  buffer_release(&totals);
}

enum outcome job_list(struct exchange *x)
{
  static const struct list_form form = {
    .filters = "kind robot",
    .sorts = "created_at started_at finished_at kind robot state priority",
    .fields = "id kind collection robot revision state priority progress message attempt created_at started_at "
              "finished_at result tags"
              " job_order_id work_master_id equipment_id created_by reason",
  };
  struct job_listing l = { .app = exchange_app(x) };
  struct list_ranges ranges;
  const char *kind = exchange_query(x, "kind");
  if (!listing_query(&l.listing, x, &form)) return ANSWERED;
  bool good = list_states(&l.listing, job_state_names, JOB_STATE_COUNT, &ranges);
  good &= list_times(&l.listing, &ranges);
  if (kind && !job_kind_find(kind)) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "kind", FAULT_ENUM, "there are no jobs of kind '%.64s'", kind);
    good = false;
  }
  if (good)
    list(&l, &ranges);
  else
    listing_refuse(&l.listing);
  return ANSWERED;
}
