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
static const struct tolerance {
  double residual, decrease, gap;
} tolerances[] = { { 1e-7, 1e-9, 1e-7 }, { 1e-4, 1e-6, 1e-5 } };
static const double ROUNDING = 1e-13, RESIDUAL_ROUNDED = 1e-4, DECREASE_ROUNDED = 1e-8, SLOW = 0.3;
/* Steps that are shorter than this have run into rows that are far from the central path: these start anew. */
static const double STUCK = 1e-3;
static const double YIELD = 0.5; /* of a room, for what it bends in one step */
enum { STUCK_MOST = 8, STUCK_RUNNING = 2, PATIENCE = 6 };
static const double MISS_MOST = 1e-9, MISS_SMALL = 1e-3;       /* rad (m) */
static const double DURATION_STEP = 0.5, FRACTION_STEP = 0.05; /* most that one step may do */

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

static size_t knot_rows(const struct interior_point *ip)
{
  return ip->problem->bound_count * (ip->problem->intervals + 1);
}

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
  ip->rows.count = knot_rows(ip) + passages_gap_count(ip->passages, t);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = carve(c, size, sizeof(double));
  for (size_t i = 0; i < sizeof borders / sizeof *borders; i++) *borders[i] = carve(c, u, sizeof(double));
  for (size_t i = 0; i < sizeof equations / sizeof *equations; i++) *equations[i] = carve(c, e, sizeof(double));
  ip->H = carve(c, band, sizeof(double));
  ip->S = carve(c, band, sizeof(double));
  ip->kkt.factor = carve(c, band, sizeof(double));
  ip->H_mixed = carve(c, size, sizeof(double));
  ip->S_mixed = carve(c, size, sizeof(double));
  ip->corner = carve(c, u * u, sizeof(double));
  kkt_carve(&ip->kkt, c);
  elastic_carve(&ip->rows, c);
}

static void rows_init(struct interior_point *ip)
{
  const struct transcription *t = ip->problem;
  const size_t knots = t->intervals + 1;
  for (size_t i = 0; i < ip->rows.count; i++)
    ip->rows.on[i] = i >= knot_rows(ip) || bound_applies(t, &t->bounds[i / knots], i % knots);
}

/* Cost, rooms and misses of controls with the duration and passages that are set. */
static double evaluate(struct interior_point *ip, const double *controls)
{
  struct transcription *t = ip->problem;
  const double cost = lagrangian_evaluate(t, controls);
  memcpy(ip->rows.room, t->room, knot_rows(ip) * sizeof *t->room);
  for (size_t i = knot_rows(ip); i < ip->rows.count; i++)
    ip->rows.room[i] = passages_gap(ip->passages, t, i - knot_rows(ip));
  passages_miss(ip->passages, t, controls, ip->miss);
  return cost;
}

static double missed(const struct interior_point *ip, double *largest)
{
  double sum = 0;
  *largest = 0;
  for (size_t i = 0; i < ip->kkt.equations; i++) {
    sum += fabs(ip->miss[i]);
    *largest = fmax(*largest, fabs(ip->miss[i]));
  }
  return sum;
}

/* Gradient of cost - multiplier . room + lambda . miss, and its largest element over its largest summand.
 *   lambda  in  NULL = none */
static double gradient_of(struct interior_point *ip, const double *multiplier, const double *lambda)
{
  const struct transcription *t = ip->problem;
  const struct kkt *k = &ip->kkt;
  double size, largest = 0;
  memset(ip->gradient, 0, k->order * sizeof *ip->gradient);
  memset(ip->unknowns_gradient, 0, k->unknowns * sizeof *ip->unknowns_gradient);
  const double by_duration = lagrangian_gradient(t, multiplier, ip->gradient, &size);
  if (t->free_duration) ip->unknowns_gradient[0] = by_duration;
  for (size_t i = knot_rows(ip); i < ip->rows.count; i++) {
    passages_gap_slopes(ip->passages, t, i - knot_rows(ip), ip->gap_row);
    for (size_t u = 0; u < k->unknowns; u++) ip->unknowns_gradient[u] -= multiplier[i] * ip->gap_row[u];
  }
  for (size_t e = 0; e < k->equations && lambda; e++) {
    for (size_t i = 0; i < k->order; i++) ip->gradient[i] += lambda[e] * k->equal[e * k->order + i];
    for (size_t u = 0; u < k->unknowns; u++) ip->unknowns_gradient[u] += lambda[e] * k->across[e * k->unknowns + u];
  }
  for (size_t i = k->first; i < k->first + k->count; i++) largest = fmax(largest, fabs(ip->gradient[i]));
  double relative = size > 0 ? largest / size : 0;
  for (size_t u = 0; u < k->unknowns; u++)
    relative = fmax(relative, fabs(ip->unknowns_gradient[u]) / (u == 0 && t->free_duration ? 1 : (double)t->intervals));
  return relative;
}

