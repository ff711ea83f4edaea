/* Random planning problems on four arms, made so that a motion is known that keeps all limits: the cubic spline through the
 * points, whose peaks the limits leave room for. */
#ifndef TESTS_SUPPORT_CAMPAIGN_H
#define TESTS_SUPPORT_CAMPAIGN_H

#include "tests/support/optima.h"

enum { CAMPAIGN_ARMS = 4, CAMPAIGN_POINTS = 5, CAMPAIGN_N = 7 };

struct campaign_case {
  struct armdyn_robot_description robot;
  size_t n, points;
  double q[CAMPAIGN_POINTS * CAMPAIGN_N], times[CAMPAIGN_POINTS], duration;
};

static inline void campaign_scara(struct armdyn_robot_description *d)
{
  static const double a[4] = { 0.4, 0.25, 0, 0 }, mass[4] = { 12, 7, 1.5, 0.5 }, rotor[4] = { 2, 0.6, 3, 0.02 };
  d->joint_count = 4;
  for (size_t j = 0; j < 4; j++) {
    struct armdyn_joint *x = &d->joints[j];
    x->type = j == 2 ? ARMDYN_PRISMATIC : ARMDYN_REVOLUTE;
    x->a = a[j];
    x->link = (struct armdyn_body){ mass[j], { -a[j] / 2, 0.01, 0.02 }, { .xx = 0.01, .yy = 0.05, .zz = 0.05 } };
    x->drive.rotor_inertia = rotor[j];
  }
}

static inline void campaign_seven_axes(struct armdyn_robot_description *d)
{
  static const double quarter = 1.5707963267948966, turn[7] = { 1, -1, -1, 1, 1, -1, 0 };
  static const double length[7] = { 0.31, 0, 0.4, 0, 0.39, 0, 0.08 }, mass[7] = { 4, 4, 3, 2.7, 1.7, 1.6, 0.4 };
  d->joint_count = 7;
  for (size_t j = 0; j < 7; j++) {
    struct armdyn_joint *x = &d->joints[j];
    x->alpha = quarter * turn[j], x->d = length[j];
    x->link = (struct armdyn_body){ mass[j], { 0.01, 0.04 * turn[j], 0.06 }, { .xx = 0.02, .yy = 0.02, .zz = 0.01 } };
    x->drive.rotor_inertia = 0.2;
  }
}

static inline void campaign_arm(size_t arm, struct armdyn_robot_description *d)
{
  struct optimum_case c;
  if (arm < 2 && optimum_load(arm ? "xiii_puma_torque_limit_active" : "iv_2R_unconstrained", &c)) {
    *d = c.robot;
  } else {
    armdyn_robot_description_init(d);
    for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) armdyn_joint_init(&d->joints[j]);
    (arm == 2 ? campaign_scara : campaign_seven_axes)(d);
  }
  for (size_t j = 0; j < d->joint_count; j++) {
    snprintf(d->joints[j].name, sizeof d->joints[j].name, "j%zu", j + 1);
    d->joints[j].limits.torque = INFINITY;
  }
}

/* Points, 1 to 3 of them in between, and a duration for a mean speed of 0.4 to 1.5 rad/s or m/s. */
static inline void campaign_points(struct dice *dice, bool waypoints, struct campaign_case *c)
{
  double way = 0;
  c->n = c->robot.joint_count;
  c->points = 2 + (waypoints ? 1 + (size_t)dice_uniform(dice, 0, 2.99) : 0);
  for (size_t k = 0; k < c->points; k++)
    for (size_t j = 0; j < c->n; j++) {
      const double reach = c->robot.joints[j].type == ARMDYN_PRISMATIC ? 0.15 : 1.2;
      c->q[k * c->n + j] = dice_uniform(dice, -reach, reach);
    }
  for (size_t k = 1; k < c->points; k++) {
    double longest = 0.05;
    for (size_t j = 0; j < c->n; j++) longest = fmax(longest, fabs(c->q[k * c->n + j] - c->q[(k - 1) * c->n + j]));
    c->times[k] = c->times[k - 1] + longest;
    way += longest;
  }
  c->duration = way / dice_uniform(dice, 0.4, 1.5);
  for (size_t k = 1; k < c->points; k++) c->times[k] *= c->duration / way;
}

