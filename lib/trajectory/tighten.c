/* Limits hold at the knots of a solution, and a little less between them. What is exceeded there is taken off the limits at
 * the knots beside, and the problem is solved again from where it is:
 *   over_k    = max over interval k of scale value(t) - most     at SAMPLES + 1 times, the top by a parabola
 *   backoff_k += 1.1 max(over_(k-1), over_k) + 1e-7              of what is nearer to the other knot, nothing; jerks and torque
 *                                                                rates, which are of the interval: over_k alone
 *   room_k    = most - backoff_k - scale value_k >= 0            in the next solution, warm from this one
 * until over <= 0 by the dense check (check.c), or it falls no more; then the mesh is doubled. */
#include <math.h>

#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/tool_speed.h"

enum { SAMPLES = 8, ROUNDS = 8, INTERVALS_MAX = 2000, DOUBLED_MOST = 4, DOUBLED_STALLED = 1 };
/* Taken off in parts of what is exceeded, and of the limit. */
static const double NEAR = 1e-4, MORE = 1.1, SPARE = 1e-7, MU_FINER = 1e-5;
static const double SPARE_AT_KINKS = 2e-6; /* steps end at kinks of distances before limits are kept that exactly */
/* Where the barrier starts, in parts of what was taken off, and between these. */
static const double MU_PART = 1e-5, MU_LEAST = 1e-9, MU_MOST = 1e-5;

/* What is exceeded between a knot and the next. */
struct excess {
  double over;
  bool before, after; /* Near which of them? Friction that changes its sign beside a knot is no matter of the other. */
};

/* The highest of samples at equal steps, with the parabola through the highest and its neighbours.
 *   where  out  the highest sample */
static double peak_of(const double *x, size_t count, size_t *where)
{
  size_t top = 0;
  for (size_t i = 1; i < count; i++)
    if (x[i] > x[top]) top = i;
  *where = top;
  if (top == 0 || top + 1 == count) return x[top];
  const double bend = 2 * x[top] - x[top - 1] - x[top + 1], slope = x[top + 1] - x[top - 1];
  return bend > 0 ? x[top] + slope * slope / (8 * bend) : x[top];
}

/* The speed of the tool at some points, as its bound has it. */
static void tool_values(const struct planner *p, const struct armdyn_trajectory *motion, size_t piece, double step,
                        double *x)
{
  for (size_t i = 0; i <= SAMPLES; i++) {
    double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX];
    piece_state(motion, piece, step * (double)i, q, qd, NULL, NULL);
    const double usage = tool_speed(p->robot, q, qd, p->workspace) / p->request->tool_speed;
    x[i] = usage * usage / 2;
  }
}

/* Distances of a pair at some points, as their bound has them. */
static void clearance_values(const struct planner *p, const struct armdyn_trajectory *motion, size_t piece, double step,
                             double x[][SAMPLES + 1])
{
  const struct obstacles *o = p->obstacles;
  for (size_t i = 0; i <= SAMPLES; i++) {
    double q[ARMDYN_JOINTS_MAX];
    const double time = motion->breaks[piece] + step * (double)i;
    piece_state(motion, piece, step * (double)i, q, NULL, NULL, NULL);
    scene_place(o->scene, q, o->workspace);
    for (size_t k = 0; k < o->count; k++) {
      const struct body_pair *pair = &o->list[k].bodies;
      const double allowance = body_pair_allowance(o->scene, pair, time);
      const double distance = isinf(allowance) ? 1 : body_pair_distance(o->scene, o->workspace, pair, NULL) + allowance;
      x[k][i] = -distance / CLEARANCE_UNIT;
    }
  }
}

/* The motion between knot k and the next. */
struct between {
  const struct armdyn_trajectory *motion;
  size_t k;
  double step;
  struct usage_point at[SAMPLES + 1];
  double near[PAIRS_MAX][SAMPLES + 1];
};

/*   steady  in  nothing that is limited jumps at knots: what was seen last is the first of what is seen now */
static void look_between(const struct planner *p, const struct armdyn_trajectory *motion, size_t k, bool steady,
                         struct between *out)
{
  const size_t known = steady && k > 0;
  const struct check check = { p->robot, p->limits, p->workspace };
  out->motion = motion, out->k = k;
  out->step = (motion->breaks[k + 1] - motion->breaks[k]) / SAMPLES;
  if (known) out->at[0] = out->at[SAMPLES];
  check_points(&check, motion, k, out->step * (double)known, out->step, SAMPLES + 1 - known, out->at + known);
  if (p->obstacles) clearance_values(p, motion, k, out->step, out->near);
}

/* Values of a bound there; answers the largest.
 *   top  out  where that is */
