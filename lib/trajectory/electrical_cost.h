/* The row of electrical energy in the table of costs. */
#ifndef LIB_TRAJECTORY_ELECTRICAL_COST_H
#define LIB_TRAJECTORY_ELECTRICAL_COST_H

#include "armdyn/electrical.h"
#include "lib/trajectory/cost_model.h"

enum armdyn_status electrical_judge(const struct armdyn_robot *robot, const struct armdyn_cost_term *term,
                                    struct armdyn_error *error);
double electrical_density(const struct armdyn_cost_term *term, const struct cost_state *x);
void electrical_slopes(const struct armdyn_cost_term *term, const struct cost_state *x, double by,
                       struct cost_slopes *out);
void electrical_bend(const struct armdyn_cost_term *term, const struct cost_state *x, double by, struct cost_bend *out);
/* Powers whose sign matters: of every drive, or on a link the sum of all. How many? */
size_t electrical_kinks(const struct armdyn_cost_term *term, const struct cost_state *x, double *power);
/* The side of a kink that its power says, and after a step of this length that led from a power to another. */
double electrical_side(double power, double rounding);
double electrical_side_moved(double side, double before, double after, double length, double rounding);
void electrical_dent(const struct armdyn_cost_term *term, const struct cost_state *x, double by, struct cost_bend *out);

#endif
