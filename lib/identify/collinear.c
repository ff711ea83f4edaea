/* Which parameters the motion hardly tells apart: condition indices and variance proportions of the regressor whose columns
 * have unit length. Source: Belsley, Kuh & Welsch 1980, 3.2. */
#include <math.h>

#include "lib/identify/collinear.h"
#include "lib/identify/warnings.h"
#include "lib/math/symmetric.h"

/* Of a direction: the index from which on it harms an estimate, that from which on it is none at all, and how much of a
 * parameter's variance must come from it. */
static const double HARMFUL = 100, SINGULAR = 1e7, PROPORTION = 0.5;

struct directions {
  size_t count;    /* of parameters */
  double *values;  /* count: squares of the singular values, ascending */
  double *vectors; /* count x count, by row */
};

/* Of R D, D the reciprocal lengths of R's columns. */
static void decompose(const struct training *t, double *gram, double *scratch, struct directions *d)
{
  const size_t b = d->count, stride = b + 1;
  for (size_t i = 0; i < b; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = 0;
      for (size_t k = 0; k <= j; k++) sum += t->R[k * stride + i] * t->R[k * stride + j];
      gram[i * b + j] = sum;
    }
    scratch[i] = gram[i * b + i] > 0 ? 1 / sqrt(gram[i * b + i]) : 0;
  }
  for (size_t i = 0; i < b; i++) {
    for (size_t j = 0; j < i; j++) gram[i * b + j] *= scratch[i] * scratch[j];
    gram[i * b + i] = 1;
  }
  symmetric_eigen(b, gram, d->values, d->vectors, scratch);
}

/* The part of a parameter's variance that comes from a direction. */
static double proportion(const struct directions *d, size_t direction, size_t parameter)
{
  double all = 0;
  for (size_t k = 0; k < d->count; k++) {
    const double v = d->vectors[k * d->count + parameter];
    all += v * v / fmax(d->values[k], 1e-300);
  }
  const double v = d->vectors[direction * d->count + parameter];
  return v * v / fmax(d->values[direction], 1e-300) / all;
}

static void warn_of(const struct training *t, const struct directions *d, size_t direction, double index,
                    struct armdyn_warnings *warnings)
{
  char names[160] = "";
  size_t length = 0, count = 0;
  for (size_t k = 0; k < d->count; k++) {
    char name[ARMDYN_PARAMETER_NAME_SIZE];
    if (proportion(d, direction, k) < PROPORTION) continue;
    armdyn_unknowns_standard_name(t->unknowns, armdyn_base_parameter_lead(t->unknowns->base, k), name);
    if (length + strlen(name) + 2 < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", count ? ", " : "", name);
    count++;
  }
  if (count < 2) return;
  warn(warnings, ARMDYN_WARNING_ILL_CONDITIONED, -1,
       "the motion hardly tells apart %s (condition index %.0f): move otherwise, or take an estimator with a prior",
       names, index);
}

enum armdyn_status warn_of_collinear(struct training *training, struct armdyn_warnings *warnings)
{
  const size_t b = training->unknowns->base_count;
  double *memory = malloc((2 * b * b + 4 * b + 1) * sizeof *memory);
  if (!memory) return ARMDYN_EMEMORY;
  struct directions d = { b, memory, memory + b };
  double *gram = d.vectors + b * b;
  training_stack(training, training->fold_count);
  decompose(training, gram, gram + b * b, &d);
  for (size_t k = 0; k < b; k++) {
    const double index = sqrt(d.values[b - 1] / fmax(d.values[k], 1e-300));
    if (index > HARMFUL && index < SINGULAR) warn_of(training, &d, k, index, warnings);
  }
  free(memory);
  return ARMDYN_OK;
}
