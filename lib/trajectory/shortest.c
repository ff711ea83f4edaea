/* The smallest feasible duration: the same limits with time as the cost. A small price on the torques chooses among the
 * motions that are equally fast, which costs about its square of the duration. */
#include <math.h>

#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"

enum { N = ARMDYN_JOINTS_MAX, INTERVALS_MOST = 48 };
/* The small price, in two steps: Newton's method likes a larger one first. */
static const double TIE = 0.1, TIE_FINAL = 0.01, SHORTEST = 1e-3, LONGEST = 1e3, NOTHING_LIMITS = 1.01, HOPELESS = 0.05;

/* Does any limit but that of the position apply? */
static bool limited(const struct planner *p)
{
  struct bound bounds[BOUNDS_MAX];
  for (size_t b = mesh_bounds(p, bounds); b-- > 0;)
    if (bounds[b].kind != ARMDYN_LIMIT_POSITION) return true;
  return false;
}

static bool found(const struct candidate *c)
{
  const bool done = c->solved.end == END_OPTIMAL || (c->solved.end == END_STALLED && c->solved.residual < 1e-3);
  return done && c->solved.violation <= VIOLATION_FORGIVEN;
}

/* With dry friction of wide changes of sign first. */
static enum armdyn_status hurry_by_friction(struct planner *p, struct cost *cost, bool search, size_t intervals,
                                            struct candidate *c, struct armdyn_optimal_result *log)
{
  struct mesh_task task = { .cost = cost, .free_duration = true, .find_duration = search, .mu = 1e-2 };
  task.intervals = intervals < INTERVALS_MOST ? intervals : INTERVALS_MOST;
  for (double width = SOFTEN_WIDEST;; width *= SOFTEN_NARROWER) {
    struct armdyn_robot *softened = NULL;
    bool differs;
    enum armdyn_status rc = robot_softened(p, c, width, &softened, &differs);
    if (rc) return rc;
    task.robot = differs ? softened : p->robot;
    task.rough = true;
    rc = mesh_solve(p, &task, c, log);
    armdyn_robot_free(softened);
    if (!rc && c->solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
    if (rc || mesh_ended(c) || c->solved.violation > HOPELESS) return rc;
    task.find_duration = false, task.warm = true, task.mu = 1e-3;
    if (!differs) break;
  }
  cost->terms[0].weight *= TIE_FINAL / TIE;
  task.rough = false;
  return mesh_solve(p, &task, c, log);
}

enum armdyn_status shortest(struct planner *p, const struct candidate *from, double *duration,
                            struct candidate *fastest)
{
  const struct armdyn_optimal_request torque = { 0 };
  struct armdyn_optimal_result *log;
  struct candidate c = { 0 };
  struct cost cost;
  double terms[ARMDYN_COST_TERMS_MAX];
  enum armdyn_status rc;
  *duration = limited(p) ? NAN : 0;
  if (*duration == 0) return ARMDYN_OK;
  if ((rc = cost_init(&cost, p->robot, &torque, NULL)) || (rc = trajectory_copy(&from->trajectory, &c.trajectory)))
    return rc;
  if (!(log = calloc(1, sizeof *log))) {
    candidate_free(&c);
    return ARMDYN_EMEMORY;
  }
  const double low = p->duration_min, high = p->duration_max;
  const double T = armdyn_trajectory_duration(&c.trajectory),
               effort = cost_of_motion(&cost, &c.trajectory, p->workspace, terms);
  cost.terms[cost.count++] = (struct armdyn_cost_term){ .model = ARMDYN_COST_TIME, .weight = 1 };
  p->duration_min = SHORTEST, p->duration_max = LONGEST;
  /* from the motion that is known, or (where that keeps no limits) from the plain one in the duration that suits it best */
  for (int attempt = from->solved.violation > VIOLATION_FORGIVEN; attempt < 2 && !rc && isnan(*duration); attempt++) {
    if (attempt > 0) candidate_free(&c);
    if (attempt > 0 && (rc = guess_start(p, 0, &c))) break;
    c.unit = 0;
    cost.terms[0].weight = effort > 0 ? TIE * T / effort : 1;
    rc = hurry_by_friction(p, &cost, attempt > 0, from->intervals, &c, log);
    if (!rc && found(&c)) *duration = armdyn_trajectory_duration(&c.trajectory);
    if (c.solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
    if (mesh_ended(&c)) break;
  }
  if (*duration <= SHORTEST * NOTHING_LIMITS) *duration = 0;
  p->duration_min = low, p->duration_max = high;
  if (*duration > 0)
    *fastest = c;
  else
    candidate_free(&c);
  free(log);
  return rc;
}
