/* The arm at rest in a linear form: links q, the motors m of elastic gears, torques t of drives with a current loop,
 *
 *   M q'' = -G q + [u, t; of an elastic joint k (m - q) + d (m' - q')],   B m'' = [u, t] - k (m - q) - d (m' - q')
 *   t' = w (u - t)
 *
 * x = [q; q'; m; m'; t], x' = A x + B u, and with u held from period to period F = exp(A T), H = int exp(A s) ds B, both from
 * the exponential of [A B; 0 0] T. M and G by armdyn_linearize, of the arm without the rotors before its springs. */
#include "lib/control/linear_plant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/derivatives.h"
#include "armdyn/terms.h"
#include "lib/control/elements.h"
#include "lib/math/linear.h"
#include "lib/math/symmetric.h"

enum { N = ARMDYN_JOINTS_MAX, TERMS = 14 };
static const double LEVEL = 1e-9; /* of the largest torque of gravity, or slope of it: what is less is 0 */
static const double PI = 3.14159265358979323846;

/* ---- what there is between drives and links */

static bool elastic(const struct armdyn_elements *elements, size_t j)
{
  return elements && elements->stiffness[j] > 0;
}

static bool lagging(const struct armdyn_elements *elements, size_t j)
{
  return elements && elements->current_bandwidth[j] > 0;
}

static enum armdyn_status check(const struct armdyn_elements *elements, size_t n, struct armdyn_error *error)
{
  bool play = false;
  for (size_t j = 0; j < n && elements; j++) play |= elements->backlash[j] > 0;
  if (!elements || (!play && !elements->ripple_count && !elements->wall_count && !elements->has_hole)) return ARMDYN_OK;
  return armdyn_refuse(
      error, ARMDYN_EINPUT, "",
      "play, torque ripple and contact have no linear form: margins are those of elastic gears without "
      "play and of current loops");
}

/* Where everything is in the state. */
static void lay_out(struct linear_plant *p, const struct armdyn_elements *elements)
{
  size_t springs = 0, at;
  for (size_t j = 0; j < p->n; j++) springs += elastic(elements, j);
  at = 2 * p->n;
  for (size_t j = 0; j < p->n; j++) {
    p->motor_q[j] = elastic(elements, j) ? at++ : j;
    p->motor_qd[j] = elastic(elements, j) ? p->motor_q[j] + springs : p->n + j;
  }
  at += springs;
  for (size_t j = 0; j < p->n; j++) p->torque[j] = lagging(elements, j) ? at++ : 0;
  p->states = at;
  for (size_t j = 0; j < p->n; j++) {
    const bool at_link = elements && elements->link_encoders;
    p->seen_q[j] = at_link ? j : p->motor_q[j];
    p->seen_qd[j] = at_link ? p->n + j : p->motor_qd[j];
  }
}

/* ---- x' = A x + B u; A states x states, B states x n, zeroed before */

struct continuous {
  double *A, *B;
  double rigid_A[4 * N * N], rigid_B[2 * N * N];
};

/* A torque on the row of joint j's link, or of its motor, that is `by` times state `of`. */
static void act(const struct linear_plant *p, struct continuous *c, size_t j, size_t of, double by)
{
  for (size_t i = 0; i < 2 * p->n; i++) c->A[i * p->states + of] += by * c->rigid_B[i * p->n + j];
}

static void spring(const struct linear_plant *p, struct continuous *c, const struct armdyn_elements *e, size_t j,
                   double rotor)
{
  const size_t m = p->motor_q[j], md = p->motor_qd[j], q = j, qd = p->n + j, s = p->states;
  const double k = e->stiffness[j], d = e->damping[j];
  act(p, c, j, m, k), act(p, c, j, q, -k), act(p, c, j, md, d), act(p, c, j, qd, -d);
  c->A[m * s + md] = 1;
  c->A[md * s + m] -= k / rotor, c->A[md * s + q] += k / rotor;
  c->A[md * s + md] -= d / rotor, c->A[md * s + qd] += d / rotor;
}

/* What the drive turns: its motor, or the link. */
static void drive(const struct linear_plant *p, struct continuous *c, const struct armdyn_elements *e, size_t j,
                  double rotor)
{
  const size_t s = p->states, t = p->torque[j];
  const double w = t ? 2 * PI * e->current_bandwidth[j] : 0;
  if (t) c->A[t * s + t] = -w, c->B[t * p->n + j] = w;
  if (elastic(e, j)) {
    *(t ? &c->A[p->motor_qd[j] * s + t] : &c->B[p->motor_qd[j] * p->n + j]) += 1 / rotor;
    return;
  }
  for (size_t i = 0; i < 2 * p->n; i++) *(t ? &c->A[i * s + t] : &c->B[i * p->n + j]) += c->rigid_B[i * p->n + j];
}

