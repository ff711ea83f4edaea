/* Paths of the tool as paths of the joints: inverse kinematics point by point, each from the one before it. */
#include <math.h>
#include <stdlib.h>

#include "armdyn/path_timing.h"
#include "lib/math/rotation.h"
#include "lib/math/vector.h"
#include "lib/trajectory/joint_path.h"
#include "lib/trajectory/polynomial.h"

enum { N = ARMDYN_JOINTS_MAX, PARTS_LEAST = 32, PARTS_MOST = 1024, END_POINTS = 5 };

static const double JUMP =
    0.5; /* rad, m: no joint moves that far between two of PARTS_LEAST points on a regular path */
static const double TOLERANCE = 1e-5;

struct tool_path {
  const struct armdyn_robot *robot;
  const struct armdyn_tool_path_request *request;
  const struct armdyn_tool_circle *circle; /* of whole turns; NULL: none */
  struct armdyn_workspace *workspace;
  size_t n, rounds; /* rounds: begun turns; 1 of what is no circle */
  unsigned task;
  double from[3], rotation[9], turn[3]; /* pose at the start; the whole turn, in its axes */
  double way[3];                        /* of a line */
  bool arc;
  double center[3], axis[3]; /* of an arc: the whole angle about the axis */
};

/* out = a - b */
static void subtract3(double *out, const double *a, const double *b)
{
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

/* The circle through a, b, c: center = a + [(|u|^2 v - |v|^2 u) x w] / (2 |w|^2) with u = b - a, v = c - a, w = u x v. */
static enum armdyn_status arc_of(struct tool_path *x, const double *to, struct armdyn_error *error)
{
  double u[3], v[3], w[3], mixed[3], offset[3], last[3], middle[3], normal[3], turned[3];
  subtract3(u, x->request->via, x->from);
  subtract3(v, to, x->from);
  cross3(w, u, v);
  const double size = sqrt(dot3(w, w)), u2 = dot3(u, u), v2 = dot3(v, v);
  if (!(size > 1e-6 * sqrt(u2 * v2)) || !(size > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/via", "is in line with start and goal: that is no arc");
  for (int i = 0; i < 3; i++) mixed[i] = u2 * v[i] - v2 * u[i];
  cross3(offset, mixed, w);
  for (int i = 0; i < 3; i++) {
    x->center[i] = x->from[i] + offset[i] / (2 * size * size);
    normal[i] = w[i] / size; /* from start by way of `via` to the goal it turns about +normal */
  }
  subtract3(middle, x->from, x->center);
  subtract3(last, to, x->center);
  cross3(turned, middle, last);
  double angle = atan2(dot3(turned, normal), dot3(middle, last));
  if (angle <= 0) angle += 2 * M_PI;
  for (int i = 0; i < 3; i++) x->axis[i] = angle * normal[i];
  x->arc = true;
  return ARMDYN_OK;
}

/* The pose at part s of the way, 4 x 4. */
static void pose_at(const struct tool_path *x, double s, double *tool)
{
  double phi[3], R[9], turned[9], arm[3], place[3];
  for (int i = 0; i < 3; i++) phi[i] = s * x->turn[i];
  rotation_of_vector(phi, R);
  multiply3(turned, x->rotation, R);
  for (int i = 0; i < 3; i++) place[i] = x->from[i] + s * x->way[i];
  if (x->arc) {
    for (int i = 0; i < 3; i++) phi[i] = s * x->axis[i];
    rotation_of_vector(phi, R);
    subtract3(arm, x->from, x->center);
    rotate3(place, R, arm);
    for (int i = 0; i < 3; i++) place[i] += x->center[i];
  }
  memset(tool, 0, 16 * sizeof *tool);
  for (int i = 0; i < 3; i++) {
    memcpy(tool + 4 * i, turned + 3 * i, 3 * sizeof *tool);
    tool[4 * i + 3] = place[i];
  }
  tool[15] = 1;
}

static enum armdyn_status check_start(const struct tool_path *x, struct armdyn_error *error)
{
  const struct armdyn_tool_path_request *r = x->request;
  const double tolerance = r->tolerance == 0 ? TOLERANCE : r->tolerance;
  if (!(tolerance >= 1e-9 && tolerance <= 1))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/tolerance", "must be >= 1e-9 and <= 1, got %g", tolerance);
  for (size_t j = 0; j < x->n; j++) {
    const double *range = armdyn_robot_description(x->robot)->joints[j].limits.position;
    char where[32];
    if (r->start[j] >= range[0] && r->start[j] <= range[1] && fabs(r->start[j]) <= 1e6) continue;
    snprintf(where, sizeof where, "/start/q/%zu", j);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be within the position limits [%g, %g], got %g", range[0],
                         range[1], r->start[j]);
  }
  return ARMDYN_OK;
}

static enum armdyn_status prepare(struct tool_path *x, struct armdyn_error *error)
{
  const struct armdyn_tool_path_request *r = x->request;
  double tool[16], to[3], goal[9], back[9], between[9];
  enum armdyn_status status = check_start(x, error);
  if (status) return status;
  for (int i = 0; r->via && i < 3; i++)
    if (!(fabs(r->via[i]) <= 1e6))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/via", "must be finite, got %g", r->via[i]);
  armdyn_forward_kinematics(x->robot, r->start, x->workspace, tool, NULL);
  for (int i = 0; i < 9; i++) {
    x->rotation[i] = tool[4 * (i / 3) + i % 3];
    goal[i] = r->goal[4 * (i / 3) + i % 3];
    back[i] = tool[4 * (i % 3) + i / 3];
  }
  multiply3(between, back, goal);
  rotation_vector(between, x->turn);
  for (int i = 0; i < 3; i++) x->from[i] = tool[4 * i + 3], to[i] = r->goal[4 * i + 3], x->way[i] = to[i] - x->from[i];
  return r->via ? arc_of(x, to, error) : ARMDYN_OK;
}

/* Positions at one point, near those of the point before. */
static enum armdyn_status follow(const struct tool_path *x, double s, const double *before, double jump, double *q,
                                 struct armdyn_error *error)
{
  struct armdyn_inverse_kinematics_result found;
  double tool[16];
  pose_at(x, s, tool);
  const struct armdyn_inverse_kinematics_request request = { .tool = tool, .seed = before, .task = x->task };
  enum armdyn_status rc = armdyn_inverse_kinematics(x->robot, &request, x->workspace, &found, error);
  if (rc == ARMDYN_EINPUT) return armdyn_refuse(error, rc, "/goal/tool", "is no pose"); /* the start is one */
  if (rc) return rc;
  if (!found.reached)
    return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/goal",
                         "the tool cannot follow the path: at %.4g of it %.3g m and %.3g rad are missing", s,
                         found.branches[0].position, found.branches[0].orientation);
  for (size_t j = 0; j < x->n; j++) {
    q[j] = found.branches[0].q[j];
    if (fabs(q[j] - before[j]) <= jump) continue;
    return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/goal",
                         "at %.4g of the path joint %zu %s would have to jump by %.3g: a singular position is near", s,
                         j + 1, armdyn_robot_description(x->robot)->joints[j].name, q[j] - before[j]);
  }
  return ARMDYN_OK;
}

