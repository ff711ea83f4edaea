/* Dynamics of one sample, and of LANES samples at a time; a template, see lanes.h. The includer defines LANES and
 * has chosen the instruction set. */
#include "lib/dynamics/lanes.h"
#include "lib/dynamics/singular.h"
#include "lib/model/friction.h"

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef long long lane_bits __attribute__((vector_size(8 * LANES)));

#include "lib/math/sincos_kernel.h"

#define REAL    double
#define NAME(x) single_##x
#include "lib/dynamics/recursion_kernel.h"
/* which comes before what builds on it */
#include "lib/dynamics/inertia_kernel.h"
#include "lib/dynamics/links_kernel.h"
/* and so do these */
#include "lib/dynamics/derivatives_kernel.h"
#include "lib/dynamics/gauss_kernel.h"
#include "lib/dynamics/regressor_kernel.h"
#undef REAL
#undef NAME
#define REAL    lanes
#define NAME(x) lanes_##x
#include "lib/dynamics/recursion_kernel.h"
/* again after it */
#include "lib/dynamics/inertia_kernel.h"
#include "lib/dynamics/links_kernel.h"
/* again after it */
#include "lib/dynamics/derivatives_kernel.h"
#include "lib/dynamics/gauss_kernel.h"
#include "lib/dynamics/regressor_kernel.h"
#undef REAL
#undef NAME

/* -- one sample -- */

/* LANES at a time. */
static void sines(size_t n, const double *x, double *sine, double *cosine)
{
  for (size_t first = 0; first < n; first += LANES) {
    const size_t count = n - first < LANES ? n - first : LANES;
    lanes q = { 0 }, s, c;
    for (size_t l = 0; l < count; l++) q[l] = x[first + l];
    const lane_bits inside = sincos_range(&q);
    if (all_lanes(&inside)) {
      sincos_lanes(&q, &s, &c);
    } else {
      sincos_by_lane(&q, &s, &c);
    }
    for (size_t l = 0; l < count; l++) {
      sine[first + l] = s[l];
      cosine[first + l] = c[l];
    }
  }
}

/* The whole angle of every joint; where it slides, the constant one. */
static void single_turns(const struct reduced_robot *robot, size_t n, const double *q, struct single_state *x)
{
  double sine[ARMDYN_JOINTS_MAX], cosine[ARMDYN_JOINTS_MAX];
  sines(n, q, sine, cosine);
  for (size_t i = 0; i < n; i++) {
    const struct reduced_joint *joint = &robot->joints[i];
    const double c = joint->slides ? 1 : cosine[i], s = joint->slides ? 0 : sine[i];
    x[i].cosine = joint->angle_cosine * c - joint->angle_sine * s;
    x[i].sine = joint->angle_sine * c + joint->angle_cosine * s;
  }
}

static void single_states(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                          struct single_state *x)
{
  for (size_t i = 0; i < robot->joint_count; i++) {
    x[i].q = q[i];
    x[i].qd = qd ? qd[i] : 0;
    x[i].qdd = qdd ? qdd[i] : 0;
  }
}

static void single_open(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                        struct single_state *x)
{
  single_states(robot, q, qd, qdd, x);
  single_turns(&robot->reduced, robot->joint_count, q, x);
}

/* Forces on all links for the motion in the states, less the load's wrench. */
static void single_forces(const struct armdyn_robot *robot, const struct armdyn_load *load, struct single_state *x)
{
  const size_t n = robot->joint_count;
  single_recursion_outward(&robot->reduced, n, x);
  if (!load || !load->wrench) return;
  double wrench[6];
  memcpy(wrench, load->wrench, sizeof wrench);
  single_wrench_moved(robot, x, load->wrench_frame == ARMDYN_WRENCH_BASE, wrench);
  for (int k = 0; k < 6; k++) x[n - 1].force[k] -= wrench[k];
}

static void inverse(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                    const struct armdyn_load *load, double *tau)
{
  const size_t n = robot->joint_count;
  struct single_state x[ARMDYN_JOINTS_MAX];
  single_open(robot, q, qd, qdd, x);
  single_forces(robot, load, x);
  single_recursion_inward(&robot->reduced, n, x);
  for (size_t i = 0; i < n; i++) tau[i] = x[i].force[robot->reduced.joints[i].slides ? 5 : 2];
}

static void mass_matrix(const struct armdyn_robot *robot, const double *q, double *M)
{
  struct single_state x[ARMDYN_JOINTS_MAX];
  single_open(robot, q, NULL, NULL, x);
  single_links_mass_matrix(&robot->reduced, robot->joint_count, x, M);
}

