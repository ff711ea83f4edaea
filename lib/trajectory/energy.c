/* Energy of a motion, by Gauss-Legendre quadrature on intervals that are halved until they agree with their halves. */
#include <math.h>

#include "lib/trajectory/polynomial.h"

enum {
  N = ARMDYN_JOINTS_MAX,
  TERMS = N + 3,
  NODES = 5,
  DEPTH = 40,
  HALVINGS_SHARED = 1 << 17, /* of all pieces together, and */
  HALVINGS_PIECE = 1 << 10   /* what every piece adds to it */
};

static const double ROUND_OFF = 1e-13; /* no halves of an interval agree better */

/* What is integrated: positive power of every joint, braking power, friction power, squared relative torque. */
enum { BRAKED = N, FRICTION, COST };
struct powers {
  double x[TERMS];
};

struct quadrature {
  const struct armdyn_robot *robot;
  const struct armdyn_trajectory *trajectory;
  struct armdyn_workspace *workspace;
  double tolerance; /* W: of the mean power on an interval */
  size_t halvings;  /* left: beyond 1e8 rad a motion has more oscillations than anybody can wait for */
};

static struct powers powers_at(const struct quadrature *w, size_t piece, double s)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(w->robot);
  struct powers out = { { 0 } };
  double q[N], qd[N], qdd[N], tau[N];
  piece_state(w->trajectory, piece, s, q, qd, qdd, NULL);
  armdyn_inverse_dynamics(w->robot, q, qd, qdd, NULL, w->workspace, tau);
  for (size_t j = 0; j < d->joint_count; j++) {
    const double power = tau[j] * qd[j], limit = d->joints[j].limits.torque;
    const double relative = tau[j] / (isfinite(limit) ? limit : 1);
    out.x[j] = fmax(0, power);
    out.x[BRAKED] += fmax(0, -power);
    out.x[FRICTION] += armdyn_friction_torque(w->robot, j, q[j], qd[j]) * qd[j];
    out.x[COST] += relative * relative;
  }
  return out;
}

/* Five nodes: exact to degree nine. */
static struct powers gauss(const struct quadrature *w, size_t piece, double from, double to)
{
  static const double node[NODES] = { -0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                      0.9061798459386640 };
  static const double weight[NODES] = { 0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                        0.2369268850561891 };
  struct powers sum = { { 0 } };
  for (int k = 0; k < NODES; k++) {
    const struct powers p = powers_at(w, piece, (from + to) / 2 + node[k] * (to - from) / 2);
    for (int i = 0; i < TERMS; i++) sum.x[i] += weight[k] * (to - from) / 2 * p.x[i];
  }
  return sum;
}

static void integrate(struct quadrature *w, size_t piece, double from, double to, const struct powers *whole, int depth,
                      struct powers *sum)
{
  const double middle = (from + to) / 2;
  const struct powers left = gauss(w, piece, from, middle), right = gauss(w, piece, middle, to);
  double difference = 0, largest = 0;
  for (int i = 0; i < TERMS; i++) {
    difference = fmax(difference, fabs(left.x[i] + right.x[i] - whole->x[i]));
    largest = fmax(largest, fabs(whole->x[i]));
  }
  if (depth == 0 || w->halvings == 0 || difference <= fmax(w->tolerance * (to - from), ROUND_OFF * largest)) {
    for (int i = 0; i < TERMS; i++) sum->x[i] += left.x[i] + right.x[i];
    return;
  }
  w->halvings--;
  integrate(w, piece, from, middle, &left, depth - 1, sum);
  integrate(w, piece, middle, to, &right, depth - 1, sum);
}

/* The mean of the largest integrand, roughly. */
static double scale_of(const struct quadrature *w)
{
  const struct armdyn_trajectory *t = w->trajectory;
  double sum = 0;
  for (size_t k = 0; k < t->piece_count; k++) {
    const struct powers p = gauss(w, k, 0, t->breaks[k + 1] - t->breaks[k]);
    double largest = 0;
    for (int i = 0; i < TERMS; i++) largest = fmax(largest, fabs(p.x[i]));
    sum += largest;
  }
  return sum / armdyn_trajectory_duration(t);
}

static void differences_of_state(const struct quadrature *w, struct armdyn_motion_energy *energy)
{
  double q[N], qd[N], kinetic[2], potential[2];
  for (int end = 0; end < 2; end++) {
    armdyn_trajectory_state(w->trajectory, end ? armdyn_trajectory_duration(w->trajectory) : 0, q, qd, NULL, NULL);
    armdyn_energy(w->robot, q, qd, w->workspace, &kinetic[end], &potential[end]);
  }
  energy->kinetic = kinetic[1] - kinetic[0];
  energy->gravity = potential[1] - potential[0];
}

enum armdyn_status armdyn_trajectory_energy(const struct armdyn_robot *robot,
                                            const struct armdyn_trajectory *trajectory,
                                            struct armdyn_motion_energy *energy)
{
  const size_t n = armdyn_robot_joint_count(robot);
  struct quadrature w = { robot, trajectory, armdyn_workspace_new(n), 0, HALVINGS_SHARED };
  struct powers sum = { { 0 } };
  if (!w.workspace) return ARMDYN_EMEMORY;
  *energy = (struct armdyn_motion_energy){ 0 };
  differences_of_state(&w, energy);
  if (armdyn_trajectory_duration(trajectory) > 0) {
    w.tolerance = 1e-10 * scale_of(&w);
    for (size_t k = 0; k < trajectory->piece_count; k++) {
      const double length = trajectory->breaks[k + 1] - trajectory->breaks[k];
      w.halvings += HALVINGS_PIECE;
      const struct powers whole = gauss(&w, k, 0, length);
      integrate(&w, k, 0, length, &whole, DEPTH, &sum);
    }
  }
  for (size_t j = 0; j < n; j++) energy->positive_work += energy->by_joint[j] = sum.x[j];
  energy->braked = sum.x[BRAKED];
  energy->friction = sum.x[FRICTION];
  energy->torque_cost = sum.x[COST];
  armdyn_workspace_free(w.workspace);
  return ARMDYN_OK;
}
