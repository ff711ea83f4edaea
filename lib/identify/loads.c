/* What logs were made with, off their torques: tau - (ID of the model with the load - ID of the model), which is exact, for
 * torques are linear in a body's parameters. Filtered positions go in, so it is as smooth as the columns of links, which no
 * torque filter changes. */
#include "lib/identify/loads.h"

static bool same_arm(const struct armdyn_robot_description *a, const struct armdyn_robot_description *b)
{
  bool same = a->joint_count == b->joint_count && a->convention == b->convention &&
              !memcmp(a->gravity, b->gravity, sizeof a->gravity);
  for (size_t i = 0; same && i < a->joint_count; i++) {
    const struct armdyn_joint *p = &a->joints[i], *q = &b->joints[i];
    same = p->type == q->type && p->a == q->a && p->alpha == q->alpha && p->d == q->d && p->theta == q->theta;
  }
  return same;
}

static bool same_body(const struct armdyn_body *a, const struct armdyn_body *b)
{
  return a->mass == b->mass && !memcmp(a->com, b->com, sizeof a->com) &&
         !memcmp(&a->inertia, &b->inertia, sizeof a->inertia);
}

/* Loads that are the same have one number. */
static void number(struct armdyn_loads *l)
{
  const struct armdyn_body *own = &armdyn_robot_description(l->model)->payload;
  for (size_t i = 0; i < l->count; i++) {
    if (!l->carrying[i]) continue;
    const struct armdyn_body *load = &armdyn_robot_description(l->carrying[i])->payload;
    if (same_body(load, own)) continue;
    for (size_t k = 0; k < i && !l->kind[i]; k++)
      if (l->kind[k] && same_body(load, &armdyn_robot_description(l->carrying[k])->payload)) l->kind[i] = l->kind[k];
    if (!l->kind[i]) l->kind[i] = ++l->kinds;
  }
}

/* Links and loads alone. */
static enum armdyn_status bare_of(const struct armdyn_robot *robot, struct armdyn_robot **out,
                                  struct armdyn_error *error)
{
  struct armdyn_robot_description *d = malloc(sizeof *d);
  struct armdyn_joint plain;
  if (!d) return ARMDYN_EMEMORY;
  armdyn_joint_init(&plain);
  *d = *armdyn_robot_description(robot);
  for (size_t i = 0; i < d->joint_count; i++) {
    d->joints[i].friction = plain.friction;
    d->joints[i].drive.rotor_inertia = 0;
  }
  const enum armdyn_status status = armdyn_robot_new(d, out, error);
  free(d);
  return status;
}

enum armdyn_status armdyn_loads_new(const struct armdyn_robot *model, const struct armdyn_robot *const *carrying,
                                    size_t count, struct armdyn_loads **out, struct armdyn_error *error)
{
  struct armdyn_loads *l = calloc(1, sizeof *l);
  enum armdyn_status status = ARMDYN_EMEMORY;
  *out = NULL;
  if (!l) return status;
  l->n = armdyn_robot_joint_count(model);
  for (size_t j = 0; j < l->n; j++) l->gains[j] = 1;
  l->carrying = calloc(count + 1, sizeof *l->carrying);
  l->kind = calloc(count + 1, sizeof *l->kind);
  l->more = calloc(PAYLOAD_TEN * (count + 1), sizeof *l->more);
  l->workspace = armdyn_workspace_new(l->n);
  if (!l->carrying || !l->kind || !l->more || !l->workspace) goto out;
  l->count = count;
  if ((status = bare_of(model, &l->model, error))) goto out;
  status = payload_columns_open(&l->columns, l->model) ? ARMDYN_OK : ARMDYN_EMEMORY;
  for (size_t i = 0; i < count && !status; i++) {
    if (!carrying[i]) continue;
    status = same_arm(armdyn_robot_description(model), armdyn_robot_description(carrying[i]))
                 ? bare_of(carrying[i], &l->carrying[i], error)
                 : armdyn_refuse(error, ARMDYN_EINPUT, "", "log %zu: must be the model with another payload", i + 1);
  }
  if (!status) number(l);
out:
  if (status)
    armdyn_loads_free(l);
  else
    *out = l;
  return status;
}

