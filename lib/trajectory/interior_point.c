/*   minimise    f(x) + rho sum p           over x (controls; log T and free fractions of the passages), s, p > 0
 *   subject to  room(x) - s + p = 0        multipliers z of the rows;   miss(x) = 0  multipliers lambda
 *   barrier     mu: s z = mu, p y = mu, y = rho - z
 *   step        (H + J' w J) dx + A' lambda = -(grad f + J' pull),  A dx = -miss,  J = -d room / dx,  A = d miss / dx
 *               with w and pull of elastic.c, in which s, p, z and y are eliminated; kkt.h solves it
 *   H           Gauss-Newton's until that gets slow, then H + share S with as much of the true curvature S as keeps it positive
 *               definite; beside the passages' equations + A' A times its largest diagonal, which changes no solution
 *   merit       f + rho sum p - mu sum log(s p) + nu |miss|_1, nu >= 2 |lambda|, falls along every step taken (Armijo)
 *   end         |grad L| relative, sum (s z + p y) / cost and the predicted decrease / cost below `tolerances`, miss <= 1e-9
 * Source: Nocedal & Wright, Numerical Optimization, ch. 10, 18 and 19. */
#include "lib/trajectory/interior_point.h"

#include <math.h>

#include "lib/math/band.h"

/* Where a solution ends, and where one that is only a start for another does; the gap is relative to the cost. */
static const struct tolerance tolerances[] = { { 1e-7, 1e-9, 1e-7 }, { 1e-4, 1e-6, 1e-5 } };
static const double ROUNDING = 1e-13, RESIDUAL_ROUNDED = 1e-4, DECREASE_ROUNDED = 1e-8, SLOW = 0.3;
/* Steps that are shorter than this have run into rows that are far from the central path: these start anew. */
static const double STUCK = 1e-3;
static const double YIELD = 0.5; /* of a room, for what it bends in one step */
enum { STUCK_MOST = 8, STUCK_RUNNING = 2, PATIENCE = 6 };
static const double MISS_SMALL = 1e-3;                         /* rad (m) */
static const double DURATION_STEP = 0.5, FRACTION_STEP = 0.05; /* most that one step may do */

const struct tolerance *interior_point_tolerance(const struct interior_point *ip)
{
  return &tolerances[ip->rough];
}

/* Where the iteration stands. */
struct progress {
  double mu, cost, gap, residual, decrease, miss;
  double force;     /* what the step is to take away, as the residual */
  double stiffness; /* price of a miss in the merit */
  int slow;         /* iterations running that took too little of it */
  bool curved;      /* with the true curvature */
  double lowest;    /* the residual that was lowest, */
  int since;        /* and the iterations since */
  double cost_before;
  int steady; /* iterations running that hardly changed the cost */
};

void interior_point_carve(struct interior_point *ip, struct carve *c)
{
  const struct transcription *t = ip->problem;
  const size_t size = t->controls * t->n, band = size * 4 * t->n, u = ip->passages->unknowns;
  const size_t e = ip->passages->count * t->n;
  double **const vectors[] = { &ip->controls, &ip->trial, &ip->step, &ip->gradient, &ip->second };
  double **const borders[] = { &ip->unknowns,          &ip->unknowns_trial,  &ip->unknowns_step,
                               &ip->unknowns_gradient, &ip->unknowns_second, &ip->gap_row };
  double **const equations[] = { &ip->miss, &ip->miss_left, &ip->lambda, &ip->lambda_new };
  const size_t first = t->ends[0].given * t->n;
  ip->kkt = (struct kkt){ .order = size, .width = 4 * t->n, .first = first, .unknowns = u, .equations = e };
  ip->kkt.count = size - first - t->ends[1].given * t->n;
  ip->rows.count = newton_knot_rows(ip) + passages_gap_count(ip->passages, t);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = carve_zeroed(c, size, sizeof(double));
  for (size_t i = 0; i < sizeof borders / sizeof *borders; i++) *borders[i] = carve_zeroed(c, u, sizeof(double));
  for (size_t i = 0; i < sizeof equations / sizeof *equations; i++) *equations[i] = carve_zeroed(c, e, sizeof(double));
  ip->H = carve(c, band, sizeof(double));
  ip->S = carve(c, band, sizeof(double));
  ip->kkt.factor = carve(c, band, sizeof(double));
  ip->H_mixed = carve_zeroed(c, size, sizeof(double));
  ip->S_mixed = carve_zeroed(c, size, sizeof(double));
  ip->corner = carve_zeroed(c, u * u, sizeof(double));
  kkt_carve(&ip->kkt, c);
  elastic_carve(&ip->rows, c);
}

