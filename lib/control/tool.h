/* The tool as laws in its axes see it. All six-vectors are [rotation; translation] in base axes. */
#ifndef LIB_CONTROL_TOOL_H
#define LIB_CONTROL_TOOL_H

#include "lib/control/controller.h"

struct tool_error {
  double J[6 * ARMDYN_JOINTS_MAX];        /* where it is */
  double wanted_J[6 * ARMDYN_JOINTS_MAX]; /* where it should be */
  double is[16], should[16];
  double x[6], rate[6]; /* from the tool to where it should be, [rotation vector; translation]; of the velocities */
};
void tool_error(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const double *q, const double *qd,
                struct tool_error *error);

/* tau += J' wrench */
void add_joint_torques(const double *J, size_t n, const double wrench[6], double *tau);
/* The wrench of a spring with the potential x' stiffness x / 2. */
void spring_wrench(const double *stiffness, const double x[6], double wrench[6]);

#endif
