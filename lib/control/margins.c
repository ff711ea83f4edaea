/* Margins: where the loops of a linear loop are -1, or as large as 1, on a grid of frequencies whose brackets are halved. */
#include <float.h>
#include <math.h>

#include "lib/control/linear_loop.h"

enum { HALVINGS = 46, DEPTH = 44 };
static const double TURN = 0.8; /* rad: between two frequencies a pivot turns by less, or there is one between them */
static const double FLAT =
    1e-3; /* of a logarithm: a loop that changes by less between two low frequencies has a value at rest */
static const double PI = 3.14159265358979323846;

/* ---- stability: the argument principle outside of the circle, where det(1 + L) has the arm's unstable poles as its own, the
 * loop's as its zeros, and is 1 far away: zeros = poles - turns of det(1 + L) along the circle. By symmetry half the circle
 * is enough. The turns of the pivots add up to those of the determinant, and no two joints that are alike hide each other
 * there. */

static double turn_between(struct armdyn_linear_loop *l, double low, const struct linear_point *at_low, double high,
                           const struct linear_point *at_high, int depth)
{
  double sum = 0, most = 0;
  for (size_t j = 0; j < l->n; j++) {
    const double turn = carg(at_high->pivots[j] / at_low->pivots[j]);
    sum += turn, most = fmax(most, fabs(turn));
  }
  if (most < TURN || depth >= DEPTH) return sum;
  struct linear_point at;
  const double middle = low > 0 ? sqrt(low * high) : high / 2;
  linear_loop_at(l, l->growth, middle, NULL, &at);
  return turn_between(l, low, at_low, middle, &at, depth + 1) + turn_between(l, middle, &at, high, at_high, depth + 1);
}

static size_t count_unstable(struct armdyn_linear_loop *l)
{
  double turned = 0;
  for (size_t k = 1; k < l->count; k++)
    turned += turn_between(l, l->w[k - 1], &l->points[k - 1], l->w[k], &l->points[k], 0);
  const double zeros = (double)l->plant.unstable - round(turned / PI);
  return isfinite(zeros) ? (size_t)fmax(0, zeros) : 1;
}

/* ---- crossings */

/* What changes its sign where something is to be found. */
typedef double crossing(double complex broken);

static double magnitude(double complex broken)
{
  return log(cabs(broken));
}

static double imaginary(double complex broken)
{
  return cimag(broken);
}

/* On the unit circle itself, between two points of the grid of different signs; answers the frequency. */
static double refine(struct armdyn_linear_loop *l, size_t joint, size_t k, crossing *value, double complex *broken)
{
  double low = l->w[k], high = l->w[k + 1];
  const bool rises = value(l->points[k + 1].broken[joint]) > 0;
  struct linear_point at;
  double middle = high;
  for (int i = 0; i < HALVINGS; i++) {
    middle = low > 0 ? sqrt(low * high) : high / 2;
    linear_loop_at(l, 0, middle, NULL, &at);
    *broken = at.broken[joint];
    if ((value(*broken) > 0) == rises)
      high = middle;
    else
      low = middle;
  }
  return middle;
}

static void take_gain(struct armdyn_loop_margin *margin, double real)
{
  if (!(real < 0)) return;
  const double factor = -1 / real;
  if (factor > 1)
    margin->gain = fmin(margin->gain, factor);
  else if (factor > DBL_EPSILON)
    margin->gain_least = fmax(margin->gain_least, factor);
}

static void take_crossover(struct armdyn_loop_margin *margin, double w, double complex broken)
{
  double lag = carg(broken) + PI; /* so much more lag, and it is -1 */
  if (lag < 0) lag += 2 * PI;
  margin->phase = fmin(margin->phase, fmin(lag, 2 * PI - lag));
  margin->delay = fmin(margin->delay, lag / w);
  margin->crossover = fmax(margin->crossover, w / (2 * PI));
}

static bool changes(double a, double b)
{
  return (a > 0) != (b > 0);
}

static void tell(struct armdyn_linear_loop *l, size_t joint, struct armdyn_loop_margin *margin)
{
  double complex broken;
  *margin = (struct armdyn_loop_margin){ .gain = INFINITY, .phase = INFINITY, .delay = INFINITY };
  for (size_t k = 0; k < l->count; k++) {
    const double complex here = l->points[k].broken[joint];
    margin->sensitivity = fmax(margin->sensitivity, 1 / cabs(1 + here));
    if (k + 1 == l->count) break;
    const double complex next = l->points[k + 1].broken[joint];
    if (changes(magnitude(here), magnitude(next))) {
      const double w = refine(l, joint, k, magnitude, &broken);
      take_crossover(margin, w, broken);
    }
    if ((creal(here) < 0 || creal(next) < 0) && changes(cimag(here), cimag(next))) {
      refine(l, joint, k, imaginary, &broken);
      if (fabs(cimag(broken)) < 1e-6 * cabs(broken)) take_gain(margin, creal(broken)); /* no jump through infinity */
    }
  }
  /* at rest, where it is finite there, and at half of the rate it is real */
  struct linear_point rest, beside;
  linear_loop_at(l, 0, l->w[1], NULL, &rest);
  linear_loop_at(l, 0, l->w[2], NULL, &beside);
  if (fabs(magnitude(rest.broken[joint] / beside.broken[joint])) < FLAT) take_gain(margin, creal(rest.broken[joint]));
  take_gain(margin, creal(l->points[l->count - 1].broken[joint]));
}

enum armdyn_status armdyn_linear_loop_margins(struct armdyn_linear_loop *loop, const struct armdyn_gains *gains,
                                              struct armdyn_loop_margin *margins, size_t *unstable,
                                              struct armdyn_error *error)
{
  const size_t size = 2 * loop->n * loop->n;
  const enum armdyn_status status = linear_loop_take(loop, gains, error);
  if (status) return status;
  for (size_t k = 0; k < loop->count; k++)
    linear_loop_at(loop, loop->growth, loop->w[k], loop->arm + k * size, &loop->points[k]);
  *unstable = count_unstable(loop);
  for (size_t j = 0; j < loop->n && margins; j++) tell(loop, j, &margins[j]);
  return ARMDYN_OK;
}
