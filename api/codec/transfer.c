#include "api/codec/transfer.h"

#include <stdlib.h>

#include "api/json/document.h"

static const char *const modes[] = { "download", "stream" };
static const char *const formats[] = { "torque_permille", "torque", "position_torque" };

static void request_init(void *object)
{
  *(struct transfer_request *)object =
      (struct transfer_request){ .rate = NAN, .format = TRANSFER_POSITION_TORQUE, .start_within = NAN };
}

enum { ROW_FORMAT = 3 }; /* of request_fields */

#define START_WITHIN(type)                                                                                             \
  NUMBER(type, start_within, ABOVE_UP_TO(0, TRANSFER_START_WITHIN_MOST), "s"), NULLABLE, OMIT_DEFAULT

/* What starts motion says until when. */
static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  struct transfer_request *request = object;
  request->any_format = !(given >> ROW_FORMAT & 1);
  if (request->start && !*request->start_before && isnan(request->start_within))
    json_fault(r, "/start_before", FAULT_REQUIRED,
               "\"start\": true needs it, the latest moment to send START, or start_within, seconds from `ready` on");
}

/* A list of the differences that are known, of which there is one. */
static void acknowledge_decode(struct json_reader *r, const struct json_field *field, void *member,
                               const struct json_context *context)
{
  bool *part_mismatch = member;
  struct json_slice code;
  char text[64];
  (void)context;
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    if (!json_read_text(r, "part_mismatch", &code)) continue;
    if (json_slice_is(code, "part_mismatch"))
      *part_mismatch = true;
    else
      json_fault(r, NULL, FAULT_ENUM, "must be part_mismatch, got \"%s\"", json_excerpt(code, text, sizeof text));
  }
}

static void acknowledge_encode(struct json_writer *w, const struct json_field *field, const void *member,
                               const struct json_context *context)
{
  (void)field, (void)context;
  json_begin_array(w);
  if (*(const bool *)member) json_write_text(w, "part_mismatch");
  json_end_array(w);
}

static const struct json_field output_fields[] = {
  { TEXT(struct transfer_output, set.name), NAMED("name"), MATCHES(json_name_pattern), REQUIRED },
  { TEXT(struct transfer_output, set.value), NAMED("value"), MATCHES(json_name_pattern), REQUIRED },
  { NUMBER(struct transfer_output, begins_at, BETWEEN(0, 1e6), "s"), REQUIRED },
  { NUMBER(struct transfer_output, dwell, BETWEEN(OUTPUT_DWELL_LEAST, 1e4), "s"), REQUIRED },
};
static const struct json_type output_type =
    JSON_TYPE("an output of the controller", output_fields, struct transfer_output, NULL, NULL);

static const struct json_field request_fields[] = {
  { TEXT(struct transfer_request, trajectory), MATCHES(json_id_pattern), REQUIRED },
  { NUMBER(struct transfer_request, rate, POSITIVE, "Hz"), OMIT_DEFAULT, NULLABLE },
  { ENUM(struct transfer_request, mode, modes) },
  { ENUM(struct transfer_request, format, formats) },
  { TRUTH(struct transfer_request, start) },
  { TEXT(struct transfer_request, start_before), MATCHES(json_time_pattern), NULLABLE, OMIT_DEFAULT },
  { START_WITHIN(struct transfer_request) },
  { CUSTOM(struct transfer_request, part_mismatch, acknowledge_decode, acknowledge_encode,
           "a list: [\"part_mismatch\"]"),
    NAMED("acknowledge"), OMIT_DEFAULT },
  { LIST(struct transfer_request, touches.items, touches.count, 0, touch_type), NAMED("touches"), OMIT_DEFAULT },
  { LIST(struct transfer_request, outputs, output_count, 0, output_type), OMIT_DEFAULT },
  { MAP(struct transfer_request, tags), OMIT_DEFAULT },
  { TEXT(struct transfer_request, job_order_id), OMIT_DEFAULT },
  { TEXT(struct transfer_request, work_master_id), OMIT_DEFAULT },
  { TEXT(struct transfer_request, equipment_id), OMIT_DEFAULT },
  { OBJECT(struct transfer_request, callback, result_callback_type), NULLABLE, OMIT_DEFAULT },
};
static const struct json_type request_type =
    JSON_TYPE("a transfer", request_fields, struct transfer_request, request_init, request_check);

enum armdyn_status transfer_request_decode(const char *text, size_t length, struct transfer_request *request,
                                           struct faults *faults)
{
  return json_decode(text, length, &request_type, request, NULL, faults);
}

