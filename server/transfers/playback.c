#include "server/transfers/playback.h"

#include <math.h>
#include <stdlib.h>

#include "api/codec/dataset.h"
#include "api/codec/measured.h"
#include "api/codec/transfer.h"
#include "armdyn/electrical.h"
#include "armdyn/identify.h"
#include "server/app.h"
#include "server/data/motion_model.h"
#include "server/data/stored_dataset.h"
#include "server/data/stored_trajectory.h"
#include "server/gateway/torque_content.h"
#include "server/robots/cache.h"
#include "server/transfers/deviation.h"
#include "server/work/kinds.h"

enum { MOMENTS_MOST = 50000 };

struct comparing {
  const struct armdyn_robot *robot;
  size_t n, count, room;
  double *memory, *t;
  struct motion planned, measured;
  struct armdyn_workspace *workspace;
};

static enum armdyn_status make_room(struct comparing *c, size_t room)
{
  const size_t block = room * c->n;
  c->room = room;
  c->workspace = armdyn_workspace_new(c->n);
  c->memory = malloc((room + 8 * block) * sizeof *c->memory);
  if (!c->memory || !c->workspace) return ARMDYN_EMEMORY;
  c->t = c->memory;
  double *at = c->t + room;
  double **const parts[] = { &c->planned.q,  &c->planned.qd,  &c->planned.qdd,  &c->planned.tau,
                             &c->measured.q, &c->measured.qd, &c->measured.qdd, &c->measured.tau };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, at += block) *parts[i] = at;
  return ARMDYN_OK;
}

/* What was measured, of a long motion only every so many-th moment. */
static enum armdyn_status read_measured(struct comparing *c, struct stored_dataset *dataset)
{
  const struct dataset_layout *layout = stored_dataset_layout(dataset);
  const size_t samples = (size_t)stored_dataset_row(dataset)->samples, n = c->n;
  const size_t step = (samples + MOMENTS_MOST - 1) / MOMENTS_MOST;
  if (layout->joints != n || !layout->present[DATASET_TAU] || samples < 2) return ARMDYN_EIO;
  enum armdyn_status status = make_room(c, samples / step + 1);
  const double *rows;
  size_t got = 1, index = 0;
  while (!status && got && !(status = stored_dataset_next(dataset, &rows, &got)))
    for (size_t k = 0; k < got; k++, index++) {
      const double *row = rows + k * layout->width;
      if (index % step || c->count == c->room) continue;
      c->t[c->count] = row[layout->begin[DATASET_T]];
      memcpy(c->measured.q + c->count * n, row + layout->begin[DATASET_Q], n * sizeof *row);
      memcpy(c->measured.tau + c->count * n, row + layout->begin[DATASET_TAU], n * sizeof *row);
      c->count++;
    }
  if (status) return status;
  const struct armdyn_rows t = { c->t, 1 }, q = { c->measured.q, n }, qd = { c->measured.qd, n };
  armdyn_slopes(c->count, n, &t, &q, c->measured.qd);
  armdyn_slopes(c->count, n, &t, &qd, c->measured.qdd);
  return ARMDYN_OK;
}

/* The plan at the same moments. */
static void sample_plan(struct comparing *c, const struct armdyn_trajectory *trajectory)
{
  double row[1 + 5 * ARMDYN_JOINTS_MAX];
  const size_t n = c->n;
  for (size_t k = 0; k < c->count; k++) {
    armdyn_trajectory_sample(c->robot, trajectory, c->t[k], c->workspace, row);
    memcpy(c->planned.q + k * n, row + 1, n * sizeof *row);
    memcpy(c->planned.qd + k * n, row + 1 + n, n * sizeof *row);
    memcpy(c->planned.qdd + k * n, row + 1 + 2 * n, n * sizeof *row);
    memcpy(c->planned.tau + k * n, row + 1 + 3 * n, n * sizeof *row);
  }
}

