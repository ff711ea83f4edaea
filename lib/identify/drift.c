/* How far an arm has moved away from its model.
 *   unknowns    delta, changes of b base parameters against the model's (friction alone, or all)
 *   rows        of joint j at sample k: y_jk delta = tau_jk - Y_jk beta, y some columns of its regressor Y (those of friction
 *               through the torque's filter), beta the base parameters of the model with what it carries
 *   objective   sum_j 1/s_j^2 sum_k l^(K-k) (y_jk delta - e_jk)^2 + delta' P delta, l = exp(-1 / (rate memory)), s_j the
 *               deviation that it leaves itself, P diagonal, see below
 *   deviations  of H^-1 (sum_j M_j / s_j^4 + P) H^-1, H = sum_j R_j'R_j / s_j^2 + P; M_j = sum_w l^(2(K-w)) u_w u_w' over sums
 *               u_w = sum y_jk r_jk of windows of a second, longer than residuals r are correlated
 * P_kk = max_j (c_jk / T_j)^2, c_jk the largest that column k has for joint j in random states, T_j the joint's torque: a
 * change whose torque would be T_j is one deviation.
 * Sources: Kulhavy & Zarrop 1993 for P, which stays while data fade; Newey & West 1987 and Law & Kelton, Simulation Modeling
 * and Analysis, 9.5 (batch means) for M. */
#include "lib/identify/drift.h"

#include <math.h>

#include "lib/base/random.h"
#include "lib/math/triangle.h"
#include "lib/model/gears.h"

enum { CHUNK = 128, STATES = 64, ROUNDS = 3 };
static const double WINDOW = 1; /* s */

/* ---------------------------------------------------------------- what is followed */

static bool is_followed(const struct armdyn_drift *d, size_t base)
{
  const size_t lead = armdyn_base_parameter_lead(d->unknowns->base, base);
  return d->all || d->unknowns->id[lead].group == ARMDYN_PARAMETER_FRICTION;
}

static enum armdyn_status unknowns_for(const struct armdyn_robot *robot, struct armdyn_unknowns **out,
                                       struct armdyn_error *error)
{
  const unsigned friction = ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS;
  return armdyn_unknowns_new(robot, friction, ARMDYN_ROTORS_PRESENT, out, error);
}

/* The base parameters of a robot's own numbers. */
static void base_values(const struct armdyn_unknowns *u, double *values)
{
  for (size_t k = 0; k < u->base_count; k++) {
    const double *coefficients = armdyn_base_parameter_coefficients(u->base, k);
    values[k] = 0;
    for (size_t i = 0; i < u->standard_count; i++) values[k] += coefficients[i] * u->prior[i];
  }
}

static bool open_joint(struct armdyn_drift *d, size_t joint)
{
  struct joint_drift *j = &d->joints[joint];
  const struct joint_equations *e = &d->regression->joints[joint];
  j->followed = malloc((e->count + 1) * sizeof *j->followed);
  j->place = malloc((e->count + 1) * sizeof *j->place);
  if (!j->followed || !j->place) return false;
  for (size_t c = 0; c < e->count; c++) {
    size_t k = 0;
    while (k < d->b && d->base[k] != e->column[c]) k++;
    if (k == d->b) continue;
    j->followed[j->count] = k;
    j->place[j->count++] = c;
  }
  j->fit = armdyn_recursive_new(j->count);
  j->rows = malloc(2 * CHUNK * (j->count + 1) * sizeof *j->rows);
  j->sums = calloc(j->count + 1, sizeof *j->sums);
  j->meat = calloc(j->count * j->count + 1, sizeof *j->meat);
  return j->fit && j->rows && j->sums && j->meat;
}

/* -- P -- */

static double within(double limit, double otherwise)
{
  return isfinite(limit) ? limit : otherwise;
}

static void draw_state(const struct armdyn_robot_description *robot, uint64_t *random, double *q, double *qd,
                       double *qdd)
{
  for (size_t i = 0; i < robot->joint_count; i++) {
    const struct armdyn_limits *l = &robot->joints[i].limits;
    const double least = within(l->position[0], -1), most = within(l->position[1], 1);
    q[i] = least + (most - least) * random_unit(random);
    qd[i] = within(l->velocity, 1) * random_symmetric(random);
    qdd[i] = within(l->acceleration, 1) * random_symmetric(random);
  }
}

