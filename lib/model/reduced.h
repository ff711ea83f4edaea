/* The robot as the fast recursion of inverse dynamics wants it (lib/dynamics/lanes_kernel.h): the same torques from fewer
 * numbers.
 *
 * Frames: the x axis and the height of a canonical frame on its joint axis are free. They are chosen so that the frame of
 * joint i in that before it is
 *     Tx(x) Ty(y) Rx(twist) Rz(angle + q)  or, prismatic,  Tx(x) Ty(y) Rx(twist) Rz(angle) Tz(q)
 * which is the modified convention without its cancellation between nearly parallel axes.
 *
 * Bodies: mass on a revolute joint's axis belongs to the link before just as well, for it moves with both and has no
 * moment about the axis; and so does the second moment of a link that only slides. What is moved on inward in this way
 * (m, h_z, S_zz; S) is zero here. Joint torques stay what they are; the forces inside the joints do not.
 * Source: Khalil & Kleinfinger 1987 for the regrouping; Khalil & Dombre, ch. 9. */
#ifndef LIB_MODEL_REDUCED_H
#define LIB_MODEL_REDUCED_H

#include "lib/model/compiled.h"

/* From the compiled joints and gravity. */
void reduced_compile(const struct armdyn_robot *robot, struct reduced_robot *reduced);

/* The links as they are, before anything is moved on to the link before; in the frames of the reduced robot. */
void reduced_bodies(const struct armdyn_robot *robot, struct distribution *bodies);

#endif
