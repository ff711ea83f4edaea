/* With the arm's parameters known, what is left of the torques is linear in the ten parameters of the load: the columns of
 * the last link, turned from its frame into the tool's. A triangle a joint holds the equations, so that no cost but reading
 * depends on how long the logs are.
 *   unknowns   x = (m, m c, I about the tool's origin) in the tool's frame, ten
 *   rows       w_i Y_ik G x = w_i (tau_ik - Y_ik beta_arm),  G: x as parameters of the last link, P -> T P T' (pseudo-inertia)
 *   solution   least squares by eigenvectors of the scaled normal matrix: those with a singular value below 1e-7 of the largest
 *              are not told by the motion, and x, scaled, has nothing along them
 *   a body     when asked for: minimise |R x - z|^2 / 2 + strength distance(P(x), ball of the same mass), strength falling by tens
 *              to BALL_WEIGHT: P positive definite all the way
 * Sources: Swevers et al. 2002, An experimental robot load identification method; Wensing, Kim & Slotine 2018. */
#include "armdyn/payload.h"

#include <math.h>

#include "lib/base/carve.h"
#include "lib/identify/payload_columns.h"
#include "lib/identify/pseudo_inertia.h"
#include "lib/identify/training.h"
#include "lib/identify/uncertainty.h"
#include "lib/identify/warnings.h"
#include "lib/math/newton.h"
#include "lib/math/symmetric.h"
#include "lib/math/triangle.h"
#include "lib/model/compiled.h"
#include "lib/model/friction.h"
#include "lib/model/gears.h"

enum { TEN = PAYLOAD_TEN, WIDTH = TEN + 1, BATCH = PAYLOAD_BATCH };

/* A singular value of the scaled equations below this share of the largest is 0: the motion does not tell. */
static const double UNTOLD = 1e-7;

/* Among the loads that a body can be: the weight of the distance to a small ball, in units of the logarithm of the
 * likelihood. What a motion tells moves by a thousandth of its deviation or so; what it does not, becomes the ball's. */
static const double BALL_WEIGHT = 1e-3, BALL_RADIUS = 0.1;

/* Equations of a load, and what they are made of. */
struct load {
  const struct armdyn_unknowns *unknowns;
  const struct armdyn_source *source;
  bool (*cancelled)(void *context);
  void *context;
  size_t n, samples;
  struct payload_columns columns;
  double *arm;                      /* base parameters of the arm alone */
  double *Y;                        /* BATCH x n x 10 */
  double *rows;                     /* n x BATCH x WIDTH */
  double *R;                        /* n x WIDTH x WIDTH */
  double weight[ARMDYN_JOINTS_MAX]; /* of the joints' equations */
  double stacked[WIDTH * WIDTH];    /* all of them, weighted */
  double parameters[TEN];           /* what take_off takes off */
};

void armdyn_model_base_parameters(const struct armdyn_unknowns *unknowns, const double *payload, double *beta)
{
  const struct armdyn_unknowns *u = unknowns;
  double link[TEN] = { 0 }, turn[TEN * TEN];
  if (payload) {
    payload_to_link(u->robot, turn);
    for (size_t i = 0; i < TEN; i++) {
      for (size_t k = 0; k < TEN; k++) link[i] += turn[i * TEN + k] * payload[k];
    }
  }
  for (size_t k = 0; k < u->base_count; k++) {
    const double *combination = armdyn_base_parameter_coefficients(u->base, k);
    beta[k] = 0;
    for (size_t c = 0; c < u->standard_count; c++) beta[k] += combination[c] * u->prior[c];
    for (size_t c = 0; c < TEN; c++) beta[k] += combination[TEN * (u->n - 1) + c] * link[c];
  }
}

/* ---------------------------------------------------------------- equations */

static size_t layout(struct load *l, void *memory)
{
  struct carve c = { memory, 0 };
  l->arm = carve(&c, l->unknowns->base_count, sizeof *l->arm);
  l->Y = carve(&c, BATCH * l->n * TEN, sizeof *l->Y);
  l->rows = carve(&c, l->n * BATCH * WIDTH, sizeof *l->rows);
  l->R = carve(&c, l->n * WIDTH * WIDTH, sizeof *l->R);
  return c.used;
}

