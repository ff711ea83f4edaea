/* What is told of a trajectory that was computed. */
#include <math.h>

#include "api/codec/trajectory.h"
#include "armdyn/armdyn.h"

static void member_number(struct json_writer *w, const char *name, double value)
{
  json_key(w, name), json_write_number(w, value);
}

static void member_text(struct json_writer *w, const char *name, const char *text)
{
  json_key(w, name), json_write_text(w, text);
}

void trajectory_margin_words(const struct armdyn_robot_description *robot, const struct armdyn_margin *margin,
                             char *out, size_t size)
{
  const struct armdyn_margin *most = margin;
  for (size_t i = 0; i < ARMDYN_LIMIT_KINDS * robot->joint_count; i++)
    if (margin[i].usage > most->usage) most = &margin[i];
  if (most->usage > 0)
    snprintf(out, size, "The %s limit of joint %s is used most: %.1f %% at %.4g s.", armdyn_limit_name(most->limit),
             robot->joints[most->joint].name, 100 * most->usage, most->time);
  else
    snprintf(out, size, "No limit is in force.");
}

static void encode_energy(struct json_writer *w, const struct armdyn_motion_energy *energy, size_t joints)
{
  json_begin_object(w);
  member_number(w, "total", energy->positive_work);
  json_key(w, "by_cause"), json_begin_object(w);
  member_number(w, "kinetic", energy->kinetic);
  member_number(w, "gravity", energy->gravity);
  member_number(w, "friction", energy->friction);
  member_number(w, "braked", energy->braked);
  json_end_object(w);
  json_key(w, "by_joint"), json_write_numbers(w, energy->by_joint, joints);
  json_end_object(w);
}

