/* What can be made, and what each is proven against. */
#include <math.h>

#include "armdyn/collision.h"
#include "armdyn/terms.h"
#include "lib/model/reduced.h"
#include "lib/symbolic/program.h"

size_t code_input_place(const struct armdyn_code *code, enum input input)
{
  for (size_t k = 0; k < code->input_count; k++) {
    if (code->kinds[k] == input) return code->first[k];
  }
  return SIZE_MAX;
}

/* The numbers of an input among all; NULL: the function has no such input. */
static const double *numbers(const struct armdyn_code *code, const double *all, enum input input)
{
  const size_t first = code_input_place(code, input);
  return first == SIZE_MAX ? NULL : all + first;
}
static const expr *symbols(const struct armdyn_code *code, const expr *all, enum input input)
{
  const size_t first = code_input_place(code, input);
  return first == SIZE_MAX ? NULL : all + first;
}

static void vector_shape(const struct armdyn_code *code, size_t *rows, size_t *columns)
{
  *rows = code->joint_count;
  *columns = 1;
}

static void of_joints(const struct arm *arm, expr qd[ARMDYN_JOINTS_MAX], expr qdd[ARMDYN_JOINTS_MAX])
{
  for (size_t i = 0; i < arm->n; i++) {
    qd[i] = arm->joints[i].qd;
    qdd[i] = arm->joints[i].qdd;
  }
}

/* ---------------------------------------------------------------- torques */

static void make_inverse(const struct armdyn_code *code, struct arm *arm, const expr *input, expr *out)
{
  const unsigned terms = code->request.terms;
  const struct arm_terms links = { .velocity = terms & ARMDYN_CODE_VELOCITY,
                                   .acceleration = terms & ARMDYN_CODE_INERTIAL,
                                   .gravity = terms & ARMDYN_CODE_WEIGHT };
  expr qd[ARMDYN_JOINTS_MAX], qdd[ARMDYN_JOINTS_MAX];
  (void)input;
  of_joints(arm, qd, qdd);
  code_arm_torques(arm, links, out);
  if (links.acceleration) code_arm_rotors_add(arm, qdd, out);
  for (size_t i = 0; i < arm->n && (terms & ARMDYN_CODE_RUBBING); i++) {
    out[i] = expr_add(arm->graph, out[i], code_arm_friction(arm, i));
  }
}

static void inverse_reference(const struct armdyn_code *code, const double *input, struct armdyn_workspace *workspace,
                              double *out)
{
  const unsigned terms = code->request.terms;
  const double *q = numbers(code, input, INPUT_Q), *qd = numbers(code, input, INPUT_QD);
  const double *qdd = numbers(code, input, INPUT_QDD);
  double part[4][ARMDYN_JOINTS_MAX];
  const struct armdyn_torque_parts parts = {
    .inertial = part[0], .coriolis = part[1], .gravity = part[2], .friction = part[3]
  };
  armdyn_inverse_dynamics_parts(code->robot, q, qd, qdd, NULL, workspace, out, &parts);
  if (terms == ARMDYN_CODE_ALL_TERMS) return;
  for (size_t i = 0; i < code->joint_count; i++) {
    out[i] = 0;
    for (int k = 0; k < 4; k++) out[i] += terms >> k & 1 ? part[k][i] : 0;
  }
}

static void make_gravity(const struct armdyn_code *code, struct arm *arm, const expr *input, expr *out)
{
  (void)code, (void)input;
  code_arm_torques(arm, (struct arm_terms){ .gravity = true }, out);
}
static void gravity_reference(const struct armdyn_code *code, const double *input, struct armdyn_workspace *workspace,
                              double *out)
{
  armdyn_gravity_torque(code->robot, numbers(code, input, INPUT_Q), workspace, out);
}

static void make_friction(const struct armdyn_code *code, struct arm *arm, const expr *input, expr *out)
{
  (void)code, (void)input;
  for (size_t i = 0; i < arm->n; i++) out[i] = code_arm_friction(arm, i);
}
static void friction_reference(const struct armdyn_code *code, const double *input, struct armdyn_workspace *workspace,
                               double *out)
{
  (void)workspace;
  armdyn_friction_torques(code->robot, numbers(code, input, INPUT_Q), numbers(code, input, INPUT_QD), out);
}

static void make_coriolis(const struct armdyn_code *code, struct arm *arm, const expr *input, expr *out)
{
  (void)code, (void)input;
  code_arm_torques(arm, (struct arm_terms){ .velocity = true }, out);
}
static void coriolis_reference(const struct armdyn_code *code, const double *input, struct armdyn_workspace *workspace,
                               double *out)
{
  armdyn_coriolis_torque(code->robot, numbers(code, input, INPUT_Q), numbers(code, input, INPUT_QD), workspace, out);
}

