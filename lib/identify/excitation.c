/* Excitation: what is asked, the two searches, and the last word of the dense check. */
#include <math.h>

#include "lib/base/random.h"
#include "lib/identify/design.h"
#include "lib/identify/genetic.h"
#include "lib/identify/polish.h"
#include "lib/trajectory/check.h"
#include "lib/trajectory/request.h"

enum { N = ARMDYN_JOINTS_MAX };
enum { POINTS_LEAST = 200, POINTS_A_TURN = 8, FINER = 4, POLISH_ROUNDS = 5, BISECTIONS = 30, GOLDEN_STEPS = 40 };
static const double TURNS_MOST = 500, POLISH_STEP = 0.1;
static const double CONDITION_MOST = 1e7; /* what the sums of squares can still tell from infinite */
/* What exceeds a limit costs so many times the criterion, or for D-optimality so many of its units a parameter. */
static const double PENALTY = 10;

struct search {
  struct design design;
  const struct armdyn_excitation_request *request;
  uint64_t random;
  enum armdyn_go (*go)(void *context, const struct armdyn_excitation_progress *progress);
  void *context;
  bool polishing, cancelled, finished;
  double work_before, work_of_round, work; /* evaluations, of all */
};

/* -- what is asked -- */

static enum armdyn_status limits_of(const struct armdyn_robot *robot, const struct armdyn_excitation_request *request,
                                    struct armdyn_limits *limits, struct armdyn_error *error)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(robot);
  for (size_t j = 0; j < d->joint_count; j++) {
    limits[j] = request->limits ? request->limits[j] : d->joints[j].limits;
    const enum armdyn_status rc = limits_check(&limits[j], j, error);
    if (rc) return rc;
    if (!isfinite(limits[j].position[0]) || !isfinite(limits[j].position[1])) {
      return armdyn_refuse(error, ARMDYN_EINPUT, "/limits/position",
                           "joint %s needs both position limits: an excitation uses all the room there is",
                           d->joints[j].name);
    }
    if (!isfinite(limits[j].velocity)) {
      return armdyn_refuse(error, ARMDYN_EINPUT, "/limits/velocity", "joint %s needs a velocity limit",
                           d->joints[j].name);
    }
  }
  return ARMDYN_OK;
}

static enum armdyn_status request_check_numbers(const struct armdyn_excitation_request *r, struct armdyn_error *error)
{
  if (!(r->duration >= 0.1 && r->duration <= 1000)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "must be >= 0.1 and <= 1000 s, got %g", r->duration);
  }
  if (r->harmonics < 1 || r->harmonics > ARMDYN_HARMONICS_MAX) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/harmonics", "must be 1 .. %d, got %zu", ARMDYN_HARMONICS_MAX,
                         r->harmonics);
  }
  const double turns = r->base_frequency * (double)r->harmonics * r->duration;
  if (!(r->base_frequency > 0 && turns <= TURNS_MOST)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/base_frequency_hz",
                         "must be > 0, and the highest harmonic have at most %g periods: %zu x %g Hz in %g s",
                         TURNS_MOST, r->harmonics, r->base_frequency, r->duration);
  }
  if (!(r->lambda >= 0 && isfinite(r->lambda))) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/lambda", "must be >= 0, got %g", r->lambda);
  }
  if (r->population < 4 || r->population > 1000) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/population", "must be 4 .. 1000, got %zu", r->population);
  }
  if (r->generations < 1 || r->generations > 10000) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/generations", "must be 1 .. 10000, got %zu", r->generations);
  }
  for (size_t k = 0; k < 3 && r->tool_box; k++) {
    if (r->tool_box[k] < r->tool_box[3 + k] && isfinite(r->tool_box[3 + k] - r->tool_box[k])) continue;
    return armdyn_refuse(error, ARMDYN_EINPUT, "/tool_box", "must be least < most in every axis, got %g and %g m",
                         r->tool_box[k], r->tool_box[3 + k]);
  }
  return ARMDYN_OK;
}

static size_t grid_of(const struct armdyn_excitation_request *r)
{
  const double turns = r->base_frequency * (double)r->harmonics * r->duration;
  return (size_t)fmax(POINTS_LEAST, ceil(POINTS_A_TURN * turns));
}

/* -- searching -- */

static double cost(void *context, double *x)
{
  struct search *s = context;
  struct worth worth;
  design_evaluate(&s->design, x, &worth);
  const double unit = s->design.criterion == ARMDYN_CONDITION ? worth.criterion : (double)s->design.b;
  return worth.criterion + PENALTY * unit * worth.excess;
}

static bool tell(void *context, size_t round, double best)
{
  struct search *s = context;
  const struct armdyn_excitation_progress progress = {
    .polishing = s->polishing,
    .round = round,
    .rounds = (s->polishing ? POLISH_ROUNDS : 1) * s->request->generations,
    .criterion = best,
    .fraction = (s->work_before + (double)round * s->work_of_round) / s->work,
  };
  const enum armdyn_go go = s->go ? s->go(s->context, &progress) : ARMDYN_GO_ON;
  s->cancelled = go == ARMDYN_GO_CANCEL;
  s->finished = go == ARMDYN_GO_FINISH;
  return go == ARMDYN_GO_ON;
}

