/* Programs of arms, evaluated: beside the kernels on random arms, beside numbers of other people's libraries, and by laws. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

static struct armdyn_code *made(const struct armdyn_robot *robot, const struct armdyn_code_request *request)
{
  struct armdyn_code *code = NULL;
  struct armdyn_error error = { .message = "" };
  cr_assert_eq(armdyn_code_new(robot, request, &code, &error), ARMDYN_OK, "%s", error.message);
  return code;
}

static struct armdyn_robot *robot_of(const struct armdyn_robot_description *description)
{
  struct armdyn_robot *robot = NULL;
  struct armdyn_error error = { .message = "" };
  cr_assert_eq(armdyn_robot_new(description, &robot, &error), ARMDYN_OK, "%s", error.message);
  return robot;
}

static size_t input_size(const struct armdyn_code *code)
{
  size_t size = 0;
  for (size_t k = 0; k < armdyn_code_input_count(code); k++) size += armdyn_code_input(code, k)->rows;
  return size;
}

/* ---------------------------------------------------------------- random arms */

/* A language that writes tanh or one that does not, and numbers, symbols or base parameters, by turns. */
static void prove_arm(const struct armdyn_robot *robot, size_t turn, bool single)
{
  for (int function = 0; function < ARMDYN_CODE_FUNCTIONS; function++) {
    struct armdyn_code_request request;
    struct armdyn_code_proof proof;
    armdyn_code_request_init(&request);
    request.function = (enum armdyn_code_function)function;
    request.language = turn % 2 ? ARMDYN_CODE_STRUCTURED_TEXT : ARMDYN_CODE_C;
    request.parameters = (enum armdyn_code_parameters)(turn / 2 % 3);
    request.single_precision = single;
    struct armdyn_code *code = made(robot, &request);
    cr_assert_eq(armdyn_code_prove(code, 25, 1 + turn, &proof), ARMDYN_OK);
    cr_expect(proof.holds, "arm %zu, %s: %g of %g", turn, armdyn_code_function_names[function],
              proof.largest_difference, proof.largest_entry);
    armdyn_code_free(code);
  }
}

Test(code, of_random_arms_agrees_with_the_kernels, .timeout = 300)
{
  static const enum armdyn_convention conventions[] = { ARMDYN_DH, ARMDYN_MDH, ARMDYN_FRAMES };
  static struct armdyn_robot_description description;
  struct dice dice = { 24 };
  for (size_t arm = 0; arm < 200; arm++) {
    random_description(&dice, &description, 1 + arm % ARMDYN_CODE_JOINTS_MAX, conventions[arm % 3]);
    if (!sample(arm)) continue;
    struct armdyn_robot *robot = robot_of(&description);
    prove_arm(robot, arm, false);
    armdyn_robot_free(robot);
  }
}

/* Base parameters are solved for: digits that are lost are lost for all states. Among these are arms with columns of the
 * regressor that are a millionth of others (numbers 21 and 93), which must not lead. */
Test(code, base_parameters_of_random_arms_lose_no_digits, .timeout = 300)
{
  static const enum armdyn_convention conventions[] = { ARMDYN_DH, ARMDYN_MDH, ARMDYN_FRAMES };
  static const enum armdyn_code_function functions[] = { ARMDYN_CODE_INVERSE_DYNAMICS, ARMDYN_CODE_MASS_MATRIX };
  static struct armdyn_robot_description description;
  struct dice dice = { 1 };
  const size_t arms = getenv("ARMDYN_SOAK") ? 2000 : 120;
  for (size_t arm = 0; arm < arms; arm++) {
    random_description(&dice, &description, 1 + arm % ARMDYN_CODE_JOINTS_MAX, conventions[arm % 3]);
    if (!sample(arm)) continue;
    struct armdyn_robot *robot = robot_of(&description);
    for (size_t k = 0; k < 2; k++) {
      struct armdyn_code_request request;
      struct armdyn_code_proof proof;
      armdyn_code_request_init(&request);
      request.function = functions[k];
      request.parameters = ARMDYN_CODE_BASE;
      struct armdyn_code *code = made(robot, &request);
      cr_assert_eq(armdyn_code_prove(code, 50, 1 + arm, &proof), ARMDYN_OK);
      cr_expect(proof.holds, "arm %zu, %s: %g of %g", arm, armdyn_code_function_names[functions[k]],
                proof.largest_difference, proof.largest_entry);
      armdyn_code_free(code);
    }
    armdyn_robot_free(robot);
  }
}

