#include "lib/identify/polish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/math/symmetric.h"

/* Names as in the tutorial: m the mean, C = B' diag(D^2) B, p_s and p_c the evolution paths. */
struct strategy {
  size_t n, lambda, mu;
  double sigma, mu_eff, c_s, d_s, c_c, c_1, c_mu, chi;
  double *weight;        /* mu */
  double *m, *C, *B, *D; /* n, n x n, n x n (rows are axes), n */
  double *p_s, *p_c, *y, *triangle, *scratch;
  double *x;     /* lambda x n */
  double *cost;  /* lambda */
  size_t *order; /* lambda */
};

size_t polish_samples(size_t variables)
{
  return 4 + (size_t)(3 * log((double)variables));
}

static void *take(double **at, size_t count)
{
  double *piece = *at;
  *at += count;
  return piece;
}

/* Lay out in `memory`, which has the doubles that are needed; answers how many those are (NULL: only that). */
static size_t lay_out(struct strategy *s, double *memory)
{
  const size_t n = s->n, lambda = s->lambda;
  const size_t count = lambda + 8 * n + 3 * n * n + lambda * n + 2 * lambda;
  double *at = memory;
  if (!memory) return count;
  s->weight = take(&at, lambda);
  s->m = take(&at, n), s->D = take(&at, n), s->p_s = take(&at, n), s->p_c = take(&at, n), s->y = take(&at, n);
  s->scratch = take(&at, 3 * n);
  s->C = take(&at, n * n), s->B = take(&at, n * n), s->triangle = take(&at, n * n);
  s->x = take(&at, lambda * n), s->cost = take(&at, lambda);
  s->order = take(&at, lambda);
  return count;
}

static void begin(struct strategy *s, double step, const double *x)
{
  const double n = (double)s->n;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < s->mu; i++) {
    s->weight[i] = log((double)s->lambda / 2 + 0.5) - log((double)i + 1);
    sum += s->weight[i];
  }
  for (size_t i = 0; i < s->mu; i++) {
    s->weight[i] /= sum;
    squares += s->weight[i] * s->weight[i];
  }
  const double mu = s->mu_eff = 1 / squares;
  s->sigma = step;
  s->c_s = (mu + 2) / (n + mu + 5);
  s->d_s = 1 + 2 * fmax(0, sqrt((mu - 1) / (n + 1)) - 1) + s->c_s;
  s->c_c = (4 + mu / n) / (n + 4 + 2 * mu / n);
  s->c_1 = 2 / ((n + 1.3) * (n + 1.3) + mu);
  s->c_mu = fmin(1 - s->c_1, 2 * (mu - 2 + 1 / mu) / ((n + 2) * (n + 2) + mu));
  s->chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n)); /* length of a normal vector */
  memcpy(s->m, x, s->n * sizeof *x);
  for (size_t k = 0; k < s->n; k++) s->C[k * s->n + k] = s->B[k * s->n + k] = s->D[k] = 1;
}

/* x = m + sigma B' D z */
static void draw(struct strategy *s, uint64_t *random, double *x)
{
  memset(s->y, 0, s->n * sizeof *s->y);
  for (size_t k = 0; k < s->n; k++) {
    const double z = s->D[k] * random_normal(random);
    for (size_t i = 0; i < s->n; i++) s->y[i] += z * s->B[k * s->n + i];
  }
  for (size_t i = 0; i < s->n; i++) x[i] = s->m[i] + s->sigma * s->y[i];
}

static void rank(struct strategy *s)
{
  for (size_t i = 0; i < s->lambda; i++) {
    size_t at = i;
    for (; at > 0 && s->cost[i] < s->cost[s->order[at - 1]]; at--) s->order[at] = s->order[at - 1];
    s->order[at] = i;
  }
}