void transfer_request_encode(const struct transfer_request *request, struct buffer *out)
{
  json_encode(out, &request_type, request, NULL);
}

void transfer_tags_encode(const struct transfer_request *request, struct buffer *out)
{
  struct json_writer w = { out, false };
  json_begin_object(&w);
  for (size_t i = 0; i < request->tags.count; i++) {
    json_key(&w, request->tags.items[i].key);
    json_write_text(&w, request->tags.items[i].value);
  }
  json_end_object(&w);
}

static void start_init(void *object)
{
  *(struct start_request *)object = (struct start_request){ .start_within = NAN };
}

static void start_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct start_request *request = object;
  if (!*request->start_before && isnan(request->start_within))
    json_fault(r, "/start_before", FAULT_REQUIRED,
               "is missing: the latest moment to send START; or start_within, seconds from this request on");
}

static const struct json_field start_fields[] = {
  { TEXT(struct start_request, start_before), MATCHES(json_time_pattern), NULLABLE, OMIT_DEFAULT },
  { START_WITHIN(struct start_request) },
};
static const struct json_type start_type =
    JSON_TYPE("a start", start_fields, struct start_request, start_init, start_check);

enum armdyn_status start_request_decode(const char *text, size_t length, struct start_request *request,
                                        struct faults *faults)
{
  return json_decode(text, length, &start_type, request, NULL, faults);
}

/* -- annotations -- */

static const char *const verdicts[] = { "undecided", "good", "scrap" };

const char *transfer_verdict_name(enum transfer_verdict verdict)
{
  return verdicts[verdict];
}

static const struct json_field annotation_fields[] = {
  { MAP(struct transfer_annotation, tags) },
  { ENUM(struct transfer_annotation, verdict, verdicts), NULLABLE },
  { STRING(struct transfer_annotation, notes, LIMIT_NOTES) },
};
static const struct json_type annotation_type = JSON_TYPE("what people write on a transfer: tags, notes, verdict",
                                                          annotation_fields, struct transfer_annotation, NULL, NULL);

enum armdyn_status transfer_annotation_patch(const char *text, size_t length, const char *tags, const char *notes,
                                             const char *verdict, struct transfer_annotation *annotation,
                                             struct faults *faults)
{
  struct buffer present = BUFFER(MB(1)), merged = BUFFER(MB(1));
  struct json_writer w = { .out = &present };
  json_begin_object(&w);
  json_key(&w, "tags"), json_write_raw(&w, tags);
  json_key(&w, "notes"), json_write_text(&w, notes ? notes : "");
  json_key(&w, "verdict"), json_write_text(&w, *verdict ? verdict : verdicts[VERDICT_UNDECIDED]);
  json_end_object(&w);
  enum armdyn_status status = present.failure;
  if (!status) status = document_merge(present.data, text, length, &merged, faults);
  if (!status) status = json_decode(merged.data, merged.length, &annotation_type, annotation, NULL, faults);
  if (!status && !annotation->notes && !(annotation->notes = strdup(""))) status = ARMDYN_EMEMORY;
  buffer_release(&present);
  buffer_release(&merged);
  return status;
}

/* -- answers -- */

void transfer_resource_encode(const struct transfer_resource *t, struct json_writer *w)
{
  json_begin_object(w);
  json_member_given(w, "id", t->id);
  json_member_given(w, "controller", t->controller);
  json_member_given(w, "trajectory", t->trajectory);
  json_member_given(w, "state", t->state);
  json_key(w, "sent"), json_write_integer(w, t->sent);
  json_key(w, "total"), json_write_integer(w, t->total);
  json_member_given(w, "created_at", t->created_at);
  json_member_given(w, "started_at", t->started_at);
  json_member_given(w, "finished_at", t->finished_at);
  if (!t->summary) {
    json_key(w, "history"), json_write_raw(w, t->history);
    json_key(w, "telemetry");
    if (t->has_telemetry) {
      char href[64];
      snprintf(href, sizeof href, "/v1/datasets/%s", t->id);
      json_write_text(w, href);
    } else {
      json_write_null(w);
    }
    json_key(w, "problem"), json_write_raw(w, t->problem);
    json_key(w, "traceparent"), json_write_text(w, t->traceparent[0] ? t->traceparent : NULL);
    json_key(w, "request"), json_write_raw(w, t->request);
  }
  json_member_given(w, "created_by", t->created_by);
  json_member_given(w, "reason", t->reason);
  json_member_given(w, "verdict", *t->verdict ? t->verdict : verdicts[VERDICT_UNDECIDED]);
  json_key(w, "measured"), json_write_raw(w, t->measured);
  json_member_given(w, "unmeasured", t->unmeasured);
  if (!t->summary) json_key(w, "notes"), json_write_text(w, t->notes ? t->notes : "");
  json_key(w, "tags"), json_write_raw(w, t->tags);
  result_order_encode(w, t->job_order_id, t->work_master_id, t->equipment_id);
  json_end_object(w);
}

