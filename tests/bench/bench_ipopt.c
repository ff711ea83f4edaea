/* IPOPT on the problem of bench_optimal.c: the same splines, quadrature, limits at knots, start and derivatives (the exact
 * Hessian), so that only the two solvers differ. IPOPT is a yardstick here and no part of armdyn. For electricity IPOPT
 * minimises the cost as it is rounded in the end, once, from the cubic; ours is the whole search, with the motion of least
 * torque and a classic profile as further starts. A ratio is told only where both end optimal and their motions cost
 * the same within 0.1 %.
 * Where one of them does not a remark says how it ended, and at what cost and in what time.
 * Lines "name value unit better"; processor time of one thread, the best of several runs of each. */
#include <IpStdCInterface.h>
#include <time.h>

#include "lib/trajectory/bspline.h"
#include "lib/trajectory/lagrangian.h"
#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"
#include "tests/support/moves.h"

enum { RUNS = 5, N = ARMDYN_JOINTS_MAX };
static const double SAME = 1e-3; /* of the cost */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* what others do on the machine does not count */
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Unknowns are the controls between the first and the last two; constraints are the torques at the knots over their limits,
 * joint by joint. */
struct yardstick {
  struct transcription t;
  void *memory;
  double *start, *controls, *gradient, *multiplier, *H, *S;
  size_t first, count, rows;
  bool differentiated;
};

static bool yardstick_open(struct yardstick *y, const struct optimum_case *c, const struct armdyn_robot *robot,
                           const struct armdyn_optimal_request *request)
{
  const size_t intervals = request->intervals;
  struct transcription *t = &y->t;
  struct carve size = { 0 };
  *y = (struct yardstick){ .memory = NULL };
  t->robot = robot;
  t->n = armdyn_robot_joint_count(robot);
  t->intervals = intervals;
  t->workspace = armdyn_workspace_new(t->n);
  if (!t->workspace || cost_init(&t->cost, robot, request, NULL)) return false;
  for (size_t j = 0; j < t->n; j++) {
    t->bounds[t->bound_count++] = (struct bound){ ARMDYN_LIMIT_TORQUE, j, 1 / c->robot.joints[j].limits.torque };
    t->ends[0].x[0][j] = c->start[j];
    t->ends[1].x[0][j] = c->goal[j];
  }
  t->ends[0].given = t->ends[1].given = 2; /* position and velocity */
  transcription_carve(t, &size);
  if (!(y->memory = aligned_alloc(64, size.used))) return false;
  memset(y->memory, 0, size.used);
  struct carve room = { y->memory, 0 };
  transcription_carve(t, &room);
  y->rows = t->bound_count * (intervals + 1);
  for (size_t k = 0; k < y->rows; k++) t->most[k] = 1;
  transcription_init(t, c->duration);
  const size_t all = t->controls * t->n, band = all * 4 * t->n;
  if (!(y->start = calloc(3 * all + y->rows + 2 * band, sizeof *y->start))) return false;
  y->controls = y->start + all, y->gradient = y->controls + all, y->multiplier = y->gradient + all;
  y->H = y->multiplier + y->rows, y->S = y->H + band;
  y->first = 2 * t->n, y->count = all - 4 * t->n;
  return true;
}

static void yardstick_close(struct yardstick *y)
{
  armdyn_workspace_free(y->t.workspace);
  free(y->memory);
  free(y->start);
}

/* The cubic from start to goal */
static bool start_set(struct yardstick *y, const struct optimum_case *c)
{
  double points[2 * N], minimum;
  struct armdyn_limits none[N];
  struct armdyn_trajectory cubic;
  const struct armdyn_profile_request request = { ARMDYN_CUBIC, 2, points, NULL, c->duration, none, 0 };
  for (size_t j = 0; j < N; j++)
    none[j] = (struct armdyn_limits){ { -INFINITY, INFINITY }, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY };
  memcpy(points, c->start, y->t.n * sizeof *points);
  memcpy(points + y->t.n, c->goal, y->t.n * sizeof *points);
  if (armdyn_profile_plan(y->t.robot, &request, &cubic, NULL, &minimum, NULL, NULL, NULL)) return false;
  bspline_controls(y->t.intervals, &cubic, y->start);
  transcription_set_ends(&y->t, y->start);
  memcpy(y->controls, y->start, y->t.controls * y->t.n * sizeof *y->controls);
  armdyn_trajectory_free(&cubic);
  return true;
}

