#include "lib/identify/regression.h"

#include <math.h>

#include "lib/identify/condition.h"
#include "lib/math/triangle.h"
#include "lib/model/parameters.h"

enum {
  BLOCK = 128,    /* rows of a joint at a time: they stay in the nearest cache */
  BATCH = 16,     /* samples whose regressors are computed together */
  STRETCH = 4096, /* samples whose friction is filtered together */
};

static bool joint_open(const struct armdyn_unknowns *u, size_t joint, struct joint_equations *e)
{
  const unsigned char *seen = u->seen_by_joint + joint * u->base_count;
  for (size_t k = 0; k < u->base_count; k++) e->count += seen[k];
  const size_t width = e->count + 1;
  e->column = malloc(width * sizeof *e->column);
  e->lead = malloc(width * sizeof *e->lead);
  e->R = calloc(width * width, sizeof *e->R);
  e->block = malloc(BLOCK * width * sizeof *e->block);
  if (!e->column || !e->lead || !e->R || !e->block) return false;
  size_t at = 0;
  for (size_t k = 0; k < u->base_count; k++) {
    if (!seen[k]) continue;
    e->column[at] = k;
    e->lead[at++] = armdyn_base_parameter_lead(u->base, k);
  }
  return true;
}

struct armdyn_regression *armdyn_regression_new(const struct armdyn_unknowns *unknowns)
{
  struct armdyn_regression *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->unknowns = unknowns;
  r->workspace = armdyn_workspace_new(unknowns->n);
  r->Y = malloc(BATCH * unknowns->n * unknowns->standard_count * sizeof *r->Y);
  r->scratch = malloc(2 * (unknowns->base_count + 1) * sizeof *r->scratch);
  bool complete = r->workspace && r->Y && r->scratch;
  for (size_t i = 0; i < unknowns->n && complete; i++) complete = joint_open(unknowns, i, &r->joints[i]);
  if (complete) return r;
  armdyn_regression_free(r);
  return NULL;
}

void armdyn_regression_free(struct armdyn_regression *regression)
{
  if (!regression) return;
  for (size_t i = 0; i < regression->unknowns->n; i++) {
    free(regression->joints[i].column);
    free(regression->joints[i].lead);
    free(regression->joints[i].R);
    free(regression->joints[i].block);
  }
  armdyn_workspace_free(regression->workspace);
  free(regression->Y);
  free(regression->scratch);
  free(regression);
}

/* Links move too slowly for the filter to change their columns; but Coulomb friction jumps, and tau has its jumps rounded
 * off. (SCARA at 1 kHz, cut-off 10 Hz, measured: otherwise Coulomb friction is 7 to 12 % off, stiction 22; so 0.2 %.) */
enum armdyn_status filtered_rows(size_t n, const struct armdyn_motion *motion, size_t from, size_t to, size_t width,
                                 row_function fill, const void *context, size_t *lead, double **out)
{
  const bool filtered = motion->torque_cutoff > 0;
  const size_t edge = filtered ? lowpass_edge(motion->rate, motion->torque_cutoff) : 0, behind = motion->before + from;
  const size_t ahead = motion->after + motion->count - to, before = edge < behind ? edge : behind;
  const size_t after = edge < ahead ? edge : ahead, rows = before + to - from + after;
  const double *q = motion->q + from * n - before * n, *qd = motion->qd + from * n - before * n;
  const double *qdd = motion->qdd + from * n - before * n;
  double *table = malloc((rows + 1) * width * sizeof *table);
  if (!table) return ARMDYN_EMEMORY;
  for (size_t k = 0; k < rows; k++) fill(context, q + k * n, qd + k * n, qdd + k * n, table + k * width);
  *lead = before;
  *out = table;
  if (!filtered || rows < 2) return ARMDYN_OK;
  return armdyn_lowpass(rows, width, motion->rate, motion->torque_cutoff, table, NULL);
}

/* Columns of all joints' friction. */
static void friction_rows(const void *context, const double *q, const double *qd, const double *qdd, double *row)
{
  const struct armdyn_unknowns *u = context;
  const struct armdyn_load bare = { .frictionless = true };
  double load[ARMDYN_JOINTS_MAX] = { 0 };
  if (armdyn_has_load_friction(u->robot)) armdyn_inverse_dynamics(u->robot, q, qd, qdd, &bare, NULL, load);
  for (size_t i = 0; i < u->n; i++) row += friction_row(u->robot, &u->choice, i, q[i], qd[i], load[i], row);
}

/* What is pending goes into the triangles. */
static void take_in(struct armdyn_regression *r)
{
  for (size_t i = 0; i < r->unknowns->n; i++) {
    struct joint_equations *e = &r->joints[i];
    triangle_update(e->count + 1, e->R, r->pending, e->block, r->scratch);
  }
  r->pending = 0;
}

/* Every joint's row of sample k, whose regressor is Y, into its block; friction, if it is given, stands in for its columns. */
static void fill_rows(struct armdyn_regression *r, const struct armdyn_motion *motion, size_t k, const double *Y,
                      const double *friction)
{
  const struct armdyn_unknowns *u = r->unknowns;
  for (size_t i = 0; i < u->n; i++, Y += u->standard_count) {
    double *row = regression_row(r, i);
    const struct joint_equations *e = &r->joints[i];
    for (size_t c = 0; c < e->count; c++) {
      const size_t lead = e->lead[c];
      const bool filtered = friction && lead >= u->friction_first;
      row[c] = filtered ? friction[lead - u->friction_first] : Y[lead];
    }
    row[e->count] = motion->tau[k * u->n + i];
  }
}

