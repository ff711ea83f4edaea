/* The elements of a plant as what is attached to a simulation. */
#ifndef LIB_CONTROL_ELEMENTS_H
#define LIB_CONTROL_ELEMENTS_H

#include "armdyn/plant.h"
#include "armdyn/simulate.h"

struct elements;

/* Attach them to an arm.
 *   arm    in   with its friction and rotors; must outlive the elements
 *   load   in   on the arm; likewise
 *   OK; EINPUT with a pointer into the elements ("/elasticity/stiffness/1"); EMEMORY. */
enum armdyn_status elements_open(const struct armdyn_elements *asked, const struct armdyn_robot *arm,
                                 const struct armdyn_load *load, struct elements **elements,
                                 struct armdyn_error *error);
void elements_close(struct elements *elements);

/* The arm without what stands before its springs: what is to be integrated. */
const struct armdyn_robot *elements_links(const struct elements *elements);
/* Motors start at rest beside the links, springs with the twist that holds gravity. */
struct armdyn_attached *elements_start(struct elements *elements, const double *q, const double *qd);
/* The torque that is asked for at t = 0 acts as if it had been asked for all the time. */
void elements_begin(struct elements *elements, const double *tau);

/* Of the state that the simulation has handed over; the links are at q, qd. */
void elements_measured(const struct elements *elements, const double *q, const double *qd, double *measured_q,
                       double *measured_qd);
/* Of the drives; what is asked of them turns them. */
void elements_motors(const struct elements *elements, const double *q, double *motor);
/* That acts in the drives, ripple left out, when tau is asked for. */
void elements_drive_torque(const struct elements *elements, const double *tau, double *acting);
/* On the tool: by its surroundings and the load. */
void elements_wrench(struct elements *elements, const double *q, const double *qd, double wrench[6]);
/* The load's own, in base axes; false: there is none. */
bool load_wrench_in_base(const struct armdyn_load *load, const double *pose, double wrench[6]);
/* Kinetic, of the rotors that move apart from their links, J. */
double elements_rotor_energy(const struct elements *elements);
void elements_account(struct elements *elements, const double *q, const double *qd,
                      struct armdyn_energy_account *account);

#endif