/* dq/ds at both ends, by differences of fourth order over END_POINTS points. */
static void end_slopes(size_t n, size_t parts, const double *q, double *slopes)
{
  static const double weight[END_POINTS] = { -25.0 / 12, 4, -3, 4.0 / 3, -0.25 };
  memset(slopes, 0, 2 * n * sizeof *slopes);
  for (size_t i = 0; i < END_POINTS; i++)
    for (size_t j = 0; j < n; j++) {
      slopes[j] += weight[i] * (double)parts * q[i * n + j];
      slopes[n + j] -= weight[i] * (double)parts * q[(parts - i) * n + j];
    }
}

/* Largest distance of the spline from the tool path half-way between its points. */
static double deviation_of(const struct tool_path *x, const struct armdyn_trajectory *path)
{
  double worst = 0;
  for (size_t k = 0; k < path->piece_count; k++) {
    const double half = (path->breaks[k + 1] - path->breaks[k]) / 2;
    double q[N], is[16], wanted[16], R[9], back[9], between[9], phi[3], away[3];
    piece_state(path, k, half, q, NULL, NULL, NULL);
    armdyn_forward_kinematics(x->robot, q, x->workspace, is, NULL);
    pose_at(x, path->breaks[k] + half, wanted);
    for (int i = 0; i < 9; i++) R[i] = is[4 * (i / 3) + i % 3], back[i] = wanted[4 * (i % 3) + i / 3];
    multiply3(between, back, R);
    rotation_vector(between, phi);
    for (int i = 0; i < 3; i++) {
      away[i] = x->task >> i & 1 ? is[4 * i + 3] - wanted[4 * i + 3] : 0;
      if (!(x->task >> (3 + i) & 1)) phi[i] = 0;
    }
    worst = fmax(worst, fmax(sqrt(dot3(away, away)), sqrt(dot3(phi, phi))));
  }
  return worst;
}