static enum armdyn_status search(struct search *s, double *x, struct armdyn_excitation *result)
{
  const struct armdyn_excitation_request *r = s->request;
  const struct genetic genetic = {
    s->design.variables, 1 + s->design.waves, r->population, r->generations, &s->random, cost, tell, s,
  };
  const struct polish polish = {
    s->design.variables, POLISH_ROUNDS * r->generations, POLISH_STEP, &s->random, cost, tell, s,
  };
  const double polish_work = (double)(polish.rounds * polish_samples(polish.variables));
  s->work_of_round = (double)r->population;
  s->work = s->work_of_round * (double)r->generations + polish_work;
  double best = genetic_search(&genetic, x);
  result->genetic_criterion = best;
  if (!isnan(best) && !s->cancelled && !s->finished) {
    s->polishing = true;
    s->work_before = s->work - polish_work;
    s->work_of_round = (double)polish_samples(polish.variables);
    best = polish_search(&polish, best, x);
  }
  return s->cancelled ? ARMDYN_ECANCELLED : isnan(best) ? ARMDYN_EMEMORY : ARMDYN_OK;
}

/* -- the last word -- */

/* A motion and how it uses the limits. */
struct verdict {
  struct check check;
  const double *tool_box;
  const struct obstacles *around; /* NULL: none */
  struct fourier fourier;
  size_t n;
  const double *q0, *a, *b; /* unscaled */
  struct armdyn_trajectory *trajectory;
  struct armdyn_margin *margin;
  double box_usage, box_time;
  struct clearance_check clearance;
  double scaled[2 * N * ARMDYN_HARMONICS_MAX];
};

static double box_at(const struct verdict *v, double t)
{
  double q[N];
  armdyn_trajectory_state(v->trajectory, t, q, NULL, NULL, NULL);
  return box_usage(v->check.robot, v->tool_box, q, v->check.workspace);
}

/* Densely, and then by golden section around the worst point. */
static void check_box(struct verdict *v)
{
  static const double golden = 0.6180339887498949;
  const double T = v->fourier.duration;
  const size_t count = 64 * v->trajectory->piece_count;
  const double step = T / (double)count;
  v->box_usage = v->box_time = 0;
  for (size_t k = 0; k <= count; k++) {
    const double usage = box_at(v, step * (double)k);
    if (!(usage > v->box_usage)) continue;
    v->box_usage = usage;
    v->box_time = step * (double)k;
  }
  double low = fmax(v->box_time - step, 0), high = fmin(v->box_time + step, T);
  for (int k = 0; k < GOLDEN_STEPS; k++) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    if (box_at(v, left) > box_at(v, right)) {
      high = right;
    } else {
      low = left;
    }
  }
  const double usage = box_at(v, (low + high) / 2);
  if (!(usage > v->box_usage)) return;
  v->box_usage = usage;
  v->box_time = (low + high) / 2;
}

/* Build the motion of this scale and check it; `holds` tells whether every limit is kept. */
static enum armdyn_status judge(struct verdict *v, double scale, bool *holds)
{
  const size_t count = v->n * v->fourier.harmonics;
  for (size_t k = 0; k < count; k++) {
    v->scaled[k] = scale * v->a[k];
    v->scaled[count + k] = scale * v->b[k];
  }
  armdyn_trajectory_free(v->trajectory);
  const enum armdyn_status rc =
      fourier_trajectory(&v->fourier, v->n, v->q0, v->scaled, v->scaled + count, v->trajectory);
  if (rc) return rc;
  *holds = true;
  check_margins(&v->check, v->trajectory, v->margin);
  for (size_t k = 0; k < ARMDYN_LIMIT_KINDS * v->n; k++) *holds &= v->margin[k].usage <= 1;
  if (v->tool_box) check_box(v);
  *holds &= v->box_usage <= 1;
  if (!v->around || !*holds) return ARMDYN_OK;
  const enum armdyn_status proof = obstacles_check(v->around, v->trajectory, &v->clearance);
  *holds = v->clearance.missing <= 0;
  return proof;
}

static enum armdyn_status tell_rest(const struct verdict *v, struct armdyn_error *error)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(v->check.robot);
  for (size_t j = 0; j < v->n; j++) {
    const struct armdyn_margin *torque = &v->margin[ARMDYN_LIMIT_TORQUE * v->n + j];
    if (!(torque->usage > 1)) continue;
    return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/limits/torque",
                         "no posture was found that joint %s can hold at rest: the best takes %.6g of %.6g",
                         d->joints[j].name, fabs(torque->value), v->check.limits[j].torque);
  }
  if (v->box_usage <= 1)
    return armdyn_refuse(
        error, ARMDYN_EINFEASIBLE, "/cell",
        "no posture was found that is clear of %s: at the best one the clearance of %s from it is %.4f m",
        v->clearance.found.at.b, v->clearance.found.at.a, v->clearance.found.at.distance);
  return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/tool_box",
                       "no posture was found whose tool is in the box: the best is %.6g halves of it from its middle",
                       v->box_usage);
}

