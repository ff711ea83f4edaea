/* What every call on samples takes and answers. */
#include "api/codec/dynamics.h"
#include "api/codec/dynamics_request.h"

static const char *const frame_names[] = { [ARMDYN_WRENCH_TOOL] = "tool", [ARMDYN_WRENCH_BASE] = "base" };
static const char *const jacobian_frame_names[] = { [ARMDYN_JACOBIAN_BASE] = "base", [ARMDYN_JACOBIAN_TOOL] = "tool" };
static const char *const inverse_methods[] = { [ARMDYN_INVERSE_NEWTON_EULER] = "newton_euler",
                                               [ARMDYN_INVERSE_LAGRANGE] = "lagrange",
                                               [ARMDYN_INVERSE_CLOSED_FORM] = "closed_form" };
static const char *const forward_methods[] = {
  [ARMDYN_FORWARD_ABA] = "aba", [ARMDYN_FORWARD_CRBA] = "crba", [ARMDYN_FORWARD_GAUSS] = "gauss"
};

static const char *const constraints[] = { [ARMDYN_CONSTRAINT_NONE] = "none",
                                           [ARMDYN_CONSTRAINT_POINT] = "point",
                                           [ARMDYN_CONSTRAINT_POSE] = "pose",
                                           [ARMDYN_CONSTRAINT_WALL] = "wall" };

/* A field of samples: `width_` numbers a row. */
#define SAMPLES(name_, table_, width_, unit_)                                                                          \
  .name = name_, .offset = offsetof(struct request, tables) + (table_) * sizeof(struct table),                         \
  .size = sizeof(struct table), .kind = FIELD_CUSTOM, .decode = samples_table_decode, .length = width_, .unit = unit_

#define Q            SAMPLES("q", TABLE_Q, PER_JOINT, "rad; m for a slide")
#define QD           SAMPLES("qd", TABLE_QD, PER_JOINT, "rad/s; m/s for a slide")
#define QDD          SAMPLES("qdd", TABLE_QDD, PER_JOINT, "rad/s^2; m/s^2 for a slide")
#define TAU          SAMPLES("tau", TABLE_TAU, PER_JOINT, "N m; N for a slide")
#define WRENCHES     SAMPLES("wrench", TABLE_WRENCH, WRENCH, "fx, fy, fz in N, mx, my, mz in N m")
#define WRENCH_FRAME ENUM(struct request, wrench_frame, frame_names)

/* clang-format off */
static const struct json_field position_fields[] = { { Q, REQUIRED }, OVERRIDES };
static const struct json_field kinematics_fields[] = {
  { Q, REQUIRED }, { QD, NULLABLE }, { QDD, NULLABLE },
  { TRUTH(struct request, poses) },
  OVERRIDES,
};
static const struct json_field state_fields[] = { { Q, REQUIRED }, { QD, REQUIRED }, OVERRIDES };
static const struct json_field coriolis_fields[] = {
  { Q, REQUIRED }, { QD, REQUIRED },
  { TRUTH(struct request, decompose) },
  OVERRIDES,
};
static const struct json_field motion_fields[] = { { Q, REQUIRED }, { QD, REQUIRED }, { QDD, REQUIRED }, OVERRIDES };
static const struct json_field jacobian_fields[] = {
  { Q, REQUIRED }, { QD, NULLABLE },
  { ENUM(struct request, frame, jacobian_frame_names) },
  OVERRIDES,
};
static const struct json_field statics_fields[] = { { Q, REQUIRED }, { WRENCHES, REQUIRED }, { WRENCH_FRAME }, OVERRIDES };
static const struct json_field inverse_dynamics_fields[] = {
  { Q, REQUIRED }, { QD, REQUIRED }, { QDD, REQUIRED },
  { WRENCHES, NULLABLE }, { WRENCH_FRAME },
  { ENUM(struct request, method, inverse_methods) },
  { TRUTH(struct request, friction) },
  { TRUTH(struct request, decompose) },
  { TRUTH(struct request, joint_wrenches) },
  OVERRIDES,
};
static const struct json_field forward_dynamics_fields[] = {
  { Q, REQUIRED }, { QD, REQUIRED }, { TAU, REQUIRED },
  { WRENCHES, NULLABLE }, { WRENCH_FRAME },
  { ENUM(struct request, method, forward_methods) },
  { ENUM(struct request, constraint, constraints) },
  { NUMBERS(struct request, normal, 3, BETWEEN(-1000, 1000), NULL) },
  { TRUTH(struct request, friction) },
  OVERRIDES,
};
static const struct json_field derivatives_fields[] = {
  { Q, REQUIRED }, { QD, REQUIRED }, { QDD, REQUIRED },
  { WRENCHES, NULLABLE }, { WRENCH_FRAME },
  { TRUTH(struct request, friction) },
  OVERRIDES,
};
static const struct json_field linearize_fields[] = {
  { Q, REQUIRED }, { QD, REQUIRED }, { TAU, REQUIRED },
  { WRENCHES, NULLABLE }, { WRENCH_FRAME },
  { TRUTH(struct request, friction) },
  OVERRIDES,
};
static const struct json_field diagnosis_fields[] = {
  { Q, REQUIRED }, { QD, REQUIRED }, { QDD, REQUIRED }, { TAU, REQUIRED },
  { TRUTH(struct request, friction) },
  { NUMBER(struct request, tolerance, BETWEEN(1e-9, 0.5), "relative error that is agreement") },
  OVERRIDES,
};
/* clang-format on */

