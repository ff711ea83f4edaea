/* Splines through the points, written as Hermite pieces whose unknown derivatives at the inner knots follow from
 * continuity of the next ones: velocity from the acceleration's (cubic), velocity and acceleration from the third's and
 * fourth derivative's (quintic). Time is measured in durations, so that no power of a small number over- or underflows.
 * Source: de Boor, A Practical Guide to Splines, ch. 4 (cubic; the quintic in the same way). */
#include <math.h>

#include "lib/math/linear.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/profile_problem.h"

/* The knots: points with different times. */
struct knots {
  size_t count, columns; /* columns = joints */
  const double *points;
  const size_t *index; /* of the point */
  const double *h;     /* count - 1 intervals, in durations */
};

static double step_of(const struct knots *x, size_t k, size_t column)
{
  return x->points[x->index[k + 1] * x->columns + column] - x->points[x->index[k] * x->columns + column];
}

/* Rows of one inner knot between intervals g and h: blocks for the knot before, itself, after. */
struct rows {
  double lower[4], diagonal[4], upper[4];
};

static void cubic_rows(double g, double h, struct rows *out)
{
  out->lower[0] = 1 / g;
  out->diagonal[0] = 2 / g + 2 / h;
  out->upper[0] = 1 / h;
}
static void cubic_right(double g, double h, double before, double after, double *right)
{
  right[0] = 3 * (before / (g * g) + after / (h * h));
}

static void quintic_rows(double g, double h, struct rows *out)
{
  const double g2 = 1 / (g * g), h2 = 1 / (h * h);
  *out = (struct rows){
    .lower = { -8 * g2, -1 / g, 14 * g2 / g, 2 * g2 },
    .diagonal = { 12 * (h2 - g2), 3 / g + 3 / h, 16 * (g2 / g + h2 / h), 3 * (h2 - g2) },
    .upper = { 8 * h2, -1 / h, 14 * h2 / h, -2 * h2 },
  };
}
static void quintic_right(double g, double h, double before, double after, double *right)
{
  right[0] = 20 * (after / (h * h * h) - before / (g * g * g));
  right[1] = 30 * (before / (g * g * g * g) + after / (h * h * h * h));
}

/* The two splines differ in these. */
struct spline {
  size_t unknowns; /* at every inner knot */
  size_t degree;
  void (*rows)(double g, double h, struct rows *out);
  void (*right)(double g, double h, double before, double after, double *right);
  void (*piece)(double from, double way, double h, const double *x, const double *y, double *c); /* derivatives x, y */
};
static const struct spline cubic = { 1, 3, cubic_rows, cubic_right, polynomial_cubic };
static const struct spline quintic = { 2, 5, quintic_rows, quintic_right, polynomial_quintic };

/* Derivatives at the inner knots, (count - 2) x unknowns x columns, into d. */
static void solve_knots(const struct spline *spline, const struct knots *x, double *blocks, double *d)
{
  const size_t b = spline->unknowns, inner = x->count - 2, size = b * b;
  double *lower = blocks, *diagonal = lower + inner * size, *upper = diagonal + inner * size;
  for (size_t i = 0; i < inner; i++) {
    const double g = x->h[i], h = x->h[i + 1];
    struct rows rows;
    spline->rows(g, h, &rows);
    memcpy(lower + i * size, rows.lower, size * sizeof *lower);
    memcpy(diagonal + i * size, rows.diagonal, size * sizeof *diagonal);
    memcpy(upper + i * size, rows.upper, size * sizeof *upper);
    for (size_t c = 0; c < x->columns; c++) {
      double right[2];
      spline->right(g, h, step_of(x, i, c), step_of(x, i + 1, c), right);
      for (size_t r = 0; r < b; r++) d[(i * b + r) * x->columns + c] = right[r];
    }
  }
  block_tridiagonal_solve(inner, b, x->columns, lower, diagonal, upper, d);
}

/* Derivatives of one column at knot k: solved at inner knots, zero at the ends. */
static void derivatives_at(const struct spline *spline, const struct knots *x, const double *d, size_t k, size_t column,
                           double out[2])
{
  out[0] = out[1] = 0;
  if (k == 0 || k + 1 == x->count) return;
  for (size_t r = 0; r < spline->unknowns; r++) out[r] = d[((k - 1) * spline->unknowns + r) * x->columns + column];
}

static void add_pieces(const struct spline *spline, const struct knots *x, const double *d, double T,
                       struct armdyn_trajectory *out)
{
  const size_t terms = spline->degree + 1;
  for (size_t k = 0; k + 1 < x->count; k++) {
    for (size_t j = 0; j < x->columns; j++) {
      double *c = out->coefficients + (k * x->columns + j) * terms, left[2], right[2], scale = 1;
      derivatives_at(spline, x, d, k, j, left);
      derivatives_at(spline, x, d, k + 1, j, right);
      spline->piece(x->points[x->index[k] * x->columns + j], step_of(x, k, j), x->h[k], left, right, c);
      for (size_t i = 1; i < terms; i++) c[i] *= scale /= T; /* from durations to seconds */
    }
  }
}

static void spline_build(const struct spline *spline, const struct profile_problem *problem, const double *times,
                         struct armdyn_trajectory *out)
{
  const size_t most = problem->point_count, n = problem->joint_count;
  const double T = times[most - 1];
  double *h = problem->memory, *blocks = h + most, *d = blocks + 12 * most;
  size_t *index = (size_t *)(void *)(d + 2 * n * most), count = 1;
  index[0] = 0;
  for (size_t k = 1; k < most; k++) {
    if (!(times[k] > times[k - 1])) continue;
    h[count - 1] = (times[k] - times[k - 1]) / T;
    out->breaks[count] = times[k];
    index[count++] = k;
  }
  out->piece_count = count > 1 ? count - 1 : 1;
  const struct knots knots = { count, n, problem->points, index, h };
  if (count == 1) { /* no motion and no time */
    for (size_t j = 0; j < n; j++) out->coefficients[j * (spline->degree + 1)] = problem->points[j];
    return;
  }
  if (count > 2) solve_knots(spline, &knots, blocks, d);
  add_pieces(spline, &knots, d, T, out);
}

void cubic_build(const struct profile_problem *problem, const double *times, struct armdyn_trajectory *trajectory)
{
  spline_build(&cubic, problem, times, trajectory);
}

void quintic_build(const struct profile_problem *problem, const double *times, struct armdyn_trajectory *trajectory)
{
  spline_build(&quintic, problem, times, trajectory);
}