static bool load_open(struct load *l)
{
  const size_t size = layout(l, NULL);
  void *memory = aligned_alloc(64, size);
  if (!memory || !payload_columns_open(&l->columns, l->unknowns->robot)) {
    free(memory);
    payload_columns_close(&l->columns);
    return false;
  }
  memset(memory, 0, size);
  layout(l, memory);
  armdyn_model_base_parameters(l->unknowns, NULL, l->arm);
  return true;
}

static void load_close(struct load *l)
{
  payload_columns_close(&l->columns);
  free(l->arm); /* the first of one piece */
}

/* Columns of the load and what is left of the torque, of `count` samples from k on: rows of joint i one after the other. */
static void fill_rows(struct load *l, const struct armdyn_motion *m, const double *left, size_t k, size_t count)
{
  const size_t n = l->n;
  payload_columns_fill(&l->columns, m, k, count, l->Y);
  for (size_t s = 0; s < count; s++) {
    for (size_t i = 0; i < n; i++) {
      double *row = l->rows + (i * BATCH + s) * WIDTH;
      memcpy(row, l->Y + (s * n + i) * TEN, TEN * sizeof *row);
      row[TEN] = left[(k + s) * n + i];
    }
  }
}

/* Into the triangles. */
static void take_in(struct load *l, size_t k, size_t count, double *left)
{
  double scratch[2 * WIDTH];
  (void)k, (void)left;
  for (size_t i = 0; i < l->n; i++) {
    triangle_update(WIDTH, l->R + i * WIDTH * WIDTH, count, l->rows + i * BATCH * WIDTH, scratch);
  }
}

/* What the load explains goes off what is left. */
static void take_off(struct load *l, size_t k, size_t count, double *left)
{
  for (size_t s = 0; s < count; s++) {
    for (size_t i = 0; i < l->n; i++) {
      const double *row = l->rows + (i * BATCH + s) * WIDTH;
      for (size_t c = 0; c < TEN; c++) left[(k + s) * l->n + i] -= row[c] * l->parameters[c];
    }
  }
}

/* Go through the data; sums: of what is left in the end, or NULL. */
static enum armdyn_status go_through(struct load *l, void (*use)(struct load *, size_t, size_t, double *),
                                     struct residual_sums *sums, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  l->samples = 0;
  for (size_t block = 0; block < l->source->blocks && !status; block++) {
    struct armdyn_motion m;
    if (l->cancelled && l->cancelled(l->context)) {
      return armdyn_refuse(error, ARMDYN_ECANCELLED, "", "cancelled before the identification was done");
    }
    if ((status = l->source->read(l->source->context, block, &m, error))) break;
    double *left = malloc((m.count * l->n + 1) * sizeof *left);
    status = left ? residuals_of(l->unknowns, l->arm, &m, left) : ARMDYN_EMEMORY;
    for (size_t k = 0; k < m.count && !status; k += BATCH) {
      const size_t count = m.count - k < BATCH ? m.count - k : BATCH;
      fill_rows(l, &m, left, k, count);
      use(l, k, count, left);
    }
    if (!status && sums) residual_sums_add(sums, l->n, block, l->source->blocks, m.count, left);
    free(left);
    l->samples += m.count;
  }
  return status;
}

/* All joints' equations in one triangle. */
static void stack(struct load *l)
{
  double rows[WIDTH * WIDTH], scratch[2 * WIDTH];
  memset(l->stacked, 0, sizeof l->stacked);
  for (size_t i = 0; i < l->n; i++) {
    const double *R = l->R + i * WIDTH * WIDTH;
    memset(rows, 0, sizeof rows);
    for (size_t r = 0; r < WIDTH; r++) {
      for (size_t c = r; c < WIDTH; c++) rows[r * WIDTH + c] = l->weight[i] * R[r * WIDTH + c];
    }
    triangle_update(WIDTH, l->stacked, WIDTH, rows, scratch);
  }
}

/* ---------------------------------------------------------------- least squares */

/* The stacked equations by their eigenvectors: columns have length 1 once divided by `scale`. */
struct spectrum {
  double scale[TEN], value[TEN], vector[TEN * TEN]; /* rows */
  size_t rank;
};

