/* Several starts of a search, as costs have several minima: all are solved roughly, the best or the different ones climb. */
#include <math.h>

#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"

enum { N = ARMDYN_JOINTS_MAX };
static const double JUMPED = 0.04; /* m */
/* Of several ways past obstacles those are looked at more closely that cost at most this much more on the coarse mesh. */
static const double DEARER = 1.15;
enum { WAYS_EVERY = 4 }; /* starts: the first one is a way, where one is needed */
enum { CLIMBERS = 2 };   /* starts with kinks that are solved on finer meshes */

bool candidate_feasible(const struct candidate *c)
{
  return c->solved.violation <= VIOLATION_FORGIVEN;
}

/* Feasible before infeasible, solved before given up, then by cost. */
static bool better(const struct planner *p, const struct candidate *a, const struct candidate *b)
{
  if (candidate_feasible(a) != candidate_feasible(b)) return candidate_feasible(a);
  if (!candidate_feasible(a)) return a->solved.violation < b->solved.violation;
  if (!p->obstacles && (a->solved.end == END_OPTIMAL) != (b->solved.end == END_OPTIMAL))
    return a->solved.end == END_OPTIMAL;
  return a->solved.cost < b->solved.cost;
}

/* Cost and way agree, within parts of the cost and rad (m). */
static bool agree(const struct candidate *a, const struct candidate *b, double part, double off)
{
  const size_t n = a->trajectory.joint_count;
  if (fabs(a->solved.cost - b->solved.cost) > part * fabs(a->solved.cost)) return false;
  for (int at = 1; at < 4; at++) {
    double x[N], y[N];
    armdyn_trajectory_state(&a->trajectory, armdyn_trajectory_duration(&a->trajectory) * at / 4, x, NULL, NULL, NULL);
    armdyn_trajectory_state(&b->trajectory, armdyn_trajectory_duration(&b->trajectory) * at / 4, y, NULL, NULL, NULL);
    for (size_t j = 0; j < n; j++)
      if (fabs(x[j] - y[j]) > off) return false;
  }
  return true;
}

bool candidates_same(const struct candidate *a, const struct candidate *b)
{
  return agree(a, b, 1e-4, 1e-2);
}

bool candidates_equal(const struct candidate *a, const struct candidate *b)
{
  return a->solved.end == END_OPTIMAL && candidate_feasible(a) && agree(a, b, 1e-5, 1e-3);
}

/* Keep a start in order unless it is one that is known. */
static void starts_add(const struct planner *p, struct starts *s, struct candidate *c)
{
  size_t at = 0;
  bool known = c->met;
  for (size_t k = 0; k < s->count; k++) known = known || candidates_same(&s->list[k], c);
  if (known) {
    candidate_free(c);
    return;
  }
  while (at < s->count && !better(p, c, &s->list[at])) at++;
  memmove(s->list + at + 1, s->list + at, (s->count - at) * sizeof *s->list);
  s->list[at] = *c;
  s->count++;
}

void minima_add(struct armdyn_optimal_result *result, double cost)
{
  size_t i = 0;
  while (i < result->minimum_count && result->minima[i] < cost * (1 - 1e-5)) i++;
  if (i < result->minimum_count && result->minima[i] < cost * (1 + 1e-5)) return;
  memmove(result->minima + i + 1, result->minima + i, (result->minimum_count - i) * sizeof *result->minima);
  result->minima[i] = cost;
  result->minimum_count++;
}

/* Bodies may jump through what is thin from knot to knot of a coarse mesh: then it is no motion, unless the fine one mends it.
 * That takes longer, and is not tried where there is another motion. */
static enum armdyn_status look_between(struct planner *p, const struct starts *s, struct candidate *c)
{
  enum armdyn_status rc = ARMDYN_OK;
  double deepest = obstacles_deepest(p->obstacles, &c->trajectory);
  const bool other = s->count > 0 && candidate_feasible(&s->list[0]);
  if (deepest > JUMPED && !other && c->intervals < p->request->intervals && !mesh_ended(c)) {
    struct mesh_task task = ladder_task(p, p->request->intervals, MU_SOFTER, true);
    task.rough = true;
    rc = mesh_solve(p, &task, c, s->log);
    deepest = obstacles_deepest(p->obstacles, &c->trajectory);
  }
  if (deepest > JUMPED) c->solved.violation = fmax(c->solved.violation, deepest / CLEARANCE_UNIT);
  return rc;
}

/* Solve one start on the coarse mesh and keep it; `c` is handed over.
 *   over  out  the time is */
