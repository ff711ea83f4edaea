#include "armdyn/zones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/derivatives.h"
#include "armdyn/terms.h"
#include "lib/base/random.h"
#include "lib/control/zone_bounds.h"
#include "lib/math/linear.h"
#include "lib/math/symmetric.h"

enum { N = ARMDYN_JOINTS_MAX, POINTS = 64, CORNERS_OF = 5 /* joints, at most */ };
static const double STABLE = 9; /* m s^3 + 3 s^2 + 3 s + 1 by Routh */

struct division {
  const struct armdyn_zoning *zoning;
  size_t n;
  struct armdyn_workspace *workspace;
  struct zone_bounds bounds;
  struct zone_centre centre;
  struct armdyn_zone *zones;
  size_t count;
};

/* ---- poles */

void armdyn_zone_poles(const double inertia[2], double *damping, double *decay)
{
  *damping = *decay = INFINITY;
  for (size_t k = 0; k < 2; k++) {
    const double c = cbrt(inertia[k] - 1); /* 1/s: -1 - c, and -1 + c/2 +- i c sqrt(3)/2 */
    const double real = 1 - c / 2, square = 1 - c + c * c;
    *damping = fmin(*damping, real / sqrt(square));
    *decay = fmin(*decay, fmin(1 / (1 + c), real / square));
  }
}

/* ---- relative change of inertia */

/* L^-1 X L^-T in place, X symmetric n x n; of |L^-1| where `absolute`. */
static void divide_sides(size_t n, const double *inverse, bool absolute, double *X)
{
  double half[N * N] = { 0 };
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k <= i; k++) {
        const double f = inverse[i * n + k];
        sum += (absolute ? fabs(f) : f) * X[k * n + j];
      }
      half[i * n + j] = sum;
    }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k <= j; k++) {
        const double f = inverse[j * n + k];
        sum += half[i * n + k] * (absolute ? fabs(f) : f);
      }
      X[i * n + j] = sum;
    }
}

/* L^-1 of M = L L'. False: M is not positive definite. */
static bool inverse_factor(size_t n, const double *M, double *inverse)
{
  double L[N * N];
  memcpy(L, M, n * n * sizeof *L);
  if (!cholesky_factor(n, L)) return false;
  memset(inverse, 0, n * n * sizeof *inverse);
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++) {
      double sum = i == j;
      for (size_t k = j; k < i; k++) sum -= L[i * n + k] * inverse[k * n + j];
      inverse[i * n + j] = sum / L[i * n + i];
    }
  return true;
}

/* The largest |eigenvalue| of L^-1 X L^-T. */
static double relative_size(size_t n, const double *inverse, bool absolute, double *X)
{
  double values[N], scratch[3 * N];
  divide_sides(n, inverse, absolute, X);
  symmetric_eigen(n, X, values, NULL, scratch);
  return fmax(fabs(values[0]), fabs(values[n - 1]));
}

/* ---- one zone */

/* What the bounds say of a box of this half width about the centre; that of inertia only where its factor is there. */
static double judge(const struct division *d, const double *half, const double *inverse, struct armdyn_zone *zone)
{
  const struct armdyn_zoning *zoning = d->zoning;
  double inertia[N * N], worst = 0;
  zone_bounds_within(&d->bounds, &d->centre, half, zone->error, inertia);
  for (size_t i = 0; i < d->n && zoning->about == ARMDYN_ZONES_LINEAR; i++) {
    for (size_t j = 0; j < d->n; j++) zone->error[i] += inertia[i * d->n + j] * zoning->acceleration[j];
    worst = fmax(worst, zone->error[i] / zoning->torque[i]);
  }
  zone->change = inverse ? relative_size(d->n, inverse, true, inertia) : INFINITY;
  return zoning->about == ARMDYN_ZONES_LINEAR ? worst : zone->change / zoning->inertia;
}

