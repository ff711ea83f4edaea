/* Velocities that were logged: are they those of the positions?
 *   v(t + d) = g q'(t) + o + e(t)    g gain, d delay, o offset; v and q through the same low-pass
 * Least squares of v over [q', 1, -g q'']; the last coefficient is by how much d is too small, and is taken out until it is 0
 * (Gauss and Newton). Deviations are those of the jackknife over consecutive parts.
 * What is wrong by a part of g, or of w d at the frequency w of the motion, is as wrong in the torques of inertia and friction.
 *
 * Noise: errors of one sample are white, so third differences, in which a motion has hardly a part, have 20 times their
 * variance. Behind a low-pass of cut-off c they leave in the acceleration
 *   of positions   s_q^2 (2 pi)^4 c^5 / 5,   of velocities   s_v^2 (2 pi)^2 c^3 / 3   times 2 / rate.
 * Sources: Golub & Pereyra 1973; Efron & Tibshirani 1993, 11. */
#include <math.h>

#include "armdyn/signals.h"
#include "lib/identify/training.h"
#include "lib/identify/warnings.h"
#include "lib/math/linear.h"

enum { PARTS = 8, ROUNDS = 8, COLUMNS = 3, SHARE_OF_RATE = 8 };
static const double RELATIVE = 0.01, OF_CUTOFF = 0.1 /* a motion is as fast, at least */, LONGEST = 0.1 /* s */,
                    SETTLED = 1e-3 /* of a sample */, RIDGE = 1e-12, UNLIKE = 0.2, SURE = 2 /* deviations */,
                    PI = 3.14159265358979323846;

/* Of one joint: [q' 1 q''] against v, part by part. */
struct sums {
  double gram[PARTS][COLUMNS][COLUMNS], right[PARTS][COLUMNS], square;
  size_t samples;
};

static void gather(const struct armdyn_motion *motion, size_t n, size_t joint, struct sums *s)
{
  *s = (struct sums){ .samples = motion->count };
  for (size_t k = 0; k < motion->count; k++) {
    const size_t part = k * PARTS / motion->count, at = k * n + joint;
    const double row[COLUMNS] = { motion->qd[at], 1, motion->qdd[at] }, v = motion->tau[at];
    for (size_t a = 0; a < COLUMNS; a++) {
      for (size_t b = 0; b <= a; b++) s->gram[part][a][b] += row[a] * row[b];
      s->right[part][a] += row[a] * v;
    }
    s->square += v * v;
  }
}

/* x <- the coefficients without one part (PARTS: of all); then what they leave of v, squared. */
static bool solve(const struct sums *s, size_t without, double x[COLUMNS], double *left)
{
  double A[COLUMNS * COLUMNS] = { 0 }, whole[COLUMNS * COLUMNS], right[COLUMNS] = { 0 }, scale[COLUMNS];
  for (size_t part = 0; part < PARTS; part++) {
    if (part == without) continue;
    for (size_t a = 0; a < COLUMNS; a++) {
      for (size_t b = 0; b <= a; b++) A[a * COLUMNS + b] += s->gram[part][a][b];
      right[a] += s->right[part][a];
    }
  }
  memcpy(x, right, sizeof right);
  for (size_t a = 0; a < COLUMNS; a++) A[a * COLUMNS + a] *= 1 + RIDGE;
  memcpy(whole, A, sizeof whole);
  if (!scaled_cholesky_factor(COLUMNS, A, scale)) return false;
  scaled_cholesky_solve(COLUMNS, A, scale, x);
  *left = s->square;
  for (size_t a = 0; a < COLUMNS; a++) *left -= x[a] * right[a];
  return true;
}

