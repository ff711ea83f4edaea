#include "lib/dynamics/lanes.h"
#include "lib/dynamics/workspace.h"

void armdyn_mass_matrix(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                        double *mass_matrix)
{
  const size_t n = robot->joint_count;
  (void)workspace;
  lanes_fastest()->mass_matrix(robot, q, mass_matrix);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) mass_matrix[j * n + i] = mass_matrix[i * n + j];
  }
  rotor_inertia_matrix_add(robot, mass_matrix);
}

void armdyn_mass_matrix_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                              struct armdyn_workspace *workspace, double *mass_matrix)
{
  const struct lanes_kernels *kernels = lanes_fastest();
  const size_t size = robot->joint_count * robot->joint_count;
  if (samples->count >= kernels->width) {
    kernels->mass_matrix_batch(robot, samples, mass_matrix);
    return;
  }
  for (size_t k = 0; k < samples->count; k++) {
    armdyn_mass_matrix(robot, samples->q.data + k * samples->q.stride, workspace, mass_matrix + k * size);
  }
}
