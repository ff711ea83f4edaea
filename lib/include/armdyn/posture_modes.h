/* Natural frequencies of an arm with elastic gears whose motors stand, as functions of posture and load; and the stiffness of
 * the gears from frequencies that were seen. */
#ifndef ARMDYN_POSTURE_MODES_H
#define ARMDYN_POSTURE_MODES_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/vibration.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Behind motors that stand, links move by (M v'' + K v = 0) with M the mass matrix of the links alone (no rotors) and K the
 * diagonal of the gears' stiffness; a joint that is not elastic does not move.
 *   n            in   joints
 *   mass_matrix  in   n x n
 *   stiffness    in   n, N m/rad (N/m), > 0; INFINITY: not elastic
 *   frequency    out  n, Hz, ascending, as many as joints are elastic
 *   part         out  n x n, row m the share of each joint's gear in the energy of mode m, 1 in all; NULL = not wanted
 * Answers how many modes there are. M must be positive definite there. Threads: any.
 * Source: Spong 1987 for the model; a Rayleigh quotient's derivative for the shares: d log f / d log k_j is half of them. */
size_t armdyn_posture_modes(size_t n, const double *mass_matrix, const double *stiffness, double *frequency,
                            double *part);

enum { ARMDYN_SIGHT_MODES = 4 };
/* What was seen in one posture with one load: its lowest modes, none left out between them. */
struct armdyn_sight {
  const double *mass_matrix; /* n x n, of the links alone, of that load */
  size_t count;
  double frequency[ARMDYN_SIGHT_MODES]; /* Hz, ascending */
  double deviation;                     /* of the logarithm of each, > 0: 0.01 is 1 % */
};

struct armdyn_stiffness_fit {
  double stiffness[ARMDYN_JOINTS_MAX], deviation[ARMDYN_JOINTS_MAX]; /* INFINITY and 0 of joints that are not elastic */
  double rms;                                                        /* of the logarithms that are left */
};

/* Gauss-Newton steps on the logarithms of the stiffnesses, weighted, halved while what is left grows. Deviations are
 * those of the stated ones, and larger where more is left than they say.
 *   n, sights, count  in
 *   elastic           in   n, at least one
 *   out, error        out
 * OK, EINPUT (fewer frequencies than elastic joints, more modes than those), ESINGULAR (what was seen does not tell
 * joints apart). */
enum armdyn_status armdyn_fit_stiffness(size_t n, const struct armdyn_sight *sights, size_t count, const bool *elastic,
                                        struct armdyn_stiffness_fit *out, struct armdyn_error *error);

/* Damping of the gears from damping ratios of modes: those of a fit of stiffness, whose gears lose d_j twist'. A mode with the
 * shares y_j of its energy has the ratio w/2 sum_j y_j d_j / k_j (of small damping: Rayleigh). By least squares, d >= 0, one
 * gear after the other from all losing alike; where fewer ratios than gears are given it stays near that.
 *   sights     in   as of the fit; ratios of their modes:
 *   ratio      in   count rows of ARMDYN_SIGHT_MODES; NAN: not seen
 *   stiffness  in   n, INFINITY: not elastic
 *   damping    out  n, N m s/rad (N s/m); zeros where no ratio is given */
void armdyn_fit_damping(size_t n, const struct armdyn_sight *sights, size_t count, const double *ratio,
                        const double *stiffness, double *damping);

/* Mass matrix of a model's links alone, without rotors, whose motors stand.
 *   payload  in   instead of the model's; NULL: that
 *   matrix   out  n x n
 *   slope    out  n x n, of their weight by q [N m/rad]: what swings has the stiffness of gears and this; NULL: not wanted
 * OK, EINPUT, EMEMORY. Allocates. */
enum armdyn_status armdyn_links_matrix(const struct armdyn_robot_description *robot, const struct armdyn_body *payload,
                                       const double *q, double *matrix, double *slope);

/* The lowest modes of a model with elasticity, where it rests and with what it carries.
 *   q          in   n, within what the fit saw
 *   modes_max  in   1 to ARMDYN_MODES_MAX, at most so many
 *   out        out  modes and their deviations
 * OK; EINPUT: no gear gives, or the posture or the payload is not within what was seen (the message says what); EMEMORY. */
enum armdyn_status armdyn_elastic_modes(const struct armdyn_robot_description *robot, const double *q, size_t modes_max,
                                        struct armdyn_vibration *out, struct armdyn_error *error);
bool armdyn_has_elasticity(const struct armdyn_robot_description *robot);

#ifdef __cplusplus
}
#endif
#endif
