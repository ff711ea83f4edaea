#include "server/transfers/prepare.h"

#include <math.h>
#include <sodium.h>

#include "api/json/document.h"
#include "server/app.h"
#include "server/data/motion_model.h"
#include "server/data/stored_trajectory.h"
#include "server/gateway/map_plan.h"
#include "server/gateway/source.h"
#include "server/robots/cache.h"
#include "server/transfers/clear_of_cell.h"
#include "server/transfers/held_part.h"
#include "server/transfers/outputs.h"
#include "server/work/kinds.h"

static bool check_permissions(struct prepared_transfer *p)
{
  if (!p->controller.enabled) return refusal_say(&p->why, PROBLEM_CONFLICT, "%s", gateway_barred);
  const struct controller_profile *profile = &p->controller.profile;
  bool mapped = profile->protocol == PROTOCOL_REGISTER_MAP;
  if (mapped && p->request.mode == TRANSFER_STREAM)
    return refusal_at(&p->why, "/mode", FAULT_UNSUPPORTED, "a controller with a register map takes downloads alone");
  if (mapped && p->request.format != TRANSFER_POSITION_TORQUE)
    return refusal_at(&p->why, "/format", FAULT_UNSUPPORTED, "the columns of the register map say what a point has");
  if (mapped && !map_has(&profile->map, MAP_POSITION) && !profile->allow_torque_only)
    return refusal_at(
        &p->why, "/trajectory", FAULT_UNSUPPORTED,
        "the register map takes torques alone, which let an arm drift; its entry must say \"allow_torque_only\"");
  if (p->request.format != TRANSFER_POSITION_TORQUE && !profile->allow_torque_only)
    return refusal_at(&p->why, "/format", FAULT_UNSUPPORTED,
                      "torque alone lets an arm drift; it needs \"allow_torque_only\" in the controller's profile");
  return true;
}

static bool find_trajectory(struct prepared_transfer *p)
{
  enum armdyn_status status = motion_get(p->app->store, p->request.trajectory, &p->trajectory);
  if (status == ARMDYN_ENOTFOUND)
    return refusal_at(&p->why, "/trajectory", FAULT_INCONSISTENT, "there is no such trajectory");
  if (status) return refusal_status(&p->why, status);
  cJSON *document = document_open(p->trajectory.document);
  p->stored_rate = document_number(document, "sample_rate");
  p->transferable = document_truth(document, "transferable");
  document_close(document);
  if (strcmp(p->trajectory.robot, p->controller.robot))
    return refusal_at(&p->why, "/trajectory", FAULT_INCONSISTENT, "it is for another robot than the controller's");
  if (!p->transferable)
    return refusal_at(&p->why, "/trajectory", FAULT_INCONSISTENT,
                      "it is not transferable: it was planned with a limit removed or raised, or exceeds one, or does "
                      "not begin and end at rest (see its blockers)");
  return true;
}

/* Axes are found by the joints of one revision, positions and torques by those of the other. */
static bool same_joints(const struct armdyn_robot *a, const struct armdyn_robot *b)
{
  const struct armdyn_robot_description *da = armdyn_robot_description(a), *db = armdyn_robot_description(b);
  if (da->joint_count != db->joint_count) return false;
  for (size_t j = 0; j < da->joint_count; j++)
    if (strcmp(da->joints[j].name, db->joints[j].name) || da->joints[j].type != db->joints[j].type) return false;
  return true;
}

/* Both revisions, and whether they may differ. */
static bool find_robots(struct prepared_transfer *p)
{
  struct robots *robots = p->app->robots;
  const char *name = p->controller.robot;
  enum armdyn_status status = robots_get(robots, name, p->controller.revision, true, &p->bound_to);
  if (!status) status = motion_model_get(robots, &p->trajectory, &p->robot);
  if (status) return refusal_status(&p->why, status);
  const long long planned = p->robot->revision, bound = p->bound_to->revision;
  if (planned == bound) return true;
  if (p->controller.profile.allow_revision_mismatch && same_joints(p->robot->robot, p->bound_to->robot)) return true;
  return refusal_say(&p->why, PROBLEM_REVISION_MISMATCH,
                     "the trajectory is of revision %lld, the controller is bound to %lld%s", planned, bound,
                     p->controller.profile.allow_revision_mismatch ? ", which has other joints" : "");
}

static bool pass_over(void *context, const struct map_request *request)
{
  (void)context, (void)request;
  return true;
}

/* Does every number fit into its registers, within every limit after rounding too? */
static bool fits_map(struct prepared_transfer *p)
{
  struct armdyn_error error = { "", "" };
  if (p->controller.profile.protocol != PROTOCOL_REGISTER_MAP) return true;
  enum armdyn_status status =
      map_plan(&p->controller.profile.map, (unsigned)p->controller.unit, &p->order->profile, pass_over, NULL, &error);
  if (status) refusal_say(&p->why, PROBLEM_LIMIT_EXCEEDED, "%s", error.message);
  return !status;
}