void armdyn_loads_free(struct armdyn_loads *loads)
{
  if (!loads) return;
  for (size_t i = 0; i < loads->count; i++) armdyn_robot_free(loads->carrying[i]);
  armdyn_robot_free(loads->model);
  armdyn_workspace_free(loads->workspace);
  payload_columns_close(&loads->columns);
  free(loads->carrying);
  free(loads->kind);
  free(loads->more);
  free(loads->tau);
  free(loads);
}

void armdyn_loads_set_gains(struct armdyn_loads *loads, const double *gains)
{
  memcpy(loads->gains, gains, loads->n * sizeof *gains);
}

size_t armdyn_loads_kind(const struct armdyn_loads *loads, size_t log)
{
  return log < loads->count ? loads->kind[log] : 0;
}

/* What a load has beyond what is stated of it. */
static void add_more(struct armdyn_loads *loads, const double *more, const struct armdyn_motion *motion, double *tau)
{
  double columns[PAYLOAD_BATCH * ARMDYN_JOINTS_MAX * PAYLOAD_TEN];
  const size_t n = loads->n;
  for (size_t k = 0, count; k < motion->count; k += count) {
    count = motion->count - k < PAYLOAD_BATCH ? motion->count - k : PAYLOAD_BATCH;
    payload_columns_fill(&loads->columns, motion, k, count, columns);
    for (size_t i = 0; i < count * n; i++)
      for (size_t c = 0; c < PAYLOAD_TEN; c++) tau[k * n + i] += columns[i * PAYLOAD_TEN + c] * more[c];
  }
}

void armdyn_loads_torques(struct armdyn_loads *loads, size_t log, const struct armdyn_motion *motion, double *tau)
{
  const size_t n = loads->n;
  const struct armdyn_robot *with = log < loads->count ? loads->carrying[log] : NULL;
  double own[ARMDYN_JOINTS_MAX];
  memset(tau, 0, motion->count * n * sizeof *tau);
  for (size_t k = 0; k < motion->count && with; k++) {
    const double *q = motion->q + k * n, *qd = motion->qd + k * n, *qdd = motion->qdd + k * n;
    armdyn_inverse_dynamics(with, q, qd, qdd, NULL, loads->workspace, tau + k * n);
    armdyn_inverse_dynamics(loads->model, q, qd, qdd, NULL, loads->workspace, own);
    for (size_t j = 0; j < n; j++) tau[k * n + j] -= own[j];
  }
  const size_t kind = armdyn_loads_kind(loads, log);
  if (kind && loads->known_by_mass) add_more(loads, loads->more + PAYLOAD_TEN * (kind - 1), motion, tau);
}

static enum armdyn_status make_room(struct armdyn_loads *l, size_t count)
{
  if (count <= l->room) return ARMDYN_OK;
  free(l->tau);
  l->tau = malloc(3 * count * l->n * sizeof *l->tau);
  l->room = l->tau ? count : 0;
  return l->tau ? ARMDYN_OK : ARMDYN_EMEMORY;
}

static enum armdyn_status read_less(void *context, size_t index, struct armdyn_motion *motion,
                                    struct armdyn_error *error)
{
  struct armdyn_loads *l = context;
  enum armdyn_status status = l->inner.read(l->inner.context, index, motion, error);
  if (!status) status = armdyn_loads_take_off(l, motion->log, motion);
  return status;
}

enum armdyn_status armdyn_loads_take_off(struct armdyn_loads *loads, size_t log, struct armdyn_motion *motion)
{
  struct armdyn_loads *l = loads;
  const size_t table = motion->count * l->n;
  const enum armdyn_status status = make_room(l, motion->count);
  if (status) return status;
  double *less = l->tau, *filtered = less + table, *raw = filtered + table;
  armdyn_loads_torques(l, log, motion, less);
  for (size_t first = 0; first < table; first += l->n)
    for (size_t k = first; k < first + l->n; k++) {
      filtered[k] = l->gains[k - first] * motion->tau[k] - less[k];
      raw[k] = l->gains[k - first] * motion->tau_raw[k] - less[k];
    }
  motion->tau = filtered;
  motion->tau_raw = raw;
  return ARMDYN_OK;
}

struct armdyn_source armdyn_loads_source(struct armdyn_loads *loads, const struct armdyn_source *source)
{
  loads->inner = *source;
  return (struct armdyn_source){
    .samples = source->samples, .blocks = source->blocks, .read = read_less, .context = loads
  };
}
