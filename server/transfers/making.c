#include "server/transfers/making.h"

#include <math.h>
#include <sodium.h>

#include "api/json/document.h"
#include "server/app.h"
#include "server/data/motion_model.h"
#include "server/data/stored_cell.h"
#include "server/data/stored_trajectory.h"
#include "server/gateway/source.h"
#include "server/robots/cache.h"
#include "server/transfers/held_part.h"
#include "server/transfers/outputs.h"
#include "server/work/kinds.h"

static bool check_permissions(struct making *m)
{
  if (!m->controller.enabled) return refusal_say(&m->why, PROBLEM_CONFLICT, "%s", gateway_barred);
  const struct controller_profile *p = &m->controller.profile;
  bool mapped = p->protocol == PROTOCOL_REGISTER_MAP;
  if (mapped && m->request.mode == TRANSFER_STREAM)
    return refusal_at(&m->why, "/mode", FAULT_UNSUPPORTED, "a controller with a register map takes downloads alone");
  if (mapped && m->request.format != TRANSFER_POSITION_TORQUE)
    return refusal_at(&m->why, "/format", FAULT_UNSUPPORTED, "the columns of the register map say what a point has");
  if (mapped && !map_has(&p->map, MAP_POSITION) && !p->allow_torque_only)
    return refusal_at(
        &m->why, "/trajectory", FAULT_UNSUPPORTED,
        "the register map takes torques alone, which let an arm drift; its entry must say \"allow_torque_only\"");
  if (m->request.format != TRANSFER_POSITION_TORQUE && !p->allow_torque_only)
    return refusal_at(&m->why, "/format", FAULT_UNSUPPORTED,
                      "torque alone lets an arm drift; it needs \"allow_torque_only\" in the controller's profile");
  return true;
}

