/* Motions that are known before the search, or for nothing: the classic profiles through the same points in the same time, as
 * far as they keep the limits, and where the cost has kinks the motion of least torque. They are starts then, and no
 * answer is dearer than they. */
#include <math.h>

#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/tool_speed.h"

enum { N = ARMDYN_JOINTS_MAX };

/* From rest to rest, and from rest without acceleration where that is asked for. */
static bool is_rival(const struct planner *p, enum armdyn_profile profile)
{
  const struct armdyn_optimal_request *r = p->request;
  if (r->start_velocity || r->goal_velocity || r->start_acceleration || r->goal_acceleration) return false;
  return profile == ARMDYN_QUINTIC || !r->zero_boundary_acceleration;
}

static enum armdyn_status stays_clear(const struct planner *p, const struct armdyn_trajectory *motion, bool *clear)
{
  struct clearance_check check;
  *clear = true;
  if (!p->obstacles) return ARMDYN_OK;
  const enum armdyn_status rc = obstacles_check(p->obstacles, motion, &check);
  *clear = !rc && check.missing <= 0;
  return rc;
}

/* Through the points, at the times that are given. */
static bool passes_points(const struct planner *p, const struct armdyn_trajectory *motion)
{
  const struct armdyn_optimal_request *r = p->request;
  double q[N];
  for (size_t k = 0; k < r->waypoint_count; k++) {
    const double at = motion->waypoint_times[k + 1];
    if (r->waypoint_times && fabs(at - r->waypoint_times[k]) > MISS_MOST) return false;
    armdyn_trajectory_state(motion, at, q, NULL, NULL, NULL);
    for (size_t j = 0; j < motion->joint_count; j++)
      if (fabs(q[j] - r->waypoints[k * motion->joint_count + j]) > MISS_MOST) return false;
  }
  return true;
}

static bool keeps_limits(struct planner *p, const struct armdyn_trajectory *motion)
{
  const struct check check = { p->robot, p->limits, p->workspace };
  const double most = p->request->tool_speed;
  double ignored;
  return check_holds(&check, motion) &&
         !(most > 0 && tool_speed_most(p->robot, motion, p->workspace, &ignored) > USAGE_MOST * most);
}

/* The motion that was given, where it is one of those that are asked for, and cheaper: that is sooner known than whether it
 * keeps the limits. */
static enum armdyn_status given_add(struct planner *p, double below, struct rivals *out)
{
  struct candidate given = { 0 };
  double terms[ARMDYN_COST_TERMS_MAX];
  bool clear = true;
  if (!p->request->guess || p->free_duration || p->ends[0].given > 2 || p->ends[1].given > 2) return ARMDYN_OK;
  enum armdyn_status rc = guess_start(p, 0, &given);
  if (rc) return rc;
  const struct armdyn_trajectory *motion = &given.trajectory;
  const bool timely = fabs(armdyn_trajectory_duration(motion) - p->request->duration) <= MISS_MOST;
  const bool wanted = timely && cost_of_motion(&p->cost, motion, p->workspace, terms) < below;
  const bool one = wanted && passes_points(p, motion) && keeps_limits(p, motion);
  if (one) rc = stays_clear(p, motion, &clear);
  if (one && clear) {
    out->list[out->count++] = (struct rival){ "motion that was given", given.trajectory };
    given.trajectory = (struct armdyn_trajectory){ 0 };
  }
  candidate_free(&given);
  return rc;
}

enum armdyn_status rivals_plan(struct planner *p, const double *times, double below, struct rivals *out)
{
  const struct armdyn_optimal_request *r = p->request;
  const size_t n = armdyn_robot_joint_count(p->robot), count = r->waypoint_count + 2;
  double *points = malloc(count * n * sizeof *points);
  *out = (struct rivals){ 0 };
  if (!points) return ARMDYN_EMEMORY;
  memcpy(points, r->start, n * sizeof *points);
  if (r->waypoint_count > 0) memcpy(points + n, r->waypoints, r->waypoint_count * n * sizeof *points);
  memcpy(points + (count - 1) * n, r->goal, n * sizeof *points);
  enum armdyn_status rc = ARMDYN_OK;
  for (int k = 0; k < ARMDYN_PROFILE_COUNT && rc != ARMDYN_EMEMORY; k++) {
    struct rival *rival = &out->list[out->count];
    const struct armdyn_profile_request request = { .profile = (enum armdyn_profile)k,
                                                    .point_count = count,
                                                    .points = points,
                                                    .times = times,
                                                    .duration = times[count - 1],
                                                    .limits = p->limits,
                                                    .tool_speed = r->tool_speed };
    if (!is_rival(p, request.profile)) continue;
    rival->name = armdyn_profile_name(request.profile);
    rc = armdyn_profile_plan(p->robot, &request, &rival->motion, NULL, NULL, NULL, NULL, NULL);
    if (rc) continue;
    bool clear;
    rc = stays_clear(p, &rival->motion, &clear);
    if (clear)
      out->count++;
    else
      armdyn_trajectory_free(&rival->motion);
  }
  free(points);
  if (rc != ARMDYN_EMEMORY && below > 0 && p->torque.breaks) {
    rc = trajectory_copy(&p->torque, &out->list[out->count].motion);
    out->list[out->count].name = "motion of least torque";
    out->count += rc == ARMDYN_OK;
  }
  if (rc != ARMDYN_EMEMORY && below > 0) rc = given_add(p, below, out);
  return rc == ARMDYN_EMEMORY ? rc : ARMDYN_OK;
}

void rivals_free(struct rivals *rivals)
{
  for (size_t k = 0; k < rivals->count; k++) armdyn_trajectory_free(&rivals->list[k].motion);
  rivals->count = 0;
}

const struct rival *rivals_cheapest(struct planner *p, const struct rivals *rivals, double *cost)
{
  const struct rival *cheapest = NULL;
  double terms[ARMDYN_COST_TERMS_MAX];
  for (size_t k = 0; k < rivals->count; k++) {
    const double its = cost_of_motion(&p->cost, &rivals->list[k].motion, p->workspace, terms);
    if (cheapest && !(its < *cost)) continue;
    cheapest = &rivals->list[k];
    *cost = its;
  }
  return cheapest;
}
