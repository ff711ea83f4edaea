/* Stribeck velocities, which torque is not linear in: Gauss and Newton's steps, of all joints at once.
 *   unknowns   u_i = log v_i of the joints searched; beta, all other parameters, linear at a given u
 *   objective  min over u of min over beta of sum |Y(u) beta - tau|^2
 *   slope      d tau / d u_i = (d tau / d v_i) v_i: one more column D_i a joint, d of the friction by v_i for unit excess
 *   rows       Y(u) beta + D c = tau, whose solution says c_i = excess_i dv_i
 *   step       du_i = c_i / (excess_i v_i),  deviation of u_i = that of c_i / (|excess_i| v_i);  excess = stiction - Coulomb friction
 *
 * A regression at the velocities known so far has one more column a joint, by the velocity, whose coefficient is the excess
 * of stiction over Coulomb friction times how far the velocity is off. Other parameters are free meanwhile, so a step is
 * that of variable projection (Kaufman 1975). It is held within what earlier steps have said of the direction. */
#include <math.h>

#include "lib/identify/training.h"
#include "lib/identify/warnings.h"
#include "lib/math/linear.h"

enum { ROUNDS = 12 };

/* Settled when a step of the velocity's logarithm is below this, or this many of its deviations; no step is longer; and how
 * many times a velocity may differ from where the search began. */
static const double SETTLED = 1e-4, SETTLED_DEVIATIONS = 0.01, LONGEST = 0.7, FARTHEST = 10;

/* Stiction that is above Coulomb friction by more than so many deviations is there. */
static const double DEVIATIONS = 3;

/* A velocity whose deviation is a larger part of it is not known. */
static const double VAGUE = 0.25;

/* So little weight does the prior have that it is seen only where data say nothing. */
static const double STRENGTH = 1e-6;

struct velocity {
  bool searched, excess_is_there;
  double place, low, high; /* log of the velocity; between which it is */
  double start;            /* of the search, rad/s (m/s) */
  double excess;           /* stiction - Coulomb friction, N m (N) */
  double step, deviation;  /* of `place` */
  size_t column;           /* base parameter of the slope */
};

struct refinement {
  const struct armdyn_source *source;
  struct armdyn_estimation estimation;
  const unsigned *terms;
  enum armdyn_rotor_columns rotors;
  struct armdyn_robot_description *description; /* with the velocities known so far */
  struct armdyn_robot *robot;
  struct armdyn_unknowns *unknowns; /* with slopes */
  struct armdyn_estimate estimate;
  size_t n;
  struct velocity joints[ARMDYN_JOINTS_MAX];
};

/* Base parameter that is led by this friction parameter of a joint, or the count. */
static size_t base_of(const struct armdyn_unknowns *u, size_t joint, enum armdyn_friction_parameter parameter)
{
  const struct armdyn_parameter_id id = { joint, ARMDYN_PARAMETER_FRICTION, parameter, 0 };
  const size_t k = standard_of(u, &id);
  return k < u->standard_count ? base_led_by(u, k) : u->base_count;
}

/* Stiction over Coulomb friction, the mean of both directions, and its deviation. */
static void judge_excess(const struct refinement *r, size_t joint, struct velocity *v)
{
  static const struct {
    enum armdyn_friction_parameter parameter;
    double factor;
  } parts[] = { { ARMDYN_PARAMETER_STICTION, 1 },
                { ARMDYN_PARAMETER_COULOMB, -1 },
                { ARMDYN_PARAMETER_COULOMB_POSITIVE, -0.5 },
                { ARMDYN_PARAMETER_COULOMB_NEGATIVE, -0.5 } };
  enum { PARTS = sizeof parts / sizeof *parts };
  const size_t b = r->unknowns->base_count;
  size_t at[PARTS];
  double square = 0;
  v->excess = 0;
  for (size_t i = 0; i < PARTS; i++) {
    at[i] = base_of(r->unknowns, joint, parts[i].parameter);
    if (at[i] < b) v->excess += parts[i].factor * r->estimate.beta[at[i]];
  }
  for (size_t i = 0; i < PARTS; i++) {
    for (size_t k = 0; k < PARTS; k++) {
      if (at[i] == b || at[k] == b) continue;
      square += parts[i].factor * parts[k].factor * r->estimate.covariance[at[i] * b + at[k]];
    }
  }
  v->excess_is_there = v->excess > DEVIATIONS * sqrt(fmax(square, 0));
}

