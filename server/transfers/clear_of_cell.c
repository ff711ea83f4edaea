#include "server/transfers/clear_of_cell.h"

#include <math.h>

#include "server/app.h"
#include "server/data/stored_cell.h"
#include "server/data/stored_trajectory.h"
#include "server/gateway/guard.h"
#include "server/robots/cache.h"

static const double clearance_tolerance = 1e-4; /* m */

/* Between what, when and how near. */
struct nearest {
  double bound, distance, time; /* m, m, s */
  char a[ARMDYN_NAME_SIZE], b[ARMDYN_NAME_SIZE];
};

/* How far a joint may be from the motion while it is played. */
static double deviation_of(const struct prepared_transfer *p)
{
  return p->controller.profile.start_tolerance + p->controller.profile.following_error;
}

/* The models that it is held against: that it was planned with, with its tool, and that the controller is bound to. */
static size_t models_of(const struct prepared_transfer *p, const struct armdyn_robot *robots[GUARD_MODELS_MOST])
{
  robots[0] = p->robot->robot, robots[1] = p->bound_to->robot;
  return p->robot->revision == p->bound_to->revision ? 1 : 2;
}

/* Of one model. EINPUT: it has no bodies. */
static enum armdyn_status find_clearance(const struct prepared_transfer *p, const struct armdyn_robot *robot,
                                         const struct armdyn_cell *cell, const struct armdyn_played_motion *motion,
                                         struct nearest *out, struct armdyn_error *error)
{
  struct armdyn_motion_clearance found = { 0 };
  struct armdyn_scene *scene;
  double deviation[ARMDYN_JOINTS_MAX];
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) deviation[j] = deviation_of(p);
  const struct touches *touches = &p->request.touches;
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

static enum armdyn_status find_least(const struct prepared_transfer *p, const struct armdyn_cell *cell,
                                     const struct armdyn_played_motion *motion, struct nearest *least,
                                     struct armdyn_error *error)
{
  const struct armdyn_robot *robots[GUARD_MODELS_MOST];
  const size_t count = models_of(p, robots);
  enum armdyn_status status = ARMDYN_OK;
  least->bound = INFINITY;
  for (size_t i = 0; i < count && !status; i++) {
    struct nearest found;
    status = find_clearance(p, robots[i], cell, motion, &found, error);
    if (!status && (i == 0 || found.bound < least->bound)) *least = found;
  }
  return status;
}

/* What the gateway repeats it with. */
static enum armdyn_status give_guard(struct prepared_transfer *p, const struct cell_document *cell, const double *q,
                                     double clearance)
{
  const struct armdyn_robot *robots[GUARD_MODELS_MOST];
  const struct armdyn_robot_description *models[GUARD_MODELS_MOST];
  struct buffer text = BUFFER(LIMIT_ANSWER);
  const size_t count = models_of(p, robots);
  for (size_t i = 0; i < count; i++) models[i] = armdyn_robot_description(robots[i]);
  struct guard *guard = guard_new(&p->order->profile, models, count, q);
  if (!guard) return ARMDYN_EMEMORY;
  cell_encode(cell, &text);
  enum armdyn_status status = text.failure;
  memcpy(guard->cell.name, cell->name, sizeof guard->cell.name);
  guard->cell.revision = p->cell_revision;
  guard->cell.text = buffer_take(&text, &guard->cell.length);
  buffer_release(&text);
  guard->touches = p->request.touches;
  guard->deviation = deviation_of(p);
  guard->proved = clearance;
  p->order->guard = guard;
  return status;
}

static bool stays_clear(struct prepared_transfer *p, const struct nearest *found)
{
  p->has_clearance = true, p->clearance = found->bound;
  if (found->bound > 0) return true;
  return refusal_say(
      &p->why, PROBLEM_LIMIT_EXCEEDED,
      "%s may touch %s of cell '%s': at %.3f s they are %.4f m apart, and with the controller's start_tolerance "
      "and following_error the clearance is only proved to be above %.4f m",
      found->a, found->b, p->controller.cell, found->time, found->distance, found->bound);
}

/* The stored motion on the grid of the profile, held against a cell. */
static enum armdyn_status hold_against(struct prepared_transfer *p, const struct cell_document *cell,
                                       struct nearest *found, struct armdyn_error *error)
{
  struct armdyn_trajectory trajectory;
  struct armdyn_played_motion motion = { 0 };
  enum armdyn_status status =
      stored_trajectory_read(p->app->store, p->trajectory.id, armdyn_robot_joint_count(p->robot->robot), &trajectory);
  if (status) return status;
  status = played_motion_of(&trajectory, 1e6 / p->order->profile.head.period_us, &motion, error);
  if (!status) status = find_least(p, &cell->cell, &motion, found, error);
  if (!status && found->bound > 0) status = give_guard(p, cell, motion.q, found->bound);
  free((void *)(uintptr_t)motion.q);
  armdyn_trajectory_free(&trajectory);
  return status;
}

bool clear_of_cell(struct prepared_transfer *p)
{
  struct cell_document cell;
  struct nearest found;
  struct armdyn_error error = { "", "" };
  if (!*p->controller.cell && p->request.touches.count)
    return refusal_at(&p->why, "/touches", FAULT_INCONSISTENT,
                      "the controller stands in no cell that could be touched");
  if (!*p->controller.cell) return true;
  enum armdyn_status status = stored_cell_read(p->app->store, p->controller.cell, &p->cell_revision, &cell);
  if (status == ARMDYN_ENOTFOUND)
    return refusal_say(&p->why, PROBLEM_CONFLICT, "the controller's cell '%s' is gone", p->controller.cell);
  if (!status) {
    status = hold_against(p, &cell, &found, &error);
    cell_release(&cell);
  }
  if (!status) return stays_clear(p, &found);
  if (*error.pointer) return refusal_at(&p->why, error.pointer, FAULT_INCONSISTENT, error.message);
  if (*error.message)
    refusal_say(&p->why, PROBLEM_CONFLICT, "the clearance from cell '%s' cannot be told: %s", p->controller.cell,
                error.message);
  else
    refusal_status(&p->why, status);
  return false;
}
