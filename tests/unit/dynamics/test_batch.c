/* The specialised recursion and the batches against the general recursion, for every vector unit of this processor
 * (lanes_avx512.c, lanes_avx2.c, lanes_neon.c, lanes_baseline.c). */
#include <criterion/criterion.h>

#include "armdyn/derivatives.h"
#include "armdyn/methods.h"
#include "armdyn/regressor.h"
#include "lib/dynamics/lanes.h"
#include "lib/dynamics/rnea.h"
#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

enum { N = ARMDYN_JOINTS_MAX, COUNT = 37, WIDE = 3 * N + 7 };

static double choose(struct dice *dice, const double *of, size_t count)
{
  return of[(size_t)dice_uniform(dice, 0, (double)count)];
}

/* Arms as they are built: right angles, no lengths, bodies without products; the specialised steps of the recursion. */
static void plain_description(struct dice *dice, struct armdyn_robot_description *d, size_t n,
                              enum armdyn_convention convention)
{
  const double turns[] = { 0, 0, M_PI / 2, -M_PI / 2, M_PI, 0.7 }, lengths[] = { 0, 0, 0.3, -0.2 };
  struct armdyn_joint blank;
  armdyn_joint_init(&blank);
  random_description(dice, d, n, convention);
  for (size_t i = 0; i < n; i++) {
    struct armdyn_joint *joint = &d->joints[i];
    joint->alpha = choose(dice, turns, 6);
    joint->theta = choose(dice, turns, 6);
    joint->a = choose(dice, lengths, 4);
    joint->d = choose(dice, lengths, 4);
    joint->offset = 0;
    if (i % 2) memset(joint->link.com, 0, sizeof joint->link.com);
    if (i % 2) joint->link.inertia.xy = joint->link.inertia.xz = joint->link.inertia.yz = 0;
    if (i % 3 == 0) joint->friction = blank.friction;
    if (i % 3 == 1) joint->friction.ripple_count = 0;
    if (i % 3 == 1) joint->friction.stiction = NAN;
  }
  if (n % 2) memcpy(d->gravity, (double[3]){ 0, 0, -9.81 }, sizeof d->gravity);
}

struct arm {
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
};

static void each_arm(void (*law)(const struct arm *arm, struct dice *dice))
{
  static struct armdyn_robot_description d;
  for (size_t n = 1; n <= N; n += n < 9 ? 1 : 7) {
    for (int kind = 0; kind < 12; kind += SANITIZED ? 5 : 1) { /* 0, 5, 10: of each convention one */
      struct dice dice = { 100 * n + (size_t)kind + 1 };
      struct arm arm = { .n = n, .workspace = armdyn_workspace_new(n) };
      (kind % 4 ? plain_description : random_description)(&dice, &d, n, (enum armdyn_convention)(kind % 3));
      cr_assert_eq(armdyn_robot_new(&d, &arm.robot, NULL), ARMDYN_OK);
      law(&arm, &dice);
      armdyn_robot_free(arm.robot);
      armdyn_workspace_free(arm.workspace);
    }
  }
}

static void same(const double *a, const double *b, size_t n, const char *what)
{
  double largest = 1;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(b[i]));
  for (size_t i = 0; i < n; i++) {
    cr_assert_float_eq(a[i], b[i], 1e-12 * largest, "%s, %zu of %zu: %.17g, %.17g", what, i, n, a[i], b[i]);
  }
}

/* Newton-Euler on the frames and bodies as they were described. */
static void general_torque(const struct arm *arm, const double *q, const double *qd, const double *qdd,
                           const struct armdyn_load *load, double *tau)
{
  double wrench[6];
  pose_joints(arm->robot, q, arm->workspace->pose);
  const double *on_last = load_on_last_link(arm->robot, load, arm->workspace->pose, wrench);
  rnea_torques(arm->robot, &(struct rnea_input){ qd, qdd, true, on_last }, arm->workspace, tau);
}

