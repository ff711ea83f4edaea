/* min f(x) + rho sum p with room(x) = s - p: the conditions s z = mu, p (rho - z) = mu give
 *   ds = mu / z - s - s / z dz,   dp = mu / (rho - z) - p + p / (rho - z) dz,
 *   dz = w (e - d room),  w = 1 / (s / z + p / (rho - z)),  e = mu / z - s - mu / (rho - z) + p,
 *   (H + J' w J) dx = -(grad f + J' (z + w e)),  J = -d room / dx,
 * with y = rho - z kept beside z for its figures, and after each step s or p grows until room = s - p holds exactly. H is Gauss-Newton's until that gets slow, then as
 * much of the true curvature joins it as keeps it positive definite. Source: Nocedal & Wright, ch. 10 and 19. */
#include "lib/trajectory/interior_point.h"

#include <math.h>

#include "lib/math/band.h"

static const double RESIDUAL_MOST = 1e-7, DECREASE_MOST = 1e-9, GAP_MOST = 1e-7, ROUNDING = 1e-13, SLOW = 0.3;

/* Where the iteration stands. */
struct progress {
  double mu, cost, gap, residual, decrease;
  double force; /* what the step is to take away, as the residual */
  int slow;     /* iterations running that took too little of it */
  bool curved;  /* with the true curvature */
};

static size_t rows_of(const struct interior_point *ip)
{
  return ip->problem->bound_count * (ip->problem->intervals + 1);
}

/* Does bound row i limit anything? */
static bool counts(const struct interior_point *ip, size_t i)
{
  const size_t knots = ip->problem->intervals + 1;
  return transcription_bounds(ip->problem, &ip->problem->bounds[i / knots], i % knots);
}

void interior_point_carve(struct interior_point *ip, struct carve *c)
{
  const size_t unknowns = ip->problem->controls * ip->problem->n, band = unknowns * 4 * ip->problem->n;
  double **const vectors[] = { &ip->controls, &ip->trial, &ip->step, &ip->gradient };
  double **const bands[] = { &ip->H, &ip->S, &ip->factor };
  double **const rows[] = { &ip->s, &ip->p, &ip->z, &ip->y, &ip->dz, &ip->change, &ip->weight, &ip->pull };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = carve(c, unknowns, sizeof(double));
  for (size_t i = 0; i < sizeof bands / sizeof *bands; i++) *bands[i] = carve(c, band, sizeof(double));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = carve(c, rows_of(ip), sizeof(double));
}

/* The pair s - p = room on the central path. */
static void start_rows(struct interior_point *ip, double mu)
{
  for (size_t i = 0; i < rows_of(ip); i++) {
    const double d = ip->problem->room[i];
    /* mu / z - mu / (rho - z) = d, from the stable root of d z^2 - (d rho + 2 mu) z + mu rho = 0 */
    const double b = d * ip->price + 2 * mu, root = sqrt(fmax(b * b - 4 * d * mu * ip->price, 0));
    ip->z[i] = b > 0 ? 2 * mu * ip->price / (b + root) : (b - root) / (2 * d);
    ip->s[i] = mu / ip->z[i];
    ip->p[i] = ip->s[i] - d; /* without loss of figures where d < 0; else mu / y is */
    ip->y[i] = d < 0 ? mu / ip->p[i] : ip->price - ip->z[i];
    if (d >= 0) ip->p[i] = mu / ip->y[i];
    if (!counts(ip, i)) ip->s[i] = ip->p[i] = 1, ip->z[i] = 0, ip->y[i] = ip->price;
  }
}

/* Sum of s z + p (rho - z), over two for every bound */
static double complementarity(const struct interior_point *ip, size_t *count)
{
  double sum = 0;
  *count = 0;
  for (size_t i = 0; i < rows_of(ip); i++) {
    if (!counts(ip, i)) continue;
    sum += ip->s[i] * ip->z[i] + ip->p[i] * ip->y[i];
    *count += 2;
  }
  return sum;
}

static double priced(const struct interior_point *ip)
{
  double sum = 0;
  for (size_t i = 0; i < rows_of(ip); i++) sum += counts(ip, i) ? ip->price * ip->p[i] : 0;
  return sum;
}

/* The free controls: first element and number */
static size_t free_first(const struct transcription *t)
{
  return t->fixed * t->n;
}
static size_t free_count(const struct transcription *t)
{
  return (t->controls - 2 * t->fixed) * t->n;
}

