/* From coarse meshes to fine ones: a problem is solved from cold where it is small, with friction and cost without edges at
 * first, and each solution is the start of the next, sharper or finer one. */
#include <math.h>

#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"

enum { COARSE = 25, FACTOR_COARSE = 8, PER_SEGMENT_COARSE = 8 /* intervals */ };
static const double VERDICT = 1e-6;                         /* a residual beyond it decides nothing */
static const double MU_FINER = 2e-6, MU_FINER_KINKS = 1e-5; /* where the barrier starts */

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

/* Kinks are rounded alike for all starts where the motion of least torque is known; else none is like another. */
static bool softest_compares(const struct planner *p, const struct cost *cost, size_t intervals)
{
  return cost_has_kinks(cost) && p->torque.breaks && intervals < p->request->intervals;
}

/* Did a start before lead to the same solution? Else it is kept for those to come. */
static enum armdyn_status softest_meet(struct planner *p, struct candidate *c)
{
  struct basins *known = &p->softest;
  for (size_t k = 0; k < known->count && !c->met; k++) c->met = candidates_equal(c, &known->list[k]);
  if (c->met || known->count == BASINS_MAX) return ARMDYN_OK;
  struct candidate *kept = &known->list[known->count];
  const enum armdyn_status rc = trajectory_copy(&c->trajectory, &kept->trajectory);
  if (rc) return rc;
  kept->solved = c->solved;
  known->count++;
  return ARMDYN_OK;
}

/* One rung: edges over this part of what the motion has.
 *   last  out  nothing of the problem itself is softened */
static enum armdyn_status ladder_step(struct planner *p, struct mesh_task task, const struct cost *cost, double width,
                                      struct candidate *c, struct armdyn_optimal_result *log, bool *last)
{
  struct cost rounded = *cost;
  struct armdyn_robot *softened = NULL;
  const bool kinks = cost_has_kinks(cost), widest = width == SOFTEN_WIDEST;
  const struct armdyn_trajectory *measure = p->torque.breaks && widest ? &p->torque : &c->trajectory;
  bool differs;
  if (kinks) cost_round(&rounded, measure, p->workspace, fmax(width, KINKS_ROUNDED));
  enum armdyn_status rc = robot_softened(p, measure, width, &softened, &differs);
  if (rc) return rc;
  task.robot = differs ? softened : planner_model(p);
  task.cost = &rounded;
  rc = mesh_solve(p, &task, c, log);
  armdyn_robot_free(softened);
  *last = mesh_ended(c) || c->solved.violation > HOPELESS || !(differs || (kinks && width > KINKS_ROUNDED));
  return rc;
}

/* A start whose softest solution is known goes on from where it began, with edges that are narrower from the first: it stays
 * nearer to itself, and finds minima that the way over the softest one does not. Of a single start there is no need of it. */
enum armdyn_status ladder_begin(struct planner *p, const struct cost *cost, bool find_duration, size_t intervals,
                                struct candidate *c, struct armdyn_optimal_result *log)
{
  const bool compares = softest_compares(p, cost, intervals);
  struct mesh_task task = ladder_task(p, intervals, MU_COLD, false);
  struct armdyn_trajectory begin = { 0 };
  enum armdyn_status rc = compares ? trajectory_copy(&c->trajectory, &begin) : ARMDYN_OK;
  bool last = false;
  task.find_duration = find_duration;
  task.rough = true;
  for (double width = SOFTEN_WIDEST; !rc && !last && !c->met; width *= SOFTEN_NARROWER) {
    rc = ladder_step(p, task, cost, width, c, log, &last);
    task.find_duration = false, task.warm = true, task.mu = MU_SOFTER;
    if (rc || last || !compares || width != SOFTEN_WIDEST) continue;
    rc = softest_meet(p, c);
    if (rc || !c->met || p->request->starts < 2) continue;
    armdyn_trajectory_free(&c->trajectory);
    rc = trajectory_copy(&begin, &c->trajectory);
    c->met = task.warm = false, task.mu = MU_COLD;
  }
  armdyn_trajectory_free(&begin);
  return rc;
}

enum armdyn_status ladder_climb(struct planner *p, struct candidate *c, bool rough, struct armdyn_optimal_result *log)
{
  const size_t intervals = p->request->intervals;
  const bool kinks = cost_has_kinks(&p->cost);
  if (c->intervals == intervals && !mesh_ended(c)) {
    const struct mesh_task task = ladder_task(p, intervals, MU_FINER, true);
    return rough ? ARMDYN_OK : mesh_solve(p, &task, c, log);
  }
  while (c->intervals < intervals) {
    const size_t factor = c->intervals <= COARSE ? FACTOR_COARSE : 2;
    const size_t next = factor * c->intervals + factor - 1 < intervals ? factor * c->intervals : intervals;
    struct mesh_task task = ladder_task(p, next, kinks ? MU_FINER_KINKS : MU_FINER, true);
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
