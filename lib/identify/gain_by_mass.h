/* Gains of drives from loads of which nothing but the mass is known. */
#ifndef LIB_IDENTIFY_GAIN_BY_MASS_H
#define LIB_IDENTIFY_GAIN_BY_MASS_H

#include <stdbool.h>

#include "armdyn/loads.h"

enum { LOAD_UNKNOWNS = 9, GAIN_UNKNOWNS_MOST = LOAD_UNKNOWNS * ARMDYN_LOAD_KINDS_MOST };

/* Of each joint the rows of a triangle [t U v], left by what its arm explains: what the load as stated does, what one of each
 * unknown parameter does, and what was logged. */
struct gain_problem {
  size_t n, unknowns; /* unknowns: 9 of each load */
  const double *rows[ARMDYN_JOINTS_MAX];
  size_t stride[ARMDYN_JOINTS_MAX];
};

struct gain_solution {
  double inverse[ARMDYN_JOINTS_MAX]; /* 1 / gain */
  double more[GAIN_UNKNOWNS_MOST];   /* beyond what was stated of the loads */
  bool told[ARMDYN_JOINTS_MAX], told_more[GAIN_UNKNOWNS_MOST];
};

/* OK or EMEMORY. */
enum armdyn_status gain_by_mass(const struct gain_problem *problem, struct gain_solution *solution);

#endif
