#include "lib/identify/candidates.h"

#include <math.h>

#include "lib/identify/condition.h"
#include "lib/math/products.h"

/* Parts of the fastest that a joint moves: over which friction changes its sign, and where stiction falls. */
static const double scales[SCALES - 1] = { 1e-5, 1e-4, 1e-3, 1e-2, 3e-2, 1e-1 };
static const double velocities[] = { 0.01, 0.02, 0.04, 0.08, 0.16, 0.32 };
enum { VELOCITIES = sizeof velocities / sizeof *velocities };

/* Beyond so many times the cut-off nothing is left in filtered data. */
static const double RATE_OF_CUTOFF = 10;

/* rad/s (m/s), over which a sign that changes at once does; its square is still a number. */
static const double NARROW = 1e-150;

enum { STRETCH = 4096 }; /* samples whose columns are filtered together */

/* The faster part of a motion, which the slower one must foretell: of the fastest. */
static const double FAST = 0.6;

struct shapes shapes_first(const struct armdyn_joint *joint, double fastest)
{
  struct shapes shapes = { .count = 1 };
  shapes.list[0] = (struct shape){ joint->friction.stribeck_velocity, joint->friction.stribeck_exponent };
  if (!isnan(joint->friction.stribeck_velocity)) return shapes;
  for (shapes.count = 0; shapes.count < SHAPES; shapes.count++)
    shapes.list[shapes.count] =
        (struct shape){ velocities[shapes.count % VELOCITIES] * fastest, shapes.count < VELOCITIES ? 2 : 1 };
  return shapes;
}

struct shapes shapes_about(const double best[2], double closeness)
{
  struct shapes shapes = { .count = 0 };
  for (int exponent = 1; exponent <= 2; exponent++) {
    for (size_t k = 0; k < VELOCITIES; k++) {
      const double octaves = ((double)k - (VELOCITIES - 1) / 2.0) * closeness;
      shapes.list[shapes.count++] = (struct shape){ best[exponent - 1] * exp2(octaves), exponent };
    }
  }
  return shapes;
}

static bool joint_open(struct candidates *c, size_t i, double fastest, const struct shapes *shapes)
{
  const struct armdyn_joint *joint = &armdyn_robot_description(c->robot)->joints[i];
  struct joint_candidates *j = &c->joints[i];
  const unsigned char *seen = c->rigid->seen_by_joint + i * c->rigid->base_count;
  j->scale[0] = joint->velocity_scale;
  for (size_t k = 1; k < SCALES; k++) j->scale[k] = scales[k - 1] * fastest;
  j->shapes = *shapes;
  j->fast = FAST * fastest;
  j->lines = joint->friction.ripple_count;
  j->columns = COLUMN_LINES + j->lines;
  for (size_t k = 0; k < c->rigid->base_count; k++) j->rigid += seen[k];
  j->width = j->rigid + j->columns + 1;
  j->column = malloc((j->rigid + 1) * sizeof *j->column);
  j->all = calloc(j->width * j->width, sizeof *j->all);
  j->of_fast = calloc(j->width * j->width, sizeof *j->all);
  bool complete = j->column && j->all && j->of_fast;
  for (size_t f = 0; f < c->folds; f++)
    complete = (j->sums[f] = calloc(j->width * j->width, sizeof *j->all)) && complete;
  for (size_t k = 0, at = 0; k < c->rigid->base_count && complete; k++)
    if (seen[k]) j->column[at++] = k;
  return complete;
}

/* 1 - exp(-ratio^exponent); of grids the exponents are 1 and 2, and beyond 40 nothing of 1 is left out. */
static double fallen(double ratio, double exponent)
{
  const double power = exponent == 1 ? ratio : exponent == 2 ? ratio * ratio : pow(ratio, exponent);
  return power < 40 ? -expm1(-power) : 1;
}

