/* Samples to a smooth motion: quintic B-splines with clamped ends, by least squares. K intervals, K + 5 controls; on interval
 * k the controls k .. k + 5 count. */
#include <math.h>
#include <stdlib.h>

#include "armdyn/motion_fit.h"
#include "lib/math/band.h"
#include "lib/trajectory/polynomial.h"

enum { DEGREE = 5, BAND = DEGREE + 1, INTERVALS_FIRST = 2, AT_REST = 2 };
static const double DURATION_MIN = 1e-6, DURATION_MAX = 1e6, Q_MOST = 1e6;
static const double SMOOTHNESS = 1e-10; /* what third differences of controls weigh, beside samples of 1 each */

struct fitting {
  const struct armdyn_motion_fit_request *request;
  size_t intervals, fixed; /* controls at each end that the ends are, 0 or AT_REST */
  double *matrix;          /* of the free controls, BAND wide */
  double *controls;        /* joint by joint, from its first sample: what stands still stays exactly 0 */
};

static size_t control_count(const struct fitting *f)
{
  return f->intervals + DEGREE;
}

static double *controls_of(const struct fitting *f, size_t joint)
{
  return f->controls + joint * control_count(f);
}

/* Knot i of a spline of this degree, in intervals: the ends stand degree + 1 times. */
static double knot(size_t intervals, size_t degree, size_t i)
{
  if (i < degree) return 0;
  return i - degree > intervals ? (double)intervals : (double)(i - degree);
}

/* The degree + 1 functions that are not zero on interval k, at x in intervals; the first is that of control k. */
static void basis(size_t intervals, size_t degree, size_t k, double x, double out[BAND])
{
  out[0] = 1;
  for (size_t d = 1; d <= degree; d++) {
    double saved = 0;
    for (size_t i = 0; i < d; i++) {
      const double left = knot(intervals, degree, k + degree - d + 1 + i),
                   right = knot(intervals, degree, k + degree + 1 + i);
      const double part = out[i] / (right - left);
      out[i] = saved + (right - x) * part;
      saved = (x - left) * part;
    }
    out[d] = saved;
  }
}

/* -- the least squares -- */

/* Sample i: its place in intervals, and the interval. */
static size_t place(const struct fitting *f, size_t i, double *x)
{
  const struct armdyn_motion_fit_request *request = f->request;
  const double duration = request->t[request->count - 1] - request->t[0];
  *x = fmin((request->t[i] - request->t[0]) / duration * (double)f->intervals, (double)f->intervals);
  const size_t k = (size_t)*x;
  return k < f->intervals ? k : f->intervals - 1;
}

static double rise(const struct fitting *f, size_t sample, size_t joint)
{
  const double *q = f->request->q;
  return q[sample * f->request->joint_count + joint] - q[joint];
}

enum { NO_SAMPLE = -1 };

/* weight (row c - value)^2, where the row begins at this control.
 *   sample  in  whose positions are the values; NO_SAMPLE: 0 */
static void add_row(const struct fitting *f, size_t first, size_t length, const double *row, double weight,
                    ptrdiff_t sample)
{
  const size_t end = control_count(f) - f->fixed;
  for (size_t a = 0; a < length; a++) {
    const size_t control = first + a;
    if (control < f->fixed || control >= end) continue;
    double *matrix = f->matrix + (control - f->fixed) * BAND;
    for (size_t b = a; b < length && first + b < end; b++) matrix[b - a] += weight * row[a] * row[b];
  }
  for (size_t j = 0; j < f->request->joint_count; j++) {
    double *c = controls_of(f, j), value = sample == NO_SAMPLE ? 0 : rise(f, (size_t)sample, j);
    for (size_t b = 0; b < length; b++)
      if (first + b < f->fixed || first + b >= end) value -= row[b] * c[first + b];
    for (size_t a = 0; a < length; a++)
      if (first + a >= f->fixed && first + a < end) c[first + a] += weight * row[a] * value;
  }
}