/* Largest columns (n x b) and torques (n) in random states. */
static enum armdyn_status look_at_states(const struct armdyn_drift *d, double *columns, double *torque)
{
  const struct armdyn_unknowns *u = d->unknowns;
  const struct armdyn_robot_description *robot = armdyn_robot_description(u->robot);
  struct armdyn_workspace *workspace = armdyn_workspace_new(d->n);
  double *Y = malloc((d->n * (u->standard_count + u->base_count) + 1) * sizeof *Y), *Yb = Y + d->n * u->standard_count;
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX], qdd[ARMDYN_JOINTS_MAX];
  uint64_t random = random_from_seed(1);
  const enum armdyn_status status = workspace && Y ? ARMDYN_OK : ARMDYN_EMEMORY;
  for (size_t state = 0; state < STATES && !status; state++) {
    draw_state(robot, &random, q, qd, qdd);
    armdyn_regressor(u->robot, &u->choice, q, qd, qdd, workspace, Y);
    armdyn_base_columns(u->base, Y, d->n, Yb);
    for (size_t j = 0; j < d->n; j++) {
      const double *row = Yb + j * u->base_count;
      double sum = 0;
      for (size_t k = 0; k < u->base_count; k++) sum += row[k] * d->model[k];
      torque[j] = fmax(torque[j], fabs(sum));
      for (size_t k = 0; k < d->b; k++) columns[j * d->b + k] = fmax(columns[j * d->b + k], fabs(row[d->base[k]]));
    }
  }
  armdyn_workspace_free(workspace);
  free(Y);
  return status;
}

static enum armdyn_status hold_changes(struct armdyn_drift *d)
{
  double *columns = calloc(d->n * d->b + 1, sizeof *columns), torque[ARMDYN_JOINTS_MAX] = { 0 };
  const struct armdyn_robot_description *robot = armdyn_robot_description(d->unknowns->robot);
  const enum armdyn_status status = columns ? look_at_states(d, columns, torque) : ARMDYN_EMEMORY;
  for (size_t j = 0; j < d->n && !status; j++) {
    double most = within(robot->joints[j].limits.torque, torque[j]);
    if (!(most > 0)) most = 1; /* a joint that nothing loads */
    for (size_t k = 0; k < d->b; k++) {
      const double share = columns[j * d->b + k] / most;
      d->information[k] = fmax(d->information[k], share * share);
    }
  }
  free(columns);
  return status;
}

/* -- life -- */

