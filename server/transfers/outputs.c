#include "server/transfers/outputs.h"

#include <float.h>
#include <math.h>

/* -- does the controller have it? -- */

static bool can_follow(const struct controller_profile *profile, const char *place, struct refusal *why)
{
  if (profile->on_link_loss == LINK_LOSS_FINISH)
    return refusal_at(
        why, place, FAULT_INCONSISTENT,
        "the controller's entry says on_link_loss finish: it would move on where nobody sets its outputs; "
        "it must say stop");
  if (profile->protocol == PROTOCOL_REGISTER_MAP && !*profile->map.played_field)
    return refusal_at(why, place, FAULT_INCONSISTENT,
                      "the controller's map names no played_field, which tells the point that is played: nobody would "
                      "know when the arm rests");
  return true;
}

bool outputs_offered(const struct controller_profile *profile, const struct output_setting *setting, const char *place,
                     const struct map_output **output, const struct map_output_value **value, struct refusal *why)
{
  const char *member;
  char text[256], where[64];
  if (map_output_find(&profile->map, setting, output, value, &member, text, sizeof text))
    return can_follow(profile, place, why);
  snprintf(where, sizeof where, "%.40s%s", place, member);
  return refusal_at(why, where, FAULT_INCONSISTENT, text);
}

/* -- does the arm rest there? -- */

/* The first and the last sample of the rest. */
static bool find_rest(struct prepared_transfer *p, const struct transfer_output *asked, const char *place,
                      struct output_task *task)
{
  static const double rounding = 1e-6; /* of a sample */
  const struct profile_head *head = &p->order->profile.head;
  const double period = head->period_us * 1e-6, end = (asked->begins_at + asked->dwell) / period;
  char where[64];
  snprintf(where, sizeof where, "%.40s/begins_at", place);
  if (end > head->total) return refusal_at(&p->why, where, FAULT_INCONSISTENT, "the rest ends after the motion does");
  task->from = (uint32_t)ceil(asked->begins_at / period - rounding);
  task->to = (uint32_t)floor(end + rounding);
  if (task->to > head->total - 1) task->to = head->total - 1;
  return task->from < task->to ||
         refusal_at(&p->why, where, FAULT_INCONSISTENT, "the rest has no two samples of the profile: raise its rate");
}

static bool is_still(const struct profile *profile, const struct output_task *task)
{
  for (size_t a = 0; a < profile->head.axis_count; a++) {
    const double place = profile_position(profile, task->from, a);
    const double most = 1e-6 * fabs(profile->head.axes[a].position_scale) + 4 * (double)FLT_EPSILON * fabs(place);
    for (uint32_t k = task->from; k <= task->to; k++)
      if (fabs(profile_position(profile, k, a) - place) > most) return false;
  }
  return true;
}

static bool place_one(struct prepared_transfer *p, size_t i)
{
  const struct transfer_output *asked = &p->request.outputs[i];
  struct output_task *task = &p->order->outputs[i];
  const struct map_output *output;
  const struct map_output_value *value;
  char place[64], where[96];
  snprintf(place, sizeof place, "/outputs/%zu", i);
  if (!outputs_offered(&p->controller.profile, &asked->set, place, &output, &value, &p->why)) return false;
  task->set = asked->set;
  memcpy(task->field, output->field, sizeof task->field);
  memcpy(task->confirmed_by, output->confirmed_by, sizeof task->confirmed_by);
  task->write = value->write, task->confirmed = value->confirmed;
  if (!find_rest(p, asked, place, task)) return false;
  snprintf(where, sizeof where, "%s/begins_at", place);
  if (i && task->from < task[-1].to)
    return refusal_at(&p->why, where, FAULT_INCONSISTENT, "begins before the rest of the output before it ends");
  return is_still(&p->order->profile, task) ||
         refusal_at(&p->why, where, FAULT_INCONSISTENT,
                    "the arm moves within that time: an output is set while it rests, from begins_at on for dwell");
}

bool outputs_place(struct prepared_transfer *p)
{
  if (p->request.output_count && p->request.mode == TRANSFER_STREAM)
    return refusal_at(&p->why, "/mode", FAULT_UNSUPPORTED, "outputs are set within downloads alone");
  if (p->request.output_count && p->request.format != TRANSFER_POSITION_TORQUE)
    return refusal_at(&p->why, "/format", FAULT_UNSUPPORTED, "outputs need the positions of the profile");
  for (size_t i = 0; i < p->request.output_count; i++)
    if (!place_one(p, i)) return false;
  p->order->output_count = p->request.output_count;
  return true;
}
