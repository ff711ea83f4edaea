/* Laws of nature on random arms of 1 to 32 joints with everything an arm can have. */
#include <criterion/criterion.h>

#include "lib/math/vector.h"
#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX };

struct arm {
  struct armdyn_robot_description description;
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
  double q[N], qd[N], qdd[N], wrench[6];
  struct armdyn_load load;
};

static void arm_open(struct arm *arm, size_t n, enum armdyn_convention convention)
{
  struct dice dice = { 1000 * n + 10 * convention + 1 };
  struct armdyn_error error;
  random_description(&dice, &arm->description, n, convention);
  cr_assert_eq(armdyn_robot_new(&arm->description, &arm->robot, &error), ARMDYN_OK);
  arm->workspace = armdyn_workspace_new(n);
  arm->n = n;
  dice_fill(&dice, arm->q, n, -1.5, 1.5);
  dice_fill(&dice, arm->qd, n, -1, 1);
  dice_fill(&dice, arm->qdd, n, -2, 2);
  dice_fill(&dice, arm->wrench, 6, -20, 20);
  arm->load = (struct armdyn_load){ arm->wrench, n % 2 ? ARMDYN_WRENCH_TOOL : ARMDYN_WRENCH_BASE, false };
}

static void arm_close(struct arm *arm)
{
  armdyn_robot_free(arm->robot);
  armdyn_workspace_free(arm->workspace);
}

static void each_arm(void (*law)(struct arm *arm))
{
  static struct arm arm;
  for (size_t n = 1; n <= N; n++) {
    for (int convention = ARMDYN_DH; convention <= ARMDYN_FRAMES; convention++) {
      arm_open(&arm, n, (enum armdyn_convention)convention);
      law(&arm);
      arm_close(&arm);
    }
  }
}

/* ---- Kinetic and potential energy from forward kinematics alone, and their exact rates.
 * Every joint axis and origin is read from the link frames; with z' = w x z the velocities and accelerations of all
 * points follow in base axes, without any recursion of the library. */

/* A frame and its motion in base axes. */
struct moving {
  double R[9], p[3]; /* pose */
  double w[3], v[3]; /* angular velocity, velocity of the origin */
  double dw[3], dv[3];
};

static void read_frame(const double *T, struct moving *x)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) x->R[3 * i + j] = T[4 * i + j];
    x->p[i] = T[4 * i + 3];
  }
}

/* Velocity and acceleration of a point fixed to a moving frame. */
static void point_motion(const struct moving *x, const double point[3], double v[3], double a[3])
{
  double arm[3], turn[3], swing[3], centre[3];
  for (int i = 0; i < 3; i++) arm[i] = point[i] - x->p[i];
  cross3(turn, x->w, arm);
  cross3(swing, x->dw, arm);
  cross3(centre, x->w, turn);
  for (int i = 0; i < 3; i++) {
    v[i] = x->v[i] + turn[i];
    a[i] = x->dv[i] + swing[i] + centre[i];
  }
}

/* Motion of link i from that of link i - 1: joint i turns about or slides along the axis z. */
static void link_motion(const struct moving *parent, struct moving *link, const double z[3], bool slides, double qd,
                        double qdd)
{
  double dz[3];
  cross3(dz, parent->w, z);
  point_motion(parent, link->p, link->v, link->dv);
  for (int i = 0; i < 3; i++) {
    link->w[i] = parent->w[i] + (slides ? 0 : z[i] * qd);
    link->dw[i] = parent->dw[i] + (slides ? 0 : z[i] * qdd + dz[i] * qd);
  }
  for (int i = 0; slides && i < 3; i++) { /* the origin moves in the parent: + z qd, Coriolis 2 w x z qd */
    link->v[i] += z[i] * qd;
    link->dv[i] += z[i] * qdd + 2 * dz[i] * qd;
  }
}

/* A revolute joint of standard DH carries its link's origin round the axis through the parent's origin. */
static void about_axis(const struct moving *parent, struct moving *link, const double z[3], const double through[3],
                       double qd, double qdd)
{
  struct moving hub = *link;
  memcpy(hub.p, through, sizeof hub.p);
  link_motion(parent, &hub, z, false, qd, qdd);
  point_motion(&hub, link->p, link->v, link->dv);
  memcpy(link->w, hub.w, sizeof link->w);
  memcpy(link->dw, hub.dw, sizeof link->dw);
}

