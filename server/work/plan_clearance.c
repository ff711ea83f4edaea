/* A planned motion, held against the cell that its request names. */
#include <stdlib.h>

#include "server/data/stored_cell.h"
#include "server/work/plan.h"

static const double TOLERANCE = 1e-4; /* m */

enum armdyn_status plan_scene_make(struct plan *p, struct armdyn_error *error)
{
  struct surroundings *around = &p->request.around;
  struct store *store;
  if (!*around->cell) return ARMDYN_OK;
  for (size_t j = 0; j < p->n; j++) p->deviation[j] = p->request.deviation;
  enum armdyn_status status = work_store(p->work, &store);
  if (!status) status = stored_cell_read(store, around->cell, &around->cell_revision, &p->cell);
  if (status == ARMDYN_ENOTFOUND)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/cell", "revision %lld of cell '%s' is gone",
                         (long long)around->cell_revision, around->cell);
  if (!status)
    status = armdyn_scene_new(p->robot, &p->cell.cell, around->touches.items, around->touches.count, &p->scene, error);
  if (status || armdyn_scene_body_count(p->scene)) return status;
  return armdyn_refuse(
      error, ARMDYN_EINPUT, "/cell",
      "robot '%s' has no bodies that could be held against a cell: give its links some, as \"joints\": "
      "[{\"link\": {\"bodies\": [{\"capsule\": ...}]}}]",
      p->work->robot->name);
}

/* A path stays what it is, however it is timed. */
static enum armdyn_status judge_path(struct plan *p, struct armdyn_error *error)
{
  const struct armdyn_motion_clearance *c = &p->clearance;
  if (p->request.method != TRAJECTORY_PATH_TIMING || p->request.shaped || c->bound > 0) return ARMDYN_OK;
  p->unreachable = true;
  return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/cell",
                       "blocked by %s: the path leads %s there, at %.6g s their clearance is %.4f m, and proved to be "
                       "above %.4f m only: give it waypoints that lead around",
                       c->at.b, c->at.a, c->time, c->at.distance, c->bound);
}

enum armdyn_status plan_clearance_find(struct plan *p, struct armdyn_error *error)
{
  struct armdyn_played_motion motion = { 0 };
  if (!p->scene) return ARMDYN_OK;
  enum armdyn_status status = played_motion_of(&p->trajectory, p->request.sample_rate, &motion, error);
  if (!status) status = armdyn_motion_clearance(p->scene, &motion, p->deviation, TOLERANCE, &p->clearance, error);
  free((void *)(uintptr_t)motion.q);
  if (!status) status = judge_path(p, error);
  return status == ARMDYN_ECANCELLED ? armdyn_refuse(error, ARMDYN_EINPUT, "/cell", "%s", error->message) : status;
}
