/* GET /v1/activity: what runs, waits and was done. /v1/drain: let what runs end, and begin nothing more. */
#include "api/json/writer.h"
#include "server/app.h"
#include "server/gateway/gateway.h"
#include "server/jobs/jobs.h"
#include "server/routes/events.h"
#include "server/routes/handlers.h"
#include "server/store/store.h"

enum { RUNNING_TOLD = 256, WAITING_TOLD = 50, ENDED_TOLD = 20 };

/* -- activity -- */

struct telling {
  struct app *app;
  struct json_writer w;
};

static void tell(struct telling *t, struct buffer *item)
{
  if (buffer_ok(item))
    json_write_raw(&t->w, item->data);
  else
    t->w.out->failure = item->failure;
  buffer_release(item);
}

static void tell_job(void *context, const struct store_job *job)
{
  struct telling *t = context;
  struct job_view view = { .job = *job };
  struct buffer item = BUFFER(MB(1));
  jobs_refresh(t->app->jobs, &view);
  (void)job_summary(t->app, &view, &item); /* tell sees a failure */
  tell(t, &item);
}

static void tell_transfer(void *context, const struct store_transfer *row)
{
  struct telling *t = context;
  struct store_transfer fresh = *row;
  struct buffer item = BUFFER(MB(1));
  gateway_refresh(t->app->gateway, &fresh);
  (void)transfer_summary(&fresh, &item);
  tell(t, &item);
}

static enum armdyn_status tell_jobs(struct telling *t, const char *name, struct store_query query)
{
  json_key(&t->w, name), json_begin_array(&t->w);
  enum armdyn_status status = store_job_list(t->app->store, &query, tell_job, t);
  json_end_array(&t->w);
  return status;
}

static enum armdyn_status tell_transfers(struct telling *t, const char *name, struct store_query query)
{
  json_key(&t->w, name), json_begin_array(&t->w);
  enum armdyn_status status = store_transfer_list(t->app->store, &query, tell_transfer, t);
  json_end_array(&t->w);
  return status;
}

static enum armdyn_status write_jobs(struct telling *t, const char *running)
{
  struct jobs_figures figures;
  jobs_figures(t->app->jobs, &figures);
  json_key(&t->w, "jobs"), json_begin_object(&t->w);
  json_key(&t->w, "running_count"), json_write_integer(&t->w, (long long)figures.running);
  json_key(&t->w, "waiting_count"), json_write_integer(&t->w, (long long)figures.queued);
  enum armdyn_status status =
      tell_jobs(t, "running",
                (struct store_query){ .states = { { .name = job_state_names[JOB_QUEUED], .ids = running } },
                                      .state_count = 1,
                                      .limit = RUNNING_TOLD });
  if (!status)
    status = tell_jobs(
        t, "waiting",
        (struct store_query){ .states = { { .name = job_state_names[JOB_QUEUED], .ids = running, .except = true } },
                              .state_count = 1,
                              .ascending = true,
                              .limit = WAITING_TOLD });
  if (!status)
    status = tell_jobs(t, "ended",
                       (struct store_query){ .states = { { .name = job_state_names[JOB_SUCCEEDED] },
                                                         { .name = job_state_names[JOB_FAILED] },
                                                         { .name = job_state_names[JOB_CANCELLED] } },
                                             .state_count = 3,
                                             .limit = ENDED_TOLD });
  json_end_object(&t->w);
  json_key(&t->w, "workers"), json_begin_object(&t->w);
  json_key(&t->w, "count"), json_write_integer(&t->w, (long long)figures.workers);
  json_key(&t->w, "ready"), json_write_integer(&t->w, (long long)figures.ready);
  json_end_object(&t->w);
  return status;
}

static enum armdyn_status write_transfers(struct telling *t)
{
  struct store_query active = { .limit = RUNNING_TOLD }, ended = { .limit = ENDED_TOLD };
  for (enum transfer_state state = 0; state < TRANSFER_STATE_COUNT; state++) {
    struct store_query *query = transfer_state_final(state) ? &ended : &active;
    query->states[query->state_count++].name = transfer_state_names[state];
  }
  json_key(&t->w, "transfers"), json_begin_object(&t->w);
  enum armdyn_status status = tell_transfers(t, "active", active);
  if (!status) status = tell_transfers(t, "ended", ended);
  json_end_object(&t->w);
  return status;
}

enum outcome activity_get(struct exchange *x)
{
  struct app *app = exchange_app(x);
  struct buffer body = BUFFER(MB(16)), running = BUFFER(MB(1));
  struct telling t = { .app = app, .w = { .out = &body } };
  jobs_running(app->jobs, &running);
  json_begin_object(&t.w);
  json_key(&t.w, "draining"), json_write_truth(&t.w, jobs_draining(app->jobs));
  enum armdyn_status status = running.failure;
  if (!status) status = write_jobs(&t, running.data);
  if (!status) status = write_transfers(&t);
  json_end_object(&t.w);
  buffer_release(&running);
  if (!status) {
    answer_json(x, 200, &body);
    return ANSWERED;
  }
  buffer_release(&body);
  answer_status(x, status, NULL);
  return ANSWERED;
}

/* -- drain -- */

static enum outcome answer_drain(struct exchange *x)
{
  struct app *app = exchange_app(x);
  struct buffer body = BUFFER(KB(4));
  struct json_writer w = { .out = &body };
  struct jobs_figures figures;
  bool draining = jobs_draining(app->jobs);
  jobs_figures(app->jobs, &figures);
  size_t transfers = gateway_active(app->gateway);
  json_begin_object(&w);
  json_key(&w, "draining"), json_write_truth(&w, draining);
  json_key(&w, "drained"), json_write_truth(&w, draining && !figures.running && !transfers);
  json_key(&w, "jobs_running"), json_write_integer(&w, (long long)figures.running);
  json_key(&w, "jobs_waiting"), json_write_integer(&w, (long long)figures.queued);
  json_key(&w, "transfers_active"), json_write_integer(&w, (long long)transfers);
  json_end_object(&w);
  answer_json(x, 200, &body);
  return ANSWERED;
}

static enum outcome set_drain(struct exchange *x, bool draining)
{
  struct app *app = exchange_app(x);
  jobs_drain(app->jobs, draining);
  gateway_drain(app->gateway, draining);
  return answer_drain(x);
}

enum outcome drain_get(struct exchange *x)
{
  return answer_drain(x);
}

enum outcome drain_begin(struct exchange *x)
{
  return set_drain(x, true);
}

enum outcome drain_end(struct exchange *x)
{
  return set_drain(x, false);
}
