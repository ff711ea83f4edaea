/* Four robots against numbers of other people's libraries (tests/data/vectors: Pinocchio 3.7.0, with which KDL and RBDL
 * agree to 1e-13). */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX };
static const char *const names[] = { "puma560", "scara", "prismatic_dh", "prismatic_mdh" };

struct reference {
  cJSON *json;
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
};

static void reference_open(struct reference *r, const char *name)
{
  static struct armdyn_robot_description description;
  char path[128];
  snprintf(path, sizeof path, "tests/data/vectors/%s.json", name);
  r->json = json_load(path);
  cr_assert(r->json, "%s cannot be read", path);
  description_from_json(cJSON_GetObjectItemCaseSensitive(r->json, "robot"), &description);
  cr_assert_eq(armdyn_robot_new(&description, &r->robot, NULL), ARMDYN_OK);
  r->n = description.joint_count;
  r->workspace = armdyn_workspace_new(r->n);
}

static void reference_close(struct reference *r)
{
  cJSON_Delete(r->json);
  armdyn_robot_free(r->robot);
  armdyn_workspace_free(r->workspace);
}

/* |got - wanted| <= 1e-9 of the largest number of the field */
static void check(const cJSON *state, const char *name, const char *field, const double *got, size_t count)
{
  double wanted[10 * N * N], largest = 1e-6;
  cr_assert_eq(json_field(state, field, wanted, 10 * N * N), count, "%s: %s", name, field);
  for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(wanted[k]));
  for (size_t k = 0; k < count; k++) {
    cr_assert_leq(fabs(got[k] - wanted[k]), 1e-9 * largest, "%s: %s[%zu] is %.17g, not %.17g", name, field, k, got[k],
                  wanted[k]);
  }
}

/* Theirs is another factorisation of the same torque; but C + C' = dM/dt of every one. */
static void check_coriolis_matrix(const struct reference *r, const char *name, const cJSON *state, const double *q,
                                  const double *qd)
{
  const size_t n = r->n;
  double C[N * N], theirs[N * N], largest = 1e-6;
  armdyn_coriolis_matrix(r->robot, q, qd, r->workspace, C);
  cr_assert_eq(json_field(state, "coriolis_matrix", theirs, N * N), n * n);
  for (size_t k = 0; k < n * n; k++) largest = fmax(largest, fabs(theirs[k]));
  for (size_t k = 0; k < n * n; k++) {
    const size_t t = k % n * n + k / n;
    cr_assert_leq(fabs(C[k] + C[t] - theirs[k] - theirs[t]), 1e-9 * largest, "%s: dM/dt[%zu]", name, k);
  }
}

/* Their rows are vx vy vz wx wy wz. */
static void check_jacobian(const struct reference *r, const char *name, const cJSON *state, const double *q)
{
  double ours[6 * N], swapped[6 * N];
  armdyn_jacobian(r->robot, q, ARMDYN_JACOBIAN_BASE, r->workspace, ours);
  for (size_t k = 0; k < 6 * r->n; k++) swapped[k] = ours[(k + 3 * r->n) % (6 * r->n)];
  check(state, name, "J", swapped, 6 * r->n);
}

/* The first states carry derivatives and a regressor too. */
static void check_derivatives(const struct reference *r, const char *name, const cJSON *state, const double *q,
                              const double *qd, const double *qdd)
{
  static double by_q[N * N], by_qd[N * N], M[N * N], regressor[10 * N * N], a[4 * N * N], b[2 * N * N];
  const size_t n = r->n;
  double tau[N];
  armdyn_inverse_dynamics_derivatives(r->robot, q, qd, qdd, NULL, r->workspace, by_q, by_qd, M);
  check(state, name, "dtau_dq", by_q, n * n);
  check(state, name, "dtau_dqd", by_qd, n * n);
  check(state, name, "M", M, n * n);
  cr_assert_eq(armdyn_parameter_count(r->robot, NULL), 10 * n);
  armdyn_regressor(r->robot, NULL, q, qd, qdd, r->workspace, regressor);
  check(state, name, "regressor", regressor, 10 * n * n);
  json_field(state, "fd_tau", tau, N);
  cr_assert_eq(armdyn_linearize(r->robot, q, qd, tau, NULL, r->workspace, a, b), ARMDYN_OK);
  for (size_t k = 0; k < n * n; k++) {
    by_q[k] = a[(n + k / n) * 2 * n + k % n];
    by_qd[k] = a[(n + k / n) * 2 * n + n + k % n];
  }
  check(state, name, "dqdd_dq", by_q, n * n);
  check(state, name, "dqdd_dqd", by_qd, n * n);
  check(state, name, "dqdd_dtau", b + n * n, n * n);
}