static bool find_trajectory(struct making *m)
{
  enum armdyn_status status = motion_get(m->app->store, m->request.trajectory, &m->trajectory);
  if (status == ARMDYN_ENOTFOUND)
    return refusal_at(&m->why, "/trajectory", FAULT_INCONSISTENT, "there is no such trajectory");
  if (status) return refusal_status(&m->why, status);
  cJSON *document = document_open(m->trajectory.document);
  m->stored_rate = document_number(document, "sample_rate");
  m->transferable = document_truth(document, "transferable");
  document_close(document);
  if (strcmp(m->trajectory.robot, m->controller.robot))
    return refusal_at(&m->why, "/trajectory", FAULT_INCONSISTENT, "it is for another robot than the controller's");
  if (!m->transferable)
    return refusal_at(&m->why, "/trajectory", FAULT_INCONSISTENT,
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
static bool find_robots(struct making *m)
{
  struct robots *robots = m->app->robots;
  const char *name = m->controller.robot;
  enum armdyn_status status = robots_get(robots, name, m->controller.revision, true, &m->bound_to);
  if (!status) status = motion_model_get(robots, &m->trajectory, &m->robot);
  if (status) return refusal_status(&m->why, status);
  const long long planned = m->robot->revision, bound = m->bound_to->revision;
  if (planned == bound) return true;
  if (m->controller.profile.allow_revision_mismatch && same_joints(m->robot->robot, m->bound_to->robot)) return true;
  return refusal_say(&m->why, PROBLEM_REVISION_MISMATCH,
                     "the trajectory is of revision %lld, the controller is bound to %lld%s", planned, bound,
                     m->controller.profile.allow_revision_mismatch ? ", which has other joints" : "");
}

static bool pass_over(void *context, const struct map_request *request)
{
  (void)context, (void)request;
  return true;
}

/* Does every number fit into its registers, within every limit after rounding too? */
static bool fits_map(struct making *m)
{
  struct armdyn_error error = { "", "" };
  if (m->controller.profile.protocol != PROTOCOL_REGISTER_MAP) return true;
  enum armdyn_status status =
      map_plan(&m->controller.profile.map, (unsigned)m->controller.unit, &m->order->profile, pass_over, NULL, &error);
  if (status) refusal_say(&m->why, PROBLEM_LIMIT_EXCEEDED, "%s", error.message);
  return !status;
}

/* What is sent; but of torques that the controller adds to, the whole of them first, held against the same limits. */
static enum armdyn_status sample_profile(struct making *m, const struct armdyn_trajectory *trajectory,
                                         enum sample_format format, double rate, struct armdyn_error *error)
{
  struct profile *profile = &m->order->profile;
  const enum torque_content content = m->controller.profile.torque_content;
  enum armdyn_status status =
      profile_of_trajectory(m->robot->robot, trajectory, &m->map, TORQUE_FULL, format, rate, profile, error);
  if (status || content == TORQUE_FULL || profile_check(profile, m->why.faults)) return status;
  profile_release(profile);
  return profile_of_trajectory(m->robot->robot, trajectory, &m->map, content, format, rate, profile, error);
}

/* The profile, held against every limit. */
static bool make_profile(struct making *m)
{
  struct armdyn_error error = { "", "" };
  struct armdyn_trajectory trajectory;
  const struct armdyn_robot_description *model = armdyn_robot_description(m->bound_to->robot);
  size_t n = armdyn_robot_joint_count(m->robot->robot);
  double rate = isnan(m->request.rate) ? m->stored_rate : m->request.rate;
  const bool mapped = m->controller.profile.protocol == PROTOCOL_REGISTER_MAP;
  const bool velocities = mapped && map_has(&m->controller.profile.map, MAP_VELOCITY);
  const enum sample_format format = (enum sample_format)(velocities ? FORMAT_MOTION : m->request.format + 1);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (!m->order) goto refused;
  if ((status = axis_map_make(&m->controller, model, &m->map, m->why.faults))) goto refused;
  if (mapped && (status = map_bind(&m->controller.profile, &m->map, m->why.faults))) goto refused;
  status = stored_trajectory_read(m->app->store, m->trajectory.id, n, &trajectory);
  if (status) goto refused;
  status = sample_profile(m, &trajectory, format, rate, &error);
  armdyn_trajectory_free(&trajectory);
  if (status) goto refused;
  if (!m->why.faults->count && !profile_check(&m->order->profile, m->why.faults)) return fits_map(m);
  return refusal_say(&m->why, PROBLEM_LIMIT_EXCEEDED, "the profile exceeds a limit in %zu places",
                     m->why.faults->count);
refused:
  if (*error.pointer) return refusal_at(&m->why, error.pointer, FAULT_INCONSISTENT, error.message);
  return refusal_status(&m->why, status);
}

/* -- what it must not touch -- */

static const double clearance_tolerance = 1e-4; /* m */

/* Between what, when and how near. */
struct making_clearance {
  double bound, distance, time; /* m, m, s */
  char a[ARMDYN_NAME_SIZE], b[ARMDYN_NAME_SIZE];
};

/* The smallest clearance of what will be played, from wherever the controller may be of it. EINPUT: the robot has no bodies. */
static enum armdyn_status find_clearance(const struct making *m, const struct armdyn_robot *robot,
                                         const struct armdyn_cell *cell, const struct armdyn_played_motion *motion,
                                         struct making_clearance *out, struct armdyn_error *error)
{
  struct armdyn_motion_clearance found = { 0 };
  const struct controller_profile *p = &m->controller.profile;
  struct armdyn_scene *scene;
  double deviation[ARMDYN_JOINTS_MAX];
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) deviation[j] = p->start_tolerance + p->following_error;
  const struct touches *touches = &m->request.touches;
  enum armdyn_status status = armdyn_scene_new(robot, cell, touches->items, touches->count, &scene, error);
  if (!status && !armdyn_scene_body_count(scene))
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "this revision of the robot has no bodies");
  if (!status) status = armdyn_motion_clearance(scene, motion, deviation, clearance_tolerance, &found, error);
  if (!status) {
    out->bound = found.bound, out->distance = found.at.distance, out->time = found.time;
    snprintf(out->a, sizeof out->a, "%s", found.at.a ? found.at.a : "");
    snprintf(out->b, sizeof out->b, "%s", found.at.b ? found.at.b : "");
  }
  armdyn_scene_free(scene);
  return status;
}

/* Of the model that the trajectory was planned with, with its tool, and of the one that the controller is bound to. */
static enum armdyn_status find_least_clearance(const struct making *m, const struct armdyn_cell *cell,
                                               const struct armdyn_trajectory *trajectory,
                                               struct making_clearance *least, struct armdyn_error *error)
{
  const struct armdyn_robot *const robots[2] = { m->robot->robot, m->bound_to->robot };
  const size_t count = m->robot->revision == m->bound_to->revision ? 1 : 2;
  struct armdyn_played_motion motion = { 0 };
  enum armdyn_status status = played_motion_of(trajectory, 1e6 / m->order->profile.head.period_us, &motion, error);
  least->bound = INFINITY;
  for (size_t i = 0; i < count && !status; i++) {
    struct making_clearance found;
    status = find_clearance(m, robots[i], cell, &motion, &found, error);
    if (!status && (i == 0 || found.bound < least->bound)) *least = found;
  }
  free((void *)(uintptr_t)motion.q);
  return status;
}