/* Those in force, by kind, then joint. */
static void encode_margins(struct json_writer *w, const struct trajectory_result *result)
{
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  size_t n = result->robot->joint_count;
  trajectory_request_limits(result->request, result->robot, limits);
  json_begin_array(w);
  for (size_t i = 0; i < ARMDYN_LIMIT_KINDS * n; i++) {
    const struct armdyn_margin *margin = &result->margin[i];
    if (!trajectory_limited(&limits[margin->joint], margin->limit)) continue;
    json_begin_object(w);
    member_text(w, "limit", armdyn_limit_name(margin->limit));
    member_text(w, "joint", result->robot->joints[margin->joint].name);
    member_number(w, "worst", margin->usage);
    member_number(w, "value", margin->value);
    member_number(w, "time", margin->time);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_transferable(struct json_writer *w, const struct trajectory_result *result)
{
  struct trajectory_blocker blockers[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  size_t count = trajectory_request_blockers(result->request, result->robot, blockers);
  json_key(w, "transferable"), json_write_truth(w, count == 0);
  json_key(w, "blockers"), json_begin_array(w);
  for (size_t i = 0; i < count; i++) {
    json_begin_object(w);
    member_text(w, "code", blockers[i].code);
    member_text(w, "limit", armdyn_limit_name(blockers[i].limit));
    member_text(w, "joint", result->robot->joints[blockers[i].joint].name);
    json_end_object(w);
  }
  json_end_array(w);
}

/* What a person should know before these samples go anywhere. */
static void encode_warnings(struct json_writer *w, const struct trajectory_result *result)
{
  json_key(w, "warnings"), json_begin_array(w);
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    if (!result->stepping[j]) continue;
    const char *joint = result->robot->joints[j].name;
    char detail[384];
    snprintf(
        detail, sizeof detail,
        "Friction of joint %s changes its sign between two samples at %g Hz, a step beyond the limit of the torque "
        "rate: a controller would be refused them. Transfer at a lower rate, start more smoothly (quintic), or "
        "widen the joint's velocity_scale.",
        joint, result->request->sample_rate);
    json_begin_object(w);
    member_text(w, "code", "friction_step");
    member_text(w, "joint", joint);
    member_text(w, "detail", detail);
    json_end_object(w);
  }
  json_end_array(w);
}

void trajectory_result_encode(const struct trajectory_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct trajectory_request *request = result->request;
  char words[192], detail[256];
  trajectory_margin_words(result->robot, result->margin, words, sizeof words);
  snprintf(detail, sizeof detail, "Every limit is kept. %s", words);

  json_begin_object(&w);
  member_text(&w, "method", armdyn_profile_name(request->method));
  member_text(&w, "status", "feasible");
  member_text(&w, "detail", detail);
  member_number(&w, "duration", armdyn_trajectory_duration(result->trajectory));
  json_key(&w, "waypoint_times");
  json_write_numbers(&w, result->trajectory->waypoint_times, result->trajectory->waypoint_count);
  json_key(&w, "cost"), json_begin_object(&w);
  member_text(&w, "model", "torque");
  member_number(&w, "value", result->energy->torque_cost);
  json_end_object(&w);
  json_key(&w, "energy"), encode_energy(&w, result->energy, result->robot->joint_count);
  json_key(&w, "margins"), encode_margins(&w, result);
  member_number(&w, "minimum_duration", result->minimum_duration);
  encode_transferable(&w, result);
  encode_warnings(&w, result);
  member_number(&w, "sample_rate", request->sample_rate);
  if (request->job_order_id[0]) member_text(&w, "job_order_id", request->job_order_id);
  if (request->work_master_id[0]) member_text(&w, "work_master_id", request->work_master_id);
  if (request->equipment_id[0]) member_text(&w, "equipment_id", request->equipment_id);
  json_key(&w, "request"), json_write_raw(&w, result->request_text);
  json_key(&w, "provenance"), json_begin_object(&w);
  member_text(&w, "program", "armdyn");
  member_text(&w, "version", armdyn_version());
  json_end_object(&w);
  json_end_object(&w);
}

/* The members of a stored object, between those of another. */
static void splice(struct json_writer *w, const char *document)
{
  struct json_reader r;
  struct json_slice key, raw;
  char name[LIMIT_TAG + 1];
  json_reader_init(&r, document, strlen(document), NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    if (json_slice_decode(key, name, sizeof name) >= sizeof name || !json_skip(&r, &raw)) break;
    json_key(w, name), json_write_raw_n(w, raw.data, raw.length);
  }
}

/* Figures of a document to compare by, flat: a number, or the member `inner` of an object. */
static const struct {
  const char *metric, *member, *inner;
} metrics[] = {
  { "duration", "duration", NULL },
  { "minimum_duration", "minimum_duration", NULL },
  { "energy", "energy", "total" },
  { "cost", "cost", "value" },
};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* Read the next value: the number itself, or the one under this name; otherwise leave *value as it is. */
static void read_figure(struct json_reader *r, const char *inner, double *value)
{
  struct json_slice key;
  if (!inner) {
    if (json_peek(r) == JSON_NUMBER)
      json_read_number(r, NULL, value);
    else
      json_skip(r, NULL);
    return;
  }
  json_enter_object(r, NULL);
  while (json_next_member(r, &key))
    if (json_slice_is(key, inner))
      read_figure(r, NULL, value);
    else
      json_skip(r, NULL);
}

static void encode_metrics(struct json_writer *w, const char *document)
{
  struct json_reader r;
  struct json_slice key;
  double values[METRICS];
  for (size_t i = 0; i < METRICS; i++) values[i] = NAN;
  json_reader_init(&r, document, strlen(document), NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    size_t i = 0;
    while (i < METRICS && !json_slice_is(key, metrics[i].member)) i++;
    if (i == METRICS)
      json_skip(&r, NULL);
    else
      read_figure(&r, metrics[i].inner, &values[i]);
  }
  json_key(w, "metrics"), json_begin_object(w);
  for (size_t i = 0; i < METRICS; i++) member_number(w, metrics[i].metric, values[i]);
  json_end_object(w);
}

void trajectory_resource_encode(const struct trajectory_resource *resource, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  member_text(&w, "id", resource->id);
  member_text(&w, "job", resource->job);
  member_text(&w, "robot", resource->robot);
  json_key(&w, "revision"), json_write_integer(&w, resource->revision);
  member_text(&w, "created_at", resource->created_at);
  json_key(&w, "tags"), json_write_raw(&w, resource->tags ? resource->tags : "{}");
  if (resource->summary) {
    encode_metrics(&w, resource->document);
  } else {
    char href[96];
    snprintf(href, sizeof href, "/v1/trajectories/%s/samples", resource->id);
    json_key(&w, "stale"), json_write_truth(&w, resource->stale);
    member_text(&w, "samples", href);
    splice(&w, resource->document);
  }
  json_end_object(&w);
}
