/* One arm written in the three conventions has one torque.
 *
 * Standard DH: A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha). With B_i = Tx(a_i) Rx(alpha_i), the frame before B_i is the frame
 * of the modified convention, whose transform is B_(i-1) Rz(theta) Tz(d): bodies and tool move by B_i. Turning every
 * frame of that arm by a rotation S_i makes it an arm of frames: the joint's pose is S_(i-1) B_(i-1) (constants) S_i',
 * its axis S_i z. */
#include <criterion/criterion.h>

#include "lib/math/spatial.h"
#include "tests/support/robots.h"

enum { N = 9 };

static const struct pose identity = { .r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };

static struct pose turn_x(double angle, double length)
{
  return (struct pose){ { 1, 0, 0, 0, cos(angle), -sin(angle), 0, sin(angle), cos(angle) }, { length, 0, 0 } };
}

static struct pose turn_z(double angle, double length)
{
  return (struct pose){ { cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1 }, { 0, 0, length } };
}

static struct pose product(struct pose a, struct pose b)
{
  struct pose out;
  pose_multiply(&out, &a, &b);
  return out;
}

static struct pose transposed(struct pose x)
{
  return (struct pose){ { x.r[0], x.r[3], x.r[6], x.r[1], x.r[4], x.r[7], x.r[2], x.r[5], x.r[8] }, { 0 } };
}

/* R = Rz(yaw) Ry(pitch) Rx(roll) read back; pitch is within a quarter turn. */
static struct armdyn_pose written(const struct pose *x)
{
  return (struct armdyn_pose){ { x->p[0], x->p[1], x->p[2] },
                               { atan2(x->r[7], x->r[8]), -asin(x->r[6]), atan2(x->r[3], x->r[0]) } };
}

/* com' = R com + p, I' = R I R' */
static struct armdyn_body moved(const struct pose *x, const struct armdyn_body *body)
{
  const struct armdyn_inertia *e = &body->inertia;
  const double I[9] = { e->xx, e->xy, e->xz, e->xy, e->yy, e->yz, e->xz, e->yz, e->zz };
  struct armdyn_body out = { .mass = body->mass };
  double left[9], T[9];
  rotate3(out.com, x->r, body->com);
  for (int i = 0; i < 3; i++) out.com[i] += x->p[i];
  multiply3(left, x->r, I);
  const struct pose back = transposed(*x);
  multiply3(T, left, back.r);
  out.inertia = (struct armdyn_inertia){ T[0], T[4], T[8], T[1], T[2], T[5] };
  return out;
}

static struct pose tool_pose(const struct armdyn_robot_description *d)
{
  const double *rpy = d->tool.rpy, *t = d->tool.translation;
  const struct pose pitch = { { cos(rpy[1]), 0, sin(rpy[1]), 0, 1, 0, -sin(rpy[1]), 0, cos(rpy[1]) }, { 0 } };
  struct pose out = product(product(turn_z(rpy[2], 0), pitch), turn_x(rpy[0], 0));
  memcpy(out.p, t, sizeof out.p);
  return out;
}

/* The same arm in the modified convention. */
static void to_mdh(const struct armdyn_robot_description *dh, struct armdyn_robot_description *mdh)
{
  struct pose twist = identity;
  *mdh = *dh;
  mdh->convention = ARMDYN_MDH;
  for (size_t i = 0; i < dh->joint_count; i++) {
    mdh->joints[i].a = i > 0 ? dh->joints[i - 1].a : 0;
    mdh->joints[i].alpha = i > 0 ? dh->joints[i - 1].alpha : 0;
    twist = turn_x(dh->joints[i].alpha, dh->joints[i].a);
    mdh->joints[i].link = moved(&twist, &dh->joints[i].link);
  }
  const struct pose tool = product(twist, tool_pose(dh));
  mdh->tool = written(&tool);
}

/* The same arm with a pose and a crooked axis for every joint. */
static void to_frames(const struct armdyn_robot_description *mdh, struct armdyn_robot_description *frames)
{
  struct pose before = identity, turn = identity;
  *frames = *mdh;
  frames->convention = ARMDYN_FRAMES;
  for (size_t i = 0; i < mdh->joint_count; i++) {
    const struct armdyn_joint *joint = &mdh->joints[i];
    turn = product(turn_z(0.3 + (double)i, 0), turn_x(0.7 - 0.2 * (double)i, 0));
    const struct pose constant = product(turn_x(joint->alpha, joint->a), turn_z(joint->theta, joint->d));
    const struct pose frame = product(product(before, constant), transposed(turn));
    frames->joints[i].frame = written(&frame);
    for (int k = 0; k < 3; k++) frames->joints[i].axis[k] = turn.r[3 * k + 2];
    frames->joints[i].link = moved(&turn, &joint->link);
    before = turn;
  }
  const struct pose tool = product(turn, tool_pose(mdh));
  frames->tool = written(&tool);
}

