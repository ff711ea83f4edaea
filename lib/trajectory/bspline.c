#include "lib/trajectory/bspline.h"

#include <math.h>

/* Knot i of 0 .. K + 6, in intervals: the ends stand four times. */
static double knot(size_t intervals, size_t i)
{
  if (i < 3) return 0;
  return i - 3 > intervals ? (double)intervals : (double)(i - 3);
}

static double ratio(double a, double b)
{
  return b > 0 ? a / b : 0;
}

void bspline_basis(size_t intervals, double h, size_t k, double s, double out[4][4])
{
  const double x = (double)k + s;
  double N[4][4] = { { 1 } }; /* by degree; function i of degree d is that of control k + 3 - d + i */
  for (size_t d = 1; d <= 3; d++) {
    for (size_t i = 0; i <= d; i++) {
      const size_t at = k + 3 - d + i; /* knots at .. at + d + 1 carry it */
      const double left = i > 0 ? N[d - 1][i - 1] : 0, right = i < d ? N[d - 1][i] : 0;
      const double a = knot(intervals, at), b = knot(intervals, at + d + 1);
      N[d][i] = ratio(x - a, knot(intervals, at + d) - a) * left + ratio(b - x, b - knot(intervals, at + 1)) * right;
    }
  }
  /* derivative r of degree 3: r times N' = d (N_left / span - N_right / span) from degree 3 - r up */
  double scale = 1;
  memset(out, 0, 16 * sizeof **out);
  for (size_t r = 0; r <= 3; r++, scale /= h) {
    double D[5] = { 0 };
    memcpy(D, N[3 - r], 4 * sizeof *D);
    for (size_t d = 4 - r; d <= 3; d++) {
      double up[4] = { 0 };
      for (size_t i = 0; i <= d; i++) {
        const size_t at = k + 3 - d + i;
        const double left = i > 0 ? D[i - 1] : 0, right = i < d ? D[i] : 0;
        up[i] = (double)d * (ratio(left, knot(intervals, at + d) - knot(intervals, at)) -
                             ratio(right, knot(intervals, at + d + 1) - knot(intervals, at + 1)));
      }
      memcpy(D, up, sizeof up);
    }
    for (size_t i = 0; i < 4; i++) out[r][i] = scale * D[i];
  }
}

void bspline_pieces(size_t intervals, double duration, const double *controls, struct armdyn_trajectory *out)
{
  const size_t n = out->joint_count;
  const double h = duration / (double)intervals;
  double basis[4][4];
  out->piece_count = intervals;
  for (size_t k = 0; k < intervals; k++) {
    const bool inner = k > 3 && k + 4 <= intervals; /* away from the ends all are the same */
    if (!inner) bspline_basis(intervals, h, k, 0, basis);
    for (size_t j = 0; j < n; j++) {
      double *c = out->coefficients + (k * n + j) * 4;
      for (size_t r = 0; r < 4; r++) {
        c[r] = 0;
        for (size_t i = 0; i < 4; i++) c[r] += basis[r][i] * controls[(k + i) * n + j];
      }
      c[2] /= 2;
      c[3] /= 6;
    }
    out->breaks[k + 1] = k + 1 == intervals ? duration : h * (double)(k + 1);
  }
}

void bspline_controls(size_t intervals, const struct armdyn_trajectory *trajectory, double *controls)
{
  const size_t n = trajectory->joint_count, last = trajectory->piece_count - 1;
  const double duration = armdyn_trajectory_duration(trajectory), h = duration / (double)intervals;
  size_t piece = 0;
  for (size_t i = 0; i < intervals + 3; i++) {
    double t[3];
    for (size_t k = 0; k < 3; k++) t[k] = h * knot(intervals, i + 1 + k);
    while (piece < last && trajectory->breaks[piece + 1] < t[1] - 1e-9 * duration) piece++;
    for (size_t k = 0; k < 3; k++) t[k] -= trajectory->breaks[piece];
    for (size_t j = 0; j < n; j++) {
      const double *c = trajectory->coefficients + (piece * n + j) * 4;
      controls[i * n + j] = c[0] + c[1] * (t[0] + t[1] + t[2]) / 3 +
                            c[2] * (t[0] * t[1] + t[1] * t[2] + t[2] * t[0]) / 3 + c[3] * t[0] * t[1] * t[2];
    }
  }
}