/* Is the mass matrix positive definite beyond rounding? Rotors are not coupled. */
static bool is_definite(const struct armdyn_robot *robot, const double *q)
{
  const size_t n = robot->joint_count;
  double M[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  mass_matrix(robot, q, M);
  for (size_t i = 0; i < n; i++) M[i * n + i] += robot->rotor_inertia[i];
  return mass_matrix_factor(robot, q, M);
}

/* Is there an inertia that every joint moves? */
static bool has_inertia(const struct armdyn_robot *robot, const double *q, const struct single_state *x,
                        const struct single_hinge *hinges)
{
  for (size_t i = 0; i < robot->joint_count; i++) {
    if (!(hinges[i].inverse > 0)) return false;
  }
  return single_thinness(robot, x, hinges) <= THINNESS_SUSPECT || is_definite(robot, q);
}

static bool forward(const struct armdyn_robot *robot, const double *q, const double *qd, const double *torque,
                    const struct armdyn_load *load, double *qdd)
{
  const size_t n = robot->joint_count;
  struct single_state x[ARMDYN_JOINTS_MAX];
  struct single_hinge hinges[ARMDYN_JOINTS_MAX];
  single_open(robot, q, qd, NULL, x);
  single_forces(robot, load, x);
  single_hinges_inward(robot, x, torque, hinges);
  if (!has_inertia(robot, q, x, hinges)) return false;
  single_accelerations_outward(&robot->reduced, n, x, hinges);
  for (size_t i = 0; i < n; i++) qdd[i] = x[i].qdd;
  return true;
}

/* The same by Gauss's principle. */
static bool gauss(const struct armdyn_robot *robot, const double *q, const double *qd, const double *torque,
                  const struct armdyn_load *load, double *qdd)
{
  struct single_state x[ARMDYN_JOINTS_MAX];
  struct single_hinge hinges[ARMDYN_JOINTS_MAX];
  double wrench[6];
  const bool pushed = load && load->wrench;
  single_open(robot, q, qd, NULL, x);
  if (pushed) memcpy(wrench, load->wrench, sizeof wrench);
  single_least_constraint(robot, x, torque, pushed ? wrench : NULL, pushed && load->wrench_frame == ARMDYN_WRENCH_BASE,
                          hinges);
  if (!has_inertia(robot, q, x, hinges)) return false;
  for (size_t i = 0; i < robot->joint_count; i++) qdd[i] = x[i].qdd;
  return true;
}

/* -- LANES samples -- */

/* One number of LANES rows. */
static inline lanes column(const struct armdyn_rows *rows, size_t first, size_t index)
{
  const double *x = rows->data + first * rows->stride + index;
  lanes out = { 0 };
  for (size_t l = 0; l < LANES; l++) out[l] = x[l * rows->stride];
  return out;
}

/* Of q alone, from joint `first` on; of 0 where it slides. */
static inline void lanes_sines(const struct reduced_robot *robot, size_t first, size_t n, struct lanes_state *x)
{
  lane_bits inside = ~(lane_bits){ 0 };
  for (size_t i = first; i < n; i++) inside &= robot->joints[i].slides ? inside : sincos_range(&x[i].q);
  const bool all = all_lanes(&inside);
  for (size_t i = first; i < n; i++) {
    if (robot->joints[i].slides) {
      x[i].sine = (lanes){ 0 };
      x[i].cosine = x[i].sine + 1;
    } else if (all) {
      sincos_lanes(&x[i].q, &x[i].sine, &x[i].cosine);
    } else {
      sincos_by_lane(&x[i].q, &x[i].sine, &x[i].cosine);
    }
  }
}

/* Of the whole angles; the recursion needs that of joint 0 where gravity or a wrench has a direction across it. */
static void lanes_turns(const struct reduced_robot *robot, size_t first, size_t n, struct lanes_state *x)
{
  lanes_sines(robot, first, n, x);
  for (size_t i = first; i < n; i++) {
    const struct reduced_joint *joint = &robot->joints[i];
    const lanes sine = x[i].sine, cosine = x[i].cosine;
    x[i].cosine = joint->angle_cosine * cosine - joint->angle_sine * sine;
    x[i].sine = joint->angle_sine * cosine + joint->angle_cosine * sine;
  }
}

static void lanes_states(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                         struct lanes_state *x)
{
  for (size_t i = 0; i < robot->joint_count; i++) {
    x[i].q = column(&samples->q, first, i);
    x[i].qd = column(&samples->qd, first, i);
    x[i].qdd = column(&samples->qdd, first, i);
  }
}

static void lanes_rotors(const struct armdyn_robot *robot, const struct lanes_state *x, lanes *tau)
{
  const size_t n = robot->joint_count;
  for (size_t i = 0; i < n; i++) {
    if (!robot->coupled) {
      tau[i] += robot->rotor_inertia[i] * x[i].qdd;
      continue;
    }
    for (size_t j = 0; j < n; j++) tau[i] += robot->coupled_rotor_inertia[i * n + j] * x[j].qdd;
  }
}

/* a in the lanes of `where`, else b. */
static inline lanes choose(lane_bits where, lanes a, lanes b)
{
  return (lanes)(((lane_bits)a & where) | ((lane_bits)b & ~where));
}

/* Friction of polynomials, with every lane fast enough for tanh to be 1; all else lane by lane. */
static lanes lanes_friction(const struct armdyn_robot *robot, size_t i, lanes q, lanes qd)
{
  const struct armdyn_joint *joint = &robot->description.joints[i];
  const struct armdyn_friction *f = &joint->friction;
  /* without terms that change their sign slowly any speed is fast */
  const double fast = friction_is_signed(robot, i) ? 20 * joint->velocity_scale : 0;
  const lane_bits forward = qd >= fast, settled = forward | (qd <= -fast);
  lanes out = { 0 };
  const unsigned polynomials = 1u << ARMDYN_FRICTION_OFFSET | 1u << ARMDYN_FRICTION_COULOMB |
                               1u << ARMDYN_FRICTION_VISCOUS | 1u << ARMDYN_FRICTION_HIGH_SPEED;
  if ((robot->joints[i].friction & ~polynomials) || !all_lanes(&settled)) {
    for (int l = 0; l < LANES; l++) out[l] = armdyn_friction_torque(robot, i, q[l], qd[l]);
    return out;
  }
  const lanes zero = { 0 }, square = qd * qd;
  const lanes positive = zero + f->coulomb.positive + f->viscous.positive * qd + f->high_speed * square;
  const lanes negative = zero - f->coulomb.negative + f->viscous.negative * qd - f->high_speed * square;
  return choose(forward, positive, negative) + f->offset;
}

/* Friction added to what is transmitted, or taken off the torques of drives. */
static lanes lanes_under_load(const struct armdyn_robot *robot, size_t i, lanes q, lanes qd, lanes torque, bool added)
{
  const lanes friction = lanes_friction(robot, i, q, qd);
  lanes out = added ? torque : torque - friction;
  for (int l = 0; l < LANES; l++) {
    double by_speed;
    const double share = load_share(robot, i, qd[l], &by_speed);
    out[l] = added ? out[l] + share * fabs(out[l]) : load_transmitted(out[l], share);
  }
  return added ? out + friction : out;
}

/* tau += sign G' f(G q, G qd), friction of coupled motors */
static void lanes_gears(const struct armdyn_robot *robot, const struct lanes_state *x, double sign, lanes *tau)
{
  const size_t n = robot->joint_count;
  for (size_t i = 0; i < n; i++) {
    const double *G = robot->gear_from_joint + i * n;
    lanes p = { 0 }, v = { 0 };
    if (!robot->joints[i].friction) continue;
    for (size_t j = 0; j < n; j++) p += G[j] * x[j].q, v += G[j] * x[j].qd;
    const lanes friction = sign * lanes_friction(robot, i, p, v);
    for (size_t j = 0; j < n; j++) tau[j] += G[j] * friction;
  }
}

static void lanes_wrench(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                         struct lanes_state *x)
{
  const size_t n = robot->joint_count;
  if (!samples->wrench.data) return;
  lanes wrench[6];
  for (size_t k = 0; k < 6; k++) wrench[k] = column(&samples->wrench, first, k);
  lanes_wrench_moved(robot, x, samples->wrench_frame == ARMDYN_WRENCH_BASE, wrench);
  for (int k = 0; k < 6; k++) x[n - 1].force[k] -= wrench[k];
}

static void lanes_forces(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                         struct lanes_state *x)
{
  lanes_recursion_outward(&robot->reduced, robot->joint_count, x);
  lanes_wrench(robot, samples, first, x);
}

/* Every step of a recursion waits for that before it, so two vectors of samples go side by side. */
enum { PAIR = 2 };

static inline __attribute__((always_inline)) void pair_outward(const struct reduced_robot *robot, size_t n, int vectors,
                                                               struct lanes_state x[PAIR][ARMDYN_JOINTS_MAX])
{
  struct lanes_motion motion[PAIR];
  for (int v = 0; v < vectors; v++) lanes_outward_first(robot, &x[v][0], &motion[v]);
  for (size_t i = 1; i < n; i++) {
    const struct reduced_joint *joint = &robot->joints[i];
    lanes_outward_function *step = lanes_outward_kinds[joint->twist][lanes_shape(joint)][joint->products];
    for (int v = 0; v < vectors; v++) step(joint, &x[v][i], &motion[v]);
  }
}

static inline __attribute__((always_inline)) void pair_inward(const struct reduced_robot *robot, size_t n, int vectors,
                                                              struct lanes_state x[PAIR][ARMDYN_JOINTS_MAX])
{
  for (size_t i = n; i-- > 1;) {
    const struct reduced_joint *joint = &robot->joints[i];
    lanes_inward_function *step = lanes_inward_kinds[joint->twist][lanes_shape(joint)];
    for (int v = 0; v < vectors; v++) step(joint, &x[v][i], x[v][i - 1].force);
  }
}

static void inverse_open(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                         struct lanes_state *x)
{
  lanes_states(robot, samples, first, x);
  x[0].cosine = (lanes){ 0 } + 1;
  x[0].sine = (lanes){ 0 };
  const bool across = !robot->reduced.upright || (samples->wrench.data && samples->wrench_frame == ARMDYN_WRENCH_BASE);
  lanes_turns(&robot->reduced, across ? 0 : 1, robot->joint_count, x);
}

static void inverse_close(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                          const struct lanes_state *x, double *tau)
{
  const size_t n = robot->joint_count;
  lanes out[ARMDYN_JOINTS_MAX];
  const bool plain = !robot->load_friction && !robot->friction_at_motors;
  for (size_t i = 0; i < n; i++) {
    out[i] = x[i].force[robot->reduced.joints[i].slides ? 5 : 2];
    if (plain && robot->joints[i].friction && !samples->frictionless)
      out[i] += lanes_friction(robot, i, x[i].q, x[i].qd);
  }
  lanes_rotors(robot, x, out);
  if (robot->friction_at_motors && !samples->frictionless) lanes_gears(robot, x, 1, out);
  for (size_t i = 0; i < n && robot->load_friction && !samples->frictionless; i++)
    if (robot->joints[i].friction) out[i] = lanes_under_load(robot, i, x[i].q, x[i].qd, out[i], true);
  for (size_t i = 0; i < n; i++) {
    for (size_t l = 0; l < LANES; l++) tau[(first + l) * n + i] = out[i][l];
  }
}

static inline __attribute__((always_inline)) void inverse_vectors(const struct armdyn_robot *robot,
                                                                  const struct armdyn_samples *samples, int vectors,
                                                                  const size_t *first, double *tau)
{
  struct lanes_state x[PAIR][ARMDYN_JOINTS_MAX];
  for (int v = 0; v < vectors; v++) inverse_open(robot, samples, first[v], x[v]);
  pair_outward(&robot->reduced, robot->joint_count, vectors, x);
  for (int v = 0; v < vectors; v++) lanes_wrench(robot, samples, first[v], x[v]);
  pair_inward(&robot->reduced, robot->joint_count, vectors, x);
  for (int v = 0; v < vectors; v++) inverse_close(robot, samples, first[v], x[v], tau);
}

/* At least LANES samples; the last ones that fill no vector are computed with some before them once more. */
static void inverse_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples, double *tau)
{
  const size_t last = samples->count - LANES;
  for (size_t start = 0; start < samples->count; start += PAIR * LANES) {
    const size_t next = start + LANES, first[PAIR] = { start < last ? start : last, next < last ? next : last };
    if (next < samples->count)
      inverse_vectors(robot, samples, PAIR, first, tau);
    else
      inverse_vectors(robot, samples, 1, first, tau);
  }
}

