/* From a log to a motion: even clock, no noise above the cut-off, velocities and accelerations. */
#include <math.h>

#include "lib/identify/condition.h"

/* The slowest poles die by exp(-2.4) a period of the cut-off; after so many of them nothing is left. */
enum { SECTIONS = 2, FEWEST_SAMPLES = 16, SETTLED = 6 };

/* One second-order section, y = (b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2) x; gain 1 at 0 Hz. */
struct section {
  double b0, b1, b2, a1, a2;
};

/* Butterworth's poles by the bilinear transform, the cut-off prewarped. Source: Oppenheim & Schafer, 7.1. */
static void butterworth(double rate, double cutoff, struct section sections[SECTIONS])
{
  const double pi = 3.14159265358979323846, k = tan(pi * cutoff / rate);
  for (int s = 0; s < SECTIONS; s++) {
    const double damping = 2 * cos(pi * (2 * s + 1) / (4 * SECTIONS)), scale = 1 / (1 + damping * k + k * k);
    sections[s] = (struct section){ k * k * scale, 2 * k * k * scale, k * k * scale, 2 * (k * k - 1) * scale,
                                    (1 - damping * k + k * k) * scale };
  }
}

/* Columns side by side: each waits for its own sample before, and so none for the others. */
enum { ABREAST = 4 };

/* Run a section over x (count x ABREAST) in place, started as if the first row had stood there for ever. `step` is 1 or -1
 * rows. */
static void run_section(const struct section *f, size_t count, double *x, ptrdiff_t step)
{
  double z1[ABREAST], z2[ABREAST];
  for (int c = 0; c < ABREAST; c++) {
    z1[c] = (1 - f->b0) * x[c];
    z2[c] = (f->b2 - f->a2) * x[c];
  }
  for (size_t i = 0; i < count; i++, x += step * ABREAST) {
    for (int c = 0; c < ABREAST; c++) {
      const double in = x[c], out = f->b0 * in + z1[c];
      z1[c] = f->b1 * in - f->a1 * out + z2[c];
      z2[c] = f->b2 * in - f->a2 * out;
      x[c] = out;
    }
  }
}

/* Some columns, `reflect_ends` of each, into rows of ABREAST; what there are fewer of is 0. */
static void open_columns(size_t count, size_t step, const double *x, size_t columns, size_t edge, double *out)
{
  const double *last = x + (count - 1) * step;
  double *row = out;
  for (size_t i = edge; i > 0; i--, row += ABREAST)
    for (size_t c = 0; c < ABREAST; c++) row[c] = c < columns ? 2 * x[c] - x[i * step + c] : 0;
  for (size_t i = 0; i < count; i++, row += ABREAST)
    for (size_t c = 0; c < ABREAST; c++) row[c] = c < columns ? x[i * step + c] : 0;
  for (size_t i = 1; i <= edge; i++, row += ABREAST)
    for (size_t c = 0; c < ABREAST; c++) row[c] = c < columns ? 2 * last[c] - x[(count - 1 - i) * step + c] : 0;
}

void reflect_ends(size_t count, size_t step, const double *x, size_t edge, double *out)
{
  const double first = x[0], last = x[(count - 1) * step];
  for (size_t i = 0; i < count; i++) out[edge + i] = x[i * step];
  for (size_t i = 1; i <= edge; i++) {
    out[edge - i] = 2 * first - x[i * step];
    out[edge + count - 1 + i] = 2 * last - x[(count - 1 - i) * step];
  }
}

enum armdyn_status armdyn_lowpass(size_t count, size_t columns, double rate, double cutoff, double *x,
                                  struct armdyn_error *error)
{
  if (!(cutoff > 0 && cutoff < rate / 2)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/cutoff", "must be between 0 and half the rate, %g Hz, got %g Hz",
                         rate / 2, cutoff);
  }
  if (count < 2) return armdyn_refuse(error, ARMDYN_EINPUT, "", "needs 2 samples, got %zu", count);
  const size_t settled = lowpass_edge(rate, cutoff), edge = settled < count - 1 ? settled : count - 1;
  const size_t length = count + 2 * edge;
  struct section sections[SECTIONS];
  butterworth(rate, cutoff, sections);
  double *y = malloc(length * ABREAST * sizeof *y);
  if (!y) return ARMDYN_EMEMORY;
  for (size_t first = 0; first < columns; first += ABREAST) {
    const size_t some = columns - first < ABREAST ? columns - first : ABREAST;
    open_columns(count, columns, x + first, some, edge, y);
    for (int s = 0; s < SECTIONS; s++) run_section(&sections[s], length, y, 1);
    for (int s = 0; s < SECTIONS; s++) run_section(&sections[s], length, y + (length - 1) * ABREAST, -1);
    for (size_t i = 0; i < count; i++) memcpy(x + i * columns + first, y + (edge + i) * ABREAST, some * sizeof *y);
  }
  free(y);
  return ARMDYN_OK;
}