/* -- what IPOPT asks -- */

static void evaluate(struct yardstick *y, const Number *x, Bool fresh)
{
  if (!fresh) return;
  memcpy(y->controls + y->first, x, y->count * sizeof *x);
  lagrangian_evaluate(&y->t, y->controls);
  y->differentiated = false;
}

static void differentiate(struct yardstick *y, const Number *x, Bool fresh)
{
  evaluate(y, x, fresh);
  if (!y->differentiated) lagrangian_differentiate(&y->t, y->controls);
  y->differentiated = true;
}

static Bool cost_of(Index n, Number *x, Bool fresh, Number *out, UserDataPtr user)
{
  struct yardstick *y = user;
  (void)n;
  evaluate(y, x, fresh);
  *out = y->t.total;
  return TRUE;
}

static Bool gradient_of(Index n, Number *x, Bool fresh, Number *out, UserDataPtr user)
{
  struct yardstick *y = user;
  differentiate(y, x, fresh);
  memset(y->gradient, 0, y->t.controls * y->t.n * sizeof *y->gradient);
  lagrangian_gradient(&y->t, NULL, y->gradient, NULL);
  memcpy(out, y->gradient + y->first, (size_t)n * sizeof *out);
  return TRUE;
}

static Bool torques_of(Index n, Number *x, Bool fresh, Index m, Number *out, UserDataPtr user)
{
  struct yardstick *y = user;
  (void)n;
  evaluate(y, x, fresh);
  for (Index k = 0; k < m; k++) out[k] = 1 - y->t.room[k];
  return TRUE;
}

/* Element e of the row of a knot: which unknown; false where the control is given. */
static bool unknown_of(const struct yardstick *y, size_t knot, size_t e, size_t *unknown)
{
  const size_t control = transcription_interval(&y->t, 2 * knot) * y->t.n + e;
  *unknown = control - y->first;
  return control >= y->first && control < y->first + y->count;
}

static Bool torque_slopes_of(Index n, Number *x, Bool fresh, Index m, Index elements, Index *rows, Index *columns,
                             Number *out, UserDataPtr user)
{
  struct yardstick *y = user;
  const struct transcription *t = &y->t;
  size_t at = 0, unknown;
  (void)n, (void)m, (void)elements;
  if (out) differentiate(y, x, fresh);
  for (size_t row = 0; row < y->rows; row++) {
    const size_t i = row / (t->intervals + 1), knot = row % (t->intervals + 1);
    for (size_t e = 0; e < 4 * t->n; e++) {
      if (!unknown_of(y, knot, e, &unknown)) continue;
      if (out) {
        out[at] = 0;
        for (size_t r = 0; r < 3; r++)
          out[at] += t->bounds[i].scale * t->basis[2 * knot][r][e / t->n] *
                     transcription_slopes(t, 2 * knot, r)[i * t->n + e % t->n];
      } else {
        rows[at] = (Index)row, columns[at] = (Index)unknown;
      }
      at++;
    }
  }
  return TRUE;
}