/* Rate of kinetic and potential energy of a body in a moving frame: m v.a + w.(R I R') dw - m g.v, and the kinetic. */
static double energy_rate(const struct moving *x, const struct armdyn_body *body, const double gravity[3],
                          double *kinetic)
{
  const struct armdyn_inertia *e = &body->inertia;
  const double I[9] = { e->xx, e->xy, e->xz, e->xy, e->yy, e->yz, e->xz, e->yz, e->zz };
  double com[3], v[3], a[3], w[3], dw[3], Iw[3], Idw[3];
  rotate3(com, x->R, body->com);
  for (int i = 0; i < 3; i++) com[i] += x->p[i];
  point_motion(x, com, v, a);
  unrotate3(w, x->R, x->w);
  unrotate3(dw, x->R, x->dw);
  rotate3(Iw, I, w);
  rotate3(Idw, I, dw);
  *kinetic += (body->mass * dot3(v, v) + dot3(w, Iw)) / 2;
  return body->mass * (dot3(v, a) - dot3(gravity, v)) + dot3(w, Idw);
}

/* All links at once; the tool last. */
static void arm_motion(const struct arm *arm, struct moving *links, struct moving *tool)
{
  double T[16 * N], tool_T[16], z[3];
  struct moving base = { .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
  armdyn_forward_kinematics(arm->robot, arm->q, arm->workspace, tool_T, T);
  for (size_t i = 0; i < arm->n; i++) {
    const struct armdyn_joint *joint = &arm->description.joints[i];
    const struct moving *parent = i > 0 ? &links[i - 1] : &base;
    struct moving *link = &links[i];
    read_frame(T + 16 * i, link);
    /* standard DH moves about z of the frame before, the others about an axis of their own frame */
    const bool before = arm->description.convention == ARMDYN_DH;
    const double *axis = arm->description.convention == ARMDYN_FRAMES ? joint->axis : (const double[3]){ 0, 0, 1 };
    rotate3(z, before ? parent->R : link->R, axis);
    if (joint->type == ARMDYN_PRISMATIC) {
      link_motion(parent, link, z, true, arm->qd[i], arm->qdd[i]);
    } else {
      about_axis(parent, link, z, before ? parent->p : link->p, arm->qd[i], arm->qdd[i]);
    }
  }
  *tool = links[arm->n - 1];
  read_frame(tool_T, tool);
  const struct moving *last = &links[arm->n - 1];
  point_motion(last, tool->p, tool->v, tool->dv);
}

static double rotor_rate(const struct arm *arm, double *kinetic)
{
  const struct armdyn_robot_description *d = &arm->description;
  double sum = 0;
  for (size_t k = 0; k < arm->n; k++) { /* motor k turns at row k of the transmission times qd */
    double speed = 0, acceleration = 0;
    for (size_t j = 0; j < arm->n; j++) {
      const double ratio = d->has_transmission ? d->transmission[k * arm->n + j]
                           : j == k            ? d->joints[k].drive.gear_ratio
                                               : 0;
      speed += ratio * arm->qd[j];
      acceleration += ratio * arm->qdd[j];
    }
    *kinetic += d->joints[k].drive.rotor_inertia * speed * speed / 2;
    sum += d->joints[k].drive.rotor_inertia * speed * acceleration;
  }
  return sum;
}

/* qd' (tau - friction) + (power of the wrench) = d/dt (T + V) */
static void power_balance(struct arm *arm)
{
  static struct moving links[N];
  struct moving tool;
  double tau[N], kinetic = 0, rate = 0, power = 0, scale = 1, moment[3], force[3], energy[2];
  arm_motion(arm, links, &tool);
  for (size_t i = 0; i < arm->n; i++) {
    rate += energy_rate(&links[i], &arm->description.joints[i].link, arm->description.gravity, &kinetic);
  }
  rate += energy_rate(&tool, &arm->description.payload, arm->description.gravity, &kinetic);
  rate += rotor_rate(arm, &kinetic);
  armdyn_inverse_dynamics(arm->robot, arm->q, arm->qd, arm->qdd, &arm->load, arm->workspace, tau);
  for (size_t i = 0; i < arm->n; i++) {
    const double term = (tau[i] - armdyn_friction_torque(arm->robot, i, arm->q[i], arm->qd[i])) * arm->qd[i];
    power += term;
    scale += fabs(term);
  }
  memcpy(moment, arm->wrench, sizeof moment);
  memcpy(force, arm->wrench + 3, sizeof force);
  if (arm->load.wrench_frame == ARMDYN_WRENCH_TOOL) {
    rotate3(moment, tool.R, arm->wrench);
    rotate3(force, tool.R, arm->wrench + 3);
  }
  power += dot3(moment, tool.w) + dot3(force, tool.v);
  cr_assert_float_eq(power, rate, 1e-10 * scale, "%zu joints, convention %d: %.17g, %.17g", arm->n,
                     arm->description.convention, power, rate);
  armdyn_energy(arm->robot, arm->q, arm->qd, arm->workspace, &energy[0], &energy[1]);
  cr_assert_float_eq(energy[0], kinetic, 1e-11 * kinetic);
}

Test(laws, power_balance)
{
  each_arm(power_balance);
}

/* The velocities that the balance rests on are what differences of the tool's position give. */
static void velocity_of_tool(struct arm *arm)
{
  static struct moving links[N];
  struct moving tool;
  double T[2][16], q[N];
  const double h = 1e-5;
  arm_motion(arm, links, &tool);
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < arm->n; i++) q[i] = arm->q[i] + (side ? h : -h) * arm->qd[i];
    armdyn_forward_kinematics(arm->robot, q, arm->workspace, T[side], NULL);
  }
  for (int i = 0; i < 3; i++) {
    cr_assert_float_eq(tool.v[i], (T[1][4 * i + 3] - T[0][4 * i + 3]) / (2 * h), 1e-6, "%zu joints", arm->n);
  }
}

