/* Excitations: their form, their limits checked by another way, their criterion from the regressor itself. */
#include <criterion/criterion.h>
#include <time.h>

#include "lib/math/triangle.h"
#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

enum { N = ARMDYN_JOINTS_MAX, PARAMETERS = 80 };
static const double two_pi = 6.28318530717958647693;

struct plan {
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_unknowns *unknowns;
  struct armdyn_excitation_request request;
  struct armdyn_trajectory trajectory;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * N];
  struct armdyn_excitation result;
  struct armdyn_error error;
};

static struct plan *plan_new(const char *robot)
{
  struct plan *p = calloc(1, sizeof *p);
  char path[96];
  snprintf(path, sizeof path, "tests/data/robots/%s.json", robot);
  cJSON *json = json_load(path);
  cr_assert_not_null(json, "%s", path);
  description_from_json(json, &p->d);
  cJSON_Delete(json);
  cr_assert_eq(armdyn_robot_new(&p->d, &p->robot, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(p->robot, ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS, ARMDYN_ROTORS_NONE,
                                   &p->unknowns, NULL),
               ARMDYN_OK);
  p->request = (struct armdyn_excitation_request){
    .duration = 10, .harmonics = 3, .base_frequency = 0.2, .lambda = 0.1, .population = 8, .generations = 4, .seed = 1
  };
  return p;
}

static void plan_free(struct plan *p)
{
  armdyn_trajectory_free(&p->trajectory);
  armdyn_unknowns_free(p->unknowns);
  armdyn_robot_free(p->robot);
  free(p);
}

static enum armdyn_status design(struct plan *p)
{
  armdyn_trajectory_free(&p->trajectory);
  return armdyn_excitation_design(p->robot, p->unknowns, &p->request, &p->trajectory, p->margin, &p->result, NULL, NULL,
                                  &p->error);
}

/* The request of a file of tests/data/excitations, as far as this test writes such requests. */
static struct plan *plan_from(const char *name, double *condition_most, double *seconds_most)
{
  char path[96];
  snprintf(path, sizeof path, "tests/data/excitations/%s.json", name);
  cJSON *json = json_load(path);
  cr_assert_not_null(json, "%s", path);
  struct plan *p = plan_new(cJSON_GetObjectItemCaseSensitive(json, "robot")->valuestring);
  const cJSON *r = cJSON_GetObjectItemCaseSensitive(json, "request");
  p->request = (struct armdyn_excitation_request){
    .duration = json_number(r, "duration", NAN),
    .harmonics = (size_t)json_number(r, "harmonics", 0),
    .base_frequency = json_number(r, "base_frequency_hz", NAN),
    .lambda = json_number(r, "lambda", NAN),
    .population = (size_t)json_number(r, "population", 0),
    .generations = (size_t)json_number(r, "generations", 0),
    .seed = (unsigned long)json_number(r, "seed", 0),
  };
  *condition_most = json_number(json, "condition_at_most", 0);
  *seconds_most = json_number(json, "seconds_at_most", 0);
  cJSON_Delete(json);
  return p;
}

static double within(double value, double limit)
{
  return fabs(value) / limit;
}

/* Every limit at ten times the points that the motion was designed on, by the polynomial's state and Newton-Euler. */
static void check_limits(const struct plan *p, const double *box)
{
  const size_t n = p->d.joint_count, count = 10 * p->result.grid;
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  double q[N], qd[N], qdd[N], qddd[N], tau[N], tool[16], most = 0;
  for (size_t k = 0; k <= count; k++) {
    armdyn_trajectory_state(&p->trajectory, p->request.duration * (double)k / (double)count, q, qd, qdd, qddd);
    armdyn_inverse_dynamics(p->robot, q, qd, qdd, NULL, workspace, tau);
    for (size_t j = 0; j < n; j++) {
      const struct armdyn_limits *limits = &p->d.joints[j].limits;
      const double span = (limits->position[1] - limits->position[0]) / 2;
      const double usage[] = { within(q[j] - limits->position[0] - span, span), within(qd[j], limits->velocity),
                               within(qdd[j], limits->acceleration), within(qddd[j], limits->jerk),
                               within(tau[j], limits->torque) };
      for (size_t u = 0; u < sizeof usage / sizeof *usage; u++) {
        cr_assert(usage[u] <= 1, "limit %zu of joint %zu: %.9f", u, j, usage[u]);
        most = fmax(most, usage[u]);
      }
    }
    armdyn_forward_kinematics(p->robot, q, workspace, tool, NULL);
    for (int i = 0; i < 3 && box; i++) {
      cr_assert(tool[4 * i + 3] >= box[i] && tool[4 * i + 3] <= box[3 + i], "%d: %g", i, tool[4 * i + 3]);
    }
  }
  if (!box) cr_assert(most > 0.9, "the motion uses %g of its limits only", most);
  armdyn_workspace_free(workspace);
}

/* Singular values of the regressor, weighed by the root of the time that a sample stands for, over `known` (b x b, NULL =
 * none); answers how many. */
static size_t singular_values_of(const struct plan *p, const double *known, double *values)
{
  enum { SAMPLES = 2000 };
  const struct armdyn_base_parameters *base = armdyn_unknowns_base(p->unknowns);
  const size_t n = p->d.joint_count, b = armdyn_base_parameter_count(base);
  const double weight = sqrt(p->request.duration / SAMPLES);
  const size_t wide = armdyn_parameter_count(
      p->robot, &(struct armdyn_parameter_choice){ .rotors = ARMDYN_ROTORS_NONE, .frictionless = false });
  static double R[PARAMETERS * PARAMETERS], rows[N * PARAMETERS], Y[N * 11 * N], dot[2 * PARAMETERS];
  double q[N], qd[N], qdd[N];
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  cr_assert(b <= PARAMETERS && wide <= 11 * N);
  memset(R, 0, sizeof R);
  if (known) memcpy(R, known, b * b * sizeof *known);
  for (int k = 0; k < SAMPLES; k++) {
    armdyn_trajectory_state(&p->trajectory, (k + 0.5) * p->request.duration / SAMPLES, q, qd, qdd, NULL);
    armdyn_regressor(p->robot, &(struct armdyn_parameter_choice){ .rotors = ARMDYN_ROTORS_NONE, .frictionless = false },
                     q, qd, qdd, workspace, Y);
    armdyn_base_columns(base, Y, n, rows);
    for (size_t i = 0; i < n * b; i++) rows[i] *= weight;
    triangle_update(b, R, n, rows, dot);
  }
  for (size_t i = 0; i < b; i++) memset(R + i * b, 0, i * sizeof *R);
  singular_values(b, b, R, values);
  armdyn_workspace_free(workspace);
  return b;
}

static void check_figures(const struct plan *p, const double *known)
{
  double values[PARAMETERS], least = INFINITY, most = 0, determinant = 0;
  const size_t b = singular_values_of(p, known, values);
  for (size_t k = 0; k < b; k++) {
    least = fmin(least, values[k]);
    most = fmax(most, values[k]);
    determinant += 2 * log(values[k]);
  }
  const struct armdyn_excitation *x = &p->result;
  cr_assert_float_eq(x->sigma_min, least, 0.01 * least, "%g is %g", x->sigma_min, least);
  cr_assert_float_eq(x->condition, most / least, 0.01 * x->condition, "%g is %g", x->condition, most / least);
  cr_assert_float_eq(x->log_determinant, determinant, 0.01 * (double)b);
  if (p->request.criterion == ARMDYN_CONDITION) {
    cr_assert_float_eq(x->criterion, x->condition + p->request.lambda / x->sigma_min, 1e-9 * x->criterion);
  } else {
    cr_assert_eq(x->criterion, -x->log_determinant);
  }
}

static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The requests kept in tests/data; slow builds search less, and promise limits and figures only. */
static void show(const char *name)
{
  double condition_most, seconds_most;
  struct plan *p = plan_from(name, &condition_most, &seconds_most);
  if (SANITIZED) {
    p->request.population = p->request.generations = 4;
    condition_most = seconds_most = INFINITY;
  }
#if !defined(__x86_64__)
  seconds_most = INFINITY; /* an emulator's are no measure */
#endif
  const double begin = seconds();
  cr_assert_eq(design(p), ARMDYN_OK, "%s", p->error.message);
  const double took = seconds() - begin;
  check_limits(p, NULL);
  check_figures(p, NULL);
  cr_assert(p->result.condition <= condition_most, "condition number %g", p->result.condition);
  cr_assert(took <= seconds_most, "%g s", took);
  plan_free(p);
}

Test(excitation, six_axes_with_friction)
{
  show("ur10");
}

Test(excitation, scara_with_friction)
{
  show("scara");
}

/* q - q0 less the waves of the coefficients is one quintic for the whole motion, and the ends are at rest at q0. */
Test(excitation, is_the_modified_fourier_series)
{
  struct plan *p = plan_new("scara");
  cr_assert_eq(design(p), ARMDYN_OK);
  const size_t n = p->d.joint_count, L = p->request.harmonics;
  const double T = p->request.duration;
  double q[N], qd[N], qdd[N], left[13][N];
  for (int end = 0; end < 2; end++) {
    armdyn_trajectory_state(&p->trajectory, end * T, q, qd, qdd, NULL);
    for (size_t j = 0; j < n; j++) {
      const struct armdyn_limits *limits = &p->d.joints[j].limits;
      cr_assert_float_eq(q[j], p->result.q0[j], 1e-9);
      cr_assert_float_eq(qd[j], 0, 1e-9 * limits->velocity);
      cr_assert_float_eq(qdd[j], 0, 1e-9 * limits->acceleration);
    }
  }
  for (int k = 0; k < 13; k++) {
    const double t = T * k / 12.0;
    armdyn_trajectory_state(&p->trajectory, t, left[k], NULL, NULL, NULL);
    for (size_t j = 0; j < n; j++) {
      for (size_t l = 0; l < L; l++) {
        const double w = two_pi * p->request.base_frequency * (double)(l + 1);
        left[k][j] -= (p->result.a[j * L + l] * sin(w * t) - p->result.b[j * L + l] * cos(w * t)) / w;
      }
    }
  }
  static const double difference[7] = { 1, -6, 15, -20, 15, -6, 1 }; /* of the sixth order */
  for (int first = 0; first + 6 < 13; first++) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < 7; k++) sum += difference[k] * left[first + k][j];
      cr_assert_float_eq(sum, 0, 1e-7, "joint %zu: %g", j, sum);
    }
  }
  plan_free(p);
}

