/* Friction that is known beforehand, taken off the torques that are identified from.
 *   measured   tau = Y beta + f(q, q') + e, f known: tau - f is what beta is estimated from, by whatever estimator
 *   filtered   the torque went through a low-pass F, and f jumps: F tau - F f
 *   offsets    stay unknown: those of a test hold what the masses of its model are wrong by
 * Source: Khalil & Dombre, Modeling, Identification and Control of Robots, 12.6: links and friction one after the other. */
#include "lib/identify/regression.h"

struct armdyn_known_friction {
  size_t n;
  struct armdyn_robot *with, *bare; /* with nothing but the known friction; the robot without it */
  struct armdyn_source inner;
  double *tau; /* room x n filtered, then as many as measured */
  size_t room;
};

/* The two robots, from the one given. */
static enum armdyn_status split(struct armdyn_known_friction *k, const struct armdyn_robot *robot,
                                const struct armdyn_friction *friction, const bool *known, struct armdyn_error *error)
{
  struct armdyn_robot_description *d = malloc(sizeof *d);
  struct armdyn_joint plain;
  if (!d) return ARMDYN_EMEMORY;
  armdyn_joint_init(&plain);
  *d = *armdyn_robot_description(robot);
  for (size_t i = 0; i < k->n; i++)
    if (known[i]) d->joints[i].friction = plain.friction;
  enum armdyn_status status = armdyn_robot_new(d, &k->bare, error);
  for (size_t i = 0; i < k->n; i++) {
    d->joints[i].friction = known[i] ? friction[i] : plain.friction;
    d->joints[i].friction.offset = 0;
  }
  if (!status) status = armdyn_robot_new(d, &k->with, error);
  free(d);
  return status;
}

enum armdyn_status armdyn_known_friction_new(const struct armdyn_robot *robot, const struct armdyn_friction *friction,
                                             const bool *known, struct armdyn_known_friction **out,
                                             struct armdyn_error *error)
{
  struct armdyn_known_friction *k = calloc(1, sizeof *k);
  *out = NULL;
  if (!k) return ARMDYN_EMEMORY;
  k->n = armdyn_robot_joint_count(robot);
  const enum armdyn_status status = split(k, robot, friction, known, error);
  if (status)
    armdyn_known_friction_free(k);
  else
    *out = k;
  return status;
}

void armdyn_known_friction_free(struct armdyn_known_friction *known)
{
  if (!known) return;
  armdyn_robot_free(known->with);
  armdyn_robot_free(known->bare);
  free(known->tau);
  free(known);
}

const struct armdyn_robot *armdyn_known_friction_bare(const struct armdyn_known_friction *known)
{
  return known->bare;
}

static void fill_row(const void *context, const double *q, const double *qd, const double *qdd, double *row)
{
  (void)qdd;
  const struct armdyn_known_friction *k = context;
  for (size_t i = 0; i < k->n; i++) row[i] = armdyn_friction_torque(k->with, i, q[i], qd[i]);
}

enum armdyn_status armdyn_known_friction_torques(const struct armdyn_known_friction *known,
                                                 const struct armdyn_motion *motion, bool filtered, double *tau)
{
  const size_t n = known->n;
  double *rows = NULL;
  size_t lead = 0;
  if (!filtered || !(motion->torque_cutoff > 0)) {
    for (size_t k = 0; k < motion->count; k++)
      fill_row(known, motion->q + k * n, motion->qd + k * n, NULL, tau + k * n);
    return ARMDYN_OK;
  }
  const enum armdyn_status status = filtered_rows(n, motion, 0, motion->count, n, fill_row, known, &lead, &rows);
  if (!status) memcpy(tau, rows + lead * n, motion->count * n * sizeof *tau);
  free(rows);
  return status;
}

static enum armdyn_status read_less(void *context, size_t index, struct armdyn_motion *motion,
                                    struct armdyn_error *error)
{
  struct armdyn_known_friction *k = context;
  enum armdyn_status status = k->inner.read(k->inner.context, index, motion, error);
  if (status) return status;
  if (motion->count > k->room) {
    free(k->tau);
    k->tau = malloc(2 * motion->count * k->n * sizeof *k->tau);
    k->room = k->tau ? motion->count : 0;
    if (!k->tau) return ARMDYN_EMEMORY;
  }
  double *own[2] = { k->tau, k->tau + motion->count * k->n }, *measured[2] = { motion->tau, motion->tau_raw };
  for (int raw = 0; raw < 2 && !status; raw++) {
    status = armdyn_known_friction_torques(k, motion, !raw, own[raw]);
    for (size_t i = 0; i < motion->count * k->n && !status; i++) own[raw][i] = measured[raw][i] - own[raw][i];
  }
  motion->tau = own[0];
  motion->tau_raw = own[1];
  return status;
}

struct armdyn_source armdyn_known_friction_source(struct armdyn_known_friction *known,
                                                  const struct armdyn_source *source)
{
  known->inner = *source;
  return (struct armdyn_source){
    .samples = source->samples, .blocks = source->blocks, .read = read_less, .context = known
  };
}