/* The Newton step of everything; the derivative of the merit along it. False: no factorisation. */
static bool direction(struct interior_point *ip, struct progress *at, double *slope)
{
  double largest, price = 0;
  elastic_condense(&ip->rows, at->mu);
  if (!newton_step(ip, at->curved, &at->force)) return false;
  *slope = newton_slope(ip);
  at->decrease = fabs(*slope) / 2;
  elastic_direction(&ip->rows, ip->price, at->mu, slope);
  for (size_t e = 0; e < ip->kkt.equations; e++) price = fmax(price, fabs(ip->lambda_new[e]));
  at->stiffness = fmax(at->stiffness, 2 * price);
  *slope -= at->stiffness * newton_missed(ip, &largest);
  return true;
}

/* Longest steps that keep distances to the boundaries and do not outrun what is known about the border. */
static void step_lengths(const struct interior_point *ip, double *primal, double *dual)
{
  const bool timed = ip->problem->free_duration;
  elastic_lengths(&ip->rows, primal, dual);
  for (size_t u = 0; u < ip->kkt.unknowns; u++) {
    const double most = u == 0 && timed ? DURATION_STEP : FRACTION_STEP;
    *primal = fmin(*primal, most / fmax(fabs(ip->unknowns_step[u]), most));
  }
}

/* The correction that takes away what the passages are missed by beyond the linear, at the trial that stands: without it
 * good steps are refused for misses of second order (Maratos 1978). */
static void correct(struct interior_point *ip, const double *before, double length)
{
  const struct kkt *k = &ip->kkt;
  memset(ip->second, 0, k->order * sizeof *ip->second);
  memset(ip->unknowns_second, 0, k->unknowns * sizeof *ip->unknowns_second);
  for (size_t e = 0; e < k->equations; e++) ip->miss[e] -= (1 - length) * before[e];
  kkt_solve(&ip->kkt, ip->second, ip->unknowns_second, ip->miss, ip->miss);
}

/* Backtrack until the merit falls; false when it does not. */
static bool advance(struct interior_point *ip, struct progress *at, double slope, double *length)
{
  const struct kkt *k = &ip->kkt;
  double dual, largest;
  const double before =
      at->cost + elastic_merit(&ip->rows, ip->price, at->mu, 0) + at->stiffness * newton_missed(ip, &largest);
  const bool correctable = k->equations > 0 && k->unknowns > 0;
  bool corrected = false;
  memcpy(ip->miss_left, ip->miss, k->equations * sizeof *ip->miss);
  step_lengths(ip, length, &dual);
  for (int i = 0; i < 30;
       corrected = !corrected && correctable && i < 3, *length /= corrected ? 1 : 2, i += !corrected) {
    if (corrected) correct(ip, ip->miss_left, *length);
    const double cost = newton_tried(ip, *length, corrected ? ip->second : NULL);
    const double after =
        cost + elastic_merit(&ip->rows, ip->price, at->mu, *length) + at->stiffness * newton_missed(ip, &largest);
    if (!(after <= before + 1e-4 * *length * fmin(slope, 0) + ROUNDING * (1 + fabs(before)))) continue;
    at->cost = cost;
    elastic_move(&ip->rows, *length, dual);
    newton_take(ip);
    lagrangian_sides_move(ip->problem, *length);
    for (size_t e = 0; e < k->equations; e++) ip->lambda[e] += *length * (ip->lambda_new[e] - ip->lambda[e]);
    return true;
  }
  at->cost = newton_tried(ip, 0, NULL);
  return false;
}

