/* The transform against its definition, summed line by line. */
#include <criterion/criterion.h>
#include <math.h>

#include "lib/base/random.h"
#include "lib/math/fft.h"

enum { MOST = 64 };
static const double PI = 3.14159265358979323846;

Test(fft, is_the_sum_that_defines_it)
{
  uint64_t dice = random_from_seed(1);
  for (size_t length = 1; length <= MOST; length *= 2) {
    double complex x[MOST], line[MOST];
    for (size_t i = 0; i < length; i++) line[i] = x[i] = random_normal(&dice) + I * random_normal(&dice);
    fft(length, line);
    for (size_t k = 0; k < length; k++) {
      double complex sum = 0;
      for (size_t i = 0; i < length; i++) sum += x[i] * cexp(-2 * PI * I * (double)(i * k % length) / (double)length);
      cr_expect(cabs(line[k] - sum) < 1e-12 * (double)length, "line %zu of %zu: %g", k, length, cabs(line[k] - sum));
    }
  }
}