/* Add stiffness A' A: it changes nothing where the equations hold, and makes up for a curvature that only their rows
 * hold back. */
static void stiffen(struct kkt *k, size_t n, double stiffness)
{
  for (size_t e = 0; e < k->equations; e++) {
    const double *row = k->equal + e * k->order;
    size_t first = 0;
    while (first < k->order && row[first] == 0) first++;
    for (size_t a = first; a < k->order && a < first + 4 * n; a += n)
      for (size_t b = a; b < k->order && b < first + 4 * n; b += n)
        k->factor[a * k->width + b - a] += stiffness * row[a] * row[b];
  }
}

/* The same on the unknowns' side. */
static void stiffen_border(struct kkt *k, double stiffness)
{
  for (size_t e = 0; e < k->equations; e++)
    for (size_t u = 0; u < k->unknowns; u++) {
      const double by = stiffness * k->across[e * k->unknowns + u];
      for (size_t i = 0; i < k->order; i++) k->mixed[u * k->order + i] += by * k->equal[e * k->order + i];
      for (size_t v = 0; v < k->unknowns; v++) k->corner[u * k->unknowns + v] += by * k->across[e * k->unknowns + v];
    }
}

/* Factor H + share S with the largest share of 1, 1/2, 1/4, 1/8, 0 that is positive definite, else with a raised
 * diagonal; then the border.
 *   stiffness  out  what the equations were stiffened by */
static bool factor(struct interior_point *ip, const struct duration_bend *plain, const struct duration_bend *bent,
                   const double *corner, double *stiffness)
{
  struct kkt *k = &ip->kkt;
  const size_t first = k->first * k->width, count = k->count * k->width, u = k->unknowns;
  double share = bent ? 1 : 0, raise = 0, largest = 0;
  for (size_t i = first; i < first + count; i += k->width) largest = fmax(largest, ip->H[i]);
  *stiffness = bent ? largest : 0;
  for (;;) {
    for (size_t i = first; i < first + count; i++) k->factor[i] = ip->H[i] + (share > 0 ? share * ip->S[i] : 0);
    for (size_t i = first; i < first + count && raise > 0; i += k->width) k->factor[i] += raise;
    if (*stiffness > 0) stiffen(k, ip->problem->n, *stiffness);
    if (band_factor(k->count, k->width, k->factor + first)) break;
    if (share == 0) raise = raise > 0 ? 100 * raise : 1e-14 * largest;
    share = share > 0.2 ? share / 2 : 0;
    if (!(raise < largest)) return false;
  }
  if (ip->problem->free_duration) {
    for (size_t i = 0; i < k->order; i++) k->mixed[i] += plain->mixed[i] + (bent ? share * bent->mixed[i] : 0);
  }
  memcpy(k->corner, corner, u * u * sizeof *corner);
  if (ip->problem->free_duration) k->corner[0] += plain->corner + (bent ? share * bent->corner : 0);
  if (*stiffness > 0) stiffen_border(k, *stiffness);
  return kkt_reduce(k);
}

