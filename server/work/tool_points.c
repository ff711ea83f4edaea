/* Points and paths that a request gives by the tool, as those of the joints. */
#include <math.h>
#include <stdlib.h>

#include "armdyn/path_timing.h"
#include "server/work/plan.h"

enum { STARTS = 60, SEED = 1 }; /* of the search for other branches */

/* The robot with the position limits in force, which kinematics looks at. */
static enum armdyn_status robot_within(const struct plan *p, struct armdyn_robot **robot)
{
  struct armdyn_robot_description *description = malloc(sizeof *description);
  if (!description) return ARMDYN_EMEMORY;
  *description = *p->work->robot;
  for (size_t j = 0; j < p->n; j++) description->joints[j].limits = p->limits[j];
  enum armdyn_status status = armdyn_robot_new(description, robot, NULL);
  free(description);
  return status;
}

/* Point k of start, waypoints and goal. */
static const struct trajectory_point *point_of(const struct plan *p, size_t k)
{
  return k == 0 ? &p->request.start : k + 1 < p->point_count ? &p->request.waypoints[k - 1] : &p->request.goal;
}

/* "/waypoints/k/..." or "/goal/..." */
static void point_pointer(const struct plan *p, size_t k, const char *member, char *out, size_t size)
{
  if (k + 1 < p->point_count)
    snprintf(out, size, "/waypoints/%zu/%s", k - 1, member);
  else
    snprintf(out, size, "/goal/%s", member);
}

static enum armdyn_status unreachable(struct plan *p, size_t k, const struct armdyn_branch *nearest,
                                      struct armdyn_error *error)
{
  char where[64];
  point_pointer(p, k, "tool", where, sizeof where);
  p->unreachable = true;
  return armdyn_refuse(error, ARMDYN_EINFEASIBLE, where,
                       "no positions within the limits put the tool there: %.3g m and %.3g rad are missing at the "
                       "nearest pose that was found",
                       nearest->position, nearest->orientation);
}

static enum armdyn_status find_point(struct plan *p, const struct armdyn_robot *within, size_t k,
                                     struct armdyn_workspace *workspace, struct armdyn_error *error)
{
  const struct trajectory_point *point = point_of(p, k);
  struct armdyn_inverse_kinematics_result found;
  double tool[16];
  char sentence[96];
  snprintf(sentence, sizeof sentence, "looking for positions of the joints: point %zu of %zu", k + 1, p->point_count);
  work_progress(p->work, 0, sentence);
  armdyn_pose_matrix(&point->tool.pose, tool);
  const struct armdyn_inverse_kinematics_request request = {
    .tool = tool, .seed = p->points + (k - 1) * p->n, .task = point->task, .starts = STARTS, .random_seed = SEED
  };
  enum armdyn_status status = armdyn_inverse_kinematics(within, &request, workspace, &found, error);
  if (status) return status;
  if (!found.reached) return unreachable(p, k, &found.branches[0], error);
  memcpy(p->points + k * p->n, found.branches[0].q, p->n * sizeof *p->points);
  return ARMDYN_OK;
}

enum armdyn_status tool_points_find(struct plan *p, struct armdyn_error *error)
{
  size_t first = 1;
  while (first < p->point_count && !point_of(p, first)->by_tool) first++;
  if (first == p->point_count) return ARMDYN_OK;
  struct armdyn_robot *within = NULL;
  struct armdyn_workspace *workspace = armdyn_workspace_new(p->n);
  enum armdyn_status status = workspace ? robot_within(p, &within) : ARMDYN_EMEMORY;
  for (size_t k = first; k < p->point_count && !status; k++)
    if (point_of(p, k)->by_tool) status = find_point(p, within, k, workspace, error);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(within);
  return status;
}

/* -- paths -- */

/* The library's words for places of its request, as those of ours. */
static void translate(struct armdyn_error *error)
{
  static const struct {
    const char *theirs, *ours;
  } places[] = { { "/via", "/waypoints/0/tool" }, { "/goal", "/goal/tool" }, { "/tolerance", "/path_tolerance" } };
  for (size_t i = 0; error && i < sizeof places / sizeof *places; i++)
    if (strcmp(error->pointer, places[i].theirs) == 0)
      snprintf(error->pointer, sizeof error->pointer, "%s", places[i].ours);
}

enum armdyn_status joint_path_find(struct plan *p, struct armdyn_error *error)
{
  enum armdyn_status status = armdyn_path_through(p->n, p->point_count, p->points, &p->path, error);
  for (size_t k = 1; status && k < p->point_count; k++) {
    char where[64];
    point_pointer(p, k, "q", where, sizeof where);
    if (!point_of(p, k)->by_tool || strcmp(error->pointer, where) != 0) continue;
    point_pointer(p, k, "tool", error->pointer, sizeof error->pointer);
    break;
  }
  return status;
}

enum armdyn_status tool_path_find(struct plan *p, struct armdyn_error *error)
{
  const struct trajectory_request *asked = &p->request;
  struct armdyn_robot *within = NULL;
  double goal[16];
  armdyn_pose_matrix(&asked->goal.tool.pose, goal);
  const struct armdyn_tool_path_request request = {
    .start = p->points,
    .goal = goal,
    .via = asked->path == TRAJECTORY_PATH_ARC ? asked->waypoints[0].tool.pose.translation : NULL,
    .task = asked->goal.task,
    .tolerance = isnan(asked->path_tolerance) ? 0 : asked->path_tolerance,
  };
  work_progress(p->work, 0, "looking for positions of the joints along the path");
  enum armdyn_status status = robot_within(p, &within);
  if (!status) status = armdyn_path_of_tool(within, &request, &p->path, NULL, error);
  if (!status) { /* a point of an arc is none of the motion's */
    p->point_count = 2;
    armdyn_trajectory_state(&p->path, armdyn_trajectory_duration(&p->path), p->points + p->n, NULL, NULL, NULL);
  }
  p->unreachable = status == ARMDYN_EINFEASIBLE;
  translate(error);
  armdyn_robot_free(within);
  return status;
}
