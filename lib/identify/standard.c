/* With H the curvature of the distance at the prior x0 and B the combinations of the base parameters, the smallest change
 * is x = x0 + G (beta - B x0), G = H^-1 B' (B H^-1 B')^-1. */
#include <math.h>

#include "lib/base/carve.h"
#include "lib/identify/prior.h"
#include "lib/identify/pseudo_inertia.h"
#include "lib/math/linear.h"

struct change {
  size_t b, p;
  double *H, *H_scale; /* p x p, p: factor of H */
  double *N, *N_scale; /* b x b, b: factor of B H^-1 B' */
  double *G;           /* p x b */
  double *work;        /* p */
};

static size_t layout(struct change *c, void *memory)
{
  struct carve carved = { memory, 0 };
  c->H = carve(&carved, c->p * c->p, sizeof *c->H);
  c->H_scale = carve(&carved, c->p, sizeof *c->H_scale);
  c->N = carve(&carved, c->b * c->b, sizeof *c->N);
  c->N_scale = carve(&carved, c->b, sizeof *c->N_scale);
  c->G = carve(&carved, c->p * c->b, sizeof *c->G);
  c->work = carve(&carved, c->p, sizeof *c->work);
  return carved.used;
}

/* First H^-1 B', column by column, then times N^-1, row by row, for N is symmetric. */
static bool fill_gain(const struct prior *prior, struct change *c)
{
  const struct armdyn_base_parameters *base = prior->unknowns->base;
  const size_t b = c->b, p = c->p;
  prior_slopes(prior, PENALTY_SQUARE, 1, prior->value, c->work, c->H);
  if (!scaled_cholesky_factor(p, c->H, c->H_scale)) return false;
  for (size_t k = 0; k < b; k++) {
    memcpy(c->work, armdyn_base_parameter_coefficients(base, k), p * sizeof *c->work);
    scaled_cholesky_solve(p, c->H, c->H_scale, c->work);
    for (size_t i = 0; i < p; i++) c->G[i * b + k] = c->work[i];
  }
  for (size_t i = 0; i < b; i++) {
    const double *combination = armdyn_base_parameter_coefficients(base, i);
    for (size_t k = 0; k < p; k++) {
      for (size_t j = 0; j < b; j++) c->N[i * b + j] += combination[k] * c->G[k * b + j];
    }
  }
  if (!scaled_cholesky_factor(b, c->N, c->N_scale)) return false;
  for (size_t i = 0; i < p; i++) scaled_cholesky_solve(b, c->N, c->N_scale, c->G + i * b);
  return true;
}

/* x0 + G (beta - B x0), and the roots of the diagonal of G C G'. */
static void apply_gain(const struct prior *prior, const struct change *c, const double *beta, const double *covariance,
                       double *standard, double *deviation)
{
  const size_t b = c->b, p = c->p;
  memcpy(standard, prior->value, p * sizeof *standard);
  for (size_t k = 0; k < b; k++) {
    const double *combination = armdyn_base_parameter_coefficients(prior->unknowns->base, k);
    double off = beta[k];
    for (size_t i = 0; i < p; i++) off -= combination[i] * prior->value[i];
    for (size_t i = 0; i < p; i++) standard[i] += c->G[i * b + k] * off;
  }
  for (size_t i = 0; i < p && covariance; i++) {
    const double *g = c->G + i * b;
    double sum = 0;
    for (size_t j = 0; j < b; j++) {
      for (size_t k = 0; k < b; k++) sum += g[j] * covariance[j * b + k] * g[k];
    }
    deviation[i] = sqrt(fmax(sum, 0));
  }
}

enum armdyn_status armdyn_standard_parameters(const struct armdyn_unknowns *unknowns, bool ignore_prior,
                                              const double *beta, const double *covariance, double *standard,
                                              double *deviation, struct armdyn_warnings *warnings)
{
  struct change c = { .b = unknowns->base_count, .p = unknowns->standard_count };
  const size_t size = layout(&c, NULL);
  struct prior prior;
  enum armdyn_status status = prior_open(unknowns, ignore_prior, NULL, NULL, NULL, &prior, warnings);
  if (status) return status;
  void *memory = aligned_alloc(64, size);
  status = ARMDYN_EMEMORY;
  if (!memory) goto out;
  memset(memory, 0, size);
  layout(&c, memory);
  status = ARMDYN_ESINGULAR;
  if (!fill_gain(&prior, &c)) goto out;
  apply_gain(&prior, &c, beta, covariance, standard, deviation);
  status = ARMDYN_OK;
out:
  free(memory);
  prior_close(&prior);
  return status;
}

bool armdyn_link_is_physical(const double link[10])
{
  double P[16];
  pseudo_inertia_of(link, P);
  return pseudo_inertia_invert(P, NULL, NULL);
}