static void compare(const struct comparing *c, const double *planned, const double *measured,
                    struct playback_error *errors)
{
  struct armdyn_fit joints[ARMDYN_JOINTS_MAX], together;
  armdyn_fit(c->count, c->n, planned, measured, joints, &together);
  for (size_t j = 0; j < c->n; j++)
    errors[j] = (struct playback_error){ .rms = joints[j].rms, .max = joints[j].max, .relative = joints[j].relative };
  deviation_worst(c->count, c->n, c->t, planned, measured, errors);
}

/* -- energy: of the parts, not of what lies between them -- */

/* From the row-th moment on. */
static struct armdyn_samples samples_of(const struct comparing *c, const struct motion *m, size_t row, size_t count)
{
  const size_t at = row * c->n;
  return (struct armdyn_samples){ .count = count,
                                  .q = { m->q + at, c->n },
                                  .qd = { m->qd + at, c->n },
                                  .qdd = { m->qdd + at, c->n },
                                  .tau = { m->tau + at, c->n } };
}

static void add_work(const struct comparing *c, const struct motion *m, size_t row, size_t count, double *energy,
                     double *braking)
{
  const struct armdyn_samples samples = samples_of(c, m, row, count);
  const size_t at = row * c->n;
  *energy += armdyn_samples_work(c->n, c->t + row, &samples);
  *braking += deviation_braking(count, c->n, c->t + row, m->qd + at, m->tau + at);
}

static enum armdyn_status add_drawn(const struct comparing *c, const struct motion *m, size_t row, size_t count,
                                    double *energy, double *braking)
{
  static const struct armdyn_electrical_model drives = { .regeneration = ARMDYN_REGENERATION_NONE };
  const struct armdyn_samples samples = samples_of(c, m, row, count);
  struct armdyn_electrical_energy electrical;
  struct armdyn_error error;
  enum armdyn_status status =
      armdyn_samples_electrical_energy(c->robot, &drives, c->t + row, &samples, &electrical, &error);
  if (status) return status;
  *energy += electrical.total;
  *braking += electrical.burnt;
  return ARMDYN_OK;
}

static enum armdyn_status sum_energy(const struct comparing *c, struct playback *p)
{
  enum armdyn_status status = ARMDYN_OK;
  size_t row = 0;
  p->has_electrical = true;
  for (size_t i = 0; i < p->part_count && !status; row += p->parts[i++].samples) {
    const size_t count = p->parts[i].samples;
    struct playback_energy *work = &p->mechanical, *drawn = &p->electrical;
    if (count < 2) continue; /* one moment takes no time */
    add_work(c, &c->planned, row, count, &work->planned, &work->braking_planned);
    add_work(c, &c->measured, row, count, &work->measured, &work->braking_measured);
    if (!p->has_electrical) continue;
    status = add_drawn(c, &c->planned, row, count, &drawn->planned, &drawn->braking_planned);
    if (!status) status = add_drawn(c, &c->measured, row, count, &drawn->measured, &drawn->braking_measured);
    p->has_electrical = !status;
    if (status == ARMDYN_EINPUT) status = ARMDYN_OK; /* drives that are not described */
  }
  return status;
}

/* Measured less planned, in the place of what was measured, which nobody needs any more. */
static void leave_residuals(struct comparing *c, struct playback *p)
{
  const size_t n = c->n, step = (c->count + PLAYBACK_RESIDUALS - 1) / PLAYBACK_RESIDUALS;
  for (size_t k = 0; k < c->count; k += step, p->residual_count++) {
    const size_t from = k * n, to = p->residual_count * n;
    c->t[p->residual_count] = c->t[k];
    for (size_t j = 0; j < n; j++) {
      c->measured.q[to + j] = c->measured.q[from + j] - c->planned.q[from + j];
      c->measured.tau[to + j] = c->measured.tau[from + j] - c->planned.tau[from + j];
    }
  }
  p->residual_t = c->t;
  p->residual_q = c->measured.q;
  p->residual_tau = c->measured.tau;
}

