/* room = s - p with prices on p: s z = mu, p y = mu, y = rho - z. With the step of room known,
 *   ds = mu / z - s - s / z dz,   dp = mu / y - p + p / y dz,
 *   dz = w (e - d room),  w = 1 / (s / z + p / y),  e = mu / z - s - mu / y + p,
 * and y is kept beside z for its figures. After each step s or p grows until room = s - p holds exactly, but for the lag
 * that a warm start leaves: e is less by it, a step takes as much of it away as it is long, and the merit counts what is
 * left as part of s or p.
 * Where a room bends away by little, p growing makes rows pay that are far from their limits, and steps short: with
 * `yields` > 0 s gives up to this share of itself for it, and only beyond that p grows. */
#include <math.h>

#include "lib/trajectory/interior_point.h"

/* As fmax where b is a number, without the call. */
static inline double larger(double a, double b)
{
  return a > b ? a : b;
}

void elastic_carve(struct elastic_rows *rows, struct carve *c)
{
  double **const all[] = { &rows->room, &rows->change, &rows->s,    &rows->p,   &rows->z,  &rows->y,
                           &rows->dz,   &rows->weight, &rows->pull, &rows->lag, &rows->ds, &rows->dp };
  rows->on = carve_zeroed(c, rows->count, sizeof *rows->on);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = carve_zeroed(c, rows->count, sizeof(double));
}

static void start_cold(struct elastic_rows *rows, size_t i, double price, double mu)
{
  const double d = rows->room[i];
  /* mu / z - mu / (rho - z) = d, from the stable root of d z^2 - (d rho + 2 mu) z + mu rho = 0 */
  const double b = d * price + 2 * mu, root = sqrt(fmax(b * b - 4 * d * mu * price, 0));
  rows->z[i] = b > 0 ? 2 * mu * price / (b + root) : (b - root) / (2 * d);
  rows->s[i] = mu / rows->z[i];
  rows->p[i] = rows->s[i] - d; /* without loss of figures where d < 0; else mu / y is */
  rows->y[i] = d < 0 ? mu / rows->p[i] : price - rows->z[i];
  if (d >= 0) rows->p[i] = mu / rows->y[i];
}

/* Near the path where only the multipliers are known, and rooms are off by what changed. A row that pulls keeps its own
 * multiplier, one with room its room, and one between these stands in the middle of the path. */
static void start_warm(struct elastic_rows *rows, size_t i, double price, double mu)
{
  const double d = rows->room[i], middle = sqrt(mu);
  const bool roomy = d > middle && rows->z[i] < middle;
  rows->z[i] = fmin(fmax(rows->z[i], roomy ? mu / d : middle), 0.9 * price);
  rows->y[i] = price - rows->z[i];
  rows->p[i] = mu / rows->y[i];
  rows->s[i] = roomy ? d + rows->p[i] : mu / rows->z[i];
  rows->lag[i] = roomy ? 0 : d - (rows->s[i] - rows->p[i]);
}

void elastic_start(struct elastic_rows *rows, double price, double mu, bool warm)
{
  for (size_t i = 0; i < rows->count; i++) {
    rows->lag[i] = 0;
    if (rows->on[i]) {
      (warm ? start_warm : start_cold)(rows, i, price, mu);
    } else {
      rows->s[i] = rows->p[i] = 1, rows->z[i] = 0, rows->y[i] = price;
      rows->weight[i] = rows->pull[i] = 0;
    }
  }
}

double elastic_gap(const struct elastic_rows *rows, size_t *count)
{
  double sum = 0;
  *count = 0;
  for (size_t i = 0; i < rows->count; i++) {
    if (!rows->on[i]) continue;
    sum += rows->s[i] * rows->z[i] + rows->p[i] * rows->y[i];
    *count += 2;
  }
  return sum;
}

double elastic_priced(const struct elastic_rows *rows, double price)
{
  double sum = 0;
  for (size_t i = 0; i < rows->count; i++) sum += rows->on[i] ? price * rows->p[i] : 0;
  return sum;
}

