#ifndef LIB_IDENTIFY_LOADS_H
#define LIB_IDENTIFY_LOADS_H

#include "armdyn/loads.h"
#include "lib/identify/payload_columns.h"

struct armdyn_loads {
  size_t n, count;
  struct armdyn_robot *model, **carrying; /* without friction and rotors; of each log, NULL: as the model */
  size_t kinds, *kind;                    /* of loads that differ; of each log, 1 .. kinds, 0: what the model carries */
  double *more;                           /* kinds x 10: what each has beyond what is stated of it */
  bool known_by_mass;                     /* the above was looked for */
  struct payload_columns columns;
  double gains[ARMDYN_JOINTS_MAX];
  struct armdyn_workspace *workspace;
  struct armdyn_source inner;
  double *tau; /* room x n: of loads, then what is left filtered, then raw */
  size_t room;
};

#endif
