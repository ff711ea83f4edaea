/* Electrical energy of motions against closed forms, sums over many samples, and the laws that it must keep. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX };

static const struct armdyn_electrical_model alone = { ARMDYN_REGENERATION_NONE, 0 },
                                            link = { ARMDYN_REGENERATION_SHARED_BUS, 0 },
                                            grid = { ARMDYN_REGENERATION_GRID, 0.8 };

static void drive_set(struct armdyn_joint *joint, double k, double r, double eta)
{
  joint->drive.torque_constant = k, joint->drive.resistance = r, joint->drive.efficiency = eta;
}

struct motion {
  struct armdyn_robot *robot;
  struct armdyn_trajectory trajectory;
};

static void motion_plan(struct motion *m, const struct armdyn_robot_description *d, enum armdyn_profile profile,
                        const double *points, size_t count, double duration)
{
  struct armdyn_error error;
  struct armdyn_limits none[N];
  double minimum;
  for (size_t j = 0; j < N; j++)
    none[j] = (struct armdyn_limits){ { -INFINITY, INFINITY }, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY };
  const struct armdyn_profile_request request = { profile, count, points, NULL, duration, none, 0 };
  cr_assert_eq(armdyn_robot_new(d, &m->robot, &error), ARMDYN_OK, "%s", error.message);
  cr_assert_eq(armdyn_profile_plan(m->robot, &request, &m->trajectory, NULL, &minimum, NULL, NULL, &error), ARMDYN_OK,
               "%s", error.message);
}

static void motion_close(struct motion *m)
{
  armdyn_trajectory_free(&m->trajectory);
  armdyn_robot_free(m->robot);
}

static struct armdyn_electrical_energy energy_of(const struct motion *m, const struct armdyn_electrical_model *model)
{
  struct armdyn_electrical_energy e;
  struct armdyn_error error;
  cr_assert_eq(armdyn_trajectory_electrical_energy(m->robot, model, &m->trajectory, &e, &error), ARMDYN_OK, "%s",
               error.message);
  return e;
}

/* An axis of inertia I on the cubic of D in T: tau = I D (6 - 12 x) / T^2, w = 6 D x (1 - x) / T. The driving half costs
 * 6 I^2 D^2 / T^3 of squared torque and gives the load K = I (1.5 D / T)^2 / 2; the braking half takes that back. */
Test(electrical, one_axis_costs_what_the_closed_form_says)
{
  const double I = 2.5, D = 1.2, T = 0.8, gear = 50, k = 0.1, r = 1.6, eta = 0.8, way[2] = { 0, D };
  struct armdyn_robot_description d;
  struct motion m;
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  d.joints[0].drive.gear_ratio = gear;
  d.joints[0].drive.rotor_inertia = I / (gear * gear);
  drive_set(&d.joints[0], k, r, eta);
  motion_plan(&m, &d, ARMDYN_CUBIC, way, 2, T);
  const double unit = r / (gear * gear * k * k), squares = 6 * I * I * D * D / (T * T * T);
  const double K = I / 2 * pow(1.5 * D / T, 2);
  const double copper[2] = { unit * squares / (eta * eta), unit * squares * eta * eta };

  /* P = 0 while braking, with tau = -a y, w = b (1 - y^2), y = 2 x - 1: unit eta^2 a y = eta b (1 - y^2) */
  const double a = 6 * I * D / (T * T), b = 1.5 * D / T, c = unit * eta * a / b;
  const double y = (-c + sqrt(c * c + 4)) / 2;
  /* the integral of -P from there on is negative: the copper takes over where the arm hardly moves */
  const double square = T / 2 * a * a * y * y * y / 3, work = T / 2 * a * b * (y * y / 2 - pow(y, 4) / 4);
  const double returned = eta * work - unit * eta * eta * square;

  const struct armdyn_electrical_energy e = energy_of(&m, &alone), g = energy_of(&m, &grid);
  const double drawn = copper[0] + copper[1] + K / eta - eta * K + returned;
  cr_assert_gt(returned, 0.1 * K);
  cr_assert_float_eq(e.copper, copper[0] + copper[1], 1e-8 * e.copper);
  cr_assert_float_eq(e.gear, K / eta - K + K - eta * K, 1e-8 * K);
  cr_assert_float_eq(e.total, drawn, 1e-8 * drawn, "%.12g, not %.12g", e.total, drawn);
  cr_assert_float_eq(e.burnt, returned, 1e-8 * K);
  cr_assert_float_eq(e.by_joint[0].returned, returned, 1e-8 * K);
  cr_assert_float_eq(energy_of(&m, &link).total, drawn, 1e-8 * drawn); /* a drive alone on its link */
  cr_assert_float_eq(g.total, drawn - 0.8 * returned, 1e-8 * drawn);
  cr_assert_float_eq(g.fed_back, 0.8 * returned, 1e-8 * K);
  cr_assert_float_eq(g.burnt, 0.2 * returned, 1e-8 * K);
  motion_close(&m);
}

