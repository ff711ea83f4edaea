#include "server/routes/kernels.h"

#include <math.h>

#include "api/codec/parts.h"
#include "armdyn/derivatives.h"
#include "armdyn/inverse_kinematics.h"
#include "armdyn/methods.h"
#include "armdyn/terms.h"

static const double *row(const struct armdyn_rows *rows, size_t sample)
{
  return rows->data ? rows->data + sample * rows->stride : NULL;
}

static double *out(const struct samples_task *task, size_t output, size_t sample)
{
  return task->out[output] ? task->out[output] + sample * task->width[output] : NULL;
}

static struct armdyn_load load_of(const struct samples_request *r, size_t sample)
{
  return (struct armdyn_load){ .wrench = row(&r->wrench, sample),
                               .wrench_frame = r->wrench_frame,
                               .frictionless = !r->friction };
}

/* Rows from this sample on. */
static struct armdyn_rows rows_from(const struct armdyn_rows *rows, size_t sample)
{
  return (struct armdyn_rows){ row(rows, sample), rows->stride };
}

/* For the kernels that take many at once. */
static struct armdyn_samples samples_of(const struct samples_request *r, size_t first, size_t last)
{
  return (struct armdyn_samples){ .count = last - first,
                                  .q = rows_from(&r->q, first),
                                  .qd = rows_from(&r->qd, first),
                                  .qdd = rows_from(&r->qdd, first),
                                  .tau = rows_from(&r->tau, first),
                                  .wrench = rows_from(&r->wrench, first),
                                  .wrench_frame = r->wrench_frame,
                                  .frictionless = !r->friction };
}

/* Outputs in the order of the forms. */
enum { TAU, INERTIAL, CORIOLIS, GRAVITY, FRICTION, EXTERNAL, MOTOR, BEARINGS };

static void torque_parts(const struct samples_task *task, struct armdyn_workspace *workspace, size_t s)
{
  const struct samples_request *r = task->request;
  double tau[ARMDYN_JOINTS_MAX];
  const struct armdyn_load load = load_of(r, s);
  const struct armdyn_torque_parts parts = { .inertial = out(task, INERTIAL, s),
                                             .coriolis = out(task, CORIOLIS, s),
                                             .gravity = out(task, GRAVITY, s),
                                             .friction = out(task, FRICTION, s),
                                             .external = out(task, EXTERNAL, s),
                                             .motor = out(task, MOTOR, s) };
  armdyn_inverse_dynamics_parts(task->robot, row(&r->q, s), row(&r->qd, s), row(&r->qdd, s), &load, workspace, tau,
                                &parts);
  if (task->out[TAU]) memcpy(out(task, TAU, s), tau, task->joints * sizeof *tau);
}

/* On the wire the force comes first, in each of `count` wrenches. */
static void turn_wrenches(double *wrenches, size_t count)
{
  for (size_t i = 0; i < count; i++) swap_halves(wrenches + 6 * i, 3);
}

static void bearing_loads(const struct samples_task *task, struct armdyn_workspace *workspace, size_t s)
{
  const struct samples_request *r = task->request;
  const struct armdyn_load load = load_of(r, s);
  double *wrenches = out(task, BEARINGS, s);
  armdyn_joint_wrenches(task->robot, row(&r->q, s), row(&r->qd, s), row(&r->qdd, s), &load, workspace, wrenches);
  turn_wrenches(wrenches, task->joints);
}

/* The parts are always those of Newton-Euler; tau is by the method asked. */
static enum armdyn_status inverse_dynamics(const struct samples_task *task, struct armdyn_workspace *workspace,
                                           size_t first, size_t last, size_t *failed)
{
  const struct samples_request *r = task->request;
  for (size_t s = first; s < last && r->decompose; s++) torque_parts(task, workspace, s);
  for (size_t s = first; s < last && task->out[BEARINGS]; s++) bearing_loads(task, workspace, s);
  if (r->method == ARMDYN_INVERSE_NEWTON_EULER) {
    const struct armdyn_samples samples = samples_of(r, first, last);
    if (!r->decompose && task->out[TAU])
      armdyn_inverse_dynamics_batch(task->robot, &samples, workspace, out(task, TAU, first));
    return ARMDYN_OK;
  }
  for (size_t s = first; s < last && task->out[TAU]; s++) {
    const struct armdyn_load load = load_of(r, s);
    enum armdyn_status status =
        armdyn_inverse_dynamics_by(task->robot, (enum armdyn_inverse_method)r->method, row(&r->q, s), row(&r->qd, s),
                                   row(&r->qdd, s), &load, workspace, out(task, TAU, s), NULL);
    *failed = s;
    if (status) return status;
  }
  return ARMDYN_OK;
}