static double bound_values(const struct planner *p, const struct bound *b, const struct between *between, double *x,
                           size_t *top)
{
  if (b->kind == BOUND_TOOL_SPEED)
    tool_values(p, between->motion, between->k, between->step, x);
  else if (b->kind == BOUND_CLEARANCE)
    memcpy(x, between->near[b->joint], sizeof between->near[0]);
  else
    for (size_t i = 0; i <= SAMPLES; i++) x[i] = b->scale * between->at[i].value[b->kind][b->joint];
  const double peak = peak_of(x, SAMPLES + 1, top);
  return b->kind == BOUND_CLEARANCE ? x[*top] : peak; /* distances have kinks */
}

/* By how much every bound is exceeded between knot k and the next: bounds x intervals; returns the largest. A rough solution
 * does not reach its limits at the knots yet: what is left there is as much more. Nor does one that turns at a limit between
 * two knots, in the way of obstacles: there no knot would feel what is taken off, unless the room it has goes first. */
static double measure(const struct planner *p, const struct candidate *c, const struct bound *bounds, size_t count,
                      struct excess *excess)
{
  struct between between;
  double largest = 0, x[SAMPLES + 1];
  size_t top;
  bool steady = true;
  for (size_t b = 0; b < count; b++) steady = steady && !bound_kinds[bounds[b].kind]->of_interval;
  for (size_t k = 0; k < c->intervals; k++) {
    look_between(p, &c->trajectory, k, steady, &between);
    for (size_t b = 0; b < count; b++) {
      const double value = bound_values(p, &bounds[b], &between, x, &top), most = mesh_most(p, &bounds[b]);
      const double over = value - most, mean = (x[0] + x[SAMPLES]) / 2;
      /* knots of a seeded one may pass their limits by a little, too */
      const double room = c->seeded && c->rough ? most - fmax(x[0], x[SAMPLES]) : fmax(most - mean, 0);
      const bool slack = room < NEAR && (c->rough || (p->obstacles && over > -SPARE_AT_KINKS));
      excess[b * c->intervals + k] =
          (struct excess){ over + (slack ? room : 0), 4 * top <= 3 * SAMPLES, 4 * top >= SAMPLES };
      largest = fmax(largest, over);
    }
  }
  return largest;
}

/* Take the excesses off the limits at the knots beside them. */
static void back_off(struct candidate *c, const struct bound *bounds, size_t count, double spare,
                     const struct excess *excess)
{
  const size_t knots = c->intervals + 1;
  for (size_t b = 0; b < count; b++) {
    const struct excess *over = excess + b * c->intervals;
    const bool own = bound_kinds[bounds[b].kind]->of_interval;
    for (size_t k = 0; k < knots; k++) {
      double most = 0;
      if (k < c->intervals && (over[k].before || own)) most = fmax(most, over[k].over);
      if (k > 0 && !own && over[k - 1].after) most = fmax(most, over[k - 1].over);
      if (most > 0) c->backoff[b * knots + k] += MORE * most + spare;
    }
  }
}

/* The dense check has the last word: what it finds beyond a limit is taken off there too. */
static double check_finally(struct planner *p, const struct candidate *c, const struct bound *bounds, size_t count,
                            struct excess *excess)
{
  const size_t n = armdyn_robot_joint_count(p->robot);
  double worst = 0;
  planner_check(p, &c->trajectory);
  for (size_t b = 0; b < count; b++) {
    const bool tool = bounds[b].kind == BOUND_TOOL_SPEED;
    if (bounds[b].kind == BOUND_CLEARANCE) continue; /* proved afterwards (optimal.c) */
    const struct armdyn_margin *m = &p->margin.of[tool ? 0 : bounds[b].kind * n + bounds[b].joint];
    const double usage = tool ? p->margin.tool_usage : m->usage;
    const double over = (tool ? usage * usage / 2 : bounds[b].scale * m->value) - mesh_most(p, &bounds[b]);
    if (!(usage > USAGE_MOST && over > 0)) continue;
    const double at =
        (tool ? p->margin.tool_time : m->time) / armdyn_trajectory_duration(&c->trajectory) * (double)c->intervals;
    const size_t k = at < (double)c->intervals ? (size_t)at : c->intervals - 1;
    const double known = p->obstacles ? fmax(excess[b * c->intervals + k].over, over) : over;
    excess[b * c->intervals + k] = (struct excess){ known, at - (double)k <= 0.75, at - (double)k >= 0.25 };
    worst = fmax(worst, over);
  }
  return worst;
}

