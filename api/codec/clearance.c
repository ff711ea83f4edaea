#include "api/codec/clearance.h"

/* -- the request -- */

#define REQUEST struct clearance_request

/* One state or many, into the room that is in json_context.user. */
static void states_decode(struct json_reader *r, const struct json_field *field, void *member,
                          const struct json_context *context)
{
  REQUEST *request = (REQUEST *)(void *)((char *)member - field->offset);
  const size_t n = context->joint_count;
  double spare[ARMDYN_JOINTS_MAX] = { 0 };
  request->q = context->user;
  request->batch = json_peek_nested(r);
  request->count = !request->batch;
  if (!request->batch) {
    json_read_numbers(r, field->unit, n, request->q);
    return;
  }
  if (!json_enter_array(r, field->unit)) return;
  for (; json_next_element(r); request->count++) {
    const bool room = request->count < LIMIT_CLEARANCE_STATES;
    json_read_numbers(r, field->unit, n, room ? request->q + request->count * n : spare);
  }
  if (request->count > LIMIT_CLEARANCE_STATES)
    json_fault(r, NULL, FAULT_LENGTH, "must be at most %d states, got %zu", LIMIT_CLEARANCE_STATES, request->count);
}

/* One number for all joints, or one for each. */
static void deviation_decode(struct json_reader *r, const struct json_field *field, void *member,
                             const struct json_context *context)
{
  static const struct json_field each = { NUMBERS(REQUEST, deviation, PER_JOINT, BETWEEN(0, 1e6), "rad; m for a slide"),
                                          NAMED("deviation") };
  REQUEST *request = (REQUEST *)(void *)((char *)member - field->offset);
  if (json_peek(r) == JSON_ARRAY) {
    json_decode_field(r, &each, request, context);
    return;
  }
  double all = 0;
  if (json_read_number(r, field->unit, &all) && !(all >= 0 && all <= 1e6))
    json_fault(r, NULL, FAULT_MINIMUM, "must be 0 to 1e6 rad or m, got %g", all);
  for (size_t j = 0; j < context->joint_count; j++) request->deviation[j] = all;
}

static const struct json_field request_fields[] = {
  { CUSTOM(REQUEST, q, states_decode, NULL, "positions of the joints, rad; m for a slide") },
  { TEXT(REQUEST, trajectory), MATCHES(json_id_pattern) },
  { NUMBER(REQUEST, rate, BETWEEN(1, 10000), "Hz") },
  { CUSTOM(REQUEST, deviation, deviation_decode, NULL, "rad; m for a slide: one number, or one for each joint") },
  { NUMBER(REQUEST, tolerance, BETWEEN(1e-6, 1), "m") },
  SURROUNDINGS(REQUEST, around),
  OVERRIDES,
};

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  const REQUEST *request = object;
  const uint64_t q = 1, trajectory = 2, of_motions = 4 | 8 | 16;
  const bool both = given & q && given & trajectory, none = !((given | r->wrong) & (q | trajectory));
  if (none) json_fault(r, "/q", FAULT_REQUIRED, "is missing: one state or many; or name a \"trajectory\"");
  if (both) json_fault(r, "/trajectory", FAULT_INCONSISTENT, "is not for requests that have states q of their own");
  if (given & q && given & of_motions)
    json_fault(r, "/q", FAULT_INCONSISTENT, "are states: rate, deviation and tolerance are those of a trajectory");
  surroundings_check(r, &request->around);
}

static void request_init(void *request)
{
  memset(request, 0, sizeof(REQUEST));
  ((REQUEST *)request)->rate = 1000;
  ((REQUEST *)request)->tolerance = 1e-4;
}

static const struct json_type request_type =
    JSON_TYPE("a request for clearances", request_fields, REQUEST, request_init, request_check);

enum armdyn_status clearance_decode(const char *body, size_t length, size_t joints, REQUEST *out, struct faults *faults)
{
  /* a number takes two characters at least, but one row may be too short, and told */
  double *room = malloc((length / 2 + 2 * ARMDYN_JOINTS_MAX) * sizeof *room);
  if (!room) return ARMDYN_EMEMORY;
  const struct json_context context = { joints, room };
  const enum armdyn_status status = json_decode(body, length, &request_type, out, &context, faults);
  out->q = status ? NULL : room;
  if (status) free(room);
  return status;
}

void clearance_request_release(REQUEST *request)
{
  free(request->q);
  request->q = NULL;
}

/* -- the answer -- */

/* A member of every state: the value alone, or a list of them. */
typedef void write_one(struct json_writer *w, const struct clearance_state *state, size_t joints);

static void write_distance(struct json_writer *w, const struct clearance_state *state, size_t joints)
{
  (void)joints;
  json_write_number(w, state->at.distance); /* null: nothing to compare */
}

static void write_between(struct json_writer *w, const struct clearance_state *state, size_t joints)
{
  (void)joints;
  clearance_between_encode(w, &state->at);
}

static void write_points(struct json_writer *w, const struct clearance_state *state, size_t joints)
{
  (void)joints;
  clearance_points_encode(w, &state->at);
}

static void write_gradient(struct json_writer *w, const struct clearance_state *state, size_t joints)
{
  if (state->at.a)
    json_write_numbers(w, state->gradient, joints);
  else
    json_write_null(w);
}

static const struct {
  const char *name;
  write_one *write;
} members[] = {
  { "clearance", write_distance },
  { "between", write_between },
  { "points", write_points },
  { "gradient", write_gradient },
};

/* What both kinds of answers begin with. */
static void write_head(struct json_writer *w, const REQUEST *request, long long revision)
{
  json_key(w, "revision"), json_write_integer(w, revision);
  surroundings_encode(w, &request->around);
}

void clearance_motion_encode(struct buffer *out, const REQUEST *request, long long revision,
                             const struct armdyn_motion_clearance *motion)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  write_head(&w, request, revision);
  json_key(&w, "trajectory"), json_write_text(&w, request->trajectory);
  motion_clearance_encode(&w, motion);
  json_end_object(&w);
}

void clearance_encode(struct buffer *out, const REQUEST *request, size_t joints, long long revision,
                      const struct clearance_state *states)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  write_head(&w, request, revision);
  for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
    json_key(&w, members[m].name);
    if (request->batch) json_begin_array(&w);
    for (size_t i = 0; i < request->count; i++) members[m].write(&w, &states[i], joints);
    if (request->batch) json_end_array(&w);
  }
  json_end_object(&w);
}