/* All at once; a sample without an answer is one of NAN. */
static enum armdyn_status free_motion(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                      size_t last, size_t *failed)
{
  const struct samples_request *r = task->request;
  const struct armdyn_samples samples = samples_of(r, first, last);
  enum armdyn_status status = armdyn_forward_dynamics_batch_by(task->robot, (enum armdyn_forward_method)r->method,
                                                               &samples, workspace, out(task, 0, first));
  *failed = first;
  while (status && *failed + 1 < last && !isnan(*out(task, 0, *failed))) ++*failed;
  return status;
}

enum { QDD_OUT, CONSTRAINT_WRENCH, CONSTRAINT_ACCELERATION, GAUSS_FUNCTION };

static enum armdyn_status constrained_motion(const struct samples_task *task, struct armdyn_workspace *workspace,
                                             size_t s)
{
  const struct samples_request *r = task->request;
  const struct armdyn_load load = load_of(r, s);
  struct armdyn_constrained found;
  double qdd[ARMDYN_JOINTS_MAX];
  const enum armdyn_status status =
      armdyn_constrained_dynamics(task->robot, r->constraint, r->normal, row(&r->q, s), row(&r->qd, s), row(&r->tau, s),
                                  &load, workspace, qdd, &found);
  if (status) return status;
  swap_halves(found.wrench, 3);
  swap_halves(found.acceleration, 3);
  if (task->out[QDD_OUT]) memcpy(out(task, QDD_OUT, s), qdd, task->joints * sizeof *qdd);
  if (task->out[CONSTRAINT_WRENCH]) memcpy(out(task, CONSTRAINT_WRENCH, s), found.wrench, sizeof found.wrench);
  if (task->out[CONSTRAINT_ACCELERATION])
    memcpy(out(task, CONSTRAINT_ACCELERATION, s), found.acceleration, sizeof found.acceleration);
  if (task->out[GAUSS_FUNCTION]) *out(task, GAUSS_FUNCTION, s) = found.gauss;
  return ARMDYN_OK;
}

static enum armdyn_status forward_dynamics(const struct samples_task *task, struct armdyn_workspace *workspace,
                                           size_t first, size_t last, size_t *failed)
{
  enum armdyn_status status = ARMDYN_OK;
  if (task->request->constraint == ARMDYN_CONSTRAINT_NONE) return free_motion(task, workspace, first, last, failed);
  for (size_t s = first; s < last && !status; s++) {
    status = constrained_motion(task, workspace, s);
    *failed = s;
  }
  return status;
}

static enum armdyn_status mass_matrix(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                      size_t last, size_t *failed)
{
  (void)failed;
  const struct armdyn_samples samples = samples_of(task->request, first, last);
  armdyn_mass_matrix_batch(task->robot, &samples, workspace, out(task, 0, first));
  return ARMDYN_OK;
}

enum { CORIOLIS_MATRIX, CORIOLIS_TORQUE, CENTRIFUGAL, COUPLING, COEFFICIENTS };

/* sum_j D_ijj qd_j^2, which is what each speed costs alone, and what is left of C qd. */
static void velocity_parts(const struct samples_task *task, struct armdyn_workspace *workspace, size_t s)
{
  const size_t n = task->joints;
  const double *q = row(&task->request->q, s), *qd = row(&task->request->qd, s);
  double alone[ARMDYN_JOINTS_MAX], centrifugal[ARMDYN_JOINTS_MAX] = { 0 }, coupling[ARMDYN_JOINTS_MAX];
  armdyn_coriolis_torque(task->robot, q, qd, workspace, coupling);
  for (size_t j = 0; j < n; j++) {
    double one[ARMDYN_JOINTS_MAX] = { 0 };
    one[j] = qd[j];
    armdyn_coriolis_torque(task->robot, q, one, workspace, alone);
    for (size_t i = 0; i < n; i++) centrifugal[i] += alone[i], coupling[i] -= alone[i];
  }
  if (task->out[CENTRIFUGAL]) memcpy(out(task, CENTRIFUGAL, s), centrifugal, n * sizeof *centrifugal);
  if (task->out[COUPLING]) memcpy(out(task, COUPLING, s), coupling, n * sizeof *coupling);
  if (task->out[COEFFICIENTS]) armdyn_velocity_coefficients(task->robot, q, workspace, out(task, COEFFICIENTS, s));
}

static enum armdyn_status coriolis(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                   size_t last, size_t *failed)
{
  const struct samples_request *r = task->request;
  (void)failed;
  for (size_t s = first; s < last; s++) {
    const double *q = row(&r->q, s), *qd = row(&r->qd, s);
    double *matrix = out(task, CORIOLIS_MATRIX, s), *torque = out(task, CORIOLIS_TORQUE, s);
    if (matrix) armdyn_coriolis_matrix(task->robot, q, qd, workspace, matrix);
    if (torque) armdyn_coriolis_torque(task->robot, q, qd, workspace, torque);
    if (r->decompose) velocity_parts(task, workspace, s);
  }
  return ARMDYN_OK;
}