/* Gain, offset, and by how much the velocity is late. False: the motion does not tell. */
static bool fit(const struct sums *s, struct armdyn_logged_velocity *out)
{
  double x[COLUMNS], left, gains = 0, delays = 0;
  if (!solve(s, PARTS, x, &left)) return false;
  out->gain = x[0];
  out->offset = x[1];
  out->delay = x[0] != 0 ? -x[2] / x[0] : NAN;
  out->unlike = s->square > 0 ? sqrt(fmax(left, 0) / s->square) : 1;
  for (size_t part = 0; part < PARTS; part++) {
    if (!solve(s, part, x, &left) || x[0] == 0) return false;
    gains += pow(x[0] - out->gain, 2);
    delays += pow(-x[2] / x[0] - out->delay, 2);
  }
  out->gain_deviation = sqrt(gains * (PARTS - 1) / PARTS);
  out->delay_deviation = sqrt(delays * (PARTS - 1) / PARTS);
  return true;
}

/* Of one sample. */
static double white_noise(size_t count, size_t n, const double *x)
{
  double sum = 0;
  for (size_t k = 3; k < count; k++) {
    const double third = x[k * n] - 3 * x[(k - 1) * n] + 3 * x[(k - 2) * n] - x[(k - 3) * n];
    sum += third * third;
  }
  return sqrt(sum / 20 / (double)(count - 3));
}

static enum armdyn_velocity_verdict judge(const struct armdyn_logged_velocity *v, double fastest)
{
  if (!isfinite(v->gain) || !isfinite(v->delay) || v->unlike > UNLIKE) return ARMDYN_VELOCITY_UNLIKE;
  const bool may_agree = fabs(v->gain - 1) <= RELATIVE + SURE * v->gain_deviation &&
                         fabs(v->delay) <= v->latest + SURE * v->delay_deviation;
  if (v->noise > 1 && may_agree && fabs(v->offset) <= RELATIVE * fastest) return ARMDYN_VELOCITY_NOISY;
  if (fabs(v->gain - 1) > RELATIVE || v->gain_deviation > RELATIVE) return ARMDYN_VELOCITY_GAIN;
  if (fabs(v->offset) > RELATIVE * fastest) return ARMDYN_VELOCITY_OFFSET;
  if (fabs(v->delay) > v->latest || v->delay_deviation > v->latest) return ARMDYN_VELOCITY_LATE;
  return ARMDYN_VELOCITY_AGREES;
}

/* Velocities go where torques go, so that they are filtered as positions are, and shifted. */
static enum armdyn_status settle(const struct armdyn_robot *robot, const struct armdyn_log *log,
                                 struct armdyn_conditioning *c, struct armdyn_logged_velocity *out,
                                 struct armdyn_error *error)
{
  const size_t n = armdyn_robot_description(robot)->joint_count;
  const struct armdyn_log velocities = { .count = log->count, .time = log->time, .q = log->q, .tau = log->qd };
  double largest = INFINITY, whole[ARMDYN_JOINTS_MAX] = { 0 };
  for (int round = 0; round < ROUNDS && largest > SETTLED; round++) {
    struct armdyn_motion motion;
    const enum armdyn_status status = armdyn_condition(n, &velocities, c, &motion, error);
    if (status) return status;
    largest = 0;
    for (size_t j = 0; j < n; j++) {
      struct sums sums;
      gather(&motion, n, j, &sums);
      const bool told = fit(&sums, &out[j]);
      if (!told) out[j].gain = out[j].delay = NAN;
      if (!told || !(fabs(whole[j] + out[j].delay) <= LONGEST)) continue;
      largest = fmax(largest, fabs(out[j].delay) * motion.rate);
      whole[j] += out[j].delay;
      c->torque_delay[j] = out[j].delay = whole[j];
    }
    armdyn_motion_free(&motion);
  }
  return ARMDYN_OK;
}

static void measure_noise(size_t n, const struct armdyn_log *log, double cutoff, struct armdyn_logged_velocity *out)
{
  const double factor = 1 / (2 * PI * cutoff * sqrt(3.0 / 5));
  for (size_t j = 0; j < n; j++) {
    const double positions = white_noise(log->count, n, log->q + j), own = white_noise(log->count, n, log->qd + j);
    out[j].noise = positions > 0 ? factor * own / positions : own > 0 ? INFINITY : 1;
  }
}

