#include "lib/identify/design.h"

#include <math.h>

#include "lib/math/linear.h"
#include "lib/math/symmetric.h"

enum { BLOCK = 64, ROWS = 4 }; /* points whose regressors are at hand; rows of them added up at once */
/* Of the greatest eigenvalue, what a sum of squares loses to rounding: smaller ones are this much. */
static const double ROUNDING = 1e-15;
/* Limits are kept on the grid with this to spare, so that less is left for the line search. */
static const double USED = 0.999;
/* q0 leaves the joint a way to both sides. */
static const double REST_MOST = 0.9;

static double span_of(const double range[2])
{
  return (range[1] - range[0]) / 2;
}

/* -- opening -- */

static bool allocate(struct design *d)
{
  const size_t P = d->points, n = d->n, W = d->waves, b = d->b, standard = d->unknowns->standard_count;
  const size_t count =
      WAVE_ORDERS * P * W + n * W * W + WAVE_ORDERS * (P * n + P) + BLOCK * n * standard + ROWS * b + 3 * b * b + 4 * b;
  double *at = d->memory = calloc(count, sizeof *at);
  d->workspace = armdyn_workspace_new(n);
  d->lead = malloc((n + 1) * b * sizeof *d->lead);
  if (!at || !d->workspace || !d->lead) return false;
  d->seen = d->lead + b;
  for (int k = 0; k < WAVE_ORDERS; k++, at += P * W) d->wave[k] = at;
  for (int k = 0; k < WAVE_ORDERS - 1; k++, at += P * n) d->motion[k] = at;
  d->column = at, at += WAVE_ORDERS * P;
  d->mix = at, at += n * W * W;
  d->tau = at, at += P * n;
  d->Y = at, at += BLOCK * n * standard;
  d->rows = at, at += ROWS * b;
  d->known = at, at += b * b;
  d->G = at, at += b * b;
  d->triangle = at, at += b * b;
  d->values = at, at += b;
  d->scratch = at;
  return true;
}

/* The base parameters that each joint's torque depends on. */
static void list_columns(struct design *d)
{
  for (size_t k = 0; k < d->b; k++) d->lead[k] = armdyn_base_parameter_lead(d->unknowns->base, k);
  for (size_t i = 0; i < d->n; i++) {
    for (size_t k = 0; k < d->b; k++) {
      if (d->unknowns->seen_by_joint[i * d->b + k]) d->seen[i * d->b + d->seen_count[i]++] = k;
    }
  }
}

/* G += R'R of earlier equations, by the second. */
static enum armdyn_status take_known(struct design *d, const struct armdyn_known *known)
{
  const size_t b = d->b, all = b + 1;
  double weight[ARMDYN_JOINTS_MAX], *R = calloc(all * all + (b + 2) * (b + 2), sizeof *R);
  if (!R) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < d->n; i++) weight[i] = 1 / sqrt(known->rate);
  regression_stack(known->regression, weight, R, R + all * all);
  for (size_t k = 0; k < b; k++) {
    for (size_t i = k; i < b; i++) {
      for (size_t j = k; j < b; j++) d->known[i * b + j] += R[k * all + i] * R[k * all + j];
    }
  }
  free(R);
  return ARMDYN_OK;
}

static void tabulate(struct design *d)
{
  double wave[WAVES_MAX][WAVE_ORDERS];
  for (size_t k = 0; k < d->points; k++) {
    fourier_waves(&d->fourier, d->fourier.duration * (double)k / (double)(d->points - 1), wave);
    for (size_t w = 0; w < d->waves; w++) {
      for (int o = 0; o < WAVE_ORDERS; o++) d->wave[o][w * d->points + k] = wave[w][o];
    }
  }
}

/* Waves are far from independent: the quintics of most of them are large, and cancel in the combinations that move much.
 * So the variables are coefficients of combinations whose mean square usage of all limits is the identity:
 * P = mean of sum w w' / limit^2 = L L', c = L'^-1 x / sqrt(2 W): variables of about 1 use a limit up. */