/* At rest the gear neither drives nor is driven: r (tau / (N k))^2 for as long as it lasts. */
Test(electrical, holding_a_weight_heats_the_winding)
{
  const double gear = 20, k = 0.05, r = 2, mass = 3, arm = 0.5, T = 4, points[2] = { 0, 0 };
  struct armdyn_robot_description d;
  struct armdyn_electrical_energy e;
  struct armdyn_error error;
  struct armdyn_robot *robot;
  armdyn_robot_description_init(&d);
  d.joint_count = 1, d.gravity[1] = -9.81, d.gravity[2] = 0;
  d.joints[0].link.mass = mass, d.joints[0].link.com[0] = arm;
  d.joints[0].drive.gear_ratio = gear;
  drive_set(&d.joints[0], k, r, 0.7);
  cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK);
  const double current = mass * 9.81 * arm / (gear * k), heat = r * current * current * T;
  double breaks[2] = { 0, T }, coefficients[1] = { points[0] };
  const struct armdyn_trajectory still = { 1, 1, 0, breaks, coefficients, 0, NULL };
  cr_assert_eq(armdyn_trajectory_electrical_energy(robot, &alone, &still, &e, &error), ARMDYN_OK);
  cr_assert_float_eq(e.total, heat, 1e-10 * heat);
  cr_assert_float_eq(e.copper, heat, 1e-10 * heat);
  cr_assert_eq(e.gear, 0);
  armdyn_robot_free(robot);
}

/* Robots with coupled drives and friction; the same sums by a million samples of the published formula. */
static void random_motion(struct dice *dice, struct motion *m)
{
  struct armdyn_robot_description d;
  double points[3 * 4];
  random_description(dice, &d, 4, ARMDYN_DH);
  for (size_t j = 0; j < 4; j++) {
    d.joints[j].velocity_scale = 0.05;
    d.joints[j].drive.gear_ratio = dice_uniform(dice, 20, 60);
    d.joints[j].drive.rotor_inertia = dice_uniform(dice, 0, 1e-4);
    drive_set(&d.joints[j], dice_uniform(dice, 0.05, 0.2), dice_uniform(dice, 0.2, 2), dice_uniform(dice, 0.6, 1));
  }
  d.has_transmission = dice_uniform(dice, 0, 1) > 0.5;
  for (size_t i = 0; i < 16; i++)
    d.transmission[i] = i % 5 == 0 ? d.joints[i / 5].drive.gear_ratio : dice_uniform(dice, -5, 5);
  dice_fill(dice, points, 12, -1, 1);
  motion_plan(m, &d, ARMDYN_QUINTIC, points, 3, 1.2);
}

Test(electrical, every_joule_has_a_cause_and_a_drive)
{
  struct dice dice = { 20261122 };
  for (int round = 0; round < 6; round++) {
    const struct armdyn_electrical_model *models[] = { &alone, &link, &grid };
    struct motion m;
    double totals[3];
    random_motion(&dice, &m);
    for (int way = 0; way < 3; way++) {
      const struct armdyn_electrical_energy e = energy_of(&m, models[way]);
      double sum = 0, net = 0;
      for (size_t j = 0; j < 4; j++) {
        sum += e.by_joint[j].total, net += e.by_joint[j].drawn - e.by_joint[j].returned;
        cr_assert_geq(e.by_joint[j].gear, 0);
      }
      cr_assert_float_eq(sum, e.total, 1e-12 * fabs(e.total));
      cr_assert_lt(fabs(e.unexplained), 1e-7 * e.total, "%d: %g of %g", way, e.unexplained, e.total);
      cr_assert_float_eq(e.total, net + e.burnt, 1e-9 * e.total);
      cr_assert(e.burnt >= 0 && e.exchanged >= 0 && e.fed_back >= 0);
      totals[way] = e.total;
    }
    cr_assert(totals[0] >= totals[1] && totals[1] >= totals[2]);
    motion_close(&m);
  }
}

