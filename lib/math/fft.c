#include "lib/math/fft.h"

static const double pi = 3.14159265358979323846;

void fft(size_t length, double complex *x)
{
  for (size_t i = 1, j = 0; i < length; i++) {
    size_t bit = length >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    const double complex swapped = x[i];
    x[i] = x[j], x[j] = swapped;
  }
  for (size_t half = 1; half < length; half *= 2)
    for (size_t k = 0; k < half; k++) {
      const double complex turn = cexp(-I * pi * (double)k / (double)half);
      for (size_t at = k; at < length; at += 2 * half) {
        const double complex odd = turn * x[at + half];
        x[at + half] = x[at] - odd;
        x[at] += odd;
      }
    }
}