static enum armdyn_status gravity(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                  size_t last, size_t *failed)
{
  (void)failed;
  const struct armdyn_samples samples = samples_of(task->request, first, last);
  armdyn_gravity_torque_batch(task->robot, &samples, workspace, out(task, 0, first));
  return ARMDYN_OK;
}

enum { KINETIC, POTENTIAL, LINEAR, ANGULAR };

static enum armdyn_status energy(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                 size_t last, size_t *failed)
{
  const struct samples_request *r = task->request;
  (void)failed;
  for (size_t s = first; s < last; s++) {
    const double *q = row(&r->q, s), *qd = row(&r->qd, s);
    double *linear = out(task, LINEAR, s), *angular = out(task, ANGULAR, s), momentum[6];
    armdyn_energy(task->robot, q, qd, workspace, out(task, KINETIC, s), out(task, POTENTIAL, s));
    if (!linear && !angular) continue;
    armdyn_momentum(task->robot, q, qd, workspace, momentum);
    if (linear) memcpy(linear, momentum + 3, 3 * sizeof *momentum);
    if (angular) memcpy(angular, momentum, 3 * sizeof *momentum);
  }
  return ARMDYN_OK;
}

enum { TOOL, LINKS, TOOL_VELOCITY, LINK_VELOCITIES, TOOL_ACCELERATION, LINK_ACCELERATIONS, TOOL_POSE, LINK_POSES };

/* A velocity or acceleration, linear rows first; to == NULL: not wanted. */
static void write_rates(double *to, const double *from)
{
  if (!to) return;
  memcpy(to, from, 6 * sizeof *to);
  swap_halves(to, 3);
}

static void link_rates(const struct samples_task *task, struct armdyn_workspace *workspace, size_t s)
{
  const struct samples_request *r = task->request;
  struct armdyn_frame_motion tool, links[ARMDYN_JOINTS_MAX];
  double *velocities = out(task, LINK_VELOCITIES, s), *accelerations = out(task, LINK_ACCELERATIONS, s);
  armdyn_link_motion(task->robot, row(&r->q, s), row(&r->qd, s), row(&r->qdd, s), workspace, &tool, links);
  write_rates(out(task, TOOL_VELOCITY, s), tool.velocity);
  write_rates(out(task, TOOL_ACCELERATION, s), tool.acceleration);
  for (size_t i = 0; i < task->joints; i++) {
    if (velocities) write_rates(velocities + 6 * i, links[i].velocity);
    if (accelerations) write_rates(accelerations + 6 * i, links[i].acceleration);
  }
}

/* The same poses as the matrices, in six numbers. */
static void write_pose(double *to, const double *matrix)
{
  struct armdyn_pose pose;
  armdyn_matrix_pose(matrix, &pose);
  memcpy(to, pose.translation, sizeof pose.translation);
  memcpy(to + 3, pose.rpy, sizeof pose.rpy);
}

static void link_poses(const struct samples_task *task, struct armdyn_workspace *workspace, size_t s)
{
  double tool[16], links[16 * ARMDYN_JOINTS_MAX], *of_tool = out(task, TOOL_POSE, s),
                                                  *of_links = out(task, LINK_POSES, s);
  armdyn_forward_kinematics(task->robot, row(&task->request->q, s), workspace, tool, links);
  if (of_tool) write_pose(of_tool, tool);
  for (size_t i = 0; of_links && i < task->joints; i++) write_pose(of_links + POSE * i, links + 16 * i);
}

static enum armdyn_status forward_kinematics(const struct samples_task *task, struct armdyn_workspace *workspace,
                                             size_t first, size_t last, size_t *failed)
{
  (void)failed;
  for (size_t s = first; s < last; s++) {
    armdyn_forward_kinematics(task->robot, row(&task->request->q, s), workspace, out(task, TOOL, s),
                              out(task, LINKS, s));
    if (task->request->qd.data) link_rates(task, workspace, s);
    if (task->request->poses) link_poses(task, workspace, s);
  }
  return ARMDYN_OK;
}

enum { JACOBIAN, JACOBIAN_DOT_QD };

static enum armdyn_status jacobian(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                   size_t last, size_t *failed)
{
  const struct samples_request *r = task->request;
  (void)failed;
  for (size_t s = first; s < last; s++) {
    double *matrix = out(task, JACOBIAN, s), *rate = out(task, JACOBIAN_DOT_QD, s);
    if (matrix) {
      armdyn_jacobian(task->robot, row(&r->q, s), r->frame, workspace, matrix);
      swap_halves(matrix, 3 * task->joints);
    }
    if (rate) {
      armdyn_jacobian_dot_qd(task->robot, row(&r->q, s), row(&r->qd, s), r->frame, workspace, rate);
      swap_halves(rate, 3);
    }
  }
  return ARMDYN_OK;
}

