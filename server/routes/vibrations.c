/* POST /v1/robots/{robot}/vibrations: modes from how an arm dies out after a stop, and the shaper and notch against them. */
#include "server/app.h"
#include "server/data/logged_vibration.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/robots.h"

enum outcome vibrations(struct exchange *x)
{
  struct app *app = exchange_app(x);
  const struct robot_entry *stored;
  enum outcome outcome;
  size_t length;
  if (!robot_of_request(x, NULL, &stored, &outcome)) return outcome;
  const struct armdyn_robot_description *robot = armdyn_robot_description(stored->robot);
  struct vibration_request request = { .count = 0 };
  struct logged_vibration found;
  struct armdyn_error error = { "", "" };
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = vibration_request_decode(robot->joint_count, body, length, &request, exchange_faults(x));
  if (!status) status = logged_vibration_find(app->store, robot, &request, &found, &error);
  if (status == ARMDYN_EINPUT && error.message[0])
    fault_add(exchange_faults(x), FAULT_AT_POINTER, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
  if (status) {
    answer_status(x, status, NULL);
  } else {
    struct buffer out = BUFFER(MB(1));
    const struct vibration_answer answer = { .robot = robot,
                                             .request = &request,
                                             .vibration = &found.vibration,
                                             .sweep = request.has_chirp ? &found.sweep : NULL,
                                             .samples = found.samples,
                                             .rate_hz = found.rate };
    vibration_encode(&out, &answer);
    answer_json(x, 200, &out);
  }
  vibration_request_release(&request);
  robots_release(app->robots, stored);
  return ANSWERED;
}
