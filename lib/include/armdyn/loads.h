/* Motions with different known loads in one identification, and the drive gains that they tell.
 */
#ifndef ARMDYN_LOADS_H
#define ARMDYN_LOADS_H

#include "armdyn/identify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What each log was made with, beyond what the model carries. */
struct armdyn_loads;

/*   model     in   whose parameters are identified, with what it carries itself
 *   carrying  in   count, of each log: the model with the payload that it held then; NULL: that of the model
 *   out       out  release with armdyn_loads_free; does not need the robots
 * OK, EINPUT (other kinematics or gravity than the model's) or EMEMORY. */
enum armdyn_status armdyn_loads_new(const struct armdyn_robot *model, const struct armdyn_robot *const *carrying,
                                    size_t count, struct armdyn_loads **out, struct armdyn_error *error);
void armdyn_loads_free(struct armdyn_loads *loads); /* NULL is fine */
/* Torques are logged 1 / gain of what they are: n; 1 at first. */
void armdyn_loads_set_gains(struct armdyn_loads *loads, const double *gains);
/* Data with their torques times the gains, less what a log's load adds to the model's. One at a time. */
struct armdyn_source armdyn_loads_source(struct armdyn_loads *loads, const struct armdyn_source *source);
/* What the load of a log adds to the torques of the model: motion->count x n. */
void armdyn_loads_torques(struct armdyn_loads *loads, size_t log, const struct armdyn_motion *motion, double *tau);
/* Make a motion of a log what the source makes of it: its torques are those of `loads` then, until the next call.
 * OK or EMEMORY. */
enum armdyn_status armdyn_loads_take_off(struct armdyn_loads *loads, size_t log, struct armdyn_motion *motion);

/* By how much the torques of a joint's drive are more than what was logged of it. */
struct armdyn_drive_gain {
  double gain, deviation; /* that of the jackknife over parts of the data. NAN: the loads do not show at this joint */
};
/* Find them, from logs with loads of which at least two differ and are known to the last parameter: they give the scale.
 *   unknowns  in   of the model: what of the torques is not the loads'
 *   source    in   as logged; read once
 *   gains     out  n
 * OK, EINPUT (all loads are the same), the refusals of the source, or EMEMORY.
 * Source: Gautier & Briot 2014, Global identification of joint drive gains and dynamic parameters of robots; here each
 * joint by itself, with the logged signal on the left, so that its noise does not draw the gain down. */
enum armdyn_status armdyn_find_drive_gains(const struct armdyn_unknowns *unknowns, struct armdyn_loads *loads,
                                           const struct armdyn_source *source, struct armdyn_drive_gain *gains,
                                           struct armdyn_error *error);

enum { ARMDYN_LOAD_KINDS_MOST = 4 };
/* Logs with the same load have one number, 1 .. in the order of the first of them; 0: what the model carries. */
size_t armdyn_loads_kind(const struct armdyn_loads *loads, size_t log);

/* A load that was weighed: ten parameters in the order of armdyn_payload_estimate, about the origin and in the axes of the tool
 * frame. */
struct armdyn_weighed_load {
  double parameters[10], deviation[10]; /* deviation: jackknife; 0 of the mass, NAN of what the motion does not tell */
};
/* The same where of every load the mass alone is true; first moments and inertia are found with the gains, and those that are
 * stated are where the search begins. From then on the loads are the ones that were found.
 *   weighed  out  ARMDYN_LOAD_KINDS_MOST, by armdyn_loads_kind - 1
 *   kinds    out  how many
 * As armdyn_find_drive_gains; EINPUT too for more than ARMDYN_LOAD_KINDS_MOST loads, or where their masses are all the same.
 * A gain is NAN where the motion does not tell the mass from the rest: joints beyond must move against each other. */
enum armdyn_status armdyn_find_drive_gains_by_mass(const struct armdyn_unknowns *unknowns, struct armdyn_loads *loads,
                                                   const struct armdyn_source *source, struct armdyn_drive_gain *gains,
                                                   struct armdyn_weighed_load *weighed, size_t *kinds,
                                                   struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
