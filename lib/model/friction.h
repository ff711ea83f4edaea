/* Friction of a joint is the sum of the terms of one table, whose parameters are the rows of another. */
#ifndef LIB_MODEL_FRICTION_H
#define LIB_MODEL_FRICTION_H

#include <stdint.h>

#include "armdyn/parameter.h"

/* Where friction is evaluated. */
struct friction_state {
  const struct armdyn_friction *parameters;
  double motor_angle; /* p = gear_ratio q, rad */
  double gear_ratio;  /* dp/dq */
  double speed;       /* v, rad/s, m/s */
  double sign;        /* s(v) = tanh(v / velocity_scale) */
  double sign_slope;  /* ds/dv */
  double width;       /* velocity_scale, rad/s, m/s */
  double load;        /* y, the torque that is transmitted, N m (N) */
  bool blended;       /* as struct armdyn_robot has it */
};

struct friction_term {
  bool (*present)(const struct armdyn_friction *friction);
  double (*torque)(const struct friction_state *x);
  void (*slope)(const struct friction_state *x, double *by_position, double *by_speed); /* partials of torque */
};
extern const struct friction_term friction_terms[ARMDYN_FRICTION_TERM_COUNT];

/* One parameter of a joint's friction. Lines over the motor angle have it once each. */
struct friction_parameter {
  struct armdyn_friction_parameter_info info;
  size_t (*count)(const struct armdyn_friction *friction);
  double (*slope)(const struct friction_state *x, size_t line); /* d torque / d parameter; NULL: not linear in it */
  size_t at, also; /* where struct armdyn_friction has it, of a line where the first has it; NOWHERE: no number of it */
  bool positive;   /* no material has it below 0 */
};
extern const struct friction_parameter friction_parameters[ARMDYN_FRICTION_PARAMETER_COUNT];
#define NOWHERE SIZE_MAX

/* Its number, 0 of what is none. */
double friction_value(const struct armdyn_friction *friction, size_t parameter, size_t line);
/* Write it, as armdyn_joint_parameter_set does. */
bool friction_set(struct armdyn_friction *friction, size_t parameter, size_t line, double value);
/* All numbers of a linear term. 0: without the term. */
void friction_set_linear(struct armdyn_friction *friction, enum armdyn_friction_term term, double value);

/* Fill a state for a joint at q, qd. */
void friction_state_set(struct friction_state *x, const struct armdyn_joint *joint, double q, double qd);
/* Has the joint friction that needs s(v)? */
bool friction_is_signed(const struct armdyn_robot *robot, size_t joint);
/* Partial derivatives of armdyn_friction_torque. */
void friction_slopes(const struct armdyn_robot *robot, size_t joint, double q, double qd, double *by_position,
                     double *by_speed);
/* The same without the change of sign s(v), which is a step at rest. */
void friction_smooth_slopes(const struct armdyn_robot *robot, size_t joint, double q, double qd, double *by_position,
                            double *by_speed);
/* d = c s(v) and its slope by the speed, of friction d |y| under a transmitted torque y; 0 where the term is not. */
double load_share(const struct armdyn_robot *robot, size_t joint, double qd, double *by_speed);
/* The y of y + share |y| = torque. */
double load_transmitted(double torque, double share);
/* EINPUT where friction of a joint depends on the load, which `what` ("planning", ...) does not know; else OK. */
enum armdyn_status load_friction_refuse(const struct armdyn_robot *robot, const char *what, struct armdyn_error *error);
/* Bits as in friction_mask: terms that are linear in their numbers, and those without s(v); and how many are plain. */
enum {
#define X(name, text, linear, plain, signless, usual) | linear << ARMDYN_FRICTION_##name
  FRICTION_LINEAR = 0 ARMDYN_FRICTION_TERM_LIST(X),
#undef X
#define X(name, text, linear, plain, signless, usual) | signless << ARMDYN_FRICTION_##name
  FRICTION_SIGNLESS = 0 ARMDYN_FRICTION_TERM_LIST(X),
#undef X
#define X(name, text, linear, plain, signless, usual) +plain
  FRICTION_PLAIN_COUNT = 0 ARMDYN_FRICTION_TERM_LIST(X)
#undef X
};
/* Of a plain term its parameter, of another ARMDYN_FRICTION_PARAMETER_COUNT. */
size_t friction_plain(size_t term);
/* Bit k is set where the joint has term k. */
unsigned friction_mask(const struct armdyn_friction *friction);

#endif
