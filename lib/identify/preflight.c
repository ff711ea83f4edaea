/* What can be seen of a log before it is identified from. To add a check: a function and a row of the table. */
#include <math.h>

#include "armdyn/gears.h"
#include "lib/identify/condition.h"
#include "lib/identify/hypotheses.h"
#include "lib/identify/training.h"
#include "lib/identify/unknowns.h"
#include "lib/identify/warnings.h"

struct flight {
  const struct armdyn_unknowns *unknowns;
  const struct armdyn_robot_description *description;
  const struct armdyn_log *log;
  const struct armdyn_motion *motion, *outputs; /* of joints; of gears, where friction acts at motors */
  struct armdyn_warnings *warnings;
};

/* Least and largest of a column. */
static void extremes(size_t count, size_t n, const double *x, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t k = 0; k < count; k++) {
    *low = fmin(*low, x[k * n]);
    *high = fmax(*high, x[k * n]);
  }
}

/* A reader that polls faster than the controller sends gets rows twice: all channels stand still although the arm moves. */
static enum armdyn_status repeated_samples(const struct flight *f)
{
  enum { AROUND = 16 };
  const size_t n = f->unknowns->n, row = n * sizeof(double);
  const struct armdyn_log *log = f->log;
  size_t repeated = 0, moving = 0;
  for (size_t k = AROUND; k + AROUND < log->count; k++) {
    if (memcmp(log->q + (k - AROUND) * n, log->q + (k + AROUND) * n, row) == 0) continue;
    moving++;
    repeated += memcmp(log->q + (k - 1) * n, log->q + k * n, row) == 0 &&
                memcmp(log->tau + (k - 1) * n, log->tau + k * n, row) == 0;
  }
  if (repeated * 200 > moving) {
    warn(f->warnings, ARMDYN_WARNING_REPEATED_SAMPLES, -1,
         "%zu of %zu samples repeat the one before although the arm moves; log at the controller's rate, or state the "
         "rate that the samples really have",
         repeated, log->count);
  }
  return ARMDYN_OK;
}

/* A torque that stays at its extreme while the joint moves was cut off there. */
static enum armdyn_status clipped(const struct flight *f)
{
  enum { RUN = 5 };
  const size_t n = f->unknowns->n;
  const struct armdyn_log *log = f->log;
  for (size_t i = 0; i < n; i++) {
    double low, high;
    size_t at_end = 0, run = 0;
    extremes(log->count, n, log->tau + i, &low, &high);
    const double close = 1e-6 * (high - low);
    for (size_t k = 1; k < log->count; k++) {
      const double tau = log->tau[k * n + i];
      const bool extreme = (tau >= high - close || tau <= low + close) && log->q[k * n + i] != log->q[(k - 1) * n + i];
      run = extreme ? run + 1 : 0;
      if (run >= RUN) at_end += run == RUN ? RUN : 1;
    }
    if (high > low && at_end * 200 > log->count) {
      warn(f->warnings, ARMDYN_WARNING_CLIPPED, (int)i,
           "the torque of joint %zu stays at %g or %g for %.1f %% of the time; move more gently, or raise the range of "
           "the measurement",
           i + 1, low, high, 100 * (double)at_end / (double)log->count);
    }
  }
  return ARMDYN_OK;
}

static enum armdyn_status joint_at_rest(const struct flight *f)
{
  const size_t n = f->unknowns->n;
  for (size_t i = 0; i < n; i++) {
    const bool slide = f->description->joints[i].type == ARMDYN_PRISMATIC;
    double low, high;
    extremes(f->motion->count, n, f->motion->q + i, &low, &high);
    if (high - low >= motion_least(f->unknowns->robot, i)) continue;
    warn(f->warnings, ARMDYN_WARNING_JOINT_AT_REST, (int)i,
         "joint %zu moves by only %.3g %s; its friction and inertia cannot be found: move every joint", i + 1,
         high - low, slide ? "m" : "rad");
  }
  return ARMDYN_OK;
}

