/* A primal-dual interior point with a feasible start, for rows c - A b = s > 0 with multipliers z, and b > 0:
 *   (H + A' (z/s) A) db = -(g + A' mu/s),   dz = mu/s - z + (z/s) A db.
 * Every row touches two neighbours, so the matrix is tridiagonal.
 * Source: Boyd & Vandenberghe, section 11.7. */
#include <math.h>
#include <stdlib.h>

#include "lib/math/band.h"
#include "lib/trajectory/timing_problem.h"

enum { ITERATIONS_MOST = 150 };
static const double GAP_WANTED = 1e-9, GAP_ACCEPTED = 1e-6, RESIDUAL_WANTED = 1e-7, KEEP = 0.99;

static double root(double b)
{
  return sqrt(fmax(b, 0));
}

/* D = 2 h / (sqrt x + sqrt y); x and y at the ends of the path are 0 and stay there. */
struct timing_cost timing_cost_of(const struct timing_problem *problem, size_t k, const double *b, double torque_price,
                                  double time_price)
{
  const struct timing_interval *i = &problem->interval[k];
  const double x = b[k], y = b[k + 1], r = root(x) + root(y), h2 = 2 * i->h;
  const double rx = k > 0 ? 1 / (2 * root(x)) : 0, ry = k + 1 < problem->intervals ? 1 / (2 * root(y)) : 0;
  const double rxx = k > 0 ? -rx / (2 * x) : 0, ryy = k + 1 < problem->intervals ? -ry / (2 * y) : 0;
  const double D = h2 / r, Dx = -D * rx / r, Dy = -D * ry / r;
  const double Dxx = -2 * Dx * rx / r - D * rxx / r, Dyy = -2 * Dy * ry / r - D * ryy / r, Dxy = -2 * Dx * ry / r;
  const double Px = 2 * torque_price * (i->xx * x + i->xy * y + i->x), Pxx = 2 * torque_price * i->xx;
  const double Py = 2 * torque_price * (i->xy * x + i->yy * y + i->y), Pyy = 2 * torque_price * i->yy;
  const double Pxy = 2 * torque_price * i->xy;
  const double P = time_price + torque_price * (i->xx * x * x + 2 * i->xy * x * y + i->yy * y * y + 2 * i->x * x +
                                                2 * i->y * y + i->one);
  return (struct timing_cost){ .value = D * P,
                               .x = Dx * P + D * Px,
                               .y = Dy * P + D * Py,
                               .xx = Dxx * P + 2 * Dx * Px + D * Pxx,
                               .xy = Dxy * P + Dx * Py + Dy * Px + D * Pxy,
                               .yy = Dyy * P + 2 * Dy * Py + D * Pyy };
}

double timing_duration(const struct timing_problem *problem, const double *b)
{
  double sum = 0;
  for (size_t k = 0; k < problem->intervals; k++) sum += 2 * problem->interval[k].h / (root(b[k]) + root(b[k + 1]));
  return sum;
}

double timing_room(const struct timing_problem *problem, const double *b)
{
  double most = INFINITY;
  for (size_t k = 0; k < problem->intervals; k++) {
    const struct timing_row *row = problem->rows + problem->interval[k].row_first;
    for (size_t i = 0; i < problem->interval[k].row_count; i++, row++) {
      const double use = row->x * b[k] + row->y * b[k + 1];
      if (use > 0) most = fmin(most, row->most / use);
    }
  }
  return most;
}

/* Unknowns b_1 .. b_(K-1) stand at index 1 .. K - 1 of vectors with K + 1 elements. */
struct solver {
  const struct timing_problem *problem;
  double *b, *trial;          /* K + 1 */
  double *z, *positive;       /* multipliers: of the rows; of b > 0, K + 1 */
  double *matrix;             /* (K + 1) x 2, band */
  double *gradient, *barrier; /* K + 1: the merit's gradient is gradient + mu barrier */
  double *dual, *step;        /* K + 1: gradient of the Lagrangian */
};

static double total_cost(const struct solver *w, const double *b)
{
  double sum = 0;
  for (size_t k = 0; k < w->problem->intervals; k++)
    sum += timing_cost_of(w->problem, k, b, w->problem->torque_price, w->problem->time_price).value;
  return sum;
}

static double slack(const struct timing_row *row, const double *b)
{
  return row->most - row->x * b[0] - row->y * b[1];
}

