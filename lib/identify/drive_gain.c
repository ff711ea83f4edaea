/* Gains of drives from loads that are known.
 *   measured   v_jk = tau_jk / g_j, of joint j: the torque in the unit of what was assumed of its drive
 *   model      tau_j = Y_j beta + t_j, t_j what the load of the log adds: known
 *   unknowns   of each joint b_j = beta / g_j and a_j = 1 / g_j
 *   rows       Y_jk b_j + t_jk a_j = v_jk;  least squares, the noise of v on the right side alone
 *   solution   [R r z; 0 s y; 0 0 e] = triangle of [Y t v]: a_j = y / s, s the part of t that no b can be. Columns of Y that
 *              the motion does not tell apart leave pivots of rounding in R, which a_j does not see.
 *   deviation  of the jackknife over PARTS consecutive parts: a_j without each of them
 * Without a log of another load t is a sum of columns of Y, and s is rounding.
 * Of loads whose mass alone is known, the columns U of their other parameters follow t, and gain_by_mass.c solves what is left.
 * Sources: Gautier & Briot 2014; Efron & Tibshirani, An Introduction to the Bootstrap, 11 (jackknife). */
#include <math.h>

#include "lib/identify/gain_by_mass.h"
#include "lib/identify/loads.h"
#include "lib/identify/pseudo_inertia.h"
#include "lib/identify/regression.h"
#include "lib/math/triangle.h"

enum { PARTS = 16, CHUNK = 64 };

/* Of t less than this share is left by Y: it is not told. */
static const double UNTOLD = 1e-4;

/* The triangles of a joint. */
struct gain_equations {
  size_t width; /* columns of Y, t, U, v */
  double *R;    /* PARTS x width^2 */
  double *rows; /* max(CHUNK, width) x width */
  double *sum;  /* width^2 */
  double *scratch;
};

struct finding {
  struct armdyn_regression *regression;
  const double *load; /* of the part, count x n */
  size_t n, part, pending;
  size_t unknowns; /* columns of U: 9 of each kind of load; 0: loads are known */
  struct armdyn_loads *loads;
  struct armdyn_motion motion;                                   /* the part */
  double batch[PAYLOAD_BATCH * ARMDYN_JOINTS_MAX * PAYLOAD_TEN]; /* columns of a load, of samples of the part */
  struct gain_equations joints[ARMDYN_JOINTS_MAX];
};