/* Positions and torques far beyond what the model's joint can do. */
static enum armdyn_status beyond_limits(const struct flight *f)
{
  const size_t n = f->unknowns->n;
  for (size_t i = 0; i < n; i++) {
    const struct armdyn_limits *limits = &f->description->joints[i].limits;
    double low, high;
    extremes(f->motion->count, n, f->motion->q + i, &low, &high);
    const double room = limits->position[1] - limits->position[0], reach = isfinite(room) ? room : 8 * 3.14159265359;
    const double middle = isfinite(room) ? (limits->position[1] + limits->position[0]) / 2 : 0;
    if (fmax(high - middle, middle - low) > reach) {
      warn(f->warnings, ARMDYN_WARNING_UNIT_SUSPECT, (int)i,
           "joint %zu goes from %.4g to %.4g, far beyond its limits; are these degrees, millimetres or turns of the "
           "motor? Give the unit in the mapping",
           i + 1, low, high);
    }
    extremes(f->motion->count, n, f->motion->tau + i, &low, &high);
    if (fmax(high, -low) > 5 * limits->torque) {
      warn(f->warnings, ARMDYN_WARNING_UNIT_SUSPECT, (int)i,
           "the torque of joint %zu goes from %.4g to %.4g, its limit is %.4g; is it in N mm or per mille? Give the "
           "unit "
           "in the mapping",
           i + 1, low, high, limits->torque);
    }
  }
  return ARMDYN_OK;
}

/* What the model with its own parameters says, against what was measured. */
static enum armdyn_status torque_scale(const struct flight *f)
{
  const struct armdyn_unknowns *u = f->unknowns;
  const size_t n = u->n;
  double mass = 0, square = 0, predicted = 0;
  for (size_t i = 0; i < n; i++) mass += u->prior[10 * i];
  for (size_t i = 0; i < n; i++) {
    if (!(u->prior[10 * i] > 0.01 * mass / (double)n)) return ARMDYN_OK;
  }
  double *tau = malloc((f->motion->count * n + 1) * sizeof *tau), *beta = calloc(u->base_count + 1, sizeof *beta);
  for (size_t k = 0; k < u->base_count && beta; k++) {
    for (size_t c = 0; c < u->standard_count; c++) {
      beta[k] += armdyn_base_parameter_coefficients(u->base, k)[c] * u->prior[c];
    }
  }
  const enum armdyn_status status = tau && beta ? armdyn_predict(u, beta, f->outputs, tau) : ARMDYN_EMEMORY;
  for (size_t k = 0; k < f->motion->count * n && !status; k++) {
    square += f->outputs->tau[k] * f->outputs->tau[k];
    predicted += tau[k] * tau[k];
  }
  free(tau);
  free(beta);
  const double factor = sqrt(square / fmax(predicted, 1e-300));
  if (!status && predicted > 0 && (factor > 20 || factor < 0.05)) {
    warn(f->warnings, ARMDYN_WARNING_UNIT_SUSPECT, -1,
         "measured torques are %.3g times those of the model; are they in N mm, per mille, currents, or on the motor's "
         "side of the gears? Give their unit in the mapping",
         factor);
  }
  return status;
}

static enum armdyn_status (*const checks[])(const struct flight *) = { repeated_samples, clipped, joint_at_rest,
                                                                       beyond_limits, torque_scale };

enum armdyn_status armdyn_preflight(const struct armdyn_unknowns *unknowns, const struct armdyn_log *log,
                                    const struct armdyn_conditioning *conditioning, struct armdyn_warnings *warnings,
                                    struct armdyn_error *error)
{
  struct armdyn_motion motion, swapped = { 0 };
  const struct armdyn_log exchanged = { .count = log->count, .time = log->time, .q = log->tau, .tau = log->q };
  struct armdyn_gears *gears;
  enum armdyn_status status = armdyn_condition(unknowns->n, log, conditioning, &motion, error);
  if (status) return status;
  struct armdyn_motion outputs = motion;
  status = armdyn_gears_new(unknowns->robot, &gears, error);
  if (!status) status = armdyn_gears_take(gears, &outputs);
  const struct flight f = { .unknowns = unknowns,
                            .description = armdyn_robot_description(unknowns->robot),
                            .log = log,
                            .motion = &motion,
                            .outputs = &outputs,
                            .warnings = warnings };
  for (size_t k = 0; k < sizeof checks / sizeof *checks && !status; k++) status = checks[k](&f);
  if (!status) status = armdyn_condition(unknowns->n, &exchanged, conditioning, &swapped, error);
  if (!status) status = hypotheses_try(unknowns, &motion, &swapped, warnings);
  armdyn_gears_free(gears);
  armdyn_motion_free(&motion);
  armdyn_motion_free(&swapped);
  return status;
}
