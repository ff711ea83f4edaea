#include "api/codec/cancel.h"

#include "api/codec/words.h"

static const char *const order_states[] = { "accepted", "planning", "queued", "loading", "ready", "running", "held" };
static const char *const job_states[] = { "queued", "running" };

/* Rows of the tables below. */
enum { ORDER_JOB_ORDER = 1, ORDER_STATE = 2, JOB_JOB_ORDER = 2, JOB_STATE = 3 };

/* Without a condition it would be everything, and so would be an empty one: that is not what anybody meant. */
static void check(struct json_reader *r, uint64_t given, const char *job_order_id, unsigned states, unsigned state_row,
                  unsigned job_order_row)
{
  if (!given) json_fault(r, NULL, FAULT_REQUIRED, "must have a condition at least, such as {\"state\": [\"queued\"]}");
  if ((given >> state_row & 1) && !states) json_fault(r, "/state", FAULT_LENGTH, "must name a state");
  if ((given >> job_order_row & 1) && !*job_order_id) json_fault(r, "/job_order_id", FAULT_LENGTH, "must not be empty");
}

static void order_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct order_cancel *cancel = object;
  (void)context;
  check(r, given, cancel->job_order_id, cancel->states, ORDER_STATE, ORDER_JOB_ORDER);
}

static void job_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct job_cancel *cancel = object;
  (void)context;
  check(r, given, cancel->job_order_id, cancel->states, JOB_STATE, JOB_JOB_ORDER);
}

static const struct json_field order_fields[] = {
  { TEXT(struct order_cancel, controller), MATCHES(json_name_pattern) },
  { TEXT(struct order_cancel, job_order_id) },
  { WORDS(struct order_cancel, states, order_states, "a list of states: [\"queued\"]"), NAMED("state") },
  { TEXT(struct order_cancel, created_after), MATCHES(json_time_pattern) },
  { TEXT(struct order_cancel, created_before), MATCHES(json_time_pattern) },
};
static const struct json_type order_type =
    JSON_TYPE("a cancellation", order_fields, struct order_cancel, NULL, order_check);

static const struct json_field job_fields[] = {
  { TEXT(struct job_cancel, kind), MATCHES(json_name_pattern) },
  { TEXT(struct job_cancel, robot), MATCHES(json_name_pattern) },
  { TEXT(struct job_cancel, job_order_id) },
  { WORDS(struct job_cancel, states, job_states, "a list of states: [\"queued\"]"), NAMED("state") },
  { TEXT(struct job_cancel, created_after), MATCHES(json_time_pattern) },
  { TEXT(struct job_cancel, created_before), MATCHES(json_time_pattern) },
};
static const struct json_type job_type = JSON_TYPE("a cancellation", job_fields, struct job_cancel, NULL, job_check);

enum armdyn_status order_cancel_decode(const char *text, size_t length, struct order_cancel *out, struct faults *faults)
{
  return json_decode(text, length, &order_type, out, NULL, faults);
}

enum armdyn_status job_cancel_decode(const char *text, size_t length, struct job_cancel *out, struct faults *faults)
{
  return json_decode(text, length, &job_type, out, NULL, faults);
}
