#include "lib/trajectory/quadrature.h"

#include <math.h>

const double gauss_node[GAUSS_NODES] = { -0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                         0.9061798459386640 };
const double gauss_weight[GAUSS_NODES] = { 0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                           0.4786286704993665, 0.2369268850561891 };

enum {
  DEPTH = 40,
  HALVINGS_SHARED = 1 << 17, /* of all pieces together, and */
  HALVINGS_PIECE = 1 << 10   /* what every piece adds to it */
};

static const double ROUND_OFF = 1e-13; /* no halves of an interval agree better */

struct sums {
  double x[QUADRATURE_TERMS_MAX];
};

struct quadrature {
  size_t terms;
  quadrature_integrand *integrand;
  void *context;
  double tolerance; /* of the mean integrand on an interval */
  size_t halvings;  /* left: beyond 1e8 rad a motion has more oscillations than anybody can wait for */
};

static void gauss(const struct quadrature *w, size_t piece, double from, double to, struct sums *sum)
{
  double value[QUADRATURE_TERMS_MAX];
  memset(sum->x, 0, w->terms * sizeof *sum->x);
  for (int k = 0; k < GAUSS_NODES; k++) {
    w->integrand(w->context, piece, (from + to) / 2 + gauss_node[k] * (to - from) / 2, value);
    for (size_t i = 0; i < w->terms; i++) sum->x[i] += gauss_weight[k] * (to - from) / 2 * value[i];
  }
}

static void integrate(struct quadrature *w, size_t piece, double from, double to, const struct sums *whole, int depth,
                      double *sum)
{
  const double middle = (from + to) / 2;
  struct sums left, right;
  double difference = 0, largest = 0;
  gauss(w, piece, from, middle, &left);
  gauss(w, piece, middle, to, &right);
  for (size_t i = 0; i < w->terms; i++) {
    difference = fmax(difference, fabs(left.x[i] + right.x[i] - whole->x[i]));
    largest = fmax(largest, fabs(whole->x[i]));
  }
  if (depth == 0 || w->halvings == 0 || difference <= fmax(w->tolerance * (to - from), ROUND_OFF * largest)) {
    for (size_t i = 0; i < w->terms; i++) sum[i] += left.x[i] + right.x[i];
    return;
  }
  w->halvings--;
  integrate(w, piece, from, middle, &left, depth - 1, sum);
  integrate(w, piece, middle, to, &right, depth - 1, sum);
}

/* The mean of the largest integrand, roughly. */
static double scale_of(const struct quadrature *w, const struct armdyn_trajectory *t)
{
  double sum = 0;
  for (size_t k = 0; k < t->piece_count; k++) {
    struct sums p;
    double largest = 0;
    gauss(w, k, 0, t->breaks[k + 1] - t->breaks[k], &p);
    for (size_t i = 0; i < w->terms; i++) largest = fmax(largest, fabs(p.x[i]));
    sum += largest;
  }
  return sum / armdyn_trajectory_duration(t);
}

void quadrature_integrate(const struct armdyn_trajectory *trajectory, size_t terms, quadrature_integrand *integrand,
                          void *context, double *sum)
{
  struct quadrature w = { terms, integrand, context, 0, HALVINGS_SHARED };
  memset(sum, 0, terms * sizeof *sum);
  if (!(armdyn_trajectory_duration(trajectory) > 0)) return;
  w.tolerance = 1e-10 * scale_of(&w, trajectory);
  for (size_t k = 0; k < trajectory->piece_count; k++) {
    const double length = trajectory->breaks[k + 1] - trajectory->breaks[k];
    struct sums whole;
    w.halvings += HALVINGS_PIECE;
    gauss(&w, k, 0, length, &whole);
    integrate(&w, k, 0, length, &whole, DEPTH, sum);
  }
}
