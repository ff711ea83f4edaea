#include "lib/identify/signs.h"

#include <math.h>

#include "lib/math/nonnegative.h"
#include "lib/model/friction.h"
#include "lib/model/gears.h"

/* How many times as fast as in the data a joint's friction still takes energy out. */
static const double FASTER = 3;

/* -- which there are -- */

enum { PER_JOINT = 8 + FRICTION_PLAIN_COUNT };

static void add(struct signs *signs, size_t bound, double factor, size_t other, double other_factor)
{
  signs->list[signs->count++] = (struct sign){ { bound, other }, { factor, other_factor }, bound, 0, false };
}

/* The parameter of a joint's friction that is identified, or standard_count. */
static size_t identified(const struct armdyn_unknowns *u, const bool *held, size_t joint,
                         enum armdyn_friction_parameter parameter)
{
  const struct armdyn_parameter_id id = { joint, ARMDYN_PARAMETER_FRICTION, parameter, 0 };
  const size_t k = standard_of(u, &id);
  return k < u->standard_count && !held[k] ? k : u->standard_count;
}

/* Of an output of a gear: that with all joints at theirs. */
static double limit_of_speed(const struct armdyn_robot *robot, size_t joint)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(robot);
  double sum = 0;
  if (!robot->friction_at_motors) return d->joints[joint].limits.velocity;
  for (size_t j = 0; j < d->joint_count; j++) {
    const double turn = fabs(robot->gear_from_joint[joint * d->joint_count + j]);
    if (turn > 0) sum += turn * d->joints[j].limits.velocity;
  }
  return sum;
}

double signs_speed(const struct armdyn_robot *robot, size_t joint, double fastest)
{
  const double limit = limit_of_speed(robot, joint);
  return limit > 0 ? fmax(fmin(limit, FASTER * fastest), fastest) : FASTER * fastest;
}

static void signs_of_joint(const struct armdyn_unknowns *u, const bool *held, size_t joint, double speed,
                           struct signs *signs)
{
  static const enum armdyn_friction_parameter coulomb[] = { ARMDYN_PARAMETER_COULOMB, ARMDYN_PARAMETER_COULOMB_POSITIVE,
                                                            ARMDYN_PARAMETER_COULOMB_NEGATIVE };
  static const enum armdyn_friction_parameter viscous[] = { ARMDYN_PARAMETER_VISCOUS, ARMDYN_PARAMETER_VISCOUS_POSITIVE,
                                                            ARMDYN_PARAMETER_VISCOUS_NEGATIVE };
  const size_t none = u->standard_count;
  const size_t stiction = identified(u, held, joint, ARMDYN_PARAMETER_STICTION);
  const size_t high_speed = identified(u, held, joint, ARMDYN_PARAMETER_HIGH_SPEED);
  bool has_coulomb = false, has_viscous = false;
  for (size_t i = 0; i < sizeof coulomb / sizeof *coulomb; i++) {
    const size_t dry = identified(u, held, joint, coulomb[i]), wet = identified(u, held, joint, viscous[i]);
    if (dry < none) add(signs, dry, 1, dry, 0);
    if (dry < none && stiction < none) add(signs, stiction, 1, dry, -1);
    if (wet < none) add(signs, wet, 1, wet, 0);
    if (wet < none && high_speed < none) add(signs, high_speed, 2 * speed, wet, 1);
    has_coulomb = has_coulomb || dry < none;
    has_viscous = has_viscous || wet < none;
  }
  if (stiction < none && !has_coulomb) add(signs, stiction, 1, stiction, 0);
  for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
    const size_t p = friction_plain(k);
    if (p == ARMDYN_FRICTION_PARAMETER_COUNT || !friction_parameters[p].positive) continue;
    const size_t plain = identified(u, held, joint, (enum armdyn_friction_parameter)p);
    if (plain < none) add(signs, plain, 1, plain, 0);
  }
  if (high_speed < none && !has_viscous) add(signs, high_speed, 1, high_speed, 0);
}

double sign_value(const struct sign *sign, const double *standard)
{
  return sign->factor[0] * standard[sign->standard[0]] + sign->factor[1] * standard[sign->standard[1]];
}

/* The base parameter that is this one alone, or base_count. */
static size_t alone(const struct armdyn_unknowns *u, size_t standard)
{
  const size_t k = base_led_by(u, standard);
  const double *combination = k < u->base_count ? armdyn_base_parameter_coefficients(u->base, k) : NULL;
  for (size_t c = 0; combination && c < u->standard_count; c++) {
    if (c != standard && combination[c] != 0) return u->base_count;
  }
  return k;
}

