/* From coarse meshes to fine ones: a problem is solved from cold where it is small, with friction and cost without edges at
 * first, and each solution is the start of the next, sharper or finer one. */
#include <math.h>

#include "lib/trajectory/planner.h"

enum { COARSE = 25, FACTOR_COARSE = 8, PER_SEGMENT_COARSE = 8 /* intervals */ };
static const double VERDICT = 1e-6;  /* a residual beyond it decides nothing */
static const double MU_FINER = 2e-6; /* where the barrier starts */

struct mesh_task ladder_task(const struct planner *p, size_t intervals, double mu, bool warm)
{
  return (struct mesh_task){ .robot = planner_model(p),
                             .cost = &p->cost,
                             .free_duration = p->free_duration,
                             .intervals = intervals,
                             .mu = mu,
                             .warm = warm };
}

size_t ladder_foot(const struct planner *p, size_t intervals)
{
  const size_t least = PER_SEGMENT_COARSE * (p->request->waypoint_count + 1);
  while (intervals > COARSE && (intervals + 1) / 2 >= least) intervals = (intervals + 1) / 2;
  return intervals;
}

enum armdyn_status ladder_begin(struct planner *p, const struct cost *cost, bool find_duration, size_t intervals,
                                struct candidate *c, struct armdyn_optimal_result *log)
{
  struct mesh_task task = ladder_task(p, intervals, MU_COLD, false);
  struct cost rounded = *cost;
  const bool kinks = cost_has_kinks(cost);
  enum armdyn_status rc;
  task.find_duration = find_duration;
  task.rough = true;
  task.cost = &rounded;
  for (double width = SOFTEN_WIDEST;; width *= SOFTEN_NARROWER) {
    struct armdyn_robot *softened = NULL;
    bool differs;
    if (kinks) cost_round(&rounded, &c->trajectory, p->workspace, fmax(width, KINKS_ROUNDED));
    if ((rc = robot_softened(p, c, width, &softened, &differs))) return rc;
    task.robot = differs ? softened : planner_model(p);
    rc = mesh_solve(p, &task, c, log);
    armdyn_robot_free(softened);
    if (rc || mesh_ended(c) || c->solved.violation > HOPELESS || !(differs || (kinks && width > KINKS_ROUNDED)))
      return rc;
    task.find_duration = false, task.warm = true, task.mu = MU_SOFTER;
  }
}

enum armdyn_status ladder_climb(struct planner *p, struct candidate *c, bool rough, struct armdyn_optimal_result *log)
{
  const size_t intervals = p->request->intervals;
  if (c->intervals == intervals && !mesh_ended(c)) {
    const struct mesh_task task = ladder_task(p, intervals, MU_FINER, true);
    return rough ? ARMDYN_OK : mesh_solve(p, &task, c, log);
  }
  while (c->intervals < intervals) {
    const size_t factor = c->intervals <= COARSE ? FACTOR_COARSE : 2;
    const size_t next = factor * c->intervals + factor - 1 < intervals ? factor * c->intervals : intervals;
    struct mesh_task task = ladder_task(p, next, MU_FINER, true);
    task.rough = rough || next < intervals;
    enum armdyn_status rc = mesh_solve(p, &task, c, log);
    const bool at_kinks = p->obstacles && candidate_feasible(c);
    if (!rc && c->solved.end == END_STALLED && c->solved.residual > VERDICT && !at_kinks) {
      task.warm = task.rough = false, task.mu = MU_COLD;
      rc = mesh_solve(p, &task, c, log);
    }
    if (rc || mesh_ended(c)) return rc;
  }
  return ARMDYN_OK;
}
