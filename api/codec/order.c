#include "api/codec/order.h"

#include "api/codec/motion.h"
#include "api/codec/transfer.h"
#include "api/codec/words.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const objectives[] = { "energy", "time", "smooth" };
static const char *const starts[] = { "on_request", "automatic" };
static const double EXPIRES_WITHIN_MOST = 86400;

/* -- what is asked -- */

static void request_init(void *object)
{
  *(struct order_request *)object =
      (struct order_request){ .cycle_time_max = NAN, .duration = NAN, .start_within = NAN, .expires_within = NAN };
}

static const char measured[] = "\"measured\"";

/* "measured", or {"q": [...]}, whose content is looked at when the robot is known. */
static void check_from(struct json_reader *r, struct order_request *request)
{
  const char *from = request->from;
  if (!from || *from == '{') return;
  if (strcmp(from, measured))
    json_fault(r, "/from", FAULT_ENUM, "must be \"measured\" or {\"q\": [...]}, got %.64s", from);
  free(request->from);
  request->from = NULL;
}

/* `wrong`: one was given that is none, and was told. */
static void check_times(struct json_reader *r, enum order_objective objective, double cycle_time_max, double duration,
                        bool wrong)
{
  const bool longest = !isnan(cycle_time_max), exact = !isnan(duration);
  if (objective == ORDER_TIME && exact)
    json_fault(r, "/duration", FAULT_INCONSISTENT,
               "is what the objective time looks for: give cycle_time_max, or nothing");
  else if (objective != ORDER_TIME && longest == exact && !wrong)
    json_fault(r, longest ? "/duration" : "/cycle_time_max", longest ? FAULT_INCONSISTENT : FAULT_REQUIRED,
               "%s: how long the motion may take (cycle_time_max), or takes (duration)",
               longest ? "give one of them" : "is missing, or duration");
}

static void check_start(struct json_reader *r, const struct order_request *request, bool given)
{
  if (!given)
    json_fault(r, "/start", FAULT_REQUIRED,
               "is missing: \"on_request\" waits for POST .../start, \"automatic\" moves the arm as soon as it can");
  if (request->start == ORDER_ON_REQUEST && !isnan(request->expires_within))
    json_fault(r, "/expires_within", FAULT_INCONSISTENT, "belongs to \"start\": \"automatic\"");
}

/* -- whom it is told -- */

/* The states that are told (the others pass by themselves), and that what was measured is summed up. */
static const char *const order_events[] = { "accepted", "ready",  "running",     "held",    "done",
                                            "stopped",  "failed", "interrupted", "measured" };
enum { EVENTS_OF_ENDS = 0xf0 };

static void callback_init(void *object)
{
  *(struct order_callback *)object = (struct order_callback){ .events = EVENTS_OF_ENDS };
}

static const struct json_field callback_fields[] = {
  { TEXT(struct order_callback, webhook), MATCHES(json_name_pattern), REQUIRED, SAYS("name of a webhook") },
  { WORDS(struct order_callback, events, order_events, "a list of states, or \"measured\": [\"ready\", \"done\"]") },
};
static const struct json_type callback_type =
    JSON_TYPE("a callback, {\"webhook\": NAME},", callback_fields, struct order_callback, callback_init, NULL);

/* -- one of several motions -- */

static void step_init(void *object)
{
  *(struct order_step *)object = (struct order_step){ .dwell = NAN, .cycle_time_max = NAN, .duration = NAN };
}

static void check_rest(struct json_reader *r, const struct order_step *step)
{
  const struct {
    const char *where;
    bool given;
  } of_moves[] = { { "/to", step->to },
                   { "/cycle_time_max", !isnan(step->cycle_time_max) },
                   { "/duration", !isnan(step->duration) },
                   { "/objective", step->has_objective } };
  for (size_t k = 0; k < sizeof of_moves / sizeof *of_moves; k++)
    if (of_moves[k].given)
      json_fault(r, of_moves[k].where, FAULT_INCONSISTENT,
                 "belongs to a move; this step is a dwell, a rest of so long");
}