void interior_point_note(struct interior_point *ip, struct armdyn_iteration iteration)
{
  if (ip->log && ip->log_count < ip->log_max) ip->log[ip->log_count++] = iteration;
}

/* What the gap and the decrease are measured by. */
static double size_of(const struct interior_point *ip, const struct progress *at)
{
  return fmax(at->cost + elastic_priced(&ip->rows, ip->price), 1e-3);
}

/* How much of the mean product of the rows the next step aims at. */
static double falling(double length, const struct progress *at)
{
  if (length > 0.99 && at->residual < 1e-5) return 0.01;
  return length > 0.9 ? 0.1 : length > 0.1 ? 0.4 : 1;
}

/* Derivatives, residual and barrier of where the iteration stands. */
static void assess(struct interior_point *ip, struct progress *at, double length)
{
  const struct transcription *t = ip->problem;
  /* no smaller than the end needs: rounding of the rooms counts by z / s */
  const double least = 0.3 * tolerances[ip->rough].gap * size_of(ip, at);
  size_t pairs;
  newton_differentiate(ip);
  at->residual = newton_gradient(ip, ip->rows.z, ip->lambda);
  newton_missed(ip, &at->miss);
  at->miss = fmax(at->miss, elastic_lag(&ip->rows));
  at->slow = at->residual > SLOW * at->force && at->residual > tolerances[ip->rough].residual ? at->slow + 1 : 0;
  at->curved = at->curved || at->slow > 2 || cost_is_dented(&ip->problem->cost);
  at->gap = elastic_gap(&ip->rows, &pairs);
  /* Where the cost bends so much, a barrier that is gone before the cost has settled leaves no way along the limits. */
  const bool waits = cost_is_dented(&t->cost) && at->decrease > at->gap;
  if (pairs > 0 && !waits)
    at->mu = fmax(fmin(at->gap / (double)pairs * falling(length, at), at->mu), least / (double)pairs);
}

/* A whole step that was to take `decrease` off leaves no more than a part of it: where it was small enough already, nothing
 * has to be factored to know how much there is left. */
static const double STEP_LEAVES = 0.1;

/*   left  in  of the decrease at hand, what there may still be */
static bool converged(const struct interior_point *ip, const struct progress *at, double left)
{
  const struct tolerance *most = &tolerances[ip->rough];
  const double size = size_of(ip, at);
  return at->residual <= most->residual && at->gap <= most->gap * size &&
         left * at->decrease <= most->decrease * size && at->miss <= MISS_MOST;
}

/* Is all that is left rounding? While a step still takes more off than a solution may leave, it is not, however long the
 * residual stays where it is: dry friction keeps it up until the last point has found its side of rest. */
static bool exhausted(const struct interior_point *ip, struct progress *at)
{
  const bool rough = ip->rough && !cost_is_dented(&ip->problem->cost); /* kinks make residuals jump until the end */
  at->since = at->residual < 0.5 * at->lowest ? 0 : at->since + 1;
  at->lowest = fmin(at->lowest, at->residual);
  return at->since > PATIENCE && at->decrease <= tolerances[rough].decrease * size_of(ip, at);
}

/* Distances of bodies have kinks, and steps from one side of them to the other get short: where little is left to gain the
 * rest is not worth them. */
