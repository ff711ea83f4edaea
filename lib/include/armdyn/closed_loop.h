/* Identification by the error of a closed loop's output (DIDIM): the columns of the regression are not those of measured
 * positions, which hold noise, but of positions that a simulated loop has, of the arm as it is estimated so far.
 */
#ifndef ARMDYN_CLOSED_LOOP_H
#define ARMDYN_CLOSED_LOOP_H

#include "armdyn/identify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The loop that the arm was logged in: tau = kp (q_wanted - q) + kd (qd_wanted - qd), sampled as the log is. */
struct armdyn_known_loop {
  const double *kp, *kd; /* n, >= 0: N m/rad, N m s/rad (N/m, N s/m) */
  const struct armdyn_source
      *wanted; /* where the arm should have been: as q and qd of the same samples, block by block */
};

enum { ARMDYN_CLOSED_LOOP_ROUNDS = 12 };
struct armdyn_closed_loop {
  size_t rounds;                  /* of simulation and estimate */
  bool settled;                   /* no parameter changed by more than a hundredth of its deviation at the end */
  double path[ARMDYN_JOINTS_MAX]; /* n: rms of the measured positions from the simulated ones, rad (m) */
};

/* Estimate by rounds: the loop is simulated with the arm that the round before found, first that of the measured path, and its
 * positions, velocities and accelerations make the columns that measured torques are held against. The estimate of a round is
 * that of `estimation`, whose estimator must give links that a body can have (ARMDYN_DIDIM): others do not move in a loop.
 *   robot, unknowns  in   of the same terms: the robot gets what is estimated
 *   source           in   the measured samples; the loop begins at the measured state of each block
 *   loop             in
 *   out              out  release with armdyn_estimate_free
 *   told             out
 * OK, EINPUT (sources that differ in their samples, gains that let the loop diverge), ESINGULAR, EMEMORY, ECANCELLED, and the
 * refusals of the sources. Deterministic.
 * Source: Gautier, Janot & Vandanjon 2013, A new closed-loop output error method for parameter identification of robot
 * dynamics: with these columns instead of slopes by parameters a round is linear, and some rounds are enough. */
enum armdyn_status armdyn_identify_in_loop(const struct armdyn_robot *robot, const struct armdyn_unknowns *unknowns,
                                           const struct armdyn_source *source, const struct armdyn_known_loop *loop,
                                           const struct armdyn_estimation *estimation, struct armdyn_estimate *out,
                                           struct armdyn_closed_loop *told, struct armdyn_error *error);

/* The path alone, of an arm that was estimated: instruments of ARMDYN_IV and of armdyn_test_filters, in which there is no
 * noise of the positions, nor what the loop's gains made of it in the torques. Any arm makes sound ones, the true
 * one the best. */
struct armdyn_loop_path;

/*   robot, unknowns, estimate  in   an estimate of links that a body can have, such as that of armdyn_identify_in_loop
 *   source, loop               in   as there; they live as long
 *   out                        out  release with armdyn_loop_path_free
 * OK, EINPUT or EMEMORY. */
enum armdyn_status armdyn_loop_path_new(const struct armdyn_robot *robot, const struct armdyn_unknowns *unknowns,
                                        const struct armdyn_estimate *estimate, const struct armdyn_source *source,
                                        const struct armdyn_known_loop *loop, struct armdyn_loop_path **out,
                                        struct armdyn_error *error);
void armdyn_loop_path_free(struct armdyn_loop_path *path); /* NULL is fine */
/* The measured samples at its positions; refusals as those of armdyn_identify_in_loop. */
struct armdyn_source armdyn_loop_path_source(struct armdyn_loop_path *path);

#ifdef __cplusplus
}
#endif
#endif