static bool solve(const struct fitting *f)
{
  static const double third_difference[] = { -1, 3, -3, 1 };
  const struct armdyn_motion_fit_request *request = f->request;
  const size_t n = request->joint_count, count = control_count(f), free_count = count - 2 * f->fixed;
  memset(f->matrix, 0, count * BAND * sizeof *f->matrix);
  memset(f->controls, 0, n * count * sizeof *f->controls);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < f->fixed; i++) controls_of(f, j)[count - 1 - i] = rise(f, request->count - 1, j);
  for (size_t i = 0; i < request->count; i++) {
    double row[BAND], x;
    const size_t k = place(f, i, &x);
    basis(f->intervals, DEGREE, k, x, row);
    add_row(f, k, BAND, row, 1, (ptrdiff_t)i);
  }
  for (size_t i = 0; i + 4 <= count; i++) add_row(f, i, 4, third_difference, SMOOTHNESS, NO_SAMPLE);
  if (!band_factor(free_count, BAND, f->matrix)) return false;
  for (size_t j = 0; j < n; j++) band_solve(free_count, BAND, f->matrix, controls_of(f, j) + f->fixed);
  return true;
}

static void measure(const struct fitting *f, struct armdyn_motion_fit *fit)
{
  const struct armdyn_motion_fit_request *request = f->request;
  const size_t n = request->joint_count;
  *fit = (struct armdyn_motion_fit){ .intervals = f->intervals, .at_rest = f->fixed > 0 };
  for (size_t i = 0; i < request->count; i++) {
    double row[BAND], x;
    const size_t k = place(f, i, &x);
    basis(f->intervals, DEGREE, k, x, row);
    for (size_t j = 0; j < n; j++) {
      const double *c = controls_of(f, j) + k;
      double off = -rise(f, i, j);
      for (size_t a = 0; a < BAND; a++) off += row[a] * c[a];
      if (!(fabs(off) > fit->deviation)) continue;
      fit->deviation = fabs(off), fit->joint = j, fit->time = request->t[i] - request->t[0];
    }
  }
}

/* Fit on so many intervals; is it near enough? */
static bool try_intervals(struct fitting *f, size_t intervals, size_t fixed, struct armdyn_motion_fit *fit)
{
  f->intervals = intervals;
  f->fixed = fixed;
  if (!solve(f)) return false;
  measure(f, fit);
  return fit->deviation <= f->request->tolerance;
}

/* -- as pieces -- */

/* Controls of the derivative by x of a spline of this degree, in place; one fewer. */
static void derive(size_t intervals, size_t degree, double *c)
{
  for (size_t i = 0; i + 1 < intervals + degree; i++)
    c[i] =
        (double)degree * (c[i + 1] - c[i]) / (knot(intervals, degree, i + degree + 1) - knot(intervals, degree, i + 1));
}

/* Position, velocity and acceleration (derivatives by t) of a joint at every end of an interval; its controls are used up.
 *   out  out  (K + 1) x 3 */
static void states(const struct fitting *f, size_t joint, double h, double *out)
{
  const size_t K = f->intervals;
  double *c = controls_of(f, joint), scale = 1;
  for (size_t r = 0; r < 3; r++, scale /= h) {
    for (size_t i = 0; i <= K; i++) {
      const size_t k = i < K ? i : K - 1;
      double row[BAND], sum = 0;
      basis(K, DEGREE - r, k, (double)i, row);
      for (size_t a = 0; a <= DEGREE - r; a++) sum += row[a] * c[k + a];
      out[3 * i + r] = scale * sum;
    }
    derive(K, DEGREE - r, c);
  }
}