static void request_init(void *object)
{
  struct request *request = object;
  *request = (struct request){ .friction = true, .tolerance = 1e-6, .normal = { 0, 0, 1 } };
}

static void forward_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const double *normal = ((const struct request *)object)->normal;
  (void)given, (void)context;
  if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0)
    json_fault(r, "/normal", FAULT_INCONSISTENT, "must point somewhere, got [0, 0, 0]");
}

#define REQUEST(words_, fields_) JSON_TYPE("a request for " words_, fields_, struct request, request_init, NULL)

static const struct json_type inverse_dynamics_request = REQUEST("inverse dynamics", inverse_dynamics_fields);
static const struct json_type forward_dynamics_request =
    JSON_TYPE("a request for forward dynamics", forward_dynamics_fields, struct request, request_init, forward_check);
static const struct json_type position_request = REQUEST("positions", position_fields);
static const struct json_type kinematics_request = REQUEST("forward kinematics", kinematics_fields);
static const struct json_type state_request = REQUEST("positions and velocities", state_fields);
static const struct json_type coriolis_request = REQUEST("positions and velocities", coriolis_fields);
static const struct json_type jacobian_request = REQUEST("a Jacobian", jacobian_fields);
static const struct json_type statics_request = REQUEST("statics", statics_fields);
static const struct json_type derivatives_request = REQUEST("derivatives", derivatives_fields);
static const struct json_type motion_request = REQUEST("positions, velocities and accelerations", motion_fields);
static const struct json_type diagnosis_request = REQUEST("a diagnosis", diagnosis_fields);
static const struct json_type linearize_request = REQUEST("a state space", linearize_fields);

#define NUMBER_OF(name_)  .name = name_
#define TABLE(name_, ...) .name = name_, .shape = { __VA_ARGS__ }
#define CAUSE(name_)      TABLE(name_, PER_JOINT), .when = WITH_DECOMPOSE