/* What is sent; but of torques that the controller adds to, the whole of them first, held against the same limits. */
static enum armdyn_status sample_profile(struct prepared_transfer *p, const struct armdyn_trajectory *trajectory,
                                         enum sample_format format, double rate, struct armdyn_error *error)
{
  struct profile *profile = &p->order->profile;
  const enum torque_content content = p->controller.profile.torque_content;
  enum armdyn_status status =
      profile_of_trajectory(p->robot->robot, trajectory, &p->map, TORQUE_FULL, format, rate, profile, error);
  if (status || content == TORQUE_FULL || profile_check(profile, p->why.faults)) return status;
  profile_release(profile);
  return profile_of_trajectory(p->robot->robot, trajectory, &p->map, content, format, rate, profile, error);
}

/* The profile, held against every limit. */
static bool make_profile(struct prepared_transfer *p)
{
  struct armdyn_error error = { "", "" };
  struct armdyn_trajectory trajectory;
  const struct armdyn_robot_description *model = armdyn_robot_description(p->bound_to->robot);
  size_t n = armdyn_robot_joint_count(p->robot->robot);
  double rate = isnan(p->request.rate) ? p->stored_rate : p->request.rate;
  const bool mapped = p->controller.profile.protocol == PROTOCOL_REGISTER_MAP;
  const bool velocities = mapped && map_has(&p->controller.profile.map, MAP_VELOCITY);
  const enum sample_format format = (enum sample_format)(velocities ? FORMAT_MOTION : p->request.format + 1);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (!p->order) goto refused;
  if ((status = axis_map_make(&p->controller, model, &p->map, p->why.faults))) goto refused;
  if (mapped && (status = map_bind(&p->controller.profile, &p->map, p->why.faults))) goto refused;
  status = stored_trajectory_read(p->app->store, p->trajectory.id, n, &trajectory);
  if (status) goto refused;
  status = sample_profile(p, &trajectory, format, rate, &error);
  armdyn_trajectory_free(&trajectory);
  if (status) goto refused;
  if (!p->why.faults->count && !profile_check(&p->order->profile, p->why.faults)) return fits_map(p);
  return refusal_say(&p->why, PROBLEM_LIMIT_EXCEEDED, "the profile exceeds a limit in %zu places",
                     p->why.faults->count);
refused:
  if (*error.pointer) return refusal_at(&p->why, error.pointer, FAULT_INCONSISTENT, error.message);
  return refusal_status(&p->why, status);
}

static void fill_order(struct prepared_transfer *p)
{
  struct transfer_order *order = p->order;
  const struct controller_profile *profile = &p->controller.profile;
  address_of(&p->controller, &order->address);
  order->connect_deadline_ms = (int)(profile->connect_deadline * 1000);
  order->window_timeout_ms = (int)(profile->window_timeout * 1000);
  order->ready_timeout_ms = (int)(profile->ready_timeout * 1000);
  order->in_flight = (unsigned)profile->in_flight;
  order->stream = p->request.mode == TRANSFER_STREAM;
  order->may_fall_back = p->request.any_format && profile->allow_torque_only;
  order->start = p->request.start;
  order->start_before_ms = p->start_before_ms;
  order->start_within_ms = isnan(p->request.start_within) ? 0 : (int)ceil(1000 * p->request.start_within);
  order->telemetry_us = profile->telemetry_rate > 0 ? (int)(1e6 / profile->telemetry_rate) : 0;
  memcpy(order->robot, p->controller.robot, sizeof order->robot);
  order->revision = p->bound_to->revision;
  order->overrides = p->overrides;
  order->profile.head.end_policy = profile->on_end == MOTION_END_ZERO_TORQUE ? END_ZERO_TORQUE : END_HOLD;
  snprintf(order->assumed, sizeof order->assumed, "torques %s, for a controller of kind %s",
           torque_content_names[profile->torque_content], controller_kind_names[profile->kind]);
  order->profile.head.loss_policy = profile->on_link_loss == LINK_LOSS_FINISH ? LOSS_FINISH : LOSS_STOP;
}

bool transfer_prepare(struct prepared_transfer *p)
{
  p->order = calloc(1, sizeof *p->order);
  if (!check_permissions(p)) return false;
  if (!find_trajectory(p) || !find_robots(p) || !held_part_agrees(p)) return false;
  if (!make_profile(p) || !outputs_place(p) || !clear_of_cell(p)) return false;
  fill_order(p);
  return true;
}

void prepared_transfer_name(struct prepared_transfer *p, const char *id)
{
  memcpy(p->order->id, id, sizeof p->order->id);
  do {
    p->order->profile.head.id = randombytes_random();
  } while (!p->order->profile.head.id);
}

void prepared_transfer_free(struct prepared_transfer *p)
{
  if (p->robot) robots_release(p->app->robots, p->robot);
  if (p->bound_to) robots_release(p->app->robots, p->bound_to);
  store_result_release(&p->trajectory);
  transfer_order_free(p->order);
  free(p);
}
