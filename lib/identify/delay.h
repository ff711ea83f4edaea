/* By how much the torques of a log come after the motion that they belong to. */
#ifndef LIB_IDENTIFY_DELAY_H
#define LIB_IDENTIFY_DELAY_H

#include "armdyn/quality.h"

struct delay_search;

struct delay_search *delay_search_new(size_t joints); /* NULL when out of memory */
void delay_search_free(struct delay_search *search);  /* NULL is fine */
/* A row: s, rad (m), N m (N). Those before the first motion, and beyond what is kept, count for nothing. */
void delay_search_add(struct delay_search *search, double time, const double *q, const double *tau);
/* Set `delay` of the joints that move. OK or EMEMORY. */
enum armdyn_status delay_search_run(const struct delay_search *search, struct armdyn_joint_figures *joints);

#endif