Test(laws, velocity_is_the_difference_of_positions)
{
  each_arm(velocity_of_tool);
}

/* dV/dt = gravity torque . qd, by a fourth-order difference; V is zero at the base origin. */
static void potential_energy(struct arm *arm)
{
  const double h = 1e-3, weight[4] = { 1, -8, 8, -1 }, step[4] = { -2, -1, 1, 2 };
  double q[N], tau[N], gravity[N], slope = 0, power = 0, scale = 1;
  const struct armdyn_torque_parts parts = { .gravity = gravity };
  for (int k = 0; k < 4; k++) {
    double potential;
    for (size_t i = 0; i < arm->n; i++) q[i] = arm->q[i] + step[k] * h * arm->qd[i];
    armdyn_energy(arm->robot, q, arm->qd, arm->workspace, NULL, &potential);
    slope += weight[k] * potential / (12 * h);
    scale = fmax(scale, fabs(potential));
  }
  armdyn_inverse_dynamics_parts(arm->robot, arm->q, arm->qd, arm->qdd, &arm->load, arm->workspace, tau, &parts);
  for (size_t i = 0; i < arm->n; i++) power += gravity[i] * arm->qd[i];
  cr_assert_float_eq(slope, power, 1e-8 * scale, "%zu joints", arm->n);
}

Test(laws, gravity_is_the_slope_of_potential_energy)
{
  each_arm(potential_energy);
}

/* Work of constant torques is torque times the way, whatever the speed between, and whatever the times: here way
 * is sum over steps of the mean of both speeds, so the rule makes no error. Rows lie apart, as in a table. */
Test(laws, work_of_constant_torques_is_torque_times_way)
{
  enum { COUNT = 50, JOINTS = 3, WIDTH = 8 };
  struct dice dice = { 11 };
  double t[COUNT], qd[COUNT * WIDTH], tau[COUNT * WIDTH], way[JOINTS] = { 0 }, torque[JOINTS] = { 2, -3, 0.5 },
                                                          work = 0;
  dice_fill(&dice, qd, COUNT * WIDTH, -2, 2);
  for (size_t k = 0; k < COUNT; k++) {
    t[k] = k ? t[k - 1] + dice_uniform(&dice, 1e-3, 1e-1) : 4;
    for (size_t j = 0; j < JOINTS; j++) {
      tau[k * WIDTH + j] = torque[j];
      if (k) way[j] += (qd[k * WIDTH + j] + qd[(k - 1) * WIDTH + j]) / 2 * (t[k] - t[k - 1]);
    }
  }
  const struct armdyn_samples samples = { .count = COUNT, .qd = { qd, WIDTH }, .tau = { tau, WIDTH } };
  for (size_t j = 0; j < JOINTS; j++) work += torque[j] * way[j];
  cr_assert_float_eq(armdyn_samples_work(JOINTS, t, &samples), work, 1e-12);
  const struct armdyn_samples one = { .count = 1, .qd = { qd, WIDTH }, .tau = { tau, WIDTH } };
  cr_assert_eq(armdyn_samples_work(JOINTS, t, &one), 0);
}