static enum armdyn_status whiten(struct design *d, size_t joint)
{
  const struct armdyn_limits *limits = &d->limits[joint];
  const double most[WAVE_ORDERS] = { span_of(limits->position), limits->velocity, limits->acceleration, limits->jerk };
  const size_t W = d->waves;
  double *P = d->mix + joint * W * W, *inverse = calloc(W * W, sizeof *inverse);
  if (!inverse) return ARMDYN_EMEMORY;
  for (int o = 0; o < WAVE_ORDERS; o++) {
    const double weight = 1 / (most[o] * most[o] * (double)d->points);
    for (size_t i = 0; i < W; i++) {
      for (size_t j = 0; j <= i; j++) {
        const double *a = d->wave[o] + i * d->points, *b = d->wave[o] + j * d->points;
        for (size_t k = 0; k < d->points; k++) P[i * W + j] += weight * a[k] * b[k];
      }
    }
  }
  const bool independent = cholesky_factor(W, P);
  for (size_t k = 0; k < W && independent; k++) { /* column k of L'^-1 */
    double *column = inverse + k * W;
    column[k] = 1;
    for (size_t i = k + 1; i-- > 0;) {
      for (size_t j = i + 1; j <= k; j++) column[i] -= P[j * W + i] * column[j];
      column[i] /= P[i * W + i];
    }
  }
  for (size_t i = 0; i < W; i++) {
    for (size_t k = 0; k < W; k++) P[i * W + k] = inverse[k * W + i] / sqrt(2 * (double)W);
  }
  free(inverse);
  return independent ? ARMDYN_OK : ARMDYN_ESINGULAR;
}

enum armdyn_status design_open(const struct armdyn_robot *robot, const struct armdyn_unknowns *unknowns,
                               const struct armdyn_excitation_request *request, const struct armdyn_limits *limits,
                               size_t points, struct design *design)
{
  struct design *d = design;
  *d = (struct design){ .robot = robot,
                        .unknowns = unknowns,
                        .limits = limits,
                        .tool_box = request->tool_box,
                        .criterion = request->criterion,
                        .lambda = request->lambda,
                        .fourier = { request->harmonics, request->duration, request->base_frequency },
                        .n = unknowns->n,
                        .b = unknowns->base_count,
                        .waves = 2 * request->harmonics,
                        .points = points };
  d->variables = d->n * (1 + d->waves);
  enum armdyn_status status = allocate(d) ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (request->around && !status) status = obstacles_new(robot, request->around, limits, &d->around);
  for (size_t k = 0; k < request->known_count && !status; k++) status = take_known(d, &request->known[k]);
  if (status) {
    design_close(d);
    return status;
  }
  list_columns(d);
  tabulate(d);
  for (size_t j = 0; j < d->n && !status; j++) status = whiten(d, j);
  if (status) design_close(d);
  return status;
}

void design_close(struct design *design)
{
  armdyn_workspace_free(design->workspace);
  obstacles_free(design->around);
  free(design->memory);
  free(design->lead);
  *design = (struct design){ 0 };
}

/* -- the motion -- */

static double rest_of(const struct design *d, const double *x, size_t joint)
{
  const double *range = d->limits[joint].position;
  return (range[0] + range[1]) / 2 + span_of(range) * x[joint * (1 + d->waves)];
}

/* Coefficients of the waves of one joint. */
static void mix(const struct design *d, const double *x, size_t joint, double *c)
{
  const size_t W = d->waves;
  const double *of = x + joint * (1 + W) + 1, *row = d->mix + joint * W * W;
  for (size_t i = 0; i < W; i++, row += W) {
    c[i] = 0;
    for (size_t k = i; k < W; k++) c[i] += row[k] * of[k];
  }
}

void design_coefficients(const struct design *design, const double *x, double *q0, double *a, double *b)
{
  const size_t L = design->fourier.harmonics;
  double c[WAVES_MAX];
  for (size_t j = 0; j < design->n; j++) {
    q0[j] = rest_of(design, x, j);
    mix(design, x, j, c);
    memcpy(a + j * L, c, L * sizeof *a);
    memcpy(b + j * L, c + L, L * sizeof *b);
  }
}

