/* Lines of position-dependent friction over the motor angle. */
#ifndef LIB_IDENTIFY_RIPPLE_H
#define LIB_IDENTIFY_RIPPLE_H

#include "lib/identify/constant_speed.h"

/* Find lines in a profile, one after the other, each kept if it lowers the error on the other half of the runs.
 *   joint  in      of the robot
 *   found  in/out  ripples, their deviations, and the trials are added
 * OK or EMEMORY. */
enum armdyn_status ripples_find(const struct armdyn_joint *joint, const struct angle_profile *profile,
                                struct armdyn_joint_friction *found);

/* Mean of the lines over a run. */
double ripples_mean(const struct armdyn_friction *friction, const struct constant_run *run);

#endif