struct answer {
  double tau[N], M[N * N], tool[16], energy[2];
};

static void compute(const struct armdyn_robot_description *d, size_t n, uint64_t seed, struct answer *out)
{
  struct armdyn_robot *robot;
  struct armdyn_error error;
  struct dice dice = { seed };
  double q[N], qd[N], qdd[N], wrench[6];
  dice_fill(&dice, q, n, -3, 3);
  dice_fill(&dice, qd, n, -2, 2);
  dice_fill(&dice, qdd, n, -5, 5);
  dice_fill(&dice, wrench, 6, -30, 30);
  const struct armdyn_load load = { wrench, seed % 2 ? ARMDYN_WRENCH_TOOL : ARMDYN_WRENCH_BASE, false };
  cr_assert_eq(armdyn_robot_new(d, &robot, &error), ARMDYN_OK, "%s %s", error.pointer, error.message);
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  armdyn_inverse_dynamics(robot, q, qd, qdd, &load, workspace, out->tau);
  armdyn_mass_matrix(robot, q, workspace, out->M);
  armdyn_forward_kinematics(robot, q, workspace, out->tool, NULL);
  armdyn_energy(robot, q, qd, workspace, &out->energy[0], &out->energy[1]);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

static void same(const double *a, const double *b, size_t count, size_t n, const char *what)
{
  double largest = 1;
  for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(a[k]));
  for (size_t k = 0; k < count; k++) {
    cr_assert_float_eq(a[k], b[k], 1e-11 * largest, "%s[%zu] of %zu joints: %.17g, %.17g", what, k, n, a[k], b[k]);
  }
}

Test(conventions, one_arm_has_one_torque)
{
  static struct armdyn_robot_description written_as[3];
  for (size_t n = 1; n <= N; n++) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
      struct dice dice = { 100 * n + seed };
      struct answer answer[3];
      random_description(&dice, &written_as[0], n, ARMDYN_DH);
      to_mdh(&written_as[0], &written_as[1]);
      to_frames(&written_as[1], &written_as[2]);
      for (int k = 0; k < 3; k++) compute(&written_as[k], n, seed, &answer[k]);
      for (int k = 1; k < 3; k++) {
        same(answer[0].tau, answer[k].tau, n, n, "tau");
        same(answer[0].M, answer[k].M, n * n, n, "M");
        same(answer[0].tool, answer[k].tool, 16, n, "tool");
        same(answer[0].energy, answer[k].energy, 2, n, "energy");
      }
    }
  }
}

/* Axes that the shortest turn from z must treat with care: z itself, its opposite, and close to it. */
Test(conventions, every_axis_turns_the_right_way)
{
  const double axes[][3] = { { 0, 0, 1 }, { 0, 0, -1 }, { 1, 0, 0 }, { 0, -1, 0 }, { 1e-9, 0, -1 }, { 0.6, 0, -0.8 } };
  static struct armdyn_robot_description d;
  for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
    struct armdyn_robot *robot;
    const double q = 0.8, *u = axes[k], point[3] = { 0.3, -0.2, 0.5 };
    double T[16], across[3];
    armdyn_robot_description_init(&d);
    d.convention = ARMDYN_FRAMES;
    d.joint_count = 1;
    memcpy(d.joints[0].axis, u, sizeof d.joints[0].axis);
    memcpy(d.tool.translation, point, sizeof point);
    cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
    struct armdyn_workspace *workspace = armdyn_workspace_new(1);
    armdyn_forward_kinematics(robot, &q, workspace, T, NULL);
    cross3(across, u, point);
    for (int i = 0; i < 3; i++) { /* Rodrigues */
      const double turned = point[i] * cos(q) + across[i] * sin(q) + u[i] * dot3(u, point) * (1 - cos(q));
      cr_assert_float_eq(T[4 * i + 3], turned, 1e-14, "axis %zu", k);
    }
    armdyn_workspace_free(workspace);
    armdyn_robot_free(robot);
  }
}
