#include "armdyn/dynamics.h"

void armdyn_slopes(size_t count, size_t n, const struct armdyn_rows *t, const struct armdyn_rows *values, double *out)
{
  for (size_t k = 0; k < count; k++) {
    size_t from = k ? k - 1 : 0, to = k + 1 < count ? k + 1 : k;
    double time = t->data[to * t->stride] - t->data[from * t->stride];
    for (size_t j = 0; j < n; j++)
      out[k * n + j] = (values->data[to * values->stride + j] - values->data[from * values->stride + j]) / time;
  }
}
