/* The planning of one trajectory job: what all methods share, and how each finds its motion. */
#ifndef SERVER_WORK_PLAN_H
#define SERVER_WORK_PLAN_H

#include "api/codec/trajectory.h"
#include "server/work/surrounded.h"
#include "server/work/work.h"

/* Everything that one job needs, so that one exit releases it. */
struct plan {
  struct work *work;
  struct trajectory_request request;
  size_t n, point_count;
  double *points, *times; /* point_count; times NAN = free */
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  struct armdyn_robot *robot;
  struct armdyn_trajectory path; /* of path_timing, once it is known: its "time" means nothing */
  bool unreachable;              /* a pose of the tool, or past what is in the way: no duration helps */

  /* what is found */
  struct armdyn_trajectory trajectory;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  double minimum_duration;
  struct trajectory_fit fit;       /* of samples */
  struct shaping shaping;          /* where it was asked for */
  struct trajectory_search search; /* of motions that were looked for */
  struct armdyn_motion_energy energy;
  struct armdyn_electrical_model drives; /* what becomes of what they brake */
  struct armdyn_energy_bound bound;      /* of any motion in its place */
  bool has_drives;                       /* the robot tells enough of them */
  struct armdyn_electrical_energy electrical;
  struct tool_peak tool_speed, tool_acceleration;
  struct surrounded surrounded;
  bool stepping[ARMDYN_JOINTS_MAX]; /* from one sample to the next beyond the limit of the torque rate */

  /* of the search while it runs */
  int64_t deadline_ns;
  bool cut; /* a first search was ended by it, and what would work is looked for */
  size_t iterations;
};

/* May the search go on? */
bool plan_in_time(const struct plan *p);

/* Find a motion of this duration (NAN = free), with passing times multiplied by time_scale (0: they become free), until
 * p->deadline_ns.
 *   out      out  release with armdyn_trajectory_free unless refused
 *   margin   out  after EINFEASIBLE too
 *   minimum  out  s, the smallest duration that works, NAN = none or not known; NULL = a trial, whether there is a motion; of a
 *                 free duration the quickest
 * OK, EINPUT, EINFEASIBLE, EUNAVAILABLE (the time was over first), EMEMORY. */
typedef enum armdyn_status plan_function(struct plan *p, double duration, double time_scale,
                                         struct armdyn_trajectory *out, struct armdyn_margin *margin, double *minimum,
                                         struct armdyn_error *error);
plan_function profile_find, optimal_find, timing_find, samples_find, sequence_find;

/* Does a motion that was given exceed a limit beyond rounding? Its margins too.
 *   most   out  the limit that it exceeds most; NULL: none
 *   speed  out  m/s, of the tool where it is beyond tool_speed_max; 0: nowhere
 *   when   out  s, of that speed
 * OK, EMEMORY. */
enum armdyn_status plan_excess(const struct plan *p, const struct armdyn_trajectory *motion,
                               struct armdyn_margin *margin, const struct armdyn_margin **most, double *speed,
                               double *when);

/* p->bound of a sequence: the sum over its steps. OK, EINPUT, EMEMORY. */
enum armdyn_status sequence_bound(struct plan *p);

/* Joint positions of the points that are given by the tool, each by the branch that is nearest to the point before, within
 * the limits in force.
 * OK; EINFEASIBLE where one cannot be reached ("/waypoints/0/tool", "/goal/tool"), which p->unreachable then tells too;
 * EMEMORY. */
enum armdyn_status tool_points_find(struct plan *p, struct armdyn_error *error);

/* p->path: the spline through the points. OK; EINPUT (two that are the same); EMEMORY. */
enum armdyn_status joint_path_find(struct plan *p, struct armdyn_error *error);

/* p->path: a straight line or a circular arc of the tool, and the joint positions of its goal.
 * As above; also EINPUT ("/waypoints/0/tool" in line with start and goal). */
enum armdyn_status tool_path_find(struct plan *p, struct armdyn_error *error);

/* The passing times of the points, multiplied as above; free() them. NULL: out of memory. */
double *plan_times(const struct plan *p, double time_scale);

/* What the present p->trajectory costs, as p->search tells it. OK, EMEMORY. */
enum armdyn_status optimal_cost(struct plan *p);

/* Plan the profiles that p->search compares with, by the time of p->trajectory. OK or EMEMORY. */
enum armdyn_status optimal_compare(struct plan *p);

#endif