static Bool hessian_of(Index n, Number *x, Bool fresh, Number weight, Index m, Number *lambda, Bool fresh_lambda,
                       Index elements, Index *rows, Index *columns, Number *out, UserDataPtr user)
{
  struct yardstick *y = user;
  struct duration_bend unused = { NULL, 0 };
  const size_t width = 4 * y->t.n;
  size_t at = 0;
  (void)n, (void)fresh_lambda, (void)elements;
  if (out) {
    differentiate(y, x, fresh);
    memcpy(y->multiplier, lambda, (size_t)m * sizeof *lambda);
    y->t.cost.scale = weight;
    lagrangian_gauss_newton(&y->t, NULL, y->multiplier, y->H, &unused);
    lagrangian_curvature(&y->t, y->multiplier, y->S, &unused);
    y->t.cost.scale = 1;
  }
  for (size_t u = 0; u < y->count; u++)
    for (size_t b = 0; b < width && u + b < y->count; b++, at++) {
      const size_t element = (y->first + u) * width + b;
      if (out)
        out[at] = y->H[element] + y->S[element];
      else
        rows[at] = (Index)(u + b), columns[at] = (Index)u;
    }
  return TRUE;
}

static Index iterations;
static Bool count_iterations(Index mode, Index iteration, Number value, Number primal, Number dual, Number mu, Number d,
                             Number regularization, Number alpha_dual, Number alpha_primal, Index trials,
                             UserDataPtr user)
{
  (void)mode, (void)value, (void)primal, (void)dual, (void)mu, (void)d, (void)regularization, (void)alpha_dual;
  (void)alpha_primal, (void)trials, (void)user;
  iterations = iteration;
  return TRUE;
}

static IpoptProblem problem_of(const struct yardstick *y, Number *bounds)
{
  size_t jacobian = 0, hessian = 0, unknown;
  for (size_t row = 0; row < y->rows; row++)
    for (size_t e = 0; e < 4 * y->t.n; e++) jacobian += unknown_of(y, row % (y->t.intervals + 1), e, &unknown);
  for (size_t u = 0; u < y->count; u++) hessian += y->count - u < 4 * y->t.n ? y->count - u : 4 * y->t.n;
  Number *low = bounds, *high = low + y->count, *least = high + y->count, *most = least + y->rows;
  for (size_t u = 0; u < y->count; u++) low[u] = -2e19, high[u] = 2e19;
  for (size_t k = 0; k < y->rows; k++) least[k] = -1, most[k] = 1;
  return CreateIpoptProblem((Index)y->count, low, high, (Index)y->rows, least, most, (Index)jacobian, (Index)hessian, 0,
                            cost_of, torques_of, gradient_of, torque_slopes_of, hessian_of);
}

/* What the motion of IPOPT's answer costs, without any rounding. */
static double cost_of_answer(struct yardstick *y, const Number *x, double duration)
{
  double terms[ARMDYN_COST_TERMS_MAX];
  struct armdyn_trajectory motion;
  memcpy(y->controls + y->first, x, y->count * sizeof *x);
  if (trajectory_allocate(&motion, y->t.n, y->t.intervals, 3, 0)) return NAN;
  bspline_pieces(y->t.intervals, duration, y->controls, &motion);
  const double cost = cost_of_motion(&y->t.cost, &motion, y->t.workspace, terms);
  armdyn_trajectory_free(&motion);
  return cost;
}

/* How a run ended. */
struct run {
  double time, cost; /* ms */
  enum ApplicationReturnStatus end;
};

static const char *end_of(const struct run *run)
{
  switch ((int)run->end) {
  case Solve_Succeeded: return "optimal";
  case Solved_To_Acceptable_Level: return "at what it accepts after steps that lead no further, not optimal";
  case Maximum_Iterations_Exceeded: return "by its number of iterations";
  default: return "without a solution";
  }
}

/* One run from the cubic; false: no memory. */
static bool run_ipopt(struct yardstick *y, double duration, struct run *run)
{
  Number *x = malloc((3 * y->count + 2 * y->rows) * sizeof *x), least;
  if (!x) return false;
  memcpy(x, y->start + y->first, y->count * sizeof *x);
  const double begin = now();
  IpoptProblem problem = problem_of(y, x + y->count);
  AddIpoptIntOption(problem, (char[]){ "print_level" }, 0);
  AddIpoptStrOption(problem, (char[]){ "sb" }, (char[]){ "yes" });
  SetIntermediateCallback(problem, count_iterations);
  run->end = IpoptSolve(problem, x, NULL, &least, NULL, NULL, NULL, y);
  FreeIpoptProblem(problem);
  run->time = now() - begin;
  run->cost = cost_of_answer(y, x, duration);
  free(x);
  return true;
}