double *regression_row(const struct armdyn_regression *regression, size_t joint)
{
  const struct joint_equations *e = &regression->joints[joint];
  return e->block + regression->pending * (e->count + 1);
}

/* Samples from .. to - 1, friction the filtered columns of the first. */
static void walk_stretch(struct armdyn_regression *r, const struct armdyn_motion *motion, size_t from, size_t to,
                         const double *friction, sample_taker take, void *context)
{
  const struct armdyn_unknowns *u = r->unknowns;
  const size_t n = u->n, width = u->standard_count - u->friction_first;
  for (size_t k = from; k < to; k += BATCH) {
    const size_t count = to - k < BATCH ? to - k : BATCH;
    const struct armdyn_samples samples = {
      .count = count, .q = { motion->q + k * n, n }, .qd = { motion->qd + k * n, n }, .qdd = { motion->qdd + k * n, n }
    };
    if (!armdyn_friction_at_motors(u->robot))
      armdyn_regressor_batch(u->robot, &u->choice, &samples, r->workspace, r->Y);
    for (size_t i = k; i < k + count && armdyn_friction_at_motors(u->robot); i++)
      unknowns_regressor(u, motion->q + i * n, motion->qd + i * n, motion->qdd + i * n, r->workspace,
                         r->Y + (i - k) * n * u->standard_count);
    for (size_t i = 0; i < count; i++) {
      fill_rows(r, motion, k + i, r->Y + i * n * u->standard_count,
                friction ? friction + (k - from + i) * width : NULL);
      take(context, k + i);
    }
  }
}

enum armdyn_status regression_walk(struct armdyn_regression *regression, const struct armdyn_motion *motion,
                                   sample_taker take, void *context)
{
  struct armdyn_regression *r = regression;
  const struct armdyn_unknowns *u = r->unknowns;
  const size_t width = u->standard_count - u->friction_first;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t from = 0; from < motion->count && !status; from += STRETCH) {
    const size_t to = motion->count - from < STRETCH ? motion->count : from + STRETCH;
    double *friction = NULL;
    size_t lead = 0;
    if (motion->torque_cutoff > 0 && width > 0) {
      status = filtered_rows(u->n, motion, from, to, width, friction_rows, u, &lead, &friction);
    }
    if (!status) walk_stretch(r, motion, from, to, friction ? friction + lead * width : NULL, take, context);
    free(friction);
  }
  return status;
}

struct weighing {
  struct armdyn_regression *into;
  const double *weights; /* NULL: 1 */
};

static void take_sample(void *context, size_t k)
{
  const struct weighing *w = context;
  struct armdyn_regression *r = w->into;
  for (size_t i = 0; i < r->unknowns->n && w->weights; i++) {
    double *row = regression_row(r, i);
    for (size_t c = 0; c <= r->joints[i].count; c++) row[c] *= w->weights[k * r->unknowns->n + i];
  }
  if (++r->pending == BLOCK) take_in(r);
}

enum armdyn_status armdyn_regression_add(struct armdyn_regression *regression, const struct armdyn_motion *motion,
                                         const double *weights)
{
  struct weighing weighing = { regression, weights };
  const enum armdyn_status status = regression_walk(regression, motion, take_sample, &weighing);
  if (!status) regression->samples += motion->count;
  take_in(regression);
  return status;
}

void armdyn_regression_merge(struct armdyn_regression *into, const struct armdyn_regression *from)
{
  for (size_t i = 0; i < into->unknowns->n; i++) {
    struct joint_equations *e = &into->joints[i];
    const double *R = from->joints[i].R;
    const size_t width = e->count + 1;
    for (size_t row = 0; row < width; row += BLOCK) {
      const size_t rows = width - row < BLOCK ? width - row : BLOCK;
      memcpy(e->block, R + row * width, rows * width * sizeof *R);
      /* Below its diagonal R holds nothing, and is not kept at 0. */
      for (size_t k = 0; k < rows; k++) memset(e->block + k * width, 0, (row + k) * sizeof *R);
      triangle_update(width, e->R, rows, e->block, into->scratch);
    }
  }
  into->samples += from->samples;
}

size_t armdyn_regression_sample_count(const struct armdyn_regression *regression)
{
  return regression->samples;
}

void armdyn_regression_squares(const struct armdyn_regression *regression, const double *beta, double *left,
                               double *torque)
{
  for (size_t i = 0; i < regression->unknowns->n; i++) {
    const struct joint_equations *e = &regression->joints[i];
    const size_t width = e->count + 1;
    left[i] = torque[i] = 0;
    for (size_t row = 0; row < width; row++) {
      const double *R = e->R + row * width;
      double sum = -R[e->count];
      for (size_t c = row; c < e->count; c++) sum += R[c] * beta[e->column[c]];
      left[i] += sum * sum;
      torque[i] += R[e->count] * R[e->count];
    }
  }
}

void regression_stack(const struct armdyn_regression *regression, const double *weight, double *R, double *scratch)
{
  const size_t b = regression->unknowns->base_count, all = b + 1;
  for (size_t i = 0; i < regression->unknowns->n; i++) {
    const struct joint_equations *e = &regression->joints[i];
    const size_t width = e->count + 1;
    memset(scratch, 0, width * all * sizeof *scratch);
    for (size_t row = 0; row < width; row++) {
      for (size_t c = row; c < width; c++) {
        const size_t column = c < e->count ? e->column[c] : b;
        scratch[row * all + column] = weight[i] * e->R[row * width + c];
      }
    }
    triangle_update(all, R, width, scratch, scratch + all * all);
  }
}
