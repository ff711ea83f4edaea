/* An arm that played a reference, as a data set has it: the measured column beside the simulated ones. */
#ifndef SERVER_WORK_VERIFICATION_MEASURED_H
#define SERVER_WORK_VERIFICATION_MEASURED_H

#include "server/work/reference_motion.h"

struct measured_motion {
  size_t n, count;
  double *memory;
  double *t;         /* count, s of the motion, increasing, 0 to its end with the rest */
  double *off, *tau; /* count x n: where it should be less where it is, rad, m; N m, N */
  bool has_torques;  /* whole ones */
};

/* The data set that the reference names, while its motion lasts.
 *   motion    in   opened
 *   measured  out  zeroed before; close it, refused or not
 * OK; EINPUT with words, "/references/0/measured"; EMEMORY, what the store says. */
enum armdyn_status measured_motion_open(struct work *work, struct reference_motion *motion, const char *pointer,
                                        struct measured_motion *measured, struct armdyn_error *error);
void measured_motion_close(struct measured_motion *measured);

/* Its error at t, on the line between two samples. false: nothing was measured there. */
bool measured_motion_off(const struct measured_motion *measured, double t, double *off);

/* Its figures. OK, EMEMORY. */
enum armdyn_status measured_motion_figures(const struct measured_motion *measured, const struct armdyn_robot *model,
                                           struct reference_motion *motion, const struct verification_limit *limit,
                                           struct verification_measured *out);

#endif
