/* Optimal control problems with known optima: tests/data/optima, each found by two independent methods. */
#ifndef TESTS_SUPPORT_OPTIMA_H
#define TESTS_SUPPORT_OPTIMA_H

#include "tests/support/robots.h"

struct optimum_case {
  struct armdyn_robot_description robot;
  double start[6], goal[6], duration, cost;
  double weights[6];
  bool weighted; /* else by the torque limits */
};

static inline void optimum_axis(const cJSON *json, struct optimum_case *c)
{
  struct armdyn_joint *joint = &c->robot.joints[0];
  c->robot.joint_count = 1;
  joint->drive.rotor_inertia = json_number(json, "I", 0);
  joint->friction.viscous.positive = joint->friction.viscous.negative = json_number(json, "b", 0);
  if (json_number(json, "m", 0) > 0) { /* a slide that lifts */
    joint->type = ARMDYN_PRISMATIC;
    joint->link.mass = json_number(json, "m", 0);
  }
  c->goal[0] = json_number(json, "dq", 0);
}

/* The vertical plane of the data is x-y of the base. */
static inline void optimum_two_links(const cJSON *json, struct optimum_case *c)
{
  const cJSON *p = cJSON_GetObjectItemCaseSensitive(json, "params");
  double length[2], mass[2], com[2], inertia[2];
  json_field(p, "l", length, 2), json_field(p, "m", mass, 2);
  json_field(p, "com_from_joint", com, 2), json_field(p, "I_com", inertia, 2);
  c->robot.joint_count = 2;
  c->robot.gravity[1] = -9.81, c->robot.gravity[2] = 0;
  for (size_t j = 0; j < 2; j++) {
    c->robot.joints[j].a = length[j];
    c->robot.joints[j].link = (struct armdyn_body){ mass[j], { com[j] - length[j], 0, 0 }, { .zz = inertia[j] } };
  }
}

static inline void optimum_puma(const cJSON *json, struct optimum_case *c)
{
  static const double quarter = 1.5707963267948966, alpha[6] = { 1, 0, -1, 1, -1, 0 };
  const cJSON *p = cJSON_GetObjectItemCaseSensitive(json, "params");
  double a[6], d[6], mass[6], com[18], inertia[18], rotor[6], gear[6], viscous[6], most[6];
  json_field(p, "a", a, 6), json_field(p, "d", d, 6), json_field(p, "m", mass, 6), json_field(p, "com", com, 18);
  json_field(p, "I_com_diag", inertia, 18), json_field(p, "Jm", rotor, 6), json_field(p, "G", gear, 6);
  json_field(p, "B", viscous, 6), json_field(p, "tau_max", most, 6);
  c->robot.joint_count = 6;
  for (size_t j = 0; j < 6; j++) {
    struct armdyn_joint *joint = &c->robot.joints[j];
    joint->a = a[j], joint->d = d[j], joint->alpha = quarter * alpha[j];
    joint->link.mass = mass[j];
    memcpy(joint->link.com, com + 3 * j, sizeof joint->link.com);
    joint->link.inertia =
        (struct armdyn_inertia){ .xx = inertia[3 * j], .yy = inertia[3 * j + 1], .zz = inertia[3 * j + 2] };
    joint->drive.rotor_inertia = rotor[j], joint->drive.gear_ratio = gear[j];
    joint->friction.viscous.positive = joint->friction.viscous.negative = viscous[j] * gear[j] * gear[j];
    joint->limits.torque = most[j];
  }
}

static inline bool optimum_load(const char *name, struct optimum_case *c)
{
  char path[128];
  snprintf(path, sizeof path, "tests/data/optima/%s.json", name);
  cJSON *json = json_load(path);
  *c = (struct optimum_case){ .weights = { 1, 1 } };
  armdyn_robot_description_init(&c->robot);
  for (size_t j = 0; j < 6; j++) {
    armdyn_joint_init(&c->robot.joints[j]);
    snprintf(c->robot.joints[j].name, sizeof c->robot.joints[j].name, "j%zu", j + 1);
  }
  c->duration = json_number(json, "T", 0);
  c->cost = json_number(json, "optimal_cost", 0);
  c->weighted = !strstr(name, "puma");
  if (strstr(name, "puma"))
    optimum_puma(json, c);
  else if (strstr(name, "2R"))
    optimum_two_links(json, c);
  else
    optimum_axis(json, c);
  json_field(json, "q0", c->start, 6);
  json_field(json, "qT", c->goal, 6);
  cJSON_Delete(json);
  return c->duration > 0;
}

static inline struct armdyn_optimal_request optimum_request(const struct optimum_case *c, size_t intervals)
{
  return (struct armdyn_optimal_request){ .start = c->start,
                                          .goal = c->goal,
                                          .duration = c->duration,
                                          .weights = c->weighted ? c->weights : NULL,
                                          .intervals = intervals,
                                          .starts = 1 };
}

#endif
