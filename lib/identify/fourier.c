#include "lib/identify/fourier.h"

#include <math.h>

#include "lib/trajectory/polynomial.h"

/* Pieces are so short that Taylor's series of this degree leaves less than 3e-10 of an amplitude: 0.5^10 / 10!. */
enum { DEGREE = 11, QUINTIC = 6 };
static const double TURN = 0.5; /* rad of the fastest wave, a piece */
static const double two_pi = 6.28318530717958647693;

/* The quintic that takes off what a wave leaves at the ends. */
static void quintic_of(const struct fourier *fourier, double wave_0, double wave_T, const double slopes_0[2],
                       const double slopes_T[2], double c[QUINTIC])
{
  const double start[2] = { -slopes_0[0], -slopes_0[1] }, end[2] = { -slopes_T[0], -slopes_T[1] };
  polynomial_quintic(-wave_0, wave_0 - wave_T, fourier->duration, start, end, c);
}

/* Sine (0) or cosine (1) part of harmonic l with coefficient 1: derivatives 0 .. count - 1 at t. */
static void wave(double w, int cosine, double t, size_t count, double *out)
{
  const double s = sin(w * t), c = cos(w * t);
  const double turn[2][4] = { { s, c, -s, -c }, { -c, s, c, -s } };
  double scale = 1 / w;
  for (size_t k = 0; k < count; k++, scale *= w) out[k] = scale * turn[cosine][k % 4];
}

static void quintic_of_wave(const struct fourier *fourier, double w, int cosine, double c[QUINTIC])
{
  double start[3], end[3];
  wave(w, cosine, 0, 3, start);
  wave(w, cosine, fourier->duration, 3, end);
  quintic_of(fourier, start[0], end[0], start + 1, end + 1, c);
}

void fourier_waves(const struct fourier *fourier, double t, double (*out)[WAVE_ORDERS])
{
  for (size_t k = 0; k < 2 * fourier->harmonics; k++) {
    const double w = two_pi * fourier->base_frequency * (double)(k % fourier->harmonics + 1);
    const int cosine = k >= fourier->harmonics;
    double c[QUINTIC], p[WAVE_ORDERS] = { 0 };
    wave(w, cosine, t, WAVE_ORDERS, out[k]);
    quintic_of_wave(fourier, w, cosine, c);
    for (int i = QUINTIC; i-- > 0;) {
      p[3] = p[3] * t + 3 * p[2];
      p[2] = p[2] * t + 2 * p[1];
      p[1] = p[1] * t + p[0];
      p[0] = p[0] * t + c[i];
    }
    for (int i = 0; i < WAVE_ORDERS; i++) out[k][i] += p[i];
  }
}

/* c(t + s) as a polynomial of s, in place. */
static void shift(double t, double c[QUINTIC])
{
  for (int first = 0; first < QUINTIC - 1; first++) {
    for (int i = QUINTIC - 1; i-- > first;) c[i] += t * c[i + 1];
  }
}

/* One joint on the piece from t: Taylor's series of the waves, and the quintic moved there. */
static void piece_of(const struct fourier *fourier, double q0, const double *a, const double *b,
                     const double quintic[QUINTIC], double t, double *out)
{
  double moved[QUINTIC];
  memset(out, 0, (DEGREE + 1) * sizeof *out);
  for (size_t k = 0; k < 2 * fourier->harmonics; k++) {
    const size_t l = k % fourier->harmonics;
    double derivative[DEGREE + 1], factorial = 1;
    wave(two_pi * fourier->base_frequency * (double)(l + 1), k >= fourier->harmonics, t, DEGREE + 1, derivative);
    for (size_t i = 0; i <= DEGREE; i++, factorial *= (double)i) {
      out[i] += (k < fourier->harmonics ? a : b)[l] * derivative[i] / factorial;
    }
  }
  memcpy(moved, quintic, sizeof moved);
  shift(t, moved);
  for (size_t i = 0; i < QUINTIC; i++) out[i] += moved[i];
  out[0] += q0;
}

enum armdyn_status fourier_trajectory(const struct fourier *fourier, size_t n, const double *q0, const double *a,
                                      const double *b, struct armdyn_trajectory *out)
{
  const size_t L = fourier->harmonics;
  const double fastest = two_pi * fourier->base_frequency * (double)L;
  const size_t pieces = 1 + (size_t)(fastest * fourier->duration / TURN);
  const enum armdyn_status rc = trajectory_allocate(out, n, pieces, DEGREE, 2);
  if (rc) return rc;
  for (size_t k = 0; k <= pieces; k++) out->breaks[k] = fourier->duration * (double)k / (double)pieces;
  out->waypoint_times[1] = fourier->duration;
  for (size_t j = 0; j < n; j++) {
    double quintic[QUINTIC] = { 0 };
    for (size_t k = 0; k < 2 * L; k++) {
      double c[QUINTIC];
      quintic_of_wave(fourier, two_pi * fourier->base_frequency * (double)(k % L + 1), k >= L, c);
      for (size_t i = 0; i < QUINTIC; i++) quintic[i] += (k < L ? a : b)[j * L + k % L] * c[i];
    }
    for (size_t k = 0; k < pieces; k++) {
      piece_of(fourier, q0[j], a + j * L, b + j * L, quintic, out->breaks[k],
               out->coefficients + (k * n + j) * (DEGREE + 1));
    }
  }
  return ARMDYN_OK;
}