static inline void campaign_friction(struct dice *dice, struct campaign_case *c)
{
  const double scale = dice_uniform(dice, 0, 1) < 0.5 ? 1e-3 : 0.05;
  for (size_t j = 0; j < c->n; j++) {
    struct armdyn_joint *x = &c->robot.joints[j];
    const double size = x->type == ARMDYN_PRISMATIC ? 5 : 12 / (1 + (double)j);
    x->friction.coulomb.positive = x->friction.coulomb.negative = size * dice_uniform(dice, 0.1, 1);
    x->friction.viscous.positive = x->friction.viscous.negative = size * dice_uniform(dice, 0.1, 1);
    x->velocity_scale = scale;
  }
}

struct campaign_peaks {
  double low[CAMPAIGN_N], high[CAMPAIGN_N], velocity[CAMPAIGN_N], acceleration[CAMPAIGN_N], torque[CAMPAIGN_N];
};

/* What the cubic through the points uses. */
static inline bool campaign_cubic_peaks(const struct campaign_case *c, struct campaign_peaks *p)
{
  enum { STEPS = 4000 };
  struct armdyn_robot *robot;
  struct armdyn_trajectory cubic;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * CAMPAIGN_N];
  double minimum;
  struct armdyn_error error;
  const struct armdyn_profile_request request = {
    .profile = ARMDYN_CUBIC, .point_count = c->points, .points = c->q, .times = c->times, .duration = c->duration
  };
  *p = (struct campaign_peaks){ 0 };
  for (size_t j = 0; j < c->n; j++) p->low[j] = INFINITY, p->high[j] = -INFINITY;
  if (armdyn_robot_new(&c->robot, &robot, &error)) return false;
  if (armdyn_profile_plan(robot, &request, &cubic, margin, &minimum, NULL, NULL, &error)) {
    armdyn_robot_free(robot);
    return false;
  }
  struct armdyn_workspace *workspace = armdyn_workspace_new(c->n);
  for (int k = 0; k <= STEPS; k++) {
    double row[1 + 5 * CAMPAIGN_N];
    armdyn_trajectory_sample(robot, &cubic, c->duration * k / STEPS, workspace, row);
    for (size_t j = 0; j < c->n; j++) {
      const double *x = row + 1 + j;
      p->low[j] = fmin(p->low[j], x[0]), p->high[j] = fmax(p->high[j], x[0]);
      p->velocity[j] = fmax(p->velocity[j], fabs(x[c->n]));
      p->acceleration[j] = fmax(p->acceleration[j], fabs(x[2 * c->n]));
      p->torque[j] = fmax(p->torque[j], fabs(x[3 * c->n]));
    }
  }
  armdyn_workspace_free(workspace);
  armdyn_trajectory_free(&cubic);
  armdyn_robot_free(robot);
  return true;
}

/* Limits of every kind with a chance of 0.7, 3 to 60 % beyond the cubic's peaks. */
static inline void campaign_limits(struct dice *dice, const struct campaign_peaks *p, struct campaign_case *c)
{
  bool kinds[4];
  for (int k = 0; k < 4; k++) kinds[k] = dice_uniform(dice, 0, 1) < 0.7;
  for (size_t j = 0; j < c->n; j++) {
    struct armdyn_limits *l = &c->robot.joints[j].limits;
    const double room = (p->high[j] - p->low[j]) * dice_uniform(dice, 0.03, 0.6) + 0.01;
    if (kinds[0]) l->position[0] = p->low[j] - room, l->position[1] = p->high[j] + room;
    if (kinds[1]) l->velocity = p->velocity[j] * dice_uniform(dice, 1.03, 1.6) + 1e-3;
    if (kinds[2]) l->acceleration = p->acceleration[j] * dice_uniform(dice, 1.03, 1.6) + 1e-2;
    if (kinds[3]) l->torque = p->torque[j] * dice_uniform(dice, 1.03, 1.6) + 1e-2;
  }
}