static void fill_rows(struct signs *signs)
{
  const struct armdyn_unknowns *u = signs->unknowns;
  const size_t b = u->base_count, p = u->standard_count;
  for (size_t s = 0; s < signs->count; s++) {
    const struct sign *sign = &signs->list[s];
    const size_t first = alone(u, sign->standard[0]), second = alone(u, sign->standard[1]);
    for (int i = 0; i < 2; i++) signs->in_standard[s * p + sign->standard[i]] += sign->factor[i];
    if (first == b || second == b) continue;
    signs->in_base[s * b + first] += sign->factor[0];
    signs->in_base[s * b + second] += sign->factor[1];
  }
}

enum armdyn_status signs_open(const struct armdyn_unknowns *unknowns, const double *fastest, const bool *held,
                              struct signs *signs)
{
  const size_t b = unknowns->base_count, p = unknowns->standard_count, most = PER_JOINT * unknowns->n;
  *signs = (struct signs){ .unknowns = unknowns };
  signs->list = calloc(most, sizeof *signs->list);
  signs->in_base = calloc(most * b, sizeof *signs->in_base);
  signs->in_standard = calloc(most * p, sizeof *signs->in_standard);
  signs->scratch = malloc(most * (b + p + 2 * most + 5) * sizeof *signs->scratch);
  if (!signs->list || !signs->in_base || !signs->in_standard || !signs->scratch) {
    signs_close(signs);
    return ARMDYN_EMEMORY;
  }
  for (size_t i = 0; i < unknowns->n; i++)
    signs_of_joint(unknowns, held, i, signs_speed(unknowns->robot, i, fastest[i]), signs);
  fill_rows(signs);
  return ARMDYN_OK;
}

void signs_close(struct signs *signs)
{
  free(signs->list);
  free(signs->in_base);
  free(signs->in_standard);
  free(signs->scratch);
  *signs = (struct signs){ 0 };
}

/* -- an estimate that has them -- */

static double dot(size_t count, const double *a, const double *b)
{
  double sum = 0;
  for (size_t k = 0; k < count; k++) sum += a[k] * b[k];
  return sum;
}

/* With x0 the minimum without signs, x = x0 + H^-1 G' y where y minimises y' G H^-1 G' y / 2 + (G x0)' y over y >= 0. */
void signs_impose(struct signs *signs, const struct quadratic *quadratic, double *x)
{
  const size_t m = signs->count, count = quadratic->count;
  const double *G = quadratic->rows;
  double *W = signs->scratch, *S = W + m * count, *d = S + m * m, *y = d + m, *scratch = y + m;
  bool broken = false;
  for (size_t s = 0; s < m; s++) {
    signs->list[s].active = false;
    signs->list[s].wanted = d[s] = dot(count, G + s * count, x);
    broken = broken || d[s] < 0;
  }
  if (!broken) return;
  memcpy(W, G, m * count * sizeof *W);
  for (size_t s = 0; s < m; s++) {
    quadratic->solve(quadratic->context, W + s * count);
    for (size_t t = 0; t <= s; t++) S[s * m + t] = S[t * m + s] = dot(count, G + t * count, W + s * count);
  }
  nonnegative_minimum(m, S, d, y, scratch);
  for (size_t s = 0; s < m; s++) {
    signs->list[s].active = y[s] > 0;
    for (size_t k = 0; k < count && y[s] > 0; k++) x[k] += y[s] * W[s * count + k];
  }
}

double sign_variance(const struct signs *signs, size_t sign, const double *covariance)
{
  const size_t b = signs->unknowns->base_count;
  const double *g = signs->in_base + sign * b;
  double variance = 0;
  for (size_t k = 0; k < b; k++) variance += g[k] * dot(b, covariance + k * b, g);
  return variance;
}

/* P C P', P = I - K G' (G K G')^-1 G, a row g of G after the other: each conditions on one more sign, K too. */
void signs_condition(const struct signs *signs, double *K, double *covariance)
{
  const size_t b = signs->unknowns->base_count;
  double *Kg = signs->scratch, *Cg = Kg + b;
  for (size_t s = 0; s < signs->count; s++) {
    if (!signs->list[s].active) continue;
    const double *g = signs->in_base + s * b;
    for (size_t k = 0; k < b; k++) {
      Kg[k] = dot(b, K + k * b, g);
      Cg[k] = dot(b, covariance + k * b, g);
    }
    const double squares = dot(b, Kg, g), variance = dot(b, Cg, g);
    for (size_t i = 0; i < b && squares > 0; i++) {
      const double part = Kg[i] / squares;
      for (size_t k = 0; k < b; k++) {
        covariance[i * b + k] -= part * Cg[k] + (Cg[i] - part * variance) * Kg[k] / squares;
        K[i * b + k] -= part * Kg[k];
      }
    }
  }
}
