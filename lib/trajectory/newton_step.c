/* Newton's equations of a transcription with rows that weigh on it, and its step; interior_point.h has the signatures:
 *   (H + J' w J) dx + A' lambda = -(grad f + J' pull),  A dx = -miss,  J = -d room / dx,  A = d miss / dx
 * for the controls and the few unknowns beside them. H is Gauss-Newton's, or that and share S with as much of the true
 * curvature S as keeps it positive definite; beside the passages' equations + A' A times its largest diagonal, which changes
 * no solution.
 * Source: Nocedal & Wright, Numerical Optimization, ch. 18. */
#include <math.h>

#include "lib/math/band.h"
#include "lib/trajectory/interior_point.h"

size_t newton_knot_rows(const struct interior_point *ip)
{
  return ip->problem->bound_count * (ip->problem->intervals + 1);
}

double newton_evaluate(struct interior_point *ip, const double *controls)
{
  struct transcription *t = ip->problem;
  const double cost = lagrangian_evaluate(t, controls);
  memcpy(ip->rows.room, t->room, newton_knot_rows(ip) * sizeof *t->room);
  for (size_t i = newton_knot_rows(ip); i < ip->rows.count; i++)
    ip->rows.room[i] = passages_gap(ip->passages, t, i - newton_knot_rows(ip));
  passages_miss(ip->passages, t, controls, ip->miss);
  return cost;
}

double newton_missed(const struct interior_point *ip, double *largest)
{
  double sum = 0;
  *largest = 0;
  for (size_t i = 0; i < ip->kkt.equations; i++) {
    sum += fabs(ip->miss[i]);
    *largest = fmax(*largest, fabs(ip->miss[i]));
  }
  return sum;
}

double newton_begin(struct interior_point *ip)
{
  struct transcription *t = ip->problem;
  const size_t knots = t->intervals + 1;
  for (size_t i = 0; i < ip->rows.count; i++)
    ip->rows.on[i] = i >= newton_knot_rows(ip) || bound_applies(t, &t->bounds[i / knots], i % knots);
  passages_get(ip->passages, t, ip->unknowns);
  passages_set(ip->passages, t, ip->unknowns, ip->controls);
  const double cost = newton_evaluate(ip, ip->controls);
  lagrangian_sides_start(t);
  if (ip->unit == 0) ip->unit = cost > 0 ? cost : 1;
  t->cost.scale /= ip->unit;
  t->total /= ip->unit;
  return cost / ip->unit;
}

void newton_end(struct interior_point *ip)
{
  ip->problem->cost.scale *= ip->unit;
}

void newton_differentiate(struct interior_point *ip)
{
  lagrangian_differentiate(ip->problem, ip->controls);
  passages_slopes(ip->passages, ip->problem, ip->controls, ip->kkt.equal, ip->kkt.across);
}

double newton_gradient(struct interior_point *ip, const double *multiplier, const double *lambda)
{
  const struct transcription *t = ip->problem;
  const struct kkt *k = &ip->kkt;
  double size, largest = 0;
  memset(ip->gradient, 0, k->order * sizeof *ip->gradient);
  memset(ip->unknowns_gradient, 0, k->unknowns * sizeof *ip->unknowns_gradient);
  const double by_duration = lagrangian_gradient(t, multiplier, ip->gradient, &size);
  if (t->free_duration) ip->unknowns_gradient[0] = by_duration;
  for (size_t i = newton_knot_rows(ip); i < ip->rows.count; i++) {
    passages_gap_slopes(ip->passages, t, i - newton_knot_rows(ip), ip->gap_row);
    for (size_t u = 0; u < k->unknowns; u++) ip->unknowns_gradient[u] -= multiplier[i] * ip->gap_row[u];
  }
  for (size_t e = 0; e < k->equations && lambda; e++) {
    for (size_t i = 0; i < k->order; i++) ip->gradient[i] += lambda[e] * k->equal[e * k->order + i];
    for (size_t u = 0; u < k->unknowns; u++) ip->unknowns_gradient[u] += lambda[e] * k->across[e * k->unknowns + u];
  }
  for (size_t i = k->first; i < k->first + k->count; i++)
    largest = fabs(ip->gradient[i]) > largest ? fabs(ip->gradient[i]) : largest; /* fmax is a call */
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
    memcpy(k->factor + first, ip->H + first, count * sizeof *ip->H);
    for (size_t i = first; i < first + count && share > 0; i++) k->factor[i] += share * ip->S[i];
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
  for (size_t i = newton_knot_rows(ip); i < ip->rows.count; i++) {
    passages_gap_slopes(ip->passages, t, i - newton_knot_rows(ip), ip->gap_row);
    for (size_t a = 0; a < u; a++)
      for (size_t b = 0; b < u; b++) ip->corner[a * u + b] += ip->rows.weight[i] * ip->gap_row[a] * ip->gap_row[b];
  }
}

