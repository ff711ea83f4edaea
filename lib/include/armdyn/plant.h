/* What an arm has between its drives and its links, and what its tool meets: elements of the plant of a closed loop. Each keeps
 * account of its energy. */
#ifndef ARMDYN_PLANT_H
#define ARMDYN_PLANT_H

#include "armdyn/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- elements. To add one: its row here, its numbers in struct armdyn_elements, a row of `elements` in
 * lib/control/elements.c, its field in api/codec/plant.c and its schema.
 *
 * friction      of the joints, as the model of the arm has it; behind an elastic gear it acts on the motor
 * wrench        that pushes the tool, constant in the axes that it is written in
 * current_loop  the torque follows what is asked for as a first order lag, dtau/dt = w (asked - tau), w = 2 pi bandwidth.
 *               Source: Spong, Hutchinson & Vidyasagar, Robot Modeling and Control, 6.1.
 * ripple        of the motor's torque over its angle p = gear_ratio q: (amplitude + relative tau) sin(order p + phase), the
 *               first of a magnet that cogs, a function of position and so conservative; the second of currents, and fed by
 *               the supply. Source: Krause, Wasynczuk & Sudhoff, Analysis of Electric Machinery, ch. 4; Holtz & Springob 1996.
 * elasticity    a spring and a damper between the reflected rotor and the link, with play: of a twist d = motor - link the
 *               spring sees d less half of the backlash on either side, and pushes only the way it is pressed:
 *               B motor'' = tau - F - T, M q'' + ... = T, T = stiffness dz(d) + damping d'. Source: Spong 1987; Nordin &
 *               Gutman 2002 for the play.
 * walls         planes that the tool's origin meets: a spring and a damper along the normal that do not pull, and dry
 *               friction over the sliding speed, mu N tanh(|v| / slip_velocity). Source: Siciliano et al., 9.1; Johnson,
 *               Contact Mechanics, for what a spring leaves out.
 * hole          a round hole with a chamfer, and a peg on the tool: contact of the rim of the peg's tip with the bore, the
 *               chamfer, the face and the bottom, and of the edges of the hole with the peg, at points all around, each as
 *               a wall. Source: Whitney 1982 for what holds and jams a peg. */
#define ARMDYN_ELEMENT_LIST(X)                                                                                         \
  X(FRICTION, "friction")                                                                                              \
  X(WRENCH, "wrench")                                                                                                  \
  X(CURRENT_LOOP, "current_loop")                                                                                      \
  X(RIPPLE, "ripple")                                                                                                  \
  X(ELASTICITY, "elasticity")                                                                                          \
  X(WALLS, "walls")                                                                                                    \
  X(HOLE, "hole")
enum armdyn_element {
#define X(name, text) ARMDYN_ELEMENT_##name,
  ARMDYN_ELEMENT_LIST(X)
#undef X
      ARMDYN_ELEMENTS
};
/* Its text, never NULL. */
const char *armdyn_element_name(enum armdyn_element element);

enum { ARMDYN_TORQUE_RIPPLES_MAX = 16, ARMDYN_WALLS_MAX = 8 };

struct armdyn_torque_ripple {
  size_t joint;
  double amplitude; /* N m, N */
  double relative;  /* of the torque */
  double order;     /* a turn of the motor; not 0 */
  double phase;     /* rad */
};

/* What all that is touched has. */
struct armdyn_surface {
  double stiffness;     /* N/m, > 0 */
  double damping;       /* N s/m, >= 0 */
  double friction;      /* mu, >= 0 */
  double slip_velocity; /* m/s, > 0 */
};

struct armdyn_wall {
  double point[3], normal[3]; /* base frame; the normal is a unit vector and points to where the tool is free */
  struct armdyn_surface surface;
};

/* The hole's frame is at the centre of its mouth in the face around it, axis out of it; the peg's axis is the z axis of the
 * tool frame, whose origin is the centre of its tip. */
struct armdyn_hole {
  double center[3], axis[3]; /* base frame, unit vector */
  double diameter, depth;    /* m */
  double chamfer;            /* m, wide and deep; 0: none */
  double peg_diameter, peg_length;
  struct armdyn_surface surface; /* stiffness and damping of all points together, were all pressed alike */
};

/* Zeros: none of it. */
struct armdyn_elements {
  double current_bandwidth[ARMDYN_JOINTS_MAX]; /* Hz; 0: at once */
  double stiffness[ARMDYN_JOINTS_MAX];         /* N m/rad (N/m); 0: rigid */
  double damping[ARMDYN_JOINTS_MAX];           /* N m s/rad (N s/m) */
  double backlash[ARMDYN_JOINTS_MAX];          /* rad (m), from one side to the other */
  bool link_encoders;                          /* what is measured is the link, not the motor */
  struct armdyn_torque_ripple ripples[ARMDYN_TORQUE_RIPPLES_MAX];
  size_t ripple_count;
  struct armdyn_wall walls[ARMDYN_WALLS_MAX];
  size_t wall_count;
  struct armdyn_hole hole;
  bool has_hole;
};

/* J, since t = 0. What an element took from what it stands beside is what it has more stored, and dissipated, less what it was
 * supplied with: taken = stored - stored at t = 0 + dissipated - supplied. */
struct armdyn_element_energy {
  double taken, stored, dissipated, supplied;
};

/* Where an arm's energy went: what the drives were asked for did `work`, and
 * work + sum of supplied = kinetic + potential + stored - those at t = 0 + sum of dissipated. */
struct armdyn_energy_account {
  bool present[ARMDYN_ELEMENTS];
  struct armdyn_element_energy elements[ARMDYN_ELEMENTS];
  double stored_at_start[ARMDYN_ELEMENTS];
};

/* What the tool's surroundings push it with.
 *   pose      in   16   of the tool in the base frame
 *   twist     in   6    [angular velocity; velocity of the origin], base axes
 *   wrench    out  6    [moment; force] on the tool at its origin, base axes, N m, N
 *   energies  out       of walls and hole: stored is J, the rest W that is taken and dissipated now; NULL = not wanted
 * Cannot fail. O(walls), and near a hole O(points). */
void armdyn_contact(const struct armdyn_elements *elements, const double *pose, const double *twist, double wrench[6],
                    struct armdyn_element_energy energies[ARMDYN_ELEMENTS]);

#ifdef __cplusplus
}
#endif
#endif