static enum armdyn_status fit(const struct tool_path *x, size_t parts, struct armdyn_trajectory *path,
                              struct armdyn_error *error)
{
  double *q = malloc((parts + 1) * (x->n + 1) * sizeof *q), slopes[2 * N];
  enum armdyn_status rc = ARMDYN_OK;
  if (!q) return ARMDYN_EMEMORY;
  double *s = q + (parts + 1) * x->n;
  memcpy(q, x->request->start, x->n * sizeof *q);
  for (size_t k = 0; k <= parts; k++) s[k] = (double)k / (double)parts;
  for (size_t k = 1; k <= parts && !rc; k++) rc = follow(x, s[k], q + (k - 1) * x->n, JUMP, q + k * x->n, error);
  if (!rc) {
    end_slopes(x->n, parts, q, slopes);
    rc = joint_path_spline(x->n, parts + 1, s, q, slopes, path);
  }
  free(q);
  return rc;
}

/* Cubics between points that are doubled until they are near enough. */
static enum armdyn_status follow_whole(const struct tool_path *x, struct armdyn_trajectory *path, double *deviation,
                                       struct armdyn_error *error)
{
  const double tolerance = x->request->tolerance == 0 ? TOLERANCE : x->request->tolerance;
  double off = INFINITY;
  for (size_t parts = PARTS_LEAST * x->rounds;; parts *= 2) {
    const enum armdyn_status rc = fit(x, parts, path, error);
    if (rc) return rc;
    off = deviation_of(x, path);
    if (off <= tolerance) break;
    armdyn_trajectory_free(path);
    if (2 * parts <= PARTS_MOST * x->rounds) continue;
    return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/tolerance",
                         "%zu points still leave %.3g m or rad between them: a singular position is near", parts + 1,
                         off);
  }
  /* only the ends are points that somebody asked for */
  path->waypoint_count = 2;
  path->waypoint_times[1] = 1;
  if (deviation) *deviation = off;
  return ARMDYN_OK;
}

static enum armdyn_status path_of(struct tool_path *x,
                                  enum armdyn_status (*ready)(struct tool_path *, struct armdyn_error *),
                                  struct armdyn_trajectory *path, double *deviation, struct armdyn_error *error)
{
  enum armdyn_status rc = ARMDYN_EMEMORY;
  x->n = armdyn_robot_joint_count(x->robot);
  x->task = x->request->task ? x->request->task : ARMDYN_TASK_ALL;
  if ((x->workspace = armdyn_workspace_new(x->n))) rc = ready(x, error);
  if (!rc) rc = follow_whole(x, path, deviation, error);
  armdyn_workspace_free(x->workspace);
  if (rc == ARMDYN_EMEMORY) armdyn_refuse(error, rc, "", "no memory for a path");
  return rc;
}

enum armdyn_status armdyn_path_of_tool(const struct armdyn_robot *robot, const struct armdyn_tool_path_request *request,
                                       struct armdyn_trajectory *path, double *deviation, struct armdyn_error *error)
{
  struct tool_path x = { .robot = robot, .request = request, .rounds = 1 };
  return path_of(&x, prepare, path, deviation, error);
}

/* ---- whole turns */

static enum armdyn_status prepare_circle(struct tool_path *x, struct armdyn_error *error)
{
  const struct armdyn_tool_circle *circle = x->circle;
  double tool[16], arm[3], across[3];
  const double length = sqrt(dot3(circle->normal, circle->normal));
  enum armdyn_status status = check_start(x, error);
  if (status) return status;
  if (!(length > 0 && length <= 1e6))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/normal", "must be finite and not 0, has length %g", length);
  if (!(circle->turns > 0 && circle->turns <= 16))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/turns", "must be > 0 and <= 16, got %g", circle->turns);
  armdyn_forward_kinematics(x->robot, circle->start, x->workspace, tool, NULL);
  for (int i = 0; i < 3; i++) {
    x->from[i] = tool[4 * i + 3], x->center[i] = circle->center[i];
    x->axis[i] = 2 * M_PI * circle->turns * circle->normal[i] / length;
  }
  for (int i = 0; i < 9; i++) x->rotation[i] = tool[4 * (i / 3) + i % 3];
  subtract3(arm, x->from, x->center);
  cross3(across, circle->normal, arm);
  if (!(sqrt(dot3(across, across)) > 1e-6 * length))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/center", "is where the tool starts, or on the axis through it");
  x->arc = true;
  x->rounds = (size_t)ceil(circle->turns);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_path_of_circle(const struct armdyn_robot *robot, const struct armdyn_tool_circle *circle,
                                         struct armdyn_trajectory *path, double *deviation, struct armdyn_error *error)
{
  const struct armdyn_tool_path_request request = { .start = circle->start,
                                                    .task = circle->task,
                                                    .tolerance = circle->tolerance };
  struct tool_path x = { .robot = robot, .request = &request, .circle = circle };
  return path_of(&x, prepare_circle, path, deviation, error);
}