/* What gaps and passages add to the second derivatives. */
static void border_bend(struct interior_point *ip)
{
  const struct transcription *t = ip->problem;
  const struct kkt *k = &ip->kkt;
  const size_t u = k->unknowns;
  memset(k->mixed, 0, u * k->order * sizeof *k->mixed);
  memset(ip->corner, 0, u * u * sizeof *ip->corner);
  passages_bend(ip->passages, t, ip->controls, ip->lambda, k->mixed, ip->corner);
  for (size_t i = knot_rows(ip); i < ip->rows.count; i++) {
    passages_gap_slopes(ip->passages, t, i - knot_rows(ip), ip->gap_row);
    for (size_t a = 0; a < u; a++)
      for (size_t b = 0; b < u; b++) ip->corner[a * u + b] += ip->rows.weight[i] * ip->gap_row[a] * ip->gap_row[b];
  }
}

static void room_changes(struct interior_point *ip)
{
  const struct transcription *t = ip->problem;
  const size_t u = ip->kkt.unknowns;
  lagrangian_room_change(t, ip->step, t->free_duration ? ip->unknowns_step[0] : 0, ip->rows.change);
  for (size_t i = knot_rows(ip); i < ip->rows.count; i++) {
    passages_gap_slopes(ip->passages, t, i - knot_rows(ip), ip->gap_row);
    ip->rows.change[i] = 0;
    for (size_t a = 0; a < u; a++) ip->rows.change[i] += ip->gap_row[a] * ip->unknowns_step[a];
  }
}

