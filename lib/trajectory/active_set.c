/* Newton's method where a solution is near: which limits it meets is known but for a few, so these are equations.
 *   held rows  weight W, pull z - W room, so that z + dz = pull - W change: room goes to 0, and z to its multiplier
 *   others     no weight and no pull, z = 0
 *   then       a row whose z fell below 0 is let go, one that is exceeded is held, until neither happens
 * Steps are whole and nothing guards them: it ends soon or not at all, and the interior point does it. Two or three steps take
 * the place of its six, as there is no barrier to follow. What it ends at must not be worse than the start, by the exact
 * penalty cost + price sum of excess + 2 |lambda| |miss|: where friction changes its sign whole steps led to minima that
 * were a fifth dearer.
 * Source: Nocedal & Wright, Numerical Optimization, ch. 16.5, 17.3 and 18. */
#include <math.h>

#include "lib/trajectory/interior_point.h"

static const double WEIGHT = 1e6;
/* Rows are held at first where they have no more room than the nearest, times this, within these bounds. */
static const double NEAR_PART = 3, NEAR_LEAST = 2e-3, NEAR_MOST = 5e-2;
/* What a held row may have left, or another one be exceeded by, in the end; of a start for another solution. */
static const double ROOM_MOST = 1e-7, ROOM_ROUGH = 1e-4;
static const double WORSE = 1e-6; /* of the cost: rounding, and rooms that a start has left */
static const double UNKNOWNS_STEP = 0.2, SLOW = 0.3;
enum { PASSES_MOST = 8 };

/* Where the passes stand. */
struct pass {
  double cost, residual;
  double error, gap; /* of the rooms */
  bool settled;      /* no row was let go, or held anew */
  bool curved;
};

/* Held rows have z > 0: those that multipliers are known of, or that are near their limits. */
static void hold_first(struct interior_point *ip)
{
  struct elastic_rows *rows = &ip->rows;
  double least = INFINITY;
  for (size_t i = 0; i < rows->count; i++)
    if (rows->on[i]) least = fmin(least, rows->room[i]);
  const double near = fmin(fmax(NEAR_LEAST, NEAR_PART * fabs(least)), NEAR_MOST);
  for (size_t i = 0; i < rows->count; i++) {
    const bool held = rows->on[i] && (ip->warm ? rows->z[i] > fmax(rows->room[i], 0) : rows->room[i] < near);
    rows->z[i] = !held ? 0 : ip->warm ? rows->z[i] : ROOM_MOST;
  }
}

static void weigh(struct elastic_rows *rows)
{
  for (size_t i = 0; i < rows->count; i++) {
    const bool held = rows->z[i] > 0;
    rows->weight[i] = held ? WEIGHT : 0;
    rows->pull[i] = held ? rows->z[i] - WEIGHT * rows->room[i] : 0;
  }
}

/* New multipliers, and which rows are held from now on. */
static void hold(struct interior_point *ip, struct pass *at)
{
  struct elastic_rows *rows = &ip->rows;
  at->settled = true, at->error = at->gap = 0;
  for (size_t i = 0; i < rows->count; i++) {
    if (!rows->on[i]) continue;
    const bool before = rows->z[i] > 0;
    const double room = rows->room[i], z = before ? rows->pull[i] - WEIGHT * rows->change[i] : ROOM_MOST;
    const bool after = before ? z > 0 : room < -ROOM_MOST;
    at->settled = at->settled && before == after;
    at->error = fmax(at->error, before && after ? fabs(room) : -room);
    if (z >= ip->price) at->error = INFINITY; /* the interior point would pay for it */
    rows->z[i] = after ? z : 0;
    at->gap += rows->z[i] * fabs(room);
  }
}

