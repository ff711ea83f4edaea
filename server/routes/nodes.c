/* GET /v1/nodes: who serves, who stands by, and who computes jobs. */
#include "api/json/writer.h"
#include "server/app.h"
#include "server/jobs/jobs.h"
#include "server/routes/handlers.h"

static const char *const states[NODE_STATES] = {
  [NODE_SERVING] = "serving", [NODE_COMPUTING] = "computing",   [NODE_DRAINING] = "draining",
  [NODE_GONE] = "gone",       [NODE_STRANGE] = "other_version", [NODE_STANDING_BY] = "standing_by",
};

static void write_text_or_null(struct json_writer *w, const char *name, const char *text)
{
  json_key(w, name);
  *text ? json_write_text(w, text) : json_write_null(w);
}

static void write_node(void *context, const struct jobs_node *n)
{
  struct json_writer *w = context;
  const bool serves = n->state == NODE_SERVING;
  json_begin_object(w);
  write_text_or_null(w, "id", n->node.id);
  json_key(w, "host"), json_write_text(w, n->node.host);
  json_key(w, "role"), json_write_text(w, serves ? "serving" : *n->node.address ? "standing_by" : "worker");
  json_key(w, "state"), json_write_text(w, states[n->state]);
  json_key(w, "version"), json_write_text(w, n->node.version);
  json_key(w, "process"), json_write_integer(w, n->node.process);
  json_key(w, "workers"), json_write_integer(w, n->node.workers);
  json_key(w, "ready"), json_write_integer(w, (long long)n->ready);
  json_key(w, "running"), json_write_integer(w, (long long)n->running);
  write_text_or_null(w, "started_at", n->node.started_at);
  json_key(w, "silent_s");
  serves ? json_write_null(w) : json_write_number(w, (double)n->node.silent_ms / 1000);
  json_end_object(w);
}

enum outcome nodes_get(struct exchange *x)
{
  struct buffer body = BUFFER(KB(256));
  struct json_writer w = { .out = &body };
  json_begin_object(&w);
  json_key(&w, "items"), json_begin_array(&w);
  const enum armdyn_status status = jobs_nodes(exchange_app(x)->jobs, write_node, &w);
  json_end_array(&w);
  json_end_object(&w);
  if (status) {
    buffer_release(&body);
    answer_status(x, status, NULL);
    return ANSWERED;
  }
  answer_json(x, 200, &body);
  return ANSWERED;
}