Test(excitation, same_seed_same_bits)
{
  struct plan *p = plan_new("scara"), *again = plan_new("scara");
  cr_assert_eq(design(p), ARMDYN_OK);
  cr_assert_eq(design(again), ARMDYN_OK);
  cr_assert_eq(memcmp(&p->result, &again->result, sizeof p->result), 0);
  again->request.seed = 2;
  cr_assert_eq(design(again), ARMDYN_OK);
  cr_assert_neq(memcmp(p->result.a, again->result.a, sizeof p->result.a), 0);
  plan_free(p);
  plan_free(again);
}

Test(excitation, d_optimality_is_the_determinant)
{
  struct plan *p = plan_new("scara");
  p->request.generations = SANITIZED ? 5 : 20;
  cr_assert_eq(design(p), ARMDYN_OK);
  const double by_condition = p->result.log_determinant;
  p->request.criterion = ARMDYN_D_OPTIMAL;
  cr_assert_eq(design(p), ARMDYN_OK);
  check_limits(p, NULL);
  check_figures(p, NULL);
  cr_assert(p->result.log_determinant > by_condition, "%g, %g", p->result.log_determinant, by_condition);
  plan_free(p);
}

/* An earlier motion counts as if it were done again: by the second, whatever the rate of its log. */
Test(excitation, adds_to_what_is_known)
{
  struct plan *p = plan_new("scara");
  enum { RATE = 100, COUNT = 10 * RATE };
  const size_t n = p->d.joint_count;
  cr_assert_eq(design(p), ARMDYN_OK);
  double *memory = calloc(4 * COUNT * n, sizeof *memory);
  struct armdyn_motion motion = { .count = COUNT,
                                  .rate = RATE,
                                  .q = memory,
                                  .qd = memory + COUNT * n,
                                  .qdd = memory + 2 * COUNT * n,
                                  .tau = memory + 3 * COUNT * n };
  for (size_t k = 0; k < COUNT; k++) {
    armdyn_trajectory_state(&p->trajectory, (double)k / RATE, motion.q + k * n, motion.qd + k * n, motion.qdd + k * n,
                            NULL);
  }
  struct armdyn_regression *regression = armdyn_regression_new(p->unknowns);
  armdyn_regression_add(regression, &motion, NULL);
  /* what that motion alone gives, as another triangle */
  double values[PARAMETERS], alone = INFINITY;
  const size_t b = singular_values_of(p, NULL, values);
  for (size_t k = 0; k < b; k++) alone = fmin(alone, values[k]);

  const struct armdyn_known known = { regression, RATE };
  p->request.known = &known;
  p->request.known_count = 1;
  const double before = p->result.log_determinant;
  struct armdyn_trajectory first = p->trajectory;
  p->trajectory = (struct armdyn_trajectory){ 0 };
  cr_assert_eq(design(p), ARMDYN_OK);
  /* the same motion twice has every singular value times the root of two; a good second one more */
  cr_assert(p->result.sigma_min > sqrt(2.0) * alone * 0.99, "%g after %g", p->result.sigma_min, alone);
  cr_assert(p->result.log_determinant > before + (double)b * log(2.0) * 0.99);

  static double R[PARAMETERS * PARAMETERS], rows[N * PARAMETERS], Y[N * 11 * N], dot[2 * PARAMETERS];
  const struct armdyn_parameter_choice choice = { .rotors = ARMDYN_ROTORS_NONE, .frictionless = false };
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  memset(R, 0, sizeof R);
  for (size_t k = 0; k < COUNT; k++) {
    armdyn_regressor(p->robot, &choice, motion.q + k * n, motion.qd + k * n, motion.qdd + k * n, workspace, Y);
    armdyn_base_columns(armdyn_unknowns_base(p->unknowns), Y, n, rows);
    for (size_t i = 0; i < n * b; i++) rows[i] /= sqrt((double)RATE);
    triangle_update(b, R, n, rows, dot);
  }
  for (size_t i = 0; i < b; i++) memset(R + i * b, 0, i * sizeof *R);
  check_figures(p, R);
  armdyn_workspace_free(workspace);
  armdyn_trajectory_free(&first);
  armdyn_regression_free(regression);
  free(memory);
  plan_free(p);
}