static void find_gains(const struct division *d, struct armdyn_zone *zone)
{
  struct armdyn_gains gains;
  double scaled[N * N], values[N], scratch[3 * N];
  const double *M = d->centre.inertia;
  const size_t n = d->n;
  armdyn_gains_init(d->zoning->robot, d->zoning->law, d->zoning->bandwidth, zone->q, d->workspace, &gains);
  memcpy(zone->kp, gains.kp, sizeof zone->kp);
  memcpy(zone->ki, gains.ki, sizeof zone->ki);
  memcpy(zone->kd, gains.kd, sizeof zone->kd);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) scaled[i * n + j] = M[i * n + j] / sqrt(M[i * n + i] * M[j * n + j]);
  zone->inertia[0] = 0, zone->inertia[1] = INFINITY, zone->damping = zone->decay = -1;
  if (!isfinite(zone->change)) return;
  symmetric_eigen(n, scaled, values, NULL, scratch);
  zone->inertia[0] = fmax(0, (1 - zone->change) * values[0]);
  zone->inertia[1] = (1 + zone->change) * values[n - 1];
  if (zone->inertia[1] < STABLE) armdyn_zone_poles(zone->inertia, &zone->damping, &zone->decay);
}

static void halves_of(size_t n, const struct armdyn_zone *zone, double *half)
{
  for (size_t j = 0; j < n; j++) half[j] = fmax(zone->high[j] - zone->q[j], zone->q[j] - zone->low[j]);
}

/* Answers whether the inverse of M's factor is there. */
static bool stand_at(struct division *d, const struct armdyn_zone *zone, double *inverse)
{
  zone_centre_at(d->zoning->robot, zone->q, d->workspace, &d->centre);
  return inverse_factor(d->n, d->centre.inertia, inverse);
}

static void open_zone(struct division *d, struct armdyn_zone *zone)
{
  double half[N], inverse[N * N];
  for (size_t j = 0; j < d->n; j++) zone->q[j] = zone->low[j] + (zone->high[j] - zone->low[j]) / 2;
  halves_of(d->n, zone, half);
  const bool regular = stand_at(d, zone, inverse);
  zone->worst = judge(d, half, regular ? inverse : NULL, zone);
  find_gains(d, zone);
}

/* The joint whose halving makes the bound least; n: none is wide enough to be halved. */
static size_t best_joint(struct division *d, const struct armdyn_zone *zone)
{
  double half[N], inverse[N * N], least = INFINITY;
  struct armdyn_zone unread;
  size_t best = d->n;
  const bool regular = stand_at(d, zone, inverse);
  halves_of(d->n, zone, half);
  for (size_t j = 0; j < d->n; j++) {
    const double whole = half[j];
    if (!(zone->low[j] < zone->q[j] && zone->q[j] < zone->high[j])) continue;
    half[j] /= 2;
    const double bound = judge(d, half, regular ? inverse : NULL, &unread);
    if (bound < least) least = bound, best = j;
    half[j] = whole;
  }
  if (best < d->n || regular) return best;
  for (size_t j = 0; j < d->n; j++) /* of a singular centre nothing is known: the widest */
    if (half[j] > 0 && (best == d->n || half[j] > half[best])) best = j;
  return best;
}

static void split(struct division *d, size_t at, size_t joint)
{
  struct armdyn_zone *zone = &d->zones[at], *other = &d->zones[d->count++];
  zone->depth++;
  *other = *zone;
  zone->high[joint] = other->low[joint] = zone->q[joint];
  open_zone(d, zone);
  open_zone(d, other);
}

/* The worst zone that may still be halved; count: none. */
static size_t worst_of(const struct division *d)
{
  size_t worst = d->count;
  for (size_t k = 0; k < d->count; k++) {
    const struct armdyn_zone *zone = &d->zones[k];
    if (zone->worst <= 1 || zone->depth >= d->zoning->depth) continue;
    if (worst == d->count || zone->worst > d->zones[worst].worst) worst = k;
  }
  return worst;
}

static void divide(struct division *d)
{
  const struct armdyn_zoning *zoning = d->zoning;
  while (d->count < zoning->most) {
    const size_t worst = worst_of(d);
    if (worst == d->count) return;
    if (zoning->progress && !zoning->progress(zoning->progress_context, d->count, d->zones[worst].worst)) return;
    const size_t joint = best_joint(d, &d->zones[worst]);
    if (joint == d->n)
      d->zones[worst].depth = ARMDYN_ZONE_DEPTH_MAX;
    else
      split(d, worst, joint);
  }
}

