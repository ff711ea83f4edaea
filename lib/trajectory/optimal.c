/* The planner of energy-optimal motions: from a request to its answer, and the last word about that. */
#include <math.h>

#include "lib/base/random.h"
#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/tool_speed.h"

enum { PROOFS = 5 };                  /* of an answer, with more room each time */
static const double MU_WIDER = 1e-6;  /* where the barrier starts then, */
static const double MU_SETTLE = 1e-6; /* and from a motion that is next to a minimum */
enum { FINER_MOST = 16 };             /* meshes that a solution is refined to */
enum { SOFTEN_STEPS = 2 };            /* the last one's friction changes its sign over 0.075 of the largest speed */
static const double DEARER = 1e-6;    /* costs that differ by less are the same to a search */

/* -- the last word -- */

static const struct armdyn_margin *worst_margin(const struct planner *p)
{
  const struct armdyn_margin *worst = p->margin.of;
  for (size_t k = 1; k < ARMDYN_LIMIT_KINDS * armdyn_robot_joint_count(p->robot); k++)
    if (p->margin.of[k].usage > worst->usage) worst = &p->margin.of[k];
  return worst;
}

double planner_usage(const struct planner *p)
{
  return fmax(worst_margin(p)->usage, p->margin.tool_usage);
}

void planner_check(struct planner *p, const struct armdyn_trajectory *motion)
{
  const struct check check = { p->robot, p->limits, p->workspace };
  const double most = p->request->tool_speed;
  check_margins(&check, motion, p->margin.of);
  if (p->obstacles) obstacles_check(p->obstacles, motion, &p->margin.clearance);
  p->margin.tool_usage = most > 0 ? tool_speed_most(p->robot, motion, p->workspace, &p->margin.tool_time) / most : 0;
}

static bool stays_clear(const struct planner *p)
{
  return !p->obstacles || p->margin.clearance.missing <= 0;
}

/* Nobody proved that there is none. */
static enum armdyn_status tell_blocked(const struct planner *p, struct armdyn_error *error)
{
  const struct armdyn_motion_clearance *found = &p->margin.clearance.found;
  return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "/cell",
                       "blocked by %s: no way past it was found, the nearest motion leads %s there at %.6g s, with a "
                       "clearance of %.4f m: give waypoints that lead around, or a seed_trajectory",
                       found->at.b, found->at.a, found->time, found->at.distance);
}

static enum armdyn_status tell_infeasible(const struct planner *p, const struct candidate *c, double minimum,
                                          struct armdyn_error *error)
{
  const struct armdyn_margin *m = worst_margin(p);
  const struct armdyn_joint *joint = &armdyn_robot_description(p->robot)->joints[m->joint];
  const double T = p->free_duration ? p->duration_max : p->request->duration;
  char remedy[96];
  snprintf(remedy, sizeof remedy, "%s",
           p->cut ? "the search ended before it was known which duration would do"
                  : "no duration was found that keeps all limits");
  if (!stays_clear(p) && p->detour == DETOUR_NOT_FOUND) return tell_blocked(p, error);
  if (c->solved.end == END_FINISHED)
    return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "/deadline",
                         "no feasible motion was found before the search ended (dual residual %.2g)",
                         c->solved.residual);
  if (minimum < T)
    return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "",
                         "no feasible motion was found, though %.6g s are enough for one: try more starts or intervals",
                         minimum);
  if (!isnan(minimum)) snprintf(remedy, sizeof remedy, "the smallest feasible duration is about %.6g s", minimum);
  const char *where = p->free_duration ? "/duration_max" : "/duration";
  if (!stays_clear(p)) {
    const struct armdyn_motion_clearance *found = &p->margin.clearance.found;
    return armdyn_refuse(error, ARMDYN_EINFEASIBLE, where,
                         "no motion of %.6g s keeps all limits and clear of %s: the nearest one leads %s there at "
                         "%.6g s, with a clearance of %.4f m; %s",
                         T, found->at.b, found->at.a, found->time, found->at.distance, remedy);
  }
  if (p->margin.tool_usage >= m->usage)
    return armdyn_refuse(
        error, ARMDYN_EINFEASIBLE, where,
        "no motion of %.6g s keeps all limits: the nearest one uses %.6g times the limit of the tool's "
        "speed at %.6g s; %s",
        T, p->margin.tool_usage, p->margin.tool_time, remedy);
  return armdyn_refuse(
      error, ARMDYN_EINFEASIBLE, where,
      "no motion of %.6g s keeps all limits: the nearest one uses %.6g times the %s limit of joint %zu "
      "%s at %.6g s; %s",
      T, m->usage, armdyn_limit_name(m->limit), m->joint + 1, joint->name, m->time, remedy);
}

