#include "lib/trajectory/tool_speed.h"

#include <math.h>

#include "armdyn/path_timing.h"
#include "armdyn/terms.h"
#include "lib/trajectory/polynomial.h"

enum { N = ARMDYN_JOINTS_MAX, SAMPLES_LEAST = 16, SAMPLES_WANTED = 192, GOLDEN_STEPS = 32 };

double tool_speed(const struct armdyn_robot *robot, const double *q, const double *qd,
                  struct armdyn_workspace *workspace)
{
  const size_t n = armdyn_robot_joint_count(robot);
  double J[6 * N], squares = 0;
  armdyn_jacobian(robot, q, ARMDYN_JACOBIAN_BASE, workspace, J); /* angular rows first */
  for (size_t i = 3; i < 6; i++) {
    double v = 0;
    for (size_t j = 0; j < n; j++) v += J[i * n + j] * qd[j];
    squares += v * v;
  }
  return sqrt(squares);
}

static double acceleration(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                           struct armdyn_workspace *workspace)
{
  struct armdyn_frame_motion tool;
  armdyn_link_motion(robot, q, qd, qdd, workspace, &tool, NULL);
  return hypot(hypot(tool.acceleration[3], tool.acceleration[4]), tool.acceleration[5]);
}

static double speed(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                    struct armdyn_workspace *workspace)
{
  (void)qdd;
  return tool_speed(robot, q, qd, workspace);
}

/* The largest value of something along a motion. */
struct search {
  const struct armdyn_robot *robot;
  const struct armdyn_trajectory *trajectory;
  struct armdyn_workspace *workspace;
  double (*value)(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                  struct armdyn_workspace *workspace);
  double most, time;
};

static double value_at(struct search *x, size_t piece, double s)
{
  double q[N], qd[N], qdd[N];
  piece_state(x->trajectory, piece, s, q, qd, qdd, NULL);
  const double value = x->value(x->robot, q, qd, qdd, x->workspace);
  if (value > x->most) x->most = value, x->time = x->trajectory->breaks[piece] + s;
  return value;
}

static void refine(struct search *x, size_t piece, double low, double high)
{
  static const double golden = 0.6180339887498949;
  double s[2] = { high - golden * (high - low), low + golden * (high - low) };
  double v[2] = { value_at(x, piece, s[0]), value_at(x, piece, s[1]) };
  for (int step = 0; step < GOLDEN_STEPS; step++) {
    const int fresh = v[0] > v[1] ? 0 : 1;
    if (fresh == 0)
      high = s[1];
    else
      low = s[0];
    s[1 - fresh] = s[fresh], v[1 - fresh] = v[fresh];
    s[fresh] = fresh == 0 ? high - golden * (high - low) : low + golden * (high - low);
    v[fresh] = value_at(x, piece, s[fresh]);
  }
}

static void find_most(struct search *x)
{
  const struct armdyn_trajectory *trajectory = x->trajectory;
  const size_t pieces = trajectory->piece_count;
  const size_t steps = pieces * SAMPLES_LEAST > SAMPLES_WANTED ? SAMPLES_LEAST : SAMPLES_WANTED / pieces;
  for (size_t k = 0; k < pieces; k++) {
    const double step = (trajectory->breaks[k + 1] - trajectory->breaks[k]) / (double)steps;
    double v[3] = { 0 };
    for (size_t i = 0; i <= steps; i++) {
      v[0] = v[1], v[1] = v[2], v[2] = value_at(x, k, step * (double)i);
      const double bend = 2 * v[1] - v[0] - v[2], slope = v[2] - v[0];
      if (i < 2 || v[1] < v[0] || v[1] < v[2] || !(bend > 0)) continue;
      /* the parabola through three samples tells how high the peak between them may be */
      if (v[1] + slope * slope / (8 * bend) > 0.999 * x->most) refine(x, k, step * (double)(i - 2), step * (double)i);
    }
  }
}

double tool_speed_most(const struct armdyn_robot *robot, const struct armdyn_trajectory *trajectory,
                       struct armdyn_workspace *workspace, double *time)
{
  struct search x = { robot, trajectory, workspace, speed, 0, 0 };
  find_most(&x);
  if (time) *time = x.time;
  return x.most;
}

enum armdyn_status armdyn_trajectory_tool_speed(const struct armdyn_robot *robot,
                                                const struct armdyn_trajectory *trajectory, double *most, double *time)
{
  struct armdyn_workspace *workspace = armdyn_workspace_new(trajectory->joint_count);
  if (!workspace) return ARMDYN_EMEMORY;
  *most = tool_speed_most(robot, trajectory, workspace, time);
  armdyn_workspace_free(workspace);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_trajectory_tool_acceleration(const struct armdyn_robot *robot,
                                                       const struct armdyn_trajectory *trajectory, double *most,
                                                       double *time)
{
  struct armdyn_workspace *workspace = armdyn_workspace_new(trajectory->joint_count);
  if (!workspace) return ARMDYN_EMEMORY;
  struct search x = { robot, trajectory, workspace, acceleration, 0, 0 };
  find_most(&x);
  *most = x.most;
  if (time) *time = x.time;
  armdyn_workspace_free(workspace);
  return ARMDYN_OK;
}