Test(excitation, keeps_the_tool_in_its_box)
{
  struct plan *p = plan_new("ur10");
  static const double box[6] = { -0.9, -0.9, 0.1, 0.9, 0.9, 1.4 };
  p->request.tool_box = box;
  cr_assert_eq(design(p), ARMDYN_OK, "%s", p->error.message);
  check_limits(p, box);
  cr_assert(p->result.box_usage <= 1 && p->result.box_usage > 0);
  plan_free(p);
}

static enum armdyn_go count_and(void *context, const struct armdyn_excitation_progress *progress)
{
  int *left = context;
  cr_assert(progress->round >= 1 && progress->round <= progress->rounds);
  cr_assert(progress->fraction > 0 && progress->fraction <= 1 && isfinite(progress->criterion));
  return --*left > 0 ? ARMDYN_GO_ON : *left == 0 ? ARMDYN_GO_CANCEL : ARMDYN_GO_FINISH;
}

Test(excitation, can_be_ended)
{
  struct plan *p = plan_new("scara");
  int left = 3;
  cr_assert_eq(armdyn_excitation_design(p->robot, p->unknowns, &p->request, &p->trajectory, p->margin, &p->result,
                                        count_and, &left, &p->error),
               ARMDYN_ECANCELLED);
  cr_assert_eq(left, 0);
  cr_assert_null(p->trajectory.breaks);
  left = 0; /* finish at once */
  cr_assert_eq(armdyn_excitation_design(p->robot, p->unknowns, &p->request, &p->trajectory, p->margin, &p->result,
                                        count_and, &left, &p->error),
               ARMDYN_OK);
  cr_assert_eq(left, -1);
  check_limits(p, NULL);
  plan_free(p);
}

