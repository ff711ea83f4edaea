/* Many jobs are cancelled in one call. */
#include "api/codec/cancel.h"
#include "server/app.h"
#include "server/jobs/jobs.h"
#include "server/routes/handlers.h"

struct cancelling {
  struct jobs *jobs;
  unsigned states;
  size_t cancelled;
  enum armdyn_status status;
};

static void visit(void *context, const struct store_job *job)
{
  struct cancelling *c = context;
  struct job_view view = { .job = *job };
  jobs_refresh(c->jobs, &view);
  const unsigned state = view.job.state == JOB_RUNNING ? 2 : 1;
  if (c->status || (c->states && !(c->states & state))) return;
  enum armdyn_status status = jobs_cancel(c->jobs, job->id);
  if (!status)
    c->cancelled++;
  else if (status != ARMDYN_ECONFLICT && status != ARMDYN_ENOTFOUND) /* it has ended meanwhile */
    c->status = status;
}

static void add_text(struct store_query *query, const char *column, enum store_match match, const char *text)
{
  if (*text)
    query->filters[query->filter_count++] = (struct store_filter){ .name = column, .match = match, .text = text };
}

static void cancel_chosen(struct exchange *x, struct job_cancel *asked)
{
  struct app *app = exchange_app(x);
  struct cancelling c = { .jobs = app->jobs, .states = asked->states };
  struct store_query query = { .sort = "created_at" };
  struct buffer body = BUFFER(KB(1));
  struct json_writer w = { .out = &body };
  if (*asked->created_after) clock_format(clock_parse(asked->created_after), asked->created_after);
  if (*asked->created_before) clock_format(clock_parse(asked->created_before), asked->created_before);
  add_text(&query, "state", STORE_IS, job_state_name(JOB_QUEUED));
  add_text(&query, "kind", STORE_IS, asked->kind);
  add_text(&query, "robot", STORE_IS, asked->robot);
  add_text(&query, "job_order_id", STORE_IS, asked->job_order_id);
  add_text(&query, "created_at", STORE_AT_LEAST, asked->created_after);
  add_text(&query, "created_at", STORE_BELOW, asked->created_before);
  enum armdyn_status status = store_job_list(app->store, &query, visit, &c);
  if (!status) status = c.status;
  json_begin_object(&w);
  json_key(&w, "cancelled"), json_write_integer(&w, (long long)c.cancelled);
  json_end_object(&w);
  if (!status) {
    answer_json(x, 200, &body);
    return;
  }
  buffer_release(&body);
  answer_status(x, status, NULL);
}

enum outcome job_cancel_many(struct exchange *x)
{
  struct job_cancel asked;
  size_t length;
  const char *text = exchange_body(x, &length);
  enum armdyn_status status = job_cancel_decode(text, length, &asked, exchange_faults(x));
  if (status)
    answer_status(x, status, NULL);
  else
    exchange_is_about_order(x, asked.job_order_id), cancel_chosen(x, &asked);
  return ANSWERED;
}
