#include "server/work/surrounded.h"

#include <stdlib.h>

#include "server/data/stored_cell.h"

static const double TOLERANCE = 1e-4; /* m */

/* What may touch, as deep as it may while others keep the clearance that is asked for. */
static enum armdyn_status scene_of(const struct armdyn_robot *robot, const struct clearance_constraint *constraint,
                                   struct surrounded *out, struct armdyn_error *error)
{
  struct touches touches = constraint->around.touches;
  for (size_t i = 0; i < touches.count; i++)
    if (touches.items[i].depth > 0) touches.items[i].depth += constraint->least;
  return armdyn_scene_new(robot, &out->cell.cell, touches.items, touches.count, &out->scene, error);
}

enum armdyn_status surrounded_open(struct work *work, const struct armdyn_robot *robot,
                                   struct clearance_constraint *constraint, double sample_rate, struct surrounded *out,
                                   struct armdyn_error *error)
{
  struct surroundings *named = &constraint->around;
  struct store *store;
  if (!*named->cell) return ARMDYN_OK;
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) out->deviation[j] = constraint->deviation;
  enum armdyn_status status = work_store(work, &store);
  if (!status) status = stored_cell_read(store, named->cell, &named->cell_revision, &out->cell);
  if (status == ARMDYN_ENOTFOUND)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/cell", "revision %lld of cell '%s' is gone",
                         (long long)named->cell_revision, named->cell);
  if (!status) status = scene_of(robot, constraint, out, error);
  out->around = (struct armdyn_surroundings){ out->scene, constraint->least, out->deviation, sample_rate };
  if (status || armdyn_scene_body_count(out->scene)) return status;
  return armdyn_refuse(
      error, ARMDYN_EINPUT, "/cell",
      "robot '%s' has no bodies that could be held against a cell: give its links some, as \"joints\": "
      "[{\"link\": {\"bodies\": [{\"capsule\": ...}]}}]",
      work->robot->name);
}

void surrounded_close(struct surrounded *s)
{
  armdyn_scene_free(s->scene);
  cell_release(&s->cell);
}

const struct armdyn_surroundings *surrounded_around(const struct surrounded *s)
{
  return s->scene ? &s->around : NULL;
}

enum armdyn_status surrounded_measure(struct surrounded *s, const struct armdyn_trajectory *motion,
                                      struct armdyn_error *error)
{
  struct armdyn_played_motion played = { 0 };
  if (!s->scene) return ARMDYN_OK;
  enum armdyn_status status = played_motion_of(motion, s->around.sample_rate, &played, error);
  if (!status) status = armdyn_motion_clearance(s->scene, &played, s->deviation, TOLERANCE, &s->clearance, error);
  free((void *)(uintptr_t)played.q);
  return status == ARMDYN_ECANCELLED ? armdyn_refuse(error, ARMDYN_EINPUT, "/cell", "%s", error->message) : status;
}

const struct armdyn_motion_clearance *surrounded_clearance(const struct surrounded *s)
{
  return s->scene ? &s->clearance : NULL;
}
