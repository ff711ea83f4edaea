/* The arm of a controller, watched. */
#include "server/watch/watch.h"

#include "server/app.h"
#include "server/routes/handlers.h"
#include "server/routes/motion.h"

enum { ANSWER_MOST = MB(8) };

static enum outcome answer_missing(struct exchange *x, const char *name)
{
  struct controller_description controller;
  if (controller_of_request(x, name, &controller, NULL))
    answer_problem(x, PROBLEM_NOT_FOUND, "controller '%.64s' is not watched: POST starts a watch", name);
  return ANSWERED;
}

enum outcome arm_watch_get(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  struct buffer body = BUFFER(ANSWER_MOST);
  const enum armdyn_status status = watches_describe(exchange_app(x)->watches, name, &body);
  if (status == ARMDYN_ENOTFOUND) return answer_missing(x, name);
  if (status)
    answer_status(x, status, NULL);
  else
    answer_json(x, 200, &body);
  buffer_release(&body);
  return ANSWERED;
}

enum outcome arm_watch_stop(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  const enum armdyn_status status = watches_end(exchange_app(x)->watches, name);
  if (status == ARMDYN_ENOTFOUND) return answer_missing(x, name);
  if (status)
    answer_status(x, status, NULL);
  else
    answer_empty(x, 204);
  return ANSWERED;
}

/* By the joints of the controller's robot. false: answered. */
static bool read_request(struct exchange *x, const char *name, struct watch_request *request)
{
  struct controller_description controller;
  const struct robot_entry *entry;
  size_t length;
  const char *body = exchange_body(x, &length);
  if (!controller_of_request(x, name, &controller, NULL)) return false;
  enum armdyn_status status = robots_get(exchange_app(x)->robots, controller.robot, controller.revision, true, &entry);
  if (status) {
    answer_status(x, status, NULL);
    return false;
  }
  const size_t n = armdyn_robot_joint_count(entry->robot);
  robots_release(exchange_app(x)->robots, entry);
  status = watch_request_decode(body, length, n, request, exchange_faults(x));
  if (status) answer_status(x, status, NULL);
  return !status;
}

enum outcome arm_watch_start(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  struct buffer body = BUFFER(ANSWER_MOST);
  struct armdyn_error error = { "", "" };
  struct watch_request request;
  if (!read_request(x, name, &request)) return ANSWERED;
  enum armdyn_status status = watches_begin(exchange_app(x)->watches, name, &request, &body, &error);
  if (!status) status = body.failure;
  if (status == ARMDYN_EEXISTS)
    answer_problem(x, PROBLEM_CONFLICT, "controller '%.64s' is watched otherwise: stop that watch first (DELETE)",
                   name);
  else if (status == ARMDYN_EINPUT) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
    answer_problem(x, PROBLEM_INVALID, NULL);
  } else if (status)
    answer_status(x, status, &error);
  else
    answer_json(x, 200, &body);
  buffer_release(&body);
  return ANSWERED;
}
