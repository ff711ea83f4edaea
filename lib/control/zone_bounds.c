/* Derivatives of an arm's gravity and inertia, bounded. With U the potential, g_i = dU/dq_i; M_ij is the integral of
 * dp/dq_i . dp/dq_j over the masses that both move. The derivative of a point p by joints whose outermost is m is, of
 *   a revolute m   z x (... (z_m x (p - o_m))), at most |p - o_m|
 *   a slide m      z x (... z_m), at most 1; 0 where m stands twice
 * and 0 where a slide stands further in: it moves p and o_m alike. Masses of a link are taken as the absolute value |P| of its
 * pseudo-inertia, so that identified links that are no bodies have true bounds too: |tr(A P B')|^2 <= tr(A|P|A') tr(B|P|B'). */
#include "lib/control/zone_bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/derivatives.h"
#include "armdyn/terms.h"
#include "lib/math/symmetric.h"
#include "lib/math/vector.h"
#include "lib/model/compiled.h"

enum { N = ARMDYN_JOINTS_MAX };
static const double ROUNDING = 1 + 1e-9;

struct arms {
  const struct armdyn_robot *robot;
  double slide[N];   /* how far a slide goes in the box */
  double reach[N];   /* |sum of m (p - o_k)| of all links from k on */
  double beyond[N];  /* |mass| of them */
  double mass[N];    /* root of a link's */
  double arm[N * N]; /* [k, l]: root of the second moment of link l about o_k */
  bool level[N];     /* revolute, gravity along its axis wherever the arm is: U does not see it */
};

/* Second moment about the frame's origin, and mass, of |P|. */
static void absolute_moments(const struct distribution *link, double *moment, double *mass)
{
  const double *s = link->s, *h = link->h;
  double P[16] = { s[0], s[3], s[4], h[0], s[3], s[1], s[5], h[1], s[4], s[5], s[2], h[2], h[0], h[1], h[2], link->m };
  double values[4], vectors[16], scratch[12];
  symmetric_eigen(4, P, values, vectors, scratch);
  *moment = *mass = 0;
  for (size_t k = 0; k < 4; k++) {
    const double *v = vectors + 4 * k;
    *moment += fabs(values[k]) * dot3(v, v);
    *mass += fabs(values[k]) * v[3] * v[3];
  }
}

static void find_arms(struct arms *a)
{
  const struct compiled_joint *joints = a->robot->joints;
  const size_t n = a->robot->joint_count;
  double mass = 0;
  for (size_t k = n; k-- > 0;) {
    double moment, heavy, first[3];
    const struct compiled_joint *next = k + 1 < n ? &joints[k + 1] : NULL;
    for (int i = 0; i < 3; i++) first[i] = joints[k].link.h[i] + (next ? mass * next->parent.p[i] : 0);
    a->reach[k] = sqrt(dot3(first, first)) + (next ? fabs(mass) * a->slide[k + 1] + a->reach[k + 1] : 0);
    mass += joints[k].link.m;
    a->beyond[k] = fabs(mass);
    absolute_moments(&joints[k].link, &moment, &heavy);
    a->mass[k] = sqrt(heavy);
    double away = 0;
    for (size_t i = k + 1; i-- > 0;) {
      a->arm[i * n + k] = sqrt(moment) + a->mass[k] * away;
      away += sqrt(dot3(joints[i].parent.p, joints[i].parent.p)) + a->slide[i];
    }
  }
}

static void find_level(struct arms *a)
{
  double down[3], turned[3];
  memcpy(down, a->robot->gravity, sizeof down);
  const double most = 1e-12 * sqrt(dot3(down, down));
  for (size_t k = 0; k < a->robot->joint_count; k++) {
    unrotate3(turned, a->robot->joints[k].parent.r, down);
    memcpy(down, turned, sizeof down);
    if (a->robot->joints[k].prismatic) continue;
    if (!(hypot(down[0], down[1]) <= most)) return;
    a->level[k] = true;
  }
}

/* The outermost of some joints; n where the derivative by them is 0. */
static size_t outermost(const struct arms *a, const size_t *joints, size_t count)
{
  size_t most = 0, slides = 0;
  for (size_t k = 0; k < count; k++) most = joints[k] > most ? joints[k] : most;
  for (size_t k = 0; k < count; k++) {
    if (!a->robot->joints[joints[k]].prismatic) continue;
    if (joints[k] < most || slides++) return a->robot->joint_count;
  }
  return most;
}

static double bound_gravity(const struct arms *a, size_t i, size_t j, size_t k)
{
  const double *down = a->robot->gravity;
  const size_t most = outermost(a, (size_t[]){ i, j, k }, 3);
  if (most == a->robot->joint_count || a->level[i] || a->level[j] || a->level[k]) return 0;
  return sqrt(dot3(down, down)) * (a->robot->joints[most].prismatic ? a->beyond[most] : a->reach[most]);
}