static enum armdyn_status linearise(const struct linear_plant *p, const struct armdyn_loop *loop,
                                    const struct armdyn_robot *links, const double *q,
                                    struct armdyn_workspace *workspace, struct continuous *c)
{
  const struct armdyn_load load = { .frictionless = true };
  const double zero[N] = { 0 };
  double tau[N];
  armdyn_gravity_torque(links, q, workspace, tau);
  const enum armdyn_status status = armdyn_linearize(links, q, zero, tau, &load, workspace, c->rigid_A, c->rigid_B);
  if (status) return status;
  for (size_t i = 0; i < 2 * p->n; i++)
    for (size_t k = 0; k < 2 * p->n; k++) c->A[i * p->states + k] = c->rigid_A[i * 2 * p->n + k];
  for (size_t j = 0; j < p->n; j++) {
    const struct armdyn_drive *d = &armdyn_robot_description(loop->plant)->joints[j].drive;
    const double rotor = d->gear_ratio * d->gear_ratio * d->rotor_inertia;
    if (elastic(loop->elements, j)) spring(p, c, loop->elements, j, rotor);
    drive(p, c, loop->elements, j, rotor);
  }
  return ARMDYN_OK;
}

/* ---- from period to period */

static void multiply(size_t n, const double *a, const double *b, double *out)
{
  memset(out, 0, n * n * sizeof *out);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < n; j++) out[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* exp(M) by its series of M / 2^s, squared s times; `room` 3 n^2. M is overwritten by it. Source: Moler & Van Loan 2003. */
static void exponential(size_t n, double *M, double *room)
{
  const size_t size = n * n;
  double *term = room, *sum = room + size, *next = room + 2 * size, norm = 0;
  for (size_t i = 0; i < n; i++) {
    double row = 0;
    for (size_t j = 0; j < n; j++) row += fabs(M[i * n + j]);
    norm = fmax(norm, row);
  }
  int squarings = 0;
  while (ldexp(norm, -squarings) > 0.25) squarings++;
  for (size_t k = 0; k < size; k++) M[k] = ldexp(M[k], -squarings), term[k] = sum[k] = k % (n + 1) ? 0 : 1;
  for (int k = 1; k <= TERMS; k++) {
    multiply(n, term, M, next);
    for (size_t i = 0; i < size; i++) term[i] = next[i] / k, sum[i] += term[i];
  }
  for (; squarings > 0; squarings--) {
    multiply(n, sum, sum, next);
    memcpy(sum, next, size * sizeof *sum);
  }
  memcpy(M, sum, size * sizeof *M);
}

static enum armdyn_status sample(struct linear_plant *p, const struct armdyn_loop *loop,
                                 const struct armdyn_robot *links, const double *q, struct armdyn_workspace *workspace)
{
  const size_t n = p->n, s = p->states, whole = s + n;
  double *M = calloc(4 * whole * whole, sizeof *M);
  struct continuous *c = calloc(1, sizeof *c);
  enum armdyn_status status = M && c ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) {
    c->A = p->F, c->B = p->H;
    status = linearise(p, loop, links, q, workspace, c);
  }
  for (size_t i = 0; i < s && !status; i++) {
    for (size_t j = 0; j < s; j++) M[i * whole + j] = p->F[i * s + j] * loop->control->period;
    for (size_t j = 0; j < n; j++) M[i * whole + s + j] = p->H[i * n + j] * loop->control->period;
  }
  if (!status) exponential(whole, M, M + whole * whole);
  for (size_t i = 0; i < s && !status; i++) {
    memcpy(p->F + i * s, M + i * whole, s * sizeof *M);
    memcpy(p->H + i * n, M + i * whole + s, n * sizeof *M);
  }
  free(c);
  free(M);
  return status;
}

/* ---- poles of the arm alone: of M x'' + K x = 0, K the slopes of gravity and springs. Every negative eigenvalue of K is one
 * that grows, whatever damps (Kelvin, Tait and Chetaev), and those of the slopes G of gravity alone are as many: K is congruent
 * to diag(G, k) (Sylvester). The others are where the loop may be narrow. */

static size_t count_unstable(size_t n, const struct armdyn_robot *plant, const double *q, double *G,
                             struct armdyn_workspace *workspace)
{
  double values[N], weight[N], least = 0, scratch[3 * N];
  size_t unstable = 0;
  symmetric_eigen(n, G, values, NULL, scratch);
  armdyn_gravity_torque(plant, q, workspace, weight);
  for (size_t k = 0; k < n; k++) least = fmax(least, LEVEL * fmax(fabs(values[k]), fabs(weight[k])));
  for (size_t k = 0; k < n; k++) unstable += values[k] < -least;
  return unstable;
}

