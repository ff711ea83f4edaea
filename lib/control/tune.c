#include "armdyn/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/terms.h"
#include "lib/math/linear.h"
#include "lib/math/pattern.h"

enum { N = ARMDYN_JOINTS_MAX, UNKNOWNS = N + 2, DIRECTIONS = UNKNOWNS + 5, HALVINGS = 9, BACK_STEPS = 12 };
static const double STRIDE = 0.25;             /* of the logarithm of bandwidths, until margins hold */
static const double NARROWEST = 1e-4;          /* of the widest bandwidth: below it no margins are looked for */
static const double STEP = 0.32, LEAST = 0.02; /* of logarithms, in the search */
static const double BACK = 0.5;    /* of the logarithm of a bandwidth, where the widest does not follow at all */
static const double BEYOND = 0.02; /* likewise: where it is looked what limits */
static const double PI = 3.14159265358979323846;

/* Logarithms of the unknowns. */
struct shape {
  double wide[N], damping, integral;
};

struct search {
  const struct armdyn_tuning *tuning;
  struct armdyn_tuned *tuned;
  size_t n;
  bool has_integral;
  double m[N];         /* M_jj at q */
  double effective[6]; /* 1 / (J M^-1 J')_ii; 0: the tool cannot move so */
  size_t worst;        /* the place that broke a margin last */
};

/* ---- gains of a shape: one function for each family of laws */

typedef void shaped_gains(const struct search *s, const double *w, const struct shape *shape,
                          struct armdyn_gains *gains);

static void pid_gains(const struct search *s, const double *w, const struct shape *shape, struct armdyn_gains *gains)
{
  const double z = exp(shape->damping), r = s->has_integral ? exp(shape->integral) : 0;
  for (size_t j = 0; j < s->n; j++) {
    gains->kp[j] = s->m[j] * w[j] * w[j] * (1 + 2 * z * r);
    gains->ki[j] = s->m[j] * r * w[j] * w[j] * w[j];
    gains->kd[j] = s->m[j] * w[j] * (2 * z + r);
  }
}

static void acceleration_gains(const struct search *s, const double *w, const struct shape *shape,
                               struct armdyn_gains *gains)
{
  for (size_t j = 0; j < s->n; j++) gains->kp[j] = w[j] * w[j], gains->kd[j] = 2 * exp(shape->damping) * w[j];
}

static void impedance_gains(const struct search *s, const double *w, const struct shape *shape,
                            struct armdyn_gains *gains)
{
  for (size_t j = 0; j < s->n; j++) gains->kd[j] = s->m[j] * w[j];
  for (size_t i = 0; i < 6; i++) {
    gains->stiffness[i] = s->tuning->stiffness[i];
    gains->damping[i] = 2 * exp(shape->damping) * sqrt(gains->stiffness[i] * s->effective[i]);
  }
}

static shaped_gains *const families[ARMDYN_LAWS] = {
  [ARMDYN_LAW_PID] = pid_gains,
  [ARMDYN_LAW_PID_GRAVITY] = pid_gains,
  [ARMDYN_LAW_PID_FRICTION] = pid_gains,
  [ARMDYN_LAW_FEEDFORWARD] = pid_gains,
  [ARMDYN_LAW_COMPUTED_TORQUE] = acceleration_gains,
  [ARMDYN_LAW_IMPEDANCE] = impedance_gains,
};

bool armdyn_law_tunable(enum armdyn_law law)
{
  return families[law] != NULL;
}

static void make_gains(const struct search *s, const struct shape *shape, double wide, struct armdyn_gains *gains)
{
  double w[N];
  for (size_t j = 0; j < s->n; j++) w[j] = exp(wide + shape->wide[j]);
  *gains = (struct armdyn_gains){ 0 };
  families[s->tuning->law](s, w, shape, gains);
}

/* M_jj, and the inertia of the tool along and about each axis: 1 / (J M^-1 J')_ii. */
static enum armdyn_status take_inertia(struct search *s)
{
  const size_t n = s->n;
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  double *M = malloc((n * n + 6 * n) * sizeof *M);
  enum armdyn_status status = workspace && M ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (status) goto out;
  double *J = M + n * n;
  armdyn_mass_matrix(s->tuning->model, s->tuning->q, workspace, M);
  armdyn_jacobian(s->tuning->model, s->tuning->q, ARMDYN_JACOBIAN_BASE, workspace, J);
  for (size_t j = 0; j < n; j++) s->m[j] = M[j * (n + 1)];
  if (!cholesky_factor(n, M)) status = ARMDYN_ESINGULAR;
  for (size_t i = 0; i < 6 && !status; i++) {
    double row[N], mobility = 0;
    memcpy(row, J + i * n, n * sizeof *row);
    cholesky_solve(n, M, row);
    for (size_t j = 0; j < n; j++) mobility += row[j] * J[i * n + j];
    s->effective[i] = mobility > 0 ? 1 / mobility : 0;
  }
out:
  armdyn_workspace_free(workspace);
  free(M);
  return status;
}

