/* The parameters to identify. */
#ifndef LIB_IDENTIFY_UNKNOWNS_H
#define LIB_IDENTIFY_UNKNOWNS_H

#include "armdyn/identify.h"

/* What is known of a standard parameter beforehand. */
enum role {
  ROLE_LINK,     /* one of the ten of a body, together within what a body can have */
  ROLE_POSITIVE, /* a rotor's inertia, friction that takes energy out */
  ROLE_FREE
};

struct armdyn_unknowns {
  struct armdyn_robot *robot; /* has every friction term to identify, and the links whose weight is the load */
  struct armdyn_parameter_choice choice;
  struct armdyn_base_parameters *base;
  size_t n, base_count, standard_count;
  size_t friction_first;          /* the first standard parameter of friction, which are the last ones */
  double *prior;                  /* standard_count */
  unsigned char *role;            /* standard_count, enum role */
  struct armdyn_parameter_id *id; /* standard_count */
  unsigned char *of_motion;       /* standard_count: friction that a joint shows only when it moves */
  unsigned char *seen_by_joint;   /* n x base_count: can this joint's torque depend on it? */
};

/* armdyn_unknowns_under with the slopes by Stribeck velocities of armdyn_parameter_choice. */
enum armdyn_status unknowns_with_slopes(const struct armdyn_robot *robot, const struct armdyn_robot *loads,
                                        const unsigned *friction, enum armdyn_rotor_columns rotors,
                                        struct armdyn_unknowns **out, struct armdyn_error *error);

/* Links and rotors alone. */
enum armdyn_status unknowns_rigid(const struct armdyn_robot *robot, enum armdyn_rotor_columns rotors,
                                  struct armdyn_unknowns **out, struct armdyn_error *error);

/* The regressor at a sample of a motion, n x standard_count: rows of joints, or of gears' outputs where friction acts at motors
 * and q, qd, qdd are of outputs (armdyn/gears.h). */
void unknowns_regressor(const struct armdyn_unknowns *unknowns, const double *q, const double *qd, const double *qdd,
                        struct armdyn_workspace *workspace, double *Y);
/* The first link that a row depends on. */
size_t unknowns_first_link(const struct armdyn_unknowns *unknowns, size_t joint);

/* The standard parameter with this id; standard_count: none. */
size_t standard_of(const struct armdyn_unknowns *unknowns, const struct armdyn_parameter_id *id);
/* The base parameter that this standard one leads; base_count: none. */
size_t base_led_by(const struct armdyn_unknowns *unknowns, size_t standard);

#endif