static void specialised_is_general(const struct arm *arm, struct dice *dice)
{
  const struct lanes_kernels *kinds[LANES_KINDS];
  const size_t kind_count = lanes_supported(kinds);
  for (int repeat = 0; repeat < 4; repeat++) {
    double x[3 * N], wrench[6], expected[N], tau[N];
    dice_fill(dice, x, 3 * arm->n, -3, 3);
    dice_fill(dice, wrench, 6, -20, 20);
    if (repeat == 3) x[0] = 1e7 + x[0]; /* beyond our own sine */
    const struct armdyn_load load = { wrench, repeat % 2 ? ARMDYN_WRENCH_TOOL : ARMDYN_WRENCH_BASE, true };
    general_torque(arm, x, x + arm->n, x + 2 * arm->n, &load, expected);
    for (size_t k = 0; k < kind_count; k++) {
      kinds[k]->inverse(arm->robot, x, x + arm->n, x + 2 * arm->n, &load, tau);
      same(tau, expected, arm->n, kinds[k]->name);
    }
  }
}

Test(batch, specialised_recursion_is_the_general_one)
{
  each_arm(specialised_is_general);
}

/* Column j of the mass matrix is the torque of a unit acceleration; and articulated bodies undo the torque. */
static void inertia_is_general(const struct arm *arm, struct dice *dice)
{
  const struct lanes_kernels *kinds[LANES_KINDS];
  const size_t kind_count = lanes_supported(kinds), n = arm->n;
  double x[3 * N], zero[N] = { 0 }, unit[N] = { 0 }, weight[N], tau[N], qdd[N], row[N], M[N * N];
  dice_fill(dice, x, 3 * n, -3, 3);
  general_torque(arm, x, zero, zero, NULL, weight);
  for (size_t k = 0; k < kind_count; k++) {
    kinds[k]->mass_matrix(arm->robot, x, M);
    for (size_t i = 0; i < n; i++) {
      unit[i] = 1;
      general_torque(arm, x, zero, unit, NULL, tau);
      unit[i] = 0;
      for (size_t j = 0; j <= i; j++) {
        row[j] = M[i * n + j] + weight[j];
      }
      same(row, tau, i + 1, kinds[k]->name);
    }
    general_torque(arm, x, x + n, x + 2 * n, NULL, tau);
    for (size_t i = 0; i < n; i++) tau[i] += arm->robot->rotor_inertia[i] * x[2 * n + i];
    cr_assert(kinds[k]->forward(arm->robot, x, x + n, tau, NULL, qdd));
    for (size_t i = 0; i < n; i++) cr_assert_float_eq(qdd[i], x[2 * n + i], 1e-9, "%s, %zu joints", kinds[k]->name, n);
  }
}

Test(batch, specialised_inertia_is_the_general_one)
{
  each_arm(inertia_is_general);
}

/* Samples in one table as a log has it: [q qd qdd wrench and something else]. */
struct table {
  double row[COUNT * WIDE];
  struct armdyn_samples samples;
};

/* Beyond our own sine, where a joint turns; one that slid so far would leave no digit to compare. */
static void turn_far(const struct arm *arm, double *q)
{
  for (size_t i = 0; i < arm->n; i++) {
    if (!arm->robot->joints[i].prismatic) {
      q[i] = -3e6;
      return;
    }
  }
}

static void fill(struct table *table, const struct arm *arm, struct dice *dice, int variant)
{
  const size_t n = arm->n, stride = 3 * n + 7;
  double *x = table->row;
  dice_fill(dice, x, COUNT * stride, -3, 3);
  for (size_t k = 0; k < COUNT; k += 5) x[k * stride + n] *= 1e-4; /* dry friction near rest */
  if (variant == 1) turn_far(arm, x + 9 * stride);
  table->samples = (struct armdyn_samples){ .count = COUNT,
                                            .q = { x, stride },
                                            .qd = { x + n, stride },
                                            .qdd = { x + 2 * n, variant == 2 ? 0 : stride },
                                            .wrench = { variant ? x + 3 * n : NULL, stride },
                                            .wrench_frame = variant == 2 ? ARMDYN_WRENCH_BASE : ARMDYN_WRENCH_TOOL,
                                            .frictionless = variant == 3 };
}

