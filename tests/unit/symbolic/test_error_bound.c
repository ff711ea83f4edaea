/* Programs that leave terms out: a sceptic looks for states in which they are further off than was promised. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

static struct armdyn_robot_description description;

static struct armdyn_robot *robot_of(const char *name)
{
  char path[128];
  struct armdyn_robot *robot = NULL;
  struct armdyn_error error = { .message = "" };
  snprintf(path, sizeof path, "tests/data/robots/%s.json", name);
  cJSON *json = json_load(path);
  cr_assert(json, "%s cannot be read", path);
  description_from_json(json, &description);
  cJSON_Delete(json);
  cr_assert_eq(armdyn_robot_new(&description, &robot, &error), ARMDYN_OK, "%s", error.message);
  return robot;
}

static struct armdyn_code *made(const struct armdyn_robot *robot, const struct armdyn_code_request *request)
{
  struct armdyn_code *code = NULL;
  struct armdyn_error error = { .message = "" };
  cr_assert_eq(armdyn_code_new(robot, request, &code, &error), ARMDYN_OK, "%s: %s", error.pointer, error.message);
  return code;
}

static double operations(const struct armdyn_code *code)
{
  struct armdyn_code_figures n;
  armdyn_code_figures(code, &n);
  return (double)(n.multiplications + n.additions) + 30 * (double)(n.sines + n.others);
}

/* ---------------------------------------------------------------- the sceptic */

struct search {
  struct armdyn_code *code;
  const struct armdyn_robot *robot;
  const struct armdyn_trajectory *motion; /* NULL: the limits */
  struct armdyn_workspace *workspace;
  struct dice *dice;
  size_t n, variables; /* 1: the time; else 3 n numbers between -1 and 1 */
};

/* How far joint i is off. */
static double error_at(struct search *s, size_t i, const double *x)
{
  double state[3 * ARMDYN_JOINTS_MAX], ours[ARMDYN_JOINTS_MAX], kernels[ARMDYN_JOINTS_MAX];
  const size_t n = s->n;
  if (s->motion) {
    const double t = (x[0] + 1) / 2 * armdyn_trajectory_duration(s->motion);
    armdyn_trajectory_state(s->motion, t, state, state + n, state + 2 * n, NULL);
  }
  for (size_t j = 0; j < n && !s->motion; j++) {
    const struct armdyn_limits *l = &description.joints[j].limits;
    state[j] = (l->position[0] + l->position[1]) / 2 + x[j] * (l->position[1] - l->position[0]) / 2;
    state[n + j] = x[n + j] * l->velocity;
    state[2 * n + j] = x[2 * n + j] * l->acceleration;
  }
  armdyn_code_evaluate(s->code, state, ours);
  armdyn_inverse_dynamics(s->robot, state, state + n, state + 2 * n, NULL, s->workspace, kernels);
  return fabs(ours[i] - kernels[i]);
}

/* Up the hill, by steps of single numbers and of all together that shrink where they find nothing. */
static double climb(struct search *s, size_t i, double *x)
{
  double best = error_at(s, i, x), step = 1;
  for (int turn = 0; turn < 120 && step > 1e-4; turn++) {
    const double before = best;
    for (size_t k = 0; k <= s->variables; k++) {
      double tried[3 * ARMDYN_JOINTS_MAX];
      memcpy(tried, x, s->variables * sizeof *tried);
      for (size_t j = 0; j < s->variables; j++) {
        if (k == j || k == s->variables) tried[j] += step * dice_uniform(s->dice, -1, 1);
        if (k == j && turn % 4 == 0) tried[j] = dice_uniform(s->dice, 0, 1) < 0.5 ? -1 : 1;
        tried[j] = fmin(1, fmax(-1, tried[j]));
      }
      const double error = error_at(s, i, tried);
      if (error <= best) continue;
      best = error;
      memcpy(x, tried, s->variables * sizeof *tried);
    }
    if (best <= before) step *= 0.7;
  }
  return best;
}