static void write_error(struct json_writer *w, const char *name, const struct playback_error *e)
{
  json_key(w, name), json_begin_object(w);
  json_key(w, "rms"), json_write_number(w, e->rms);
  json_key(w, "max"), json_write_number(w, e->max);
  json_key(w, "relative_percent"), json_write_number(w, 100 * e->relative);
  json_key(w, "worst"), json_write_number(w, e->worst);
  json_key(w, "worst_at"), json_write_number(w, e->worst_at);
  json_end_object(w);
}

static void write_lag(struct json_writer *w, const struct playback_lag *lag)
{
  json_key(w, "lag"), json_write_number(w, lag->lag);
  json_key(w, "offset"), json_write_number(w, lag->offset);
  json_key(w, "rms_without"), json_write_number(w, lag->rms);
}

static void write_joint(struct json_writer *w, const struct playback *p, size_t j)
{
  json_begin_object(w);
  json_member_given(w, "joint", p->robot->joints[j].name);
  write_lag(w, &p->lag[j]);
  write_error(w, "position", &p->position[j]);
  write_error(w, "torque", &p->torque[j]);
  json_end_object(w);
}

static void write_parts(struct json_writer *w, const struct playback *p)
{
  json_key(w, "parts"), json_begin_array(w);
  for (size_t i = 0; i < p->part_count; i++) {
    json_begin_object(w);
    json_key(w, "from"), json_write_number(w, p->parts[i].from);
    json_key(w, "to"), json_write_number(w, p->parts[i].to);
    json_key(w, "samples"), json_write_integer(w, (long long)p->parts[i].samples);
    json_end_object(w);
  }
  json_end_array(w);
}

/* Joint by joint. */
static void write_series(struct json_writer *w, const char *name, const struct playback *p, const double *values)
{
  const size_t n = p->robot->joint_count;
  json_key(w, name), json_begin_array(w);
  for (size_t j = 0; j < n; j++) {
    json_begin_array(w);
    for (size_t k = 0; k < p->residual_count; k++) json_write_number(w, values[k * n + j]);
    json_end_array(w);
  }
  json_end_array(w);
}

static void write_residuals(struct json_writer *w, const struct playback *p)
{
  json_key(w, "residuals"), json_begin_object(w);
  json_key(w, "t"), json_write_numbers(w, p->residual_t, p->residual_count);
  write_series(w, "position", p, p->residual_q);
  write_series(w, "torque", p, p->residual_tau);
  json_end_object(w);
}

static void write_energy(struct json_writer *w, const char *name, const struct playback_energy *e)
{
  json_key(w, name);
  if (!e) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_key(w, "planned"), json_write_number(w, e->planned);
  json_key(w, "measured"), json_write_number(w, e->measured);
  json_key(w, "braking"), json_begin_object(w);
  json_key(w, "planned"), json_write_number(w, e->braking_planned);
  json_key(w, "measured"), json_write_number(w, e->braking_measured);
  json_end_object(w);
  json_end_object(w);
}

/* Where most of a difference that counts is braking, say so. Of drives that burn what braking gives back it changes nothing
 * that is drawn; of the joints' work it does. */
static void write_braking(struct json_writer *w, const struct playback_energy *e)
{
  static const double counts = 0.02, most = 0.5;
  const double more = e->measured - e->planned, braking = e->braking_measured - e->braking_planned;
  const double scale = fabs(e->planned) + e->braking_planned;
  char text[200];
  snprintf(
      text, sizeof text,
      "the joints' work is %.3g J %s than planned, %.3g J of it because braking gave back %.3g J instead of %.3g J",
      fabs(more), more < 0 ? "less" : "more", -braking * (more < 0 ? -1 : 1), e->braking_measured, e->braking_planned);
  bool by_braking = fabs(more) > counts * scale && -braking / more >= most;
  json_member_given(w, "remark", by_braking ? text : NULL);
}

