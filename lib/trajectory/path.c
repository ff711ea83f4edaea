#include "lib/trajectory/path.h"

#include <math.h>

enum { N = ARMDYN_JOINTS_MAX, STATIONS = 9 };

/* Most path jerk that the torque rates allow: min over joints of rate / |M(q) way|, over a few stations of the path. */
static double jerk_of_torque_rate(const struct profile_problem *problem, const double *from, const double *way)
{
  const size_t n = problem->joint_count;
  double most = INFINITY, M[N * N], q[N];
  for (int station = 0; station < STATIONS; station++) {
    for (size_t j = 0; j < n; j++) q[j] = from[j] + way[j] * station / (STATIONS - 1);
    armdyn_mass_matrix(problem->robot, q, problem->workspace, M);
    for (size_t i = 0; i < n; i++) {
      double torque = 0;
      for (size_t j = 0; j < n; j++) torque += M[i * n + j] * way[j];
      if (isfinite(problem->limits[i].torque_rate)) most = fmin(most, problem->limits[i].torque_rate / fabs(torque));
    }
  }
  return most / 2;
}

void path_limits_find(const struct profile_problem *problem, struct path_limits *path)
{
  const size_t n = problem->joint_count;
  for (size_t k = 0; k + 1 < problem->point_count; k++) {
    const double *from = problem->points + k * n;
    struct path_limits x = { INFINITY, INFINITY, INFINITY };
    double way[N];
    for (size_t j = 0; j < n; j++) {
      const struct armdyn_limits *limits = &problem->limits[j];
      way[j] = from[n + j] - from[j];
      if (way[j] == 0) continue;
      x.velocity = fmin(x.velocity, limits->velocity / fabs(way[j]));
      x.acceleration = fmin(x.acceleration, limits->acceleration / fabs(way[j]));
      x.jerk = fmin(x.jerk, limits->jerk / fabs(way[j]));
    }
    x.jerk = fmin(x.jerk, jerk_of_torque_rate(problem, from, way));
    path[k] = x;
  }
}

double path_duration(const struct path_limits *path)
{
  const double T = fmax(fmax(1.5 / path->velocity, sqrt(4.5 / path->acceleration)), cbrt(54 / path->jerk));
  return T > 0 ? T : 1;
}