/* ---- what is found by looking */

static double off_at(const struct division *d, const double *centre, const double *q, const double *inverse)
{
  const struct armdyn_zoning *zoning = d->zoning;
  const struct zone_centre *c = &d->centre;
  const size_t n = d->n;
  double gravity[N], stiffness[N * N], inertia[N * N], worst = 0;
  armdyn_zone_model(zoning->robot, q, d->workspace, gravity, stiffness, inertia);
  for (size_t k = 0; k < n * n; k++) inertia[k] -= c->inertia[k];
  if (zoning->about == ARMDYN_ZONES_GAINS) return relative_size(n, inverse, false, inertia) / zoning->inertia;
  for (size_t i = 0; i < n; i++) {
    double tangent = c->gravity[i], off = 0;
    for (size_t j = 0; j < n; j++) tangent += c->stiffness[i * n + j] * (q[j] - centre[j]);
    off = fabs(gravity[i] - tangent);
    for (size_t j = 0; j < n; j++) off += fabs(inertia[i * n + j]) * zoning->acceleration[j];
    worst = fmax(worst, off / zoning->torque[i]);
  }
  return worst;
}

/* Corners of up to CORNERS_OF joints that are divided, and points by chance; the same in every run. */
static void look(struct division *d, struct armdyn_zone *zone, uint64_t *random)
{
  double q[N], inverse[N * N];
  if (!stand_at(d, zone, inverse)) {
    zone->found = NAN;
    return;
  }
  for (size_t point = 0; point < POINTS; point++) {
    size_t wide = 0;
    for (size_t j = 0; j < d->n; j++) {
      const double width = zone->high[j] - zone->low[j];
      const bool corner = point < 1u << CORNERS_OF;
      const double at = corner ? (double)(point >> wide % CORNERS_OF & 1) : random_unit(random);
      q[j] = zone->low[j] + at * width;
      wide += width > 0;
    }
    zone->found = fmax(zone->found, off_at(d, zone->q, q, inverse));
  }
}

static void sum_up(struct division *d, struct armdyn_zones *out)
{
  uint64_t random = random_from_seed(1);
  for (size_t k = 0; k < d->count; k++) {
    struct armdyn_zone *zone = &d->zones[k];
    double share = 1;
    look(d, zone, &random);
    for (size_t j = 0; j < d->n; j++) {
      const double whole = d->zoning->high[j] - d->zoning->low[j];
      if (whole > 0) share *= (zone->high[j] - zone->low[j]) / whole;
    }
    out->worst = fmax(out->worst, zone->worst);
    if (zone->worst <= 1) continue;
    out->left++;
    out->left_share += share;
  }
}

/* ---- the whole */