/* The same way in another duration, and its margins. */
static void stretch(struct planner *p, struct armdyn_trajectory *x, double duration)
{
  const double factor = duration / armdyn_trajectory_duration(x);
  for (size_t k = 0; k < x->piece_count; k++) {
    x->breaks[k + 1] *= factor;
    for (size_t i = 0; i < x->joint_count * 4; i++)
      x->coefficients[k * x->joint_count * 4 + i] *= pow(factor, -(double)(i % 4));
  }
  for (size_t k = 0; k < x->waypoint_count; k++) x->waypoint_times[k] *= factor;
  planner_check(p, x);
}

/* What is in the way, where it is the duration: margins of the fastest feasible motion, hurried to the duration that is
 * asked for. The solution itself exceeds few limits by much, at single knots. */
static void hurry(struct planner *p, struct candidate *fastest)
{
  stretch(p, &fastest->trajectory, p->free_duration ? p->duration_max : p->request->duration);
}

static bool keeps_limits(const struct planner *p, const struct candidate *c)
{
  return planner_usage(p) - 1 <= VIOLATION_MOST && c->solved.violation <= VIOLATION_MOST && stays_clear(p);
}

/* Tighten, and prove that what comes of it stays clear; else with more room, and with pairs that were not thought of. */
static enum armdyn_status tighten_clear(struct planner *p, struct candidate *c, struct armdyn_optimal_result *log)
{
  enum armdyn_status rc = tighten(p, c, log);
  for (int round = 0; round < PROOFS && !rc && !stays_clear(p) && candidate_feasible(c) && !mesh_ended(c); round++) {
    const struct mesh_task task = ladder_task(p, c->intervals, MU_WIDER, true);
    mesh_gather(p, c, 0);
    obstacles_widen(p->obstacles, &p->margin.clearance);
    rc = mesh_solve(p, &task, c, log);
    if (!rc) rc = tighten(p, c, log);
  }
  return rc;
}

/* A way that is hardly one draws the search below the shortest duration: from rest to rest it is feasible in that. */
static void slow_down(struct planner *p, struct candidate *c)
{
  const struct armdyn_optimal_request *r = p->request;
  const bool rests = !r->start_velocity && !r->goal_velocity && !r->start_acceleration && !r->goal_acceleration;
  if (!rests || r->waypoint_times || !(armdyn_trajectory_duration(&c->trajectory) < p->duration_min)) return;
  stretch(p, &c->trajectory, p->duration_min);
  c->solved.violation = fmax(0, planner_usage(p) - 1);
  if (c->solved.end == END_OPTIMAL) c->solved.end = END_STALLED;
}

/* Tighten another motion, and put it in the place of `c` if it keeps the limits. */
static enum armdyn_status tighten_instead(struct planner *p, struct candidate *other, struct candidate *c,
                                          struct armdyn_optimal_result *log)
{
  const struct candidate before = *c;
  const struct planner_margins margin = p->margin;
  const enum armdyn_status rc = tighten_clear(p, other, log);
  if (rc) return rc;
  if (keeps_limits(p, other)) {
    *c = *other, *other = before;
  } else {
    p->margin = margin;
    if (mesh_ended(other)) c->solved.end = other->solved.end; /* the time was over: no verdict */
  }
  return ARMDYN_OK;
}