/* It is set where the arm rests, and the rest must be long enough to see what comes of it. */
static void check_output(struct json_reader *r, const struct order_step *step)
{
  if (!*step->output.name) return;
  if (isnan(step->dwell))
    json_fault(r, "/output", FAULT_INCONSISTENT,
               "is set while the arm rests: make it a step of its own, with dwell, how long that rests [s]");
  else if (step->dwell < OUTPUT_DWELL_LEAST)
    json_fault(r, "/dwell", FAULT_MINIMUM,
               "must be at least %g s where an output is set, and longer than that takes: what is not confirmed when "
               "the rest ends stops the arm; got %g",
               OUTPUT_DWELL_LEAST, step->dwell);
}

enum { ROW_DWELL = 1, STEP_ROWS_TIME = 3 << 2 }; /* of step_fields; cycle_time_max and duration */

static void step_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct order_step *step = object;
  const bool wrong = r->wrong & STEP_ROWS_TIME;
  (void)context;
  check_output(r, step);
  if (given >> ROW_DWELL & 1) {
    check_rest(r, step);
    return;
  }
  if (!step->to)
    json_fault(r, "/to", FAULT_REQUIRED, "is missing: where the arm is to go; or dwell, how long it rests [s]");
  check_times(r, step->objective, step->cycle_time_max, step->duration, wrong);
  step->has_objective = true;
}

static const struct json_field step_fields[] = {
  { DOCUMENT(struct order_step, to), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct order_step, dwell, ABOVE_UP_TO(0, 1e4), "s"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct order_step, cycle_time_max, ABOVE_UP_TO(0, 1e4), "s"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct order_step, duration, ABOVE_UP_TO(0, 1e4), "s"), NULLABLE, OMIT_DEFAULT },
  { ENUM(struct order_step, objective, objectives), HAS(struct order_step, has_objective) },
  { TEXT(struct order_step, part), MATCHES(part_name_pattern), NULLABLE, OMIT_DEFAULT },
  { OBJECT(struct order_step, output, output_setting_type), NULLABLE, OMIT_DEFAULT },
};
static const struct json_type step_type = JSON_TYPE("a step", step_fields, struct order_step, step_init, step_check);

/* What the steps say, and the order does not say again. */
static void check_steps(struct json_reader *r, const struct order_request *request)
{
  const struct {
    const char *where;
    bool given;
  } of_one[] = { { "/to", request->to },
                 { "/cycle_time_max", !isnan(request->cycle_time_max) },
                 { "/duration", !isnan(request->duration) },
                 { "/objective", request->has_objective } };
  size_t moves = 0;
  for (size_t k = 0; k < sizeof of_one / sizeof *of_one; k++)
    if (of_one[k].given) json_fault(r, of_one[k].where, FAULT_INCONSISTENT, "is what each of the steps says");
  for (size_t i = 0; i < request->step_count; i++) {
    const struct order_step *step = &request->steps[i];
    char where[64];
    moves += step->to != NULL;
    if (!*step->part || !strcmp(step->part, request->part)) continue;
    snprintf(where, sizeof where, "/steps/%zu/part", i);
    json_fault(
        r, where, FAULT_INCONSISTENT,
        "is '%s': an order is planned with one part from its beginning to its end, the order's \"part\"; where the "
        "arm takes up or puts down another, another order begins",
        step->part);
  }
  if (!moves) json_fault(r, "/steps", FAULT_INCONSISTENT, "has no move: an arm that only rests needs no order");
}

/* -- the whole -- */

enum { ROW_STEPS = 2, ROW_START = 8, ROWS_TIME = 3 << 5 }; /* of request_fields; cycle_time_max and duration */

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  struct order_request *request = object;
  const uint64_t wrong = r->wrong;
  check_start(r, request, given >> ROW_START & 1);
  check_from(r, request);
  if (given >> ROW_STEPS & 1) {
    check_steps(r, request);
    return;
  }
  if (!request->to)
    json_fault(r, "/to", FAULT_REQUIRED, "is missing: where the arm is to go; or steps, of several moves");
  check_times(r, request->objective, request->cycle_time_max, request->duration, wrong & ROWS_TIME);
  request->has_objective = true;
}