/* clang-format off */
const struct samples_form samples_forms[] = {
  [CALL_INVERSE_DYNAMICS] = {
    &inverse_dynamics_request,
    { { TABLE("tau", PER_JOINT) }, { CAUSE("inertial") }, { CAUSE("coriolis") }, { CAUSE("gravity") },
      { CAUSE("friction") }, { CAUSE("external") }, { CAUSE("motor") },
      { TABLE("joint_wrenches", PER_JOINT, WRENCH), .when = WITH_JOINT_WRENCHES } } },
  [CALL_FORWARD_DYNAMICS] = {
    &forward_dynamics_request,
    { { TABLE("qdd", PER_JOINT) }, { TABLE("constraint_wrench", WRENCH), .when = WITH_CONSTRAINT },
      { TABLE("tool_acceleration", WRENCH), .when = WITH_CONSTRAINT },
      { NUMBER_OF("gauss_function"), .when = WITH_CONSTRAINT } } },
  [CALL_MASS_MATRIX] = {
    &position_request,
    { { TABLE("mass_matrix", PER_JOINT, PER_JOINT) } } },
  [CALL_CORIOLIS] = {
    &coriolis_request,
    { { TABLE("coriolis_matrix", PER_JOINT, PER_JOINT) }, { TABLE("coriolis_torque", PER_JOINT) },
      { CAUSE("centrifugal") }, { CAUSE("coupling") },
      { TABLE("coefficients", PER_JOINT, PER_JOINT, PER_JOINT), .when = WITH_DECOMPOSE } } },
  [CALL_GRAVITY] = {
    &position_request,
    { { TABLE("gravity_torque", PER_JOINT) } } },
  [CALL_ENERGY] = {
    &state_request,
    { { NUMBER_OF("kinetic") }, { NUMBER_OF("potential") }, { TABLE("momentum.linear", 3) },
      { TABLE("momentum.angular", 3) } } },
  [CALL_FORWARD_KINEMATICS] = {
    &kinematics_request,
    { { TABLE("tool", 4, 4) }, { TABLE("links", PER_JOINT, 4, 4) },
      { TABLE("tool_velocity", WRENCH), .when = WITH_VELOCITIES },
      { TABLE("link_velocities", PER_JOINT, WRENCH), .when = WITH_VELOCITIES },
      { TABLE("tool_acceleration", WRENCH), .when = WITH_ACCELERATIONS },
      { TABLE("link_accelerations", PER_JOINT, WRENCH), .when = WITH_ACCELERATIONS },
      { TABLE("tool_pose", POSE), .when = WITH_POSES, .poses = true },
      { TABLE("link_poses", PER_JOINT, POSE), .when = WITH_POSES, .poses = true } } },
  [CALL_JACOBIAN] = {
    &jacobian_request,
    { { TABLE("jacobian", WRENCH, PER_JOINT) }, { TABLE("jacobian_dot_qd", WRENCH), .when = WITH_VELOCITIES } } },
  [CALL_STATICS] = {
    &statics_request,
    { { TABLE("tau", PER_JOINT) }, { TABLE("joint_wrenches", PER_JOINT, WRENCH) } } },
  [CALL_DERIVATIVES] = {
    &derivatives_request,
    { { TABLE("dtau_dq", PER_JOINT, PER_JOINT) }, { TABLE("dtau_dqd", PER_JOINT, PER_JOINT) },
      { TABLE("mass_matrix", PER_JOINT, PER_JOINT) } } },
  [CALL_LINEARIZE] = {
    &linearize_request,
    { { TABLE("a", PER_STATE, PER_STATE) }, { TABLE("b", PER_STATE, PER_JOINT) } } },
  [CALL_REGRESSOR] = {
    &motion_request,
    { { TABLE("regressor", PER_JOINT, PER_PARAMETER) } } },
  [CALL_DIAGNOSE] = { .request = &diagnosis_request },
};
/* clang-format on */
_Static_assert(sizeof samples_forms / sizeof *samples_forms == SAMPLES_CALL_COUNT, "a row for every call");

bool samples_output_wanted(const struct samples_output *output, const struct samples_request *request)
{
  const bool is[] = { [ALWAYS] = true,
                      [WITH_DECOMPOSE] = request->decompose,
                      [WITH_VELOCITIES] = request->qd.data,
                      [WITH_ACCELERATIONS] = request->qdd.data,
                      [WITH_JOINT_WRENCHES] = request->joint_wrenches,
                      [WITH_POSES] = request->poses,
                      [WITH_CONSTRAINT] = request->constraint != ARMDYN_CONSTRAINT_NONE };
  return is[output->when];
}