static void room_changes(struct interior_point *ip)
{
  const struct transcription *t = ip->problem;
  const size_t u = ip->kkt.unknowns;
  lagrangian_room_change(t, ip->step, t->free_duration ? ip->unknowns_step[0] : 0, ip->rows.change);
  for (size_t i = newton_knot_rows(ip); i < ip->rows.count; i++) {
    passages_gap_slopes(ip->passages, t, i - newton_knot_rows(ip), ip->gap_row);
    ip->rows.change[i] = 0;
    for (size_t a = 0; a < u; a++) ip->rows.change[i] += ip->gap_row[a] * ip->unknowns_step[a];
  }
}

bool newton_step(struct interior_point *ip, bool curved, double *force)
{
  struct transcription *t = ip->problem;
  struct kkt *k = &ip->kkt;
  struct duration_bend plain = { ip->H_mixed, 0 }, bent = { ip->S_mixed, 0 };
  lagrangian_gauss_newton(t, ip->rows.weight, ip->rows.z, ip->H, &plain);
  if (curved) lagrangian_curvature(t, ip->rows.z, ip->S, &bent);
  border_bend(ip);
  double stiffness;
  if (!factor(ip, &plain, curved ? &bent : NULL, ip->corner, &stiffness)) return false;
  *force = newton_gradient(ip, ip->rows.pull, ip->lambda);
  if (k->equations > 0) newton_gradient(ip, ip->rows.pull, NULL);
  memset(ip->step, 0, k->order * sizeof *ip->step);
  for (size_t i = k->first; i < k->first + k->count; i++) ip->step[i] = -ip->gradient[i];
  for (size_t i = 0; i < k->unknowns; i++) ip->unknowns_step[i] = -ip->unknowns_gradient[i];
  kkt_solve(k, ip->step, ip->unknowns_step, ip->miss, ip->lambda_new);
  for (size_t e = 0; e < k->equations; e++) ip->lambda_new[e] -= stiffness * ip->miss[e];
  room_changes(ip);
  return true;
}

double newton_slope(const struct interior_point *ip)
{
  const struct kkt *k = &ip->kkt;
  double slope = 0;
  for (size_t i = k->first; i < k->first + k->count; i++) slope += ip->gradient[i] * ip->step[i];
  for (size_t i = 0; i < k->unknowns; i++) slope += ip->unknowns_gradient[i] * ip->unknowns_step[i];
  return slope;
}

double newton_tried(struct interior_point *ip, double length, const double *second)
{
  const struct kkt *k = &ip->kkt;
  for (size_t i = 0; i < k->order; i++)
    ip->trial[i] = ip->controls[i] + length * ip->step[i] + (second ? second[i] : 0);
  for (size_t u = 0; u < k->unknowns; u++)
    ip->unknowns_trial[u] = ip->unknowns[u] + length * ip->unknowns_step[u] + (second ? ip->unknowns_second[u] : 0);
  passages_set(ip->passages, ip->problem, ip->unknowns_trial, ip->trial);
  return newton_evaluate(ip, ip->trial);
}

void newton_take(struct interior_point *ip)
{
  memcpy(ip->controls, ip->trial, ip->kkt.order * sizeof *ip->controls);
  memcpy(ip->unknowns, ip->unknowns_trial, ip->kkt.unknowns * sizeof *ip->unknowns);
}

double newton_violation(const struct interior_point *ip)
{
  double largest;
  newton_missed(ip, &largest);
  if (largest <= MISS_MOST) largest = 0;
  for (size_t i = 0; i < ip->rows.count; i++)
    if (ip->rows.on[i]) largest = fmax(largest, -ip->rows.room[i]);
  return largest;
}
