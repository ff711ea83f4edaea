/* Gains of drives from loads that are known.
 *   measured   v_jk = tau_jk / g_j, of joint j: the torque in the unit of what was assumed of its drive
 *   model      tau_j = Y_j beta + t_j, t_j what the load of the log adds: known
 *   unknowns   of each joint b_j = beta / g_j and a_j = 1 / g_j
 *   rows       Y_jk b_j + t_jk a_j = v_jk;  least squares, the noise of v on the right side alone
 *   solution   [R r z; 0 s y; 0 0 e] = triangle of [Y t v]: a_j = y / s, s the part of t that no b can be. Columns of Y that
 *              the motion does not tell apart leave pivots of rounding in R, which a_j does not see.
 *   deviation  of the jackknife over PARTS consecutive parts: a_j without each of them
 * Without a log of another load t is a sum of columns of Y, and s is rounding.
 * Sources: Gautier & Briot 2014; Efron & Tibshirani, An Introduction to the Bootstrap, 11 (jackknife). */
#include <math.h>

#include "lib/identify/loads.h"
#include "lib/identify/regression.h"
#include "lib/math/triangle.h"

enum { PARTS = 16, CHUNK = 64 };

/* Of t less than this share is left by Y: it is not told. */
static const double UNTOLD = 1e-4;

/* The triangles of a joint. */
struct gain_equations {
  size_t width; /* columns of Y, t, v */
  double *R;    /* PARTS x width^2 */
  double *rows; /* max(CHUNK, width) x width */
  double *sum;  /* width^2 */
  double *scratch;
};

struct finding {
  struct armdyn_regression *regression;
  const double *load; /* of the block, count x n */
  size_t n, part, pending;
  struct gain_equations joints[ARMDYN_JOINTS_MAX];
};

static bool finding_open(struct finding *f, const struct armdyn_unknowns *unknowns)
{
  f->n = unknowns->n;
  f->regression = armdyn_regression_new(unknowns);
  bool complete = f->regression;
  for (size_t j = 0; j < f->n && complete; j++) {
    struct gain_equations *e = &f->joints[j];
    const size_t width = e->width = f->regression->joints[j].count + 2;
    e->R = calloc(PARTS * width * width, sizeof *e->R);
    e->rows = malloc((width > CHUNK ? width : CHUNK) * width * sizeof *e->rows);
    e->sum = malloc(width * width * sizeof *e->sum);
    e->scratch = malloc(2 * width * sizeof *e->scratch);
    complete = e->R && e->rows && e->sum && e->scratch;
  }
  return complete;
}

static void finding_close(struct finding *f)
{
  for (size_t j = 0; j < f->n; j++) {
    free(f->joints[j].R);
    free(f->joints[j].rows);
    free(f->joints[j].sum);
    free(f->joints[j].scratch);
  }
  armdyn_regression_free(f->regression);
}

static void take_in(struct finding *f)
{
  for (size_t j = 0; j < f->n; j++) {
    struct gain_equations *e = &f->joints[j];
    triangle_update(e->width, e->R + f->part * e->width * e->width, f->pending, e->rows, e->scratch);
  }
  f->pending = 0;
}

static void take_sample(void *context, size_t k)
{
  struct finding *f = context;
  for (size_t j = 0; j < f->n; j++) {
    const struct gain_equations *e = &f->joints[j];
    const double *row = regression_row(f->regression, j);
    double *to = e->rows + f->pending * e->width;
    memcpy(to, row, (e->width - 2) * sizeof *to);
    to[e->width - 2] = f->load[k * f->n + j];
    to[e->width - 1] = row[e->width - 2];
  }
  if (++f->pending == CHUNK) take_in(f);
}

