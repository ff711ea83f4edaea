/* A stored trajectory as the library's: from its series "polynomial", of which the series "samples" is a sampling. */
#ifndef SERVER_DATA_STORED_TRAJECTORY_H
#define SERVER_DATA_STORED_TRAJECTORY_H

#include "armdyn/trajectory.h"
#include "server/store/store.h"

#define SERIES_SAMPLES    "samples"    /* t, q1.., qd1.., qdd1.., tau1.., power1.. at the request's sample_rate */
#define SERIES_POLYNOMIAL "polynomial" /* begin, end, joint (from 1), c0, c1, ..: a row for each piece and joint */

/* Is it one of so many joints? OK, ENOTFOUND, EINPUT. */
enum armdyn_status stored_trajectory_fits(struct store *store, const char *id, size_t joints);

/* Read it (without waypoint times).
 *   joints      in
 *   trajectory  out  release with armdyn_trajectory_free unless refused
 * OK, ENOTFOUND, EIO (what is stored is none), EMEMORY. */
enum armdyn_status stored_trajectory_read(struct store *store, const char *id, size_t joints,
                                          struct armdyn_trajectory *trajectory);
/* The same for a request that names it: EINPUT, in words with `pointer`, when there is none or it has other joints. */
enum armdyn_status stored_trajectory_open(struct store *store, const char *id, size_t joints, const char *pointer,
                                          struct armdyn_trajectory *trajectory, struct armdyn_error *error);

#endif
