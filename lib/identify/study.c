/* Shares of simulated runs whose statements hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/study.h"
#include "lib/identify/unknowns.h"
#include "lib/math/distribution.h"

static const double SAME = 1e-9, NORMAL_95 = 1.959963984540054;
const double armdyn_study_deviations[ARMDYN_STUDY_WIDTHS] = { 1, 1.959963984540054 };
const double armdyn_study_shares[ARMDYN_STUDY_WIDTHS] = { 0.682689492137086, 0.95 };

/* -- shares -- */

/* The p at which P(X >= hits) of so many trials is `tail`; it grows with p. */
static double share_with_tail(size_t hits, size_t trials, double tail)
{
  double low = 0, high = 1;
  for (int step = 0; step < 60; step++) {
    const double middle = (low + high) / 2;
    const double above = beta_distribution(middle, (double)hits, (double)(trials - hits + 1));
    if (above < tail)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

struct armdyn_share armdyn_binomial_share(size_t hits, size_t trials, double level)
{
  if (!trials) return (struct armdyn_share){ NAN, NAN, NAN };
  const double tail = (1 - level) / 2;
  return (struct armdyn_share){
    .value = (double)hits / (double)trials,
    .low = hits > 0 ? share_with_tail(hits, trials, tail) : 0,
    .high = hits < trials ? share_with_tail(hits + 1, trials, 1 - tail) : 1,
  };
}

/* -- runs -- */

/* Of one parameter, as runs come in. */
struct tally {
  size_t runs, at_bound, within[ARMDYN_STUDY_WIDTHS];
  double mean, squares; /* of value - truth: mean, sum of squares about it */
  double variance;      /* stated, sum */
};
struct armdyn_study {
  const struct armdyn_unknowns *truth;
  const double *beta;
  size_t count, runs; /* of parameters; with any that has a deviation */
  struct tally *tallies;
  double share[ARMDYN_STUDY_WIDTHS], squares[ARMDYN_STUDY_WIDTHS]; /* of the runs: mean, sum of squares about it */
};

enum armdyn_status armdyn_study_new(const struct armdyn_unknowns *truth, const double *beta, struct armdyn_study **out)
{
  struct armdyn_study *study = *out = calloc(1, sizeof *study);
  if (!study) return ARMDYN_EMEMORY;
  study->truth = truth;
  study->beta = beta;
  study->count = truth->base_count;
  study->tallies = calloc(study->count + 1, sizeof *study->tallies);
  if (study->tallies) return ARMDYN_OK;
  armdyn_study_free(study);
  *out = NULL;
  return ARMDYN_EMEMORY;
}

void armdyn_study_free(struct armdyn_study *study)
{
  if (!study) return;
  free(study->tallies);
  free(study);
}

/* The parameters of a run that make up one of the truth, sum of factors[j] times the j-th of them. */
struct combination {
  size_t count;
  const double *factors, *beta, *deviation, *covariance;
};

static double value_of(const struct combination *c)
{
  double value = 0;
  for (size_t j = 0; j < c->count; j++) value += c->factors[j] * c->beta[j];
  return value;
}

/* NAN: of none of them a deviation is known. */
static double variance_of(const struct combination *c)
{
  double variance = 0;
  bool known = false;
  for (size_t i = 0; i < c->count; i++) {
    if (c->factors[i] == 0) continue;
    known = known || !isnan(c->deviation[i]);
    for (size_t j = 0; j < c->count; j++)
      if (c->factors[j] != 0) variance += c->factors[i] * c->covariance[i * c->count + j] * c->factors[j];
  }
  return known && variance > 0 ? variance : NAN;
}

/* Welford's update: sum of squares about the mean. */
static void take_in(double value, double count, double *mean, double *squares)
{
  const double off = value - *mean;
  *mean += off / count;
  *squares += off * (value - *mean);
}

/* Does it have a deviation? Then hits tells within which it is. */
static bool add(struct tally *t, double truth, const struct combination *c, bool hits[ARMDYN_STUDY_WIDTHS])
{
  const double off = value_of(c) - truth, variance = variance_of(c);
  take_in(off, (double)++t->runs, &t->mean, &t->squares);
  if (isnan(variance)) {
    t->at_bound++;
    return false;
  }
  t->variance += variance;
  for (int w = 0; w < ARMDYN_STUDY_WIDTHS; w++) {
    hits[w] = fabs(off) <= armdyn_study_deviations[w] * sqrt(variance);
    t->within[w] += hits[w];
  }
  return true;
}

/* The order of a line over the motor angle; NAN: the robot has no such line. */
static double order_of(const struct armdyn_unknowns *unknowns, const struct armdyn_parameter_id *id)
{
  const struct armdyn_friction *friction = &armdyn_robot_description(unknowns->robot)->joints[id->joint].friction;
  return id->line < friction->ripple_count ? friction->ripples[id->line].order : NAN;
}

/* The same number of two orders means two things: of a line that each run searches for nothing can be told. */
static bool has_its_lines(const struct armdyn_unknowns *truth, size_t k, const struct armdyn_unknowns *unknowns)
{
  const double *combination = armdyn_base_parameter_coefficients(truth->base, k);
  for (size_t i = 0; i < truth->standard_count; i++) {
    const struct armdyn_parameter_id *id = &truth->id[i];
    if (combination[i] == 0 || id->group != ARMDYN_PARAMETER_FRICTION) continue;
    if (!armdyn_friction_parameter_info((enum armdyn_friction_parameter)id->index)->over_angle) continue;
    if (!(order_of(truth, id) == order_of(unknowns, id))) return false;
  }
  return true;
}

/* Are the k-th parameters of both the same combination? Then nothing needs to be solved, which is the usual case. */
static bool is_same(const struct armdyn_unknowns *a, const struct armdyn_unknowns *b, size_t k)
{
  if (a->standard_count != b->standard_count || a->base_count != b->base_count) return false;
  const double *x = armdyn_base_parameter_coefficients(a->base, k);
  const double *y = armdyn_base_parameter_coefficients(b->base, k);
  for (size_t i = 0; i < a->standard_count; i++) {
    if (!armdyn_parameter_same(&a->id[i], &b->id[i])) return false;
    if (fabs(x[i] - y[i]) > SAME * fmax(1, fabs(x[i]))) return false;
  }
  return true;
}

static enum armdyn_status express(const struct armdyn_study *study, size_t k, const struct armdyn_unknowns *unknowns,
                                  double *factors, bool *expressible)
{
  *expressible = has_its_lines(study->truth, k, unknowns);
  if (!*expressible) return ARMDYN_OK;
  if (!is_same(study->truth, unknowns, k))
    return armdyn_base_parameter_in(study->truth, k, unknowns, factors, expressible);
  memset(factors, 0, unknowns->base_count * sizeof *factors);
  factors[k] = 1;
  return ARMDYN_OK;
}

enum armdyn_status armdyn_study_add(struct armdyn_study *study, const struct armdyn_unknowns *unknowns,
                                    const struct armdyn_estimate *estimate)
{
  const size_t count = unknowns->base_count;
  double *factors = malloc((count + 1) * sizeof *factors), inside[ARMDYN_STUDY_WIDTHS] = { 0 }, judged = 0;
  enum armdyn_status status = factors ? ARMDYN_OK : ARMDYN_EMEMORY;
  const struct combination c = { count, factors, estimate->beta, estimate->deviation, estimate->covariance };
  for (size_t k = 0; k < study->count && !status; k++) {
    bool expressible, hits[ARMDYN_STUDY_WIDTHS];
    status = express(study, k, unknowns, factors, &expressible);
    if (status || !expressible || !add(&study->tallies[k], study->beta[k], &c, hits)) continue;
    judged++;
    for (int w = 0; w < ARMDYN_STUDY_WIDTHS; w++) inside[w] += hits[w];
  }
  if (!status && judged > 0) {
    study->runs++;
    for (int w = 0; w < ARMDYN_STUDY_WIDTHS; w++)
      take_in(inside[w] / judged, (double)study->runs, &study->share[w], &study->squares[w]);
  }
  free(factors);
  return status;
}

/* -- what came out -- */

struct armdyn_study_parameter armdyn_study_parameter(const struct armdyn_study *study, size_t k)
{
  const struct tally *t = &study->tallies[k];
  const double runs = (double)t->runs, judged = (double)(t->runs - t->at_bound), truth = study->beta[k];
  struct armdyn_study_parameter p = {
    .truth = truth,
    .runs = t->runs,
    .at_bound = t->at_bound,
    .mean = t->runs ? truth + t->mean : NAN,
    .bias = t->runs ? t->mean : NAN,
    .spread = t->runs > 1 ? sqrt(t->squares / (runs - 1)) : NAN,
    .stated = judged > 0 ? sqrt(t->variance / judged) : NAN,
  };
  p.bias_error = p.spread / sqrt(runs);
  memcpy(p.within, t->within, sizeof p.within);
  return p;
}

struct armdyn_share armdyn_study_coverage(const struct armdyn_study *study, enum armdyn_study_width width)
{
  if (!study->runs) return (struct armdyn_share){ NAN, NAN, NAN };
  const double runs = (double)study->runs, share = study->share[width];
  if (study->runs < 2) return (struct armdyn_share){ share, NAN, NAN };
  const double half = NORMAL_95 * sqrt(study->squares[width] / (runs - 1) / runs);
  return (struct armdyn_share){ share, fmax(share - half, 0), fmin(share + half, 1) };
}