/* -- LANES samples: forward dynamics and mass matrices -- */

/* Lane by lane: all bits, where every joint has an inertia. */
static lane_bits have_inertia(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                              const struct lanes_state *x, const struct lanes_hinge *hinges)
{
  lane_bits sound = ~(lane_bits){ 0 };
  for (size_t i = 0; i < robot->joint_count; i++) sound &= hinges[i].inverse > 0;
  const lane_bits settled = ~sound | (lanes_thinness(robot, x, hinges) <= THINNESS_SUSPECT);
  if (all_lanes(&settled)) return sound;
  for (size_t l = 0; l < LANES; l++) {
    if (!settled[l] && !is_definite(robot, samples->q.data + (first + l) * samples->q.stride)) sound[l] = 0;
  }
  return sound;
}

/* What forward dynamics begins with: states at qdd = 0, torques without friction. */
static void forward_open(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                         struct lanes_state *x, lanes *torque)
{
  for (size_t i = 0; i < robot->joint_count; i++) {
    x[i].q = column(&samples->q, first, i);
    x[i].qd = column(&samples->qd, first, i);
    x[i].qdd = (lanes){ 0 };
    torque[i] = column(&samples->tau, first, i);
    if (!robot->joints[i].friction || samples->frictionless || robot->friction_at_motors) continue;
    torque[i] = robot->load_friction ? lanes_under_load(robot, i, x[i].q, x[i].qd, torque[i], false)
                                     : torque[i] - lanes_friction(robot, i, x[i].q, x[i].qd);
  }
  if (robot->friction_at_motors && !samples->frictionless) lanes_gears(robot, x, -1, torque);
}