static void fill_spectrum(const struct load *l, struct spectrum *s)
{
  double normal[TEN * TEN] = { 0 }, scratch[3 * TEN];
  for (size_t row = 0; row < TEN; row++) {
    for (size_t i = row; i < TEN; i++) {
      for (size_t j = row; j < TEN; j++) {
        normal[i * TEN + j] += l->stacked[row * WIDTH + i] * l->stacked[row * WIDTH + j];
      }
    }
  }
  for (size_t i = 0; i < TEN; i++) s->scale[i] = normal[i * TEN + i] > 0 ? sqrt(normal[i * TEN + i]) : 1;
  for (size_t i = 0; i < TEN; i++) {
    for (size_t j = 0; j < TEN; j++) normal[i * TEN + j] /= s->scale[i] * s->scale[j];
  }
  symmetric_eigen(TEN, normal, s->value, s->vector, scratch);
  s->rank = 0;
  for (size_t k = 0; k < TEN; k++) {
    if (!(s->value[k] > UNTOLD * UNTOLD * s->value[TEN - 1])) s->value[k] = 0;
    s->rank += s->value[k] > 0;
  }
}

/* The smallest of the solutions; a second round takes away what the first rounded. */
static void solve(const struct load *l, const struct spectrum *s, double x[TEN])
{
  memset(x, 0, TEN * sizeof *x);
  for (int round = 0; round < 2; round++) {
    double right[TEN] = { 0 };
    for (size_t row = 0; row < TEN; row++) {
      double e = l->stacked[row * WIDTH + TEN];
      for (size_t c = row; c < TEN; c++) e -= l->stacked[row * WIDTH + c] * x[c];
      for (size_t c = row; c < TEN; c++) right[c] += l->stacked[row * WIDTH + c] * e / s->scale[c];
    }
    for (size_t k = 0; k < TEN; k++) {
      const double *v = s->vector + k * TEN;
      double along = 0;
      for (size_t c = 0; c < TEN && s->value[k] > 0; c++) along += v[c] * right[c] / s->value[k];
      for (size_t c = 0; c < TEN; c++) x[c] += along * v[c] / s->scale[c];
    }
  }
}

/* Covariance, and which parameters have one. */
static void fill_covariance(const struct spectrum *s, struct armdyn_payload_estimate *out)
{
  double untold[TEN] = { 0 };
  for (size_t k = 0; k < TEN; k++) {
    const double *v = s->vector + k * TEN;
    for (size_t i = 0; i < TEN; i++) {
      if (!(s->value[k] > 0)) untold[i] += v[i] * v[i];
    }
  }
  for (size_t i = 0; i < TEN; i++) out->identifiable[i] = untold[i] < 1e-6;
  for (size_t k = 0; k < TEN; k++) {
    const double *v = s->vector + k * TEN;
    for (size_t i = 0; i < TEN && s->value[k] > 0; i++) {
      for (size_t j = 0; j < TEN; j++) {
        if (!out->identifiable[i] || !out->identifiable[j]) continue;
        out->covariance[i * TEN + j] += v[i] * v[j] / (s->scale[i] * s->scale[j] * s->value[k]);
      }
    }
  }
  out->rank = s->rank;
}

/* ---------------------------------------------------------------- among possible bodies */

struct ball {
  const double *stacked;
  double strength, inverse[16], log_determinant;
};

static double ball_value(void *context, const double *x)
{
  const struct ball *b = context;
  double sum = b->strength * pseudo_inertia_distance(b->inverse, b->log_determinant, x, NULL, NULL);
  for (size_t row = 0; row < TEN && isfinite(sum); row++) {
    double e = -b->stacked[row * WIDTH + TEN];
    for (size_t c = row; c < TEN; c++) e += b->stacked[row * WIDTH + c] * x[c];
    sum += e * e / 2;
  }
  return sum;
}

static void ball_slopes(void *context, const double *x, double *gradient, double *hessian)
{
  const struct ball *b = context;
  double g[TEN] = { 0 }, H[TEN * TEN] = { 0 };
  pseudo_inertia_distance(b->inverse, b->log_determinant, x, g, H);
  for (size_t k = 0; k < TEN; k++) gradient[k] = b->strength * g[k];
  for (size_t k = 0; k < TEN * TEN; k++) hessian[k] = b->strength * H[k];
  for (size_t row = 0; row < TEN; row++) {
    double e = -b->stacked[row * WIDTH + TEN];
    for (size_t c = row; c < TEN; c++) e += b->stacked[row * WIDTH + c] * x[c];
    for (size_t i = row; i < TEN; i++) {
      gradient[i] += b->stacked[row * WIDTH + i] * e;
      for (size_t j = row; j < TEN; j++) {
        hessian[i * TEN + j] += b->stacked[row * WIDTH + i] * b->stacked[row * WIDTH + j];
      }
    }
  }
}