/* How far, and how fast each joint goes. */
static enum armdyn_status measure_motion(size_t n, const struct armdyn_log *log, const struct armdyn_conditioning *c,
                                         double *range, double *fastest, struct armdyn_error *error)
{
  struct armdyn_motion motion;
  const enum armdyn_status status = armdyn_condition(n, log, c, &motion, error);
  if (status) return status;
  for (size_t j = 0; j < n; j++) {
    double low = INFINITY, high = -INFINITY;
    fastest[j] = 0;
    for (size_t k = j; k < motion.count * n; k += n) {
      low = fmin(low, motion.q[k]);
      high = fmax(high, motion.q[k]);
      fastest[j] = fmax(fastest[j], fabs(motion.qd[k]));
    }
    range[j] = high - low;
  }
  armdyn_motion_free(&motion);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_check_velocities(const struct armdyn_robot *robot, const struct armdyn_log *log,
                                           const struct armdyn_conditioning *conditioning,
                                           struct armdyn_logged_velocity *out, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_description(robot)->joint_count;
  if (log->count < 2) return armdyn_refuse(error, ARMDYN_EINPUT, "", "needs 2 samples, got %zu", log->count);
  const double mean_rate = (double)(log->count - 1) / (log->time[log->count - 1] - log->time[0]);
  const double rate = conditioning->rate > 0 ? conditioning->rate : mean_rate;
  const double cutoff = conditioning->position_cutoff > 0 ? conditioning->position_cutoff : rate / SHARE_OF_RATE;
  const struct armdyn_log positions = { .count = log->count, .time = log->time, .q = log->q, .tau = log->q };
  struct armdyn_conditioning c = {
    .rate = rate, .position_cutoff = cutoff, .torque_cutoff = cutoff, .trim = conditioning->trim
  };
  double range[ARMDYN_JOINTS_MAX], fastest[ARMDYN_JOINTS_MAX];
  enum armdyn_status status = measure_motion(n, &positions, &c, range, fastest, error);
  if (!status) status = settle(robot, log, &c, out, error);
  if (status) return status;
  measure_noise(n, log, cutoff, out);
  for (size_t j = 0; j < n; j++) {
    const bool rests = range[j] < motion_least(robot, j);
    out[j].latest = RELATIVE / (2 * PI * OF_CUTOFF * cutoff);
    out[j].verdict = rests ? ARMDYN_VELOCITY_RESTS : judge(&out[j], fastest[j]);
  }
  return ARMDYN_OK;
}

void armdyn_velocity_warnings(const struct armdyn_robot *robot, const struct armdyn_logged_velocity *found,
                              const bool *used, struct armdyn_warnings *warnings)
{
  for (size_t j = 0; j < armdyn_robot_description(robot)->joint_count; j++) {
    const struct armdyn_logged_velocity *v = &found[j];
    char what[160];
    if (v->verdict == ARMDYN_VELOCITY_UNLIKE)
      snprintf(what, sizeof what, "is not that of its positions at any gain and delay: is the column another one's?");
    else if (v->verdict == ARMDYN_VELOCITY_GAIN)
      snprintf(what, sizeof what, "is %.4g times what its positions say (std %.2g): state its unit in the mapping",
               v->gain, v->gain_deviation);
    else if (v->verdict == ARMDYN_VELOCITY_OFFSET)
      snprintf(what, sizeof what, "is %.3g where its positions stand", v->offset);
    else if (v->verdict == ARMDYN_VELOCITY_LATE)
      snprintf(what, sizeof what, "is logged %.2f ms %s than its positions (std %.2g ms), of which %.2g do no harm",
               1000 * fabs(v->delay), v->delay > 0 ? "later" : "earlier", 1000 * v->delay_deviation, 1000 * v->latest);
    else
      continue;
    warn(warnings, ARMDYN_WARNING_VELOCITY_DIFFERS, (int)j, "the velocity %s; %s", what,
         used[j] ? "it is used all the same, as asked" : "positions are used");
  }
}
