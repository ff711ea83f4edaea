/* Spectra of differences from sample to sample, over 1 - z^-1 those of what they are of: from rest to rest they
 * have no leakage and need no window. */
#include "lib/control/sweep_spectra.h"

#include <math.h>
#include <stdlib.h>

#include "armdyn/conditioning.h"
#include "lib/math/fft.h"

enum { LEAST = 256, LINES_LEAST = 40, SIDE = 5 };
static const double PI = 3.14159265358979323846;
static const double RATE = 4;                /* of the highest frequency that is swept */
static const double NOISE[] = { 0.3, 0.48 }; /* of the rate: where positions are noise */
static const double SMOOTH = 1.5,
                    TURN = 0.05;        /* of the highest frequency; of the rms of the speed, where its sign turns */
static const double FIRST_NOISE = 1e-3; /* of the torque's rms */
static const double STEPS_LEAST = 8;    /* that a swept joint moves */
static const double ROUNDING = 1e-12;   /* of a position: less is no step */

/* All of a column's lines up to half of the rate, in `room`. */
static void spectrum(size_t count, size_t stride, const double *x, size_t padded, double complex *room)
{
  room[0] = 0;
  for (size_t i = 1; i < padded; i++) room[i] = i < count ? x[i * stride] - x[(i - 1) * stride] : 0;
  fft(padded, room);
  for (size_t k = 1; k < padded / 2; k++) room[k] /= 1 - cexp(-I * 2 * PI * (double)k / (double)padded);
}

static double resolution_of(const double *x, size_t count, size_t stride)
{
  double step = INFINITY;
  for (size_t i = 1; i < count; i++) {
    const double change = fabs(x[i * stride] - x[(i - 1) * stride]);
    if (change > ROUNDING * (1 + fabs(x[i * stride]))) step = fmin(step, change);
  }
  return isfinite(step) ? step : 0;
}

/* Its smooth sign, without delay: noise would turn it. */
static enum armdyn_status sign_of(const struct armdyn_sweep *sweep, const struct armdyn_sweep_window *window, double *v)
{
  const double rate = 1 / sweep->period;
  double square = 0;
  for (size_t k = 0; k < window->count; k++) v[k] = sweep->q[(window->first + k) * sweep->n + window->joint];
  const enum armdyn_status status = armdyn_lowpass(window->count, 1, rate, SMOOTH * sweep->to, v, NULL);
  if (status) return status;
  for (size_t k = window->count; k-- > 1;) v[k] = (v[k] - v[k - 1]) * rate;
  v[0] = v[1];
  for (size_t k = 0; k < window->count; k++) square += v[k] * v[k] / (double)window->count;
  for (size_t k = 0; k < window->count; k++) v[k] = tanh(v[k] / (TURN * sqrt(square)));
  return ARMDYN_OK;
}

static enum armdyn_status check(const struct armdyn_sweep *sweep, const struct armdyn_sweep_window *window,
                                struct armdyn_error *error)
{
  const double span = sweep->period * (double)window->count;
  if (RATE * sweep->to * sweep->period > 1)
    return armdyn_refuse(
        error, ARMDYN_EINPUT, "",
        "has %.4g samples a second; of a chirp up to %.4g Hz it must have at least %.4g, %g times that",
        1 / sweep->period, sweep->to, RATE * sweep->to, RATE);
  if (window->count < LEAST || !((sweep->to - sweep->from) * span >= LINES_LEAST))
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "has %zu samples in %.3g s of a joint's chirp: from %.4g to %.4g Hz at least %d samples and "
                         "%.3g s are needed",
                         window->count, span, sweep->from, sweep->to, LEAST, LINES_LEAST / (sweep->to - sweep->from));
  double low = INFINITY, high = -INFINITY;
  const double *x = sweep->q + window->first * sweep->n + window->joint;
  for (size_t k = 0; k < window->count; k++) low = fmin(low, x[k * sweep->n]), high = fmax(high, x[k * sweep->n]);
  const double step = resolution_of(x, window->count, sweep->n);
  if (!(high - low > STEPS_LEAST * step) || !(high > low))
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "has joint %zu moving by %.3g from %.4g s on, where its chirp should be, and positions in "
                         "steps of %.3g: begin, duration, rest and joints of `chirp` are those of the motion, and "
                         "its amplitude must be many steps",
                         window->joint + 1, high - low, sweep->period * (double)window->first, step);
  return ARMDYN_OK;
}