enum armdyn_status armdyn_drift_new(const struct armdyn_robot *robot, const struct armdyn_drift_choice *choice,
                                    struct armdyn_drift **out, struct armdyn_error *error)
{
  *out = NULL;
  const enum armdyn_status known = gear_friction_refuse(robot, "the watch", error);
  if (known) return known;
  if (!(choice->memory > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/memory", "must be above 0 s, got %g", choice->memory);
  struct armdyn_drift *d = calloc(1, sizeof *d);
  if (!d) return ARMDYN_EMEMORY;
  d->all = choice->all;
  d->memory = choice->memory;
  d->n = armdyn_robot_joint_count(robot);
  memcpy(d->gravity, armdyn_robot_description(robot)->gravity, sizeof d->gravity);
  enum armdyn_status status = unknowns_for(robot, &d->unknowns, error);
  if (status) goto out;
  const size_t base_count = d->unknowns->base_count;
  d->regression = armdyn_regression_new(d->unknowns);
  d->model = calloc(2 * base_count, sizeof *d->model);
  d->loaded = d->model ? d->model + base_count : NULL;
  d->base = calloc(base_count + 1, sizeof *d->base);
  d->information = calloc(2 * base_count, sizeof *d->information);
  d->change = d->information ? d->information + base_count : NULL;
  status = ARMDYN_EMEMORY;
  if (!d->regression || !d->model || !d->base || !d->information) goto out;
  for (size_t k = 0; k < base_count; k++)
    if (is_followed(d, k)) d->base[d->b++] = k;
  base_values(d->unknowns, d->model);
  memcpy(d->loaded, d->model, base_count * sizeof *d->model);
  for (size_t j = 0; j < d->n; j++)
    if (!open_joint(d, j)) goto out;
  if ((status = hold_changes(d))) goto out;
  *out = d;
  d = NULL;
out:
  armdyn_drift_free(d);
  return status;
}

void armdyn_drift_free(struct armdyn_drift *drift)
{
  if (!drift) return;
  for (size_t j = 0; j < drift->n; j++) {
    struct joint_drift *joint = &drift->joints[j];
    armdyn_recursive_free(joint->fit);
    free(joint->followed);
    free(joint->place);
    free(joint->rows);
    free(joint->sums);
    free(joint->meat);
  }
  armdyn_regression_free(drift->regression);
  armdyn_unknowns_free(drift->carried);
  armdyn_unknowns_free(drift->unknowns);
  free(drift->model);
  free(drift->base);
  free(drift->information);
  free(drift);
}

size_t armdyn_drift_count(const struct armdyn_drift *drift)
{
  return drift->b;
}

struct armdyn_drift_parameter armdyn_drift_parameter(const struct armdyn_drift *drift, size_t index)
{
  const size_t k = drift->base[index];
  return (struct armdyn_drift_parameter){ drift->unknowns->id[armdyn_base_parameter_lead(drift->unknowns->base, k)],
                                          drift->model[k] };
}

size_t armdyn_drift_text(const struct armdyn_drift *drift, size_t index, char *text, size_t size)
{
  return armdyn_base_parameter_text(drift->unknowns->base, drift->base[index], text, size);
}

enum armdyn_status armdyn_drift_load(struct armdyn_drift *drift, const struct armdyn_robot *loaded,
                                     struct armdyn_error *error)
{
  const struct armdyn_unknowns *own = drift->unknowns;
  struct armdyn_unknowns *u;
  if (armdyn_robot_joint_count(loaded) != drift->n)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/joints", "must be the %zu of the model, got %zu", drift->n,
                         armdyn_robot_joint_count(loaded));
  if (memcmp(drift->gravity, armdyn_robot_description(loaded)->gravity, sizeof drift->gravity) != 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/gravity", "must be that of the model");
  enum armdyn_status status = unknowns_for(loaded, &u, error);
  if (status) return status;
  bool same = u->base_count == own->base_count && u->standard_count == own->standard_count;
  for (size_t k = 0; same && k < u->base_count; k++)
    same = armdyn_base_parameter_lead(u->base, k) == armdyn_base_parameter_lead(own->base, k);
  same = same && !memcmp(u->seen_by_joint, own->seen_by_joint, u->n * u->base_count);
  struct armdyn_regression *regression = same ? armdyn_regression_new(u) : NULL;
  if (!regression) {
    armdyn_unknowns_free(u);
    return same ? ARMDYN_EMEMORY
                : armdyn_refuse(error, ARMDYN_EINPUT, "", "must be the model with another payload or tool");
  }
  base_values(u, drift->loaded);
  armdyn_regression_free(drift->regression);
  armdyn_unknowns_free(drift->carried);
  drift->regression = regression;
  drift->carried = u;
  return ARMDYN_OK;
}

/* ---------------------------------------------------------------- estimate */

/* Deviation of what is left for a joint. */
static double noise_of(const struct joint_drift *j, const double *change)
{
  const double weight = armdyn_recursive_weight(j->fit);
  const size_t width = j->count + 1;
  double sum = 0;
  for (size_t row = 0; row < width; row++) {
    const double *R = j->fit->R + row * width;
    double left = -R[j->count];
    for (size_t c = row; c < j->count; c++) left += R[c] * change[j->followed[c]];
    sum += left * left;
  }
  if (!(weight > 0)) return 1;
  return sqrt(sum / weight) + 1e-9 * sqrt(j->measured / weight) + 1e-12; /* never 0: it divides */
}

/* [R z; 0 r] of all joints and P, (b + 1)^2 at first 0; rows and scratch: (b + 1)^2, 2 (b + 1). */
static void stack(const struct armdyn_drift *d, const double *noise, double *R, double *rows, double *scratch)
{
  const size_t all = d->b + 1;
  memset(R, 0, all * all * sizeof *R);
  for (size_t i = 0; i < d->n; i++) {
    const struct joint_drift *j = &d->joints[i];
    const size_t width = j->count + 1;
    memset(rows, 0, width * all * sizeof *rows);
    for (size_t row = 0; row < width; row++)
      for (size_t c = row; c < width; c++)
        rows[row * all + (c < j->count ? j->followed[c] : d->b)] = j->fit->R[row * width + c] / noise[i];
    triangle_update(all, R, width, rows, scratch);
  }
  memset(rows, 0, all * all * sizeof *rows);
  for (size_t k = 0; k < d->b; k++) rows[k * all + k] = sqrt(d->information[k]);
  triangle_update(all, R, d->b, rows, scratch);
}

/* The changes, the deviations of what is left, and H^-1 (NULL: not wanted). */
static enum armdyn_status solve(const struct armdyn_drift *d, double *change, double *noise, double *inverse)
{
  const size_t b = d->b, all = b + 1;
  double *memory = malloc((2 * all * all + 2 * all + b * b) * sizeof *memory);
  enum armdyn_status status = ARMDYN_OK;
  if (!memory) return ARMDYN_EMEMORY;
  double *rows = memory + all * all, *scratch = rows + all * all, *work = scratch + 2 * all;
  for (size_t round = 0; round < ROUNDS && !status; round++) {
    for (size_t j = 0; j < d->n; j++) noise[j] = noise_of(&d->joints[j], change);
    stack(d, noise, memory, rows, scratch);
    status = triangle_estimate(b, memory, change, round + 1 == ROUNDS ? inverse : NULL, work);
  }
  free(memory);
  return status;
}

/* ---------------------------------------------------------------- motion */

/* The window is full: it adds to M. */
static void end_window(struct joint_drift *j, double forgetting)
{
  const double fade = pow(forgetting, 2 * j->sums[j->count]);
  for (size_t a = 0; a < j->count; a++)
    for (size_t c = 0; c < j->count; c++)
      j->meat[a * j->count + c] = fade * j->meat[a * j->count + c] + j->sums[a] * j->sums[c];
  memset(j->sums, 0, (j->count + 1) * sizeof *j->sums);
}

/* By what is left with the changes that they have made, else a change would pass for noise. */
static void add_scores(const struct armdyn_drift *d, struct joint_drift *j, size_t window, double forgetting)
{
  const size_t width = j->count + 1;
  for (size_t k = 0; k < d->pending; k++) {
    const double *row = j->rows + (CHUNK + k) * width;
    double left = row[j->count];
    for (size_t c = 0; c < j->count; c++) left -= row[c] * d->change[j->followed[c]];
    for (size_t c = 0; c < j->count; c++) j->sums[c] += row[c] * left;
    if (++j->sums[j->count] >= (double)window) end_window(j, forgetting);
  }
}

static enum armdyn_status take_chunk(struct armdyn_drift *d, double rate)
{
  const double forgetting = exp(-1 / (rate * d->memory));
  double noise[ARMDYN_JOINTS_MAX];
  for (size_t i = 0; i < d->n; i++) {
    struct joint_drift *j = &d->joints[i];
    const size_t width = j->count + 1;
    memcpy(j->rows + CHUNK * width, j->rows, d->pending * width * sizeof *j->rows);
    armdyn_recursive_take(j->fit, d->pending, j->rows, forgetting);
  }
  const enum armdyn_status status = solve(d, d->change, noise, NULL);
  for (size_t i = 0; i < d->n && !status; i++) add_scores(d, &d->joints[i], (size_t)ceil(WINDOW * rate), forgetting);
  d->pending = 0;
  return status;
}

struct taking {
  struct armdyn_drift *drift;
  double rate;
  enum armdyn_status status;
};

/* Rows of sample k, less the torque of the model with what it carries. */
static void take_sample(void *context, size_t k)
{
  struct taking *t = context;
  struct armdyn_drift *d = t->drift;
  const double fade = exp(-1 / (t->rate * d->memory));
  (void)k;
  for (size_t i = 0; i < d->n; i++) {
    struct joint_drift *j = &d->joints[i];
    const struct joint_equations *e = &d->regression->joints[i];
    const double *row = regression_row(d->regression, i), torque = row[e->count];
    double *own = j->rows + d->pending * (j->count + 1), predicted = 0, friction = 0;
    for (size_t c = 0; c < e->count; c++) {
      const struct armdyn_parameter_id *id = &d->unknowns->id[e->lead[c]];
      const double part = row[c] * d->loaded[e->column[c]];
      predicted += part;
      if (id->group == ARMDYN_PARAMETER_FRICTION && id->index != ARMDYN_PARAMETER_OFFSET) friction += part;
    }
    for (size_t c = 0; c < j->count; c++) own[c] = row[j->place[c]];
    own[j->count] = torque - predicted;
    j->friction = fade * j->friction + friction * friction;
    j->measured = fade * j->measured + torque * torque;
  }
  if (++d->pending == CHUNK && !t->status) t->status = take_chunk(d, t->rate);
}

enum armdyn_status armdyn_drift_take(struct armdyn_drift *drift, const struct armdyn_motion *motion,
                                     struct armdyn_error *error)
{
  struct taking taking = { drift, motion->rate, ARMDYN_OK };
  drift->rate = motion->rate;
  enum armdyn_status status = regression_walk(drift->regression, motion, take_sample, &taking);
  if (!status) status = taking.status;
  if (!status && drift->pending) status = take_chunk(drift, motion->rate);
  drift->pending = 0;
  return status ? armdyn_refuse(error, status, "", "the motion was not taken in: %s", armdyn_status_text(status))
                : ARMDYN_OK;
}

/* ---------------------------------------------------------------- reading */

/* C = H^-1 (sum_j M_j / s_j^4 + P) H^-1, `work` b^2. */
static void covariance_of(const struct armdyn_drift *d, const double *noise, const double *H, double *work, double *C)
{
  const size_t b = d->b;
  memset(C, 0, b * b * sizeof *C);
  for (size_t k = 0; k < b; k++) C[k * b + k] = d->information[k];
  for (size_t i = 0; i < d->n; i++) {
    const struct joint_drift *j = &d->joints[i];
    const double scale = 1 / (noise[i] * noise[i] * noise[i] * noise[i]);
    for (size_t a = 0; a < j->count; a++)
      for (size_t c = 0; c < j->count; c++) C[j->followed[a] * b + j->followed[c]] += scale * j->meat[a * j->count + c];
  }
  for (size_t i = 0; i < b; i++)
    for (size_t k = 0; k < b; k++) {
      double sum = 0;
      for (size_t l = 0; l < b; l++) sum += H[i * b + l] * C[l * b + k];
      work[i * b + k] = sum;
    }
  for (size_t i = 0; i < b; i++)
    for (size_t k = 0; k < b; k++) {
      double sum = 0;
      for (size_t l = 0; l < b; l++) sum += work[i * b + l] * H[l * b + k];
      C[i * b + k] = sum;
    }
}

static void judge_joint(const struct armdyn_drift *d, size_t joint, const double *change, const double *C,
                        struct armdyn_drift_joint *out)
{
  const struct joint_drift *j = &d->joints[joint];
  const double weight = armdyn_recursive_weight(j->fit);
  const size_t width = j->count + 1;
  double square = 0, by_noise = 0;
  for (size_t row = 0; row < j->count; row++) { /* |R delta|^2 and the trace of R C R' */
    const double *R = j->fit->R + row * width;
    double sum = 0;
    for (size_t a = row; a < j->count; a++) {
      sum += R[a] * change[j->followed[a]];
      for (size_t c = row; c < j->count; c++) by_noise += R[a] * R[c] * C[j->followed[a] * d->b + j->followed[c]];
    }
    square += sum * sum;
  }
  const double per = weight > 0 ? 1 / weight : 0;
  out->torque = sqrt(square * per);
  out->noise = sqrt(fmax(by_noise, 0) * per);
  out->friction = sqrt(j->friction * per);
  out->measured = sqrt(j->measured * per);
}

enum armdyn_status armdyn_drift_read(const struct armdyn_drift *drift, struct armdyn_drift_estimate *out)
{
  const size_t b = drift->b;
  double *memory = malloc((3 * b * b + 1) * sizeof *memory), noise[ARMDYN_JOINTS_MAX];
  if (!memory) return ARMDYN_EMEMORY;
  double *C = memory + b * b;
  memcpy(out->change, drift->change, b * sizeof *out->change);
  const enum armdyn_status status = solve(drift, out->change, noise, memory);
  if (!status) covariance_of(drift, noise, memory, C + b * b, C);
  for (size_t k = 0; k < b && !status; k++) out->deviation[k] = sqrt(fmax(C[k * b + k], 0));
  for (size_t j = 0; j < drift->n && !status; j++) {
    judge_joint(drift, j, out->change, C, &out->joints[j]);
    out->joints[j].residual = armdyn_recursive_weight(drift->joints[j].fit) > 0 ? noise[j] : 0;
  }
  out->seconds = drift->rate > 0 ? armdyn_recursive_weight(drift->joints[0].fit) / drift->rate : 0;
  free(memory);
  return status;
}