void playback_encode(const struct playback *p, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_member_given(&w, "transfer", p->transfer);
  json_member_given(&w, "trajectory", p->trajectory);
  json_member_given(&w, "dataset", p->transfer);
  json_key(&w, "samples"), json_write_integer(&w, (long long)p->samples);
  json_key(&w, "from"), json_write_number(&w, p->from);
  json_key(&w, "to"), json_write_number(&w, p->to);
  write_parts(&w, p);
  json_member_given(&w, "torque_source", p->commanded ? "command" : "sensor");
  json_member_given(&w, "torque_content", torque_content_names[p->content]);
  json_key(&w, "joints"), json_begin_array(&w);
  for (size_t j = 0; j < p->robot->joint_count; j++) write_joint(&w, p, j);
  json_end_array(&w);
  json_key(&w, "energy"), json_begin_object(&w);
  write_energy(&w, "mechanical", &p->mechanical);
  write_energy(&w, "electrical", p->has_electrical ? &p->electrical : NULL);
  write_braking(&w, &p->mechanical);
  json_end_object(&w);
  write_residuals(&w, p);
  json_end_object(&w);
}

static void write_signals(struct json_writer *w, const struct register_map *map, const double *signals)
{
  json_key(w, "signals");
  json_begin_object(w);
  for (size_t i = 0; i < map->field_count; i++) {
    if (map->fields[i].access == MAP_WRITE) continue;
    json_key(w, map->fields[i].name);
    json_write_number(w, signals[i]);
  }
  json_end_object(w);
}

static void write_clock(struct json_writer *w, const struct controller_clock *clock)
{
  static const double worth_a_warning = 0.005;
  char warning[128];
  json_key(w, "clock");
  json_begin_object(w);
  json_key(w, "uptime"), json_write_number(w, clock->uptime);
  json_key(w, "offset"), json_write_number(w, clock->offset);
  json_key(w, "watched"), json_write_number(w, clock->watched);
  json_key(w, "error_percent"), json_write_number(w, 100 * clock->error);
  json_key(w, "uncertainty_percent"), json_write_number(w, 100 * clock->uncertainty);
  json_key(w, "cycle"), json_write_number(w, clock->cycle);
  json_key(w, "round_trip"), json_write_number(w, clock->round_trip);
  snprintf(warning, sizeof warning, "its clock goes %.2f %% too %s: profiles are played at that speed",
           100 * fabs(clock->error), clock->error > 0 ? "fast" : "slow");
  bool wrong = fabs(clock->error) > worth_a_warning + clock->uncertainty;
  json_member_given(w, "warning", wrong ? warning : NULL);
  json_end_object(w);
}

/* values NULL: not known */
static void write_joints(struct json_writer *w, const char *name, const double *values, size_t count)
{
  json_key(w, name);
  if (values)
    json_write_numbers(w, values, count);
  else
    json_write_null(w);
}

void controller_status_encode(const struct controller_status *s, struct buffer *out)
{
  struct json_writer w = { .out = out };
  bool seen = *s->observed_at, stale = !seen || !s->connected || s->age > CONTROLLER_STALE_AFTER;
  json_begin_object(&w);
  json_key(&w, "connected"), json_write_truth(&w, s->connected);
  json_member_given(&w, "observed_at", s->observed_at);
  json_key(&w, "age"), json_write_number(&w, seen ? s->age : NAN);
  json_key(&w, "stale"), json_write_truth(&w, stale);
  json_member_given(&w, "source", !seen ? NULL : s->simulated ? "simulator" : "controller");
  json_member_given(&w, "state", seen ? s->state : NULL);
  write_joints(&w, "position", stale ? NULL : s->position, s->joint_count);
  write_joints(&w, "torque", stale ? NULL : s->torque, s->joint_count);
  json_key(&w, "profile_id");
  seen ? json_write_integer(&w, s->profile_id) : json_write_null(&w);
  json_key(&w, "play_index");
  seen ? json_write_integer(&w, s->play_index) : json_write_null(&w);
  json_member_given(&w, "last_error", s->last_error);
  json_member_given(&w, "lease", s->lease);
  json_key(&w, "watched"), json_write_truth(&w, s->watched);
  if (s->clock && seen) write_clock(&w, s->clock);
  if (s->registers && seen) write_signals(&w, s->registers, s->signals);
  json_end_object(&w);
}

void stop_members_encode(bool confirmed, const char *controller_state, const char *why, const char *by,
                         struct json_writer *w)
{
  char detail[768];
  const char *const more = by ? "; " : "", *const who = by ? by : "";
  if (confirmed)
    snprintf(detail, sizeof detail, "the controller confirmed that nothing moves%s%s", more, who);
  else
    snprintf(detail, sizeof detail,
             "not confirmed: use the emergency stop; this call is not a safety function (%s)%s%s", why, more, who);
  json_key(w, "confirmed"), json_write_truth(w, confirmed);
  json_member_given(w, "controller_state", controller_state);
  json_key(w, "detail"), json_write_text(w, detail);
}