/* Where a faster motion is known, the search went astray: once more from there, on the mesh that is asked for. */
static enum armdyn_status once_more(struct planner *p, const struct candidate *fastest, struct candidate *c,
                                    struct armdyn_optimal_result *log)
{
  struct candidate again = { 0 };
  enum armdyn_status rc = trajectory_copy(&fastest->trajectory, &again.trajectory);
  if (!rc) rc = ladder_begin(p, &p->cost, p->free_duration && !p->request->guess, p->request->intervals, &again, log);
  if (!rc) rc = tighten_instead(p, &again, c, log);
  candidate_free(&again);
  return rc;
}

/* The friction of the joints changes its sign within an interval, and limits at knots do not see what it does there: once
 * more with changes of sign that the mesh can tell, and with limits for the friction on both sides of them. The answer
 * keeps the limits of the robot itself; it is next to an optimum, but none. */
static enum armdyn_status warily(struct planner *p, struct candidate *c, struct armdyn_optimal_result *log)
{
  struct candidate again = { 0 };
  struct armdyn_robot *softened = NULL;
  bool differs = true;
  struct mesh_task task = ladder_task(p, p->request->intervals, MU_COLD, false);
  enum armdyn_status rc = guess_start(p, 0, &again);
  task.rough = true;
  task.find_duration = p->free_duration && !p->request->guess;
  for (int step = 0; step < SOFTEN_STEPS && !rc && !mesh_ended(&again); step++) {
    armdyn_robot_free(softened);
    softened = NULL;
    rc = robot_softened(p, &again.trajectory, SOFTEN_WIDEST * pow(SOFTEN_NARROWER, step), &softened, &differs);
    if (rc || !differs) break;
    task.robot = softened, task.robust = step + 1 == SOFTEN_STEPS;
    rc = mesh_solve(p, &task, &again, log);
    task.find_duration = false, task.warm = true, task.mu = MU_SOFTER;
  }
  p->softened = softened;
  if (!rc && differs) rc = tighten_instead(p, &again, c, log);
  if (c->solved.end == END_OPTIMAL && differs) c->solved.end = END_STALLED;
  p->softened = NULL;
  armdyn_robot_free(softened);
  candidate_free(&again);
  return rc;
}

/* Keep the limits between the knots too, and say what came of it. */
static enum armdyn_status confirm(struct planner *p, struct candidate *c, struct armdyn_optimal_result *result,
                                  struct armdyn_error *error)
{
  struct candidate fastest = { 0 };
  enum armdyn_status rc = c->proved ? ARMDYN_OK : tighten_clear(p, c, result);
  if (rc) return rc;
  /* kept at the knots, but not between them */
  if (candidate_feasible(c) && !keeps_limits(p, c) && !mesh_ended(c) && (rc = warily(p, c, result))) return rc;
  if (p->free_duration && !keeps_limits(p, c)) slow_down(p, c);
  bool keeps = keeps_limits(p, c);
  if (p->request->minimum_duration || !keeps) rc = shortest(p, c, &result->minimum_duration, &fastest);
  if (!rc && !keeps && !mesh_ended(c) && result->minimum_duration <= p->request->duration &&
      fastest.trajectory.breaks) {
    rc = once_more(p, &fastest, c, result);
    keeps = !rc && keeps_limits(p, c);
  }
  result->violation = fmax(0, planner_usage(p) - 1);
  if (!rc && !keeps && fastest.trajectory.breaks) {
    hurry(p, &fastest);
    result->violation = fmax(0, planner_usage(p) - 1);
  }
  candidate_free(&fastest);
  if (rc || keeps) return rc;
  return tell_infeasible(p, c, result->minimum_duration, error);
}

/* The motion of least torque is found surely and soon: a start, and a rival, where the cost has kinks. Whether the limits can
 * be kept does not depend on the cost. */