/* False: some sample has a joint without inertia; its row is NAN. */
static bool forward_close(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                          const struct lanes_state *x, const struct lanes_hinge *hinges, double *qdd)
{
  const size_t n = robot->joint_count;
  const lane_bits sound = have_inertia(robot, samples, first, x, hinges);
  for (size_t i = 0; i < n; i++) {
    for (size_t l = 0; l < LANES; l++) qdd[(first + l) * n + i] = sound[l] ? x[i].qdd[l] : NAN;
  }
  return all_lanes(&sound);
}

static bool forward_of_lanes(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                             double *qdd)
{
  const size_t n = robot->joint_count;
  struct lanes_state x[ARMDYN_JOINTS_MAX];
  struct lanes_hinge hinges[ARMDYN_JOINTS_MAX];
  lanes torque[ARMDYN_JOINTS_MAX];
  forward_open(robot, samples, first, x, torque);
  lanes_turns(&robot->reduced, 0, n, x);
  lanes_forces(robot, samples, first, x);
  lanes_hinges_inward(robot, x, torque, hinges);
  lanes_accelerations_outward(&robot->reduced, n, x, hinges);
  return forward_close(robot, samples, first, x, hinges, qdd);
}

/* By Gauss's principle. */
static bool gauss_of_lanes(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                           double *qdd)
{
  struct lanes_state x[ARMDYN_JOINTS_MAX];
  struct lanes_hinge hinges[ARMDYN_JOINTS_MAX];
  lanes torque[ARMDYN_JOINTS_MAX], wrench[6];
  forward_open(robot, samples, first, x, torque);
  lanes_turns(&robot->reduced, 0, robot->joint_count, x);
  for (size_t k = 0; samples->wrench.data && k < 6; k++) wrench[k] = column(&samples->wrench, first, k);
  lanes_least_constraint(robot, x, torque, samples->wrench.data ? wrench : NULL,
                         samples->wrench_frame == ARMDYN_WRENCH_BASE, hinges);
  return forward_close(robot, samples, first, x, hinges, qdd);
}