/* A derivative of the motion of one joint at the grid, around 0, with its least and greatest. */
static void combine(struct design *d, const double *c, size_t order, double *column, double ends[2])
{
  const double *wave = d->wave[order];
  double least = 0, most = 0;
  memset(column, 0, d->points * sizeof *column);
  for (size_t w = 0; w < d->waves; w++, wave += d->points) {
    for (size_t k = 0; k < d->points; k++) column[k] += c[w] * wave[k];
  }
  for (size_t k = 0; k < d->points; k++) {
    least = column[k] < least ? column[k] : least;
    most = column[k] > most ? column[k] : most;
  }
  ends[0] = least;
  ends[1] = most;
}

/* The motion of one joint, brought within the limits that are linear in its variables; they are mended so. */
static void move(struct design *d, size_t j, double *x)
{
  const struct armdyn_limits *limits = &d->limits[j];
  const double most[WAVE_ORDERS] = { 0, limits->velocity, limits->acceleration, limits->jerk };
  double *of = x + j * (1 + d->waves), c[WAVES_MAX], ends[2], scale = 1;
  of[0] = fmin(fmax(of[0], -REST_MOST), REST_MOST);
  const double rest = rest_of(d, x, j);
  mix(d, x, j, c);
  for (size_t o = 0; o < WAVE_ORDERS; o++) {
    if (!isfinite(most[o])) continue;
    combine(d, c, o, d->column + o * d->points, ends);
    if (o == 0) {
      if (ends[1] > 0) scale = fmin(scale, USED * (limits->position[1] - rest) / ends[1]);
      if (ends[0] < 0) scale = fmin(scale, USED * (limits->position[0] - rest) / ends[0]);
    } else if (ends[1] > ends[0]) {
      scale = fmin(scale, USED * most[o] / fmax(ends[1], -ends[0]));
    }
  }
  if (isinf(most[2])) combine(d, c, 2, d->column + 2 * d->points, ends);
  for (size_t w = 1; w <= d->waves; w++) of[w] *= scale;
  for (size_t o = 0; o < WAVE_ORDERS - 1; o++) {
    const double *column = d->column + o * d->points;
    double *out = d->motion[o] + j;
    for (size_t k = 0; k < d->points; k++) out[k * d->n] = (o == 0 ? rest : 0) + scale * column[k];
  }
}

/* -- limits -- */

static double beyond(double usage)
{
  return fmax(usage - 1, 0);
}

static struct armdyn_samples samples_of(const struct design *d, size_t first, size_t count)
{
  const size_t n = d->n;
  return (struct armdyn_samples){ .count = count,
                                  .q = { d->motion[0] + first * n, n },
                                  .qd = { d->motion[1] + first * n, n },
                                  .qdd = { d->motion[2] + first * n, n } };
}

static double excess_of_torque(struct design *d)
{
  bool limited = false;
  double sum = 0;
  for (size_t j = 0; j < d->n; j++) limited |= isfinite(d->limits[j].torque);
  if (!limited) return 0;
  const struct armdyn_samples samples = samples_of(d, 0, d->points);
  armdyn_inverse_dynamics_batch(d->robot, &samples, d->workspace, d->tau);
  for (size_t j = 0; j < d->n; j++) {
    if (!isfinite(d->limits[j].torque)) continue;
    double worst = 0;
    for (size_t k = 0; k < d->points; k++) {
      const double size = fabs(d->tau[k * d->n + j]);
      worst = size > worst ? size : worst;
    }
    sum += beyond(worst / (USED * d->limits[j].torque));
  }
  return sum;
}

double box_usage(const struct armdyn_robot *robot, const double *box, const double *q,
                 struct armdyn_workspace *workspace)
{
  double tool[16], worst = 0;
  armdyn_forward_kinematics(robot, q, workspace, tool, NULL);
  for (int i = 0; i < 3; i++) {
    const double span = (box[3 + i] - box[i]) / 2;
    worst = fmax(worst, fabs(tool[4 * i + 3] - box[i] - span) / span);
  }
  return worst;
}

static double excess_of_box(struct design *d)
{
  double worst = 0;
  for (size_t k = 0; d->tool_box && k < d->points; k++) {
    worst = fmax(worst, box_usage(d->robot, d->tool_box, d->motion[0] + k * d->n, d->workspace));
  }
  return beyond(worst / USED);
}

/* How deep the worst pair of bodies is in what it keeps clear of, in units of a limit. */
static double excess_of_clearance(struct design *d)
{
  const double step = d->fourier.duration / (double)(d->points - 1);
  double worst = 0;
  for (size_t k = 0; d->around && k < d->points; k++)
    worst = fmax(worst, obstacles_depth(d->around, d->motion[0] + k * d->n, step * (double)k));
  return worst / CLEARANCE_UNIT;
}