void armdyn_differentiate(size_t count, size_t columns, double rate, const double *x, double *out)
{
  const size_t n = columns, end = (count - 1) * n;
  for (size_t c = 0; c < n; c++) {
    out[c] = (-3 * x[c] + 4 * x[n + c] - x[2 * n + c]) * rate / 2;
    out[end + c] = (3 * x[end + c] - 4 * x[end - n + c] + x[end - 2 * n + c]) * rate / 2;
  }
  for (size_t k = n; k < end; k++) out[k] = (x[k + n] - x[k - n]) * rate / 2;
}

size_t armdyn_resampled_count(size_t count, const double *time, double rate)
{
  /* a last sample that is short of its place by rounding is not lost */
  return 1 + (size_t)((time[count - 1] - time[0]) * rate + 1e-6);
}

/* Lagrange's weights of four neighbours at t. */
static void cubic_weights(const double time[4], double t, double weights[4])
{
  for (int i = 0; i < 4; i++) {
    weights[i] = 1;
    for (int j = 0; j < 4; j++) {
      if (j != i) weights[i] *= (t - time[j]) / (time[i] - time[j]);
    }
  }
}

void armdyn_interpolate(size_t count, size_t columns, const double *time, const double *x, double t, size_t *at,
                        double *out)
{
  while (*at + 2 < count && time[*at + 1] <= t) ++*at;
  const size_t before = *at > 0 ? *at - 1 : 0, first = before + 4 > count ? count - 4 : before;
  double weights[4];
  cubic_weights(time + first, t, weights);
  for (size_t c = 0; c < columns; c++) {
    double sum = 0;
    for (size_t i = 0; i < 4; i++) sum += weights[i] * x[(first + i) * columns + c];
    out[c] = sum;
  }
}

/* Columns x of a log, at start + k / rate. */
static enum armdyn_status resample_from(const struct armdyn_log *log, size_t columns, const double *x, double start,
                                        double rate, size_t out_count, double *out, struct armdyn_error *error)
{
  const size_t count = log->count;
  const double *time = log->time;
  if (count < 4) return armdyn_refuse(error, ARMDYN_EINPUT, "/time", "needs 4 samples, got %zu", count);
  for (size_t i = 1; i < count; i++) {
    if (!(time[i] > time[i - 1])) {
      return armdyn_refuse(error, ARMDYN_EINPUT, "/time", "must increase, sample %zu has %.9g s after %.9g s", i,
                           time[i], time[i - 1]);
    }
  }
  size_t at = 0;
  for (size_t k = 0; k < out_count; k++)
    armdyn_interpolate(count, columns, time, x, fmin(start + (double)k / rate, time[count - 1]), &at,
                       out + k * columns);
  return ARMDYN_OK;
}

/* Each column of torques, at times that are later by its own delay; a log that ends before goes on as it ended. */
static enum armdyn_status resample_delayed(const struct armdyn_log *log, size_t n, const double *delay, double start,
                                           double rate, size_t out_count, double *out, struct armdyn_error *error)
{
  const double first = log->time[0], last = log->time[log->count - 1];
  double row[ARMDYN_JOINTS_MAX];
  enum armdyn_status status = resample_from(log, n, log->tau, start, rate, out_count, out, error);
  for (size_t j = 0; j < n && !status; j++) {
    size_t at = 0;
    if (delay[j] == 0) continue;
    for (size_t k = 0; k < out_count; k++) {
      const double t = fmin(fmax(start + (double)k / rate + delay[j], first), last);
      armdyn_interpolate(log->count, n, log->time, log->tau, t, &at, row);
      out[k * n + j] = row[j];
    }
  }
  return status;
}

enum armdyn_status armdyn_resample(size_t count, size_t columns, const double *time, const double *x, double rate,
                                   size_t out_count, double *out, struct armdyn_error *error)
{
  const struct armdyn_log log = { .count = count, .time = time };
  return resample_from(&log, columns, x, count > 0 ? time[0] : 0, rate, out_count, out, error);
}