/* ---------------------------------------------------------------- matrices */

static void square_shape(const struct armdyn_code *code, size_t *rows, size_t *columns)
{
  *rows = *columns = code->joint_count;
}
static void make_mass_matrix(const struct armdyn_code *code, struct arm *arm, const expr *input, expr *out)
{
  (void)code, (void)input;
  code_arm_mass_matrix(arm, out);
}
static void mass_matrix_reference(const struct armdyn_code *code, const double *input,
                                  struct armdyn_workspace *workspace, double *out)
{
  armdyn_mass_matrix(code->robot, numbers(code, input, INPUT_Q), workspace, out);
}

static void tool_shape(const struct armdyn_code *code, size_t *rows, size_t *columns)
{
  (void)code;
  *rows = *columns = 4;
}
static void make_tool(const struct armdyn_code *code, struct arm *arm, const expr *input, expr *out)
{
  (void)code, (void)input;
  code_arm_kinematics(arm, out, NULL);
}
static void tool_reference(const struct armdyn_code *code, const double *input, struct armdyn_workspace *workspace,
                           double *out)
{
  armdyn_forward_kinematics(code->robot, numbers(code, input, INPUT_Q), workspace, out, NULL);
}

static void jacobian_shape(const struct armdyn_code *code, size_t *rows, size_t *columns)
{
  *rows = 6;
  *columns = code->joint_count;
}
static void make_jacobian(const struct armdyn_code *code, struct arm *arm, const expr *input, expr *out)
{
  (void)code, (void)input;
  code_arm_kinematics(arm, NULL, out);
}
static void jacobian_reference(const struct armdyn_code *code, const double *input, struct armdyn_workspace *workspace,
                               double *out)
{
  const size_t half = 3 * code->joint_count;
  double J[6 * ARMDYN_JOINTS_MAX];
  armdyn_jacobian(code->robot, numbers(code, input, INPUT_Q), ARMDYN_JACOBIAN_BASE, workspace, J);
  memcpy(out, J + half, half * sizeof *out); /* the linear rows first */
  memcpy(out + half, J, half * sizeof *out);
}

/* All columns, or those that lead base parameters. */
static void regressor_shape(const struct armdyn_code *code, size_t *rows, size_t *columns)
{
  *rows = code->joint_count;
  *columns = code->parameter_count;
}

enum { WIDTH_MAX = ARMDYN_CODE_JOINTS_MAX * (10 + 1 + 8 + ARMDYN_RIPPLES_MAX) };

static void make_regressor(const struct armdyn_code *code, struct arm *arm, const expr *input, expr *out)
{
  const size_t n = code->joint_count, width = code->standard_count;
  const size_t columns = code->output_size / n;
  expr all[ARMDYN_CODE_JOINTS_MAX * WIDTH_MAX];
  (void)input;
  code_arm_regressor(arm, width, all);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < columns; k++) out[i * columns + k] = all[i * width + code_parameter_standard(code, k)];
  }
}
static void regressor_reference(const struct armdyn_code *code, const double *input, struct armdyn_workspace *workspace,
                                double *out)
{
  double all[ARMDYN_CODE_JOINTS_MAX * WIDTH_MAX];
  armdyn_regressor(code->robot, NULL, numbers(code, input, INPUT_Q), numbers(code, input, INPUT_QD),
                   numbers(code, input, INPUT_QDD), workspace, all);
  for (size_t k = 0; k < code->output_size; k++) {
    const size_t columns = code->output.columns;
    out[k] = all[k / columns * code->standard_count + code_parameter_standard(code, k % columns)];
  }
}

/* ---------------------------------------------------------------- the observer of collisions */

/* residual, momentum, push: n each; begun */
static void observer_shape(const struct armdyn_code *code, size_t *rows, size_t *columns)
{
  *rows = 3 * code->joint_count + 1;
  *columns = 1;
}