void elastic_condense(struct elastic_rows *rows, double mu)
{
  for (size_t i = 0; i < rows->count; i++) {
    const double z = rows->z[i], s = rows->s[i], p = rows->p[i];
    if (!rows->on[i]) continue;
    const double by_z = 1 / z, by_y = 1 / rows->y[i];
    rows->weight[i] = 1 / (s * by_z + p * by_y);
    rows->pull[i] = z + rows->weight[i] * (mu * by_z - s - mu * by_y + p - rows->lag[i]);
  }
}

void elastic_direction(struct elastic_rows *rows, double price, double mu, double *slope)
{
  double sum[4] = { 0 }; /* side by side, as none waits for another */
  for (size_t i = 0; i < rows->count; i++) {
    const double z = rows->z[i], s = rows->s[i], p = rows->p[i], pull = rows->pull[i], change = rows->change[i];
    if (!rows->on[i]) continue;
    const double by_z = 1 / z, by_y = 1 / rows->y[i];
    const double above = larger(rows->lag[i], 0), below = larger(-rows->lag[i], 0);
    const double dz = pull - z - rows->weight[i] * change;
    const double ds = (mu - s * dz) * by_z - s, dp = (mu + p * dz) * by_y - p;
    rows->dz[i] = dz, rows->ds[i] = ds, rows->dp[i] = dp;
    sum[i % 4] += pull * change + (price - mu / (p + below)) * (dp - below) - mu / (s + above) * (ds - above);
  }
  *slope += sum[0] + sum[1] + sum[2] + sum[3];
}

/* The largest share of what is left that a whole step takes: few rows are divided by. */
static inline void take(double *most, double step, double left)
{
  if (-step > *most * left) *most = -step / left;
}

void elastic_lengths(const struct elastic_rows *rows, double *primal, double *dual)
{
  const double keep = 0.995;
  double most[2] = { keep, keep };
  for (size_t i = 0; i < rows->count; i++) {
    if (!rows->on[i]) continue;
    take(&most[0], rows->ds[i], rows->s[i]);
    take(&most[0], rows->dp[i], rows->p[i]);
    take(&most[1], rows->dz[i], rows->z[i]);
    take(&most[1], -rows->dz[i], rows->y[i]);
  }
  *primal = keep / most[0], *dual = keep / most[1];
}

/* What is linear of the lag is left in it; s or p takes the rest. */
static void moved(const struct elastic_rows *rows, double length, size_t i, double *s, double *p)
{
  *s = rows->s[i] + length * rows->ds[i];
  *p = rows->p[i] + length * rows->dp[i];
  const double excess = rows->room[i] - (*s - *p) - (1 - length) * rows->lag[i];
  if (excess > -rows->yields * *s)
    *s += excess;
  else
    *p -= excess;
}

double elastic_merit(const struct elastic_rows *rows, double price, double mu, double length)
{
  enum { TOGETHER = 4 }; /* one logarithm for the product of so many */
  double sum = 0, product = 1;
  size_t factors = 0;
  for (size_t i = 0; i < rows->count; i++) {
    double s = rows->s[i], p = rows->p[i];
    if (!rows->on[i]) continue;
    if (length > 0) moved(rows, length, i, &s, &p);
    s += larger((1 - length) * rows->lag[i], 0);
    p += larger((length - 1) * rows->lag[i], 0);
    sum += price * p;
    product *= s * p;
    if (++factors % TOGETHER != 0) continue;
    sum -= mu * log(product);
    product = 1;
  }
  return sum - mu * log(product);
}

double elastic_lag(const struct elastic_rows *rows)
{
  double largest = 0;
  for (size_t i = 0; i < rows->count; i++) largest = larger(fabs(rows->lag[i]), largest);
  return largest;
}

void elastic_move(struct elastic_rows *rows, double primal, double dual)
{
  for (size_t i = 0; i < rows->count; i++) {
    double s, p;
    if (!rows->on[i]) continue;
    moved(rows, primal, i, &s, &p);
    rows->s[i] = s, rows->p[i] = p, rows->lag[i] *= 1 - primal;
    rows->z[i] += dual * rows->dz[i];
    rows->y[i] -= dual * rows->dz[i];
  }
}