static const struct json_field request_fields[] = {
  { TEXT(struct order_request, controller), MATCHES(json_name_pattern), REQUIRED, SAYS("name of a controller") },
  { DOCUMENT(struct order_request, to), NULLABLE, OMIT_DEFAULT },
  { LIST_ALLOCATED(struct order_request, steps, step_count, 1, LIMIT_STEPS, step_type), NULLABLE, OMIT_DEFAULT },
  { DOCUMENT(struct order_request, from), NULLABLE, OMIT_DEFAULT },
  { TEXT(struct order_request, part), MATCHES(part_name_pattern), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct order_request, cycle_time_max, ABOVE_UP_TO(0, 1e4), "s"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct order_request, duration, ABOVE_UP_TO(0, 1e4), "s"), NULLABLE, OMIT_DEFAULT },
  { ENUM(struct order_request, objective, objectives), HAS(struct order_request, has_objective) },
  { ENUM(struct order_request, start, starts) },
  { NUMBER(struct order_request, start_within, ABOVE_UP_TO(0, TRANSFER_START_WITHIN_MOST), "s"), NULLABLE,
    OMIT_DEFAULT },
  { NUMBER(struct order_request, expires_within, ABOVE_UP_TO(0, EXPIRES_WITHIN_MOST), "s"), NULLABLE, OMIT_DEFAULT },
  { INTEGER(struct order_request, priority, BETWEEN(-10, 10), NULL) },
  { MAP(struct order_request, tags), OMIT_DEFAULT },
  { TEXT(struct order_request, job_order_id), OMIT_DEFAULT },
  { TEXT(struct order_request, work_master_id), OMIT_DEFAULT },
  { TEXT(struct order_request, equipment_id), OMIT_DEFAULT },
  { OBJECT(struct order_request, callback, callback_type), NULLABLE, OMIT_DEFAULT },
};
static const struct json_type request_type =
    JSON_TYPE("an order", request_fields, struct order_request, request_init, request_check);

enum armdyn_status order_request_decode(const char *text, size_t length, struct order_request *out,
                                        struct faults *faults)
{
  return json_decode(text, length, &request_type, out, NULL, faults);
}

void order_request_release(struct order_request *request)
{
  json_release(&request_type, request);
}

void order_request_encode(const struct order_request *request, struct buffer *out)
{
  json_encode(out, &request_type, request, NULL);
}

/* -- what is planned for it -- */

/* How each objective is asked of a trajectory. To add one: its name above, and a row. */
static const struct {
  const char *method, *cost;
  bool free_time; /* any duration up to the longest; else exactly that */
} plans[ORDER_OBJECTIVES] = {
  [ORDER_ENERGY] = { "energy_optimal", NULL, true },
  [ORDER_TIME] = { "energy_optimal", "time", true },
  [ORDER_SMOOTH] = { "quintic", NULL, false },
};

static void write_time(struct json_writer *w, const struct order_request *request)
{
  const bool exact = !isnan(request->duration) || !plans[request->objective].free_time;
  const double duration = isnan(request->duration) ? request->cycle_time_max : request->duration;
  json_key(w, "duration");
  exact ? json_write_number(w, duration) : json_write_null(w);
  if (!exact && !isnan(request->cycle_time_max))
    json_key(w, "duration_max"), json_write_number(w, request->cycle_time_max);
}

static void write_label(struct json_writer *w, const char *name, const char *text)
{
  if (*text) json_key(w, name), json_write_text(w, text);
}

static void write_cell(struct json_writer *w, const struct order_cell *cell)
{
  if (!cell || !*cell->around.cell) return;
  surroundings_encode(w, &cell->around);
  json_key(w, "deviation"), json_write_number(w, cell->deviation);
}

static void write_labels(struct json_writer *w, const struct order_request *request)
{
  write_label(w, "part", request->part);
  write_label(w, "job_order_id", request->job_order_id);
  write_label(w, "work_master_id", request->work_master_id);
  write_label(w, "equipment_id", request->equipment_id);
  json_key(w, "priority"), json_write_integer(w, request->priority);
}

