/* Friction of a joint is the sum of the rows of one table. */
#ifndef LIB_MODEL_FRICTION_H
#define LIB_MODEL_FRICTION_H

#include "armdyn/robot.h"

/* Where friction is evaluated. */
struct friction_state {
  const struct armdyn_friction *parameters;
  double motor_angle; /* p = gear_ratio q, rad */
  double gear_ratio;  /* dp/dq */
  double speed;       /* v, rad/s, m/s */
  double sign;        /* s(v) = tanh(v / velocity_scale) */
  double sign_slope;  /* ds/dv */
};

struct friction_term {
  const char *name;
  const char *parameters; /* with units, of a revolute joint */
  bool (*present)(const struct armdyn_friction *friction);
  double (*torque)(const struct friction_state *x);
  void (*slope)(const struct friction_state *x, double *by_position, double *by_speed); /* partials of torque */
};
extern const struct friction_term friction_terms[];
extern const size_t friction_term_count;

/* The rows offset, coulomb, viscous and high_speed. */
#define FRICTION_LINEAR (1u << 0 | 1u << 1 | 1u << 3 | 1u << 4)

/* Fill a state for a joint at q, qd. */
void friction_state_set(struct friction_state *x, const struct armdyn_joint *joint, double q, double qd);
/* Partial derivatives of armdyn_friction_torque. */
void friction_slopes(const struct armdyn_robot *robot, size_t joint, double q, double qd, double *by_position,
                     double *by_speed);
/* The same without the change of sign s(v), which is a step at rest. */
void friction_smooth_slopes(const struct armdyn_robot *robot, size_t joint, double q, double qd, double *by_position,
                            double *by_speed);
/* Bit k is set where the joint has row k of the table. */
unsigned friction_mask(const struct armdyn_friction *friction);

#endif
