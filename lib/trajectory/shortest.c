/* The smallest feasible duration: the same limits with time as the cost. A small price on the torques chooses among the
 * motions that are equally fast, which costs about its square of the duration. */
#include <math.h>

#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"

enum { INTERVALS_MOST = 48, STARTS_LEAST = 2, STARTS_MOST = 5 };
enum { ITERATIONS_FOUND = 250, ITERATIONS_MOST = 500 }; /* of all starts, before another one */
/* The small price, in two steps: Newton's method likes a larger one first. */
static const double TIE = 0.1, TIE_FINAL = 0.01, SHORTEST = 1e-3, LONGEST = 1e3, NOTHING_LIMITS = 1.01, WILD = 2;

/* Does any limit but that of the position apply? */
static bool limited(const struct planner *p)
{
  struct bound bounds[BOUNDS_MAX];
  for (size_t b = mesh_bounds(p, bounds); b-- > 0;)
    if (bounds[b].kind != ARMDYN_LIMIT_POSITION) return true;
  return false;
}

/* Is it the end of a search, or so little before it that the duration is hardly another? */
static bool ends_within(const struct candidate *c, double residual)
{
  const bool done = c->solved.end == END_OPTIMAL || (c->solved.end == END_STALLED && c->solved.residual < residual);
  return c->trajectory.breaks && done && c->solved.violation <= VIOLATION_FORGIVEN;
}

static bool found(const struct candidate *c)
{
  return ends_within(c, 1e-3);
}

static bool near(const struct candidate *c)
{
  return ends_within(c, 5e-2);
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
    enum armdyn_status rc = robot_softened(p, &c->trajectory, width, &softened, &differs);
    if (rc) return rc;
    task.robot = differs ? softened : planner_model(p);
    task.rough = true;
    rc = mesh_solve(p, &task, c, log);
    armdyn_robot_free(softened);
    if (!rc && c->solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
    if (rc || mesh_ended(c) || c->solved.violation > HOPELESS) return rc;
    task.find_duration = false, task.warm = true, task.mu = 1e-4;
    if (!differs) break;
  }
  cost->terms[0].weight *= TIE_FINAL / TIE;
  task.rough = false;
  return mesh_solve(p, &task, c, log);
}

/* Does the mesh tell what happens? Limits at its knots do not stop a motion of wild swings between them. */
static bool resolved(const struct planner *p, const struct candidate *c)
{
  const struct check check = { p->robot, p->limits, p->workspace };
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  check_margins(&check, &c->trajectory, margin);
  for (size_t k = 0; k < ARMDYN_LIMIT_KINDS * armdyn_robot_joint_count(p->robot); k++)
    if (margin[k].usage > WILD) return false;
  return true;
}

/* Keep the better of two: found before stalled nearby, then the faster one. */
static void keep_faster(struct candidate *best, struct candidate *c)
{
  const bool sooner = best->trajectory.breaks &&
                      armdyn_trajectory_duration(&c->trajectory) < armdyn_trajectory_duration(&best->trajectory);
  if (best->trajectory.breaks && !(found(c) == found(best) ? sooner : found(c))) return;
  const struct candidate before = *best;
  *best = *c, *c = before;
}

/* Another start is worth its time while nothing is found, or where all so far took little of it. */
static bool worth_a_start(size_t start, bool any, size_t iterations)
{
  return any ? start < STARTS_LEAST && iterations < ITERATIONS_FOUND : iterations < ITERATIONS_MOST;
}

/* From the motion that is known, if it keeps the limits; else, because there are local minima, from several: the plain one in
 * the duration that suits it best, and some that swing out from it. */
static enum armdyn_status hurry(struct planner *p, const struct candidate *from, struct candidate *fastest,
                                struct armdyn_optimal_result *log)
{
  const struct armdyn_optimal_request torque = { 0 };
  const bool known = from->solved.violation <= VIOLATION_FORGIVEN;
  const double T = armdyn_trajectory_duration(&from->trajectory);
  double terms[ARMDYN_COST_TERMS_MAX];
  struct cost cost;
  enum armdyn_status rc = cost_init(&cost, p->robot, &torque, NULL);
  if (rc) return rc;
  const double effort = cost_of_motion(&cost, &from->trajectory, p->workspace, terms);
  cost.terms[cost.count++] = (struct armdyn_cost_term){ .model = ARMDYN_COST_TIME, .weight = 1 };
  for (size_t start = 0; start < STARTS_MOST && worth_a_start(start, found(fastest), log->iterations); start++) {
    struct candidate c = { 0 };
    const bool copied = known && start == 0;
    rc = copied ? trajectory_copy(&from->trajectory, &c.trajectory) : guess_start(p, start - known, &c);
    cost.terms[0].weight = effort > 0 ? TIE * T / effort : 1;
    if (!rc) rc = hurry_by_friction(p, &cost, !copied, from->intervals, &c, log);
    if (!rc && c.solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
    const bool over = rc || mesh_ended(&c) || c.solved.violation > HOPELESS, done = copied && !rc && found(&c);
    if (!rc && near(&c) && resolved(p, &c)) keep_faster(fastest, &c);
    candidate_free(&c);
    if (over || done) break;
  }
  return rc;
}

enum armdyn_status shortest(struct planner *p, const struct candidate *from, double *duration,
                            struct candidate *fastest)
{
  const double low = p->duration_min, high = p->duration_max;
  *duration = limited(p) ? NAN : 0;
  if (*duration == 0) return ARMDYN_OK;
  struct armdyn_optimal_result *log = calloc(1, sizeof *log);
  if (!log) return ARMDYN_EMEMORY;
  p->duration_min = SHORTEST, p->duration_max = LONGEST;
  const enum armdyn_status rc = hurry(p, from, fastest, log);
  p->duration_min = low, p->duration_max = high;
  free(log);
  if (rc || !fastest->trajectory.breaks) return rc;
  *duration = armdyn_trajectory_duration(&fastest->trajectory);
  if (*duration <= SHORTEST * NOTHING_LIMITS) {
    *duration = 0;
    candidate_free(fastest);
  }
  return ARMDYN_OK;
}
