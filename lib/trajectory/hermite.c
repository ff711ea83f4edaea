/* A motion again as cubics, e.g. as a guess for another one. */
#include <math.h>

#include "lib/trajectory/polynomial.h"

enum armdyn_status armdyn_trajectory_cubic(const struct armdyn_trajectory *motion, size_t pieces, double duration,
                                           struct armdyn_trajectory *out, struct armdyn_error *error)
{
  return armdyn_trajectory_remainder(motion, 0, pieces, duration, out, error);
}

enum armdyn_status armdyn_trajectory_remainder(const struct armdyn_trajectory *motion, double begin, size_t pieces,
                                               double duration, struct armdyn_trajectory *out,
                                               struct armdyn_error *error)
{
  enum { N = ARMDYN_JOINTS_MAX };
  const size_t n = motion->joint_count;
  const double pace = (armdyn_trajectory_duration(motion) - begin) / duration; /* old seconds a new one */
  double q[2][N], qd[2][N];
  if (!(duration > 0) || !isfinite(pace) || pieces < 1)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "must be > 0, in 1 piece or more; got %g s in %zu",
                         duration, pieces);
  enum armdyn_status rc = trajectory_allocate(out, n, pieces, 3, 2);
  if (rc) return armdyn_refuse(error, rc, "", "no memory for %zu pieces", pieces);
  armdyn_trajectory_state(motion, begin, q[0], qd[0], NULL, NULL);
  for (size_t k = 0; k < pieces; k++) {
    const double from = out->breaks[k], to = k + 1 == pieces ? duration : duration / (double)pieces * (double)(k + 1);
    const double h = to - from;
    armdyn_trajectory_state(motion, begin + pace * to, q[1], qd[1], NULL, NULL);
    out->breaks[k + 1] = to;
    for (size_t j = 0; j < n; j++) {
      const double v0 = pace * qd[0][j], v1 = pace * qd[1][j];
      polynomial_cubic(q[0][j], q[1][j] - q[0][j], h, &v0, &v1, out->coefficients + (k * n + j) * 4);
    }
    memcpy(q[0], q[1], n * sizeof **q);
    memcpy(qd[0], qd[1], n * sizeof **qd);
  }
  out->waypoint_times[1] = duration;
  return ARMDYN_OK;
}