static double gradient_of(struct interior_point *ip, const double *multiplier, double *size)
{
  const struct transcription *t = ip->problem;
  double largest = 0;
  memset(ip->gradient, 0, t->controls * t->n * sizeof *ip->gradient);
  transcription_gradient(t, multiplier, ip->gradient, size);
  for (size_t i = 0; i < free_count(t); i++) largest = fmax(largest, fabs(ip->gradient[free_first(t) + i]));
  return largest;
}

/* Factor H + share S with the largest share of 1, 1/2, 1/4, 1/8, 0 that is positive definite. */
static bool factor(struct interior_point *ip, bool curved)
{
  const struct transcription *t = ip->problem;
  const size_t width = 4 * t->n, first = free_first(t) * width, count = free_count(t) * width;
  for (double share = curved ? 1 : 0;; share = share > 0.2 ? share / 2 : 0) {
    for (size_t i = first; i < first + count; i++) ip->factor[i] = ip->H[i] + (share > 0 ? share * ip->S[i] : 0);
    if (band_factor(free_count(t), width, ip->factor + first)) return true;
    if (share == 0) return false;
  }
}

/* The Newton step of everything; the derivative of the merit along it. False: no factorisation. */
static bool direction(struct interior_point *ip, struct progress *at, double *slope)
{
  struct transcription *t = ip->problem;
  const size_t first = free_first(t), count = free_count(t);
  for (size_t i = 0; i < rows_of(ip); i++) {
    const double z = ip->z[i], y = ip->y[i], s = ip->s[i], p = ip->p[i];
    const bool on = counts(ip, i);
    ip->weight[i] = on ? 1 / (s / z + p / y) : 0;
    ip->pull[i] = on ? z + ip->weight[i] * (at->mu / z - s - at->mu / y + p) : 0;
  }
  transcription_gauss_newton(t, ip->weight, ip->H);
  if (at->curved) transcription_curvature(t, ip->z, ip->S);
  if (!factor(ip, at->curved)) return false;
  double size;
  at->force = gradient_of(ip, ip->pull, &size);
  at->force = size > 0 ? at->force / size : 0;
  memset(ip->step, 0, t->controls * t->n * sizeof *ip->step);
  for (size_t i = first; i < first + count; i++) ip->step[i] = -ip->gradient[i];
  band_solve(count, 4 * t->n, ip->factor + first * 4 * t->n, ip->step + first);
  transcription_room_change(t, ip->step, ip->change);

  *slope = 0;
  for (size_t i = first; i < first + count; i++) *slope += ip->gradient[i] * ip->step[i];
  at->decrease = -*slope / 2;
  for (size_t i = 0; i < rows_of(ip); i++) {
    if (!counts(ip, i)) continue;
    const double z = ip->z[i], y = ip->y[i], s = ip->s[i], p = ip->p[i];
    ip->dz[i] = ip->pull[i] - z - ip->weight[i] * ip->change[i];
    const double ds = at->mu / z - s - s / z * ip->dz[i], dp = at->mu / y - p + p / y * ip->dz[i];
    *slope += ip->pull[i] * ip->change[i] + (ip->price - at->mu / p) * dp - at->mu / s * ds;
  }
  return true;
}

/* Longest steps, up to 1, that leave the fraction tau of every distance to the boundary. */
static void step_lengths(const struct interior_point *ip, double mu, double *primal, double *dual)
{
  const double keep = 0.995;
  *primal = *dual = 1;
  for (size_t i = 0; i < rows_of(ip); i++) {
    if (!counts(ip, i)) continue;
    const double z = ip->z[i], y = ip->y[i], s = ip->s[i], p = ip->p[i], dz = ip->dz[i];
    const double ds = mu / z - s - s / z * dz, dp = mu / y - p + p / y * dz;
    if (ds < 0) *primal = fmin(*primal, -keep * s / ds);
    if (dp < 0) *primal = fmin(*primal, -keep * p / dp);
    if (dz < 0) *dual = fmin(*dual, -keep * z / dz);
    if (dz > 0) *dual = fmin(*dual, keep * y / dz);
  }
}

/* s and p after a step, restored to s - p = room by growing one of them. */
static void moved(const struct interior_point *ip, double mu, double length, size_t i, double *s, double *p)
{
  const double z = ip->z[i], y = ip->y[i], dz = ip->dz[i];
  *s = ip->s[i] + length * (mu / z - ip->s[i] - ip->s[i] / z * dz);
  *p = ip->p[i] + length * (mu / y - ip->p[i] + ip->p[i] / y * dz);
  const double excess = ip->problem->room[i] - (*s - *p);
  if (excess > 0)
    *s += excess;
  else
    *p -= excess;
}

