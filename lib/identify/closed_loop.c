/* In rounds k:
 *   unknown     beta, of the arm that a loop tau = kp (r - q) + kd (r' - q') moved along the reference r
 *   simulated   q_k(t), q_k', q_k'' of that loop with beta_k, from the measured state at the block's beginning
 *   regression  tau measured = Y(q_k, q_k', q_k'') beta, linear, of whichever estimator
 *   fixed       where the loop with beta moves along positions whose Y beta fits best
 * Noise of the positions is in no column; what the loop does not let through of an error of beta is not seen either.
 * Source: in armdyn/closed_loop.h. */
#include "armdyn/closed_loop.h"

#include <math.h>

#include "armdyn/adopt.h"
#include "armdyn/control.h"
#include "lib/identify/unknowns.h"
#include "lib/model/gears.h"

static const double SETTLED_DEVIATIONS = 0.01;
static const double TOLERANCE = 1e-9; /* of the integrator, relative and in rad, m: far below an encoder's step */

/* One block of the loop. */
struct loop_source {
  const struct armdyn_source *measured;
  const struct armdyn_known_loop *loop;
  struct armdyn_robot *robot; /* as estimated so far */
  size_t n;
  bool is_read;
  size_t index;                /* of the block that is kept */
  struct armdyn_motion motion; /* it */
  double *memory;              /* wanted q, qd; simulated q, qd, qdd; all of the block and what is around it */
  size_t rows, taken;
  double rate;
};

/* -- simulating -- */

static void wanted_at(void *context, double t, double *q, double *qd, double *qdd)
{
  const struct loop_source *s = context;
  const size_t n = s->n, last = s->rows - 1;
  const double place = fmin(fmax(floor(t * s->rate + 1e-6), 0), (double)last);
  const double *row = s->memory + (size_t)place * n;
  memcpy(q, row, n * sizeof *q);
  memcpy(qd, row + s->rows * n, n * sizeof *qd);
  memset(qdd, 0, n * sizeof *qdd); /* which this law does not look at */
}

static bool take_state(void *context, const struct armdyn_loop_sample *sample)
{
  struct loop_source *s = context;
  const size_t n = s->n, all = s->rows * n;
  double *to = s->memory + 2 * all + s->taken * n;
  if (s->taken == s->rows) return false;
  memcpy(to, sample->plant->q, n * sizeof *to);
  memcpy(to + all, sample->plant->qd, n * sizeof *to);
  memcpy(to + 2 * all, sample->plant->qdd, n * sizeof *to);
  s->taken++;
  return true;
}

static enum armdyn_status simulate(struct loop_source *s, const double *q, const double *qd, struct armdyn_error *error)
{
  struct armdyn_control control = { .law = ARMDYN_LAW_PID, .period = 1 / s->rate };
  for (size_t i = 0; i < s->n; i++) {
    control.gains.kp[i] = s->loop->kp[i];
    control.gains.kd[i] = s->loop->kd[i];
    control.torque_limit[i] = INFINITY;
  }
  const struct armdyn_loop loop = { .model = s->robot,
                                    .plant = s->robot,
                                    .control = &control,
                                    .reference = wanted_at,
                                    .reference_context = s,
                                    .plant_motion = { .q = q,
                                                      .qd = qd,
                                                      .duration = (double)(s->rows - 1) / s->rate,
                                                      .relative_tolerance = TOLERANCE,
                                                      .absolute_tolerance = TOLERANCE,
                                                      .steps_max = 100 * (long)s->rows + 1000000 } };
  struct armdyn_error told = { "", "" };
  s->taken = 0;
  const enum armdyn_status status = armdyn_loop_simulate(&loop, take_state, s, NULL, &told);
  if (status == ARMDYN_EMEMORY) return status;
  if (!status && s->taken + 1 >= s->rows) return ARMDYN_OK;
  return armdyn_refuse(
      error, ARMDYN_EINPUT, "/loop",
      "the loop cannot be simulated with the arm that was estimated: %.160s. Look at the gains, which are "
      "of the joints, N m/rad and N m s/rad, and at the reference",
      told.message);
}