Test(excitation, says_what_cannot_be)
{
  struct plan *p = plan_new("ur10");
  struct armdyn_limits limits[N];
  for (size_t j = 0; j < p->d.joint_count; j++) limits[j] = p->d.joints[j].limits;
  p->request.limits = limits;
  limits[1].torque = 1e-3;
  cr_assert_eq(design(p), ARMDYN_EINFEASIBLE);
  cr_assert_str_eq(p->error.pointer, "/limits/torque");
  cr_assert(strstr(p->error.message, "joint j2"), "%s", p->error.message);
  limits[1].torque = INFINITY;
  limits[2].position[0] = -INFINITY;
  cr_assert_eq(design(p), ARMDYN_EINPUT);
  cr_assert_str_eq(p->error.pointer, "/limits/position");
  limits[2].position[0] = -1;
  static const double far_away[6] = { 5, 5, 5, 6, 6, 6 }, inside_out[6] = { 0, 0, 1, 1, 1, 0 };
  p->request.tool_box = far_away;
  cr_assert_eq(design(p), ARMDYN_EINFEASIBLE);
  cr_assert_str_eq(p->error.pointer, "/tool_box");
  p->request.tool_box = inside_out;
  cr_assert_eq(design(p), ARMDYN_EINPUT);
  p->request.tool_box = NULL;
  p->request.base_frequency = 100;
  cr_assert_eq(design(p), ARMDYN_EINPUT);
  cr_assert_str_eq(p->error.pointer, "/base_frequency_hz");
  p->request.base_frequency = NAN;
  cr_assert_eq(design(p), ARMDYN_EINPUT);
  plan_free(p);
}