Test(electrical, sums_over_samples_come_to_the_same)
{
  enum { SAMPLES = 20001 };
  static double t[SAMPLES], row[1 + 5 * 4], table[SAMPLES][12];
  struct dice dice = { 7 };
  for (int round = 0; round < 4; round++) {
    struct motion m;
    struct armdyn_workspace *workspace = armdyn_workspace_new(4);
    struct armdyn_electrical_energy log;
    struct armdyn_error error;
    random_motion(&dice, &m);
    for (int k = 0; k < SAMPLES; k++) {
      t[k] = 1.2 * k / (SAMPLES - 1);
      armdyn_trajectory_sample(m.robot, &m.trajectory, t[k], workspace, row);
      memcpy(table[k], row + 1, 8 * sizeof *row);
      memcpy(table[k] + 8, row + 13, 4 * sizeof *row);
    }
    const struct armdyn_samples samples = {
      .count = SAMPLES, .q = { table[0], 12 }, .qd = { table[0] + 4, 12 }, .tau = { table[0] + 8, 12 }
    };
    /* the formula, written out once more for uncoupled drives */
    const struct armdyn_robot_description *d = armdyn_robot_description(m.robot);
    double sum = 0;
    for (int k = 0; k < SAMPLES && !d->has_transmission; k++)
      for (size_t j = 0; j < 4; j++) {
        const struct armdyn_drive *v = &d->joints[j].drive;
        const double tau = table[k][8 + j], w = table[k][4 + j];
        const double motor = tau * w > 0 ? tau / (v->gear_ratio * v->efficiency) : tau * v->efficiency / v->gear_ratio;
        const double i = motor / v->torque_constant;
        sum += fmax(0, v->resistance * i * i + motor * w * v->gear_ratio) * (k == 0 || k == SAMPLES - 1 ? 0.5 : 1);
      }
    const struct armdyn_electrical_energy e = energy_of(&m, &alone);
    if (!d->has_transmission) cr_assert_float_eq(e.total, sum * 1.2 / (SAMPLES - 1), 2e-4 * e.total);
    cr_assert_eq(armdyn_samples_electrical_energy(m.robot, &link, t, &samples, &log, &error), ARMDYN_OK);
    const struct armdyn_electrical_energy exact = energy_of(&m, &link);
    cr_assert_float_eq(log.total, exact.total, 2e-4 * exact.total);
    cr_assert_float_eq(log.copper, exact.copper, 2e-4 * exact.total);
    cr_assert_float_eq(log.kinetic, exact.kinetic, 1e-9);
    armdyn_workspace_free(workspace);
    motion_close(&m);
  }
}

Test(electrical, what_is_missing_is_named)
{
  struct armdyn_robot_description d;
  struct armdyn_electrical_energy e;
  struct armdyn_error error;
  struct motion m;
  const double points[4] = { 0, 0, 1, 1 };
  armdyn_robot_description_init(&d);
  d.joint_count = 2;
  for (size_t j = 0; j < 2; j++) {
    snprintf(d.joints[j].name, sizeof d.joints[j].name, "axis%zu", j + 1);
    d.joints[j].drive.rotor_inertia = 1;
    drive_set(&d.joints[j], 0.1, 1, 0.9);
  }
  d.joints[1].drive.efficiency = NAN;
  motion_plan(&m, &d, ARMDYN_CUBIC, points, 2, 1);
  cr_assert_eq(armdyn_trajectory_electrical_energy(m.robot, &alone, &m.trajectory, &e, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/joints/1/drive/efficiency");
  cr_assert(strstr(error.message, "joint 2 axis2"), "%s", error.message);
  const struct armdyn_electrical_model wrong[] = { { ARMDYN_REGENERATION_GRID, 1.2 },
                                                   { ARMDYN_REGENERATION_GRID, NAN },
                                                   { ARMDYN_REGENERATION_COUNT, 0 } };
  const char *pointers[] = { "/cost/grid_efficiency", "/cost/grid_efficiency", "/cost/regeneration" };
  for (int k = 0; k < 3; k++) {
    cr_assert_eq(armdyn_electrical_check(m.robot, &wrong[k], &error), ARMDYN_EINPUT);
    cr_assert_str_eq(error.pointer, pointers[k]);
  }
  motion_close(&m);
}

Test(electrical, a_log_needs_two_samples_in_order)
{
  struct armdyn_robot_description d;
  struct armdyn_electrical_energy e;
  struct armdyn_error error;
  struct armdyn_robot *robot;
  const double zero[3] = { 0 }, t[3] = { 0, 0.2, 0.1 };
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  drive_set(&d.joints[0], 0.1, 1, 0.9);
  cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK);
  struct armdyn_samples samples = { .count = 1, .q = { zero, 1 }, .qd = { zero, 1 }, .tau = { zero, 1 } };
  cr_assert_eq(armdyn_samples_electrical_energy(robot, &alone, t, &samples, &e, &error), ARMDYN_EINPUT);
  samples.count = 3;
  cr_assert_eq(armdyn_samples_electrical_energy(robot, &alone, t, &samples, &e, &error), ARMDYN_EINPUT);
  cr_assert(strstr(error.message, "sample 2"), "%s", error.message);
  armdyn_robot_free(robot);
}