/* The Newton step of everything; the derivative of the merit along it. False: no factorisation. */
static bool direction(struct interior_point *ip, struct progress *at, double *slope)
{
  struct transcription *t = ip->problem;
  struct kkt *k = &ip->kkt;
  struct duration_bend plain = { ip->H_mixed, 0 }, bent = { ip->S_mixed, 0 };
  elastic_condense(&ip->rows, at->mu);
  lagrangian_gauss_newton(t, ip->rows.weight, ip->rows.z, ip->H, &plain);
  if (at->curved) lagrangian_curvature(t, ip->rows.z, ip->S, &bent);
  border_bend(ip);
  double stiffness;
  if (!factor(ip, &plain, at->curved ? &bent : NULL, ip->corner, &stiffness)) return false;
  at->force = gradient_of(ip, ip->rows.pull, ip->lambda);
  if (k->equations > 0) gradient_of(ip, ip->rows.pull, NULL);
  memset(ip->step, 0, k->order * sizeof *ip->step);
  for (size_t i = k->first; i < k->first + k->count; i++) ip->step[i] = -ip->gradient[i];
  for (size_t i = 0; i < k->unknowns; i++) ip->unknowns_step[i] = -ip->unknowns_gradient[i];
  kkt_solve(k, ip->step, ip->unknowns_step, ip->miss, ip->lambda_new);
  for (size_t e = 0; e < k->equations; e++) ip->lambda_new[e] -= stiffness * ip->miss[e];
  room_changes(ip);

  *slope = 0;
  for (size_t i = k->first; i < k->first + k->count; i++) *slope += ip->gradient[i] * ip->step[i];
  for (size_t i = 0; i < k->unknowns; i++) *slope += ip->unknowns_gradient[i] * ip->unknowns_step[i];
  at->decrease = fabs(*slope) / 2;
  elastic_direction(&ip->rows, ip->price, at->mu, slope);
  double largest, price = 0;
  for (size_t e = 0; e < k->equations; e++) price = fmax(price, fabs(ip->lambda_new[e]));
  at->stiffness = fmax(at->stiffness, 2 * price);
  *slope -= at->stiffness * missed(ip, &largest);
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

/* Evaluate a length along the step from where the iteration stands, with a correction or (NULL) without. */
static double tried(struct interior_point *ip, double length, const double *second)
{
  const struct kkt *k = &ip->kkt;
  for (size_t i = 0; i < k->order; i++)
    ip->trial[i] = ip->controls[i] + length * ip->step[i] + (second ? second[i] : 0);
  for (size_t u = 0; u < k->unknowns; u++)
    ip->unknowns_trial[u] = ip->unknowns[u] + length * ip->unknowns_step[u] + (second ? ip->unknowns_second[u] : 0);
  passages_set(ip->passages, ip->problem, ip->unknowns_trial, ip->trial);
  return evaluate(ip, ip->trial);
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
      at->cost + elastic_merit(&ip->rows, ip->price, at->mu, 0) + at->stiffness * missed(ip, &largest);
  const bool correctable = k->equations > 0 && k->unknowns > 0;
  bool corrected = false;
  memcpy(ip->miss_left, ip->miss, k->equations * sizeof *ip->miss);
  step_lengths(ip, length, &dual);
  for (int i = 0; i < 30;
       corrected = !corrected && correctable && i < 3, *length /= corrected ? 1 : 2, i += !corrected) {
    if (corrected) correct(ip, ip->miss_left, *length);
    const double cost = tried(ip, *length, corrected ? ip->second : NULL);
    const double after =
        cost + elastic_merit(&ip->rows, ip->price, at->mu, *length) + at->stiffness * missed(ip, &largest);
    if (!(after <= before + 1e-4 * *length * fmin(slope, 0) + ROUNDING * (1 + fabs(before)))) continue;
    at->cost = cost;
    elastic_move(&ip->rows, *length, dual);
    memcpy(ip->controls, ip->trial, k->order * sizeof *ip->controls);
    memcpy(ip->unknowns, ip->unknowns_trial, k->unknowns * sizeof *ip->unknowns);
    for (size_t e = 0; e < k->equations; e++) ip->lambda[e] += *length * (ip->lambda_new[e] - ip->lambda[e]);
    return true;
  }
  at->cost = tried(ip, 0, NULL);
  return false;
}

static void note(struct interior_point *ip, const struct progress *at, double length)
{
  if (!ip->log || ip->log_count == ip->log_max) return;
  ip->log[ip->log_count++] = (struct armdyn_iteration){ at->cost, at->residual, at->mu, length, at->curved };
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
  transcription_differentiate(ip->problem, ip->controls);
  passages_slopes(ip->passages, t, ip->controls, ip->kkt.equal, ip->kkt.across);
  at->residual = gradient_of(ip, ip->rows.z, ip->lambda);
  missed(ip, &at->miss);
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

/* The largest excess of a bound, or miss of a passage. */
static double violation_of(const struct interior_point *ip)
{
  double largest;
  missed(ip, &largest);
  if (largest <= MISS_MOST) largest = 0;
  for (size_t i = 0; i < ip->rows.count; i++)
    if (ip->rows.on[i]) largest = fmax(largest, -ip->rows.room[i]);
  return largest;
}

/* Is all that is left rounding? While a step still takes more off than a solution may leave, it is not, however long the
 * residual stays where it is: dry friction keeps it up until the last point has found its side of rest. */
static bool exhausted(const struct interior_point *ip, struct progress *at)
{
  at->since = at->residual < 0.5 * at->lowest ? 0 : at->since + 1;
  at->lowest = fmin(at->lowest, at->residual);
  return at->since > PATIENCE && at->decrease <= tolerances[ip->rough].decrease * size_of(ip, at);
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
  missed(ip, &largest);
  memset(ip->miss_left, 0, k->equations * sizeof *ip->miss_left);
  for (int i = 0; i < 4 && largest > MISS_MOST && largest < MISS_SMALL; i++) {
    correct(ip, ip->miss_left, 1);
    at->cost = tried(ip, 0, ip->second);
    memcpy(ip->controls, ip->trial, k->order * sizeof *ip->controls);
    memcpy(ip->unknowns, ip->unknowns_trial, k->unknowns * sizeof *ip->unknowns);
    missed(ip, &largest);
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
  rows_init(ip);
  ip->rows.yields = ip->yielding || cost_is_dented(&t->cost) ? YIELD : 0;
  passages_get(ip->passages, t, ip->unknowns);
  passages_set(ip->passages, t, ip->unknowns, ip->controls);
  at.cost = evaluate(ip, ip->controls);
  if (ip->unit == 0) ip->unit = at.cost > 0 ? at.cost : 1;
  t->cost.scale /= ip->unit;
  t->total /= ip->unit;
  at.cost /= ip->unit;
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
    note(ip, &at, length);
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
  t->cost.scale *= ip->unit;
  ip->curved = at.curved;
  out->cost = at.cost * ip->unit;
  out->residual = at.residual;
  out->violation = violation_of(ip);
}
