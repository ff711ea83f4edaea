#include "lib/identify/prior.h"

#include <math.h>

#include "lib/base/carve.h"
#include "lib/identify/pseudo_inertia.h"
#include "lib/identify/warnings.h"
#include "lib/model/compiled.h"

/* Eigenvalues of a projected pseudo-inertia, relative to the largest. */
static const double PROJECTED = 1e-3;

/* The barrier of positive parameters without a prior, and the pull on those without bounds towards their prior, in the
 * unit of the equations, half the square of what is left of one joint's torque over its deviation. */
static const double BARRIER = 1e-6, PULL = 1e-8;

static size_t layout(struct prior *prior, void *memory, size_t n, size_t p)
{
  struct carve c = { memory, 0 };
  prior->value = carve(&c, p, sizeof *prior->value);
  prior->scale = carve(&c, p, sizeof *prior->scale);
  prior->known = carve(&c, p, sizeof *prior->known);
  prior->inverse = carve(&c, 16 * n, sizeof *prior->inverse);
  prior->log_determinant = carve(&c, n, sizeof *prior->log_determinant);
  return c.used;
}

/* A ball of 1 kg halfway to the next joint, half as wide as that is far; about the origin and in the axes of the link
 * frame of the convention. */
static void rough_link(const struct armdyn_unknowns *u, size_t i, double link[10])
{
  const struct armdyn_robot *robot = u->robot;
  const struct pose *frame = &robot->joints[i].frame, back = pose_inverse(frame);
  double reach = 0, next[3] = { 0, 0, 0 }, centre[3], P[16];
  for (size_t k = 0; k < u->n; k++) {
    const double *p = robot->joints[k].parent.p;
    reach += sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / (double)u->n;
  }
  memcpy(next, i + 1 < u->n ? robot->joints[i + 1].parent.p : robot->tool.p, sizeof next);
  const double far = sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2]);
  const double width = fmax(far, fmax(reach / 2, 0.05)) / 2;
  rotate3(centre, back.r, next);
  for (int k = 0; k < 3; k++) centre[k] = centre[k] / 2 + back.p[k];
  for (int r = 0; r < 4; r++) {
    for (int c = 0; c < 4; c++) {
      const double x = r < 3 ? centre[r] : 1, y = c < 3 ? centre[c] : 1;
      P[4 * r + c] = x * y + (r == c && r < 3 ? width * width / 5 : 0);
    }
  }
  pseudo_inertia_parameters(P, link);
}

/* How many times the rough bodies explain most of the torque: the least-squares factor of all of them. */
static double rough_factor(const struct prior *prior, const bool *rough, const double *A, const double *z)
{
  const struct armdyn_unknowns *u = prior->unknowns;
  double with = 0, square = 0;
  for (size_t row = 0; row < u->base_count; row++) {
    double sum = 0, rest = z[row];
    for (size_t k = 0; k < 10 * u->n; k++) {
      const double part = A[row * u->standard_count + k] * prior->value[k];
      if (rough[k / 10])
        sum += part;
      else
        rest -= part;
    }
    with += sum * rest;
    square += sum * sum;
  }
  const double factor = square > 0 ? with / square : 1;
  return factor > 1e-3 ? fmin(factor, 1e3) : 1;
}

/* Links: those of the robot, or the nearest or roughest that can be. */
static void fill_links(struct prior *prior, bool ignore, const double *A, const double *z,
                       struct armdyn_warnings *warnings)
{
  const struct armdyn_unknowns *u = prior->unknowns;
  bool rough[ARMDYN_JOINTS_MAX] = { false };
  double P[16];
  for (size_t i = 0; i < u->n; i++) {
    double *link = prior->value + 10 * i;
    rough[i] = ignore || !(link[0] > 0);
    if (rough[i]) {
      rough_link(u, i, link);
      if (!ignore) {
        warn(warnings, ARMDYN_WARNING_PRIOR_MASSLESS, (int)i,
             "the model's link has no mass: a ball of uniform density stands in for it; give the link a body, or "
             "identify without prior");
      }
    } else if (!armdyn_link_is_physical(link)) {
      pseudo_inertia_of(link, P);
      pseudo_inertia_project(PROJECTED, P);
      pseudo_inertia_parameters(P, link);
      warn(warnings, ARMDYN_WARNING_PRIOR_UNPHYSICAL, (int)i,
           "no body has the inertia of the model's link: the nearest possible one stands in for it; correct the model");
    }
  }
  const double factor = A ? rough_factor(prior, rough, A, z) : 1;
  for (size_t k = 0; k < 10 * u->n; k++) {
    if (rough[k / 10]) prior->value[k] *= factor;
    prior->known[k] = true;
  }
  for (size_t i = 0; i < u->n; i++) {
    pseudo_inertia_of(prior->value + 10 * i, P);
    pseudo_inertia_invert(P, &prior->log_determinant[i], prior->inverse + 16 * i);
  }
}