static enum armdyn_status check(const struct armdyn_zoning *zoning, size_t n, struct armdyn_error *error)
{
  for (size_t j = 0; j < n; j++) {
    if (!(isfinite(zoning->low[j]) && isfinite(zoning->high[j]) && zoning->low[j] <= zoning->high[j]))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/box", "joint %zu goes from %g to %g: give both ends, in order",
                           j + 1, zoning->low[j], zoning->high[j]);
    if (zoning->about == ARMDYN_ZONES_LINEAR && !(zoning->torque[j] > 0))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/torque_error", "must be above 0, got %g", zoning->torque[j]);
    if (zoning->about == ARMDYN_ZONES_LINEAR && !(zoning->acceleration[j] >= 0))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/acceleration", "must not be below 0, got %g",
                           zoning->acceleration[j]);
  }
  if (zoning->about == ARMDYN_ZONES_GAINS && !(zoning->inertia > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/inertia_error", "must be above 0, got %g", zoning->inertia);
  if (!armdyn_law_schedules(zoning->law) || !(zoning->bandwidth > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/law", "gains are those of a PID and more, of a bandwidth above 0");
  if (zoning->most < 1 || zoning->most > ARMDYN_ZONES_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/zones_max", "must be from 1 to %d", ARMDYN_ZONES_MAX);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_zones_find(const struct armdyn_zoning *zoning, struct armdyn_zones *zones,
                                     struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(zoning->robot);
  struct division d = { .zoning = zoning, .n = n };
  *zones = (struct armdyn_zones){ 0 };
  enum armdyn_status status = check(zoning, n, error);
  if (status) return status;
  d.workspace = armdyn_workspace_new(n);
  d.zones = calloc(zoning->most, sizeof *d.zones);
  status = d.workspace && d.zones ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) status = zone_bounds_new(zoning->robot, zoning->low, zoning->high, &d.bounds);
  if (!status) status = zone_centre_new(n, &d.centre);
  if (!status) {
    memcpy(d.zones->low, zoning->low, n * sizeof *zoning->low);
    memcpy(d.zones->high, zoning->high, n * sizeof *zoning->high);
    d.count = 1;
    open_zone(&d, d.zones);
    divide(&d);
    sum_up(&d, zones);
    zones->zones = d.zones, zones->count = d.count;
    d.zones = NULL;
  }
  free(d.zones);
  free(d.centre.gravity);
  zone_bounds_free(&d.bounds);
  armdyn_workspace_free(d.workspace);
  return status;
}

void armdyn_zones_free(struct armdyn_zones *zones)
{
  free(zones->zones);
  *zones = (struct armdyn_zones){ 0 };
}

void armdyn_zone_model(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                       double *gravity, double *stiffness, double *inertia)
{
  const double zero[N] = { 0 };
  const struct armdyn_load load = { .frictionless = true };
  double by_qd[N * N];
  armdyn_gravity_torque(robot, q, workspace, gravity);
  armdyn_inverse_dynamics_derivatives(robot, q, zero, zero, &load, workspace, stiffness, by_qd, inertia);
}

/* ---- which zone */

static double distance_to(const struct armdyn_zone *zone, size_t joints, const double *q)
{
  double most = 0;
  for (size_t j = 0; j < joints; j++) most = fmax(most, fmax(zone->low[j] - q[j], q[j] - zone->high[j]));
  return most;
}

size_t armdyn_zone_of(const struct armdyn_zone *zones, size_t count, size_t joints, const double *q, size_t now,
                      double hysteresis)
{
  double least = INFINITY;
  size_t nearest = 0;
  if (now < count && distance_to(&zones[now], joints, q) <= hysteresis) return now;
  for (size_t k = 0; k < count && least > 0; k++) {
    const double away = distance_to(&zones[k], joints, q);
    if (away < least) least = away, nearest = k;
  }
  return nearest;
}

/* ---- gains of another posture */

enum armdyn_status armdyn_zones_ratios(const struct armdyn_robot *robot, const double *at,
                                       struct armdyn_workspace *workspace, const struct armdyn_zone *zones,
                                       size_t count, double *ratios)
{
  const size_t n = armdyn_robot_joint_count(robot);
  double M[N * N], own[N];
  armdyn_mass_matrix(robot, at, workspace, M);
  for (size_t j = 0; j < n; j++)
    if (!((own[j] = M[j * (n + 1)]) > 0)) return ARMDYN_ESINGULAR;
  for (size_t k = 0; k < count; k++) {
    double middle[N];
    for (size_t j = 0; j < n; j++) middle[j] = (zones[k].low[j] + zones[k].high[j]) / 2;
    armdyn_mass_matrix(robot, middle, workspace, M);
    for (size_t j = 0; j < n; j++) ratios[k * n + j] = M[j * (n + 1)] / own[j];
  }
  return ARMDYN_OK;
}

void armdyn_zones_take_gains(struct armdyn_zone *zones, size_t count, size_t joints, const double *ratios,
                             const struct armdyn_gains *gains)
{
  for (size_t k = 0; k < count; k++)
    for (size_t j = 0; j < joints; j++) {
      const double ratio = ratios[k * joints + j];
      zones[k].kp[j] = ratio * gains->kp[j];
      zones[k].ki[j] = ratio * gains->ki[j];
      zones[k].kd[j] = ratio * gains->kd[j];
    }
}