/* The largest scale, found by halving, whose motion the dense check lets pass. */
static enum armdyn_status restore(struct verdict *v, double *scale, struct armdyn_error *error)
{
  double low = 0, high = 1;
  bool holds;
  enum armdyn_status rc = judge(v, 1, &holds);
  *scale = 1;
  if (rc || holds) return rc;
  if ((rc = judge(v, 0, &holds))) return rc;
  if (!holds) return tell_rest(v, error);
  for (int k = 0; k < BISECTIONS && high - low > 1e-4; k++) {
    const double middle = (low + high) / 2;
    if ((rc = judge(v, middle, &holds))) return rc;
    if (holds) {
      low = middle;
    } else {
      high = middle;
    }
  }
  *scale = low;
  return judge(v, low, &holds);
}

/* The figures of the motion as it is, on a finer grid. */
static enum armdyn_status take_figures(const struct search *s, const struct armdyn_limits *limits,
                                       const struct armdyn_trajectory *trajectory, struct armdyn_excitation *result)
{
  struct design fine;
  struct worth worth;
  const enum armdyn_status rc =
      design_open(s->design.robot, s->design.unknowns, s->request, limits, FINER * s->design.points, &fine);
  if (rc) return rc;
  design_judge(&fine, trajectory, &worth);
  result->criterion = worth.criterion;
  result->condition = worth.condition;
  result->sigma_min = worth.sigma_min;
  result->log_determinant = worth.log_determinant;
  design_close(&fine);
  return ARMDYN_OK;
}

static enum armdyn_status conclude(struct search *s, const double *x, const struct armdyn_limits *limits,
                                   struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                   struct armdyn_excitation *result, struct armdyn_error *error)
{
  const size_t n = s->design.n, count = n * s->request->harmonics;
  struct verdict v = { .check = { s->design.robot, limits, s->design.workspace },
                       .tool_box = s->request->tool_box,
                       .around = s->design.around,
                       .fourier = s->design.fourier,
                       .n = n,
                       .q0 = result->q0,
                       .a = result->a,
                       .b = result->b,
                       .trajectory = out,
                       .margin = margin };
  design_coefficients(&s->design, x, result->q0, result->a, result->b);
  enum armdyn_status rc = restore(&v, &result->scale, error);
  if (!rc) rc = take_figures(s, limits, out, result);
  if (!rc && !(result->condition < CONDITION_MOST)) {
    rc = armdyn_refuse(error, ARMDYN_ESINGULAR, "",
                       "the best motion found does not tell all parameters apart (condition number %.3g); give more "
                       "generations, harmonics or room, or identify less",
                       result->condition);
  }
  memcpy(result->a, v.scaled, count * sizeof *v.scaled);
  memcpy(result->b, v.scaled + count, count * sizeof *v.scaled);
  result->box_usage = v.box_usage;
  result->box_time = v.box_time;
  return rc;
}

enum armdyn_status armdyn_excitation_design(const struct armdyn_robot *robot, const struct armdyn_unknowns *unknowns,
                                            const struct armdyn_excitation_request *request,
                                            struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                            struct armdyn_excitation *result,
                                            enum armdyn_go (*go)(void *context,
                                                                 const struct armdyn_excitation_progress *progress),
                                            void *context, struct armdyn_error *error)
{
  struct armdyn_limits limits[N];
  struct search s = { .request = request, .random = random_from_seed(request->seed), .go = go, .context = context };
  double *x = NULL;
  enum armdyn_status rc = request_check_numbers(request, error);
  *out = (struct armdyn_trajectory){ 0 };
  memset(result, 0, sizeof *result);
  if (!rc) rc = limits_of(robot, request, limits, error);
  if (!rc) rc = design_open(robot, unknowns, request, limits, grid_of(request), &s.design);
  if (rc == ARMDYN_ESINGULAR) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/base_frequency_hz",
                         "%zu harmonics of %g Hz cannot be told apart in %g s: take at least one period of the first",
                         request->harmonics, request->base_frequency, request->duration);
  }
  if (rc) return rc;
  result->grid = s.design.points;
  rc = ARMDYN_EMEMORY;
  if (!(x = malloc(s.design.variables * sizeof *x))) goto out;
  if ((rc = search(&s, x, result))) goto out;
  rc = conclude(&s, x, limits, out, margin, result, error);
  result->evaluations = s.design.evaluations;
out:
  if (rc) armdyn_trajectory_free(out);
  design_close(&s.design);
  free(x);
  return rc;
}