static double merit_rows(const struct interior_point *ip, double mu, double length)
{
  double sum = 0, s, p;
  for (size_t i = 0; i < rows_of(ip); i++) {
    if (!counts(ip, i)) continue;
    s = ip->s[i], p = ip->p[i];
    if (length > 0) moved(ip, mu, length, i, &s, &p);
    sum += ip->price * p - mu * log(s * p);
  }
  return sum;
}

/* Backtrack until the merit falls; false when it does not. */
static bool advance(struct interior_point *ip, struct progress *at, double slope, double *length)
{
  struct transcription *t = ip->problem;
  double dual;
  const double before = at->cost + merit_rows(ip, at->mu, 0);
  step_lengths(ip, at->mu, length, &dual);
  for (int k = 0; k < 30; k++, *length /= 2) {
    for (size_t i = 0; i < t->controls * t->n; i++) ip->trial[i] = ip->controls[i] + *length * ip->step[i];
    const double cost = transcription_evaluate(t, ip->trial);
    const double after = cost + merit_rows(ip, at->mu, *length);
    if (!(after <= before + 1e-4 * *length * fmin(slope, 0) + ROUNDING * (1 + fabs(before)))) continue;
    at->cost = cost;
    for (size_t i = 0; i < rows_of(ip); i++) {
      if (!counts(ip, i)) continue;
      double s, p;
      moved(ip, at->mu, *length, i, &s, &p);
      ip->s[i] = s, ip->p[i] = p;
      ip->z[i] += dual * ip->dz[i];
      ip->y[i] -= dual * ip->dz[i];
    }
    memcpy(ip->controls, ip->trial, t->controls * t->n * sizeof *ip->controls);
    return true;
  }
  at->cost = transcription_evaluate(t, ip->controls);
  return false;
}

static void note(struct interior_point *ip, const struct progress *at, double length)
{
  if (!ip->log || ip->log_count == ip->log_max) return;
  ip->log[ip->log_count++] = (struct armdyn_iteration){ at->cost, at->residual, at->mu, length, at->curved };
}

/* The weights are scaled so that the cost starts at about 1. */
static void rescale(struct transcription *t, double by)
{
  for (size_t j = 0; j < t->n; j++) t->weights[j] *= by;
}

void interior_point_solve(struct interior_point *ip, struct interior_point_result *out)
{
  struct transcription *t = ip->problem;
  struct progress at = { .mu = 1e-2, .force = INFINITY };
  double slope, length = 1;
  size_t pairs;
  *out = (struct interior_point_result){ .end = END_STALLED };
  at.cost = transcription_evaluate(t, ip->controls);
  const double unit = at.cost > 0 ? at.cost : 1;
  rescale(t, 1 / unit);
  at.cost /= unit;
  start_rows(ip, at.mu);
  for (; out->iterations < ip->iterations_max; out->iterations++) {
    const enum armdyn_go go = ip->go ? ip->go(ip->context) : ARMDYN_GO_ON;
    double size;
    if (go != ARMDYN_GO_ON) {
      out->end = go == ARMDYN_GO_CANCEL ? END_CANCELLED : END_FINISHED;
      break;
    }
    transcription_differentiate(t);
    at.residual = gradient_of(ip, ip->z, &size);
    at.residual = size > 0 ? at.residual / size : 0;
    at.slow = at.residual > SLOW * at.force && at.residual > RESIDUAL_MOST ? at.slow + 1 : 0;
    at.curved = at.curved || at.slow > 2;
    at.gap = complementarity(ip, &pairs);
    if (pairs > 0)
      at.mu = fmax(fmin(at.gap / (double)pairs * (length > 0.9 ? 0.1 : 0.4), at.mu), 1e-10 / (double)pairs);
    if (!direction(ip, &at, &slope)) break;
    const double size_now = fmax(at.cost + priced(ip), 1e-3);
    if (at.residual <= RESIDUAL_MOST && at.gap <= GAP_MOST * size_now && at.decrease <= DECREASE_MOST * size_now) {
      out->end = END_OPTIMAL;
      break;
    }
    if (!advance(ip, &at, slope, &length)) {
      if (at.curved) break;
      at.curved = true;
    }
    note(ip, &at, length);
  }
  rescale(t, unit);
  out->cost = at.cost * unit;
  out->residual = at.residual;
  for (size_t i = 0; i < rows_of(ip); i++)
    if (counts(ip, i)) out->violation = fmax(out->violation, -t->room[i]);
}