/* cost - mu sum log(slacks); INFINITY outside */
static double merit(const struct solver *w, const double *b, double mu)
{
  double sum = total_cost(w, b);
  for (size_t k = 0; k < w->problem->intervals; k++) {
    const struct timing_interval *i = &w->problem->interval[k];
    double product = 1; /* of a few slacks at a time: one logarithm for all */
    for (size_t r = 0; r < i->row_count; r++) {
      const double s = slack(w->problem->rows + i->row_first + r, b + k);
      if (!(s > 0)) return INFINITY;
      product *= s;
      if (product < 1e-200 || product > 1e200) sum -= mu * log(product), product = 1;
    }
    if (k > 0 && !(b[k] > 0)) return INFINITY;
    sum -= mu * log(product) + (k > 0 ? mu * log(b[k]) : 0);
  }
  return sum;
}

static void add_matrix(struct solver *w, size_t k, const struct timing_cost *c, double by)
{
  w->matrix[2 * k] += by * c->xx;
  w->matrix[2 * k + 1] += by * c->xy;
  w->matrix[2 * k + 2] += by * c->yy;
}

/* Complementarity: sum of slack times multiplier, and how many. */
static double complementarity(const struct solver *w, size_t *count)
{
  const struct timing_problem *p = w->problem;
  double sum = 0;
  *count = p->row_count + p->intervals - 1;
  for (size_t k = 0; k < p->intervals; k++) {
    for (size_t r = p->interval[k].row_first; r < p->interval[k].row_first + p->interval[k].row_count; r++)
      sum += w->z[r] * slack(p->rows + r, w->b + k);
    if (k > 0) sum += w->positive[k] * w->b[k];
  }
  return sum;
}

/* Matrix and gradients; answers the largest element of the Lagrangian's gradient relative to the largest of the cost's. */
static double assemble(struct solver *w)
{
  const struct timing_problem *p = w->problem;
  const size_t K = p->intervals;
  double largest = 0, size = 0;
  memset(w->matrix, 0, 2 * (K + 1) * sizeof *w->matrix);
  memset(w->gradient, 0, (K + 1) * sizeof *w->gradient);
  memset(w->barrier, 0, (K + 1) * sizeof *w->barrier);
  memset(w->dual, 0, (K + 1) * sizeof *w->dual);
  for (size_t k = 0; k < K; k++) {
    const struct timing_cost cost = timing_cost_of(p, k, w->b, p->torque_price, p->time_price);
    double x = 0, y = 0, dx = cost.x, dy = cost.y;
    add_matrix(w, k, &cost, 1);
    size = fmax(size, fmax(k > 0 ? fabs(dx) : 0, k + 1 < K ? fabs(dy) : 0));
    struct timing_cost rows = { 0 };
    for (size_t r = p->interval[k].row_first; r < p->interval[k].row_first + p->interval[k].row_count; r++) {
      const struct timing_row *row = &p->rows[r];
      const double s = slack(row, w->b + k), z = w->z[r], stiffness = z / s;
      rows.xx += stiffness * row->x * row->x;
      rows.xy += stiffness * row->x * row->y;
      rows.yy += stiffness * row->y * row->y;
      x += row->x / s, y += row->y / s;
      dx += z * row->x, dy += z * row->y;
    }
    add_matrix(w, k, &rows, 1);
    w->gradient[k] += cost.x, w->gradient[k + 1] += cost.y;
    w->barrier[k] += x, w->barrier[k + 1] += y;
    w->dual[k] += dx, w->dual[k + 1] += dy;
    if (k == 0) continue;
    w->barrier[k] -= 1 / w->b[k];
    w->dual[k] -= w->positive[k];
    w->matrix[2 * k] += w->positive[k] / w->b[k];
  }
  for (size_t k = 1; k < K; k++) largest = fmax(largest, fabs(w->dual[k]));
  return size > 0 ? largest / size : largest;
}

/* step = -matrix^-1 (gradient of the merit). False: not positive definite by rounding. */
static bool direction(struct solver *w, double mu)
{
  const size_t K = w->problem->intervals;
  for (size_t k = 1; k < K; k++) w->gradient[k] += mu * w->barrier[k];
  if (!band_factor(K - 1, 2, w->matrix + 2)) return false;
  for (size_t k = 1; k < K; k++) w->step[k] = -w->gradient[k];
  band_solve(K - 1, 2, w->matrix + 2, w->step + 1);
  return true;
}

/* The longest step, up to 1, to KEEP of the way to where a slack ends; also of multipliers: z + length dz. */
static void step_lengths(const struct solver *w, double mu, double *primal, double *dual)
{
  const struct timing_problem *p = w->problem;
  *primal = *dual = 1;
  for (size_t k = 0; k < p->intervals; k++) {
    for (size_t r = p->interval[k].row_first; r < p->interval[k].row_first + p->interval[k].row_count; r++) {
      const double use = p->rows[r].x * w->step[k] + p->rows[r].y * w->step[k + 1], s = slack(p->rows + r, w->b + k);
      const double dz = mu / s - w->z[r] + w->z[r] / s * use;
      if (use > 0) *primal = fmin(*primal, KEEP * s / use);
      if (dz < 0) *dual = fmin(*dual, -KEEP * w->z[r] / dz);
    }
    if (k == 0) continue;
    const double dz = mu / w->b[k] - w->positive[k] - w->positive[k] / w->b[k] * w->step[k];
    if (w->step[k] < 0) *primal = fmin(*primal, -KEEP * w->b[k] / w->step[k]);
    if (dz < 0) *dual = fmin(*dual, -KEEP * w->positive[k] / dz);
  }
}

