#include "armdyn/shares.h"

#include <math.h>
#include <stdlib.h>

#include "armdyn/terms.h"
#include "lib/dynamics/workspace.h"

enum { T = ARMDYN_TORQUE_TERMS, CHOICES = 1 << T, N = ARMDYN_JOINTS_MAX };

const char *armdyn_torque_term_name(enum armdyn_torque_term term)
{
  static const char *const names[] = {
#define X(name, text) text,
    ARMDYN_TORQUE_TERM_LIST(X)
#undef X
  };
  return names[term];
}

/* What one joint's torques sum up to. */
struct summed {
  double square, peak; /* of the torque */
  double squares[T], peaks[T], magnitudes[T];
  double missing[CHOICES]; /* the largest magnitude of the sum of the terms of a choice */
};

struct armdyn_torque_shares {
  const struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  bool frictionless;
  size_t n, count;
  struct summed *joints;
};

enum armdyn_status armdyn_torque_shares_new(const struct armdyn_robot *robot, bool frictionless,
                                            struct armdyn_torque_shares **shares)
{
  struct armdyn_torque_shares *s = calloc(1, sizeof *s);
  if (!s) return ARMDYN_EMEMORY;
  *s = (struct armdyn_torque_shares){ .robot = robot, .frictionless = frictionless, .n = robot->joint_count };
  s->workspace = armdyn_workspace_new(s->n);
  s->joints = calloc(s->n, sizeof *s->joints);
  if (!s->workspace || !s->joints) {
    armdyn_torque_shares_free(s);
    return ARMDYN_EMEMORY;
  }
  *shares = s;
  return ARMDYN_OK;
}

void armdyn_torque_shares_free(struct armdyn_torque_shares *shares)
{
  if (!shares) return;
  armdyn_workspace_free(shares->workspace);
  free(shares->joints);
  free(shares);
}

/* terms: T x n */
static void split(const struct armdyn_torque_shares *s, const double *q, const double *qd, const double *qdd,
                  double terms[T][N])
{
  const size_t n = s->n;
  const struct armdyn_load load = { .frictionless = s->frictionless };
  double M[N * N], unit[N] = { 0 }, one[N];
  memset(terms, 0, T * sizeof *terms);
  armdyn_mass_matrix(s->robot, q, s->workspace, M);
  rotor_inertia_add(s->robot, qdd, terms[ARMDYN_TORQUE_ROTORS]);
  armdyn_gravity_torque(s->robot, q, s->workspace, terms[ARMDYN_TORQUE_GRAVITY]);
  const struct armdyn_torque_parts parts = { .friction = terms[ARMDYN_TORQUE_FRICTION] }; /* that of the load, too */
  armdyn_inverse_dynamics_parts(s->robot, q, qd, qdd, &load, s->workspace, one, &parts);
  armdyn_coriolis_torque(s->robot, q, qd, s->workspace, terms[ARMDYN_TORQUE_CORIOLIS]);
  for (size_t k = 0; k < n; k++) { /* D_ikk is C qd_i of a unit speed of joint k alone */
    unit[k] = 1;
    armdyn_coriolis_torque(s->robot, q, unit, s->workspace, one);
    unit[k] = 0;
    for (size_t i = 0; i < n; i++) terms[ARMDYN_TORQUE_CENTRIFUGAL][i] += one[i] * qd[k] * qd[k];
  }
  double R[N * N] = { 0 };
  rotor_inertia_matrix_add(s->robot, R);
  for (size_t i = 0; i < n; i++) {
    terms[ARMDYN_TORQUE_CORIOLIS][i] -= terms[ARMDYN_TORQUE_CENTRIFUGAL][i];
    for (size_t j = 0; j < n; j++)
      terms[i == j ? ARMDYN_TORQUE_INERTIA : ARMDYN_TORQUE_COUPLING][i] += (M[i * n + j] - R[i * n + j]) * qdd[j];
  }
}

void armdyn_torque_shares_take(struct armdyn_torque_shares *shares, const double *q, const double *qd,
                               const double *qdd)
{
  double terms[T][N];
  split(shares, q, qd, qdd, terms);
  shares->count++;
  for (size_t j = 0; j < shares->n; j++) {
    struct summed *joint = &shares->joints[j];
    double sums[CHOICES] = { 0 }; /* of each choice: that without its last term, and that */
    for (size_t t = 0; t < T; t++) {
      const double x = terms[t][j];
      joint->squares[t] += x * x, joint->magnitudes[t] += fabs(x);
      joint->peaks[t] = fmax(joint->peaks[t], fabs(x));
      for (size_t k = 0; k < (size_t)1 << t; k++) sums[k | (size_t)1 << t] = sums[k] + x;
    }
    for (size_t k = 1; k < CHOICES; k++) joint->missing[k] = fmax(joint->missing[k], fabs(sums[k]));
    joint->square += sums[CHOICES - 1] * sums[CHOICES - 1];
    joint->peak = joint->missing[CHOICES - 1];
  }
}

void armdyn_torque_shares_tell(const struct armdyn_torque_shares *shares, struct armdyn_torque_share *out)
{
  const double count = (double)shares->count;
  for (size_t j = 0; j < shares->n; j++) {
    const struct summed *joint = &shares->joints[j];
    double all = 0;
    for (size_t t = 0; t < T; t++) all += joint->magnitudes[t];
    out[j] = (struct armdyn_torque_share){ .rms = sqrt(joint->square / count), .peak = joint->peak };
    for (size_t t = 0; t < T; t++) {
      out[j].term_rms[t] = sqrt(joint->squares[t] / count), out[j].term_peak[t] = joint->peaks[t];
      out[j].share[t] = joint->magnitudes[t] / all;
    }
  }
}

double armdyn_torque_shares_error(const struct armdyn_torque_shares *shares, size_t j, unsigned terms)
{
  return shares->joints[j].missing[terms];
}

static unsigned count_of(unsigned terms)
{
  unsigned count = 0;
  for (; terms; terms &= terms - 1) count++;
  return count;
}

struct armdyn_left_out armdyn_torque_shares_leave_out(const struct armdyn_torque_shares *shares, size_t j, double bound)
{
  const struct summed *joint = &shares->joints[j];
  struct armdyn_left_out best = { 0, 0 };
  for (unsigned k = 1; k < CHOICES; k++) {
    if (!(joint->missing[k] <= bound * joint->peak)) continue;
    const unsigned more = count_of(k), had = count_of(best.terms);
    if (more > had || (more == had && joint->missing[k] < best.error))
      best = (struct armdyn_left_out){ k, joint->missing[k] };
  }
  return best;
}
