/* Spectra of residuals, and the band that a motion takes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/residuals.h"
#include "lib/math/fft.h"

static const double pi = 3.14159265358979323846;

enum armdyn_status armdyn_spectrum(size_t count, size_t step, double rate, const double *x, size_t lines,
                                   double *frequency, double *density)
{
  const size_t length = 2 * (lines - 1);
  double mean = 0, weight2 = 0;
  size_t windows = 0;
  if (lines < 3 || ((lines - 1) & (lines - 2)) || count < length) return ARMDYN_EINPUT;
  double complex *line = malloc(length * sizeof *line);
  if (!line) return ARMDYN_EMEMORY;
  for (size_t k = 0; k < count; k++) mean += x[k * step] / (double)count;
  memset(density, 0, lines * sizeof *density);
  for (size_t first = 0; first + length <= count; first += length / 2, windows++) {
    weight2 = 0;
    for (size_t k = 0; k < length; k++) {
      const double w = 0.5 - 0.5 * cos(2 * pi * (double)k / (double)length);
      line[k] = w * (x[(first + k) * step] - mean);
      weight2 += w * w;
    }
    fft(length, line);
    for (size_t l = 0; l < lines; l++) density[l] += creal(conj(line[l]) * line[l]);
  }
  for (size_t l = 0; l < lines; l++) {
    const double sides = l == 0 || l + 1 == lines ? 1 : 2;
    frequency[l] = rate * (double)l / (double)length;
    density[l] *= sides / (rate * weight2 * (double)windows);
  }
  free(line);
  return ARMDYN_OK;
}

/* Of the power of every column, how much a low-pass leaves: the least over the columns. */
static enum armdyn_status kept(size_t count, size_t columns, double rate, double cutoff, const double *x, double *y,
                               double *least)
{
  memcpy(y, x, count * columns * sizeof *y);
  enum armdyn_status status = armdyn_lowpass(count, columns, rate, cutoff, y, NULL);
  *least = 1;
  for (size_t c = 0; !status && c < columns; c++) {
    double whole = 0, lost = 0;
    for (size_t k = 0; k < count; k++) {
      const double v = x[k * columns + c], e = v - y[k * columns + c];
      whole += v * v, lost += e * e;
    }
    if (whole > 0) *least = fmin(*least, 1 - lost / whole);
  }
  return status;
}

enum armdyn_status armdyn_bandwidth(size_t count, size_t columns, double rate, const double *q, double *bandwidth)
{
  static const double lowest = 0.05, ratio = 1.2, noise = 20, wanted = 0.99;
  if (count < 64) return ARMDYN_EINPUT;
  const size_t size = count * columns;
  double *x = malloc(3 * size * sizeof *x), *y = x ? x + size : NULL, *z = x ? x + 2 * size : NULL, least = 0;
  if (!x) return ARMDYN_EMEMORY;
  enum armdyn_status status = ARMDYN_OK;
  memcpy(z, q, size * sizeof *z);
  if (noise < rate / 5) status = armdyn_lowpass(count, columns, rate, noise, z, NULL);
  armdyn_differentiate(count, columns, rate, z, x);
  const double highest = fmin(rate / 5, noise);
  for (*bandwidth = lowest; !status && *bandwidth < highest; *bandwidth *= ratio) {
    status = kept(count, columns, rate, *bandwidth, x, y, &least);
    if (least >= wanted) break;
  }
  *bandwidth = fmin(*bandwidth, highest);
  free(x);
  return status;
}
