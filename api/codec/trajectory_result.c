/* What is told of a trajectory that was computed. */
#include <math.h>

#include "api/codec/trajectory.h"

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
  result_origin_encode(&w, &request->labels, result->request_text);
  json_end_object(&w);
}

static const struct result_metric metrics[] = {
  { "duration", "duration", NULL },
  { "minimum_duration", "minimum_duration", NULL },
  { "energy", "energy", "total" },
  { "cost", "cost", "value" },
};
_Static_assert(sizeof metrics / sizeof *metrics <= RESULT_METRICS, "room for every figure");

const struct result_form trajectory_form = { "/v1/trajectories/", metrics, sizeof metrics / sizeof *metrics };