/* Every block belongs to a part by its first sample; long blocks are divided. */
static enum armdyn_status read_all(struct finding *f, struct armdyn_loads *loads, const struct armdyn_source *source,
                                   struct armdyn_error *error)
{
  struct armdyn_motion motion;
  enum armdyn_status status = ARMDYN_OK;
  size_t done = 0;
  for (size_t block = 0; block < source->blocks && !status; block++) {
    if ((status = source->read(source->context, block, &motion, error))) return status;
    double *load = malloc((motion.count * f->n + 1) * sizeof *load);
    if (!load) return ARMDYN_EMEMORY;
    armdyn_loads_torques(loads, motion.log, &motion, load);
    for (size_t first = 0, count; first < motion.count && !status; first += count, done += count) {
      f->part = done * PARTS / (source->samples > done ? source->samples : done + 1);
      const size_t end = ((f->part + 1) * source->samples + PARTS - 1) / PARTS, left = motion.count - first;
      count = end > done && end - done < left ? end - done : left;
      const struct armdyn_motion part = armdyn_motion_part(&motion, f->n, first, count);
      f->load = load + first * f->n;
      status = regression_walk(f->regression, &part, take_sample, f);
      take_in(f);
    }
    free(load);
  }
  return status;
}

/* a of all parts but one; PARTS: of all. NAN: not told. */
static double inverse_gain(struct gain_equations *e, size_t without)
{
  const size_t width = e->width;
  memset(e->sum, 0, width * width * sizeof *e->sum);
  for (size_t p = 0; p < PARTS; p++) {
    const double *R = e->R + p * width * width;
    if (p == without) continue;
    memset(e->rows, 0, width * width * sizeof *e->rows);
    for (size_t row = 0; row < width; row++)
      memcpy(e->rows + row * width + row, R + row * width + row, (width - row) * sizeof *R);
    triangle_update(width, e->sum, width, e->rows, e->scratch);
  }
  const size_t t = width - 2;
  double square = 0;
  for (size_t row = 0; row <= t; row++) square += e->sum[row * width + t] * e->sum[row * width + t];
  const double left = e->sum[t * width + t];
  return fabs(left) > UNTOLD * sqrt(square) ? e->sum[t * width + t + 1] / left : NAN;
}

static struct armdyn_drive_gain gain_of(struct gain_equations *e)
{
  const double whole = inverse_gain(e, PARTS);
  double sum = 0, square = 0;
  for (size_t p = 0; p < PARTS; p++) {
    const double a = inverse_gain(e, p);
    sum += a / PARTS;
    square += a * a / PARTS;
  }
  const double deviation = sqrt(fmax(square - sum * sum, 0) * (PARTS - 1));
  if (!(whole > 0) || !isfinite(deviation)) return (struct armdyn_drive_gain){ NAN, NAN };
  return (struct armdyn_drive_gain){ 1 / whole, deviation / (whole * whole) };
}

static bool loads_differ(const struct armdyn_loads *loads)
{
  for (size_t i = 1; i < loads->count; i++) {
    const struct armdyn_robot *a = loads->carrying[0] ? loads->carrying[0] : loads->model;
    const struct armdyn_robot *b = loads->carrying[i] ? loads->carrying[i] : loads->model;
    const struct armdyn_body *p = &armdyn_robot_description(a)->payload, *q = &armdyn_robot_description(b)->payload;
    if (p->mass != q->mass || memcmp(p->com, q->com, sizeof p->com) != 0) return true;
  }
  return false;
}

enum armdyn_status armdyn_find_drive_gains(const struct armdyn_unknowns *unknowns, struct armdyn_loads *loads,
                                           const struct armdyn_source *source, struct armdyn_drive_gain *gains,
                                           struct armdyn_error *error)
{
  if (!loads_differ(loads))
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "gains of drives need logs with different loads, of which the data sets say what they are");
  struct finding *f = calloc(1, sizeof *f);
  if (!f) return ARMDYN_EMEMORY;
  enum armdyn_status status = finding_open(f, unknowns) ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) status = read_all(f, loads, source, error);
  for (size_t j = 0; j < f->n && !status; j++) gains[j] = gain_of(&f->joints[j]);
  finding_close(f);
  free(f);
  return status;
}