static void one_by_one(const struct arm *arm, const struct armdyn_samples *s, double *tau)
{
  for (size_t k = 0; k < s->count; k++) {
    const struct armdyn_load load = { s->wrench.data ? s->wrench.data + k * s->wrench.stride : NULL, s->wrench_frame,
                                      s->frictionless };
    armdyn_inverse_dynamics(arm->robot, s->q.data + k * s->q.stride, s->qd.data + k * s->qd.stride,
                            s->qdd.data + k * s->qdd.stride, &load, arm->workspace, tau + k * arm->n);
  }
}

static void batch_is_single(const struct arm *arm, struct dice *dice)
{
  static struct table table;
  static double expected[COUNT * N], tau[(COUNT + 1) * N];
  const struct lanes_kernels *kinds[LANES_KINDS];
  const size_t kind_count = lanes_supported(kinds), n = arm->n;
  for (int variant = 0; variant < 4; variant++) {
    fill(&table, arm, dice, variant);
    one_by_one(arm, &table.samples, expected);
    for (size_t count = 0; count <= COUNT; count += count < 18 ? 1 : 19) {
      table.samples.count = count;
      tau[count * n] = 4711;
      armdyn_inverse_dynamics_batch(arm->robot, &table.samples, arm->workspace, tau);
      cr_assert_eq(tau[count * n], 4711, "written beyond %zu samples", count);
      for (size_t k = 0; k < count; k++) same(tau + k * n, expected + k * n, n, "batch");
    }
    for (size_t kind = 0; kind < kind_count; kind++) {
      memset(tau, 0, sizeof tau);
      kinds[kind]->inverse_batch(arm->robot, &table.samples, tau);
      for (size_t k = 0; k < COUNT; k++) same(tau + k * n, expected + k * n, n, kinds[kind]->name);
    }
  }
}

Test(batch, batches_are_single_calls)
{
  each_arm(batch_is_single);
}

/* Forward dynamics, mass matrices and gravity in batches of every size. */
static void other_batches(const struct arm *arm, struct dice *dice)
{
  static struct table table;
  static double expected[COUNT * N], got[COUNT * N], least[COUNT * N], M[COUNT * N * N], one[N * N];
  const size_t n = arm->n, stride = 3 * n + 7;
  for (int variant = 0; variant < 4; variant++) {
    fill(&table, arm, dice, variant);
    struct armdyn_samples *s = &table.samples;
    s->tau = (struct armdyn_rows){ table.row + 2 * n, stride };
    for (s->count = 1; s->count <= COUNT; s->count += s->count < 10 ? 1 : 27) {
      cr_assert_eq(armdyn_forward_dynamics_batch(arm->robot, s, arm->workspace, got), ARMDYN_OK);
      cr_assert_eq(armdyn_forward_dynamics_batch_by(arm->robot, ARMDYN_FORWARD_GAUSS, s, arm->workspace, least),
                   ARMDYN_OK);
      armdyn_mass_matrix_batch(arm->robot, s, arm->workspace, M);
      armdyn_gravity_torque_batch(arm->robot, s, arm->workspace, expected);
      for (size_t k = 0; k < s->count; k++) {
        const double *x = table.row + k * stride;
        const struct armdyn_load load = { variant ? x + 3 * n : NULL, s->wrench_frame, s->frictionless };
        armdyn_gravity_torque(arm->robot, x, arm->workspace, one);
        same(expected + k * n, one, n, "gravity");
        armdyn_mass_matrix(arm->robot, x, arm->workspace, one);
        same(M + k * n * n, one, n * n, "mass matrix");
        armdyn_forward_dynamics(arm->robot, x, x + n, x + 2 * n, &load, arm->workspace, one);
        double largest = 1;
        for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(one[i]));
        for (size_t i = 0; i < n; i++) cr_assert_float_eq(got[k * n + i], one[i], 1e-9 * largest);
        armdyn_forward_dynamics_by(arm->robot, ARMDYN_FORWARD_CRBA, x, x + n, x + 2 * n, &load, arm->workspace, one);
        for (size_t i = 0; i < n; i++) cr_assert_float_eq(least[k * n + i], one[i], 1e-9 * largest);
      }
    }
  }
}