/* What the controller added to the torques of the profile, so that whole torques are compared. */
static void complete_measured(struct comparing *c, enum torque_content content)
{
  double part[ARMDYN_JOINTS_MAX];
  const size_t n = c->n;
  for (size_t k = 0; k < c->count && content != TORQUE_FULL; k++) {
    const double *q = c->planned.q + k * n, *qd = c->planned.qd + k * n;
    torque_content_left_out(content, c->robot, q, qd, c->workspace, part);
    for (size_t j = 0; j < n; j++) c->measured.tau[k * n + j] += part[j];
  }
}

/* Are the torques those that the controller commanded, for want of sensors, and what do they hold? */
static enum armdyn_status read_source(const char *text, bool *commanded, enum torque_content *content)
{
  struct dataset_conditions conditions;
  struct faults *faults = calloc(1, sizeof *faults);
  if (!faults) return ARMDYN_EMEMORY;
  enum armdyn_status status = dataset_conditions_decode(text, strlen(text), &conditions, faults);
  *commanded = !status && conditions.has_source && conditions.torque_source == TORQUE_FROM_COMMAND;
  if (!status) *content = conditions.torque_content;
  free(faults);
  return status;
}

/* Everything of the answer but names. */
static enum armdyn_status fill(struct comparing *c, struct store *store, const char *trajectory, const char *dataset,
                               struct playback *p)
{
  struct armdyn_trajectory plan = { 0 };
  struct stored_dataset *logged = NULL;
  enum armdyn_status status = stored_dataset_open(store, dataset, &logged);
  if (!status) status = read_measured(c, logged);
  if (!status) status = read_source(stored_dataset_row(logged)->conditions, &p->commanded, &p->content);
  if (!status) status = stored_trajectory_read(store, trajectory, c->n, &plan);
  if (!status) {
    sample_plan(c, &plan);
    complete_measured(c, p->content);
    armdyn_trajectory_free(&plan);
    p->samples = c->count;
    p->from = c->t[0];
    p->to = c->t[c->count - 1];
    p->part_count = deviation_parts(c->count, c->t, p->parts, PLAYBACK_PARTS);
    compare(c, c->planned.q, c->measured.q, p->position);
    compare(c, c->planned.tau, c->measured.tau, p->torque);
    for (size_t j = 0; j < c->n; j++) p->lag[j] = deviation_lag(c->count, c->n, j, &c->planned, c->measured.q);
    status = sum_energy(c, p);
    leave_residuals(c, p);
  }
  stored_dataset_close(logged);
  return status;
}

/* Compares, and writes what is wanted of it. ENOTFOUND: nothing was measured. */
static enum armdyn_status compare_into(struct app *app, const struct store_transfer *transfer, double tolerance,
                                       void encode(const struct playback *, struct buffer *), struct buffer *out)
{
  struct comparing c = { .n = 0 };
  struct store_result motion = { .version = 0 };
  const struct robot_entry *entry = NULL;
  enum armdyn_status status = motion_get(app->store, transfer->trajectory, &motion);
  if (!status) status = motion_model_get(app->robots, &motion, &entry);
  if (!status) {
    struct playback playback = { .transfer = transfer->id,
                                 .trajectory = transfer->trajectory,
                                 .robot = armdyn_robot_description(entry->robot),
                                 .tolerance = tolerance };
    c.robot = entry->robot;
    c.n = armdyn_robot_joint_count(entry->robot);
    status = fill(&c, app->store, transfer->trajectory, transfer->id, &playback);
    if (!status) encode(&playback, out);
  }
  armdyn_workspace_free(c.workspace);
  free(c.memory);
  robots_release(app->robots, entry);
  store_result_release(&motion);
  return status;
}

enum armdyn_status playback_compare(struct app *app, const struct store_transfer *transfer, struct buffer *out,
                                    const char **missing)
{
  enum armdyn_status status = compare_into(app, transfer, NAN, playback_encode, out);
  if (status == ARMDYN_ENOTFOUND) *missing = "it has no telemetry";
  return status;
}

enum armdyn_status playback_sum_up(struct app *app, const struct store_transfer *transfer, double tolerance,
                                   struct buffer *out)
{
  return compare_into(app, transfer, tolerance, measured_encode, out);
}