static void fill_scale(struct prior *prior, const double *A, const double *z)
{
  const struct armdyn_unknowns *u = prior->unknowns;
  const size_t p = u->standard_count;
  double torque = 0;
  for (size_t row = 0; row < u->base_count && A; row++) {
    torque += z[row] * z[row];
    for (size_t k = 0; k < p; k++) prior->scale[k] += A[row * p + k] * A[row * p + k];
  }
  for (size_t k = 0; k < p; k++) {
    prior->scale[k] = prior->scale[k] > 0 && torque > 0 ? sqrt(torque / prior->scale[k]) : 1;
  }
}

static bool is_held(const struct prior *prior, size_t k)
{
  return prior->held && prior->held[k];
}

enum armdyn_status prior_open(const struct armdyn_unknowns *unknowns, bool ignore, const double *equations,
                              const double *z, const bool *held, struct prior *prior, struct armdyn_warnings *warnings)
{
  const struct armdyn_unknowns *u = unknowns;
  const size_t p = u->standard_count;
  *prior = (struct prior){ .unknowns = u, .held = held };
  const size_t size = layout(prior, NULL, u->n, p);
  void *memory = aligned_alloc(64, size);
  if (!memory) return ARMDYN_EMEMORY;
  memset(memory, 0, size);
  layout(prior, memory, u->n, p);
  memcpy(prior->value, u->prior, p * sizeof *prior->value);
  fill_scale(prior, equations, z);
  fill_links(prior, ignore, equations, z, warnings);
  for (size_t k = 10 * u->n; k < p; k++) {
    if (is_held(prior, k)) continue;
    prior->known[k] = !ignore && u->role[k] == ROLE_POSITIVE && prior->value[k] > 0;
    if (u->role[k] == ROLE_POSITIVE && !prior->known[k]) prior->value[k] = 0.1 * prior->scale[k];
    if (u->role[k] == ROLE_FREE && ignore) prior->value[k] = 0;
  }
  return ARMDYN_OK;
}

void prior_close(struct prior *prior)
{
  free(prior->value); /* the first of one piece */
  *prior = (struct prior){ 0 };
}

/* The distance of link i, its gradient (10) and Hessian (10 x 10). NULL: not wanted. */
static double link_distance(const struct prior *prior, size_t i, const double *x, double *gradient, double *hessian)
{
  return pseudo_inertia_distance(prior->inverse + 16 * i, prior->log_determinant[i], x, gradient, hessian);
}

/* The same of one parameter beyond the links. A square is known by its slopes at the prior. */
static double lone_penalty(const struct prior *prior, enum penalty penalty, double strength, size_t k, double x,
                           double *slope, double *curvature)
{
  const double value = prior->value[k], off = x - value, scale = prior->scale[k];
  if (prior->known[k] && penalty == PENALTY_DISTANCE) {
    *slope = strength * (1 / value - 1 / x);
    *curvature = strength / (x * x);
    return x > 0 ? strength * (x / value - 1 - log(x / value)) : INFINITY;
  }
  if (prior->known[k]) {
    *curvature = strength / (value * value);
    *slope = *curvature * off;
    return *slope * off / 2;
  }
  if (prior->unknowns->role[k] == ROLE_POSITIVE && penalty == PENALTY_DISTANCE && !is_held(prior, k)) {
    *slope = -BARRIER / x;
    *curvature = BARRIER / (x * x);
    return x > 0 ? -BARRIER * log(x / scale) : INFINITY;
  }
  *curvature = PULL / (scale * scale);
  *slope = *curvature * off;
  return *slope * off / 2;
}

/* A parameter that is positive for itself needs no second barrier. */
static bool is_barred(const struct prior *prior, const struct sign *sign)
{
  return sign->factor[1] != 0 || prior->unknowns->role[sign->bound] != ROLE_POSITIVE;
}

static double sign_scale(const struct prior *prior, const struct sign *sign)
{
  return fabs(sign->factor[0]) * prior->scale[sign->bound];
}

