/* What the service tells of itself. */
#include "api/json/writer.h"
#include "armdyn/armdyn.h"
#include "server/app.h"
#include "server/gateway/gateway.h"
#include "server/jobs/jobs.h"
#include "server/release/notes.h"
#include "server/routes/handlers.h"
#include "server/store/store.h"

#ifndef ARMDYN_COMMIT
#define ARMDYN_COMMIT "unknown" /* built without the history */
#endif

enum { ANSWER_MOST = 64 * 1024 };

enum outcome system_health(struct exchange *x)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  buffer_text(&body, "{\"status\":\"ok\"}");
  answer_json(x, 200, &body);
  return ANSWERED;
}

/* A controller that cannot be reached is no reason. */
enum outcome system_ready(struct exchange *x)
{
  const struct app *app = exchange_app(x);
  struct armdyn_error error = { "", "" };
  char worker[JOBS_WHY], gateway[GATEWAY_WHY];
  const char *missing = NULL;
  if (exchange_stopping(x)) missing = "the service stops";
  if (!missing && jobs_draining(app->jobs)) missing = "the service is drained";
  if (!missing && store_check(app->store, &error))
    missing = *error.message ? error.message : "the store does not answer";
  if (!missing && !gateway_ready(app->gateway, gateway)) missing = gateway;
  if (!missing && !jobs_ready(app->jobs, worker)) missing = worker;
  if (missing) {
    answer_problem(x, PROBLEM_UNAVAILABLE, "%s", missing);
    return ANSWERED;
  }
  struct buffer body = BUFFER(ANSWER_MOST);
  buffer_text(&body, "{\"status\":\"ready\"}");
  answer_json(x, 200, &body);
  return ANSWERED;
}

enum outcome system_version(struct exchange *x)
{
  struct buffer body = BUFFER(ANSWER_MOST), notes = BUFFER(ANSWER_MOST);
  struct json_writer w = { .out = &body };
  size_t length;
  const char *text = release_notes(&length);
  buffer_append(&notes, text, length);
  json_begin_object(&w);
  json_key(&w, "version"), json_write_text(&w, armdyn_version());
  json_key(&w, "commit"), json_write_text(&w, ARMDYN_COMMIT);
  json_key(&w, "schema_version"), json_write_integer(&w, store_schema_version(exchange_app(x)->store));
  json_key(&w, "backend"), json_write_text(&w, store_engine(exchange_app(x)->store));
  json_key(&w, "release_notes"), json_write_text(&w, buffer_ok(&notes) && notes.data ? notes.data : "");
  json_end_object(&w);
  buffer_release(&notes);
  answer_json(x, 200, &body);
  return ANSWERED;
}

enum outcome system_problem(struct exchange *x)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  const char *slug = exchange_segment(x, "problem");
  if (problem_describe(slug, &body))
    answer_json(x, 200, &body);
  else
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no type of problem '%.64s'; GET /v1/problems lists them", slug);
  return ANSWERED;
}

enum outcome system_problems(struct exchange *x)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  problems_list(&body);
  answer_json(x, 200, &body);
  return ANSWERED;
}