/* p_s <- (1 - c_s) p_s + sqrt(c_s (2 - c_s) mu) C^-1/2 y; answers |p_s|. */
static double follow_path(struct strategy *s)
{
  const double share = sqrt(s->c_s * (2 - s->c_s) * s->mu_eff);
  double square = 0;
  for (size_t i = 0; i < s->n; i++) s->p_s[i] *= 1 - s->c_s;
  for (size_t k = 0; k < s->n; k++) {
    double along = 0;
    for (size_t i = 0; i < s->n; i++) along += s->B[k * s->n + i] * s->y[i];
    for (size_t i = 0; i < s->n; i++) s->p_s[i] += share * along / s->D[k] * s->B[k * s->n + i];
  }
  for (size_t i = 0; i < s->n; i++) square += s->p_s[i] * s->p_s[i];
  return sqrt(square);
}

/* The mean goes to the better half of the samples, and with it step and shape. */
static void learn(struct strategy *s, size_t round)
{
  const size_t n = s->n;
  const double before = s->sigma;
  double *old = s->scratch;
  memcpy(old, s->m, n * sizeof *old);
  memset(s->m, 0, n * sizeof *s->m);
  for (size_t k = 0; k < s->mu; k++) {
    for (size_t i = 0; i < n; i++) s->m[i] += s->weight[k] * s->x[s->order[k] * n + i];
  }
  for (size_t i = 0; i < n; i++) s->y[i] = (s->m[i] - old[i]) / before;
  const double length = follow_path(s);
  const bool straight =
      length / sqrt(1 - pow(1 - s->c_s, 2 * ((double)round + 1))) < (1.4 + 2 / ((double)n + 1)) * s->chi;
  const double share = straight ? sqrt(s->c_c * (2 - s->c_c) * s->mu_eff) : 0;
  for (size_t i = 0; i < n; i++) s->p_c[i] = (1 - s->c_c) * s->p_c[i] + share * s->y[i];
  const double lost = straight ? 0 : s->c_1 * s->c_c * (2 - s->c_c);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = (1 - s->c_1 - s->c_mu + lost) * s->C[i * n + j] + s->c_1 * s->p_c[i] * s->p_c[j];
      for (size_t k = 0; k < s->mu; k++) {
        const double *x = s->x + s->order[k] * n;
        sum += s->c_mu * s->weight[k] * (x[i] - old[i]) * (x[j] - old[j]) / (before * before);
      }
      s->C[i * n + j] = sum;
    }
  }
  s->sigma *= exp(s->c_s / s->d_s * (length / s->chi - 1));
}

static void take_axes(struct strategy *s)
{
  memcpy(s->triangle, s->C, s->n * s->n * sizeof *s->C);
  symmetric_eigen(s->n, s->triangle, s->D, s->B, s->scratch);
  for (size_t k = 0; k < s->n; k++) s->D[k] = sqrt(fmax(s->D[k], 1e-14 * s->D[s->n - 1]));
}

double polish_search(const struct polish *polish, double cost, double *x)
{
  struct strategy s = { .n = polish->variables, .lambda = polish_samples(polish->variables) };
  s.mu = s.lambda / 2;
  double *memory = calloc(lay_out(&s, NULL), sizeof *memory);
  if (!memory) return NAN;
  lay_out(&s, memory);
  begin(&s, polish->step, x);
  const size_t every = 1 + (size_t)(0.1 / ((s.c_1 + s.c_mu) * (double)s.n)); /* rounds that C waits for its axes */
  for (size_t round = 0; round < polish->rounds; round++) {
    for (size_t i = 0; i < s.lambda; i++) {
      draw(&s, polish->random, s.x + i * s.n);
      s.cost[i] = polish->cost(polish->context, s.x + i * s.n);
    }
    rank(&s);
    if (s.cost[s.order[0]] < cost) {
      cost = s.cost[s.order[0]];
      memcpy(x, s.x + s.order[0] * s.n, s.n * sizeof *x);
    }
    learn(&s, round);
    if (round % every == 0) take_axes(&s);
    if (!polish->go(polish->context, round + 1, cost)) break;
  }
  free(memory);
  return cost;
}