static enum armdyn_status find_torque(struct planner *p, struct armdyn_optimal_result *result,
                                      struct armdyn_error *error)
{
  struct armdyn_optimal_request torque = *p->request;
  if (!cost_has_kinks(&p->cost) || p->free_duration) return ARMDYN_OK;
  torque.cost_count = 0;
  torque.starts = 1;
  torque.minimum_duration = false;
  const enum armdyn_status rc =
      armdyn_optimal_plan(p->robot, &torque, &p->torque, p->margin.of, result, p->go, p->context, error);
  const size_t iterations = result->iterations;
  if (rc) return rc;
  *result = (struct armdyn_optimal_result){ .minimum_duration = result->minimum_duration, .iterations = iterations };
  return ARMDYN_OK;
}

/* A rival may be next to a minimum that the search passed by: solve from it on its mesh, if it is one of ours, with nothing
 * softened. That is the answer if it ends there and is no dearer; else the rival stays as it is. */
static enum armdyn_status settle(struct planner *p, double cost, struct candidate *c, struct armdyn_optimal_result *log)
{
  const struct planner_margins margin = p->margin;
  const size_t asked = p->request->intervals, pieces = c->trajectory.piece_count;
  const bool finer = c->trajectory.degree == 3 && pieces % asked == 0 && pieces <= FINER_MOST * asked;
  const struct mesh_task task = ladder_task(p, finer ? pieces : asked, MU_SETTLE, false);
  struct candidate settled = { 0 };
  double terms[ARMDYN_COST_TERMS_MAX];
  if (p->obstacles || cost_has_kinks(&p->cost)) return ARMDYN_OK;
  enum armdyn_status rc = trajectory_copy(&c->trajectory, &settled.trajectory);
  if (!rc) rc = mesh_solve(p, &task, &settled, log);
  if (!rc && settled.solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
  if (!rc && settled.solved.end == END_OPTIMAL) rc = tighten_clear(p, &settled, log);
  if (!rc && settled.solved.end == END_OPTIMAL && keeps_limits(p, &settled) &&
      cost_of_motion(&p->cost, &settled.trajectory, p->workspace, terms) <= cost * (1 + DEARER)) {
    candidate_free(c);
    *c = settled;
    return ARMDYN_OK;
  }
  p->margin = margin;
  candidate_free(&settled);
  return rc;
}

/* A rival in the place of an answer that costs more, or of none. */
static enum armdyn_status rivals_compare(struct planner *p, struct candidate *c, enum armdyn_status answered,
                                         struct armdyn_optimal_result *result)
{
  const bool none = answered == ARMDYN_EINFEASIBLE || answered == ARMDYN_EUNAVAILABLE;
  const double below = none ? INFINITY : result->cost * (1 - DEARER);
  struct rivals rivals;
  double cost = INFINITY;
  if (!c->trajectory.breaks || (answered && (!none || p->free_duration))) return answered;
  enum armdyn_status rc = rivals_plan(p, c->trajectory.waypoint_times, below, &rivals);
  if (rc) return rc;
  const struct rival *best = rivals_cheapest(p, &rivals, &cost);
  if (best && cost < below) {
    armdyn_trajectory_free(&c->trajectory);
    if (!(rc = trajectory_copy(&best->motion, &c->trajectory))) {
      c->solved.end = END_STALLED;
      c->intervals = c->trajectory.piece_count;
      result->instead = best->name;
      if (none) result->minimum_duration = NAN; /* it was mistaken */
      planner_check(p, &c->trajectory);
      rc = settle(p, cost, c, result);
      if (c->solved.end == END_OPTIMAL) {
        result->instead = NULL;
        minima_add(result, c->solved.cost);
      }
      result->cost = cost_of_motion(&p->cost, &c->trajectory, p->workspace, result->terms);
      result->violation = fmax(0, planner_usage(p) - 1);
    }
  } else {
    rc = answered;
  }
  rivals_free(&rivals);
  return rc;
}

/* With obstacles what is cheapest at its knots may pass through them in between: the first is to be one that is proved not
 * to. */
static enum armdyn_status prefer_clear(struct planner *p, struct starts *s, struct armdyn_optimal_result *result)
{
  enum armdyn_status rc = ARMDYN_OK;
  for (size_t k = 0; p->obstacles && k < s->count && !rc; k++) {
    struct candidate *c = &s->list[k];
    if (!candidate_feasible(c) || c->intervals < p->request->intervals || mesh_ended(c)) continue;
    rc = tighten_clear(p, c, result);
    if (rc || !keeps_limits(p, c)) continue;
    const struct candidate first = s->list[0];
    s->list[0] = *c, *c = first;
    s->list[0].proved = true;
    break;
  }
  return rc;
}

static enum armdyn_status plan(struct planner *p, struct armdyn_trajectory *out, struct armdyn_optimal_result *result,
                               struct starts *s, struct armdyn_error *error)
{
  enum armdyn_status rc = planner_judge(p, error);
  if (!rc) rc = find_torque(p, result, error);
  if (!rc) rc = seed_try(p, s, result);
  const bool seeded = !rc && s->count > 0;
  if (!rc && !seeded) rc = starts_try(p, s, result);
  if (!rc && !seeded) rc = starts_finish(p, s, result);
  if (!rc) rc = prefer_clear(p, s, result);
  if (!rc) rc = confirm(p, &s->list[0], result, error);
  struct candidate *best = &s->list[0];
  if (!rc) result->cost = cost_of_motion(&p->cost, &best->trajectory, p->workspace, result->terms);
  rc = rivals_compare(p, best, rc, result);
  if (rc) return rc;
  result->optimal = best->solved.end == END_OPTIMAL && !best->rough;
  if (result->optimal && result->minimum_count == 0) minima_add(result, best->solved.cost);
  result->residual = best->solved.residual;
  result->intervals = best->intervals;
  result->duration = armdyn_trajectory_duration(&best->trajectory);
  *out = best->trajectory;
  best->trajectory = (struct armdyn_trajectory){ 0 }; /* handed over */
  return ARMDYN_OK;
}

enum armdyn_status armdyn_optimal_plan(const struct armdyn_robot *robot, const struct armdyn_optimal_request *request,
                                       struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                       struct armdyn_optimal_result *result, enum armdyn_go (*go)(void *context),
                                       void *context, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  enum armdyn_status rc = ARMDYN_EMEMORY;
  struct planner *p = calloc(1, sizeof *p);
  struct starts *s = calloc(1, sizeof *s);
  *result = (struct armdyn_optimal_result){ .minimum_duration = NAN };
  if (!p || !s || !(s->log = calloc(1, sizeof *s->log)) || !(p->workspace = armdyn_workspace_new(n))) goto out;
  p->robot = robot, p->request = request, p->go = go, p->context = context;
  p->random = random_from_seed(request->seed);
  if ((rc = robot_blended(robot, &p->blended))) goto out;
  rc = plan(p, out, result, s, error);
  if (margin && (rc == ARMDYN_OK || rc == ARMDYN_EINFEASIBLE))
    memcpy(margin, p->margin.of, ARMDYN_LIMIT_KINDS * n * sizeof *margin);
out:
  if (rc == ARMDYN_ECANCELLED) armdyn_refuse(error, rc, "", "the work was cancelled");
  if (rc == ARMDYN_EMEMORY) armdyn_refuse(error, rc, "", "no memory for %zu intervals", request->intervals);
  for (size_t k = 0; s && k < s->count; k++) candidate_free(&s->list[k]);
  if (s) free(s->log);
  if (p) armdyn_workspace_free(p->workspace);
  if (p) free(p->room);
  if (p) armdyn_trajectory_free(&p->torque);
  if (p) armdyn_trajectory_free(&p->way);
  if (p) basins_free(&p->basins);
  if (p) basins_free(&p->softest);
  if (p) obstacles_free(p->obstacles);
  if (p) armdyn_robot_free(p->blended);
  free(s);
  free(p);
  return rc;
}