void order_trajectory_encode(const struct order_request *request, const double *start, size_t joints,
                             const struct order_cell *cell, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "method"), json_write_text(&w, plans[request->objective].method);
  json_key(&w, "start"), json_begin_object(&w);
  json_key(&w, "q"), json_write_numbers(&w, start, joints);
  json_end_object(&w);
  json_key(&w, "goal"), json_write_raw(&w, request->to);
  write_time(&w, request);
  write_cell(&w, cell);
  if (plans[request->objective].cost) {
    json_key(&w, "cost"), json_begin_object(&w);
    json_key(&w, "model"), json_write_text(&w, plans[request->objective].cost);
    json_end_object(&w);
  }
  if (request->joined && plans[request->objective].free_time)
    json_key(&w, "zero_boundary_acceleration"), json_write_truth(&w, true);
  write_labels(&w, request);
  json_end_object(&w);
}

void order_step_request(const struct order_request *whole, size_t step, struct order_request *out)
{
  const struct order_step *move = &whole->steps[step];
  *out = *whole;
  out->to = move->to;
  out->step_count = 0, out->steps = NULL;
  out->cycle_time_max = move->cycle_time_max, out->duration = move->duration;
  out->objective = move->objective;
  out->joined = true;
}

void order_sequence_encode(const struct order_request *request, const char *const *moves, const struct order_cell *cell,
                           struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "method"), json_write_text(&w, "sequence");
  json_key(&w, "steps"), json_begin_array(&w);
  for (size_t i = 0; i < request->step_count; i++) {
    const struct order_step *step = &request->steps[i];
    json_begin_object(&w);
    if (step->to)
      json_key(&w, "trajectory"), json_write_text(&w, *moves++);
    else
      json_key(&w, "dwell"), json_write_number(&w, step->dwell);
    json_end_object(&w);
  }
  json_end_array(&w);
  write_cell(&w, cell);
  write_labels(&w, request);
  json_end_object(&w);
}

void order_pointer_of(const char *pointer, char *out, size_t size)
{
  static const char *const names[][2] = { { "/goal", "/to" },
                                          { "/start", "/from" },
                                          { "/duration_max", "/cycle_time_max" } };
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const size_t length = strlen(names[k][0]);
    if (strncmp(pointer, names[k][0], length) || (pointer[length] && pointer[length] != '/')) continue;
    snprintf(out, size, "%s%s", names[k][1], pointer + length);
    return;
  }
  snprintf(out, size, "%s", pointer);
}

static void write_smoothed(struct json_writer *w)
{
  json_begin_object(w);
  json_key(w, "code"), json_write_text(w, "planned_smoothly");
  json_key(w, "detail");
  json_write_text(
      w, "The motion that was asked for cannot be loaded, history says why: a quintic takes its place, which may "
         "cost more energy or time. Friction that steps with the direction is the usual reason: widen the "
         "joints' velocity_scale, or raise torque_rate if the drives can do more.");
  json_end_object(w);
}

static void warn_of_time(struct json_writer *w, int step, const char *name, double seconds)
{
  char where[64] = "";
  if (!(seconds > MOTION_SUSPECT_TIME)) return; /* NAN: not given */
  if (step >= 0) snprintf(where, sizeof where, "/steps/%d", step);
  snprintf(where + strlen(where), sizeof where - strlen(where), "/%s", name);
  json_begin_object(w);
  motion_time_warning_encode(w, where, seconds);
  json_end_object(w);
}

/* Times that were asked for as if they were milliseconds. */
static void warn_of_times(struct json_writer *w, const struct order_request *asked)
{
  warn_of_time(w, -1, "cycle_time_max", asked->cycle_time_max);
  warn_of_time(w, -1, "duration", asked->duration);
  for (size_t i = 0; i < asked->step_count; i++) {
    const struct order_step *step = &asked->steps[i];
    warn_of_time(w, (int)i, "dwell", step->dwell);
    warn_of_time(w, (int)i, "cycle_time_max", step->cycle_time_max);
    warn_of_time(w, (int)i, "duration", step->duration);
  }
}

