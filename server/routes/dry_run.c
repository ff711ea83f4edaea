/* What a transfer would write, register by register, without a word to the controller. */
#include "server/app.h"
#include "server/gateway/map_plan.h"
#include "server/routes/handlers.h"
#include "server/routes/motion.h"
#include "server/transfers/prepare.h"
#include "server/webhooks/callback.h"

enum { LISTED_MOST = 1000, ANSWER_MOST = MB(4) };

struct listed {
  struct json_writer *writer;
  long long requests, listed;
};

static void write_one(struct json_writer *w, const struct map_request *r)
{
  static const char *const spaces[] = { "holding", "input", "coil", "discrete" };
  static const char *const steps[] = { "write", "pulse", "toggle", "wait", "check", "not_yet" };
  json_begin_object(w);
  json_key(w, "step"), json_write_text(w, steps[r->kind]);
  json_key(w, "unit"), json_write_integer(w, r->unit);
  json_key(w, "function"), json_write_integer(w, r->function);
  json_key(w, "register"), json_write_text(w, spaces[r->space]);
  json_key(w, "address"), json_write_integer(w, r->address);
  json_key(w, "words");
  json_begin_array(w);
  for (unsigned i = 0; i < r->count && !r->toggled && r->kind != MAP_STEP_TOGGLE; i++)
    json_write_integer(w, r->words[i]);
  json_end_array(w);
  if (r->mask != UINT16_MAX) json_key(w, "mask"), json_write_integer(w, r->mask);
  if (r->kind == MAP_STEP_PULSE) json_key(w, "hold_ms"), json_write_integer(w, r->hold_ms);
  if (r->timeout_ms) json_key(w, "timeout_ms"), json_write_integer(w, r->timeout_ms);
  json_key(w, "what"), json_write_text(w, r->what);
  json_key(w, "read_back"), json_write_truth(w, r->read_back);
  json_end_object(w);
}

static bool visit(void *context, const struct map_request *request)
{
  struct listed *list = context;
  if (list->requests++ < LISTED_MOST) write_one(list->writer, request);
  return true;
}

static void answer_plan(struct exchange *x, const struct prepared_transfer *p)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  struct json_writer w = { .out = &body };
  struct listed list = { .writer = &w };
  struct armdyn_error error = { "", "" };
  const struct profile_head *head = &p->order->profile.head;
  json_begin_object(&w);
  json_key(&w, "controller"), json_write_text(&w, p->controller.name);
  json_key(&w, "trajectory"), json_write_text(&w, p->trajectory.id);
  json_key(&w, "samples"), json_write_integer(&w, head->total);
  json_key(&w, "period"), json_write_number(&w, head->period_us * 1e-6);
  if (p->has_clearance) {
    json_key(&w, "clearance"), json_write_number(&w, p->clearance);
    json_key(&w, "cell_revision"), json_write_integer(&w, (long long)p->cell_revision);
  }
  json_key(&w, "writes");
  json_begin_array(&w);
  enum armdyn_status status =
      map_plan(&p->controller.profile.map, (unsigned)p->controller.unit, &p->order->profile, visit, &list, &error);
  json_end_array(&w);
  json_key(&w, "requests"), json_write_integer(&w, list.requests);
  json_end_object(&w);
  if (status) {
    buffer_release(&body);
    answer_status(x, ARMDYN_EINTERNAL, NULL); /* transfer_prepare went through it already */
  } else {
    answer_json(x, 200, &body);
  }
}

enum outcome controller_dry_run(struct exchange *x)
{
  struct prepared_transfer *p = calloc(1, sizeof *p);
  if (!p) {
    answer_status(x, ARMDYN_EMEMORY, NULL);
    return ANSWERED;
  }
  size_t length;
  const char *body = exchange_body(x, &length);
  if (controller_of_request(x, exchange_segment(x, "controller"), &p->controller, NULL)) {
    enum armdyn_status status = transfer_request_decode(body, length, &p->request, exchange_faults(x));
    p->request.start = false;     /* nothing is */
    p->controller.enabled = true; /* one that is out of service is looked at before it comes into it */
    if (status)
      answer_status(x, status, NULL);
    else if (p->controller.profile.protocol != PROTOCOL_REGISTER_MAP)
      answer_problem(x, PROBLEM_CONFLICT,
                     "controller '%s' speaks the register protocol, which numbers its commands by what it acknowledged "
                     "last; a dry run shows the writes of register maps",
                     p->controller.name);
    else if (callback_is_known(x, p->request.callback.webhook) && transfer_prepare_for(x, p))
      answer_plan(x, p);
  }
  prepared_transfer_free(p);
  return ANSWERED;
}