/* A swing has the work of its energies: sum of tau qd over time is the change of kinetic and potential energy. */
Test(laws, work_of_a_motion_is_the_change_of_its_energy)
{
  enum { COUNT = 2001, JOINTS = 5 };
  static struct arm arm;
  static double t[COUNT], qd[COUNT * JOINTS], tau[COUNT * JOINTS];
  double q[JOINTS], qdd[JOINTS], kinetic[2], potential[2];
  arm_open(&arm, JOINTS, ARMDYN_DH);
  const struct armdyn_load alone = { .frictionless = true };
  for (size_t k = 0; k < COUNT; k++) {
    t[k] = (double)k / (COUNT - 1);
    for (size_t j = 0; j < JOINTS; j++) {
      const double angle = t[k] + (double)j;
      q[j] = sin(angle), qd[k * JOINTS + j] = cos(angle), qdd[j] = -sin(angle);
    }
    armdyn_inverse_dynamics(arm.robot, q, qd + k * JOINTS, qdd, &alone, arm.workspace, tau + k * JOINTS);
    if (k == 0 || k == COUNT - 1)
      armdyn_energy(arm.robot, q, qd + k * JOINTS, arm.workspace, &kinetic[k > 0], &potential[k > 0]);
  }
  const struct armdyn_samples samples = { .count = COUNT, .qd = { qd, JOINTS }, .tau = { tau, JOINTS } };
  const double change = kinetic[1] - kinetic[0] + potential[1] - potential[0];
  cr_assert_gt(fabs(change), 1, "energy changes at all");
  cr_assert_float_eq(armdyn_samples_work(JOINTS, t, &samples), change, 1e-6 * (kinetic[1] + fabs(potential[1])));
  arm_close(&arm);
}

static void forward_undoes_inverse(struct arm *arm)
{
  double tau[N], qdd[N];
  armdyn_inverse_dynamics(arm->robot, arm->q, arm->qd, arm->qdd, &arm->load, arm->workspace, tau);
  cr_assert_eq(armdyn_forward_dynamics(arm->robot, arm->q, arm->qd, tau, &arm->load, arm->workspace, qdd), ARMDYN_OK);
  for (size_t i = 0; i < arm->n; i++) {
    cr_assert_float_eq(qdd[i], arm->qdd[i], 1e-9, "%zu joints: %.17g, %.17g", arm->n, qdd[i], arm->qdd[i]);
  }
}

Test(laws, forward_dynamics_undoes_inverse_dynamics)
{
  each_arm(forward_undoes_inverse);
}

static void parts_add_up(struct arm *arm)
{
  double tau[N], whole[N], part[5][N], motor[N];
  const struct armdyn_torque_parts parts = { part[0], part[1], part[2], part[3], part[4], motor };
  armdyn_inverse_dynamics(arm->robot, arm->q, arm->qd, arm->qdd, &arm->load, arm->workspace, whole);
  armdyn_inverse_dynamics_parts(arm->robot, arm->q, arm->qd, arm->qdd, &arm->load, arm->workspace, tau, &parts);
  for (size_t i = 0; i < arm->n; i++) {
    double sum = 0, scale = 1, felt = 0;
    for (int k = 0; k < 5; k++) {
      sum += part[k][i];
      scale += fabs(part[k][i]);
    }
    cr_assert_eq(tau[i], whole[i]);
    cr_assert_float_eq(sum, tau[i], 1e-12 * scale);
    /* virtual work: motor torques through the transmission are the joint torque */
    for (size_t k = 0; k < arm->n; k++) {
      if (arm->description.has_transmission) felt += arm->description.transmission[k * arm->n + i] * motor[k];
    }
    if (!arm->description.has_transmission) felt = arm->description.joints[i].drive.gear_ratio * motor[i];
    cr_assert_float_eq(felt, tau[i], 1e-10 * scale);
  }
}