/* Root of the integral over a link of the squared derivative by some joints. */
static double moved(const struct arms *a, size_t link, const size_t *joints, size_t count)
{
  const size_t n = a->robot->joint_count, most = outermost(a, joints, count);
  if (most == n) return 0;
  return a->robot->joints[most].prismatic ? a->mass[link] : a->arm[most * n + link];
}

/* M_ij does not see the joints up to i, for i <= j. */
static double bound_inertia(const struct arms *a, size_t i, size_t j, size_t k, size_t l)
{
  const size_t all[] = { i, j, k, l };
  size_t most = 0;
  double sum = 0;
  if (k <= i || l <= i) return 0;
  for (size_t x = 0; x < 4; x++) most = all[x] > most ? all[x] : most;
  for (size_t link = most; link < a->robot->joint_count; link++) {
    sum += moved(a, link, (size_t[]){ i, k, l }, 3) * moved(a, link, &j, 1);
    sum += moved(a, link, (size_t[]){ i, k }, 2) * moved(a, link, (size_t[]){ j, l }, 2);
    sum += moved(a, link, (size_t[]){ i, l }, 2) * moved(a, link, (size_t[]){ j, k }, 2);
    sum += moved(a, link, &i, 1) * moved(a, link, (size_t[]){ j, k, l }, 3);
  }
  return sum;
}

enum armdyn_status zone_bounds_new(const struct armdyn_robot *robot, const double *low, const double *high,
                                   struct zone_bounds *bounds)
{
  const size_t n = robot->joint_count;
  struct arms *a = calloc(1, sizeof *a);
  *bounds = (struct zone_bounds){ .n = n, .gravity = calloc(n * n * n + n * n * n * n, sizeof *bounds->gravity) };
  const enum armdyn_status status = a && bounds->gravity ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (status) goto out;
  bounds->inertia = bounds->gravity + n * n * n;
  a->robot = robot;
  for (size_t k = 0; k < n; k++) a->slide[k] = robot->joints[k].prismatic ? fmax(fabs(low[k]), fabs(high[k])) : 0;
  find_arms(a);
  find_level(a);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++) {
        bounds->gravity[(i * n + j) * n + k] = bound_gravity(a, i, j, k);
        for (size_t l = 0; l < n && j >= i; l++)
          bounds->inertia[((i * n + j) * n + k) * n + l] = bound_inertia(a, i, j, k, l);
      }
out:
  free(a);
  return status;
}

void zone_bounds_free(struct zone_bounds *bounds)
{
  free(bounds->gravity);
  bounds->gravity = bounds->inertia = NULL;
}

enum armdyn_status zone_centre_new(size_t n, struct zone_centre *centre)
{
  double *room = calloc(n + 2 * n * n + n * n * n, sizeof *room);
  *centre = (struct zone_centre){ .gravity = room };
  if (!room) return ARMDYN_EMEMORY;
  centre->stiffness = room + n;
  centre->inertia = centre->stiffness + n * n;
  centre->slope = centre->inertia + n * n;
  return ARMDYN_OK;
}

void zone_centre_at(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                    struct zone_centre *centre)
{
  const size_t n = robot->joint_count;
  const double zero[N] = { 0 };
  const struct armdyn_load load = { .frictionless = true };
  double by_q[N * N], by_qd[N * N];
  armdyn_gravity_torque(robot, q, workspace, centre->gravity);
  armdyn_inverse_dynamics_derivatives(robot, q, zero, zero, &load, workspace, centre->stiffness, by_qd,
                                      centre->inertia);
  for (size_t j = 0; j < n; j++) { /* M e_j, by acceleration of one joint alone */
    double qdd[N] = { 0 };
    qdd[j] = 1;
    armdyn_inverse_dynamics_derivatives(robot, q, zero, qdd, &load, workspace, by_q, by_qd, centre->inertia);
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++)
        centre->slope[(i * n + j) * n + k] = by_q[i * n + k] - centre->stiffness[i * n + k];
  }
}

void zone_bounds_within(const struct zone_bounds *bounds, const struct zone_centre *centre, const double *half,
                        double *gravity, double *inertia)
{
  const size_t n = bounds->n;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t jk = 0; jk < n * n; jk++) sum += bounds->gravity[i * n * n + jk] * half[jk / n] * half[jk % n];
    gravity[i] = ROUNDING * sum / 2;
    for (size_t j = i; j < n; j++) {
      const double *slope = centre->slope + (i * n + j) * n, *second = bounds->inertia + (i * n + j) * n * n;
      double change = 0;
      for (size_t k = i + 1; k < n; k++) {
        double curve = 0;
        for (size_t l = i + 1; l < n; l++) curve += second[k * n + l] * half[l];
        change += (fabs(slope[k]) + curve / 2) * half[k];
      }
      inertia[i * n + j] = inertia[j * n + i] = ROUNDING * change;
    }
  }
}