static double excess_of(struct design *d)
{
  return excess_of_torque(d) + excess_of_box(d) + excess_of_clearance(d);
}

/* -- the criterion -- */

/* Lower triangle of A (count x count) += weight of the sum of ROWS rows' squares. */
static void add_squares(size_t count, double weight, const double *rows, double *A)
{
  const double *r0 = rows, *r1 = rows + count, *r2 = r1 + count, *r3 = r2 + count;
  for (size_t i = 0; i < count; i++) {
    const double a = weight * r0[i], b = weight * r1[i], c = weight * r2[i], e = weight * r3[i];
    double *to = A + i * count;
    for (size_t j = 0; j <= i; j++) to[j] += a * r0[j] + b * r1[j] + c * r2[j] + e * r3[j];
  }
}

/* The rows of one joint, of all points of the block. */
static void add_joint(struct design *d, size_t joint, size_t points, double weight)
{
  const size_t count = d->seen_count[joint], *column = d->seen + joint * d->b;
  const size_t standard = d->unknowns->standard_count;
  double *A = d->triangle;
  memset(A, 0, count * count * sizeof *A);
  for (size_t first = 0; first < points; first += ROWS) {
    for (size_t r = 0; r < ROWS; r++) {
      const double *Y = d->Y + ((first + r) * d->n + joint) * standard;
      double *row = d->rows + r * count;
      for (size_t k = 0; k < count; k++) row[k] = first + r < points ? Y[d->lead[column[k]]] : 0;
    }
    add_squares(count, weight, d->rows, A);
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j <= i; j++) d->G[column[i] * d->b + column[j]] += A[i * count + j];
  }
}

/* G = Y'Y of the motion, as a sum over the grid times its step, and of what is known; the lower triangle. */
static void gather(struct design *d)
{
  const double step = d->fourier.duration / (double)(d->points - 1);
  memcpy(d->G, d->known, d->b * d->b * sizeof *d->G);
  memset(d->Y, 0, BLOCK * d->n * d->unknowns->standard_count * sizeof *d->Y);
  for (size_t first = 0; first < d->points; first += BLOCK) {
    const size_t count = d->points - first < BLOCK ? d->points - first : BLOCK;
    const struct armdyn_samples samples = samples_of(d, first, count);
    armdyn_regressor_batch(d->unknowns->robot, &d->unknowns->choice, &samples, d->workspace, d->Y);
    for (size_t i = 0; i < d->n; i++) add_joint(d, i, count, step);
  }
}

static void weigh(struct design *d, struct worth *worth)
{
  const size_t b = d->b;
  memcpy(d->triangle, d->G, b * b * sizeof *d->G);
  symmetric_eigen(b, d->triangle, d->values, NULL, d->scratch);
  const double most = d->values[b - 1];
  worth->log_determinant = 0;
  for (size_t k = 0; k < b; k++) worth->log_determinant += log(fmax(d->values[k], ROUNDING * most));
  worth->sigma_min = sqrt(fmax(d->values[0], ROUNDING * most));
  worth->condition = sqrt(most) / worth->sigma_min;
  worth->criterion =
      d->criterion == ARMDYN_CONDITION ? worth->condition + d->lambda / worth->sigma_min : -worth->log_determinant;
}

void design_evaluate(struct design *design, double *x, struct worth *worth)
{
  struct design *d = design;
  for (size_t j = 0; j < d->n; j++) move(d, j, x);
  worth->excess = excess_of(d);
  gather(d);
  weigh(d, worth);
  d->evaluations++;
}

void design_judge(struct design *design, const struct armdyn_trajectory *trajectory, struct worth *worth)
{
  struct design *d = design;
  for (size_t k = 0; k < d->points; k++) {
    const double t = d->fourier.duration * (double)k / (double)(d->points - 1);
    armdyn_trajectory_state(trajectory, t, d->motion[0] + k * d->n, d->motion[1] + k * d->n, d->motion[2] + k * d->n,
                            NULL);
  }
  worth->excess = excess_of(d);
  gather(d);
  weigh(d, worth);
}