/* ---- margins */

/* What of a joint's margin does not hold; ARMDYN_TUNING_LIMITS: all does. */
static enum armdyn_tuning_limit broken(const struct armdyn_loop_margin *margin,
                                       const struct armdyn_margin_limits *least)
{
  if (margin->gain < least->gain || margin->gain_least * least->gain > 1) return ARMDYN_LIMITED_BY_GAIN;
  if (margin->phase < least->phase) return ARMDYN_LIMITED_BY_PHASE;
  if (margin->delay < least->delay) return ARMDYN_LIMITED_BY_DELAY;
  return margin->sensitivity > least->sensitivity ? ARMDYN_LIMITED_BY_SENSITIVITY : ARMDYN_TUNING_LIMITS;
}

struct armdyn_gains armdyn_tuning_gains_at(const struct armdyn_tuning *tuning, size_t place,
                                           const struct armdyn_gains *gains)
{
  const size_t n = armdyn_robot_joint_count(tuning->model);
  struct armdyn_gains there = *gains;
  for (size_t j = 0; j < n && tuning->ratios; j++) {
    const double ratio = tuning->ratios[place * n + j];
    there.kp[j] *= ratio, there.ki[j] *= ratio, there.kd[j] *= ratio;
  }
  return there;
}

/* Do margins hold everywhere? The place that broke them last is asked first. */
static bool allowed(struct search *s, const struct shape *shape, double wide)
{
  const struct armdyn_tuning *tuning = s->tuning;
  struct armdyn_loop_margin margins[N];
  struct armdyn_gains gains, there;
  size_t unstable;
  make_gains(s, shape, wide, &gains);
  for (size_t k = 0, first = s->worst; k < tuning->place_count; k++) {
    const size_t place = (first + k) % tuning->place_count;
    enum armdyn_tuning_limit limit = ARMDYN_LIMITED_BY_STABILITY;
    s->tuned->checks++, s->tuned->joint = 0;
    there = armdyn_tuning_gains_at(tuning, place, &gains);
    if (armdyn_linear_loop_margins(tuning->places[place], &there, margins, &unstable, NULL)) return false;
    for (size_t j = 0; j < s->n && !unstable; j++) {
      s->tuned->joint = j;
      limit = broken(&margins[j], &tuning->margins);
      if (limit != ARMDYN_TUNING_LIMITS) break;
    }
    if (limit == ARMDYN_TUNING_LIMITS) continue;
    s->worst = s->tuned->place = place, s->tuned->limited_by = limit;
    return false;
  }
  return true;
}

/* The logarithm, at most 0, of the factor that makes every bandwidth of a shape narrower until the margins hold; NAN: none
 * does. */
static double narrowing(struct search *s, const struct shape *shape)
{
  const double least = log(NARROWEST);
  double high = 0, low = -STRIDE;
  if (allowed(s, shape, 0)) return 0;
  for (; low > least && !allowed(s, shape, low); low -= STRIDE) high = low;
  if (low <= least) return NAN;
  for (int k = 0; k < HALVINGS; k++) {
    const double middle = (low + high) / 2;
    *(allowed(s, shape, middle) ? &low : &high) = middle;
  }
  return low;
}

/* ---- the search: x = [bandwidths; damping; integral] */

static size_t read_shape(const struct search *s, const double *x, struct shape *shape)
{
  memcpy(shape->wide, x, s->n * sizeof *x);
  shape->damping = x[s->n];
  shape->integral = s->has_integral ? x[s->n + 1] : 0;
  return s->n + 1 + s->has_integral;
}

static bool within(const struct search *s, const struct shape *shape)
{
  const double most = log(2 * PI * s->tuning->bandwidth_max);
  for (size_t j = 0; j < s->n; j++)
    if (!(shape->wide[j] <= most && shape->wide[j] >= most + log(NARROWEST))) return false;
  return fabs(shape->damping) <= log(4) && shape->integral <= log(3) && shape->integral >= log(0.01);
}

/* Of x once it is narrow enough for the margins. */
static double value_of(void *context, double *x)
{
  struct search *s = context;
  struct shape shape;
  struct armdyn_gains gains;
  read_shape(s, x, &shape);
  if (!within(s, &shape)) return INFINITY;
  const double narrower = narrowing(s, &shape);
  if (isnan(narrower)) return INFINITY;
  for (size_t j = 0; j < s->n; j++) x[j] += narrower;
  read_shape(s, x, &shape);
  make_gains(s, &shape, 0, &gains);
  const double cost = s->tuning->cost(s->tuning->cost_context, &gains);
  return isnan(cost) ? INFINITY : cost;
}