static void write_step(struct json_writer *w, const struct order_plan_step *step, size_t joints)
{
  char href[64];
  json_begin_object(w);
  snprintf(href, sizeof href, "/v1/trajectories/%s", step->trajectory ? step->trajectory : "");
  json_key(w, "trajectory"), json_write_text(w, step->trajectory ? href : NULL);
  json_key(w, "begins_at"), json_write_number(w, step->begins_at);
  json_key(w, "duration"), json_write_number(w, step->duration);
  json_key(w, "end"), json_write_numbers(w, step->end, joints);
  json_key(w, "output");
  step->output ? json_encode_object(w, &output_setting_type, step->output, NULL) : json_write_null(w);
  json_end_object(w);
}

void order_plan_encode(const struct order_plan *plan, const struct order_request *asked, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "start"), json_write_numbers(&w, plan->start, plan->joints);
  json_key(&w, "end"), json_write_numbers(&w, plan->end, plan->joints);
  json_key(&w, "duration"), json_write_number(&w, plan->duration);
  json_key(&w, "mechanical_energy_modelled"), json_write_number(&w, plan->mechanical);
  json_key(&w, "electrical_energy_modelled"), json_write_number(&w, plan->electrical);
  json_key(&w, "electrical_energy_bound_modelled"), json_write_number(&w, plan->bound);
  if (plan->step_count) {
    json_key(&w, "steps"), json_begin_array(&w);
    for (size_t i = 0; i < plan->step_count; i++) write_step(&w, &plan->steps[i], plan->joints);
    json_end_array(&w);
  }
  json_key(&w, "warnings"), json_begin_array(&w);
  if (plan->smoothed) write_smoothed(&w);
  warn_of_times(&w, asked);
  json_end_array(&w);
  json_end_object(&w);
}

/* -- what is answered -- */

static void member_href(struct json_writer *w, const char *name, const char *collection, const char *id)
{
  char href[96] = "";
  if (id && *id) snprintf(href, sizeof href, "/v1/%s/%s", collection, id);
  json_member_given(w, name, href);
}

static void write_queue(struct json_writer *w, const struct order_resource *o)
{
  json_key(w, "queue_position");
  o->position ? json_write_integer(w, o->position) : json_write_null(w);
  json_member_given(w, "blocked", o->blocked);
  json_member_given(w, "message", o->message);
}

void order_resource_encode(const struct order_resource *o, struct json_writer *w)
{
  json_begin_object(w);
  json_member_given(w, "id", o->id);
  json_member_given(w, "controller", o->controller);
  json_member_given(w, "state", o->state);
  json_member_given(w, "start", o->start);
  json_key(w, "priority"), json_write_integer(w, o->priority);
  json_member_given(w, "created_by", o->created_by);
  json_member_given(w, "reason", o->reason);
  json_member_given(w, "changed_by", o->changed_by);
  json_member_given(w, "changed_at", o->changed_at);
  json_member_given(w, "started_by", o->started_by);
  write_queue(w, o);
  json_member_number(w, "progress", o->progress);
  json_member_given(w, "eta", o->eta);
  json_member_given(w, "created_at", o->created_at);
  json_member_given(w, "expires_at", o->expires_at);
  json_member_given(w, "ready_at", o->ready_at);
  json_member_given(w, "started_at", o->started_at);
  json_member_given(w, "finished_at", o->finished_at);
  member_href(w, "job", "jobs", o->job);
  member_href(w, "trajectory", "trajectories", o->trajectory);
  member_href(w, "transfer", "transfers", o->transfer);
  json_key(w, "plan"), json_write_raw(w, o->plan);
  json_key(w, "measured"), json_write_raw(w, o->measured);
  json_member_given(w, "unmeasured", o->unmeasured);
  if (!o->summary) {
    json_key(w, "history"), json_write_raw(w, o->history);
    json_key(w, "problem"), json_write_raw(w, o->problem);
    json_member_given(w, "traceparent", o->traceparent);
    json_key(w, "request"), json_write_raw(w, o->request);
  }
  json_key(w, "tags"), json_write_raw(w, o->tags);
  result_order_encode(w, o->job_order_id, o->work_master_id, o->equipment_id);
  json_end_object(w);
}
