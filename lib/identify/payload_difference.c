/* Two runs of one motion: what the model leaves of the one is taken off the other. */
#include <math.h>

#include "armdyn/payload.h"
#include "lib/identify/training.h"

/* q of `unloaded` at t seconds of its own, by a straight line; and how fast it is there. */
static double at(const struct armdyn_motion *m, size_t n, size_t i, double t, double *speed)
{
  const double place = fmin(fmax(t * m->rate, 0), (double)(m->count - 1));
  const size_t k = (size_t)fmin(place, (double)(m->count - 2));
  const double share = place - (double)k;
  *speed = (1 - share) * m->qd[k * n + i] + share * m->qd[(k + 1) * n + i];
  return (1 - share) * m->q[k * n + i] + share * m->q[(k + 1) * n + i];
}

/* loaded(t) is nearly unloaded(t + shift): the shift that makes the squares least, by Gauss-Newton's steps. */
static double refined(size_t n, const struct armdyn_motion *loaded, const struct armdyn_motion *unloaded, double shift)
{
  const double length = (double)(unloaded->count - 1) / unloaded->rate;
  for (int round = 0; round < 8; round++) {
    double along = 0, square = 0;
    for (size_t k = 0; k < loaded->count; k++) {
      const double t = (double)k / loaded->rate + shift;
      for (size_t i = 0; i < n && t >= 0 && t <= length; i++) {
        double speed;
        const double off = loaded->q[k * n + i] - at(unloaded, n, i, t, &speed);
        along += off * speed;
        square += speed * speed;
      }
    }
    if (!(square > 0)) break;
    shift += along / square;
  }
  return shift;
}

static bool copy_of(size_t n, const struct armdyn_motion *m, size_t first, size_t count, struct armdyn_motion *out)
{
  const double *const from[] = { m->q, m->qd, m->qdd, m->tau, m->tau_raw };
  const size_t table = count * n;
  *out = armdyn_motion_part(m, n, first, count);
  out->before = out->after = 0;
  out->memory = malloc((5 * table + 1) * sizeof *out->memory);
  if (!out->memory) return false;
  for (size_t k = 0; k < 5; k++) memcpy(out->memory + k * table, from[k] + first * n, table * sizeof *out->memory);
  out->q = out->memory;
  out->qd = out->memory + table;
  out->qdd = out->memory + 2 * table;
  out->tau = out->memory + 3 * table;
  out->tau_raw = out->memory + 4 * table;
  return true;
}

/* left: what the model leaves of `unloaded`; out begins t0 s after its beginning. */
static void take_off(size_t n, const struct armdyn_motion *unloaded, const double *time, const double *left, double t0,
                     struct armdyn_motion *out)
{
  const double length = (double)(unloaded->count - 1) / unloaded->rate;
  double row[ARMDYN_JOINTS_MAX];
  size_t place = 0;
  for (size_t k = 0; k < out->count; k++) {
    const double t = fmin(fmax(t0 + (double)k / out->rate, 0), length);
    armdyn_interpolate(unloaded->count, n, time, left, t, &place, row);
    for (size_t i = 0; i < n; i++) {
      out->tau[k * n + i] -= row[i];
      out->tau_raw[k * n + i] -= row[i];
    }
  }
}

enum armdyn_status armdyn_payload_difference(const struct armdyn_unknowns *unknowns, const struct armdyn_motion *loaded,
                                             const struct armdyn_motion *unloaded, struct armdyn_motion *out,
                                             struct armdyn_error *error)
{
  const size_t n = unknowns->n;
  bool repeats = false;
  double shift = 0, *left = NULL, *time = NULL, *arm = NULL;
  *out = (struct armdyn_motion){ 0 };
  enum armdyn_status status = armdyn_motion_repeats(n, unloaded, loaded, &repeats, &shift);
  if (status) return status;
  if (!repeats || loaded->count < 16 || unloaded->count < 16) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/unloaded",
                         "must be the same motion, run without the load; leave it out to trust the model alone");
  }
  shift = refined(n, loaded, unloaded, shift);
  const double length = (double)(unloaded->count - 1) / unloaded->rate;
  const double first = fmin(fmax(ceil(-shift * loaded->rate), 0), (double)loaded->count - 1);
  const double last = fmin(floor((length - shift) * loaded->rate), (double)loaded->count - 1);
  left = malloc((unloaded->count * n + 1) * sizeof *left);
  time = malloc((unloaded->count + 1) * sizeof *time);
  arm = malloc((unknowns->base_count + 1) * sizeof *arm);
  status = left && time && arm && last > first ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (status) goto out;
  for (size_t k = 0; k < unloaded->count; k++) time[k] = (double)k / unloaded->rate;
  armdyn_model_base_parameters(unknowns, NULL, arm);
  if ((status = residuals_of(unknowns, arm, unloaded, left))) goto out;
  if (!copy_of(n, loaded, (size_t)first, (size_t)(last - first) + 1, out)) {
    status = ARMDYN_EMEMORY;
    goto out;
  }
  take_off(n, unloaded, time, left, first / loaded->rate + shift, out);
out:
  free(left);
  free(time);
  free(arm);
  return status;
}
