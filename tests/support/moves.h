/* Random moves of three arms whose drives have their data, a seeded campaign for electricity: a Puma 560, a SCARA and an arm of
 * seven axes. Every move takes 1.05 to 2.5 times the shortest trapezoid, so that a feasible baseline is known. */
#ifndef TESTS_SUPPORT_MOVES_H
#define TESTS_SUPPORT_MOVES_H

#include "tests/support/campaign.h"

enum { MOVE_ARMS = 3, MOVE_N = 7 };

struct move {
  struct armdyn_robot_description robot;
  struct armdyn_electrical_model model;
  struct armdyn_cost_term cost;
  size_t n, arm;
  double points[2 * MOVE_N], duration;
};

static inline void move_drives(struct armdyn_robot_description *d, const double *constant, const double *resistance)
{
  for (size_t j = 0; j < d->joint_count; j++) {
    d->joints[j].drive.torque_constant = constant[j];
    d->joints[j].drive.resistance = resistance[j];
    d->joints[j].drive.efficiency = 0.9;
    d->joints[j].velocity_scale = 0.01;
  }
}

/* Constants and resistances about those of the Puma's motors in the literature; the others' are made. */
static inline void move_puma_drives(struct armdyn_robot_description *d)
{
  static const double constant[6] = { 0.189, 0.219, 0.202, 0.075, 0.066, 0.066 };
  static const double resistance[6] = { 2.1, 2.1, 2.1, 6.7, 6.7, 6.7 };
  move_drives(d, constant, resistance);
}

static inline void move_file(const char *path, struct armdyn_robot_description *d)
{
  cJSON *json = json_load(path);
  description_from_json(json, d);
  cJSON_Delete(json);
}

static inline void move_seven_axes(struct armdyn_robot_description *d)
{
  armdyn_robot_description_init(d);
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) armdyn_joint_init(&d->joints[j]);
  campaign_seven_axes(d);
  for (size_t j = 0; j < d->joint_count; j++) {
    struct armdyn_joint *x = &d->joints[j];
    const double size = 6 / (1 + (double)j);
    snprintf(x->name, sizeof x->name, "j%zu", j + 1);
    x->limits = (struct armdyn_limits){ { -2.8, 2.8 }, 2.5, 10, 200, 150 / (1 + 0.5 * (double)j), INFINITY };
    x->drive.gear_ratio = 100, x->drive.rotor_inertia = 2e-5;
    x->friction.coulomb = (struct armdyn_directed){ size, 1.2 * size };
    x->friction.viscous = (struct armdyn_directed){ size, size };
  }
}

static inline void move_arm(size_t arm, struct armdyn_robot_description *d)
{
  static const double scara_constant[4] = { 0.1, 0.08, 0.05, 0.03 }, scara_resistance[4] = { 0.6, 0.9, 1.5, 2.5 };
  static const double seven_constant[7] = { 0.12, 0.12, 0.1, 0.1, 0.08, 0.06, 0.06 };
  static const double seven_resistance[7] = { 0.5, 0.5, 0.8, 0.8, 1.2, 2, 2 };
  if (arm == 0)
    move_file("tests/data/robots/puma560.json", d), move_puma_drives(d);
  else if (arm == 1)
    move_file("tests/data/robots/scara.json", d), move_drives(d, scara_constant, scara_resistance);
  else
    move_seven_axes(d), move_drives(d, seven_constant, seven_resistance);
}

/* Move `number` of all; its arm and way of regenerating change in turn. */
static inline bool move_make(size_t number, struct move *m)
{
  struct dice dice = { 0x2545F4914F6CDD1Du * (number + 1) | 1 };
  struct armdyn_robot *robot;
  struct armdyn_trajectory trapezoid;
  double minimum;
  for (int k = 0; k < 8; k++) dice_uniform(&dice, 0, 1);
  memset(m, 0, sizeof *m);
  m->arm = number % MOVE_ARMS;
  move_arm(m->arm, &m->robot);
  m->n = m->robot.joint_count;
  m->model.regeneration = (enum armdyn_regeneration)(number / MOVE_ARMS % ARMDYN_REGENERATION_COUNT);
  m->model.grid_efficiency = m->model.regeneration == ARMDYN_REGENERATION_GRID ? 0.7 : 0;
  for (size_t k = 0; k < 2; k++)
    for (size_t j = 0; j < m->n; j++) {
      const double *range = m->robot.joints[j].limits.position, middle = (range[0] + range[1]) / 2;
      const double reach = fmin(0.4 * (range[1] - range[0]), 1.5);
      m->points[k * m->n + j] = middle + dice_uniform(&dice, -reach, reach);
    }
  const struct armdyn_profile_request request = {
    .profile = ARMDYN_TRAPEZOID, .point_count = 2, .points = m->points, .duration = NAN
  };
  if (armdyn_robot_new(&m->robot, &robot, NULL)) return false;
  const bool planned = !armdyn_profile_plan(robot, &request, &trapezoid, NULL, &minimum, NULL, NULL, NULL);
  if (planned) m->duration = armdyn_trajectory_duration(&trapezoid) * dice_uniform(&dice, 1.05, 2.5);
  if (planned) armdyn_trajectory_free(&trapezoid);
  armdyn_robot_free(robot);
  return planned;
}

/* `m` must outlive the request. */
static inline struct armdyn_optimal_request move_request(struct move *m, size_t intervals, size_t starts)
{
  m->cost = (struct armdyn_cost_term){ .model = ARMDYN_COST_ELECTRICAL, .weight = 1, .electrical = &m->model };
  return (struct armdyn_optimal_request){ .start = m->points,
                                          .goal = m->points + m->n,
                                          .duration = m->duration,
                                          .intervals = intervals,
                                          .starts = starts,
                                          .cost_count = 1,
                                          .costs = &m->cost };
}

#endif