/* Parallel and right-angled axes are what arms are made of, and what folds away. */
Test(code, of_arms_with_parallel_and_right_angled_axes_agrees_with_the_kernels, .timeout = 300)
{
  static const double twists[] = { 0, M_PI / 2, -M_PI / 2, M_PI };
  static struct armdyn_robot_description description;
  struct dice dice = { 25 };
  for (size_t arm = 0; arm < 60; arm++) {
    random_description(&dice, &description, 1 + arm % 7, arm % 2 ? ARMDYN_DH : ARMDYN_MDH);
    for (size_t i = 0; i < description.joint_count; i++) {
      struct armdyn_joint *joint = &description.joints[i];
      joint->alpha = twists[(size_t)dice_uniform(&dice, 0, 4)];
      joint->theta = joint->type == ARMDYN_PRISMATIC ? twists[(size_t)dice_uniform(&dice, 0, 4)] : 0;
      joint->offset = joint->type == ARMDYN_PRISMATIC ? 0 : twists[(size_t)dice_uniform(&dice, 0, 4)];
    }
    if (!sample(arm)) continue;
    struct armdyn_robot *robot = robot_of(&description);
    prove_arm(robot, arm, false);
    armdyn_robot_free(robot);
  }
}

/* Equations to read, in the arm's own symbols, of arms that have such. */
static size_t prove_closed_forms(const struct armdyn_robot *robot, size_t arm)
{
  static const enum armdyn_code_function functions[] = { ARMDYN_CODE_INVERSE_DYNAMICS, ARMDYN_CODE_MASS_MATRIX,
                                                         ARMDYN_CODE_CORIOLIS, ARMDYN_CODE_GRAVITY };
  size_t closed = 0;
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    struct armdyn_code_request request;
    struct armdyn_code_proof proof;
    armdyn_code_request_init(&request);
    request.function = functions[k];
    request.language = k % 2 ? ARMDYN_CODE_LATEX : ARMDYN_CODE_TEXT;
    request.parameters = ARMDYN_CODE_SYMBOLS;
    struct armdyn_code *code = made(robot, &request);
    cr_assert_eq(armdyn_code_prove(code, 50, arm, &proof), ARMDYN_OK);
    cr_expect(proof.holds, "arm %zu, %s: %g of %g", arm, armdyn_code_function_names[functions[k]],
              proof.largest_difference, proof.largest_entry);
    closed += armdyn_code_parameter_values(code) == NULL; /* symbols are no input of it */
    armdyn_code_free(code);
  }
  return closed;
}

Test(code, closed_forms_agree_with_the_kernels, .timeout = 300)
{
  static const double twists[] = { 0, M_PI / 2, -M_PI / 2, M_PI };
  static struct armdyn_robot_description description;
  struct dice dice = { 29 };
  size_t closed = 0;
  for (size_t arm = 0; arm < 40; arm++) {
    random_description(&dice, &description, 1 + arm % 4, arm % 2 ? ARMDYN_DH : ARMDYN_MDH);
    description.has_transmission = false;
    for (size_t i = 0; i < description.joint_count; i++) {
      struct armdyn_joint *joint = &description.joints[i];
      const bool first = i == 0 || arm % 3 == 0; /* the others are planar, or a SCARA, turned over or not */
      joint->alpha = twists[(size_t)dice_uniform(&dice, 0, first ? 4 : 1)];
      if (i == 1 && arm % 5 == 0) joint->alpha = M_PI;
      if (joint->type == ARMDYN_PRISMATIC) joint->theta = 0;
      joint->link.com[1] = arm % 4 ? 0 : joint->link.com[1];
    }
    struct armdyn_robot *robot = robot_of(&description);
    closed += prove_closed_forms(robot, arm);
    armdyn_robot_free(robot);
  }
  cr_expect_geq(closed, 80);
}

/* ---------------------------------------------------------------- other people's numbers */

struct reference {
  cJSON *json;
  struct armdyn_robot *robot;
};