/* Columns of a joint's friction at q, qd, under a load. */
static void friction_columns(const struct joint_candidates *j, const struct armdyn_joint *joint, double q, double v,
                             double load, double *row)
{
  const size_t direction = v < 0; /* within a pair */
  const double sign = v < 0 ? -1 : 1;
  const struct friction_state x = { .speed = v, .sign = v != 0 ? sign : 0, .width = NARROW, .load = load };
  memset(row, 0, j->columns * sizeof *row);
  for (size_t k = 0, at = COLUMN_PLAIN; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
    const size_t p = friction_plain(k);
    if (p < ARMDYN_FRICTION_PARAMETER_COUNT) row[at++] = friction_parameters[p].slope(&x, 0);
  }
  row[COLUMN_VISCOUS + direction] = v;
  for (size_t k = 0; k < SCALES; k++) {
    const double ratio = v / j->scale[k];
    row[COLUMN_SIGN + 2 * k + direction] = fabs(ratio) < 20 ? tanh(ratio) : sign;
  }
  for (size_t k = 0; k < j->shapes.count; k++) {
    const struct shape *shape = &j->shapes.list[k];
    row[COLUMN_FALLEN + 2 * k + direction] = sign * fallen(fabs(v) / shape->velocity, shape->exponent);
  }
  for (size_t k = 0; k < j->lines; k++) {
    const struct armdyn_ripple *line = &joint->friction.ripples[k];
    row[COLUMN_LINES + k] = sin(line->order * joint->drive.gear_ratio * q + line->phase);
  }
}

struct rows {
  const struct candidates *c;
  size_t joint;
};

static void fill_row(const void *context, const double *q, const double *qd, const double *qdd, double *row)
{
  const struct rows *r = context;
  const struct armdyn_load bare = { .frictionless = true };
  const size_t i = r->joint;
  double load[ARMDYN_JOINTS_MAX] = { 0 };
  if (r->c->loads) armdyn_inverse_dynamics(r->c->loads, q, qd, qdd, &bare, NULL, load);
  friction_columns(&r->c->joints[i], &armdyn_robot_description(r->c->robot)->joints[i], q[i], qd[i], load[i], row);
}

/* Rows on their way to their sums, a few at a time. */
enum { GATHERED = 8, WIDTH_MOST = COLUMNS_MOST + 1 + 11 * ARMDYN_JOINTS_MAX };
struct gathered {
  size_t width, count;
  double *sums;
  double rows[GATHERED * WIDTH_MOST];
};

static void gathered_end(struct gathered *g)
{
  if (g->count) products_add(g->width, g->count, g->rows, g->sums);
  g->count = 0;
}

static void gathered_add(struct gathered *g, double *sums, const double *row)
{
  if (g->count == GATHERED || g->sums != sums) gathered_end(g);
  g->sums = sums;
  memcpy(g->rows + g->count++ * g->width, row, g->width * sizeof *row);
}

/* Rows of one joint of samples from .. to - 1, of which every stride-th is taken. */
static void take_joint(struct candidates *c, size_t i, const struct armdyn_motion *motion, size_t before, size_t from,
                       size_t to, const double *Y, const double *friction, const size_t *fold_of)
{
  struct joint_candidates *j = &c->joints[i];
  struct gathered every = { .width = j->width }, fast = { .width = j->width };
  double row[WIDTH_MOST];
  const size_t p = c->rigid->standard_count;
  for (size_t k = from, taken = 0; k < to; k++) {
    if ((before + k) % c->stride != 0) continue;
    const double *regressor = Y + (taken * c->n + i) * p;
    for (size_t a = 0; a < j->rigid; a++) row[a] = regressor[armdyn_base_parameter_lead(c->rigid->base, j->column[a])];
    memcpy(row + j->rigid, friction + (k - from) * j->columns, j->columns * sizeof *row);
    row[j->width - 1] = motion->tau[k * c->n + i];
    gathered_add(&every, j->sums[fold_of[taken++]], row);
    if (fabs(motion->qd[k * c->n + i]) > j->fast) gathered_add(&fast, j->of_fast, row);
  }
  gathered_end(&every);
  gathered_end(&fast);
}