static void tell(struct search *s, const double *x)
{
  struct armdyn_tuned *tuned = s->tuned;
  const double most = log(2 * PI * s->tuning->bandwidth_max);
  bool at_most = false;
  struct shape shape;
  read_shape(s, x, &shape);
  make_gains(s, &shape, 0, &tuned->gains);
  for (size_t j = 0; j < s->n; j++) {
    tuned->bandwidth[j] = exp(shape.wide[j]) / (2 * PI);
    at_most |= shape.wide[j] > most - BEYOND;
  }
  tuned->damping = exp(shape.damping), tuned->integral = s->has_integral ? exp(shape.integral) : 0;
  if (allowed(s, &shape, BEYOND)) tuned->limited_by = at_most ? ARMDYN_LIMITED_BY_BANDWIDTH : ARMDYN_LIMITED_BY_COST;
}

/* From all joints alike, as wide as the margins let them be, and from narrower where that has no finite cost. */
static enum armdyn_status begin(struct search *s, double *x, double *value, struct armdyn_error *error)
{
  struct shape shape;
  for (size_t j = 0; j < s->n; j++) x[j] = log(2 * PI * s->tuning->bandwidth_max);
  read_shape(s, x, &shape);
  const double narrower = narrowing(s, &shape);
  if (isnan(narrower))
    return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/margins",
                         "no bandwidth from %.3g to %.3g Hz has these margins with all joints alike",
                         NARROWEST * s->tuning->bandwidth_max, s->tuning->bandwidth_max);
  for (size_t j = 0; j < s->n; j++) x[j] += narrower;
  for (int k = 0; k < BACK_STEPS; k++) {
    s->tuned->evaluations++;
    *value = s->tuned->first_cost = value_of(s, x);
    if (*value < INFINITY) return ARMDYN_OK;
    for (size_t j = 0; j < s->n; j++) x[j] -= BACK;
  }
  return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "", "no gains that keep the margins follow the references");
}

/* Each unknown alone; all bandwidths together, which a margin takes back; and those against damping and integral, which goes
 * along the edge of a margin, or, as ki = m r w^3 does, along the same integral. Answers how many, of p unknowns each. */
static size_t lay_directions(const struct search *s, size_t p, double out[DIRECTIONS * UNKNOWNS])
{
  size_t count = 0;
  memset(out, 0, DIRECTIONS * UNKNOWNS * sizeof *out);
  for (; count < p; count++) out[count * p + count] = 1;
  for (size_t shape = s->n - 1; shape < p; shape++)
    for (int side = -1; side <= 1; side += 2) {
      double *row = out + count * p;
      if (shape + 1 == s->n && side > 0) continue; /* no shape: all together */
      if (shape + 1 > s->n) row[shape] = side;
      for (size_t j = 0; j < s->n; j++) row[j] = shape == s->n + 1 ? 1.0 / 3 : 1;
      count++;
    }
  return count;
}

enum armdyn_status armdyn_tune(const struct armdyn_tuning *tuning, struct armdyn_tuned *tuned,
                               struct armdyn_error *error)
{
  double x[UNKNOWNS] = { 0 }, trial[UNKNOWNS], before[UNKNOWNS], directions[DIRECTIONS * UNKNOWNS], value;
  struct shape shape;
  *tuned = (struct armdyn_tuned){ 0 };
  if (!armdyn_law_tunable(tuning->law))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/law", "no gains of this law can be found");
  struct search s = { .tuning = tuning, .tuned = tuned, .n = armdyn_robot_joint_count(tuning->model) };
  s.has_integral = tuning->integral && armdyn_law_gains(tuning->law) & ARMDYN_GAIN_KI;
  enum armdyn_status status = take_inertia(&s);
  if (status) return armdyn_refuse(error, status, "/q", "the mass matrix has no inverse here");
  if ((status = begin(&s, x, &value, error))) return status;
  const size_t p = read_shape(&s, x, &shape);
  const struct pattern pattern = { .p = p,
                                   .directions = directions,
                                   .count = lay_directions(&s, p, directions),
                                   .value = value_of,
                                   .context = &s,
                                   .step = STEP,
                                   .least = LEAST,
                                   .evaluations = tuning->evaluations,
                                   .trial = trial,
                                   .before = before };
  tuned->evaluations += pattern_minimise(&pattern, x, &value);
  tuned->cost = value;
  tell(&s, x);
  return ARMDYN_OK;
}
