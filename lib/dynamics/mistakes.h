/* Usual mistakes of dynamics code, as changes of what a right computation takes and gives. */
#ifndef LIB_DYNAMICS_MISTAKES_H
#define LIB_DYNAMICS_MISTAKES_H

#include "armdyn/diagnose.h"

/* How torques are computed: rightly, until mistakes change it. */
struct version {
  struct armdyn_robot_description *model;
  double angle;                     /* factor of positions, velocities and accelerations of revolute joints */
  double position;                  /* of positions of revolute joints alone, besides */
  double friction;                  /* factor of friction */
  double rotor[ARMDYN_JOINTS_MAX];  /* kg m^2 besides those of the model */
  double torque[ARMDYN_JOINTS_MAX]; /* factor of each joint's torque */
  bool samples_reordered;           /* q, qd and qdd stand in `order` */
  bool torques_reordered;           /* tau does */
  size_t order[ARMDYN_JOINTS_MAX];  /* column i holds joint order[i] */
};

/* Mistakes of one kind exclude each other. */
enum mistake_kind {
  KIND_INERTIA,
  KIND_PRODUCTS,
  KIND_CENTRE,
  KIND_CONVENTION,
  KIND_LENGTHS,
  KIND_CENTRE_UNIT,
  KIND_INERTIA_UNIT,
  KIND_GRAVITY,
  KIND_ANGLES,
  KIND_MODEL_ANGLES,
  KIND_ROTORS,
  KIND_FRICTION,
  KIND_TORQUE,
  KIND_PAYLOAD,
  KIND_ORDER
};

struct mistake {
  enum mistake_kind kind;
  const char *code, *lesson;
  void (*make)(struct version *version, double number); /* NULL: an order, which is searched for */
  double number;
};
extern const struct mistake mistakes[];

#endif
