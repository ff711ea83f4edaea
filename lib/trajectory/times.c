#include "lib/trajectory/times.h"

#include <math.h>

void times_distribute(size_t count, const double *given, const double *weights, double *times)
{
  times[0] = given[0];
  for (size_t from = 0, to; from + 1 < count; from = to) {
    double total = 0, sum = 0;
    for (to = from + 1; to + 1 < count && isnan(given[to]); to++) {
    }
    for (size_t k = from; k < to; k++) total += weights[k];
    for (size_t k = from; k + 1 < to; k++) {
      sum += total > 0 ? weights[k] / total : 1 / (double)(to - from);
      times[k + 1] = times[from] + sum * (given[to] - given[from]);
    }
    times[to] = given[to];
    for (size_t k = to; k-- > from + 1;) times[k] = fmin(times[k], times[k + 1]); /* a sum of shares may exceed 1 */
    for (size_t k = to; total > 0 && k > from + 1 && weights[k - 1] == 0; k--) times[k - 1] = times[k];
  }
}

double times_centripetal(size_t joints, const double *from, const double *to)
{
  double sum = 0;
  for (size_t j = 0; j < joints; j++) sum += (to[j] - from[j]) * (to[j] - from[j]);
  return sqrt(sqrt(sum));
}
