/* room = s - p with prices on p: s z = mu, p y = mu, y = rho - z. With the step of room known,
 *   ds = mu / z - s - s / z dz,   dp = mu / y - p + p / y dz,
 *   dz = w (e - d room),  w = 1 / (s / z + p / y),  e = mu / z - s - mu / y + p,
 * and y is kept beside z for its figures. After each step s or p grows until room = s - p holds exactly. */
#include <math.h>

#include "lib/trajectory/interior_point.h"

void elastic_carve(struct elastic_rows *rows, struct carve *c)
{
  double **const all[] = { &rows->room, &rows->change, &rows->s,      &rows->p,   &rows->z,
                           &rows->y,    &rows->dz,     &rows->weight, &rows->pull };
  rows->on = carve(c, rows->count, sizeof *rows->on);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = carve(c, rows->count, sizeof(double));
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

static void start_warm(struct elastic_rows *rows, size_t i, double price, double mu)
{
  const double d = rows->room[i], least = d > 0 ? fmin(mu / d, price / 2) : 0;
  rows->z[i] = fmin(fmax(fmax(rows->z[i], least), 1e-12 * price), 0.9 * price);
  rows->y[i] = price - rows->z[i];
  rows->s[i] = mu / rows->z[i];
  rows->p[i] = mu / rows->y[i];
  const double excess = d - (rows->s[i] - rows->p[i]);
  if (excess > 0)
    rows->s[i] += excess;
  else
    rows->p[i] -= excess;
}

void elastic_start(struct elastic_rows *rows, double price, double mu, bool warm)
{
  for (size_t i = 0; i < rows->count; i++) {
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
    const double z = rows->z[i], y = rows->y[i], s = rows->s[i], p = rows->p[i];
    if (!rows->on[i]) continue;
    rows->weight[i] = 1 / (s / z + p / y);
    rows->pull[i] = z + rows->weight[i] * (mu / z - s - mu / y + p);
  }
}

void elastic_direction(struct elastic_rows *rows, double price, double mu, double *slope)
{
  for (size_t i = 0; i < rows->count; i++) {
    if (!rows->on[i]) continue;
    const double z = rows->z[i], y = rows->y[i], s = rows->s[i], p = rows->p[i];
    rows->dz[i] = rows->pull[i] - z - rows->weight[i] * rows->change[i];
    const double ds = mu / z - s - s / z * rows->dz[i], dp = mu / y - p + p / y * rows->dz[i];
    *slope += rows->pull[i] * rows->change[i] + (price - mu / p) * dp - mu / s * ds;
  }
}

void elastic_lengths(const struct elastic_rows *rows, double mu, double *primal, double *dual)
{
  const double keep = 0.995;
  *primal = *dual = 1;
  for (size_t i = 0; i < rows->count; i++) {
    if (!rows->on[i]) continue;
    const double z = rows->z[i], y = rows->y[i], s = rows->s[i], p = rows->p[i], dz = rows->dz[i];
    const double ds = mu / z - s - s / z * dz, dp = mu / y - p + p / y * dz;
    if (ds < 0) *primal = fmin(*primal, -keep * s / ds);
    if (dp < 0) *primal = fmin(*primal, -keep * p / dp);
    if (dz < 0) *dual = fmin(*dual, -keep * z / dz);
    if (dz > 0) *dual = fmin(*dual, keep * y / dz);
  }
}

static void moved(const struct elastic_rows *rows, double mu, double length, size_t i, double *s, double *p)
{
  const double z = rows->z[i], y = rows->y[i], dz = rows->dz[i];
  *s = rows->s[i] + length * (mu / z - rows->s[i] - rows->s[i] / z * dz);
  *p = rows->p[i] + length * (mu / y - rows->p[i] + rows->p[i] / y * dz);
  const double excess = rows->room[i] - (*s - *p);
  if (excess > 0)
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
    if (length > 0) moved(rows, mu, length, i, &s, &p);
    sum += price * p;
    product *= s * p;
    if (++factors % TOGETHER != 0) continue;
    sum -= mu * log(product);
    product = 1;
  }
  return sum - mu * log(product);
}

void elastic_move(struct elastic_rows *rows, double mu, double primal, double dual)
{
  for (size_t i = 0; i < rows->count; i++) {
    double s, p;
    if (!rows->on[i]) continue;
    moved(rows, mu, primal, i, &s, &p);
    rows->s[i] = s, rows->p[i] = p;
    rows->z[i] += dual * rows->dz[i];
    rows->y[i] -= dual * rows->dz[i];
  }
}