static bool finding_open(struct finding *f, const struct armdyn_unknowns *unknowns, struct armdyn_loads *loads,
                         size_t unknowns_of_loads)
{
  f->n = unknowns->n;
  f->loads = loads;
  f->unknowns = unknowns_of_loads;
  f->regression = armdyn_regression_new(unknowns);
  bool complete = f->regression;
  for (size_t j = 0; j < f->n && complete; j++) {
    struct gain_equations *e = &f->joints[j];
    const size_t width = e->width = f->regression->joints[j].count + 2 + f->unknowns;
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

/* U of a sample: zeros but for the load of its log. */
static void fill_unknowns(struct finding *f, size_t k, size_t joint, double *to)
{
  const size_t kind = armdyn_loads_kind(f->loads, f->motion.log);
  const double *column = f->batch + ((k % PAYLOAD_BATCH) * f->n + joint) * PAYLOAD_TEN + 1;
  memset(to, 0, f->unknowns * sizeof *to);
  if (kind && f->unknowns) memcpy(to + LOAD_UNKNOWNS * (kind - 1), column, LOAD_UNKNOWNS * sizeof *to);
}

static void take_sample(void *context, size_t k)
{
  struct finding *f = context;
  const size_t left = f->motion.count - k;
  if (f->unknowns && k % PAYLOAD_BATCH == 0)
    payload_columns_fill(&f->loads->columns, &f->motion, k, left < PAYLOAD_BATCH ? left : PAYLOAD_BATCH, f->batch);
  for (size_t j = 0; j < f->n; j++) {
    const struct gain_equations *e = &f->joints[j];
    const double *row = regression_row(f->regression, j);
    const size_t arm = e->width - 2 - f->unknowns;
    double *to = e->rows + f->pending * e->width;
    memcpy(to, row, arm * sizeof *to);
    to[arm] = f->load[k * f->n + j];
    fill_unknowns(f, k, j, to + arm + 1);
    to[e->width - 1] = row[arm];
  }
  if (++f->pending == CHUNK) take_in(f);
}

/* Every block belongs to a part by its first sample; long blocks are divided. */
static enum armdyn_status read_all(struct finding *f, const struct armdyn_source *source, struct armdyn_error *error)
{
  struct armdyn_motion motion;
  enum armdyn_status status = ARMDYN_OK;
  size_t done = 0;
  for (size_t block = 0; block < source->blocks && !status; block++) {
    if ((status = source->read(source->context, block, &motion, error))) return status;
    double *load = malloc((motion.count * f->n + 1) * sizeof *load);
    if (!load) return ARMDYN_EMEMORY;
    armdyn_loads_torques(f->loads, motion.log, &motion, load);
    for (size_t first = 0, count; first < motion.count && !status; first += count, done += count) {
      f->part = done * PARTS / (source->samples > done ? source->samples : done + 1);
      const size_t end = ((f->part + 1) * source->samples + PARTS - 1) / PARTS, left = motion.count - first;
      count = end > done && end - done < left ? end - done : left;
      const struct armdyn_motion part = armdyn_motion_part(&motion, f->n, first, count);
      f->load = load + first * f->n;
      f->motion = part;
      status = regression_walk(f->regression, &part, take_sample, f);
      take_in(f);
    }
    free(load);
  }
  return status;
}

/* The triangle of all parts but one; PARTS: of all. */
static void add_up(struct gain_equations *e, size_t without)
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
}

/* a of known loads; NAN: not told. */
static double inverse_gain(struct gain_equations *e, size_t without)
{
  const size_t width = e->width, t = width - 2;
  double square = 0;
  add_up(e, without);
  for (size_t row = 0; row <= t; row++) square += e->sum[row * width + t] * e->sum[row * width + t];
  const double left = e->sum[t * width + t];
  return fabs(left) > UNTOLD * sqrt(square) ? e->sum[t * width + t + 1] / left : NAN;
}

/* Of the values that are found without each part. */
static double jackknife(const double *values)
{
  double sum = 0, square = 0;
  for (size_t p = 0; p < PARTS; p++) {
    sum += values[p] / PARTS;
    square += values[p] * values[p] / PARTS;
  }
  return sqrt(fmax(square - sum * sum, 0) * (PARTS - 1));
}

static struct armdyn_drive_gain gain_from(double inverse, double deviation)
{
  if (!(inverse > 0) || !isfinite(deviation)) return (struct armdyn_drive_gain){ NAN, NAN };
  return (struct armdyn_drive_gain){ 1 / inverse, deviation / (inverse * inverse) };
}

static struct armdyn_drive_gain gain_of(struct gain_equations *e)
{
  double parts[PARTS];
  for (size_t p = 0; p < PARTS; p++) parts[p] = inverse_gain(e, p);
  return gain_from(inverse_gain(e, PARTS), jackknife(parts));
}

static const struct armdyn_body *load_of(const struct armdyn_loads *loads, size_t log)
{
  const struct armdyn_robot *with = loads->carrying[log] ? loads->carrying[log] : loads->model;
  return &armdyn_robot_description(with)->payload;
}

static bool loads_differ(const struct armdyn_loads *loads, bool by_mass)
{
  for (size_t i = 1; i < loads->count; i++) {
    const struct armdyn_body *p = load_of(loads, 0), *q = load_of(loads, i);
    if (p->mass != q->mass || (!by_mass && memcmp(p->com, q->com, sizeof p->com) != 0)) return true;
  }
  return false;
}

/* Read all; then joints have their triangles.
 *   out  out  release with finding_free, refused or not */
static enum armdyn_status find(const struct armdyn_unknowns *unknowns, struct armdyn_loads *loads,
                               const struct armdyn_source *source, size_t unknowns_of_loads, struct finding **out,
                               struct armdyn_error *error)
{
  struct finding *f = *out = calloc(1, sizeof *f);
  if (!f) return ARMDYN_EMEMORY;
  const enum armdyn_status status = finding_open(f, unknowns, loads, unknowns_of_loads) ? ARMDYN_OK : ARMDYN_EMEMORY;
  return status ? status : read_all(f, source, error);
}

static void finding_free(struct finding *f)
{
  if (f) finding_close(f);
  free(f);
}

enum armdyn_status armdyn_find_drive_gains(const struct armdyn_unknowns *unknowns, struct armdyn_loads *loads,
                                           const struct armdyn_source *source, struct armdyn_drive_gain *gains,
                                           struct armdyn_error *error)
{
  struct finding *f;
  if (!loads_differ(loads, false))
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "gains of drives need logs with different loads, of which the data sets say what they are");
  const enum armdyn_status status = find(unknowns, loads, source, 0, &f, error);
  for (size_t j = 0; j < loads->n && !status; j++) gains[j] = gain_of(&f->joints[j]);
  finding_free(f);
  return status;
}