static struct reference reference_of(const char *name)
{
  static struct armdyn_robot_description description;
  char path[128];
  snprintf(path, sizeof path, "tests/data/vectors/%s.json", name);
  struct reference r = { .json = json_load(path) };
  cr_assert(r.json, "%s cannot be read", path);
  description_from_json(cJSON_GetObjectItemCaseSensitive(r.json, "robot"), &description);
  r.robot = robot_of(&description);
  return r;
}

static void check_state(struct armdyn_code *code, const cJSON *state, const char *field, const char *name)
{
  double inputs[3 * ARMDYN_JOINTS_MAX] = { 0 }, out[6 * ARMDYN_JOINTS_MAX + 100], wanted[6 * ARMDYN_JOINTS_MAX + 100];
  const struct armdyn_code_variable *output = armdyn_code_output(code);
  const size_t count = output->rows * output->columns;
  double largest = 1e-6;
  size_t at = 0;
  for (size_t k = 0; k < armdyn_code_input_count(code); k++) {
    const struct armdyn_code_variable *x = armdyn_code_input(code, k);
    cr_assert_eq(json_field(state, x->name, inputs + at, x->rows), x->rows, "%s has no %s", name, x->name);
    at += x->rows;
  }
  cr_assert_eq(json_field(state, field, wanted, count), count, "%s has no %s", name, field);
  armdyn_code_evaluate(code, inputs, out);
  for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(wanted[k]));
  for (size_t k = 0; k < count; k++) {
    cr_expect(fabs(out[k] - wanted[k]) <= 1e-9 * largest, "%s %s[%zu]: %.17g, not %.17g", name, field, k, out[k],
              wanted[k]);
  }
}

Test(code, agrees_with_the_numbers_of_other_libraries)
{
  static const char *const names[] = { "puma560", "scara", "prismatic_dh", "prismatic_mdh" };
  static const struct {
    enum armdyn_code_function function;
    const char *field;
  } rows[] = { { ARMDYN_CODE_GRAVITY, "gravity_torque" },
               { ARMDYN_CODE_MASS_MATRIX, "M" },
               { ARMDYN_CODE_CORIOLIS, "coriolis_torque" },
               { ARMDYN_CODE_INVERSE_DYNAMICS, "tau" },
               { ARMDYN_CODE_FORWARD_KINEMATICS, "T_tool" } };
  for (size_t r = 0; r < sizeof names / sizeof *names; r++) {
    struct reference reference = reference_of(names[r]);
    for (size_t f = 0; f < sizeof rows / sizeof *rows; f++) {
      struct armdyn_code_request request;
      armdyn_code_request_init(&request);
      request.function = rows[f].function;
      struct armdyn_code *code = made(reference.robot, &request);
      const cJSON *state = cJSON_GetObjectItemCaseSensitive(reference.json, "states")->child;
      for (; state; state = state->next) check_state(code, state, rows[f].field, names[r]);
      armdyn_code_free(code);
    }
    cJSON_Delete(reference.json);
    armdyn_robot_free(reference.robot);
  }
}

/* ---------------------------------------------------------------- laws */

/* Torques are the regressor times the parameters, whatever these are. */
static void check_linear(const struct armdyn_robot *robot, enum armdyn_code_parameters parameters, struct dice *dice)
{
  struct armdyn_code_request torque_request, regressor_request;
  armdyn_code_request_init(&torque_request);
  torque_request.parameters = parameters;
  regressor_request = torque_request;
  regressor_request.function = ARMDYN_CODE_REGRESSOR;
  struct armdyn_code *torque = made(robot, &torque_request), *regressor = made(robot, &regressor_request);
  const size_t n = armdyn_robot_joint_count(robot), count = armdyn_code_output(regressor)->columns;
  double *x = calloc(count + 3 * n, sizeof *x), *Y = calloc(n * count, sizeof *Y), tau[ARMDYN_JOINTS_MAX];
  cr_assert_eq(input_size(torque), count + 3 * n);
  for (int k = 0; k < 10; k++) {
    dice_fill(dice, x, count + 3 * n, -2, 2);
    armdyn_code_evaluate(torque, x, tau);
    armdyn_code_evaluate(regressor, x + count, Y);
    for (size_t i = 0; i < n; i++) {
      double sum = 0, size = 0;
      for (size_t j = 0; j < count; j++) {
        sum += Y[i * count + j] * x[j];
        size += fabs(Y[i * count + j] * x[j]);
      }
      cr_expect(fabs(sum - tau[i]) <= 1e-13 * size, "tau[%zu] = %.17g, not %.17g", i, tau[i], sum);
    }
  }
  free(x);
  free(Y);
  armdyn_code_free(torque);
  armdyn_code_free(regressor);
}

