#include "api/codec/replan.h"

#include <math.h>

#include "api/codec/motion.h"

#define POSITIONS BETWEEN(-1e6, 1e6)
#define DURATIONS BETWEEN(1e-3, 1e3) /* as armdyn_optimal_plan has them */

static void init(void *object)
{
  *(struct replan_request *)object =
      (struct replan_request){ .time = NAN, .duration = NAN, .deadline = 0.1, .sample_rate = NAN };
}

static const struct json_field fields[] = {
  { NUMBERS(struct replan_request, q, PER_JOINT, POSITIONS, "rad, m"), REQUIRED },
  { NUMBERS(struct replan_request, qd, PER_JOINT, POSITIONS, "rad/s, m/s"), REQUIRED },
  { NUMBER(struct replan_request, time, BETWEEN(0, 1e3), "s"), REQUIRED },
  { NUMBER(struct replan_request, duration, DURATIONS, "s"), NULLABLE },
  { INTEGER(struct replan_request, intervals, BETWEEN(8, LIMIT_INTERVALS), NULL), NULLABLE },
  { NUMBER(struct replan_request, deadline, ABOVE_UP_TO(0, 2), "s") },
  { NUMBER(struct replan_request, sample_rate, BETWEEN(1, 100000), "Hz"), NULLABLE },
};
static const struct json_type type =
    JSON_TYPE("a request to plan the rest anew", fields, struct replan_request, init, NULL);

enum armdyn_status replan_request_decode(const char *text, size_t length, size_t joints, struct replan_request *out,
                                         struct faults *faults)
{
  const struct json_context context = { .joint_count = joints };
  return json_decode(text, length, &type, out, &context, faults);
}

/* The joint that moves fastest now; NULL: all rest. */
static const char *restless(const struct replan_result *result)
{
  const char *name = NULL;
  double most = 0;
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    if (!(fabs(result->request->qd[j]) > most)) continue;
    most = fabs(result->request->qd[j]);
    name = result->robot->joints[j].name;
  }
  return name;
}

static void encode_samples(struct json_writer *w, const struct replan_result *result)
{
  static const char *const names[] = { "q", "qd", "qdd", "tau" };
  const size_t n = result->robot->joint_count, width = 1 + 5 * n;
  json_begin_object(w);
  json_key(w, "t"), json_begin_array(w);
  for (size_t i = 0; i < result->row_count; i++) json_write_number(w, result->rows[i * width]);
  json_end_array(w);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    json_key(w, names[k]), json_begin_array(w);
    for (size_t i = 0; i < result->row_count; i++) json_write_numbers(w, result->rows + i * width + 1 + k * n, n);
    json_end_array(w);
  }
  json_end_object(w);
}

void replan_result_encode(const struct replan_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct armdyn_optimal_result *found = result->found;
  json_begin_object(&w);
  json_key(&w, "trajectory"), json_write_text(&w, result->trajectory);
  json_member_number(&w, "time", result->request->time);
  json_key(&w, "status"), json_write_text(&w, found->optimal ? "optimal" : "feasible");
  json_member_number(&w, "duration", armdyn_trajectory_duration(result->motion));
  json_key(&w, "waypoint_times");
  json_write_numbers(&w, result->motion->waypoint_times, result->motion->waypoint_count);
  json_key(&w, "cost"), json_begin_object(&w);
  json_key(&w, "model"), json_write_text(&w, armdyn_cost_name(result->planned->cost.model));
  json_member_number(&w, "value", found->cost);
  json_end_object(&w);
  json_key(&w, "margins"), motion_margins_encode(&w, result->robot, result->limits, result->margin);
  motion_transferable_encode(&w, result->robot, &result->planned->limits, result->margin, NULL, restless(result));
  json_key(&w, "solver"), json_begin_object(&w);
  json_key(&w, "iterations"), json_write_integer(&w, (long long)found->iterations);
  json_member_number(&w, "time", result->time);
  json_member_number(&w, "residual", found->residual);
  json_key(&w, "intervals"), json_write_integer(&w, (long long)found->intervals);
  json_end_object(&w);
  json_key(&w, "samples"), encode_samples(&w, result);
  json_end_object(&w);
}