/* K <- L^-1 K L^-T, by columns and then by rows. */
static void reduce(size_t n, const double *L, double *K)
{
  for (int pass = 0; pass < 2; pass++)
    for (size_t c = 0; c < n; c++)
      for (size_t i = 0; i < n; i++) {
        double *x = pass ? K + c * n + i : K + i * n + c;
        for (size_t k = 0; k < i; k++) *x -= L[i * n + k] * (pass ? K[c * n + k] : K[k * n + c]);
        *x /= L[i * n + i];
      }
}

/* Masses and slopes of links and motors, m x m. */
static size_t put_together(const struct linear_plant *p, const struct armdyn_loop *loop, const double *G,
                           const double *links, double *M, double *K)
{
  const size_t n = p->n;
  size_t m = n, at = n;
  for (size_t j = 0; j < n; j++) m += elastic(loop->elements, j);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) M[i * m + j] = links[i * n + j], K[i * m + j] = G[i * n + j];
  for (size_t j = 0; j < n; j++) {
    if (!elastic(loop->elements, j)) continue;
    const struct armdyn_drive *d = &armdyn_robot_description(loop->plant)->joints[j].drive;
    const double k = loop->elements->stiffness[j];
    M[at * m + at] = d->gear_ratio * d->gear_ratio * d->rotor_inertia;
    K[j * m + j] += k, K[at * m + at] = k, K[at * m + j] = K[j * m + at] = -k;
    at++;
  }
  return m;
}

static enum armdyn_status find_resonances(struct linear_plant *p, const struct armdyn_loop *loop,
                                          const struct armdyn_robot *links, const double *q,
                                          struct armdyn_workspace *workspace)
{
  const size_t n = p->n, most = 4 * n * n;
  const struct armdyn_load load = { .frictionless = true };
  const double zero[N] = { 0 };
  double values[2 * N], scratch[6 * N];
  double *room = calloc(3 * n * n + n * n + 2 * most, sizeof *room);
  if (!room) return ARMDYN_EMEMORY;
  double *G = room, *mass = room + 3 * n * n, *M = mass + n * n, *K = M + most;
  armdyn_inverse_dynamics_derivatives(links, q, zero, zero, &load, workspace, G, G + n * n, G + 2 * n * n);
  armdyn_mass_matrix(links, q, workspace, mass);
  const size_t m = put_together(p, loop, G, mass, M, K);
  p->unstable = count_unstable(n, links, q, G, workspace);
  const bool regular = m > n && cholesky_factor(m, M);
  if (regular) {
    reduce(m, M, K);
    symmetric_eigen(m, K, values, NULL, scratch);
  }
  for (size_t k = 0; k < m && regular; k++)
    if (values[k] > 0) p->resonances[p->resonance_count++] = sqrt(values[k]);
  free(room);
  return ARMDYN_OK;
}

enum armdyn_status linear_plant_open(struct linear_plant *p, const struct armdyn_loop *loop, const double *q,
                                     struct armdyn_error *error)
{
  struct elements *elements = NULL;
  struct armdyn_workspace *workspace = NULL;
  *p = (struct linear_plant){ .n = armdyn_robot_joint_count(loop->plant) };
  enum armdyn_status status = check(loop->elements, p->n, error);
  if (!status && loop->elements) status = elements_open(loop->elements, loop->plant, NULL, &elements, error);
  if (status) return status;
  const struct armdyn_robot *links = elements ? elements_links(elements) : loop->plant;
  lay_out(p, loop->elements);
  p->F = calloc(p->states * (p->states + p->n), sizeof *p->F);
  p->H = p->F + p->states * p->states;
  workspace = armdyn_workspace_new(p->n);
  status = p->F && workspace ? sample(p, loop, links, q, workspace) : ARMDYN_EMEMORY;
  if (!status) status = find_resonances(p, loop, links, q, workspace);
  armdyn_workspace_free(workspace);
  elements_close(elements);
  if (!status) return ARMDYN_OK;
  linear_plant_close(p);
  return armdyn_refuse(error, status, "", "the loop of %zu joints has no linear form here: %s", p->n,
                       status == ARMDYN_ESINGULAR ? "its mass matrix is singular" : "no memory");
}

void linear_plant_close(struct linear_plant *p)
{
  free(p->F);
  p->F = p->H = NULL;
}
