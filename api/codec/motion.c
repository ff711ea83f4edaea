#include "api/codec/motion.h"

static const double USAGE_MOST = 1 + 1e-9; /* beyond it is no rounding */

void motion_margins_encode(struct json_writer *w, const struct armdyn_robot_description *robot,
                           const struct armdyn_limits *limits, const struct armdyn_margin *margin)
{
  json_begin_array(w);
  for (size_t i = 0; i < ARMDYN_LIMIT_KINDS * robot->joint_count; i++) {
    if (!trajectory_limited(&limits[margin[i].joint], margin[i].limit)) continue;
    json_begin_object(w);
    json_member_text(w, "limit", armdyn_limit_name(margin[i].limit));
    json_member_text(w, "joint", robot->joints[margin[i].joint].name);
    json_member_number(w, "worst", margin[i].usage);
    json_member_number(w, "value", margin[i].value);
    json_member_number(w, "time", margin[i].time);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_blocker(struct json_writer *w, const struct armdyn_robot_description *robot,
                           const struct trajectory_blocker *blocker)
{
  json_begin_object(w);
  json_member_text(w, "code", blocker->code);
  json_member_text(w, "limit", armdyn_limit_name(blocker->limit));
  json_member_text(w, "joint", robot->joints[blocker->joint].name);
  json_end_object(w);
}

static void encode_touch(struct json_writer *w, const struct armdyn_motion_clearance *clearance)
{
  json_begin_object(w);
  json_member_text(w, "code", "touch");
  json_key(w, "joint"), json_write_null(w);
  json_key(w, "between"), clearance_between_encode(w, &clearance->at);
  json_end_object(w);
}

static void encode_restless(struct json_writer *w, const char *joint)
{
  json_begin_object(w);
  json_member_text(w, "code", "not_at_rest");
  json_member_text(w, "joint", joint);
  json_end_object(w);
}

void motion_transferable_encode(struct json_writer *w, const struct armdyn_robot_description *robot,
                                const struct requested_limits *requested, const struct armdyn_margin *margin,
                                const struct armdyn_motion_clearance *clearance, const char *restless)
{
  struct trajectory_blocker blockers[2 * ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  size_t count = requested_limits_blockers(requested, robot, blockers);
  for (size_t i = 0; i < ARMDYN_LIMIT_KINDS * robot->joint_count; i++)
    if (margin[i].usage > USAGE_MOST)
      blockers[count++] = (struct trajectory_blocker){ "limit_exceeded", margin[i].limit, margin[i].joint };
  const bool touches = clearance && clearance->bound <= 0;
  json_key(w, "transferable"), json_write_truth(w, count == 0 && !touches && !restless);
  json_key(w, "blockers"), json_begin_array(w);
  for (size_t i = 0; i < count; i++) encode_blocker(w, robot, &blockers[i]);
  if (touches) encode_touch(w, clearance);
  if (restless) encode_restless(w, restless);
  json_end_array(w);
}

void motion_step_warnings_encode(struct json_writer *w, const struct armdyn_robot_description *robot,
                                 const bool *stepping, double sample_rate)
{
  for (size_t j = 0; j < robot->joint_count; j++) {
    if (!stepping[j]) continue;
    const char *joint = robot->joints[j].name;
    char detail[384];
    snprintf(
        detail, sizeof detail,
        "Friction of joint %s changes its sign between two samples at %g Hz, a step beyond the limit of the torque "
        "rate: a controller would be refused them. Transfer at a lower rate, start more smoothly (quintic), or "
        "widen the joint's velocity_scale.",
        joint, sample_rate);
    json_begin_object(w);
    json_member_text(w, "code", "friction_step");
    json_member_text(w, "joint", joint);
    json_member_text(w, "detail", detail);
    json_end_object(w);
  }
}

void motion_time_warning_encode(struct json_writer *w, const char *where, double seconds)
{
  char detail[256];
  snprintf(detail, sizeof detail,
           "%s is %g s, which is %.3g minutes: times are in seconds. Were milliseconds meant? %g ms are %g s.", where,
           seconds, seconds / 60, seconds, seconds / 1000);
  json_member_text(w, "code", "unit_suspect");
  json_member_text(w, "detail", detail);
}
