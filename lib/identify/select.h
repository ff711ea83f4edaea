/* The search for the friction of all joints: what its rooms share. */
#ifndef LIB_IDENTIFY_SELECT_H
#define LIB_IDENTIFY_SELECT_H

#include "lib/identify/structure.h"

enum { SELECT_GRIDS = 3 }; /* of Stribeck velocities, closer and closer */

struct selection {
  const struct armdyn_robot *given;
  const struct armdyn_source *source;
  const struct armdyn_estimation *estimation;
  enum armdyn_rotor_columns rotors;
  unsigned required, candidates;
  size_t n;
  double fastest[ARMDYN_JOINTS_MAX], moved[ARMDYN_JOINTS_MAX]; /* rad/s (m/s), rad (m) */
  double weight[ARMDYN_JOINTS_MAX], correlation[ARMDYN_JOINTS_MAX], strength;
  struct armdyn_robot_description *description; /* the robot with what has been found so far */
  struct armdyn_robot *robot;
  struct structure first[ARMDYN_JOINTS_MAX], structures[ARMDYN_JOINTS_MAX]; /* before anything was tried, and now */
  struct shapes shapes[ARMDYN_JOINTS_MAX];
  double best_shape[ARMDYN_JOINTS_MAX][2]; /* Stribeck velocity of either exponent */
  struct armdyn_friction_choice *choice;   /* n */
  int grid;                                /* of Stribeck velocities */
  size_t step;
};

/* Choose for one joint what its held-out parts want, the others being what they are: its structure, its choice, and the best
 * Stribeck velocities for a closer look. OK or EMEMORY. */
enum armdyn_status select_for_joint(struct selection *s, const struct candidates *c, const struct rigid_prior *prior,
                                    size_t joint);

#endif