Test(batch, other_batches_are_single_calls)
{
  each_arm(other_batches);
}

/* Row by row of n numbers, for each is a unit of its own. */
static void same_rows(const double *got, const double *expected, size_t rows, size_t n, const char *what)
{
  for (size_t i = 0; i < rows; i++) same(got + i * n, expected + i * n, n, what);
}

enum { DERIVATIVES = 3 };

static void derivatives_are(const struct arm *arm, const struct armdyn_samples *s, double *const got[DERIVATIVES],
                            double *const expected[DERIVATIVES], const char *what)
{
  const size_t n = arm->n;
  for (size_t k = 0; k < s->count; k++) {
    for (int d = 0; d < DERIVATIVES; d++) {
      if (got[d])
        same(got[d] + k * n * n, expected[d] + k * n * n, n * n, what); /* rounding is that of the whole arm */
    }
  }
}

static void derivatives_batches(const struct arm *arm, struct dice *dice)
{
  static struct table table;
  static double memory[2 * DERIVATIVES][COUNT * N * N + 1];
  double *const expected[] = { memory[0], memory[1], memory[2] }, *const got[] = { memory[3], memory[4], memory[5] };
  const size_t n = arm->n, size = n * n;
  for (int variant = 0; variant < 4; variant++) {
    fill(&table, arm, dice, variant);
    struct armdyn_samples *s = &table.samples;
    for (size_t k = 0; k < COUNT; k++) {
      const struct armdyn_load load = { s->wrench.data ? s->wrench.data + k * s->wrench.stride : NULL, s->wrench_frame,
                                        s->frictionless };
      armdyn_inverse_dynamics_derivatives(arm->robot, s->q.data + k * s->q.stride, s->qd.data + k * s->qd.stride,
                                          s->qdd.data + k * s->qdd.stride, &load, arm->workspace,
                                          expected[0] + k * size, expected[1] + k * size, expected[2] + k * size);
    }
    for (size_t count = 0; count <= COUNT; count += count < 3 ? 1 : 17) {
      s->count = count;
      for (int d = 0; d < DERIVATIVES; d++) got[d][count * size] = 4711;
      armdyn_inverse_dynamics_derivatives_batch(arm->robot, s, arm->workspace, got[0], got[1], got[2]);
      for (int d = 0; d < DERIVATIVES; d++) cr_assert_eq(got[d][count * size], 4711, "written beyond %zu", count);
      derivatives_are(arm, s, got, expected, "derivatives");
      for (int d = 0; d < DERIVATIVES; d++) { /* one alone */
        double *const one[] = { d == 0 ? got[0] : NULL, d == 1 ? got[1] : NULL, d == 2 ? got[2] : NULL };
        memset(got[d], 0, count * size * sizeof *got[d]);
        armdyn_inverse_dynamics_derivatives_batch(arm->robot, s, arm->workspace, one[0], one[1], one[2]);
        derivatives_are(arm, s, one, expected, "one derivative");
      }
    }
  }
}

Test(batch, derivatives_are_those_of_single_calls)
{
  each_arm(derivatives_batches);
}