/* -- of loads that were weighed -- */

static enum armdyn_status solve(struct finding *f, size_t without, struct gain_solution *solution)
{
  struct gain_problem problem = { .n = f->n, .unknowns = f->unknowns };
  for (size_t j = 0; j < f->n; j++) {
    struct gain_equations *e = &f->joints[j];
    add_up(e, without);
    problem.stride[j] = e->width;
    problem.rows[j] = e->sum + (e->width - 2 - f->unknowns) * (e->width + 1);
  }
  return gain_by_mass(&problem, solution);
}

static void tell_load(const struct armdyn_loads *loads, size_t kind, const struct gain_solution *solutions,
                      struct armdyn_weighed_load *out)
{
  const struct gain_solution *whole = &solutions[PARTS];
  double stated[PAYLOAD_TEN], parts[PARTS];
  size_t log = 0;
  while (loads->kind[log] != kind) log++;
  const struct armdyn_body *load = load_of(loads, log);
  parameters_of_body(load, stated);
  *out = (struct armdyn_weighed_load){ .parameters = { load->mass } };
  for (size_t c = 0; c < LOAD_UNKNOWNS; c++) {
    const size_t at = LOAD_UNKNOWNS * (kind - 1) + c;
    for (size_t p = 0; p < PARTS; p++) parts[p] = solutions[p].more[at];
    out->parameters[1 + c] = stated[1 + c] + (whole->told_more[at] ? whole->more[at] : 0);
    out->deviation[1 + c] = whole->told_more[at] ? jackknife(parts) : NAN;
  }
}

static void tell_gains(const struct finding *f, const struct gain_solution *solutions, struct armdyn_drive_gain *gains)
{
  const struct gain_solution *whole = &solutions[PARTS];
  double parts[PARTS];
  for (size_t j = 0; j < f->n; j++) {
    for (size_t p = 0; p < PARTS; p++) parts[p] = solutions[p].inverse[j];
    gains[j] = gain_from(whole->told[j] ? whole->inverse[j] : NAN, jackknife(parts));
  }
}

enum armdyn_status armdyn_find_drive_gains_by_mass(const struct armdyn_unknowns *unknowns, struct armdyn_loads *loads,
                                                   const struct armdyn_source *source, struct armdyn_drive_gain *gains,
                                                   struct armdyn_weighed_load *weighed, size_t *kinds,
                                                   struct armdyn_error *error)
{
  struct gain_solution solutions[PARTS + 1];
  struct finding *f;
  if (!loads_differ(loads, true))
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "gains of drives need logs with loads of different mass, which the data sets say");
  if (loads->kinds > ARMDYN_LOAD_KINDS_MOST)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "by their mass at most %d loads are found at once, got %zu",
                         ARMDYN_LOAD_KINDS_MOST, loads->kinds);
  enum armdyn_status status = find(unknowns, loads, source, LOAD_UNKNOWNS * loads->kinds, &f, error);
  for (size_t p = 0; p <= PARTS && !status; p++) status = solve(f, p, &solutions[p]);
  if (!status) {
    tell_gains(f, solutions, gains);
    for (size_t kind = 1; kind <= loads->kinds; kind++) {
      tell_load(loads, kind, solutions, &weighed[kind - 1]);
      memcpy(loads->more + PAYLOAD_TEN * (kind - 1) + 1, solutions[PARTS].more + LOAD_UNKNOWNS * (kind - 1),
             LOAD_UNKNOWNS * sizeof *loads->more);
    }
    loads->known_by_mass = true;
    *kinds = loads->kinds;
  }
  finding_free(f);
  return status;
}