enum { HOLDING_TAU, JOINT_WRENCHES };

static enum armdyn_status statics(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                  size_t last, size_t *failed)
{
  const struct samples_request *r = task->request;
  (void)failed;
  for (size_t s = first; s < last; s++) {
    double tau[ARMDYN_JOINTS_MAX], *wrenches = out(task, JOINT_WRENCHES, s);
    armdyn_statics(task->robot, row(&r->q, s), row(&r->wrench, s), r->wrench_frame, workspace, tau, wrenches);
    if (task->out[HOLDING_TAU]) memcpy(out(task, HOLDING_TAU, s), tau, task->joints * sizeof *tau);
    if (wrenches) turn_wrenches(wrenches, task->joints);
  }
  return ARMDYN_OK;
}

/* Where a kernel writes what it always gives: to its place, or aside. */
static double *place(const struct samples_task *task, size_t output, size_t sample, double *aside)
{
  return task->out[output] ? out(task, output, sample) : aside;
}

enum { DTAU_DQ, DTAU_DQD, MASS_MATRIX };

static enum armdyn_status derivatives(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                      size_t last, size_t *failed)
{
  (void)failed;
  const struct armdyn_samples samples = samples_of(task->request, first, last);
  armdyn_inverse_dynamics_derivatives_batch(task->robot, &samples, workspace, out(task, DTAU_DQ, first),
                                            out(task, DTAU_DQD, first), out(task, MASS_MATRIX, first));
  return ARMDYN_OK;
}

enum { STATE_A, STATE_B };

static enum armdyn_status linearize(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                    size_t last, size_t *failed)
{
  const struct samples_request *r = task->request;
  double aside[4 * ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  for (size_t s = first; s < last; s++) {
    const struct armdyn_load load = load_of(r, s);
    enum armdyn_status status =
        armdyn_linearize(task->robot, row(&r->q, s), row(&r->qd, s), row(&r->tau, s), &load, workspace,
                         place(task, STATE_A, s, aside), place(task, STATE_B, s, aside));
    *failed = s;
    if (status) return status;
  }
  return ARMDYN_OK;
}

/* The minimal form is columns of the standard one, which is computed aside. */
static enum armdyn_status regressor(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                    size_t last, size_t *failed)
{
  const struct samples_request *r = task->request;
  if (!task->base) {
    const struct armdyn_samples samples = samples_of(r, first, last);
    armdyn_regressor_batch(task->robot, NULL, &samples, workspace, out(task, 0, first));
    return ARMDYN_OK;
  }
  *failed = first;
  double *whole = malloc(task->joints * armdyn_parameter_count(task->robot, NULL) * sizeof *whole);
  if (!whole) return ARMDYN_EMEMORY;
  for (size_t s = first; s < last; s++) {
    armdyn_regressor(task->robot, NULL, row(&r->q, s), row(&r->qd, s), row(&r->qdd, s), workspace, whole);
    armdyn_base_columns(task->base, whole, task->joints, out(task, 0, s));
  }
  free(whole);
  return ARMDYN_OK;
}

const struct kernel kernels[SAMPLES_CALL_COUNT] = {
  [CALL_INVERSE_DYNAMICS] = { CALL_INVERSE_DYNAMICS, inverse_dynamics },
  [CALL_FORWARD_DYNAMICS] = { CALL_FORWARD_DYNAMICS, forward_dynamics },
  [CALL_MASS_MATRIX] = { CALL_MASS_MATRIX, mass_matrix },
  [CALL_CORIOLIS] = { CALL_CORIOLIS, coriolis },
  [CALL_GRAVITY] = { CALL_GRAVITY, gravity },
  [CALL_ENERGY] = { CALL_ENERGY, energy },
  [CALL_FORWARD_KINEMATICS] = { CALL_FORWARD_KINEMATICS, forward_kinematics },
  [CALL_JACOBIAN] = { CALL_JACOBIAN, jacobian },
  [CALL_STATICS] = { CALL_STATICS, statics },
  [CALL_DERIVATIVES] = { CALL_DERIVATIVES, derivatives },
  [CALL_LINEARIZE] = { CALL_LINEARIZE, linearize },
  [CALL_REGRESSOR] = { CALL_REGRESSOR, regressor },
};

bool samples_method_fits(enum samples_call call, const struct samples_task *task, struct armdyn_error *error)
{
  return call != CALL_INVERSE_DYNAMICS || task->request->method != ARMDYN_INVERSE_CLOSED_FORM ||
         armdyn_is_scara(task->robot, error);
}