/* -- a source of what the loop does -- */

/* All rows of the block, with what is around it. */
static struct armdyn_motion widened(const struct armdyn_motion *motion, size_t n)
{
  struct armdyn_motion wide = *motion;
  wide.q -= motion->before * n;
  wide.qd -= motion->before * n;
  wide.count += motion->before + motion->after;
  return wide;
}

static enum armdyn_status read_wanted(struct loop_source *s, size_t index, struct armdyn_error *error)
{
  struct armdyn_motion wanted;
  const enum armdyn_status status = s->loop->wanted->read(s->loop->wanted->context, index, &wanted, error);
  if (status) return status;
  const struct armdyn_motion wide = widened(&wanted, s->n);
  s->is_read = false;
  free(s->memory);
  s->rows = wide.count;
  s->memory = malloc((5 * wide.count * s->n + 1) * sizeof *s->memory);
  if (!s->memory) return ARMDYN_EMEMORY;
  memcpy(s->memory, wide.q, wide.count * s->n * sizeof *s->memory);
  memcpy(s->memory + wide.count * s->n, wide.qd, wide.count * s->n * sizeof *s->memory);
  return ARMDYN_OK;
}

static enum armdyn_status read_loop(void *context, size_t index, struct armdyn_motion *motion,
                                    struct armdyn_error *error)
{
  struct loop_source *s = context;
  const bool again = s->is_read && s->index == index;
  enum armdyn_status status = again ? ARMDYN_OK : read_wanted(s, index, error);
  if (!status) status = s->measured->read(s->measured->context, index, motion, error);
  if (status || motion->count == 0) return status;
  const size_t all = s->rows * s->n, before = motion->before * s->n;
  if (!again) {
    const struct armdyn_motion wide = widened(motion, s->n);
    if (wide.count != s->rows)
      return armdyn_refuse(error, ARMDYN_EINPUT, "/loop", "the reference of block %zu has %zu samples, the log has %zu",
                           index + 1, s->rows, wide.count);
    s->rate = wide.rate;
    if ((status = simulate(s, wide.q, wide.qd, error))) return status;
    s->index = index;
    s->is_read = true;
  }
  motion->q = s->memory + 2 * all + before;
  motion->qd = motion->q + all;
  motion->qdd = motion->qd + all;
  return ARMDYN_OK;
}

/* -- rounds -- */

static enum armdyn_status adopt(struct loop_source *s, const struct armdyn_robot *robot,
                                const struct armdyn_unknowns *u, const struct armdyn_estimate *estimate,
                                struct armdyn_error *error)
{
  struct armdyn_robot_description *d = malloc(sizeof *d);
  struct armdyn_parameter_value *values = malloc(u->standard_count * sizeof *values);
  enum armdyn_status status = d && values ? ARMDYN_OK : ARMDYN_EMEMORY;
  armdyn_robot_free(s->robot);
  s->robot = NULL;
  s->is_read = false;
  if (!status) {
    *d = *armdyn_robot_description(robot);
    for (size_t k = 0; k < u->standard_count; k++)
      values[k] = (struct armdyn_parameter_value){ u->id[k], estimate->standard[k] };
    status = armdyn_adopt_parameters(d, values, u->standard_count,
                                     ARMDYN_ADOPT_LINKS | ARMDYN_ADOPT_FRICTION | ARMDYN_ADOPT_ROTORS, error);
  }
  if (!status) status = armdyn_robot_new(d, &s->robot, error);
  free(values);
  free(d);
  return status;
}

static bool settled(const struct armdyn_unknowns *u, const double *before, const struct armdyn_estimate *e)
{
  for (size_t k = 0; k < u->base_count; k++) {
    if (isnan(e->deviation[k])) continue;
    if (!(fabs(e->beta[k] - before[k]) <= SETTLED_DEVIATIONS * e->deviation[k])) return false;
  }
  return true;
}

