/* Identification of friction that acts at coupled motors (armdyn_friction_at_motors): at the outputs of the gears. */
#ifndef ARMDYN_GEARS_H
#define ARMDYN_GEARS_H

#include "armdyn/identify.h"

#ifdef __cplusplus
extern "C" {
#endif

struct armdyn_gears;

/*   robot  in   only its drives count
 *   out    out  release with armdyn_gears_free; NULL where friction acts at joints, and then there is nothing to turn
 * OK or EMEMORY. */
enum armdyn_status armdyn_gears_new(const struct armdyn_robot *robot, struct armdyn_gears **out,
                                    struct armdyn_error *error);
void armdyn_gears_free(struct armdyn_gears *gears);

/* A motion of joints becomes one of the gears' outputs, torques with it. Unknowns of a robot with friction at motors are made
 * for such motions: armdyn_regression_add, armdyn_predict and everything that takes a source.
 *   gears   in      NULL: nothing is done
 *   motion  in/out  valid until the next call
 * OK or EMEMORY. Source: deploy/doc/internals/identification.md. */
enum armdyn_status armdyn_gears_take(struct armdyn_gears *gears, struct armdyn_motion *motion);
/* Torques of outputs become those of joints, tau = G' t.
 *   gears  in      NULL: nothing is done
 *   tau    in/out  count x n */
void armdyn_gears_to_joints(const struct armdyn_gears *gears, size_t count, double *tau);
/* armdyn_gears_take of all blocks of a source, as long as both live. */
struct armdyn_source armdyn_gears_source(struct armdyn_gears *gears, const struct armdyn_source *source);

#ifdef __cplusplus
}
#endif
#endif