/* armdyn_observe with a torque that is measured at the samples. */
static void make_observer(const struct armdyn_code *code, struct arm *arm, const expr *input, expr *out)
{
  struct expr_graph *g = arm->graph;
  const size_t n = arm->n;
  const expr *tau = symbols(code, input, INPUT_TAU), *state = symbols(code, input, INPUT_STATE);
  const expr gain = *symbols(code, input, INPUT_GAIN), period = *symbols(code, input, INPUT_PERIOD);
  const expr one = expr_number(g, 1), half = expr_number(g, 0.5);
  const expr fall = expr_unary(g, EXPR_EXP, expr_negate(g, expr_multiply(g, gain, period)), 0);
  const expr taken_in = expr_multiply(g, state[3 * n], expr_subtract(g, one, fall));
  expr momentum[ARMDYN_JOINTS_MAX], drift[ARMDYN_JOINTS_MAX];
  code_arm_momentum(arm, momentum, drift);
  for (size_t i = 0; i < n; i++) {
    const expr before = state[i];
    const expr push = expr_add(g, expr_subtract(g, drift[i], code_arm_friction(arm, i)), tau[i]);
    const expr known = expr_multiply(g, half, expr_add(g, push, state[2 * n + i]));
    const expr rate = expr_divide(g, expr_subtract(g, momentum[i], state[n + i]), period);
    const expr error = expr_subtract(g, expr_subtract(g, rate, known), before);
    out[i] = expr_add(g, before, expr_multiply(g, taken_in, error));
    out[n + i] = momentum[i];
    out[2 * n + i] = push;
  }
  out[3 * n] = one;
}

static void observer_reference(const struct armdyn_code *code, const double *input, struct armdyn_workspace *workspace,
                               double *out)
{
  const size_t n = code->joint_count;
  const double *state = numbers(code, input, INPUT_STATE);
  struct armdyn_observer observer;
  armdyn_observer_init(&observer, *numbers(code, input, INPUT_GAIN), false);
  observer.begun = state[3 * n] != 0;
  for (size_t i = 0; i < n; i++) {
    observer.residual[i] = state[i];
    observer.momentum[i] = state[n + i];
    observer.push[i] = state[2 * n + i];
  }
  armdyn_observe(&observer, code->robot, *numbers(code, input, INPUT_PERIOD), numbers(code, input, INPUT_Q),
                 numbers(code, input, INPUT_QD), numbers(code, input, INPUT_TAU), NULL, workspace);
  for (size_t i = 0; i < n; i++) {
    out[i] = observer.residual[i];
    out[n + i] = observer.momentum[i];
    out[2 * n + i] = observer.push[i];
  }
  out[3 * n] = 1;
}

/* ---------------------------------------------------------------- payload */

/* The arm of this load alone. */
static void make_payload(const struct armdyn_code *code, struct arm *arm, const expr *input, expr *out)
{
  struct expr_graph *g = arm->graph;
  const expr *payload = symbols(code, input, INPUT_PAYLOAD);
  const struct pose tool = code_arm_constant_pose(arm, &arm->robot->tool);
  struct expr_body body = { .m = payload[0], .h = { payload[1], payload[2], payload[3] } };
  expr p[3];
  code_arm_second_moments(g, payload + 4, body.s);
  expr_vector(g, p, tool.p, 3);
  expr_body_rotate(g, &body, tool.r);
  expr_body_shift(g, &body, p);
  for (size_t i = 0; i < arm->n; i++) arm->joints[i].body = (struct expr_body){ .m = 0 };
  arm->joints[arm->n - 1].body = body;
  code_arm_torques(arm, (struct arm_terms){ true, true, true }, out);
}

/* Y of the last link at the tool: sums of what the regressor of the arm whose last link frame is the tool would have; taken
 * from two arms instead, with the load and without. */
static void payload_reference(const struct armdyn_code *code, const double *input, struct armdyn_workspace *workspace,
                              double *out)
{
  const double *payload = numbers(code, input, INPUT_PAYLOAD), *p = payload, *I = payload + 4;
  const double *q = numbers(code, input, INPUT_Q), *qd = numbers(code, input, INPUT_QD);
  const double *qdd = numbers(code, input, INPUT_QDD);
  const size_t n = code->joint_count;
  struct armdyn_robot arm = *code->robot;
  const struct distribution load = { .m = p[0],
                                     .h = { p[1], p[2], p[3] },
                                     .s = { (I[2] + I[5] - I[0]) / 2, (I[0] + I[5] - I[2]) / 2,
                                            (I[0] + I[2] - I[5]) / 2, -I[1], -I[3], -I[4] } };
  for (size_t i = 0; i < n; i++) arm.joints[i].link = (struct distribution){ 0 };
  distribution_add(&arm.joints[n - 1].link, &arm.tool, &load);
  memset(arm.rotor_inertia, 0, sizeof arm.rotor_inertia);
  memset(arm.coupled_rotor_inertia, 0, sizeof arm.coupled_rotor_inertia);
  reduced_compile(&arm, &arm.reduced);
  armdyn_inverse_dynamics(&arm, q, qd, qdd, &(struct armdyn_load){ .frictionless = true }, workspace, out);
}