/* -- the path alone -- */

struct armdyn_loop_path {
  struct loop_source loop;
};

enum armdyn_status armdyn_loop_path_new(const struct armdyn_robot *robot, const struct armdyn_unknowns *unknowns,
                                        const struct armdyn_estimate *estimate, const struct armdyn_source *source,
                                        const struct armdyn_known_loop *loop, struct armdyn_loop_path **out,
                                        struct armdyn_error *error)
{
  struct armdyn_loop_path *path = malloc(sizeof *path);
  if (!path) return ARMDYN_EMEMORY;
  path->loop = (struct loop_source){ .measured = source, .loop = loop, .n = unknowns->n };
  const enum armdyn_status status = adopt(&path->loop, robot, unknowns, estimate, error);
  if (status) {
    armdyn_loop_path_free(path);
    return status;
  }
  *out = path;
  return ARMDYN_OK;
}

void armdyn_loop_path_free(struct armdyn_loop_path *path)
{
  if (!path) return;
  armdyn_robot_free(path->loop.robot);
  free(path->loop.memory);
  free(path);
}

struct armdyn_source armdyn_loop_path_source(struct armdyn_loop_path *path)
{
  const struct armdyn_source *measured = path->loop.measured;
  return (struct armdyn_source){ measured->samples, measured->blocks, read_loop, &path->loop };
}

/* -- the estimate -- */

/* How far the measured path is from that of the loop. */
static enum armdyn_status tell_path(struct loop_source *s, struct armdyn_closed_loop *told, struct armdyn_error *error)
{
  double squares[ARMDYN_JOINTS_MAX] = { 0 }, count = 0;
  for (size_t block = 0; block < s->measured->blocks; block++) {
    struct armdyn_motion simulated, measured;
    enum armdyn_status status = read_loop(s, block, &simulated, error);
    if (!status) status = s->measured->read(s->measured->context, block, &measured, error);
    if (status) return status;
    for (size_t k = 0; k < measured.count * s->n; k++) {
      const double off = measured.q[k] - simulated.q[k];
      squares[k % s->n] += off * off;
    }
    count += (double)measured.count;
  }
  for (size_t i = 0; i < s->n; i++) told->path[i] = sqrt(squares[i] / count);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_identify_in_loop(const struct armdyn_robot *robot, const struct armdyn_unknowns *unknowns,
                                           const struct armdyn_source *source, const struct armdyn_known_loop *loop,
                                           const struct armdyn_estimation *estimation, struct armdyn_estimate *out,
                                           struct armdyn_closed_loop *told, struct armdyn_error *error)
{
  struct loop_source s = { .measured = source, .loop = loop, .n = unknowns->n };
  const struct armdyn_source simulated = {
    .samples = source->samples, .blocks = source->blocks, .read = read_loop, .context = &s
  };
  double *before = malloc((unknowns->base_count + 1) * sizeof *before);
  *told = (struct armdyn_closed_loop){ 0 };
  *out = (struct armdyn_estimate){ 0 };
  enum armdyn_status status = before ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) status = gear_friction_refuse(robot, "didim", error);
  if (!status) status = armdyn_identify_source(unknowns, source, estimation, out, error);
  while (!status && !told->settled && told->rounds < ARMDYN_CLOSED_LOOP_ROUNDS) {
    memcpy(before, out->beta, unknowns->base_count * sizeof *before);
    if ((status = adopt(&s, robot, unknowns, out, error))) break;
    armdyn_estimate_free(out);
    if ((status = armdyn_identify_source(unknowns, &simulated, estimation, out, error))) break;
    told->settled = settled(unknowns, before, out);
    told->rounds++;
  }
  if (!status) status = tell_path(&s, told, error);
  if (status) armdyn_estimate_free(out);
  armdyn_robot_free(s.robot);
  free(s.memory);
  free(before);
  return status;
}