static void check_state(const struct reference *r, const char *name, const cJSON *state)
{
  double q[N], qd[N], qdd[N], tau[N], M[N * N], g[N], c[N], tool[16], energy[2];
  const struct armdyn_torque_parts parts = { .gravity = g, .coriolis = c };
  json_field(state, "q", q, N);
  json_field(state, "qd", qd, N);
  json_field(state, "qdd", qdd, N);
  if (cJSON_HasObjectItem(state, "regressor")) check_derivatives(r, name, state, q, qd, qdd);
  armdyn_inverse_dynamics(r->robot, q, qd, qdd, NULL, r->workspace, tau);
  check(state, name, "tau", tau, r->n);
  armdyn_inverse_dynamics_by(r->robot, ARMDYN_INVERSE_LAGRANGE, q, qd, qdd, NULL, r->workspace, tau, NULL);
  check(state, name, "tau", tau, r->n);
  if (armdyn_is_scara(r->robot, NULL)) {
    armdyn_inverse_dynamics_by(r->robot, ARMDYN_INVERSE_CLOSED_FORM, q, qd, qdd, NULL, r->workspace, tau, NULL);
    check(state, name, "tau", tau, r->n);
  }
  armdyn_inverse_dynamics_parts(r->robot, q, qd, qdd, NULL, r->workspace, tau, &parts);
  check(state, name, "tau", tau, r->n);
  check(state, name, "gravity_torque", g, r->n);
  armdyn_gravity_torque(r->robot, q, r->workspace, g);
  check(state, name, "gravity_torque", g, r->n);
  check(state, name, "coriolis_torque", c, r->n);
  armdyn_coriolis_torque(r->robot, q, qd, r->workspace, c);
  check(state, name, "coriolis_torque", c, r->n);
  armdyn_mass_matrix(r->robot, q, r->workspace, M);
  check(state, name, "M", M, r->n * r->n);
  json_field(state, "fd_tau", tau, N);
  for (int method = ARMDYN_FORWARD_ABA; method <= ARMDYN_FORWARD_GAUSS; method++) {
    cr_assert_eq(
        armdyn_forward_dynamics_by(r->robot, (enum armdyn_forward_method)method, q, qd, tau, NULL, r->workspace, qdd),
        ARMDYN_OK);
    check(state, name, "fd_qdd", qdd, r->n);
  }
  check_coriolis_matrix(r, name, state, q, qd);
  check_jacobian(r, name, state, q);
  armdyn_forward_kinematics(r->robot, q, r->workspace, tool, NULL);
  check(state, name, "T_tool", tool, 16);
  armdyn_energy(r->robot, q, qd, r->workspace, &energy[0], &energy[1]);
  cr_assert_float_eq(energy[0], json_number(state, "kinetic", NAN), 1e-9 * fmax(1, energy[0]));
  cr_assert_float_eq(energy[1], json_number(state, "potential", NAN), 1e-9 * fmax(1, fabs(energy[1])));
}

Test(vectors, every_state_of_every_robot)
{
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    struct reference r;
    size_t states = 0;
    reference_open(&r, names[k]);
    const cJSON *state = cJSON_GetObjectItemCaseSensitive(r.json, "states")->child;
    for (; state; state = state->next, states++) check_state(&r, names[k], state);
    cr_assert_eq(states, 25, "%s has %zu states", names[k], states);
    reference_close(&r);
  }
}