/* From x, which least squares gave, to the most likely load that can be: along falling strengths from a ball of its mass. */
static size_t make_possible(const struct load *l, const struct armdyn_payload_estimate *e, double x[TEN])
{
  double P[16] = { 0 }, step[TEN], trial[TEN], gradient[TEN], hessian[TEN * TEN], scale[TEN];
  const double spread = sqrt(e->covariance[0]), mass = e->identifiable[0] ? fmax(x[0], fmax(spread, 1e-6)) : 1;
  struct ball ball = { .stacked = l->stacked };
  const struct newton newton = { .p = TEN,
                                 .value = ball_value,
                                 .slopes = ball_slopes,
                                 .context = &ball,
                                 .step = step,
                                 .trial = trial,
                                 .gradient = gradient,
                                 .hessian = hessian,
                                 .scale = scale };
  for (int i = 0; i < 3; i++) P[5 * i] = mass * BALL_RADIUS * BALL_RADIUS / 5;
  P[15] = mass;
  pseudo_inertia_invert(P, &ball.log_determinant, ball.inverse);
  pseudo_inertia_parameters(P, x);
  size_t rounds = 0;
  for (ball.strength = 1e9; ball.strength > BALL_WEIGHT; ball.strength /= 10) rounds += newton_minimise(&newton, x);
  ball.strength = BALL_WEIGHT;
  return rounds + newton_minimise(&newton, x);
}

/* ---------------------------------------------------------------- figures of what was found */

static void numbers_of(const double x[TEN], double out[TEN])
{
  const struct armdyn_body b = body_of_parameters(x);
  const double all[TEN] = { b.mass,       b.com[0],     b.com[1],     b.com[2],     b.inertia.xx,
                            b.inertia.yy, b.inertia.zz, b.inertia.xy, b.inertia.xz, b.inertia.yz };
  memcpy(out, all, sizeof all);
}

/* Deviations of the body's numbers, by their slopes, which are those of polynomials over the mass: central differences. A
 * number that depends on what the motion does not tell has none. */
static void fill_body(struct armdyn_payload_estimate *out)
{
  double slope[TEN][TEN], deviation[TEN];
  out->body = body_of_parameters(out->parameters);
  for (size_t k = 0; k < TEN; k++) {
    double high[TEN], low[TEN], x[TEN];
    const double step = 1e-5 * fmax(fabs(out->parameters[k]), 0.01 * fabs(out->parameters[0]));
    memcpy(x, out->parameters, sizeof x);
    x[k] = out->parameters[k] + step;
    numbers_of(x, high);
    x[k] = out->parameters[k] - step;
    numbers_of(x, low);
    for (size_t i = 0; i < TEN; i++) slope[i][k] = step > 0 ? (high[i] - low[i]) / (2 * step) : i == k;
  }
  for (size_t i = 0; i < TEN; i++) {
    bool known = true;
    double sum = 0;
    for (size_t k = 0; k < TEN; k++) {
      known = known && (slope[i][k] == 0 || out->identifiable[k]);
      for (size_t j = 0; j < TEN; j++) sum += slope[i][k] * out->covariance[k * TEN + j] * slope[i][j];
    }
    deviation[i] = known ? sqrt(fmax(sum, 0)) : NAN;
  }
  out->deviation = (struct armdyn_body){ .mass = deviation[0],
                                         .com = { deviation[1], deviation[2], deviation[3] },
                                         .inertia = { .xx = deviation[4],
                                                      .yy = deviation[5],
                                                      .zz = deviation[6],
                                                      .xy = deviation[7],
                                                      .xz = deviation[8],
                                                      .yz = deviation[9] } };
}