/* ---------------------------------------------------------------- the table */

#define BITS1(a)       (1u << (a))
#define BITS2(a, b)    (BITS1(a) | BITS1(b))
#define BITS3(a, b, c) (BITS2(a, b) | BITS1(c))

static const char torques[] = "joint torques, N m (N of a slide)";

const struct code_function code_functions[ARMDYN_CODE_FUNCTIONS] = {
  [ARMDYN_CODE_INVERSE_DYNAMICS] = { "Joint torques of a motion", BITS3(INPUT_Q, INPUT_QD, INPUT_QDD), true,
                                     ARM_REDUCED, "tau", torques, vector_shape, make_inverse, inverse_reference },
  [ARMDYN_CODE_GRAVITY] = { "Joint torques that hold the arm against gravity", BITS1(INPUT_Q), true, ARM_REDUCED, "tau",
                            torques, vector_shape, make_gravity, gravity_reference },
  [ARMDYN_CODE_FRICTION] = { "Joint torques of friction", BITS2(INPUT_Q, INPUT_QD), true, ARM_REDUCED, "tau", torques,
                             vector_shape, make_friction, friction_reference },
  [ARMDYN_CODE_MASS_MATRIX] = { "Mass matrix, reflected rotor inertia included", BITS1(INPUT_Q), true, ARM_REDUCED,
                                "mass_matrix", "kg m^2 (kg m, kg)", square_shape, make_mass_matrix,
                                mass_matrix_reference },
  [ARMDYN_CODE_CORIOLIS] = { "Centrifugal and Coriolis torques C(q, qd) qd", BITS2(INPUT_Q, INPUT_QD), true,
                             ARM_REDUCED, "tau", torques, vector_shape, make_coriolis, coriolis_reference },
  [ARMDYN_CODE_FORWARD_KINEMATICS] = { "Pose of the tool in the base frame", BITS1(INPUT_Q), false, ARM_COMPILED,
                                       "tool", "homogeneous transformation; lengths in m", tool_shape, make_tool,
                                       tool_reference },
  [ARMDYN_CODE_JACOBIAN] = { "Geometric Jacobian at the tool, base axes", BITS1(INPUT_Q), false, ARM_COMPILED,
                             "jacobian", "rows vx vy vz wx wy wz, a column for each joint", jacobian_shape,
                             make_jacobian, jacobian_reference },
  [ARMDYN_CODE_REGRESSOR] = { "Regressor: joint torques are it times the parameters",
                              BITS3(INPUT_Q, INPUT_QD, INPUT_QDD), false, ARM_COMPILED, "regressor",
                              "a row for each joint, a column for each parameter", regressor_shape, make_regressor,
                              regressor_reference },
  [ARMDYN_CODE_COLLISION_OBSERVER] = { "External joint torques, by the observer of momentum",
                                       BITS3(INPUT_Q, INPUT_QD, INPUT_TAU) |
                                           BITS3(INPUT_GAIN, INPUT_PERIOD, INPUT_STATE),
                                       true, ARM_REDUCED, "state",
                                       "first the residual of each joint, N m (N); then what is remembered",
                                       observer_shape, make_observer, observer_reference },
  [ARMDYN_CODE_PAYLOAD_TORQUE] = { "Joint torques of a load on the tool alone",
                                   BITS3(INPUT_Q, INPUT_QD, INPUT_QDD) | BITS1(INPUT_PAYLOAD), false, ARM_COMPILED,
                                   "tau", torques, vector_shape, make_payload, payload_reference },
};

const char *const armdyn_code_function_names[ARMDYN_CODE_FUNCTIONS] = {
  [ARMDYN_CODE_INVERSE_DYNAMICS] = "inverse_dynamics",
  [ARMDYN_CODE_GRAVITY] = "gravity",
  [ARMDYN_CODE_FRICTION] = "friction",
  [ARMDYN_CODE_MASS_MATRIX] = "mass_matrix",
  [ARMDYN_CODE_CORIOLIS] = "coriolis",
  [ARMDYN_CODE_FORWARD_KINEMATICS] = "forward_kinematics",
  [ARMDYN_CODE_JACOBIAN] = "jacobian",
  [ARMDYN_CODE_REGRESSOR] = "regressor",
  [ARMDYN_CODE_COLLISION_OBSERVER] = "collision_observer",
  [ARMDYN_CODE_PAYLOAD_TORQUE] = "payload_torque",
};
