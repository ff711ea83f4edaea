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
void electrical_dent(const struct armdyn_cost_term *term, const struct cost_state *x, double by, struct cost_bend *out);

#endif
