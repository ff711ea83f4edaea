/* The columns of the links are in regressor_kernel.h; here are those of rotors and friction. */
#include "armdyn/regressor.h"

#include "lib/dynamics/lanes.h"
#include "lib/dynamics/workspace.h"
#include "lib/model/gears.h"
#include "lib/model/parameters.h"

/* Column of the rotor of drive k: T_k' T_k qdd, T_k its row of the transmission. */
static void rotor_column(const struct armdyn_robot *robot, size_t k, const double *qdd, double *column, size_t width)
{
  const struct armdyn_robot_description *d = &robot->description;
  const size_t n = robot->joint_count;
  const double ratio = d->joints[k].drive.gear_ratio, *row = d->transmission + k * n;
  double turn = 0;
  if (!robot->coupled) {
    column[k * width] = ratio * ratio * qdd[k];
    return;
  }
  for (size_t j = 0; j < n; j++) turn += row[j] * qdd[j];
  for (size_t i = 0; i < n; i++) column[i * width] = row[i] * turn;
}

/* Columns of friction at motors: those of drive i go to joint j by G_ij. */
static void gear_columns(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice,
                         const double *q, const double *qd, size_t width, size_t column, double *regressor)
{
  const size_t n = robot->joint_count;
  double p[ARMDYN_JOINTS_MAX], v[ARMDYN_JOINTS_MAX], row[ARMDYN_FRICTION_PARAMETER_COUNT * ARMDYN_RIPPLES_MAX];
  gear_motion(robot, q, p);
  gear_motion(robot, qd, v);
  for (size_t i = 0; i < n; i++) {
    const size_t count = friction_row(robot, choice, i, p[i], v[i], 0, row);
    for (size_t j = 0; j < n; j++) {
      for (size_t k = 0; k < count; k++) regressor[j * width + column + k] = robot->gear_from_joint[i * n + j] * row[k];
    }
    column += count;
  }
}

/* All columns after those of the links. */
static void drive_columns(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice,
                          const double *q, const double *qd, const double *qdd, size_t width, double *regressor)
{
  const size_t n = robot->joint_count;
  double load[ARMDYN_JOINTS_MAX] = { 0 };
  size_t column = 10 * n;
  for (size_t k = 0; k < n; k++) {
    if (rotor_chosen(robot, choice, k)) rotor_column(robot, k, qdd, regressor + column++, width);
  }
  if (robot->friction_at_motors) {
    if (friction_chosen(choice)) gear_columns(robot, choice, q, qd, width, column, regressor);
    return;
  }
  if (robot->load_friction && friction_chosen(choice)) {
    const struct armdyn_load bare = { .frictionless = true };
    armdyn_inverse_dynamics(robot, q, qd, qdd, &bare, NULL, load);
  }
  for (size_t i = 0; i < n && friction_chosen(choice); i++) {
    column += friction_row(robot, choice, i, q[i], qd[i], load[i], regressor + i * width + column);
  }
}

void armdyn_regressor(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, const double *q,
                      const double *qd, const double *qdd, struct armdyn_workspace *workspace, double *regressor)
{
  const size_t width = armdyn_parameter_count(robot, choice);
  lanes_fastest()->regressor(robot, q, qd, qdd, width, workspace->links, regressor);
  if (width > 10 * robot->joint_count) drive_columns(robot, choice, q, qd, qdd, width, regressor);
}

void armdyn_regressor_batch(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice,
                            const struct armdyn_samples *samples, struct armdyn_workspace *workspace, double *regressor)
{
  const struct lanes_kernels *kernels = lanes_fastest();
  const size_t width = armdyn_parameter_count(robot, choice), size = robot->joint_count * width;
  const bool many = samples->count >= kernels->width;
  if (many) kernels->regressor_batch(robot, samples, width, workspace->links, regressor);
  if (many && width == 10 * robot->joint_count) return;
  for (size_t k = 0; k < samples->count; k++) {
    const double *q = samples->q.data + k * samples->q.stride, *qd = samples->qd.data + k * samples->qd.stride;
    const double *qdd = samples->qdd.data + k * samples->qdd.stride;
    double *out = regressor + k * size;
    if (!many) kernels->regressor(robot, q, qd, qdd, width, workspace->links, out);
    drive_columns(robot, choice, q, qd, qdd, width, out);
  }
}
