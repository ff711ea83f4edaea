/* The combinations of a robot's parameters that motion can tell apart. */
#include "api/codec/base_parameters.h"
#include "server/app.h"
#include "server/routes/dynamics.h"
#include "server/routes/robots.h"

static void answer_parameters(struct exchange *x, const struct robot_entry *entry, const struct armdyn_robot *robot,
                              const struct base_parameters_request *request)
{
  const struct armdyn_parameter_choice choice = { .rotors =
                                                      request->rotor_inertia ? ARMDYN_ROTORS_ALL : ARMDYN_ROTORS_NONE,
                                                  .frictionless = !request->friction };
  struct armdyn_base_parameters *base = NULL;
  enum armdyn_status status = armdyn_base_parameters_new(robot, &choice, &base);
  if (status) {
    answer_status(x, status, NULL);
    return;
  }
  struct buffer body = BUFFER(LIMIT_ANSWER);
  base_parameters_encode(&body, base, (long long)entry->revision);
  armdyn_base_parameters_free(base);
  exchange_set_revision(x, entry->revision);
  answer_json(x, 200, &body);
}

enum outcome base_parameters(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!exchange_may_block(x)) return BLOCKS; /* factorises a large regressor: some ms */
  if (!robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome)) return outcome;

  struct base_parameters_request request;
  struct armdyn_robot_description *changed = NULL;
  struct armdyn_robot *own = NULL;
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = base_parameters_decode(body, length, &request, exchange_faults(x));
  if (!status) status = overrides_apply(&request.overrides, armdyn_robot_description(entry->robot), &changed);
  const struct armdyn_robot *robot = status ? NULL : robot_for_call(x, entry, changed, &own);
  if (status)
    answer_status(x, status, NULL);
  else if (robot)
    answer_parameters(x, entry, robot, &request);
  armdyn_robot_free(own);
  free(changed);
  robots_release(exchange_app(x)->robots, entry);
  return ANSWERED;
}
