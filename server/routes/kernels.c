#include "server/routes/kernels.h"

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

/* Outputs in the order of the forms. */
enum { TAU, INERTIAL, CORIOLIS, GRAVITY, FRICTION, EXTERNAL, MOTOR };

static enum armdyn_status inverse_dynamics_parts(const struct samples_task *task, struct armdyn_workspace *workspace,
                                                 size_t first, size_t last)
{
  const struct samples_request *r = task->request;
  for (size_t s = first; s < last; s++) {
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
  return ARMDYN_OK;
}

static enum armdyn_status inverse_dynamics(const struct samples_task *task, struct armdyn_workspace *workspace,
                                           size_t first, size_t last, size_t *failed)
{
  const struct samples_request *r = task->request;
  (void)failed;
  if (r->decompose) return inverse_dynamics_parts(task, workspace, first, last);
  for (size_t s = first; s < last; s++) {
    const struct armdyn_load load = load_of(r, s);
    armdyn_inverse_dynamics(task->robot, row(&r->q, s), row(&r->qd, s), row(&r->qdd, s), &load, workspace,
                            out(task, TAU, s));
  }
  return ARMDYN_OK;
}

static enum armdyn_status forward_dynamics(const struct samples_task *task, struct armdyn_workspace *workspace,
                                           size_t first, size_t last, size_t *failed)
{
  const struct samples_request *r = task->request;
  for (size_t s = first; s < last; s++) {
    const struct armdyn_load load = load_of(r, s);
    enum armdyn_status status = armdyn_forward_dynamics(task->robot, row(&r->q, s), row(&r->qd, s), row(&r->tau, s),
                                                        &load, workspace, out(task, 0, s));
    if (status) {
      *failed = s;
      return status;
    }
  }
  return ARMDYN_OK;
}

static enum armdyn_status mass_matrix(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                      size_t last, size_t *failed)
{
  (void)failed;
  for (size_t s = first; s < last; s++)
    armdyn_mass_matrix(task->robot, row(&task->request->q, s), workspace, out(task, 0, s));
  return ARMDYN_OK;
}

static enum armdyn_status gravity(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                  size_t last, size_t *failed)
{
  static const double at_rest[ARMDYN_JOINTS_MAX];
  const struct armdyn_load alone = { .frictionless = true };
  (void)failed;
  for (size_t s = first; s < last; s++)
    armdyn_inverse_dynamics(task->robot, row(&task->request->q, s), at_rest, at_rest, &alone, workspace,
                            out(task, 0, s));
  return ARMDYN_OK;
}

enum { KINETIC, POTENTIAL };

static enum armdyn_status energy(const struct samples_task *task, struct armdyn_workspace *workspace, size_t first,
                                 size_t last, size_t *failed)
{
  const struct samples_request *r = task->request;
  (void)failed;
  for (size_t s = first; s < last; s++)
    armdyn_energy(task->robot, row(&r->q, s), row(&r->qd, s), workspace, out(task, KINETIC, s),
                  out(task, POTENTIAL, s));
  return ARMDYN_OK;
}

enum { TOOL, LINKS };

static enum armdyn_status forward_kinematics(const struct samples_task *task, struct armdyn_workspace *workspace,
                                             size_t first, size_t last, size_t *failed)
{
  (void)failed;
  for (size_t s = first; s < last; s++)
    armdyn_forward_kinematics(task->robot, row(&task->request->q, s), workspace, out(task, TOOL, s),
                              out(task, LINKS, s));
  return ARMDYN_OK;
}

samples_kernel *const samples_kernels[] = {
  [CALL_INVERSE_DYNAMICS] = inverse_dynamics,
  [CALL_FORWARD_DYNAMICS] = forward_dynamics,
  [CALL_MASS_MATRIX] = mass_matrix,
  [CALL_GRAVITY] = gravity,
  [CALL_ENERGY] = energy,
  [CALL_FORWARD_KINEMATICS] = forward_kinematics,
};
_Static_assert(sizeof samples_kernels / sizeof *samples_kernels == SAMPLES_CALL_COUNT, "a kernel for every call");
