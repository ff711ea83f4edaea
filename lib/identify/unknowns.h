/* The parameters to identify. */
#ifndef LIB_IDENTIFY_UNKNOWNS_H
#define LIB_IDENTIFY_UNKNOWNS_H

#include "armdyn/identify.h"

struct armdyn_unknowns {
  struct armdyn_robot *robot; /* has every friction term to identify */
  struct armdyn_parameter_choice choice;
  struct armdyn_base_parameters *base;
  size_t n, base_count, standard_count;
  double *prior;                /* standard_count */
  unsigned char *seen_by_joint; /* n x base_count: can this joint's torque depend on it? */
};

#endif
