/* A controller that is not in service yet, held against the register protocol. */
#include "server/app.h"
#include "server/gateway/gateway.h"
#include "server/routes/handlers.h"
#include "server/routes/motion.h"
#include "server/trials/trials.h"

enum { ANSWER_MOST = MB(1) };

static bool answer_described(struct exchange *x, const char *name, int http_status)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  const enum armdyn_status status = trials_describe(exchange_app(x)->trials, name, &body);
  if (!status)
    answer_json(x, http_status, &body);
  else if (status != ARMDYN_ENOTFOUND)
    answer_status(x, status, NULL);
  buffer_release(&body);
  return status != ARMDYN_ENOTFOUND;
}

static enum outcome answer_missing(struct exchange *x, const char *name)
{
  struct controller_description controller;
  if (controller_of_request(x, name, &controller, NULL))
    answer_problem(x, PROBLEM_NOT_FOUND, "controller '%.64s' was not tested since the service began: POST tests it",
                   name);
  return ANSWERED;
}

enum outcome controller_test_get(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  return answer_described(x, name, 200) ? ANSWERED : answer_missing(x, name);
}

enum outcome controller_test_cancel(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  if (trials_cancel(exchange_app(x)->trials, name)) return answer_missing(x, name);
  answer_empty(x, 204);
  return ANSWERED;
}

/* Is it, under this or another name, in service? Then somebody may count on it. false: answered. */
static bool is_out_of_service(struct exchange *x, const char *name)
{
  size_t count, self = 0;
  bool out = true;
  struct listed_controller *all = gateway_controllers(exchange_app(x)->gateway, &count);
  if (!all) {
    answer_status(x, ARMDYN_EMEMORY, NULL);
    return false;
  }
  while (self < count && strcmp(all[self].name, name)) self++;
  for (size_t i = 0; i < count && out; i++) {
    struct controller_description other;
    if (self == count || all[i].same_as != all[self].same_as) continue;
    if (!(out = controller_of_request(x, all[i].name, &other, NULL))) break;
    if (!(out = !other.enabled))
      answer_problem(x, PROBLEM_CONFLICT,
                     "controller '%.64s' is in service, and a test loses what is loaded in it: change its `enabled` "
                     "to false first",
                     other.name);
  }
  free(all);
  return out;
}

/* false: answered. */
static bool permitted(struct exchange *x, const struct controller_description *controller,
                      const struct controller_test_request *request)
{
  if (request->allow_motion && !exchange_may_move(x, controller->name)) return false;
  if (controller->profile.protocol == PROTOCOL_REGISTER_MAP) {
    answer_problem(x, PROBLEM_CONFLICT,
                   "controller '%.64s' has registers of its own, and the test knows the register protocol alone: look "
                   "at what a dry run would write",
                   controller->name);
    return false;
  }
  return is_out_of_service(x, controller->name) && controller_is_free(x, controller->name);
}

static void begin(struct exchange *x, const struct controller_description *controller,
                  const struct controller_test_request *request)
{
  struct trials *trials = exchange_app(x)->trials;
  struct armdyn_error error = { "", "" };
  const enum armdyn_status status = trials_begin(trials, controller, request, &error);
  if (status == ARMDYN_EEXISTS)
    answer_problem(x, PROBLEM_CONFLICT, "controller '%.64s' is being tested: wait for its end, or DELETE ends it",
                   controller->name);
  else if (status == ARMDYN_EBUSY)
    answer_problem(x, PROBLEM_CONFLICT, "as many controllers are being tested as may be at a time");
  else if (status)
    answer_status(x, status, &error);
  else if (!is_out_of_service(x, controller->name)) /* somebody put it in service meanwhile */
    trials_cancel(trials, controller->name);
  else
    answer_described(x, controller->name, 202);
}

enum outcome controller_test_begin(struct exchange *x)
{
  struct controller_description controller;
  struct controller_test_request request;
  size_t length;
  const char *body = exchange_body(x, &length);
  if (!controller_of_request(x, exchange_segment(x, "controller"), &controller, NULL)) return ANSWERED;
  const enum armdyn_status status = controller_test_request_decode(body, length, &request, exchange_faults(x));
  if (status)
    answer_status(x, status, NULL);
  else if (permitted(x, &controller, &request))
    begin(x, &controller, &request);
  return ANSWERED;
}