/* Rows of the derivatives, weighted and added up; with friction, rotors and wrenches, in vectors and one by one. */
static void adjoint_batches(const struct arm *arm, struct dice *dice)
{
  static struct table table;
  static double slopes[DERIVATIVES][COUNT * N * N], sums[DERIVATIVES][COUNT * N + 1], weights[COUNT * N];
  const size_t n = arm->n;
  const struct armdyn_rows rows = { weights, n };
  for (int variant = 0; variant < 4; variant++) {
    fill(&table, arm, dice, variant);
    struct armdyn_samples *s = &table.samples;
    dice_fill(dice, weights, COUNT * n, -1, 1);
    armdyn_inverse_dynamics_derivatives_batch(arm->robot, s, arm->workspace, slopes[0], slopes[1], slopes[2]);
    for (size_t count = 0; count <= COUNT; count += count < 3 ? 1 : 17) {
      s->count = count;
      for (int d = 0; d < DERIVATIVES; d++) sums[d][count * n] = 4711;
      armdyn_inverse_dynamics_adjoint_batch(arm->robot, s, &rows, arm->workspace, sums[0], sums[1], sums[2]);
      for (int d = 0; d < DERIVATIVES; d++) {
        cr_assert_eq(sums[d][count * n], 4711, "written beyond %zu", count);
        for (size_t k = 0; k < count; k++) {
          /* other orders of sums, of which a slide that is far out leaves fewer digits */
          const double share = fabs(s->q.data[k * s->q.stride]) > 1e6 ? 1e-6 : 1e-12;
          double expected[N] = { 0 }, size = 1;
          for (size_t i = 0; i < n * n; i++) {
            const double part = weights[k * n + i / n] * slopes[d][k * n * n + i];
            expected[i % n] += part;
            size = fmax(size, fabs(part));
          }
          for (size_t j = 0; j < n; j++)
            cr_assert_float_eq(sums[d][k * n + j], expected[j], share * size,
                               "%d, joint %zu of %zu: %.16g, %.16g of %g", d, j + 1, n, sums[d][k * n + j], expected[j],
                               size);
        }
      }
    }
  }
}

Test(batch, adjoints_are_weighted_derivatives)
{
  each_arm(adjoint_batches);
}

static void regressor_batches(const struct arm *arm, struct dice *dice)
{
  enum { MOST = 35 * N * N };
  static struct table table;
  static double expected[COUNT * MOST], got[COUNT * MOST + 1];
  static const struct armdyn_parameter_choice links = { .rotors = ARMDYN_ROTORS_NONE, .frictionless = true };
  const size_t n = arm->n;
  for (int variant = 0; variant < 3; variant++) {
    fill(&table, arm, dice, variant);
    struct armdyn_samples *s = &table.samples;
    const struct armdyn_parameter_choice *choice = variant == 1 ? &links : NULL;
    const size_t width = armdyn_parameter_count(arm->robot, choice);
    cr_assert_leq(n * width, MOST);
    for (size_t k = 0; k < COUNT; k++) {
      armdyn_regressor(arm->robot, choice, s->q.data + k * s->q.stride, s->qd.data + k * s->qd.stride,
                       s->qdd.data + k * s->qdd.stride, arm->workspace, expected + k * n * width);
    }
    for (size_t count = 0; count <= COUNT; count += count < 3 ? 1 : 17) {
      s->count = count;
      got[count * n * width] = 4711;
      armdyn_regressor_batch(arm->robot, choice, s, arm->workspace, got);
      cr_assert_eq(got[count * n * width], 4711, "written beyond %zu samples", count);
      same_rows(got, expected, count * n, width, "regressor");
    }
  }
}

Test(batch, regressors_are_those_of_single_calls)
{
  each_arm(regressor_batches);
}

