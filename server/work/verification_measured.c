#include "server/work/verification_measured.h"

#include <math.h>
#include <stdlib.h>

#include "server/data/logged_motion.h"

enum { N = ARMDYN_JOINTS_MAX };
static const double ROUNDING = 1e-9; /* of clocks */

/* -- reading -- */

static enum armdyn_status make_room(struct measured_motion *m, size_t count)
{
  m->memory = malloc(count * (1 + 2 * m->n) * sizeof *m->memory);
  if (!m->memory) return ARMDYN_EMEMORY;
  m->t = m->memory, m->off = m->t + count, m->tau = m->off + count * m->n;
  return ARMDYN_OK;
}

/* The samples while the motion lasts. */
static void take_samples(struct measured_motion *m, struct reference_motion *motion, const struct armdyn_log *log)
{
  const double end = motion->moving + motion->asked->rest, begin = motion->asked->measured_from;
  double q[N], qd[N], qdd[N];
  for (size_t i = 0; i < log->count; i++) {
    const double since = log->time[i] - begin, t = fmin(fmax(since, 0), end);
    if (!(fabs(since - t) <= ROUNDING * (1 + end)) || (m->count && !(t > m->t[m->count - 1]))) continue;
    reference_motion_at(motion, t, q, qd, qdd);
    for (size_t j = 0; j < m->n; j++) m->off[m->count * m->n + j] = q[j] - log->q[i * m->n + j];
    memcpy(m->tau + m->count * m->n, log->tau + i * m->n, m->n * sizeof *m->tau);
    m->t[m->count++] = t;
  }
}

static enum armdyn_status read_all(struct logged_motion *logged, struct reference_motion *motion,
                                   struct measured_motion *m, struct armdyn_error *error)
{
  enum { ROWS = 4096 };
  const struct armdyn_log_reader reader = logged_motion_reader(logged);
  struct armdyn_log log;
  if (reader.count > LIMIT_OWN_SAMPLES)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "has %zu samples, more than the %d that are compared", reader.count,
                         LIMIT_OWN_SAMPLES);
  enum armdyn_status status = make_room(m, reader.count);
  for (size_t first = 0; !status && first < reader.count; first += ROWS) {
    const size_t left = reader.count - first;
    status = reader.read(reader.context, first, left < ROWS ? left : ROWS, &log, error);
    if (!status) take_samples(m, motion, &log);
  }
  if (status || m->count > 1) return status;
  return armdyn_refuse(error, ARMDYN_EINPUT, "",
                       "has %zu samples while the motion lasts, from %g s of its clock on: measured_from says when it "
                       "begins",
                       m->count, motion->asked->measured_from);
}

enum armdyn_status measured_motion_open(struct work *work, struct reference_motion *motion, const char *pointer,
                                        struct measured_motion *measured, struct armdyn_error *error)
{
  struct logged_motion logged = { .dataset = NULL };
  struct armdyn_error told = { 0 };
  struct store *store;
  enum armdyn_status status = work_store(work, &store);
  if (status) return status;
  measured->n = motion->n;
  status = logged_motion_open_any(store, motion->asked->measured, work->robot, 0, 1, &logged, &told);
  if (!status) measured->has_torques = logged.has_torques && logged.whole_torques;
  if (!status) status = read_all(&logged, motion, measured, &told);
  logged_motion_close(&logged);
  if (status != ARMDYN_EINPUT && status != ARMDYN_ENOTFOUND) return status;
  return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "%s %.150s", motion->asked->measured, told.message);
}

void measured_motion_close(struct measured_motion *measured)
{
  free(measured->memory);
  *measured = (struct measured_motion){ .count = 0 };
}

bool measured_motion_off(const struct measured_motion *measured, double t, double *off)
{
  size_t low = 0, high = measured->count - 1;
  if (t < measured->t[0] || t > measured->t[high]) return false;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (measured->t[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  const double part = (t - measured->t[low]) / (measured->t[high] - measured->t[low]);
  for (size_t j = 0; j < measured->n; j++) {
    const double a = measured->off[low * measured->n + j], b = measured->off[high * measured->n + j];
    off[j] = a + part * (b - a);
  }
  return true;
}

/* -- figures -- */

/* Where the limit is last missed; -INFINITY: nowhere. */
static double follow_tool(const struct measured_motion *m, const struct armdyn_robot *model,
                          struct reference_motion *motion, const struct verification_limit *limit,
                          struct armdyn_workspace *workspace, struct verification_measured *out)
{
  const double end = motion->moving + motion->asked->rest;
  double q[N], qd[N], qdd[N], is[N], off[3], turn, last = -INFINITY;
  for (size_t i = 0; i < m->count; i++) {
    reference_motion_at(motion, m->t[i], q, qd, qdd);
    for (size_t j = 0; j < m->n; j++) is[j] = q[j] - m->off[i * m->n + j];
    reference_tool_off(model, q, model, is, workspace, off, &turn);
    const double mm = 1e3 * sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]), mrad = 1e3 * turn;
    const double part = m->t[i] / end * ENVELOPE;
    double *bin = &out->envelope_mm[part < ENVELOPE ? (size_t)part : ENVELOPE - 1];
    *bin = fmax(*bin, mm); /* of NAN the other one */
    out->position_rms_mm += mm * mm, out->rotation_rms_mrad += mrad * mrad;
    if (mm > out->position_max_mm) out->position_max_mm = mm, out->position_max_time = m->t[i];
    out->rotation_max_mrad = fmax(out->rotation_max_mrad, mrad);
    if (mm > limit->position_mm) last = m->t[i];
  }
  out->position_rms_mm = sqrt(out->position_rms_mm / (double)m->count);
  out->rotation_rms_mrad = sqrt(out->rotation_rms_mrad / (double)m->count);
  return last;
}

static void sum_up_joint(const struct measured_motion *m, size_t j, struct verification_joint *joint)
{
  double off2 = 0, torque2 = 0;
  for (size_t i = j; i < m->count * m->n; i += m->n) {
    off2 += m->off[i] * m->off[i], torque2 += m->tau[i] * m->tau[i];
    joint->max = fmax(joint->max, fabs(m->off[i]));
    joint->torque_peak = fmax(joint->torque_peak, fabs(m->tau[i]));
  }
  joint->rms = sqrt(off2 / (double)m->count), joint->torque_rms = sqrt(torque2 / (double)m->count);
  if (!m->has_torques) joint->torque_rms = joint->torque_peak = NAN;
}

enum armdyn_status measured_motion_figures(const struct measured_motion *measured, const struct armdyn_robot *model,
                                           struct reference_motion *motion, const struct verification_limit *limit,
                                           struct verification_measured *out)
{
  struct armdyn_workspace *workspace = armdyn_workspace_new(measured->n);
  if (!workspace) return ARMDYN_EMEMORY;
  out->samples = measured->count;
  out->from = measured->t[0], out->to = measured->t[measured->count - 1];
  out->torques = measured->has_torques;
  for (size_t k = 0; k < ENVELOPE; k++) out->envelope_mm[k] = NAN;
  const double last = follow_tool(measured, model, motion, limit, workspace, out);
  for (size_t j = 0; j < measured->n; j++) sum_up_joint(measured, j, &out->joints[j]);
  out->within = !(out->position_max_mm > limit->position_mm) && !(out->rotation_max_mrad > limit->rotation_mrad);
  const bool settles = !isnan(limit->position_mm) && last < out->to;
  out->settled_after = settles ? fmax(0, last - motion->moving) : NAN;
  armdyn_workspace_free(workspace);
  return ARMDYN_OK;
}