/* ms, or a negative number when it failed; the motion is the caller's. */
static double run_ours(const struct armdyn_robot *robot, const struct armdyn_optimal_request *request, double *cost,
                       struct armdyn_trajectory *motion)
{
  static struct armdyn_optimal_result result;
  *motion = (struct armdyn_trajectory){ 0 };
  const double begin = now();
  const enum armdyn_status rc = armdyn_optimal_plan(robot, request, motion, NULL, &result, NULL, NULL, NULL);
  const double time = now() - begin;
  *cost = result.cost;
  return rc || !result.optimal ? -1 : time;
}

/* Both in turn; false: no ratio to tell. */
static bool race(const char *name, const struct optimum_case *c, const struct armdyn_robot *robot,
                 const struct armdyn_optimal_request *request)
{
  static struct yardstick y;
  double ours = INFINITY, theirs = INFINITY, cost = 0;
  struct run run = { .end = Internal_Error };
  bool solved = yardstick_open(&y, c, robot, request) && start_set(&y, c);
  for (int k = 0; k < RUNS && solved; k++) {
    struct armdyn_trajectory motion;
    const double time = run_ours(robot, request, &cost, &motion);
    if (time >= 0 && cost_has_kinks(&y.t.cost)) cost_round(&y.t.cost, &motion, y.t.workspace, KINKS_ROUNDED);
    armdyn_trajectory_free(&motion);
    ours = fmin(ours, time);
    solved = time >= 0 && run_ipopt(&y, request->duration, &run) && run.end == Solve_Succeeded;
    theirs = fmin(theirs, run.time);
  }
  yardstick_close(&y);
  if (!solved || !(fabs(cost - run.cost) <= SAME * cost)) {
    printf("# %s, %zu intervals: no ratio: IPOPT ended %s, in %d iterations and %.0f ms at a cost of %.7g; ours %s, in "
           "%.3g ms at %.7g\n",
           name, request->intervals, end_of(&run), (int)iterations, run.time, run.cost,
           ours < 0 ? "not optimal" : "optimal", ours, cost);
    return false;
  }
  printf("ipopt_%s_%zu_intervals %.3f ms lower\n", name, request->intervals, theirs);
  printf("ipopt_%s_%zu_intervals_iterations %d 1 lower\n", name, request->intervals, (int)iterations);
  printf("optimal_%s_%zu_intervals_over_ipopt %.2f times higher\n", name, request->intervals, theirs / ours);
  return true;
}

int main(void)
{
  static const size_t intervals[] = { 50, 100, 200 };
  static const struct armdyn_electrical_model bus = { ARMDYN_REGENERATION_SHARED_BUS, 0 };
  static const struct armdyn_cost_term electrical = { .model = ARMDYN_COST_ELECTRICAL,
                                                      .weight = 1,
                                                      .electrical = &bus };
  struct optimum_case c;
  struct armdyn_robot *robot;
  bool done = true;
  if (!optimum_load("xiii_puma_torque_limit_active", &c)) return 1;
  move_puma_drives(&c.robot);
  if (armdyn_robot_new(&c.robot, &robot, NULL)) return 1;
  for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++) {
    struct armdyn_optimal_request request = optimum_request(&c, intervals[k]);
    done = race("puma", &c, robot, &request) && done;
    request.cost_count = 1, request.costs = &electrical;
    race("puma_electrical", &c, robot, &request); /* kinks have many minima: it need not be the same one */
  }
  armdyn_robot_free(robot);
  return !done;
}