static bool stays_clear(struct making *m, const struct making_clearance *found)
{
  m->has_clearance = true, m->clearance = found->bound;
  if (found->bound > 0) return true;
  return refusal_say(
      &m->why, PROBLEM_LIMIT_EXCEEDED,
      "%s may touch %s of cell '%s': at %.3f s they are %.4f m apart, and with the controller's start_tolerance "
      "and following_error the clearance is only proved to be above %.4f m",
      found->a, found->b, m->controller.cell, found->time, found->distance, found->bound);
}

/* With the cell that the controller is bound to. false: m->why says why. */
static bool keeps_clear(struct making *m)
{
  struct cell_document cell;
  struct armdyn_trajectory trajectory;
  struct making_clearance found;
  struct armdyn_error error = { "", "" };
  struct store *store = m->app->store;
  if (!*m->controller.cell && m->request.touches.count)
    return refusal_at(&m->why, "/touches", FAULT_INCONSISTENT,
                      "the controller stands in no cell that could be touched");
  if (!*m->controller.cell) return true;
  enum armdyn_status status = stored_cell_read(store, m->controller.cell, &m->cell_revision, &cell);
  if (status == ARMDYN_ENOTFOUND)
    return refusal_say(&m->why, PROBLEM_CONFLICT, "the controller's cell '%s' is gone", m->controller.cell);
  if (!status) {
    status = stored_trajectory_read(store, m->trajectory.id, armdyn_robot_joint_count(m->robot->robot), &trajectory);
    if (!status) {
      status = find_least_clearance(m, &cell.cell, &trajectory, &found, &error);
      armdyn_trajectory_free(&trajectory);
    }
    cell_release(&cell);
  }
  if (!status) return stays_clear(m, &found);
  if (*error.pointer) return refusal_at(&m->why, error.pointer, FAULT_INCONSISTENT, error.message);
  if (*error.message)
    refusal_say(&m->why, PROBLEM_CONFLICT, "the clearance from cell '%s' cannot be told: %s", m->controller.cell,
                error.message);
  else
    refusal_status(&m->why, status);
  return false;
}

static void fill_order(struct making *m)
{
  struct transfer_order *order = m->order;
  const struct controller_profile *p = &m->controller.profile;
  address_of(&m->controller, &order->address);
  order->connect_deadline_ms = (int)(p->connect_deadline * 1000);
  order->window_timeout_ms = (int)(p->window_timeout * 1000);
  order->ready_timeout_ms = (int)(p->ready_timeout * 1000);
  order->in_flight = (unsigned)p->in_flight;
  order->stream = m->request.mode == TRANSFER_STREAM;
  order->may_fall_back = m->request.any_format && p->allow_torque_only;
  order->start = m->request.start;
  order->start_before_ms = m->start_before_ms;
  order->start_within_ms = isnan(m->request.start_within) ? 0 : (int)ceil(1000 * m->request.start_within);
  order->telemetry_us = p->telemetry_rate > 0 ? (int)(1e6 / p->telemetry_rate) : 0;
  memcpy(order->robot, m->controller.robot, sizeof order->robot);
  order->revision = m->bound_to->revision;
  order->overrides = m->overrides;
  order->profile.head.end_policy = p->on_end == MOTION_END_ZERO_TORQUE ? END_ZERO_TORQUE : END_HOLD;
  snprintf(order->assumed, sizeof order->assumed, "torques %s, for a controller of kind %s",
           torque_content_names[p->torque_content], controller_kind_names[p->kind]);
  order->profile.head.loss_policy = p->on_link_loss == LINK_LOSS_FINISH ? LOSS_FINISH : LOSS_STOP;
}

bool making_run(struct making *m)
{
  m->order = calloc(1, sizeof *m->order);
  if (!check_permissions(m)) return false;
  if (!find_trajectory(m) || !find_robots(m) || !held_part_agrees(m)) return false;
  if (!make_profile(m) || !outputs_place(m) || !keeps_clear(m)) return false;
  fill_order(m);
  return true;
}

void making_name(struct making *m, const char *id)
{
  memcpy(m->order->id, id, sizeof m->order->id);
  do {
    m->order->profile.head.id = randombytes_random();
  } while (!m->order->profile.head.id);
}

void making_free(struct making *m)
{
  if (m->robot) robots_release(m->app->robots, m->robot);
  if (m->bound_to) robots_release(m->app->robots, m->bound_to);
  store_result_release(&m->trajectory);
  transfer_order_free(m->order);
  free(m);
}