Test(laws, causes_add_up_to_the_torque)
{
  each_arm(parts_add_up);
}

/* Column j of M is the torque for a unit acceleration of joint j; M is symmetric, and forward dynamics (above) has
 * factorised it, so it is positive definite. */
static void mass_matrix(struct arm *arm)
{
  double M[N * N], zero[N] = { 0 }, unit[N] = { 0 }, tau[N], inertial[N], largest = 0;
  const struct armdyn_torque_parts parts = { .inertial = inertial };
  armdyn_mass_matrix(arm->robot, arm->q, arm->workspace, M);
  for (size_t k = 0; k < arm->n * arm->n; k++) largest = fmax(largest, fabs(M[k]));
  for (size_t j = 0; j < arm->n; j++) {
    unit[j] = 1;
    armdyn_inverse_dynamics_parts(arm->robot, arm->q, zero, unit, NULL, arm->workspace, tau, &parts);
    unit[j] = 0;
    for (size_t i = 0; i < arm->n; i++) {
      cr_assert_eq(M[i * arm->n + j], M[j * arm->n + i]);
      cr_assert_float_eq(M[i * arm->n + j], inertial[i], 1e-12 * largest, "%zu joints", arm->n);
    }
  }
}

Test(laws, mass_matrix_is_symmetric_and_made_of_torques)
{
  each_arm(mass_matrix);
}

static void batch_is_single(struct arm *arm)
{
  enum { COUNT = 3 };
  struct dice dice = { arm->n };
  double q[COUNT * N], wrench[COUNT * 6], tau[COUNT * N], one[N];
  dice_fill(&dice, q, COUNT * arm->n, -2, 2);
  dice_fill(&dice, wrench, COUNT * 6, -9, 9);
  const struct armdyn_samples samples = { .count = COUNT,
                                          .q = { q, arm->n },
                                          .qd = { arm->qd, 0 },
                                          .qdd = { arm->qdd, 0 },
                                          .wrench = { wrench, 6 },
                                          .wrench_frame = ARMDYN_WRENCH_BASE,
                                          .frictionless = arm->n % 2 };
  armdyn_inverse_dynamics_batch(arm->robot, &samples, arm->workspace, tau);
  for (size_t k = 0; k < COUNT; k++) {
    const struct armdyn_load load = { wrench + 6 * k, ARMDYN_WRENCH_BASE, arm->n % 2 };
    armdyn_inverse_dynamics(arm->robot, q + k * arm->n, arm->qd, arm->qdd, &load, arm->workspace, one);
    for (size_t i = 0; i < arm->n; i++) {
      cr_assert_float_eq(tau[k * arm->n + i], one[i], 1e-12 * fmax(1, fabs(one[i])));
    }
  }
}

Test(laws, batch_is_the_single_call_many_times)
{
  each_arm(batch_is_single);
}

/* Central differences of a parabola are its derivative on an even clock; those of a line are exact on any, at its ends too. */
Test(laws, slopes_of_lines_and_parabolas)
{
  enum { COUNT = 20, WIDTH = 3 };
  struct dice dice = { 12 };
  double even[COUNT], odd[COUNT], parabola[COUNT * WIDTH], line[COUNT], out[COUNT * 2];
  for (size_t k = 0; k < COUNT; k++) {
    even[k] = 0.5 * (double)k;
    odd[k] = k ? odd[k - 1] + dice_uniform(&dice, 0.1, 1) : -3;
    line[k] = 7 - 2 * odd[k];
    parabola[k * WIDTH] = even[k] * even[k];
    parabola[k * WIDTH + 1] = 1 - 3 * even[k] * even[k];
  }
  armdyn_slopes(COUNT, 2, &(struct armdyn_rows){ even, 1 }, &(struct armdyn_rows){ parabola, WIDTH }, out);
  for (size_t k = 1; k + 1 < COUNT; k++) {
    cr_assert_float_eq(out[2 * k], 2 * even[k], 1e-12);
    cr_assert_float_eq(out[2 * k + 1], -6 * even[k], 1e-12);
  }
  armdyn_slopes(COUNT, 1, &(struct armdyn_rows){ odd, 1 }, &(struct armdyn_rows){ line, 1 }, out);
  for (size_t k = 0; k < COUNT; k++) cr_assert_float_eq(out[k], -2, 1e-12, "%zu: %g", k, out[k]);
}
