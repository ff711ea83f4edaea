/* M_ij is a sum of numbers up to sqrt(b_i b_j), b_i being the bound of joint i (struct inertia_bound), however little of them
 * is left: a tool that reaches far along the axis of a wrist has hardly an inertia about it. Its error is as large a part of
 * that as doubles round to, and what such errors make of pivot j of Cholesky's factorisation, d_j = v' M v with
 * v = [-A^-1 a; 1] for the leading A and the column a of joint j, is (sum |v_i| sqrt(b_i))^2 of that part.
 * A pivot that is not above it may belong to a singular matrix. */
#include "lib/dynamics/singular.h"

#include <math.h>
#include <string.h>

#include "armdyn/methods.h"
#include "lib/dynamics/workspace.h"
#include "lib/math/linear.h"

static const double ROUNDING = 0x1p-48;

/* The bounds of all joints at q. */
static void bounds_at(const struct armdyn_robot *robot, const double *q, double *bound)
{
  double slid = 0;
  for (size_t i = robot->joint_count; i-- > 0;) {
    bound[i] = robot->bounds[i].still + robot->bounds[i].slid * slid;
    if (robot->joints[i].prismatic) slid += q[i] * q[i];
  }
}

/* sum |v_i| sqrt(b_i) for pivot j of the factor L; the leading rows of L' v are row j. */
static double swing(size_t n, const double *L, size_t j, const double *bound)
{
  double v[ARMDYN_JOINTS_MAX], sum = sqrt(bound[j]);
  memcpy(v, L + j * n, j * sizeof *v);
  for (size_t i = j; i-- > 0;) {
    v[i] /= L[i * n + i];
    for (size_t k = 0; k < i; k++) v[k] -= L[i * n + k] * v[i];
    sum += fabs(v[i]) * sqrt(bound[i]);
  }
  return sum;
}

/* The first pivot that is not sound; n if all are. */
static size_t first_unsound(const struct armdyn_robot *robot, const double *q, double *M)
{
  const size_t n = robot->joint_count;
  double bound[ARMDYN_JOINTS_MAX], thinness = 0;
  size_t rows = 0;
  bounds_at(robot, q, bound);
  for (; rows < n && cholesky_row(n, M, rows); rows++) {
    const double root = M[rows * n + rows];
    thinness += bound[rows] / (root * root);
  }
  if (rows == n && thinness <= THINNESS_SUSPECT) return n;
  for (size_t j = 0; j < rows; j++) {
    if (!(M[j * n + j] > sqrt(ROUNDING) * swing(n, M, j, bound))) return j;
  }
  return rows;
}

bool mass_matrix_factor(const struct armdyn_robot *robot, const double *q, double *M)
{
  return first_unsound(robot, q, M) == robot->joint_count;
}

size_t armdyn_massless_joint(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace)
{
  armdyn_mass_matrix(robot, q, workspace, workspace->matrix);
  return first_unsound(robot, q, workspace->matrix);
}