static enum armdyn_status take_stretch(struct candidates *c, const struct armdyn_motion *motion, size_t before,
                                       size_t total, size_t from, size_t to, struct armdyn_workspace *workspace)
{
  const size_t n = c->n, p = c->rigid->standard_count, most = (to - from) / c->stride + 1;
  double *Y = malloc((most * n * p + 1) * sizeof *Y);
  size_t *fold_of = malloc(most * sizeof *fold_of), taken = 0;
  enum armdyn_status status = Y && fold_of ? ARMDYN_OK : ARMDYN_EMEMORY;
  for (size_t k = from; k < to && !status; k++) {
    if ((before + k) % c->stride != 0) continue;
    const size_t fold = (before + k) * c->folds / total;
    fold_of[taken] = fold < c->folds ? fold : c->folds - 1;
    c->samples[fold_of[taken]]++;
    unknowns_regressor(c->rigid, motion->q + k * n, motion->qd + k * n, motion->qdd + k * n, workspace,
                       Y + taken++ * n * p);
  }
  for (size_t i = 0; i < n && !status; i++) {
    const struct rows rows = { c, i };
    double *friction = NULL;
    size_t lead = 0;
    status = filtered_rows(n, motion, from, to, c->joints[i].columns, fill_row, &rows, &lead, &friction);
    if (!status) take_joint(c, i, motion, before, from, to, Y, friction + lead * c->joints[i].columns, fold_of);
    free(friction);
  }
  free(fold_of);
  free(Y);
  return status;
}

/* The other triangle. */
static void mirror(size_t width, double *sums)
{
  for (size_t a = 0; a < width; a++) {
    for (size_t b = 0; b < a; b++) sums[a * width + b] = sums[b * width + a];
  }
}

/* Whole tables, and the sums of all parts. */
static void complete(struct candidates *c)
{
  for (size_t i = 0; i < c->n; i++) {
    struct joint_candidates *j = &c->joints[i];
    for (size_t f = 0; f < c->folds; f++) {
      mirror(j->width, j->sums[f]);
      for (size_t k = 0; k < j->width * j->width; k++) j->all[k] += j->sums[f][k];
    }
    mirror(j->width, j->of_fast);
  }
}

static enum armdyn_status read_all(struct candidates *c, const struct armdyn_source *source,
                                   struct armdyn_workspace *workspace, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  size_t before = 0;
  for (size_t block = 0; block < source->blocks && !status; block++) {
    struct armdyn_motion motion;
    if ((status = source->read(source->context, block, &motion, error))) break;
    const double cutoff = motion.torque_cutoff;
    c->stride = cutoff > 0 ? (size_t)fmax(1, motion.rate / (RATE_OF_CUTOFF * cutoff)) : 1;
    for (size_t from = 0; from < motion.count && !status; from += STRETCH) {
      const size_t to = motion.count - from < STRETCH ? motion.count : from + STRETCH;
      status = take_stretch(c, &motion, before, source->samples, from, to, workspace);
    }
    before += motion.count;
  }
  return status;
}

enum armdyn_status candidates_open(const struct armdyn_robot *robot, const struct armdyn_robot *loads,
                                   enum armdyn_rotor_columns rotors, const struct armdyn_source *source,
                                   const double *fastest, const struct shapes *shapes, size_t folds,
                                   struct candidates *candidates, struct armdyn_error *error)
{
  struct candidates *c = candidates;
  *c = (struct candidates){ .robot = robot, .loads = loads, .n = armdyn_robot_joint_count(robot), .folds = folds };
  struct armdyn_workspace *workspace = armdyn_workspace_new(c->n);
  enum armdyn_status status = workspace ? unknowns_rigid(robot, rotors, &c->rigid, error) : ARMDYN_EMEMORY;
  for (size_t i = 0; i < c->n && !status; i++)
    if (!joint_open(c, i, fastest[i] > 0 ? fastest[i] : 1, &shapes[i])) status = ARMDYN_EMEMORY;
  if (!status) status = read_all(c, source, workspace, error);
  if (!status) complete(c);
  if (status) candidates_close(c);
  armdyn_workspace_free(workspace);
  return status;
}

void candidates_close(struct candidates *candidates)
{
  for (size_t i = 0; i < candidates->n; i++) {
    struct joint_candidates *j = &candidates->joints[i];
    for (size_t f = 0; f < FOLDS_MAX; f++) free(j->sums[f]);
    free(j->all);
    free(j->of_fast);
    free(j->column);
  }
  armdyn_unknowns_free(candidates->rigid);
  *candidates = (struct candidates){ 0 };
}
