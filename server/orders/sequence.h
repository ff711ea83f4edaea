/* Orders of several steps: the moves are planned one by one, each from where the one before ends, then joined as one motion
 * with the rests between them. Which of them are planned is stored with the order, so that a new start of the service goes on
 * where the former one ended. */
#ifndef SERVER_ORDERS_SEQUENCE_H
#define SERVER_ORDERS_SEQUENCE_H

#include "server/orders/internal.h"

/* A sequence of which nothing is planned yet, as it is stored. Allocated; NULL: no memory. */
char *sequence_begin(const double *start, size_t joints);
/* What is planned now: of an order of one motion that, of a sequence the next of its moves; when all of those are planned the
 * whole, which asks for nothing of its own. What it points to stays the order's. */
void order_motion(const struct order *o, struct order_request *asked);
/* Is a move of a sequence planned now? */
bool order_is_at_move(const struct order *o);
/* Under the lock: the move at hand is planned as this trajectory. */
void order_keep_move(struct queue *q, struct order *o, const char *trajectory, const struct order_plan *plan);
/* What is stored of it; free() it. NULL: no memory. */
struct sequence;
struct sequence *order_sequence(const struct order *o);
/* The steps of the joined motion, into the plan; they point into `sequence`. */
void sequence_tell(const struct order *o, struct sequence *sequence, struct order_plan *plan);
/* What is wrong is wrong with the move at hand, "/steps/2": in words and places. Of another order: nothing. */
void order_name_step(const struct order *o, struct refusal *why);
/* What the planner says, as of the order: places and `suggested_request` are the order's, not those of the trajectory that was
 * asked for. Allocated; NULL: no memory. */
char *order_problem_of_plan(const struct order *o, const char *problem);

#endif