static void warn_of(struct armdyn_payload_estimate *out)
{
  static const char *const names[TEN] = { "m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz" };
  const double spread = sqrt(out->covariance[0]);
  char list[64] = "";
  for (size_t k = 0; k < TEN; k++) {
    const size_t at = strlen(list);
    if (!out->identifiable[k]) snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", names[k]);
  }
  if (*list) {
    warn(&out->warnings, ARMDYN_WARNING_RANK_DEFICIENT, -1,
         "the motion does not tell %s of the load; turn it about more axes, if the arm can", list);
  }
  if (out->identifiable[0] && !(out->parameters[0] > 3 * spread)) {
    warn(&out->warnings, ARMDYN_WARNING_PAYLOAD_UNSEEN, -1,
         "the log shows no load: a mass of %.3g kg with a deviation of %.2g; is it the right log, and does the model's "
         "arm fit one without load?",
         out->parameters[0], spread);
  }
}

static double condition_of(struct load *l)
{
  double A[TEN * TEN] = { 0 }, values[TEN], largest = 0, least = INFINITY;
  for (size_t i = 0; i < l->n; i++) l->weight[i] = 1;
  stack(l);
  for (size_t row = 0; row < TEN; row++) {
    for (size_t c = row; c < TEN; c++) A[row * TEN + c] = l->stacked[row * WIDTH + c];
  }
  singular_values(TEN, TEN, A, values);
  for (size_t k = 0; k < TEN; k++) {
    largest = fmax(largest, values[k]);
    least = fmin(least, values[k]);
  }
  return least > 1e-14 * largest ? largest / least : INFINITY;
}

/* ---------------------------------------------------------------- all of it */

/* Least squares, then its weights by what that leaves, then again. */
static enum armdyn_status estimate(struct load *l, enum armdyn_payload_estimator estimator,
                                   struct armdyn_payload_estimate *out, struct armdyn_error *error)
{
  struct spectrum spectrum;
  struct residual_sums sums = { 0 };
  enum armdyn_status status = go_through(l, take_in, NULL, error);
  if (status) return status;
  if (l->samples * l->n < TEN) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/datasets", "must have more samples, got %zu", l->samples);
  }
  out->condition = condition_of(l);
  fill_spectrum(l, &spectrum);
  if (spectrum.rank == 0) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/datasets", "must move the load: no torque depends on it");
  }
  if (spectrum.rank < TEN) out->condition = INFINITY;
  solve(l, &spectrum, out->parameters);
  memcpy(l->parameters, out->parameters, sizeof l->parameters);
  if ((status = go_through(l, take_off, &sums, error))) return status;
  residual_sums_end(&sums, l->n, spectrum.rank, out->joint_deviation, out->correlation);
  for (size_t i = 0; i < l->n; i++) {
    const double rounding = 1e-9 * l->R[i * WIDTH * WIDTH + WIDTH * WIDTH - 1] + 1e-15;
    l->weight[i] = 1 / fmax(out->joint_deviation[i] * sqrt(out->correlation[i]), rounding);
  }
  stack(l);
  fill_spectrum(l, &spectrum);
  solve(l, &spectrum, out->parameters);
  fill_covariance(&spectrum, out);
  if (estimator == ARMDYN_PAYLOAD_CONSISTENT) out->rounds = make_possible(l, out, out->parameters);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_identify_payload(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                           enum armdyn_payload_estimator estimator, bool (*cancelled)(void *context),
                                           void *context, struct armdyn_payload_estimate *out,
                                           struct armdyn_error *error)
{
  struct load load = {
    .unknowns = unknowns, .source = source, .cancelled = cancelled, .context = context, .n = unknowns->n
  };
  *out = (struct armdyn_payload_estimate){ 0 };
  if (armdyn_robot_description(unknowns->robot)->payload.mass != 0) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/payload", "must be 0 in the model of the arm alone, got %g kg",
                         armdyn_robot_description(unknowns->robot)->payload.mass);
  }
  enum armdyn_status known = load_friction_refuse(unknowns->robot, "identifying a payload", error);
  if (!known) known = gear_friction_refuse(unknowns->robot, "identifying a payload", error);
  if (known) return known;
  if (!load_open(&load)) return ARMDYN_EMEMORY;
  const enum armdyn_status status = estimate(&load, estimator, out, error);
  if (!status) {
    out->samples = load.samples;
    out->physical = armdyn_link_is_physical(out->parameters);
    fill_body(out);
    warn_of(out);
  }
  load_close(&load);
  return status;
}