/* The largest error of joint i that is found: from the worst of many random states uphill. */
static double worst_found(struct search *s, size_t i, int climbs)
{
  double worst = 0;
  for (int k = 0; k < climbs; k++) {
    double x[3 * ARMDYN_JOINTS_MAX], best[3 * ARMDYN_JOINTS_MAX], most = -1;
    for (int draw = 0; draw < 100; draw++) {
      dice_fill(s->dice, x, s->variables, -1, 1);
      const double error = error_at(s, i, x);
      if (error > most) memcpy(best, x, sizeof best);
      most = fmax(most, error);
    }
    worst = fmax(worst, climb(s, i, best));
  }
  return worst;
}

/* No state is further off than the bound, and some are not much less: within a factor of `loose` where something is left
 * out at all. */
static void doubt(const struct armdyn_robot *robot, struct armdyn_code *code, const struct armdyn_trajectory *motion,
                  const double *asked, double loose)
{
  struct dice dice = { 31 };
  struct armdyn_code_bound bound;
  struct search s = { .code = code, .robot = robot, .motion = motion, .dice = &dice };
  double looseness = 1;
  s.n = armdyn_robot_joint_count(robot);
  s.variables = motion ? 1 : 3 * s.n;
  s.workspace = armdyn_workspace_new(s.n);
  armdyn_code_bound(code, &bound);
  cr_expect_gt(bound.dropped, 0);
  for (size_t i = 0; i < s.n; i++) {
    const double found = worst_found(&s, i, SANITIZED ? 1 : 6);
    cr_expect_leq(bound.torque[i], asked[i]);
    cr_expect(found <= bound.torque[i] + 1e-10, "joint %zu is %.17g off, not %.17g", i, found, bound.torque[i]);
    if (bound.torque[i] > 0.2 * asked[i]) looseness = fmax(looseness, bound.torque[i] / found);
  }
  if (!SANITIZED) cr_expect_leq(looseness, loose);
  armdyn_workspace_free(s.workspace);
}

static void request_bound(struct armdyn_code_request *request, double part)
{
  armdyn_code_request_init(request);
  for (size_t i = 0; i < description.joint_count; i++) {
    request->error_bound[i] = part * description.joints[i].limits.torque;
  }
}

static void check_proof(struct armdyn_code *code)
{
  struct armdyn_code_proof proof;
  cr_assert_eq(armdyn_code_prove(code, 2000, 3, &proof), ARMDYN_OK);
  cr_expect(proof.holds, "%g of %g", proof.largest_difference, proof.largest_entry);
}

/* ---------------------------------------------------------------- over the limits */

static void check_limits(const char *name, double part, double saved, double loose)
{
  struct armdyn_robot *robot = robot_of(name);
  struct armdyn_code_request request, whole;
  armdyn_code_request_init(&whole);
  request_bound(&request, part);
  struct armdyn_code *code = made(robot, &request), *all = made(robot, &whole);
  cr_expect_leq(operations(code), (1 - saved) * operations(all), "%g of %g", operations(code), operations(all));
  check_proof(code);
  doubt(robot, code, NULL, request.error_bound, loose);
  armdyn_code_free(code);
  armdyn_code_free(all);
  armdyn_robot_free(robot);
}

Test(error_bound, holds_over_the_limits_of_the_arm, .timeout = 120)
{
  check_limits("puma560", 0.01, 0.15, 6);
  check_limits("puma560", 0.05, 0.4, 6);
  check_limits("scara", 0.01, 0.03, 3);
  check_limits("ur10", 0.01, 0.15, 10);
}

/* Whatever the arm: states at random, and no more than was asked for. */
Test(error_bound, holds_for_random_arms, .timeout = 120)
{
  static const enum armdyn_convention conventions[] = { ARMDYN_DH, ARMDYN_MDH, ARMDYN_FRAMES };
  struct dice dice = { 33 };
  size_t dropped = 0;
  for (size_t arm = 0; arm < (SANITIZED ? 14 : 40); arm++) {
    struct armdyn_robot *robot = NULL;
    struct armdyn_code_request request;
    struct armdyn_code_bound bound;
    random_description(&dice, &description, 1 + arm % 7, conventions[arm % 3]);
    for (size_t i = 0; i < description.joint_count; i++) {
      const double middle = dice_uniform(&dice, -3, 3), half = dice_uniform(&dice, 0.05, 3);
      description.joints[i].limits = (struct armdyn_limits){ { middle - half, middle + half }, 3, 8, 80, 50, 1000 };
    }
    cr_assert_eq(armdyn_robot_new(&description, &robot, NULL), ARMDYN_OK);
    request_bound(&request, dice_uniform(&dice, 0.001, 0.1));
    request.language = arm % 2 ? ARMDYN_CODE_STRUCTURED_TEXT : ARMDYN_CODE_C;
    request.function = arm % 4 ? ARMDYN_CODE_INVERSE_DYNAMICS : arm % 8 ? ARMDYN_CODE_GRAVITY : ARMDYN_CODE_CORIOLIS;
    struct armdyn_code *code = made(robot, &request);
    check_proof(code);
    armdyn_code_bound(code, &bound);
    dropped += bound.dropped;
    for (size_t i = 0; i < description.joint_count; i++) cr_expect_leq(bound.torque[i], request.error_bound[i]);
    armdyn_code_free(code);
    armdyn_robot_free(robot);
  }
  cr_expect_gt(dropped, SANITIZED ? 70 : 200);
}