static void release_round(struct refinement *r)
{
  armdyn_estimate_free(&r->estimate);
  armdyn_unknowns_free(r->unknowns);
  armdyn_robot_free(r->robot);
  r->unknowns = NULL;
  r->robot = NULL;
}

/* The regression at the velocities known so far, and the step from each. */
static enum armdyn_status look(struct refinement *r, struct armdyn_error *error)
{
  release_round(r);
  for (size_t i = 0; i < r->n; i++) {
    if (r->joints[i].searched) r->description->joints[i].friction.stribeck_velocity = exp(r->joints[i].place);
  }
  enum armdyn_status status = armdyn_robot_new(r->description, &r->robot, error);
  if (!status) status = unknowns_with_slopes(r->robot, r->estimation.loads, r->terms, r->rotors, &r->unknowns, error);
  if (!status) status = armdyn_identify_source(r->unknowns, r->source, &r->estimation, &r->estimate, error);
  for (size_t i = 0; i < r->n && !status; i++) {
    struct velocity *v = &r->joints[i];
    if (!v->searched) continue;
    v->column = base_of(r->unknowns, i, ARMDYN_PARAMETER_STRIBECK_SLOPE);
    if (v->column == r->unknowns->base_count) {
      v->excess_is_there = false;
      continue;
    }
    judge_excess(r, i, v);
    v->step = r->estimate.beta[v->column] / (v->excess * exp(v->place));
    v->deviation = r->estimate.deviation[v->column] / (fabs(v->excess) * exp(v->place));
  }
  return status;
}

static bool is_settled(const struct velocity *v)
{
  return !v->excess_is_there || fabs(v->step) <= fmax(SETTLED, SETTLED_DEVIATIONS * v->deviation);
}

/* A step, held within what the signs of earlier ones have said. */
static void go(struct velocity *v)
{
  if (v->step > 0) {
    v->low = v->place;
  } else {
    v->high = v->place;
  }
  const double to = v->place + fmax(-LONGEST, fmin(v->step, LONGEST));
  v->place = to > v->low && to < v->high ? to : (v->low + v->high) / 2;
}

static enum armdyn_status settle(struct refinement *r, struct armdyn_error *error)
{
  for (size_t round = 0; round < ROUNDS; round++) {
    if (r->estimation.trying) r->estimation.trying(r->estimation.context, round + 1, ROUNDS);
    const enum armdyn_status status = look(r, error);
    if (status) return status;
    bool settled = true;
    for (size_t i = 0; i < r->n; i++) settled = settled && (!r->joints[i].searched || is_settled(&r->joints[i]));
    if (settled) break;
    for (size_t i = 0; i < r->n && round + 1 < ROUNDS; i++) {
      if (r->joints[i].searched && !is_settled(&r->joints[i])) go(&r->joints[i]);
    }
  }
  return ARMDYN_OK;
}

static bool is_known(const struct velocity *v)
{
  return v->searched && v->excess_is_there && is_settled(v) && v->deviation <= VAGUE;
}

/* A joint whose data show no such friction loses the term: its stiction would be any number. Where it is there, but not its
 * velocity, that of the search stays. Both are said. */
static void conclude(struct refinement *r, struct armdyn_stribeck *out)
{
  for (size_t i = 0; i < r->n; i++) {
    const struct velocity *v = &r->joints[i];
    struct armdyn_friction *friction = &r->description->joints[i].friction;
    out->deviation[i] = is_known(v) ? v->deviation * friction->stribeck_velocity : NAN;
    if (!v->searched || is_known(v)) continue;
    if (!v->excess_is_there) {
      friction->stiction = friction->stribeck_velocity = NAN;
      warn(&out->warnings, ARMDYN_WARNING_STRIBECK_UNKNOWN, (int)i,
           "the data show no Stribeck friction, stiction is not above Coulomb friction by more than %g of their "
           "deviations: the joint is identified without. If it has it, log slower motion or a friction test",
           DEVIATIONS);
    } else {
      friction->stribeck_velocity = v->start;
      warn(&out->warnings, ARMDYN_WARNING_STRIBECK_UNKNOWN, (int)i,
           "the data do not tell the Stribeck velocity: %.3g is only the best of those tried, and stiction is as "
           "rough. Log slower motion, or a friction test of this joint",
           v->start);
    }
  }
}

/* The part of the base parameters' covariance that is owed to the velocities: with c the slopes' coefficients
 * C(beta, c) C(c, c)^-1 C(c, beta), by a factor L L' of C(c, c). */
