/* From a motion that is given and nearly the answer: on the mesh that is asked for at once, with multipliers that follow from
 * it (active_set.c). Where that does not lead to an optimum soon, the motion is a start like others. */
#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"

static const double DEARER = 1.02;

/* The guess on the mesh, in the duration that is asked for. */
static enum armdyn_status on_mesh(struct planner *p, struct candidate *c)
{
  struct armdyn_trajectory guess;
  enum armdyn_status rc = guess_start(p, 0, c);
  const double duration = p->free_duration ? armdyn_trajectory_duration(&c->trajectory) : p->request->duration;
  if (!rc) rc = armdyn_trajectory_cubic(&c->trajectory, p->request->intervals, duration, &guess, NULL);
  if (rc) return rc;
  double *const times = guess.waypoint_times;
  const double ratio = duration / armdyn_trajectory_duration(&c->trajectory);
  guess.waypoint_times = c->trajectory.waypoint_times, guess.waypoint_count = c->trajectory.waypoint_count;
  for (size_t k = 0; k < guess.waypoint_count; k++) guess.waypoint_times[k] *= ratio;
  c->trajectory.waypoint_times = times;
  armdyn_trajectory_free(&c->trajectory);
  c->trajectory = guess;
  c->intervals = p->request->intervals;
  c->seeded = true;
  return ARMDYN_OK;
}

/* With dry friction a seed that is bent a little makes joints move that had rested, and the nearest minimum may be one where
 * they all do: a minimum, but far dearer than the motion that was given. */
static bool is_dearer(const struct planner *p, double cost)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(p->robot);
  double terms[ARMDYN_COST_TERMS_MAX];
  bool dry = false;
  for (size_t j = 0; j < d->joint_count; j++)
    dry = dry || d->joints[j].friction.coulomb.positive > 0 || d->joints[j].friction.coulomb.negative > 0;
  return dry && cost > DEARER * cost_of_motion(&p->cost, p->request->guess, p->workspace, terms);
}

enum armdyn_status seed_try(struct planner *p, struct starts *s, struct armdyn_optimal_result *result)
{
  struct candidate c = { 0 };
  if (!p->request->guess || p->request->starts > 1 || p->obstacles || cost_has_kinks(&p->cost)) return ARMDYN_OK;
  enum armdyn_status rc = on_mesh(p, &c);
  struct mesh_task task = ladder_task(p, p->request->intervals, 0, false);
  task.rough = true, task.nearby = true;
  if (!rc) rc = mesh_solve(p, &task, &c, result);
  if (!rc && c.solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
  if (!rc && c.solved.end == END_OPTIMAL && candidate_feasible(&c) && !is_dearer(p, c.solved.cost)) {
    s->list[s->count++] = c;
    result->starts = 1;
    return ARMDYN_OK;
  }
  candidate_free(&c);
  result->log_count = 0;
  return rc;
}
