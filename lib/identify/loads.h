#ifndef LIB_IDENTIFY_LOADS_H
#define LIB_IDENTIFY_LOADS_H

#include "armdyn/loads.h"

struct armdyn_loads {
  size_t n, count;
  struct armdyn_robot *model, **carrying; /* without friction and rotors; of each log, NULL: as the model */
  double gains[ARMDYN_JOINTS_MAX];
  struct armdyn_workspace *workspace;
  struct armdyn_source inner;
  double *tau; /* room x n: of loads, then what is left filtered, then raw */
  size_t room;
};

#endif