/* ---------------------------------------------------------------- along a motion */

static struct armdyn_trajectory motion_through(const struct armdyn_robot *robot, enum armdyn_profile profile)
{
  static const double points[] = {
    0.1, -1.2, 0.6, 0, 0.5, 0, 0.9, -0.4, 0.1, 0.6, 0.9, 1, 1.2, -0.9, 0.9, 0.2, 0.3, 0.2
  };
  const struct armdyn_profile_request request = {
    .profile = profile, .point_count = 3, .points = points, .duration = NAN
  };
  static struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * 6];
  struct armdyn_trajectory motion;
  struct armdyn_error error = { .message = "" };
  cr_assert_eq(armdyn_profile_plan(robot, &request, &motion, margin, NULL, NULL, NULL, &error), ARMDYN_OK, "%s",
               error.message);
  return motion;
}

/* Of a motion much more may go than of all that the limits allow. */
Test(error_bound, holds_along_a_motion, .timeout = 120)
{
  struct armdyn_robot *robot = robot_of("puma560");
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    struct armdyn_trajectory motion = motion_through(robot, (enum armdyn_profile)profile);
    struct armdyn_code_request request, anywhere;
    request_bound(&request, 0.01);
    anywhere = request;
    request.motion = &motion;
    struct armdyn_code *code = made(robot, &request), *all = made(robot, &anywhere);
    cr_expect_lt(operations(code), 0.9 * operations(all), "%g, not %g", operations(code), operations(all));
    check_proof(code);
    doubt(robot, code, &motion, request.error_bound, 10);
    armdyn_code_free(code);
    armdyn_code_free(all);
    armdyn_trajectory_free(&motion);
  }
  armdyn_robot_free(robot);
}

/* ---------------------------------------------------------------- refusals */

static void refused(const struct armdyn_robot *robot, const struct armdyn_code_request *request, const char *words)
{
  struct armdyn_code *code = NULL;
  struct armdyn_error error = { .message = "" };
  cr_assert_eq(armdyn_code_new(robot, request, &code, &error), ARMDYN_EINPUT);
  cr_expect_null(code);
  cr_expect_str_eq(error.pointer, "/error_bound");
  cr_expect(strstr(error.message, words), "%s", error.message);
}

Test(error_bound, is_refused_where_it_means_nothing)
{
  struct armdyn_robot *robot = robot_of("puma560");
  struct armdyn_code_request request;
  request_bound(&request, 0.01);
  request.function = ARMDYN_CODE_MASS_MATRIX;
  refused(robot, &request, "for torques");
  request_bound(&request, 0.01);
  request.parameters = ARMDYN_CODE_SYMBOLS;
  refused(robot, &request, "folded");
  request_bound(&request, -0.01);
  refused(robot, &request, "0 or more");
  request_bound(&request, NAN);
  refused(robot, &request, "0 or more");
  armdyn_robot_free(robot);

  robot = robot_of("puma560");
  description.joints[3].limits.velocity = INFINITY;
  struct armdyn_robot *free_one = NULL;
  cr_assert_eq(armdyn_robot_new(&description, &free_one, NULL), ARMDYN_OK);
  request_bound(&request, 0.01);
  refused(free_one, &request, "velocity limits of joint 'j4'");
  armdyn_robot_free(free_one);
  armdyn_robot_free(robot);
}