void prior_keep_signs(struct prior *prior, const struct signs *signs)
{
  prior->signs = signs;
  for (size_t s = 0; s < signs->count; s++) {
    const struct sign *sign = &signs->list[s];
    const double value = sign_value(sign, prior->value), least = 1e-3 * sign_scale(prior, sign);
    if (is_barred(prior, sign) && value < least) prior->value[sign->bound] += (least - value) / sign->factor[0];
  }
}

/* The barriers' part of the penalty, -BARRIER log(value / scale); the scale makes no difference to where the minimum is. */
static double barriers(const struct prior *prior, const double *x)
{
  double sum = 0;
  for (size_t s = 0; prior->signs && s < prior->signs->count; s++) {
    const struct sign *sign = &prior->signs->list[s];
    const double value = sign_value(sign, x);
    if (is_barred(prior, sign)) sum += value > 0 ? -BARRIER * log(value / sign_scale(prior, sign)) : INFINITY;
  }
  return sum;
}

static void add_barrier_slopes(const struct prior *prior, const double *x, double *gradient, double *hessian)
{
  const size_t p = prior->unknowns->standard_count;
  for (size_t s = 0; prior->signs && s < prior->signs->count; s++) {
    const struct sign *sign = &prior->signs->list[s];
    if (!is_barred(prior, sign)) continue;
    const double value = sign_value(sign, x);
    for (int i = 0; i < 2; i++) {
      gradient[sign->standard[i]] -= BARRIER / value * sign->factor[i];
      for (int k = 0; k < 2; k++)
        hessian[sign->standard[i] * p + sign->standard[k]] +=
            BARRIER / (value * value) * sign->factor[i] * sign->factor[k];
    }
  }
}

/* The barrier pushes by BARRIER / value, and is so stiff that it takes BARRIER / value^2 from the variance's inverse. */
double prior_sign_without_barrier(const struct prior *prior, const struct sign *sign, const double *x, double variance)
{
  const double value = sign_value(sign, x), stiffness = BARRIER / (value * value);
  if (!is_barred(prior, sign) && prior->known[sign->bound]) return value;
  return value - stiffness * value * variance / fmax(1 - stiffness * variance, 1e-12);
}

double prior_penalty(const struct prior *prior, enum penalty penalty, double strength, const double *x)
{
  const struct armdyn_unknowns *u = prior->unknowns;
  double sum = 0, slope, curvature;
  for (size_t i = 0; i < u->n; i++) {
    if (penalty == PENALTY_DISTANCE) {
      sum += strength * link_distance(prior, i, x + 10 * i, NULL, NULL);
      continue;
    }
    double hessian[100] = { 0 };
    link_distance(prior, i, prior->value + 10 * i, NULL, hessian);
    for (size_t r = 0; r < 10; r++) {
      for (size_t c = 0; c < 10; c++) {
        const double row = x[10 * i + r] - prior->value[10 * i + r], column = x[10 * i + c] - prior->value[10 * i + c];
        sum += strength / 2 * row * hessian[10 * r + c] * column;
      }
    }
  }
  for (size_t k = 10 * u->n; k < u->standard_count; k++) {
    sum += lone_penalty(prior, penalty, strength, k, x[k], &slope, &curvature);
  }
  return penalty == PENALTY_DISTANCE ? sum + barriers(prior, x) : sum;
}

void prior_slopes(const struct prior *prior, enum penalty penalty, double strength, const double *x, double *gradient,
                  double *hessian)
{
  const struct armdyn_unknowns *u = prior->unknowns;
  const size_t p = u->standard_count;
  for (size_t i = 0; i < u->n; i++) {
    const double *link = x + 10 * i, *value = prior->value + 10 * i;
    double g[10] = { 0 }, H[100] = { 0 };
    link_distance(prior, i, penalty == PENALTY_DISTANCE ? link : value, g, H);
    for (size_t r = 0; r < 10; r++) {
      for (size_t c = 0; c < 10; c++) {
        hessian[(10 * i + r) * p + 10 * i + c] += strength * H[10 * r + c];
        if (penalty == PENALTY_SQUARE) g[r] += H[10 * r + c] * (link[c] - value[c]);
      }
      gradient[10 * i + r] += strength * g[r];
    }
  }
  for (size_t k = 10 * u->n; k < p; k++) {
    double slope, curvature;
    lone_penalty(prior, penalty, strength, k, x[k], &slope, &curvature);
    gradient[k] += slope;
    hessian[k * p + k] += curvature;
  }
  if (penalty == PENALTY_DISTANCE) add_barrier_slopes(prior, x, gradient, hessian);
}
