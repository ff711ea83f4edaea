#include "api/codec/order.h"

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

static void check_times(struct json_reader *r, const struct order_request *request)
{
  const bool longest = !isnan(request->cycle_time_max), exact = !isnan(request->duration);
  if (request->objective == ORDER_TIME && exact)
    json_fault(r, "/duration", FAULT_INCONSISTENT,
               "is what the objective time looks for: give cycle_time_max, or nothing");
  else if (request->objective != ORDER_TIME && longest == exact)
    json_fault(r, longest ? "/duration" : "/cycle_time_max", longest ? FAULT_INCONSISTENT : FAULT_REQUIRED,
               "%s: how long the motion may take (cycle_time_max), or takes (duration)",
               longest ? "give one of them" : "is missing, or duration");
  if (request->start == ORDER_ON_REQUEST && !isnan(request->expires_within))
    json_fault(r, "/expires_within", FAULT_INCONSISTENT, "belongs to \"start\": \"automatic\"");
}

/* -- whom it is told -- */

/* The states that are told; the others pass by themselves. */
static const char *const order_events[] = { "accepted", "ready",   "running", "held",
                                            "done",     "stopped", "failed",  "interrupted" };
enum { EVENTS_OF_ENDS = 0xf0 };

static void callback_init(void *object)
{
  *(struct order_callback *)object = (struct order_callback){ .events = EVENTS_OF_ENDS };
}

static const struct json_field callback_fields[] = {
  { TEXT(struct order_callback, webhook), MATCHES(json_name_pattern), REQUIRED },
  { WORDS(struct order_callback, events, order_events, "a list of states: [\"ready\", \"done\"]") },
};
static const struct json_type callback_type =
    JSON_TYPE("a callback", callback_fields, struct order_callback, callback_init, NULL);

/* -- the whole -- */

enum { ROW_START = 7 }; /* of request_fields */

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  struct order_request *request = object;
  if (!(given >> ROW_START & 1))
    json_fault(r, "/start", FAULT_REQUIRED,
               "is missing: \"on_request\" waits for POST .../start, \"automatic\" moves the arm as soon as it can");
  check_from(r, request);
  check_times(r, request);
}

static const struct json_field request_fields[] = {
  { TEXT(struct order_request, controller), MATCHES(json_name_pattern), REQUIRED },
  { DOCUMENT(struct order_request, to), REQUIRED },
  { DOCUMENT(struct order_request, from), NULLABLE, OMIT_DEFAULT },
  { TEXT(struct order_request, part), MATCHES(part_name_pattern), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct order_request, cycle_time_max, ABOVE_UP_TO(0, 1e4), "s"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct order_request, duration, ABOVE_UP_TO(0, 1e4), "s"), NULLABLE, OMIT_DEFAULT },
  { ENUM(struct order_request, objective, objectives) },
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
  if (cell && *cell->around.cell) {
    surroundings_encode(&w, &cell->around);
    json_key(&w, "deviation"), json_write_number(&w, cell->deviation);
  }
  if (plans[request->objective].cost) {
    json_key(&w, "cost"), json_begin_object(&w);
    json_key(&w, "model"), json_write_text(&w, plans[request->objective].cost);
    json_end_object(&w);
  }
  write_label(&w, "part", request->part);
  write_label(&w, "job_order_id", request->job_order_id);
  write_label(&w, "work_master_id", request->work_master_id);
  write_label(&w, "equipment_id", request->equipment_id);
  json_key(&w, "priority"), json_write_integer(&w, request->priority);
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

void order_plan_encode(const struct order_plan *plan, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "start"), json_write_numbers(&w, plan->start, plan->joints);
  json_key(&w, "end"), json_write_numbers(&w, plan->end, plan->joints);
  json_key(&w, "duration"), json_write_number(&w, plan->duration);
  json_key(&w, "mechanical_energy_modelled"), json_write_number(&w, plan->mechanical);
  json_key(&w, "electrical_energy_modelled"), json_write_number(&w, plan->electrical);
  json_key(&w, "electrical_energy_bound_modelled"), json_write_number(&w, plan->bound);
  json_key(&w, "warnings"), json_begin_array(&w);
  if (plan->smoothed) write_smoothed(&w);
  json_end_array(&w);
  json_end_object(&w);
}

/* -- what is answered -- */

static void member_text(struct json_writer *w, const char *name, const char *text)
{
  json_key(w, name), json_write_text(w, text && *text ? text : NULL);
}

static void member_href(struct json_writer *w, const char *name, const char *collection, const char *id)
{
  char href[96] = "";
  if (id && *id) snprintf(href, sizeof href, "/v1/%s/%s", collection, id);
  member_text(w, name, href);
}

static void member_number(struct json_writer *w, const char *name, double value)
{
  json_key(w, name), json_write_number(w, value);
}

static void write_queue(struct json_writer *w, const struct order_resource *o)
{
  json_key(w, "queue_position");
  o->position ? json_write_integer(w, o->position) : json_write_null(w);
  member_text(w, "blocked", o->blocked);
  member_text(w, "message", o->message);
}

void order_resource_encode(const struct order_resource *o, struct json_writer *w)
{
  json_begin_object(w);
  member_text(w, "id", o->id);
  member_text(w, "controller", o->controller);
  member_text(w, "state", o->state);
  member_text(w, "start", o->start);
  json_key(w, "priority"), json_write_integer(w, o->priority);
  member_text(w, "created_by", o->created_by);
  member_text(w, "reason", o->reason);
  member_text(w, "started_by", o->started_by);
  write_queue(w, o);
  member_number(w, "progress", o->progress);
  member_text(w, "eta", o->eta);
  member_text(w, "created_at", o->created_at);
  member_text(w, "expires_at", o->expires_at);
  member_text(w, "ready_at", o->ready_at);
  member_text(w, "started_at", o->started_at);
  member_text(w, "finished_at", o->finished_at);
  member_href(w, "job", "jobs", o->job);
  member_href(w, "trajectory", "trajectories", o->trajectory);
  member_href(w, "transfer", "transfers", o->transfer);
  json_key(w, "plan"), json_write_raw(w, o->plan);
  if (!o->summary) {
    json_key(w, "history"), json_write_raw(w, o->history);
    json_key(w, "problem"), json_write_raw(w, o->problem);
    member_text(w, "traceparent", o->traceparent);
    json_key(w, "request"), json_write_raw(w, o->request);
  }
  json_key(w, "tags"), json_write_raw(w, o->tags);
  result_order_encode(w, o->job_order_id, o->work_master_id, o->equipment_id);
  json_end_object(w);
}
