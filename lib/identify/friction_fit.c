/* Friction from runs at constant speed: means of torque over speed, and the terms that they support. */
#include <math.h>

#include "lib/identify/ripple.h"
#include "lib/math/triangle.h"
#include "lib/model/friction.h"
#include "lib/model/gears.h"

enum { N = ARMDYN_JOINTS_MAX, COLUMNS = 6, FOLDS = 5, RUNS_LEAST = 8, SPEEDS_TRIED = 60, GOLDEN_STEPS = 40 };
static const double GAIN = 0.99; /* a term must bring the held-out error down to this part of itself */

/* The curve of one joint: torque = offset + coulomb s + viscous v [+ high_speed v^2 s] [+ rise exp(-(|v|/vs)^2) s]. */
struct curve {
  size_t count;
  const struct armdyn_speed_point *points; /* by size of speed */
  double velocity_scale;
  bool stribeck, high_speed;
  double vs;
  double x[COLUMNS]; /* of the columns that there are */
};

static size_t columns_of(const struct curve *c)
{
  return 3 + (size_t)c->high_speed + (size_t)c->stribeck;
}

static void row_at(const struct curve *c, double v, double *row)
{
  const double s = tanh(v / c->velocity_scale), ratio = v / c->vs;
  row[0] = 1;
  row[1] = s;
  row[2] = v;
  if (c->high_speed) row[3] = v * v * s;
  if (c->stribeck) row[3 + c->high_speed] = exp(-ratio * ratio) * s;
}

static double torque_at(const struct curve *c, double v)
{
  double row[COLUMNS], sum = 0;
  row_at(c, v, row);
  for (size_t k = 0; k < columns_of(c); k++) sum += row[k] * c->x[k];
  return sum;
}

/* Speeds are left out in turn, each in both directions. */
static bool is_held_out(size_t index, size_t fold)
{
  return index / 2 % FOLDS == fold;
}

/* Least squares over all points but those of a fold (FOLDS: over all). Sum of squares of what is left; INFINITY where the
 * points do not tell the columns apart.
 *   R  out  (columns + 1)^2; NULL = not wanted */
static double solve(struct curve *c, size_t fold, double *R)
{
  double own[(COLUMNS + 1) * (COLUMNS + 1)] = { 0 }, scratch[2 * (COLUMNS + 1)];
  const size_t columns = columns_of(c), width = columns + 1;
  if (R) memset(R, 0, width * width * sizeof *R);
  double *T = R ? R : own;
  for (size_t k = 0; k < c->count; k++) {
    double row[COLUMNS + 1];
    if (is_held_out(k, fold)) continue;
    row_at(c, c->points[k].speed, row);
    row[columns] = c->points[k].torque;
    triangle_update(width, T, 1, row, scratch);
  }
  for (size_t k = 0; k < columns; k++) {
    double length = 0;
    for (size_t i = 0; i <= k; i++) length += T[i * width + k] * T[i * width + k];
    if (!(fabs(T[k * width + k]) > 1e-7 * sqrt(length))) return INFINITY;
    c->x[k] = T[k * width + columns];
  }
  triangle_solve(columns, T, width, c->x, c->x);
  return T[columns * width + columns] * T[columns * width + columns];
}

/* What is left with this Stribeck velocity; stiction below Coulomb's is none. */
static double try_velocity(struct curve *c, size_t fold, double vs)
{
  c->vs = vs;
  const double left = solve(c, fold, NULL);
  return c->x[3 + c->high_speed] > 0 ? left : INFINITY;
}

/* The best velocity, by a search in one dimension from the slowest to half of the fastest speed. */
static double fit(struct curve *c, size_t fold)
{
  static const double golden = 0.6180339887498949;
  if (!c->stribeck) return solve(c, fold, NULL);
  const double least = fabs(c->points[0].speed), most = fabs(c->points[c->count - 1].speed) / 2;
  const double factor = pow(most / least, 1.0 / (SPEEDS_TRIED - 1));
  double best = least, lowest = INFINITY;
  for (int k = 0; k < SPEEDS_TRIED; k++) {
    const double vs = least * pow(factor, k), left = try_velocity(c, fold, vs);
    if (!(left < lowest)) continue;
    lowest = left;
    best = vs;
  }
  double low = log(best / factor), high = log(best * factor);
  for (int k = 0; k < GOLDEN_STEPS && isfinite(lowest); k++) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    if (try_velocity(c, fold, exp(a)) < try_velocity(c, fold, exp(b))) {
      high = b;
    } else {
      low = a;
    }
  }
  return try_velocity(c, fold, isfinite(lowest) ? exp((low + high) / 2) : best);
}