Test(code, torques_are_linear_in_the_parameters)
{
  static const enum armdyn_convention conventions[] = { ARMDYN_DH, ARMDYN_MDH, ARMDYN_FRAMES };
  static struct armdyn_robot_description description;
  struct dice dice = { 26 };
  for (size_t arm = 0; arm < 12; arm++) {
    random_description(&dice, &description, 1 + arm % 6, conventions[arm % 3]);
    struct armdyn_robot *robot = robot_of(&description);
    check_linear(robot, ARMDYN_CODE_SYMBOLS, &dice);
    check_linear(robot, ARMDYN_CODE_BASE, &dice);
    armdyn_robot_free(robot);
  }
}

Test(code, terms_add_up_to_the_whole)
{
  struct reference reference = reference_of("puma560");
  struct dice dice = { 27 };
  double x[18], part[6], sum[6] = { 0 };
  dice_fill(&dice, x, 18, -2, 2);
  for (unsigned terms = 1; terms <= ARMDYN_CODE_ALL_TERMS; terms = terms == 8 ? 15 : 2 * terms) {
    struct armdyn_code_request request;
    armdyn_code_request_init(&request);
    request.terms = terms;
    struct armdyn_code *code = made(reference.robot, &request);
    armdyn_code_evaluate(code, x, part);
    for (int i = 0; i < 6; i++) {
      if (terms < 15) sum[i] += part[i];
      if (terms == 15) cr_expect_float_eq(sum[i], part[i], 1e-12);
    }
    armdyn_code_free(code);
    if (terms == 15) break;
  }
  cJSON_Delete(reference.json);
  armdyn_robot_free(reference.robot);
}

/* ---------------------------------------------------------------- cost and limits */

static struct armdyn_code_figures figures_of(const char *name, unsigned terms)
{
  struct reference reference = reference_of(name);
  struct armdyn_code_request request;
  struct armdyn_code_figures figures;
  armdyn_code_request_init(&request);
  request.terms = terms;
  struct armdyn_code *code = made(reference.robot, &request);
  armdyn_code_figures(code, &figures);
  armdyn_code_free(code);
  cJSON_Delete(reference.json);
  armdyn_robot_free(reference.robot);
  return figures;
}

/* The Puma's first axis turns in the plane of nothing but its rotor and links: what folds away is not computed. */
Test(code, of_the_puma_is_short)
{
  const struct armdyn_code_figures n = figures_of("puma560", ARMDYN_CODE_ALL_TERMS & ~(unsigned)ARMDYN_CODE_RUBBING);
  cr_expect_leq(n.multiplications, 190);
  cr_expect_leq(n.additions, 146);
  cr_expect_eq(n.sines, 10); /* of q1 it knows nothing */
  cr_expect_leq(n.live, 70);
}

Test(code, is_for_arms_of_up_to_ten_joints)
{
  static struct armdyn_robot_description description;
  struct dice dice = { 28 };
  struct armdyn_code_request request;
  struct armdyn_code *code = NULL;
  struct armdyn_error error = { .message = "" };
  random_description(&dice, &description, ARMDYN_CODE_JOINTS_MAX + 1, ARMDYN_DH);
  struct armdyn_robot *robot = robot_of(&description);
  armdyn_code_request_init(&request);
  cr_assert_eq(armdyn_code_new(robot, &request, &code, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "1 to 10 joints, this one has 11"), "%s", error.message);
  cr_expect_null(code);
  armdyn_robot_free(robot);
}

/* ---------------------------------------------------------------- single precision */

Test(code, in_single_precision_agrees_to_five_digits, .timeout = 300)
{
  static const char *const names[] = { "puma560", "scara", "prismatic_dh", "prismatic_mdh" };
  for (size_t r = 0; r < sizeof names / sizeof *names; r++) {
    struct reference reference = reference_of(names[r]);
    prove_arm(reference.robot, r, true);
    cJSON_Delete(reference.json);
    armdyn_robot_free(reference.robot);
  }
}