static enum armdyn_status to_pieces(const struct fitting *f, struct armdyn_trajectory *out)
{
  const struct armdyn_motion_fit_request *request = f->request;
  const size_t n = request->joint_count, K = f->intervals;
  const double duration = request->t[request->count - 1] - request->t[0], h = duration / (double)K;
  double *state = calloc(3 * (K + 1), sizeof *state);
  enum armdyn_status rc = state ? trajectory_allocate(out, n, K, DEGREE, 2) : ARMDYN_EMEMORY;
  if (rc) goto out;
  for (size_t k = 0; k < K; k++) out->breaks[k + 1] = k + 1 == K ? duration : h * (double)(k + 1);
  out->waypoint_times[1] = duration;
  for (size_t j = 0; j < n; j++) {
    states(f, j, h, state);
    for (size_t k = 0; k < K; k++) {
      const double *from = state + 3 * k, *to = from + 3, length = out->breaks[k + 1] - out->breaks[k];
      polynomial_quintic(request->q[j] + from[0], to[0] - from[0], length, from + 1, to + 1,
                         out->coefficients + (k * n + j) * (DEGREE + 1));
    }
  }
out:
  free(state);
  return rc;
}

/* -- all of it -- */

static enum armdyn_status check(const struct armdyn_motion_fit_request *request, struct armdyn_error *error)
{
  const size_t n = request->joint_count;
  const double *t = request->t;
  char where[64];
  if (request->count < 2)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/q", "must have at least 2 samples, got %zu", request->count);
  if (!(request->tolerance > 0 && request->tolerance <= Q_MOST))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/tolerance", "must be > 0, got %g", request->tolerance);
  for (size_t i = 0; i < request->count; i++) {
    snprintf(where, sizeof where, "/t/%zu", i);
    if (!isfinite(t[i]) || (i > 0 && !(t[i] > t[i - 1])))
      return armdyn_refuse(error, ARMDYN_EINPUT, where, "times must increase from sample to sample, got %.9g", t[i]);
    for (size_t j = 0; j < n; j++) {
      if (fabs(request->q[i * n + j]) <= Q_MOST) continue;
      snprintf(where, sizeof where, "/q/%zu/%zu", i, j);
      return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be within -1e6 and 1e6, got %g", request->q[i * n + j]);
    }
  }
  const double duration = t[request->count - 1] - t[0];
  if (duration >= DURATION_MIN && duration <= DURATION_MAX) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "/t", "must cover %g to %g s, got %g", DURATION_MIN, DURATION_MAX,
                       duration);
}

/* The fewest intervals that do, at rest or else not. */
static bool find(struct fitting *f, size_t most, struct armdyn_motion_fit *fit)
{
  size_t intervals = INTERVALS_FIRST;
  while (!try_intervals(f, intervals, 0, fit)) {
    if (intervals >= most) return false;
    intervals = intervals * 3 / 2 < most ? intervals * 3 / 2 : most;
  }
  for (size_t quarters = 4; quarters <= 8; quarters++)
    if (try_intervals(f, intervals * quarters / 4, AT_REST, fit)) return true;
  return try_intervals(f, intervals, 0, fit);
}

enum armdyn_status armdyn_trajectory_fit(const struct armdyn_motion_fit_request *request, struct armdyn_trajectory *out,
                                         struct armdyn_motion_fit *fit, struct armdyn_error *error)
{
  struct fitting f = { .request = request };
  enum armdyn_status rc = check(request, error);
  if (rc) return rc;
  /* two for each sample: times may be uneven; two more at the ends to be at rest */
  const size_t most = request->count < ARMDYN_FIT_INTERVALS_MAX / 2 ? 2 * request->count : ARMDYN_FIT_INTERVALS_MAX;
  const size_t room = 2 * most + DEGREE;
  f.matrix = malloc(room * BAND * sizeof *f.matrix);
  f.controls = malloc(room * request->joint_count * sizeof *f.controls);
  if (!f.matrix || !f.controls)
    rc = armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a spline through %zu samples", request->count);
  else if (find(&f, most, fit))
    rc = to_pieces(&f, out);
  else
    rc = armdyn_refuse(error, ARMDYN_EINPUT, "/tolerance",
                       "%g is less than a spline of %zu intervals can keep: it is %.3g off the sample of joint %zu at "
                       "%.6g s",
                       request->tolerance, fit->intervals, fit->deviation, fit->joint + 1, fit->time);
  free(f.matrix);
  free(f.controls);
  return rc;
}