static inline bool campaign_feasible(size_t number, struct campaign_case *c)
{
  struct dice dice = { 0x9E3779B97F4A7C15u * (number + 1) | 1 };
  struct campaign_peaks peaks;
  *c = (struct campaign_case){ .n = 0 };
  for (int k = 0; k < 8; k++) dice_uniform(&dice, 0, 1);
  campaign_arm(number % CAMPAIGN_ARMS, &c->robot);
  campaign_points(&dice, dice_uniform(&dice, 0, 1) < 0.5, c);
  if (dice_uniform(&dice, 0, 1) < 0.5) campaign_friction(&dice, c);
  if (!campaign_cubic_peaks(c, &peaks)) return false;
  campaign_limits(&dice, &peaks, c);
  if (dice_uniform(&dice, 0, 1) < 0.5)
    for (size_t k = 1; k + 1 < c->points; k++) c->times[k] = NAN; /* free times of passing are no harder */
  return true;
}

/* Two points, and limits that no motion of this duration keeps. Kinds in turn: speeds and accelerations, whose shortest
 * duration is known (NAN otherwise); torques of arms of up to six axes without dry friction; torques that do not even hold
 * the start. */
enum campaign_infeasibility { CAMPAIGN_HURRIED, CAMPAIGN_WEAK, CAMPAIGN_HELPLESS };

static inline bool campaign_infeasible(size_t number, struct campaign_case *c, enum campaign_infeasibility *kind,
                                       double *shortest)
{
  struct dice dice = { 0xD1B54A32D192ED03u * (number + 1) | 1 };
  struct campaign_peaks peaks;
  *c = (struct campaign_case){ .n = 0 };
  for (int k = 0; k < 8; k++) dice_uniform(&dice, 0, 1);
  *kind = number % 5 == 4 ? CAMPAIGN_HELPLESS : number % 5 < 2 ? CAMPAIGN_HURRIED : CAMPAIGN_WEAK;
  static const size_t arms[] = { [CAMPAIGN_HURRIED] = CAMPAIGN_ARMS, [CAMPAIGN_WEAK] = 3, [CAMPAIGN_HELPLESS] = 2 };
  campaign_arm(number / 5 % arms[*kind], &c->robot);
  campaign_points(&dice, false, c);
  if (!campaign_cubic_peaks(c, &peaks)) return false;
  *shortest = *kind == CAMPAIGN_HURRIED ? 0 : NAN;
  for (size_t j = 0; j < c->n; j++) {
    struct armdyn_limits *l = &c->robot.joints[j].limits;
    const double way = fabs(c->q[c->n + j] - c->q[j]);
    if (*kind == CAMPAIGN_HURRIED) {
      const double v = l->velocity = dice_uniform(&dice, 0.5, 2), a = l->acceleration = dice_uniform(&dice, 2, 10);
      *shortest = fmax(*shortest, way > v * v / a ? way / v + v / a : 2 * sqrt(way / a));
    } else {
      l->torque = peaks.torque[j] * (*kind == CAMPAIGN_WEAK ? dice_uniform(&dice, 1.05, 1.4) : 0.1) + 1e-2;
    }
  }
  if (*kind == CAMPAIGN_HURRIED) c->duration = *shortest * dice_uniform(&dice, 0.3, 0.95);
  if (*kind == CAMPAIGN_WEAK) c->duration *= 0.12;
  return true;
}

static inline struct armdyn_optimal_request campaign_request(const struct campaign_case *c)
{
  return (struct armdyn_optimal_request){ .start = c->q,
                                          .goal = c->q + (c->points - 1) * c->n,
                                          .duration = c->duration,
                                          .intervals = 40,
                                          .starts = 1,
                                          .waypoint_count = c->points - 2,
                                          .waypoints = c->q + c->n,
                                          .waypoint_times = c->times + 1 };
}

#endif