/* Every vector unit gives the same, in single calls and in batches. */
static void links_of_every_unit(const struct arm *arm, struct dice *dice)
{
  static struct table table;
  static double by_q[COUNT * N * N], by_qd[COUNT * N * N], M[COUNT * N * N], Y[COUNT * 10 * N * N];
  static double q_one[N * N], qd_one[N * N], M_one[N * N], Y_one[10 * N * N];
  const struct lanes_kernels *kinds[LANES_KINDS];
  const size_t kind_count = lanes_supported(kinds), n = arm->n, size = n * n;
  const struct lanes_slopes all = { { by_q, size }, { by_qd, size }, { M, size } };
  const struct lanes_slopes one = { { q_one, 0 }, { qd_one, 0 }, { M_one, 0 } };
  fill(&table, arm, dice, 2);
  const struct armdyn_samples *s = &table.samples;
  for (size_t kind = 0; kind < kind_count; kind++) {
    kinds[kind]->derivatives_batch(arm->robot, s, arm->workspace->links, &all);
    kinds[kind]->regressor_batch(arm->robot, s, 10 * n, arm->workspace->links, Y);
    for (size_t k = 0; k < COUNT; k += 6) {
      const struct lanes_kernels *other = kinds[(kind + 1) % kind_count];
      const struct armdyn_load load = { s->wrench.data + k * s->wrench.stride, s->wrench_frame, true };
      const double *q = s->q.data + k * s->q.stride, *qd = s->qd.data + k * s->qd.stride, *qdd = s->qdd.data;
      other->derivatives(arm->robot, q, qd, qdd, &load, arm->workspace->links, &one);
      other->regressor(arm->robot, q, qd, qdd, 10 * n, arm->workspace->links, Y_one);
      same_rows(by_q + k * size, q_one, n, n, kinds[kind]->name);
      same_rows(by_qd + k * size, qd_one, n, n, kinds[kind]->name);
      same_rows(M + k * size, M_one, n, n, kinds[kind]->name);
      same_rows(Y + 10 * k * size, Y_one, n, 10 * n, kinds[kind]->name);
    }
  }
}

Test(batch, derivatives_and_regressors_of_every_unit_are_the_same)
{
  each_arm(links_of_every_unit);
}

/* A point mass on a slide across the first axis: drawn in, it leaves that joint nothing to turn. Every vector unit. */
Test(batch, singular_samples_are_told_and_spare_the_others)
{
  static struct armdyn_robot_description d;
  const struct lanes_kernels *kinds[LANES_KINDS];
  const size_t kind_count = lanes_supported(kinds);
  struct armdyn_robot *robot;
  const double still[2] = { 0 }, tau[2] = { 1, 1 };
  double q[COUNT * 2], qdd[COUNT * 2];
  armdyn_robot_description_init(&d);
  d.joint_count = 2;
  d.joints[0].alpha = M_PI / 2;
  d.joints[1].type = ARMDYN_PRISMATIC;
  d.joints[1].link.mass = 4;
  memset(d.gravity, 0, sizeof d.gravity);
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  for (size_t i = 0; i < 2 * COUNT; i++) q[i] = i % 2 && i % 6 != 1 ? 0.5 : 0;
  const struct armdyn_samples samples = { .count = COUNT, .q = { q, 2 }, .qd = { still, 0 }, .tau = { tau, 0 } };
  for (size_t k = 0; k < kind_count; k++) {
    cr_assert_not(kinds[k]->forward_batch(robot, &samples, k % 2, qdd)); /* by both methods in turn */
    for (size_t i = 0; i < COUNT; i++) {
      cr_assert_eq((bool)isnan(qdd[2 * i]), i % 3 == 0);
      cr_assert_eq((bool)isnan(qdd[2 * i + 1]), i % 3 == 0);
      if (i % 3) { /* tau / (m r^2), tau / m */
        cr_assert_float_eq(qdd[2 * i], 1, 1e-12);
        cr_assert_float_eq(qdd[2 * i + 1], 0.25, 1e-12);
      }
    }
  }
  armdyn_robot_free(robot);
}
