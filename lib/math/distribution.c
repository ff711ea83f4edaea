#include "lib/math/distribution.h"

#include <math.h>

enum { TERMS_MAX = 10000 };

/* The continued fraction of the incomplete beta function, which converges fast for x < (a + 1) / (a + b + 2):
 *   1 / (1 + d_1 / (1 + d_2 / (1 + ...))),  d_2m = m (b - m) x / ((a + 2m - 1)(a + 2m)),
 *   d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)); evaluated forward by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
  const double tiny = 1e-300;
  double c = 1, d = 1 / fmax(1 - (a + b) * x / (a + 1), tiny), value = d;
  for (int m = 1; m < TERMS_MAX; m++) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor;
    for (int half = 0; half < 2; half++) {
      const double term = half ? odd : even;
      d = 1 + term * d;
      c = 1 + term / c;
      if (fabs(d) < tiny) d = tiny;
      if (fabs(c) < tiny) c = tiny;
      d = 1 / d;
      factor = c * d;
      value *= factor;
    }
    if (fabs(factor - 1) < 1e-14) break;
  }
  return value;
}

/* I_x(a, b), and 1 - I_(1-x)(b, a) where that converges faster. */
double beta_distribution(double x, double a, double b)
{
  if (!(x > 0)) return 0;
  if (!(x < 1)) return 1;
  const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double f_distribution_tail(double f, double d1, double d2)
{
  return beta_distribution(d2 / (d2 + d1 * f), d2 / 2, d1 / 2);
}

double paired_t(size_t count, const double *a, const double *b)
{
  const double n = (double)count;
  double mean = 0, square = 0;
  for (size_t k = 0; k < count; k++) mean += (a[k] - b[k]) / n;
  for (size_t k = 0; k < count; k++) square += (a[k] - b[k] - mean) * (a[k] - b[k] - mean) / (n - 1);
  return mean / fmax(sqrt(square / n), 1e-300);
}
