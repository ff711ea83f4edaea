#include "armdyn/constraint.h"

#include <math.h>

#include "armdyn/terms.h"
#include "lib/dynamics/methods.h"
#include "lib/dynamics/singular.h"
#include "lib/math/linear.h"
#include "lib/math/symmetric.h"

enum { N = ARMDYN_JOINTS_MAX };
static const double RANK =
    1e-10; /* of the largest eigenvalue of rows of unit mobility: below it they depend on each other */
static const double STILL = 1e-20; /* of the largest mobility: a direction in which the tool cannot move */

/* The rows that are held, A, and what the tool accelerates along them. */
struct held {
  size_t rows, n;
  double A[6 * N], by_M[6 * N]; /* rows x n: A; A M^-1 */
  double W[36];                 /* A M^-1 A' */
};

/* [angular; linear] directions that are held, rows x 6. */
static size_t directions(enum armdyn_constraint constraint, const double *normal, double out[36])
{
  const size_t first = constraint == ARMDYN_CONSTRAINT_POSE ? 0 : 3;
  memset(out, 0, 36 * sizeof *out);
  if (constraint == ARMDYN_CONSTRAINT_NONE) return 0;
  if (constraint == ARMDYN_CONSTRAINT_WALL) {
    const double length = sqrt(dot3(normal, normal));
    for (int k = 0; k < 3; k++) out[3 + k] = normal[k] / length;
    return 1;
  }
  for (size_t k = first; k < 6; k++) out[(k - first) * 6 + k] = 1;
  return 6 - first;
}

/* f = W^+ b with rows of unit mobility; those that are still or depend on others by eigenvectors. */
static void solve(const struct held *held, const double *b, double *f)
{
  const size_t m = held->rows;
  double scale[6], S[36], values[6], vectors[36], scratch[18], most = 0;
  for (size_t i = 0; i < m; i++) most = fmax(most, held->W[i * (m + 1)]), f[i] = 0;
  for (size_t i = 0; i < m; i++) scale[i] = held->W[i * (m + 1)] > STILL * most ? 1 / sqrt(held->W[i * (m + 1)]) : 0;
  for (size_t i = 0; i < m * m; i++) S[i] = scale[i / m] * held->W[i] * scale[i % m];
  symmetric_eigen(m, S, values, vectors, scratch);
  for (size_t k = 0; k < m; k++) {
    double along = 0;
    if (!(values[k] > RANK * values[m - 1])) continue;
    for (size_t i = 0; i < m; i++) along += vectors[k * m + i] * scale[i] * b[i];
    for (size_t i = 0; i < m; i++) f[i] += scale[i] * vectors[k * m + i] * along / values[k];
  }
}

/* A, A M^-1 and A M^-1 A'; `factor` of M. */
static void hold(struct held *held, const double *rows, const double *J, const double *factor)
{
  const size_t n = held->n, m = held->rows;
  memset(held->A, 0, sizeof held->A);
  for (size_t i = 0; i < m; i++) {
    for (size_t k = 0; k < 6; k++)
      for (size_t j = 0; j < n; j++) held->A[i * n + j] += rows[6 * i + k] * J[k * n + j];
    memcpy(held->by_M + i * n, held->A + i * n, n * sizeof *J);
    cholesky_solve(n, factor, held->by_M + i * n);
  }
  for (size_t i = 0; i < m * m; i++) {
    held->W[i] = 0;
    for (size_t j = 0; j < n; j++) held->W[i] += held->by_M[i / m * n + j] * held->A[i % m * n + j];
  }
}

/* acceleration = J qdd + J'qd */
static void tool_acceleration(const double *J, const double *drift, const double *qdd, size_t n, double *out)
{
  for (size_t k = 0; k < 6; k++) {
    out[k] = drift[k];
    for (size_t j = 0; j < n; j++) out[k] += J[k * n + j] * qdd[j];
  }
}

enum armdyn_status armdyn_constrained_dynamics(const struct armdyn_robot *robot, enum armdyn_constraint constraint,
                                               const double *normal, const double *q, const double *qd,
                                               const double *tau, const struct armdyn_load *load,
                                               struct armdyn_workspace *workspace, double *qdd,
                                               struct armdyn_constrained *out)
{
  struct held held = { .n = robot->joint_count };
  double J[6 * N], drift[6], rows[36], b[6] = { 0 }, f[6] = { 0 }, *M = workspace->matrix;
  enum armdyn_status status = forward_by_least_constraint(robot, q, qd, tau, load, workspace, qdd);
  if (status) return status;
  armdyn_jacobian(robot, q, ARMDYN_JACOBIAN_BASE, workspace, J);
  armdyn_jacobian_dot_qd(robot, q, qd, ARMDYN_JACOBIAN_BASE, workspace, drift);
  *out = (struct armdyn_constrained){ .gauss = 0 };
  tool_acceleration(J, drift, qdd, held.n, out->acceleration);
  held.rows = directions(constraint, normal, rows);
  if (!held.rows) return ARMDYN_OK;

  armdyn_mass_matrix(robot, q, workspace, M);
  if (!mass_matrix_factor(robot, q, M)) return ARMDYN_ESINGULAR;
  hold(&held, rows, J, M);
  for (size_t i = 0; i < held.rows; i++) {
    for (size_t k = 0; k < 6; k++) b[i] -= rows[6 * i + k] * out->acceleration[k];
  }
  if (constraint == ARMDYN_CONSTRAINT_WALL && *b <= 0) return ARMDYN_OK; /* it is left */
  solve(&held, b, f);
  for (size_t i = 0; i < held.rows; i++) {
    for (size_t j = 0; j < held.n; j++) qdd[j] += held.by_M[i * held.n + j] * f[i];
    for (size_t k = 0; k < 6; k++) out->wrench[k] += rows[6 * i + k] * f[i];
    for (size_t k = 0; k < held.rows; k++) out->gauss += f[i] * held.W[i * held.rows + k] * f[k] / 2;
  }
  tool_acceleration(J, drift, qdd, held.n, out->acceleration);
  return ARMDYN_OK;
}