static enum armdyn_status try_start(struct planner *p, bool find_duration, struct candidate *c, struct starts *s,
                                    struct armdyn_optimal_result *result, bool *over)
{
  s->log->log_count = s->log->iterations = 0;
  enum armdyn_status rc = ladder_begin(p, &p->cost, find_duration, ladder_foot(p, p->request->intervals), c, s->log);
  if (!rc && p->obstacles && !c->met) rc = look_between(p, s, c);
  result->iterations += s->log->iterations;
  if (!rc && c->solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
  if (rc) {
    candidate_free(c);
    return rc;
  }
  if (result->starts == 0 && cost_has_kinks(&p->cost))
    cost_round(&p->cost, &c->trajectory, p->workspace, KINKS_ROUNDED);
  *over = mesh_ended(c);
  result->starts++;
  starts_add(p, s, c);
  return ARMDYN_OK;
}

/* From a motion that is known. */
static enum armdyn_status try_known(struct planner *p, const struct armdyn_trajectory *motion, struct starts *s,
                                    struct armdyn_optimal_result *result, bool *over)
{
  struct candidate c = { 0 };
  const size_t size = motion->waypoint_count * sizeof *motion->waypoint_times;
  enum armdyn_status rc = armdyn_trajectory_cubic(motion, ladder_foot(p, p->request->intervals),
                                                  armdyn_trajectory_duration(motion), &c.trajectory, NULL);
  double *times = rc ? NULL : realloc(c.trajectory.waypoint_times, size);
  if (!rc && !times) rc = ARMDYN_EMEMORY;
  if (rc) {
    candidate_free(&c);
    return rc;
  }
  memcpy(times, motion->waypoint_times, size);
  c.trajectory.waypoint_times = times, c.trajectory.waypoint_count = motion->waypoint_count;
  return try_start(p, false, &c, s, result, over);
}

/* Where the cost has kinks: from the motion of least torque, and from the cheapest of the classic profiles that pass the
 * points when it does. */
static enum armdyn_status try_rivals(struct planner *p, struct starts *s, struct armdyn_optimal_result *result,
                                     bool *over)
{
  struct rivals rivals;
  double ignored;
  if (!p->torque.breaks) return ARMDYN_OK;
  enum armdyn_status rc = try_known(p, &p->torque, s, result, over);
  if (rc || *over || (rc = rivals_plan(p, p->torque.waypoint_times, 0, &rivals))) return rc;
  const struct rival *best = rivals_cheapest(p, &rivals, &ignored);
  if (best) rc = try_known(p, &best->motion, s, result, over);
  rivals_free(&rivals);
  return rc;
}

/* Where obstacles are, starts are the minima without them in order, and where ways past them are needed some are guesses.
 * NULL: this one is. */
static const struct candidate *basin_of(const struct planner *p, size_t start)
{
  const bool ways = p->detour != DETOUR_NONE;
  if (p->request->guess && start == 0) return NULL;
  if (ways && start % WAYS_EVERY == 0) return NULL;
  const size_t at = ways ? start - start / WAYS_EVERY - 1 : start - (p->request->guess != NULL);
  return at < p->basins.count ? &p->basins.list[at] : NULL;
}

/* Several starts past obstacles, without kinks of the cost: they make minima dear. */
static enum armdyn_status prepare(struct planner *p, struct starts *s, struct armdyn_optimal_result *result)
{
  if (!p->obstacles || p->request->starts < 2 || cost_has_kinks(&p->cost)) return ARMDYN_OK;
  s->log->iterations = 0;
  enum armdyn_status rc = basins_find(p, s->log);
  result->iterations += s->log->iterations;
  return rc ? rc : detour_judge(p);
}

enum armdyn_status starts_try(struct planner *p, struct starts *s, struct armdyn_optimal_result *result)
{
  bool over = false;
  enum armdyn_status rc = prepare(p, s, result);
  if (!rc) rc = try_rivals(p, s, result, &over);
  for (size_t k = 0; k < p->request->starts && !rc && !over; k++) {
    struct candidate c = { 0 };
    const struct candidate *basin = basin_of(p, k);
    if (basin && s->count > 0 && basin_is_dearer(basin, &s->list[0])) continue;
    rc = basin ? trajectory_copy(&basin->trajectory, &c.trajectory) : guess_start(p, k, &c);
    if (!rc) rc = try_start(p, p->free_duration && !p->request->guess, &c, s, result, &over);
  }
  return rc;
}

enum armdyn_status starts_finish(struct planner *p, struct starts *s, struct armdyn_optimal_result *result)
{
  const bool any = candidate_feasible(&s->list[0]);
  const double coarse_cost = s->list[0].solved.cost;
  size_t best = 0;
  if (s->list[0].solved.violation > HOPELESS) return ARMDYN_OK;
  for (size_t k = 0; k < s->count; k++) {
    struct candidate *c = &s->list[k];
    if (k > 0 && any && !candidate_feasible(c)) break;
    if (k >= CLIMBERS && cost_has_kinks(&p->cost)) break;
    if (p->obstacles && k > 0 && c->solved.cost > DEARER * coarse_cost) continue;
    s->log->log_count = s->log->iterations = 0;
    enum armdyn_status rc = ladder_climb(p, c, s->count == 1, s->log);
    result->iterations += s->log->iterations;
    if (!rc && c->solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
    if (rc) return rc;
    if (c->solved.end == END_OPTIMAL && !c->rough && candidate_feasible(c)) minima_add(result, c->solved.cost);
    if (k == 0 || better(p, c, &s->list[best])) {
      best = k;
      result->log_count = s->log->log_count;
      memcpy(result->log, s->log->log, s->log->log_count * sizeof *s->log->log);
    }
    if (mesh_ended(c)) break;
  }
  const struct candidate first = s->list[0];
  s->list[0] = s->list[best];
  s->list[best] = first;
  return ARMDYN_OK;
}
