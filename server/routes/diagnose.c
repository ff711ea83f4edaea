/* Which usual mistake explains somebody's torques. */
#include "api/codec/diagnosis.h"
#include "api/codec/dynamics.h"
#include "server/app.h"
#include "server/routes/dynamics.h"
#include "server/routes/robots.h"

static void answer_diagnosis(struct exchange *x, const struct robot_entry *entry, const struct samples_request *request)
{
  struct armdyn_robot *own = NULL;
  const struct armdyn_robot *robot = robot_for_call(x, entry, request->robot, &own);
  if (!robot) return;
  const struct armdyn_samples samples = { .count = request->count,
                                          .q = request->q,
                                          .qd = request->qd,
                                          .qdd = request->qdd,
                                          .tau = request->tau,
                                          .frictionless = !request->friction };
  struct armdyn_diagnosis diagnosis;
  enum armdyn_status status = armdyn_diagnose(robot, &samples, request->tolerance, &diagnosis);
  if (status) {
    answer_status(x, status, NULL);
  } else {
    struct buffer body = BUFFER(LIMIT_ANSWER);
    diagnosis_encode(&body, &diagnosis, armdyn_robot_description(robot), (long long)entry->revision);
    exchange_set_revision(x, entry->revision);
    answer_json(x, 200, &body);
  }
  armdyn_robot_free(own);
}

enum outcome diagnose(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome)) return outcome;

  struct samples_request request;
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = samples_request_decode(CALL_DIAGNOSE, MEDIA_JSON, armdyn_robot_description(entry->robot),
                                                     body, length, NULL, NULL, &request, exchange_faults(x));
  if (!status && request.count > LIMIT_DIAGNOSIS_SAMPLES) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/q", FAULT_MAXIMUM, "must have at most %d samples, got %zu",
              LIMIT_DIAGNOSIS_SAMPLES, request.count);
    samples_request_release(&request);
    status = ARMDYN_EINPUT;
  }
  if (status) {
    answer_status(x, status, NULL);
  } else {
    answer_diagnosis(x, entry, &request);
    samples_request_release(&request);
  }
  robots_release(exchange_app(x)->robots, entry);
  return ANSWERED;
}