static enum armdyn_status fill_covariance(const struct refinement *r, const struct armdyn_unknowns *plain,
                                          struct armdyn_stribeck *out)
{
  const size_t b = plain->base_count, all = r->unknowns->base_count;
  size_t columns[ARMDYN_JOINTS_MAX], count = 0;
  for (size_t i = 0; i < r->n; i++) {
    if (is_known(&r->joints[i])) columns[count++] = r->joints[i].column;
  }
  double *L = calloc(count * count + 1, sizeof *L), *scale = calloc(count + 1, sizeof *scale);
  double *factors = malloc((all + 1) * sizeof *factors), *S = calloc(b * count + 1, sizeof *S);
  double *x = malloc((count + 1) * sizeof *x);
  out->covariance = calloc(b * b, sizeof *out->covariance);
  enum armdyn_status status = L && scale && factors && S && x && out->covariance ? ARMDYN_OK : ARMDYN_EMEMORY;
  const double *C = r->estimate.covariance;
  for (size_t k = 0; k < b && !status; k++) {
    bool expressible;
    status = armdyn_base_parameter_in(plain, k, r->unknowns, factors, &expressible);
    for (size_t j = 0; j < all && !status; j++) {
      for (size_t c = 0; c < count; c++) S[k * count + c] += factors[j] * C[j * all + columns[c]];
    }
  }
  for (size_t a = 0; a < count && !status; a++) {
    for (size_t c = 0; c < count; c++) L[a * count + c] = C[columns[a] * all + columns[c]];
  }
  if (!status && count > 0 && scaled_cholesky_factor(count, L, scale)) {
    for (size_t i = 0; i < b; i++) {
      memcpy(x, S + i * count, count * sizeof *x);
      scaled_cholesky_solve(count, L, scale, x);
      for (size_t k = 0; k < b; k++) {
        for (size_t c = 0; c < count; c++) out->covariance[i * b + k] += x[c] * S[k * count + c];
      }
    }
  }
  free(L);
  free(scale);
  free(factors);
  free(S);
  free(x);
  return status;
}

static void begin(struct refinement *r, const struct armdyn_robot *given)
{
  for (size_t i = 0; i < r->n; i++) {
    const struct armdyn_joint *joint = &r->description->joints[i];
    struct velocity *v = &r->joints[i];
    v->searched = isnan(armdyn_robot_description(given)->joints[i].friction.stribeck_velocity) &&
                  !isnan(joint->friction.stribeck_velocity);
    if (!v->searched) continue;
    v->start = joint->friction.stribeck_velocity;
    v->place = log(v->start);
    v->low = log(fmin(fmax(v->start / FARTHEST, 3 * joint->velocity_scale), v->start));
    v->high = log(v->start * FARTHEST);
  }
}

enum armdyn_status armdyn_refine_stribeck(const struct armdyn_robot *given, const struct armdyn_robot *chosen,
                                          const unsigned *terms, enum armdyn_rotor_columns rotors,
                                          const struct armdyn_source *source,
                                          const struct armdyn_estimation *estimation, struct armdyn_robot **refined,
                                          struct armdyn_stribeck *out, struct armdyn_error *error)
{
  struct refinement r = {
    .source = source, .estimation = *estimation, .terms = terms, .rotors = rotors, .n = armdyn_robot_joint_count(chosen)
  };
  struct armdyn_unknowns *plain = NULL;
  *out = (struct armdyn_stribeck){ 0 };
  *refined = NULL;
  r.estimation.estimator = ARMDYN_RIDGE;
  r.estimation.prior_strength = STRENGTH;
  r.estimation.free_signs = true; /* at a bound a slope would not be that of the squares */
  r.description = malloc(sizeof *r.description);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (!r.description) goto out;
  *r.description = *armdyn_robot_description(chosen);
  begin(&r, given);
  if ((status = settle(&r, error))) goto out;
  conclude(&r, out);
  if ((status = armdyn_robot_new(r.description, refined, error))) goto out;
  if ((status = armdyn_unknowns_under(*refined, estimation->loads, terms, rotors, &plain, error))) goto out;
  status = fill_covariance(&r, plain, out);
out:
  if (status) {
    armdyn_robot_free(*refined);
    *refined = NULL;
    armdyn_stribeck_free(out);
  }
  release_round(&r);
  armdyn_unknowns_free(plain);
  free(r.description);
  return status;
}

void armdyn_stribeck_free(struct armdyn_stribeck *stribeck)
{
  free(stribeck->covariance);
  stribeck->covariance = NULL;
}