/* A whole step; false where it leads nowhere. */
static bool step(struct interior_point *ip, struct pass *at)
{
  double ignored;
  weigh(&ip->rows);
  if (!newton_step(ip, at->curved, &ignored)) return false;
  for (size_t u = 0; u < ip->kkt.unknowns; u++)
    if (!(fabs(ip->unknowns_step[u]) <= UNKNOWNS_STEP)) return false;
  at->cost = newton_tried(ip, 1, NULL);
  newton_take(ip);
  memcpy(ip->lambda, ip->lambda_new, ip->kkt.equations * sizeof *ip->lambda);
  hold(ip, at);
  return isfinite(at->cost) && isfinite(at->error);
}

/* What the start exceeds and misses. */
struct begun {
  double cost, excess, missed;
};

static struct begun begun_of(const struct interior_point *ip, double cost)
{
  struct begun begun = { .cost = cost };
  double ignored;
  for (size_t i = 0; i < ip->rows.count; i++)
    if (ip->rows.on[i]) begun.excess += fmax(-ip->rows.room[i], 0);
  begun.missed = newton_missed(ip, &ignored);
  return begun;
}

static bool is_worse(const struct interior_point *ip, const struct begun *begun, double cost)
{
  double pull = 0;
  for (size_t e = 0; e < ip->kkt.equations; e++) pull = fmax(pull, fabs(ip->lambda[e]));
  return cost > (begun->cost + ip->price * begun->excess + 2 * pull * begun->missed) * (1 + WORSE);
}

static bool converged(const struct interior_point *ip, const struct pass *at)
{
  const struct tolerance *most = interior_point_tolerance(ip);
  const double error = ip->rough ? ROOM_ROUGH : ROOM_MOST;
  double miss;
  newton_missed(ip, &miss);
  return at->residual <= most->residual && at->error <= error && at->gap <= most->gap * at->cost && miss <= MISS_MOST;
}

static enum interior_point_end passes(struct interior_point *ip, struct pass *at, int *count)
{
  double before = INFINITY;
  for (*count = 0; *count < PASSES_MOST; ++*count) {
    const enum armdyn_go go = ip->go ? ip->go(ip->context) : ARMDYN_GO_ON;
    if (go != ARMDYN_GO_ON) return go == ARMDYN_GO_CANCEL ? END_CANCELLED : END_FINISHED;
    newton_differentiate(ip);
    if (*count > 0) {
      at->residual = newton_gradient(ip, ip->rows.z, ip->lambda);
      interior_point_note(ip, (struct armdyn_iteration){ at->cost, at->residual, 0, 1, at->curved });
      if (converged(ip, at)) return END_OPTIMAL;
      const bool slow = at->settled && at->residual > SLOW * before;
      if (slow && at->curved) break;
      at->curved = at->curved || slow;
      before = at->residual;
    }
    if (!step(ip, at)) break;
  }
  return END_STALLED;
}

void active_set_solve(struct interior_point *ip, struct interior_point_result *out)
{
  struct pass at = { .curved = ip->curved };
  const size_t unknowns = ip->kkt.unknowns * sizeof *ip->unknowns, controls = ip->kkt.order * sizeof *ip->controls;
  at.cost = newton_begin(ip);
  const struct begun begun = begun_of(ip, at.cost);
  memcpy(ip->second, ip->controls, controls);
  memcpy(ip->unknowns_second, ip->unknowns, unknowns);
  hold_first(ip);
  out->end = passes(ip, &at, &out->iterations);
  newton_end(ip);
  if (out->end == END_OPTIMAL && is_worse(ip, &begun, at.cost)) out->end = END_STALLED;
  if (out->end == END_OPTIMAL) {
    ip->curved = at.curved;
  } else {
    memcpy(ip->controls, ip->second, controls);
    memcpy(ip->unknowns, ip->unknowns_second, unknowns);
    passages_set(ip->passages, ip->problem, ip->unknowns, ip->controls);
    at.cost = newton_evaluate(ip, ip->controls) / ip->unit;
  }
  out->cost = at.cost * ip->unit;
  out->residual = at.residual;
  out->violation = newton_violation(ip);
  if (ip->rough && out->violation <= ROOM_ROUGH) out->violation = 0; /* a start for one that keeps its limits */
}