static enum armdyn_status check_finite(size_t count, size_t n, const double *x, const char *pointer,
                                       struct armdyn_error *error)
{
  for (size_t k = 0; k < count * n; k++) {
    if (isfinite(x[k])) continue;
    return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "must be finite, row %zu has %g for joint %zu", k / n, x[k],
                         k % n + 1);
  }
  return ARMDYN_OK;
}

static bool motion_allocate(size_t count, size_t n, struct armdyn_motion *motion)
{
  const size_t table = count * n;
  double *memory = calloc(5 * table, sizeof *memory);
  *motion = (struct armdyn_motion){ .count = count, .q = memory, .memory = memory };
  if (!memory) return false;
  motion->qd = memory + table;
  motion->qdd = memory + 2 * table;
  motion->tau = memory + 3 * table;
  motion->tau_raw = memory + 4 * table;
  return true;
}

void armdyn_motion_free(struct armdyn_motion *motion)
{
  free(motion->memory);
  *motion = (struct armdyn_motion){ 0 };
}

struct armdyn_motion armdyn_motion_part(const struct armdyn_motion *motion, size_t n, size_t first, size_t count)
{
  const size_t skip = first * n;
  return (struct armdyn_motion){ .count = count,
                                 .rate = motion->rate,
                                 .q = motion->q + skip,
                                 .qd = motion->qd + skip,
                                 .qdd = motion->qdd + skip,
                                 .tau = motion->tau + skip,
                                 .tau_raw = motion->tau_raw + skip,
                                 .torque_cutoff = motion->torque_cutoff,
                                 .log = motion->log,
                                 .start = motion->start + (double)first / motion->rate,
                                 .before = motion->before + first,
                                 .after = motion->after + motion->count - first - count };
}

/* Velocities that were logged, through the filter of positions, in place of what positions say. */
static enum armdyn_status take_velocities(size_t n, const struct armdyn_log *log, const struct armdyn_conditioning *c,
                                          struct armdyn_motion *m, struct armdyn_error *error)
{
  double *logged = m->qdd; /* not needed yet */
  enum armdyn_status status = resample_from(log, n, log->qd, m->start, m->rate, m->count, logged, error);
  if (!status && c->position_cutoff > 0)
    status = armdyn_lowpass(m->count, n, m->rate, c->position_cutoff, logged, error);
  for (size_t k = 0; k < m->count && !status; k++)
    for (size_t j = 0; j < n; j++)
      if (log->use_qd[j]) m->qd[k * n + j] = logged[k * n + j];
  return status;
}

/* Filter and differentiate what is on the even clock. */
static enum armdyn_status smooth(size_t n, const struct armdyn_log *log, const struct armdyn_conditioning *c,
                                 struct armdyn_motion *m, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  memcpy(m->tau, m->tau_raw, m->count * n * sizeof *m->tau);
  if (c->torque_cutoff > 0) status = armdyn_lowpass(m->count, n, m->rate, c->torque_cutoff, m->tau, error);
  if (status) return status;
  if (c->method == ARMDYN_TRACKING_DIFFERENTIATOR)
    return armdyn_track(m->count, n, m->rate, c->position_cutoff, c->tracking_acceleration, m->q, m->q, m->qd, m->qdd,
                        NULL, error);
  if (c->position_cutoff > 0) status = armdyn_lowpass(m->count, n, m->rate, c->position_cutoff, m->q, error);
  armdyn_differentiate(m->count, n, m->rate, m->q, m->qd);
  if (!status && log->qd && log->use_qd) status = take_velocities(n, log, c, m, error);
  armdyn_differentiate(m->count, n, m->rate, m->qd, m->qdd);
  return status;
}

/* Count only `count` rows from `first` on; the others stay around them. */
static void cut(size_t n, size_t first, size_t count, struct armdyn_motion *m)
{
  double *const memory = m->memory;
  *m = armdyn_motion_part(m, n, first, count);
  m->memory = memory;
}

static enum armdyn_status check_log(size_t n, const struct armdyn_log *log, struct armdyn_error *error)
{
  enum armdyn_status status = check_finite(log->count, 1, log->time, "/time", error);
  if (!status) status = check_finite(log->count, n, log->q, "/q", error);
  if (!status) status = check_finite(log->count, n, log->tau, "/tau", error);
  if (!status && log->qd && log->use_qd) status = check_finite(log->count, n, log->qd, "/qd", error);
  return status;
}

