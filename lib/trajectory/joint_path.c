#include "lib/trajectory/joint_path.h"

#include <math.h>
#include <stdlib.h>

#include "armdyn/path_timing.h"
#include "lib/math/linear.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/times.h"

/* Slopes at all points from continuity of the second derivative (de Boor, ch. 4), in place of `right`, count x joints. */
static enum armdyn_status solve_slopes(size_t joints, size_t count, const double *s, const double *points,
                                       const double *slopes, double *right)
{
  double *lower = calloc(3 * count + 1, sizeof *lower);
  if (!lower) return ARMDYN_EMEMORY;
  double *diagonal = lower + count, *upper = diagonal + count;
  for (size_t k = 0; k < count; k++) {
    const double before = k > 0 ? 1 / (s[k] - s[k - 1]) : 0, after = k + 1 < count ? 1 / (s[k + 1] - s[k]) : 0;
    const bool end = k == 0 || k + 1 == count;
    lower[k] = end && slopes ? 0 : before;
    upper[k] = end && slopes ? 0 : after;
    diagonal[k] = end && slopes ? 1 : 2 * (before + after);
    for (size_t j = 0; j < joints; j++) {
      const double *q = points + k * joints + j;
      double sum = k > 0 ? 3 * before * before * (q[0] - *(q - joints)) : 0;
      if (k + 1 < count) sum += 3 * after * after * (q[joints] - q[0]);
      right[k * joints + j] = end && slopes ? slopes[(k > 0 ? joints : 0) + j] : sum;
    }
  }
  block_tridiagonal_solve(count, 1, joints, lower, diagonal, upper, right);
  free(lower);
  return ARMDYN_OK;
}

enum armdyn_status joint_path_spline(size_t joints, size_t count, const double *s, const double *points,
                                     const double *slopes, struct armdyn_trajectory *path)
{
  double *d = calloc(count * joints + 1, sizeof *d);
  enum armdyn_status rc = d ? solve_slopes(joints, count, s, points, slopes, d) : ARMDYN_EMEMORY;
  if (!rc) rc = trajectory_allocate(path, joints, count - 1, 3, count);
  if (rc) goto out;
  for (size_t k = 0; k < count; k++) path->breaks[k] = path->waypoint_times[k] = s[k];
  for (size_t k = 0; k + 1 < count; k++) {
    const double h = s[k + 1] - s[k];
    for (size_t j = 0; j < joints; j++) {
      const size_t here = k * joints + j, next = here + joints;
      polynomial_cubic(points[here], points[next] - points[here], h, &d[here], &d[next], path->coefficients + here * 4);
    }
  }
out:
  free(d);
  return rc;
}

/* "/start/q", "/waypoints/k/q" or "/goal/q" */
static enum armdyn_status refuse_point(size_t k, size_t count, const char *words, struct armdyn_error *error)
{
  char where[48] = "/start/q";
  if (k + 1 == count)
    snprintf(where, sizeof where, "/goal/q");
  else if (k > 0)
    snprintf(where, sizeof where, "/waypoints/%zu/q", k - 1);
  return armdyn_refuse(error, ARMDYN_EINPUT, where, "%s", words);
}

enum armdyn_status armdyn_path_through(size_t joints, size_t count, const double *points,
                                       struct armdyn_trajectory *path, struct armdyn_error *error)
{
  if (count < 2) return armdyn_refuse(error, ARMDYN_EINPUT, "/goal", "is needed: %zu points are no path", count);
  for (size_t i = 0; i < count * joints; i++)
    if (!(fabs(points[i]) <= 1e6))
      return refuse_point(i / joints, count, "must be of finite numbers of magnitude <= 1e6", error);
  double *s = calloc(count, sizeof *s);
  enum armdyn_status rc = ARMDYN_EMEMORY;
  if (!s) goto out;
  for (size_t k = 1; k < count; k++) {
    s[k] = s[k - 1] + times_centripetal(joints, points + (k - 1) * joints, points + k * joints);
    if (s[k] > s[k - 1] * (1 + 1e-9)) continue;
    rc = refuse_point(k, count, "must differ from the point before it: a path cannot stand still", error);
    goto out;
  }
  const double length = s[count - 1];
  for (size_t k = 1; k < count; k++) s[k] /= length;
  rc = joint_path_spline(joints, count, s, points, NULL, path);
out:
  free(s);
  if (rc == ARMDYN_EMEMORY) armdyn_refuse(error, rc, "", "no memory for a path through %zu points", count);
  return rc;
}
