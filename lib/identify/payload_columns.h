/* What one of each of a payload's ten parameters does to the torques of an arm. */
#ifndef LIB_IDENTIFY_PAYLOAD_COLUMNS_H
#define LIB_IDENTIFY_PAYLOAD_COLUMNS_H

#include "armdyn/conditioning.h"
#include "armdyn/dynamics.h"

enum { PAYLOAD_TEN = 10, PAYLOAD_BATCH = 16 };

/* The map of the ten parameters of a payload, in the tool frame, to those that it adds to the last link. */
void payload_to_link(const struct armdyn_robot *robot, double map[PAYLOAD_TEN * PAYLOAD_TEN]);

struct payload_columns {
  const struct armdyn_robot *robot;
  size_t n;
  struct armdyn_workspace *workspace;
  double to_link[PAYLOAD_TEN * PAYLOAD_TEN];
  double *Y; /* PAYLOAD_BATCH x n x 10 n, of the robot's links */
};

/* False: no memory; close it in any case. The robot must outlive it. */
bool payload_columns_open(struct payload_columns *columns, const struct armdyn_robot *robot);
void payload_columns_close(struct payload_columns *columns);
/* Of samples first .. first + count - 1, at most PAYLOAD_BATCH of them: count x n x 10. */
void payload_columns_fill(struct payload_columns *columns, const struct armdyn_motion *motion, size_t first,
                          size_t count, double *out);

#endif