/* z += length dz, at the old b */
static void move_multipliers(struct solver *w, double mu, double length)
{
  const struct timing_problem *p = w->problem;
  for (size_t k = 0; k < p->intervals; k++) {
    for (size_t r = p->interval[k].row_first; r < p->interval[k].row_first + p->interval[k].row_count; r++) {
      const double use = p->rows[r].x * w->step[k] + p->rows[r].y * w->step[k + 1], s = slack(p->rows + r, w->b + k);
      w->z[r] += length * (mu / s - w->z[r] + w->z[r] / s * use);
    }
    if (k == 0) continue;
    w->positive[k] += length * (mu / w->b[k] - w->positive[k] - w->positive[k] / w->b[k] * w->step[k]);
  }
}

/* Backtrack until the merit falls; false when it does not. */
static bool advance(struct solver *w, double mu, double *length)
{
  const size_t K = w->problem->intervals;
  double primal, dual, slope = 0;
  const double before = merit(w, w->b, mu);
  step_lengths(w, mu, &primal, &dual);
  for (size_t k = 1; k < K; k++) slope += w->gradient[k] * w->step[k];
  for (int trial = 0; trial < 40; trial++, primal /= 2) {
    for (size_t k = 1; k < K; k++) w->trial[k] = w->b[k] + primal * w->step[k];
    if (!(merit(w, w->trial, mu) <= before + 1e-4 * primal * fmin(slope, 0) + 1e-13 * fabs(before))) continue;
    move_multipliers(w, mu, dual);
    memcpy(w->b + 1, w->trial + 1, (K - 1) * sizeof *w->b);
    *length = primal;
    return true;
  }
  return false;
}

static void start(struct solver *w, double mu)
{
  const struct timing_problem *p = w->problem;
  for (size_t k = 0; k < p->intervals; k++) {
    for (size_t r = p->interval[k].row_first; r < p->interval[k].row_first + p->interval[k].row_count; r++)
      w->z[r] = mu / slack(p->rows + r, w->b + k);
    if (k > 0) w->positive[k] = mu / w->b[k];
  }
}

static enum armdyn_status iterate(struct solver *w, enum armdyn_go (*go)(void *context), void *context,
                                  struct timing_solution *out)
{
  size_t count;
  double cost = total_cost(w, w->b), length = 1;
  complementarity(w, &count);
  start(w, 0.1 * cost / (double)count);
  for (out->iterations = 0; out->iterations < ITERATIONS_MOST; out->iterations++) {
    if (go && go(context) != ARMDYN_GO_ON) return ARMDYN_ECANCELLED;
    const double gap = complementarity(w, &count), residual = assemble(w);
    /* the barrier may fall no faster than the gradient follows it */
    const bool follows = residual <= fmax(10 * gap / cost, RESIDUAL_WANTED);
    const double mu = gap / (double)count * (!follows ? 1 : length > 0.9 ? 0.1 : 0.4);
    cost = total_cost(w, w->b);
    *out = (struct timing_solution){ out->iterations, cost, gap };
    if (gap <= GAP_WANTED * cost && residual <= RESIDUAL_WANTED) return ARMDYN_OK;
    if (!direction(w, mu) || !advance(w, mu, &length))
      return gap <= GAP_ACCEPTED * cost && residual <= 1e-3 ? ARMDYN_OK : ARMDYN_EUNAVAILABLE;
  }
  return out->gap <= GAP_ACCEPTED * cost ? ARMDYN_OK : ARMDYN_EUNAVAILABLE;
}

enum armdyn_status timing_solve(const struct timing_problem *problem, double *b, enum armdyn_go (*go)(void *context),
                                void *context, struct timing_solution *solution)
{
  const size_t points = problem->intervals + 1;
  double *memory = calloc(8 * points + problem->row_count, sizeof *memory);
  if (!memory) return ARMDYN_EMEMORY;
  struct solver w = { .problem = problem, .b = b };
  double **const vectors[] = { &w.trial, &w.positive, &w.gradient, &w.barrier, &w.dual, &w.step };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = memory + i * points;
  w.matrix = memory + 6 * points;
  w.z = memory + 8 * points;
  const enum armdyn_status rc = iterate(&w, go, context, solution);
  free(memory);
  return rc;
}