static void keep_lines(const struct sweep_spectra *s, const double complex *room, double complex *out, size_t stride)
{
  for (size_t k = 0; k < s->count; k++) out[k * stride] = room[(size_t)s->first + k];
}

static void weigh(struct sweep_spectra *s)
{
  for (size_t k = 0; k < s->count; k++)
    s->torque_square += creal(conj(s->torque[k]) * s->torque[k]) / (s->samples * (double)s->count);
  s->torque_noise = FIRST_NOISE * FIRST_NOISE * s->torque_square;
  for (size_t k = 0; k < s->count; k++) {
    double torque = 0, position = 0;
    for (size_t i = k < SIDE ? 0 : k - SIDE; i <= k + SIDE && i < s->count; i++) {
      const double complex P = s->position[i * s->n + s->joint];
      torque += creal(conj(s->torque[i]) * s->torque[i]), position += creal(conj(P) * P);
    }
    s->weight[k] = s->share / (s->samples * (s->torque_noise + torque / position * s->noise[s->joint]));
  }
}

static double noise_of(const struct sweep_spectra *s, const double complex *room, size_t padded, double step)
{
  const size_t from = (size_t)(NOISE[0] * (double)padded), to = (size_t)(NOISE[1] * (double)padded);
  double power = 0;
  for (size_t k = from; k < to; k++) power += creal(conj(room[k]) * room[k]) / (double)(to - from);
  return fmax(power / s->samples, step * step / 12);
}

static void fill(const struct armdyn_sweep *sweep, const struct armdyn_sweep_window *window, struct sweep_spectra *s,
                 size_t padded, const double *sign, double complex *room)
{
  const size_t n = sweep->n;
  spectrum(window->count, 1, sign, padded, room);
  keep_lines(s, room, s->sign, 1);
  spectrum(window->count, n, sweep->tau + window->first * n + window->joint, padded, room);
  keep_lines(s, room, s->torque, 1);
  for (size_t k = 0; k < s->count; k++) {
    const double half = PI * sweep_frequency(s, k) * sweep->period;
    s->torque[k] *= sin(half) / half;
  }
  for (size_t i = 0; i < n; i++) {
    const double *x = sweep->q + window->first * n + i;
    s->resolution[i] = resolution_of(x, window->count, n);
    spectrum(window->count, n, x, padded, room);
    keep_lines(s, room, s->position + i, n);
    s->noise[i] = noise_of(s, room, padded, s->resolution[i]);
  }
  weigh(s);
}

enum armdyn_status sweep_spectra_open(const struct armdyn_sweep *sweep, size_t at, struct sweep_spectra *s,
                                      struct armdyn_error *error)
{
  const struct armdyn_sweep_window *window = &sweep->windows[at];
  size_t padded = 1;
  *s = (struct sweep_spectra){ .joint = window->joint, .n = sweep->n, .samples = (double)window->count };
  enum armdyn_status status = check(sweep, window, error);
  if (status) return status;
  while (padded < window->count) padded *= 2;
  s->step = 1 / (sweep->period * (double)padded);
  s->share = (double)window->count / (double)padded;
  s->first = ceil(sweep->from / s->step);
  s->count = (size_t)(floor(sweep->to / s->step) - s->first) + 1;
  s->torque = calloc(s->count * (sweep->n + 2), sizeof *s->torque);
  s->weight = malloc(s->count * sizeof *s->weight);
  double complex *room = malloc(padded * sizeof *room);
  double *sign = malloc(window->count * sizeof *sign);
  status = s->torque && s->weight && room && sign ? sign_of(sweep, window, sign) : ARMDYN_EMEMORY;
  if (!status) {
    s->sign = s->torque + s->count, s->position = s->sign + s->count;
    fill(sweep, window, s, padded, sign, room);
  }
  free(room);
  free(sign);
  if (status) sweep_spectra_close(s);
  return status;
}

void sweep_spectra_close(struct sweep_spectra *s)
{
  free(s->torque);
  free(s->weight);
  *s = (struct sweep_spectra){ 0 };
}
