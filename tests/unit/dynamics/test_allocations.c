/* Kernels allocate nothing: malloc and its relatives are counted while they run. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

static _Thread_local long allocations;

#ifdef __SANITIZE_ADDRESS__
/* The sanitizer has put its own malloc here, and has a hook. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

static void count(const volatile void *memory, size_t size)
{
  (void)memory, (void)size;
  allocations++;
}
static void ignore(const volatile void *memory)
{
  (void)memory;
}
static void count_allocations(void)
{
  __sanitizer_install_malloc_and_free_hooks(count, ignore);
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
  allocations++;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
  allocations++;
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size)
{
  allocations++;
  return __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
  allocations++;
  return __libc_memalign(alignment, size);
}
static void count_allocations(void)
{
}
#endif

Test(allocations, kernels_make_none)
{
  enum { N = 9, MANY = 11 };
  static struct armdyn_robot_description d;
  struct dice dice = { 5 };
  struct armdyn_robot *robot;
  double x[3 * N], tau[N], M[N * N], T[16], links[16 * N], row[1 + 5 * N], part[6 * N], energy[2], wrench[6] = { 1 };
  const struct armdyn_torque_parts parts = { part, part + N, part + 2 * N, part + 3 * N, part + 4 * N, part + 5 * N };
  const struct armdyn_load load = { wrench, ARMDYN_WRENCH_BASE, false };
  const struct armdyn_samples samples = { .count = 1, .q = { x, N }, .qd = { x, N }, .qdd = { x, N }, .tau = { x, N } };
  const struct armdyn_samples many = { .count = MANY, .q = { x, 0 }, .qd = { x, 0 }, .qdd = { x, 0 } };
  static double state_space[MANY * N * N], regressor[30 * N * N], regressor_of_many[MANY * 30 * N * N];
  struct armdyn_observer observer;
  struct armdyn_frame_motion moving;
  struct armdyn_trajectory trajectory;
  random_description(&dice, &d, N, ARMDYN_FRAMES);
  dice_fill(&dice, x, 3 * N, -1, 1);
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  const struct armdyn_profile_request request = { .point_count = 2, .points = x, .duration = 1 };
  cr_assert_eq(armdyn_profile_plan(robot, &request, &trajectory, NULL, NULL, NULL, NULL, NULL), ARMDYN_OK);
  cr_assert_leq(armdyn_parameter_count(robot, NULL), 30 * N);
  count_allocations();
  const long before_new = allocations;
  struct armdyn_workspace *workspace = armdyn_workspace_new(N);
  cr_assert_eq(allocations, before_new + 1, "the counter counts, and a workspace is one allocation");

  const long before = allocations;
  armdyn_inverse_dynamics(robot, x, x + N, x + 2 * N, &load, workspace, tau);
  armdyn_inverse_dynamics_parts(robot, x, x + N, x + 2 * N, &load, workspace, tau, &parts);
  armdyn_inverse_dynamics_batch(robot, &samples, workspace, tau);
  armdyn_forward_dynamics_batch(robot, &samples, workspace, tau);
  armdyn_mass_matrix_batch(robot, &samples, workspace, M);
  armdyn_gravity_torque_batch(robot, &samples, workspace, tau);
  armdyn_mass_matrix(robot, x, workspace, M);
  const enum armdyn_status rc = armdyn_forward_dynamics(robot, x, x + N, tau, &load, workspace, row);
  for (int method = ARMDYN_FORWARD_ABA; method <= ARMDYN_FORWARD_GAUSS; method++) {
    armdyn_forward_dynamics_by(robot, (enum armdyn_forward_method)method, x, x + N, tau, &load, workspace, row);
  }
  for (int method = ARMDYN_INVERSE_NEWTON_EULER; method <= ARMDYN_INVERSE_CLOSED_FORM; method++) {
    armdyn_inverse_dynamics_by(robot, (enum armdyn_inverse_method)method, x, x + N, x + 2 * N, &load, workspace, tau,
                               NULL);
  }
  armdyn_forward_kinematics(robot, x, workspace, T, links);
  armdyn_energy(robot, x, x + N, workspace, &energy[0], &energy[1]);
  armdyn_coriolis_matrix(robot, x, x + N, workspace, M);
  armdyn_jacobian(robot, x, ARMDYN_JACOBIAN_BASE, workspace, part);
  armdyn_jacobian_dot_qd(robot, x, x + N, ARMDYN_JACOBIAN_TOOL, workspace, part);
  armdyn_momentum(robot, x, x + N, workspace, part);
  armdyn_joint_momentum(robot, x, x + N, workspace, tau, part);
  armdyn_observer_init(&observer, 20, false);
  armdyn_observe(&observer, robot, 0.1, x, x + N, tau, &load, workspace);
  armdyn_link_motion(robot, x, x + N, x + 2 * N, workspace, &moving, NULL);
  armdyn_joint_wrenches(robot, x, x + N, x + 2 * N, &load, workspace, part);
  armdyn_statics(robot, x, wrench, ARMDYN_WRENCH_TOOL, workspace, tau, part);
  armdyn_inverse_dynamics_derivatives(robot, x, x + N, x + 2 * N, &load, workspace, M, state_space,
                                      state_space + N * N);
  armdyn_linearize(robot, x, x + N, tau, &load, workspace, state_space, state_space + 4 * N * N);
  armdyn_regressor(robot, NULL, x, x + N, x + 2 * N, workspace, regressor);
  armdyn_inverse_dynamics_derivatives_batch(robot, &samples, workspace, M, state_space, NULL);
  armdyn_inverse_dynamics_derivatives_batch(robot, &many, workspace, state_space, NULL, NULL);
  armdyn_regressor_batch(robot, NULL, &samples, workspace, regressor);
  armdyn_regressor_batch(robot, NULL, &many, workspace, regressor_of_many);
  armdyn_trajectory_sample(robot, &trajectory, 0.3, workspace, row);
  const long after = allocations;
  cr_assert_eq(rc, ARMDYN_OK);
  cr_assert_eq(after, before, "%ld allocations", after - before);
  armdyn_trajectory_free(&trajectory);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}
