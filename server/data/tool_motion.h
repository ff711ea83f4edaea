/* How the tool moves, as columns of samples: its origin in the base frame, without gravity. */
#ifndef SERVER_DATA_TOOL_MOTION_H
#define SERVER_DATA_TOOL_MOTION_H

#include "armdyn/dynamics.h"

/* Fields, columns, and where velocity and acceleration begin; the position comes first. */
enum { TOOL_FIELDS = 3, TOOL_COLUMNS = 9, TOOL_VELOCITY = 3, TOOL_ACCELERATION = 6 };

/*   q, qd, qdd  in   n
 *   columns     out  TOOL_COLUMNS: m, m/s, m/s^2 */
void tool_motion(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                 struct armdyn_workspace *workspace, double *columns);
/* The length of one of the three. */
double tool_motion_length(const double *vector);

#endif