static enum armdyn_status solve_again(struct planner *p, size_t intervals, double mu, struct candidate *c,
                                      struct armdyn_optimal_result *log)
{
  const struct mesh_task task = { .robot = p->softened ? p->softened : planner_model(p),
                                  .robust = p->softened != NULL,
                                  .cost = &p->cost,
                                  .free_duration = p->free_duration,
                                  .intervals = intervals,
                                  .mu = mu,
                                  .warm = true };
  return mesh_solve(p, &task, c, log);
}

/* Keep the motion, in case the next one is no better. */
static enum armdyn_status remember(const struct candidate *c, struct candidate *before)
{
  armdyn_trajectory_free(&before->trajectory);
  before->solved = c->solved, before->rough = c->rough, before->intervals = c->intervals;
  return trajectory_copy(&c->trajectory, &before->trajectory);
}

/* No use: the motion before was better. The multipliers are not its own, and no start for anything. */
static void take_back(struct candidate *c, struct candidate *before)
{
  const enum interior_point_end end = mesh_ended(c) ? c->solved.end : before->solved.end;
  armdyn_trajectory_free(&c->trajectory);
  c->trajectory = before->trajectory, c->solved = before->solved, c->rough = before->rough;
  c->intervals = before->intervals;
  c->solved.end = end;
  c->row_count = 0;
  before->trajectory = (struct armdyn_trajectory){ 0 };
}

/* Tighten on this mesh. What is exceeded at the end is in `left`; a solution that got worse is taken back. */
static enum armdyn_status rounds(struct planner *p, struct candidate *c, struct armdyn_optimal_result *log,
                                 double *left)
{
  struct bound bounds[BOUNDS_MAX];
  const size_t count = mesh_bounds(p, bounds);
  struct candidate before = { 0 };
  enum armdyn_status rc = ARMDYN_EMEMORY;
  struct excess *excess = calloc(count * c->intervals + 1, sizeof *excess);
  free(c->backoff);
  c->backoff = calloc(count * (c->intervals + 1) + 1, sizeof *c->backoff);
  c->backoff_intervals = c->intervals;
  *left = INFINITY;
  for (int round = 0; excess && c->backoff; round++) {
    /* after a round there is rarely anything left to measure */
    double worst = round > 0 && !c->rough ? check_finally(p, c, bounds, count, excess) : INFINITY;
    if (worst > 0 && (worst = measure(p, c, bounds, count, excess)) <= 0 && !c->rough)
      worst = check_finally(p, c, bounds, count, excess);
    rc = ARMDYN_OK;
    const bool feasible = c->solved.violation <= VIOLATION_FORGIVEN;
    if (before.trajectory.breaks && (!feasible || (worst > 0 && worst >= *left))) {
      take_back(c, &before);
      break;
    }
    *left = c->rough ? INFINITY : worst; /* nothing is known about a rough one yet */
    if ((worst <= 0 && !c->rough) || round == ROUNDS || c->solved.violation > VIOLATION_FORGIVEN || mesh_ended(c))
      break;
    const double mu = fmin(fmax(MU_PART * worst, MU_LEAST), MU_MOST);
    back_off(c, bounds, count, p->obstacles ? SPARE_AT_KINKS : SPARE, excess);
    if ((rc = remember(c, &before)) || (rc = solve_again(p, c->intervals, mu, c, log))) break;
  }
  armdyn_trajectory_free(&before.trajectory);
  free(excess);
  return rc;
}

enum armdyn_status tighten(struct planner *p, struct candidate *c, struct armdyn_optimal_result *log)
{
  const size_t asked = c->intervals;
  struct candidate coarser = { 0 };
  enum armdyn_status rc;
  double left, left_before = INFINITY;
  for (int doubled = 0;; doubled++, left_before = left) {
    rc = rounds(p, c, log, &left);
    if (rc) break;
    if (doubled > 0 && (c->solved.violation > VIOLATION_FORGIVEN || left >= left_before)) {
      take_back(c, &coarser);
      left = INFINITY;
      break;
    }
    if (left <= 0 || mesh_ended(c) || c->solved.violation > VIOLATION_FORGIVEN || 2 * c->intervals > INTERVALS_MAX)
      break;
    if (c->intervals > asked && left <= VIOLATION_MOST) break;
    if (doubled == (c->solved.end == END_OPTIMAL ? DOUBLED_MOST : DOUBLED_STALLED)) break;
    if ((rc = remember(c, &coarser)) || (rc = solve_again(p, 2 * c->intervals, MU_FINER, c, log))) break;
  }
  armdyn_trajectory_free(&coarser.trajectory);
  if (rc) return rc;
  if (!(left <= 0) || c->rough) check_finally(p, c, NULL, 0, NULL); /* else it was the last thing done */
  return c->solved.end == END_CANCELLED ? ARMDYN_ECANCELLED : ARMDYN_OK;
}