/* rms error on runs that the fit has not seen. */
static double held_out(struct curve *c)
{
  double sum = 0;
  for (size_t fold = 0; fold < FOLDS; fold++) {
    if (!isfinite(fit(c, fold))) return INFINITY;
    for (size_t k = 0; k < c->count; k++) {
      if (!is_held_out(k, fold)) continue;
      const double left = c->points[k].torque - torque_at(c, c->points[k].speed);
      sum += left * left;
    }
  }
  return sqrt(sum / (double)c->count);
}

/* Deviations of the linear terms and, after them, of the Stribeck velocity: roots of the diagonal of square (J'J)^-1. */
static void deviations_of(const struct curve *c, double square, double deviation[COLUMNS])
{
  double R[COLUMNS * COLUMNS] = { 0 }, scratch[2 * COLUMNS];
  const size_t linear = columns_of(c), columns = linear + (size_t)c->stribeck;
  for (size_t k = 0; k < c->count; k++) {
    double row[COLUMNS];
    const double v = c->points[k].speed, ratio = v / c->vs;
    row_at(c, v, row);
    if (c->stribeck) row[linear] = c->x[linear - 1] * row[linear - 1] * 2 * ratio * ratio / c->vs;
    triangle_update(columns, R, 1, row, scratch);
  }
  for (size_t k = 0; k < columns; k++) {
    double e[COLUMNS] = { 0 }, sum = 0;
    e[k] = 1;
    triangle_solve_transposed(columns, R, columns, e, e);
    for (size_t i = 0; i < columns; i++) sum += e[i] * e[i];
    deviation[k] = sqrt(square * sum);
  }
}

/* Mean square of what is left, with the parameters taken off the count. */
static double square_of(const struct curve *c, double left)
{
  return left / (double)(c->count - columns_of(c) - (size_t)c->stribeck);
}

/* Is a term's coefficient more than twice its deviation? */
static bool is_significant(struct curve *c, enum armdyn_friction_term term)
{
  const double left = fit(c, FOLDS);
  const size_t column = term == ARMDYN_FRICTION_HIGH_SPEED ? 3 : columns_of(c) - 1;
  double deviation[COLUMNS];
  if (!isfinite(left)) return false;
  deviations_of(c, square_of(c, left), deviation);
  return fabs(c->x[column]) > 2 * deviation[column];
}

/* Add the term that lowers the held-out error most, as long as one does that is more than noise. */
static void choose_terms(struct curve *c, struct armdyn_joint_friction *found)
{
  static const enum armdyn_friction_term terms[] = { ARMDYN_FRICTION_STRIBECK, ARMDYN_FRICTION_HIGH_SPEED };
  bool *const term[] = { &c->stribeck, &c->high_speed };
  double without = held_out(c);
  for (int round = 0; round < 2; round++) {
    int best = -1;
    double least = GAIN * without;
    for (int k = 0; k < 2; k++) {
      if (*term[k]) continue;
      *term[k] = true;
      const double with = held_out(c);
      const bool significant = is_significant(c, terms[k]);
      *term[k] = false;
      found->trials[found->trial_count++] = (struct armdyn_extra_trial){ terms[k], 0, without, with, false };
      if (!(with < least) || !significant) continue;
      least = with;
      best = k;
    }
    if (best < 0) break;
    *term[best] = true;
    without = least;
    for (size_t t = found->trial_count; t-- > 0;) {
      if (found->trials[t].term != terms[best]) continue;
      found->trials[t].kept = true;
      break;
    }
  }
  found->held_out = without;
}

static void take_curve(struct curve *c, struct armdyn_joint_friction *found)
{
  struct armdyn_friction *f = &found->friction;
  struct armdyn_friction *deviation = &found->deviation;
  const double left = fit(c, FOLDS);
  double d[COLUMNS];
  deviations_of(c, square_of(c, left), d);
  f->offset = c->x[0];
  f->coulomb = (struct armdyn_directed){ c->x[1], c->x[1] };
  f->viscous = (struct armdyn_directed){ c->x[2], c->x[2] };
  f->high_speed = c->high_speed ? c->x[3] : 0;
  f->stiction = c->stribeck ? c->x[1] + c->x[3 + c->high_speed] : NAN;
  f->stribeck_velocity = c->stribeck ? c->vs : NAN;
  f->stribeck_exponent = 2;
  found->error = sqrt(left / (double)c->count);
  deviation->offset = d[0];
  deviation->coulomb = (struct armdyn_directed){ d[1], d[1] };
  deviation->viscous = (struct armdyn_directed){ d[2], d[2] };
  deviation->high_speed = c->high_speed ? d[3] : 0;
  deviation->stiction = c->stribeck ? hypot(d[1], d[columns_of(c) - 1]) : 0; /* their covariance neglected */
  deviation->stribeck_velocity = c->stribeck ? d[columns_of(c)] : 0;
  for (size_t k = 0; k < found->point_count; k++) {
    found->points[k].fitted = torque_at(c, found->points[k].speed);
  }
}

