#include "server/data/logged_energy.h"

#include <math.h>
#include <stdlib.h>

#include "api/limits.h"
#include "server/data/logged_motion.h"

struct summing {
  const struct armdyn_robot *robot;
  const struct armdyn_electrical_model *drives;
  struct armdyn_workspace *workspace;
  struct logged_energy *out;
  size_t n, room;                            /* rows */
  double *memory;                            /* of all that follow */
  double *t, *q, *qd, *qdd, *tau, *measured; /* t: room, the others room x n; row 0 is the last of the block before */
};

static bool make_room(struct summing *s, size_t rows)
{
  const size_t n = s->n;
  if (s->memory && rows <= s->room) return true;
  double *memory = malloc(rows * (1 + 5 * n) * sizeof *memory);
  if (!memory) return false;
  double *const old[] = { s->q, s->qd, s->qdd, s->measured };
  double **const tables[] = { &s->q, &s->qd, &s->qdd, &s->measured };
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
    *tables[k] = memory + rows + k * rows * n;
    if (s->room) memcpy(*tables[k], old[k], n * sizeof *memory);
  }
  s->t = memory;
  s->tau = memory + rows + 4 * rows * n;
  free(s->memory);
  s->memory = memory;
  s->room = rows;
  return true;
}

static enum armdyn_status add_energy(const struct summing *s, size_t rows, const double *tau,
                                     struct armdyn_electrical_energy *sum, struct armdyn_error *error)
{
  struct armdyn_electrical_energy part;
  const struct armdyn_samples samples = {
    .count = rows, .q = { s->q, s->n }, .qd = { s->qd, s->n }, .qdd = { s->qdd, s->n }, .tau = { tau, s->n }
  };
  enum armdyn_status status = armdyn_samples_electrical_energy(s->robot, s->drives, s->t, &samples, &part, error);
  if (!status) armdyn_electrical_energy_add(sum, &part);
  return status;
}

static enum armdyn_status add_block(struct summing *s, const struct armdyn_motion *motion, struct armdyn_error *error)
{
  const size_t n = s->n, carried = s->out->samples > 0, rows = motion->count + carried;
  if (motion->count == 0) return ARMDYN_OK;
  if (!make_room(s, rows)) return ARMDYN_EMEMORY;
  const double *const from[] = { motion->q, motion->qd, motion->qdd, motion->tau };
  double *const to[] = { s->q, s->qd, s->qdd, s->measured };
  for (size_t k = 0; k < sizeof to / sizeof *to; k++)
    memcpy(to[k] + carried * n, from[k], motion->count * n * sizeof **to);
  for (size_t i = 0; i < rows; i++) s->t[i] = (double)i / motion->rate;
  enum armdyn_status status = ARMDYN_OK;
  if (rows > 1) {
    const struct armdyn_samples samples = { .count = rows, .q = { s->q, n }, .qd = { s->qd, n }, .qdd = { s->qdd, n } };
    armdyn_inverse_dynamics_batch(s->robot, &samples, s->workspace, s->tau);
    status = add_energy(s, rows, s->tau, &s->out->predicted, error);
    if (!status && s->out->has_measured) status = add_energy(s, rows, s->measured, &s->out->measured, error);
  }
  for (size_t k = 0; k < sizeof to / sizeof *to; k++) memmove(to[k], to[k] + (rows - 1) * n, n * sizeof **to);
  s->out->samples += motion->count;
  return status;
}

static enum armdyn_status condition(struct logged_motion *motion, double cutoff, struct armdyn_conditioning *c,
                                    struct armdyn_error *error)
{
  double bandwidth = 0;
  enum armdyn_status status = isnan(cutoff) ? logged_motion_bandwidth(motion, &bandwidth, error) : ARMDYN_OK;
  c->rate = logged_motion_rate(motion);
  c->position_cutoff = c->torque_cutoff = isnan(cutoff) ? logged_motion_cutoff(bandwidth, c->rate) : cutoff;
  c->trim = 0; /* the whole cycle counts */
  return status;
}

static enum armdyn_status sum_up(struct summing *s, struct logged_motion *motion, struct armdyn_error *error)
{
  struct armdyn_log_stream *stream = NULL;
  const struct armdyn_log_reader reader = logged_motion_reader(motion);
  enum armdyn_status status = armdyn_log_stream_new(s->n, &reader, 1, &s->out->conditioning, &stream, error);
  if (status) return status;
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  for (size_t k = 0; k < source.blocks && !status; k++) {
    struct armdyn_motion block;
    status = source.read(source.context, k, &block, error);
    if (!status) status = add_block(s, &block, error);
  }
  armdyn_log_stream_free(stream);
  if (!status && s->out->samples < 2)
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "has too few samples to tell anything");
  s->out->duration = (double)(s->out->samples - 1) / s->out->conditioning.rate;
  return status;
}

enum armdyn_status logged_energy_find(struct store *store, const char *id, const struct armdyn_robot *robot,
                                      const struct armdyn_electrical_model *drives, double cutoff,
                                      struct logged_energy *out, struct armdyn_error *error)
{
  struct logged_motion motion = { 0 };
  struct summing s = { .robot = robot, .drives = drives, .out = out, .n = armdyn_robot_joint_count(robot) };
  *out = (struct logged_energy){ 0 };
  enum armdyn_status status = logged_motion_open_any(store, id, armdyn_robot_description(robot), 0, 1, &motion, error);
  if (!status && motion.count > LIMIT_SAMPLES)
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "has %zu samples; at most %d are taken here", motion.count,
                           LIMIT_SAMPLES);
  if (status) goto out;
  out->has_measured = motion.has_torques;
  out->other_conditions = motion.other_conditions;
  if ((status = condition(&motion, cutoff, &out->conditioning, error))) goto out;
  s.workspace = armdyn_workspace_new(s.n);
  status = s.workspace ? sum_up(&s, &motion, error) : ARMDYN_EMEMORY;
out:
  free(s.memory);
  armdyn_workspace_free(s.workspace);
  logged_motion_close(&motion);
  return status;
}
