/* What is believed of links and rotors, in base parameters. */
#include <math.h>

#include "lib/identify/prior.h"
#include "lib/identify/structure.h"
#include "lib/math/linear.h"

/* A = L' B of the weighted equations, whose square their sums are; z alike. */
static enum armdyn_status rigid_equations(const struct candidates *c, const double *weight, double *A, double *z)
{
  const struct armdyn_unknowns *u = c->rigid;
  const size_t b = u->base_count, p = u->standard_count;
  double samples = 0, *G = calloc(b * (b + 1) + 1, sizeof *G), *g = G ? G + b * b : NULL;
  if (!G) return ARMDYN_EMEMORY;
  for (size_t f = 0; f < c->folds; f++) samples += (double)c->samples[f];
  for (size_t i = 0; i < c->n; i++) {
    const struct joint_candidates *j = &c->joints[i];
    const double factor = weight[i] * weight[i] / samples;
    for (size_t r = 0; r < j->rigid; r++) {
      for (size_t k = 0; k < j->rigid; k++) G[j->column[r] * b + j->column[k]] += factor * j->all[r * j->width + k];
      g[j->column[r]] += factor * j->all[r * j->width + j->width - 1];
    }
  }
  double largest = 0;
  for (size_t k = 0; k < b; k++) largest = fmax(largest, G[k * b + k]);
  for (size_t k = 0; k < b; k++) G[k * b + k] += fmax(1e-10 * G[k * b + k], 1e-14 * largest);
  const bool factored = cholesky_factor(b, G);
  memset(A, 0, b * p * sizeof *A);
  memset(z, 0, b * sizeof *z);
  for (size_t row = 0; row < b && factored; row++) {
    for (size_t k = row; k < b; k++) {
      const double *combination = armdyn_base_parameter_coefficients(u->base, k);
      for (size_t s = 0; s < p; s++) A[row * p + s] += G[k * b + row] * combination[s];
    }
    z[row] = g[row];
    for (size_t k = 0; k < row; k++) z[row] -= G[row * b + k] * z[k];
    z[row] /= G[row * b + row];
  }
  free(G);
  return ARMDYN_OK;
}

enum armdyn_status rigid_prior_open(const struct candidates *candidates, const struct armdyn_estimation *estimation,
                                    double strength, const double *weight, struct rigid_prior *prior)
{
  const struct armdyn_unknowns *u = candidates->rigid;
  const size_t b = u->base_count, p = u->standard_count;
  struct armdyn_warnings said_later = { 0 };
  struct prior of_parameters = { 0 };
  double *A = malloc((b * p + 1) * sizeof *A), *z = malloc((b + 1) * sizeof *z);
  double *H = calloc(p * p + 1, sizeof *H), *scale = malloc((p + 1) * sizeof *scale), *x = calloc(p + 1, sizeof *x);
  double *spread = malloc((b * b + 1) * sizeof *spread);
  *prior = (struct rigid_prior){ malloc((b * b + 1) * sizeof(double)), calloc(b + 1, sizeof(double)) };
  enum armdyn_status status = A && z && H && scale && x && spread && prior->information && prior->pull
                                  ? rigid_equations(candidates, weight, A, z)
                                  : ARMDYN_EMEMORY;
  if (!status) status = prior_open(u, estimation->ignore_prior, A, z, NULL, &of_parameters, &said_later);
  if (status) goto out;
  prior_slopes(&of_parameters, PENALTY_SQUARE, strength, of_parameters.value, x, H);
  if (!scaled_cholesky_factor(p, H, scale)) goto out;
  for (size_t k = 0; k < b; k++) { /* B H^-1 B' */
    memcpy(x, armdyn_base_parameter_coefficients(u->base, k), p * sizeof *x);
    scaled_cholesky_solve(p, H, scale, x);
    for (size_t i = 0; i < b; i++) {
      const double *combination = armdyn_base_parameter_coefficients(u->base, i);
      spread[i * b + k] = 0;
      for (size_t s = 0; s < p; s++) spread[i * b + k] += combination[s] * x[s];
    }
  }
  if (!invert(b, spread, prior->information)) memset(prior->information, 0, b * b * sizeof *prior->information);
  for (size_t i = 0; i < b; i++) {
    for (size_t k = 0; k < b; k++) {
      const double *combination = armdyn_base_parameter_coefficients(u->base, k);
      double value = 0;
      for (size_t s = 0; s < p; s++) value += combination[s] * of_parameters.value[s];
      prior->pull[i] += prior->information[i * b + k] * value;
    }
  }
out:
  prior_close(&of_parameters);
  free(A), free(z), free(H), free(scale), free(x), free(spread);
  if (status) rigid_prior_close(prior);
  return status;
}

void rigid_prior_close(struct rigid_prior *prior)
{
  free(prior->information);
  free(prior->pull);
  *prior = (struct rigid_prior){ 0 };
}