double armdyn_conditioning_margin(const struct armdyn_conditioning *conditioning)
{
  const double position = conditioning->position_cutoff, torque = conditioning->torque_cutoff;
  const double rate = conditioning->rate;
  double delay = 0;
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) delay = fmax(delay, fabs(conditioning->torque_delay[j]));
  return delay + SETTLED * ((position > 0 ? 1 / position : 0) + (torque > 0 ? 1 / torque : 0)) +
         (rate > 0 ? 8 / rate : 0);
}

enum armdyn_status armdyn_condition_piece(size_t n, const struct armdyn_log *log,
                                          const struct armdyn_conditioning *conditioning, double origin, double from,
                                          double to, struct armdyn_motion *motion, struct armdyn_error *error)
{
  const double rate = conditioning->rate;
  enum armdyn_status status;
  *motion = (struct armdyn_motion){ 0 };
  if (log->count < 4) return armdyn_refuse(error, ARMDYN_EINPUT, "", "needs 4 samples, got %zu", log->count);
  if ((status = check_log(n, log, error))) return status;
  /* the samples of the even clock within the piece; one that is outside by rounding is within */
  const double lead = ceil((log->time[0] - origin) * rate - 1e-6);
  const double start = origin + lead / rate, length = log->time[log->count - 1] - start;
  if (!(length * rate >= 2)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/rate", "must make 3 samples or more, got %g Hz of %g s", rate, length);
  }
  const size_t count = 1 + (size_t)(length * rate + 1e-6);
  if (!motion_allocate(count, n, motion)) return ARMDYN_EMEMORY;
  motion->rate = rate;
  motion->torque_cutoff = conditioning->torque_cutoff;
  motion->start = start;
  if ((status = resample_from(log, n, log->q, start, rate, count, motion->q, error))) goto out;
  if ((status = resample_delayed(log, n, conditioning->torque_delay, start, rate, count, motion->tau_raw, error)))
    goto out;
  if ((status = smooth(n, log, conditioning, motion, error))) goto out;
  const double first = fmin(fmax(ceil((from - start) * rate - 1e-6), 0), (double)count);
  const double end = fmin(fmax(ceil((to - start) * rate - 1e-6), first), (double)count);
  cut(n, (size_t)first, (size_t)(end - first), motion);
out:
  if (status) armdyn_motion_free(motion);
  return status;
}

enum armdyn_status conditioning_complete(size_t count, double first, double last, struct armdyn_conditioning *c,
                                         struct armdyn_error *error)
{
  const double length = last - first, most = 100 * (double)count;
  if (count < FEWEST_SAMPLES) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "needs %d samples, got %zu", FEWEST_SAMPLES, count);
  }
  if (!(length > 0)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/time", "must increase, it goes from %.9g s to %.9g s", first, last);
  }
  if (!(c->rate > 0)) c->rate = (double)(count - 1) / length;
  if (!(length * c->rate < most)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/rate", "makes more than %g samples of %g s, got %g Hz", most, length,
                         c->rate);
  }
  if (!(c->trim > 0)) c->trim = 0;
  if (!((length - 2 * c->trim) * c->rate + 1 >= FEWEST_SAMPLES)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/trim", "must leave %d samples of %g s at %g Hz, got %g s",
                         FEWEST_SAMPLES, length, c->rate, c->trim);
  }
  return ARMDYN_OK;
}

enum armdyn_status armdyn_condition(size_t n, const struct armdyn_log *log,
                                    const struct armdyn_conditioning *conditioning, struct armdyn_motion *motion,
                                    struct armdyn_error *error)
{
  struct armdyn_conditioning c = *conditioning;
  *motion = (struct armdyn_motion){ 0 };
  if (log->count == 0) return armdyn_refuse(error, ARMDYN_EINPUT, "", "needs %d samples, got 0", FEWEST_SAMPLES);
  const double first = log->time[0], last = log->time[log->count - 1];
  enum armdyn_status status = check_log(n, log, error);
  if (!status) status = conditioning_complete(log->count, first, last, &c, error);
  if (status) return status;
  return armdyn_condition_piece(n, log, &c, first, first + c.trim, last - c.trim + 0.5 / c.rate, motion, error);
}

size_t lowpass_edge(double rate, double cutoff)
{
  return (size_t)fmin(ceil(SETTLED * rate / cutoff), 1e15);
}
