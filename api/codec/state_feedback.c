#include "api/codec/state_feedback.h"

#include <stdlib.h>

#define FEEDBACK struct state_feedback
static const struct json_field fields[] = {
  { JSON_MEMBER(FEEDBACK, position), .kind = FIELD_CUSTOM, .decode = samples_table_decode, .length = PER_JOINT,
    .unit = "N m/rad, N/m" },
  { JSON_MEMBER(FEEDBACK, velocity), .kind = FIELD_CUSTOM, .decode = samples_table_decode, .length = PER_JOINT,
    .unit = "N m s/rad, N s/m" },
  { NUMBERS(FEEDBACK, q, PER_JOINT, BETWEEN(-1e6, 1e6), "rad, m"), REQUIRED },
  { NUMBERS(FEEDBACK, qd, PER_JOINT, BETWEEN(-1e6, 1e6), "rad/s, m/s") },
};

static void check_gains(struct json_reader *r, const char *pointer, const struct table *gains, size_t n)
{
  if (!gains->rows || (gains->rows == n && !gains->single)) return;
  json_fault(r, pointer, FAULT_LENGTH, "must be a list of %zu rows, one for each joint%s", n,
             gains->single ? ", not a single one" : "");
}

static void check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const FEEDBACK *feedback = object;
  (void)given;
  if (json_reader_status(r)) return;
  check_gains(r, "/position", &feedback->position, context->joint_count);
  check_gains(r, "/velocity", &feedback->velocity, context->joint_count);
  if (!feedback->position.rows && !feedback->velocity.rows)
    json_fault(r, "/position", FAULT_REQUIRED, "gains of position or velocity, or both");
}
static const struct json_type feedback_type = JSON_TYPE("a state feedback", fields, FEEDBACK, NULL, check);

void state_feedback_decode(struct json_reader *r, const struct json_field *field, void *member,
                           const struct json_context *context)
{
  size_t hint = 0; /* of samples_table_decode */
  const struct json_context here = { context->joint_count, &hint };
  (void)field;
  json_decode_object(r, &feedback_type, member, &here);
}

void state_feedback_release(struct state_feedback *feedback)
{
  free(feedback->position.memory);
  free(feedback->velocity.memory);
  *feedback = (struct state_feedback){ .q = { 0 } };
}

static void subtract(const struct table *gains, size_t n, const double *x, const double *there, double *tau)
{
  for (size_t j = 0; j < gains->rows; j++)
    for (size_t i = 0; i < n; i++) tau[j] -= gains->data[j * gains->stride + i] * (x[i] - there[i]);
}

void state_feedback_apply(const struct state_feedback *feedback, size_t n, const double *q, const double *qd,
                          double *tau)
{
  subtract(&feedback->position, n, q, feedback->q, tau);
  subtract(&feedback->velocity, n, qd, feedback->qd, tau);
}