static const double KINK_DECREASE = 1e-3, KINK_GAP = 5e-2, KINK_STEADY = 1e-4;
static bool at_kinks(const struct interior_point *ip, struct progress *at, bool stuck)
{
  const double part = ip->rough ? 1 : 0.1, moved = fabs(at->cost - at->cost_before);
  at->steady = moved <= part * KINK_STEADY * size_of(ip, at) ? at->steady + 1 : 0;
  at->cost_before = at->cost;
  if (!stuck && at->steady <= 2 * PATIENCE) return false;
  return at->decrease <= part * KINK_DECREASE * size_of(ip, at) && at->gap <= part * KINK_GAP * size_of(ip, at);
}

/* Then it is a solution if the rest is small: where multipliers are large, rounding keeps the residual up. */
static bool good_enough(const struct interior_point *ip, const struct progress *at)
{
  return at->residual <= RESIDUAL_ROUNDED && at->decrease <= DECREASE_ROUNDED * size_of(ip, at) &&
         at->gap <= 10 * tolerances[ip->rough].gap * size_of(ip, at) && at->miss <= MISS_MOST;
}

/* Short steps to the end leave the passages missed by as little as they were. Take that away: it is hardly any change of the
 * motion, and a passage is a promise. The equations must be factored. */
static void passages_close(struct interior_point *ip, struct progress *at)
{
  const struct kkt *k = &ip->kkt;
  double largest;
  newton_missed(ip, &largest);
  memset(ip->miss_left, 0, k->equations * sizeof *ip->miss_left);
  for (int i = 0; i < 4 && largest > MISS_MOST && largest < MISS_SMALL; i++) {
    correct(ip, ip->miss_left, 1);
    at->cost = newton_tried(ip, 0, ip->second);
    newton_take(ip);
    newton_missed(ip, &largest);
  }
}

void interior_point_solve(struct interior_point *ip, struct interior_point_result *out)
{
  struct transcription *t = ip->problem;
  struct progress at = { .mu = ip->mu, .force = INFINITY, .lowest = INFINITY, .curved = ip->curved };
  double slope, length = ip->warm ? 0 : 1; /* as if a step had led there; a warm start has yet to get to its mu */
  int stuck = 0, running = 0;
  bool factored = false;
  *out = (struct interior_point_result){ .end = END_STALLED };
  at.cost = newton_begin(ip);
  ip->rows.yields = ip->yielding || cost_is_dented(&t->cost) ? YIELD : 0;
  elastic_start(&ip->rows, ip->price, at.mu, ip->warm);
  for (; out->iterations < ip->iterations_max; out->iterations++) {
    const enum armdyn_go go = ip->go ? ip->go(ip->context) : ARMDYN_GO_ON;
    if (go != ARMDYN_GO_ON) {
      out->end = go == ARMDYN_GO_CANCEL ? END_CANCELLED : END_FINISHED;
      break;
    }
    assess(ip, &at, length);
    const bool done = out->iterations > 0 && length > 0.99 && converged(ip, &at, STEP_LEAVES);
    if (!done && !(factored = direction(ip, &at, &slope))) break;
    if (done || converged(ip, &at, 1)) {
      out->end = END_OPTIMAL;
      break;
    }
    if (!advance(ip, &at, slope, &length)) {
      if (at.curved) break;
      at.curved = true;
    }
    interior_point_note(ip, (struct armdyn_iteration){ at.cost, at.residual, at.mu, length, at.curved });
    if (exhausted(ip, &at)) {
      if (good_enough(ip, &at)) out->end = END_OPTIMAL;
      break;
    }
    running = length < STUCK ? running + 1 : 0;
    if (t->obstacles && at_kinks(ip, &at, running >= STUCK_RUNNING)) break;
    if (running >= STUCK_RUNNING && stuck++ < STUCK_MOST) {
      running = 0;
      at.mu = fmin(fmax(10 * at.mu, 1e-6), 1e-2);
      elastic_start(&ip->rows, ip->price, at.mu, false);
    }
  }
  if (factored) passages_close(ip, &at);
  newton_end(ip);
  ip->curved = at.curved;
  out->cost = at.cost * ip->unit;
  out->residual = at.residual;
  out->violation = newton_violation(ip);
}