static int by_size(const void *a, const void *b)
{
  const struct armdyn_speed_point *x = a, *y = b;
  const double p = fabs(x->speed), q = fabs(y->speed);
  return (p > q) - (p < q);
}

static int by_speed(const void *a, const void *b)
{
  const struct armdyn_speed_point *x = a, *y = b;
  return (x->speed > y->speed) - (x->speed < y->speed);
}

/* Enough of them, and in both directions? */
static bool is_enough(const struct armdyn_joint_friction *found)
{
  size_t forward = 0;
  for (size_t k = 0; k < found->point_count; k++) forward += found->points[k].speed > 0;
  return found->point_count >= RUNS_LEAST && forward >= 3 && found->point_count - forward >= 3;
}

static enum armdyn_status fit_joint(const struct armdyn_joint *joint, const struct joint_runs *runs,
                                    struct armdyn_joint_friction *found)
{
  found->friction.stiction = found->friction.stribeck_velocity = NAN;
  found->friction.stribeck_exponent = 2;
  found->points = calloc(runs->count + 1, sizeof *found->points);
  if (!found->points) return ARMDYN_EMEMORY;
  found->point_count = runs->count;
  for (size_t k = 0; k < runs->count; k++) {
    found->points[k] =
        (struct armdyn_speed_point){ runs->list[k].speed, runs->list[k].torque, NAN, runs->list[k].seconds };
  }
  if (is_enough(found)) {
    const enum armdyn_status status = ripples_find(joint, &runs->profile, found);
    if (status) return status;
    for (size_t k = 0; k < runs->count; k++) {
      found->points[k].torque -= ripples_mean(&found->friction, &runs->list[k]);
    }
    struct curve curve = {
      .count = found->point_count, .points = found->points, .velocity_scale = joint->velocity_scale, .vs = 1
    };
    qsort(found->points, found->point_count, sizeof *found->points, by_size);
    choose_terms(&curve, found);
    if ((found->found = isfinite(found->held_out))) take_curve(&curve, found);
  }
  qsort(found->points, found->point_count, sizeof *found->points, by_speed);
  return ARMDYN_OK;
}

static enum armdyn_status find_runs(struct run_finder *finder, const struct armdyn_source *source,
                                    bool (*cancelled)(void *context), void *context, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t k = 0; k < source->blocks && !status; k++) {
      struct armdyn_motion motion;
      if (cancelled && cancelled(context)) return ARMDYN_ECANCELLED;
      if ((status = source->read(source->context, k, &motion, error))) return status;
      if (pass == 0) {
        run_finder_look(finder, &motion);
      } else {
        status = run_finder_add(finder, &motion);
      }
    }
  }
  return status ? status : run_finder_end(finder);
}

enum armdyn_status armdyn_friction_fit(const struct armdyn_robot *robot, const struct armdyn_source *source,
                                       struct armdyn_joint_friction *joints, bool (*cancelled)(void *context),
                                       void *context, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  enum armdyn_status known = load_friction_refuse(robot, "a friction test", error);
  if (!known) known = gear_friction_refuse(robot, "a friction test", error);
  if (known) return known;
  struct run_finder *finder = run_finder_new(robot);
  size_t fitted = 0, most = 0;
  memset(joints, 0, n * sizeof *joints);
  enum armdyn_status status = finder ? find_runs(finder, source, cancelled, context, error) : ARMDYN_EMEMORY;
  for (size_t j = 0; j < n && !status; j++) {
    status = fit_joint(&armdyn_robot_description(robot)->joints[j], run_finder_joint(finder, j), &joints[j]);
    fitted += joints[j].found;
    most = joints[j].point_count > most ? joints[j].point_count : most;
  }
  if (!status && !fitted) {
    status =
        armdyn_refuse(error, ARMDYN_EINPUT, "/datasets",
                      "no joint has %d runs at constant speed, three in each direction, while all others rest; the "
                      "most that any has is %zu. POST a friction test and log it",
                      RUNS_LEAST, most);
  }
  run_finder_free(finder);
  if (status) armdyn_joint_friction_free(n, joints);
  return status;
}

void armdyn_joint_friction_free(size_t n, struct armdyn_joint_friction *joints)
{
  for (size_t j = 0; j < n; j++) {
    free(joints[j].points);
    joints[j].points = NULL;
  }
}