/* At least LANES samples; the last ones that fill no vector are computed with some before them once more. */
static bool forward_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples, bool by_gauss,
                          double *qdd)
{
  bool sound = true;
  for (size_t first = 0; first < samples->count; first += LANES) {
    const size_t last = samples->count - LANES;
    sound &= (by_gauss ? gauss_of_lanes : forward_of_lanes)(robot, samples, first < last ? first : last, qdd);
  }
  return sound;
}

static void mass_matrix_of_lanes(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                                 double *mass_matrix)
{
  const size_t n = robot->joint_count;
  struct lanes_state x[ARMDYN_JOINTS_MAX];
  lanes M[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  for (size_t i = 0; i < n; i++) x[i].q = column(&samples->q, first, i);
  lanes_turns(&robot->reduced, 0, n, x);
  lanes_links_mass_matrix(&robot->reduced, n, x, M);
  for (size_t k = 0; k < n * n; k++) {
    const size_t i = k / n, j = k % n;
    if (j > i) continue;
    const lanes element = M[k] + (robot->coupled ? robot->coupled_rotor_inertia[k]
                                  : i == j       ? robot->rotor_inertia[i]
                                                 : 0);
    for (size_t l = 0; l < LANES; l++) {
      double *out = mass_matrix + (first + l) * n * n;
      out[i * n + j] = out[j * n + i] = element[l];
    }
  }
}

static void mass_matrix_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                              double *mass_matrix)
{
  for (size_t first = 0; first < samples->count; first += LANES) {
    const size_t last = samples->count - LANES;
    mass_matrix_of_lanes(robot, samples, first < last ? first : last, mass_matrix);
  }
}
