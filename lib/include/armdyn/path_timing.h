/* When the path is given and only its timing is free: the shortest motion along it, or the one that costs least.
 *
 * With s the parameter of the path and b = (ds/dt)^2, torques, accelerations and squared velocities are linear in b and
 * db/ds, and time and torque cost are convex: what is found is the global optimum of the discretised problem, and `gap` is
 * the proof. Source: Verscheure et al. 2009. */
#ifndef ARMDYN_PATH_TIMING_H
#define ARMDYN_PATH_TIMING_H

#include "armdyn/inverse_kinematics.h"
#include "armdyn/trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A path is a struct armdyn_trajectory whose "time" is a parameter s that means nothing: piecewise cubics q(s) with
 * continuous first and second derivatives, and in waypoint_times the s of its points. Release with armdyn_trajectory_free.
 */

/* The natural cubic spline through points in joint space, s by the square root of the distances (Lee 1989); two points make
 * a straight line.
 *   points  in   count x joints, rad (m); count >= 2, no two equal in succession
 *   path    out
 * OK, EINPUT ("/waypoints/0/q", "/goal/q", ...), EMEMORY. */
enum armdyn_status armdyn_path_through(size_t joints, size_t count, const double *points,
                                       struct armdyn_trajectory *path, struct armdyn_error *error);

/* A straight line or a circular arc of the tool, turning evenly from the first orientation to the last one. */
struct armdyn_tool_path_request {
  const double *start; /* n: positions at its start, which choose the branch of the whole path */
  const double *goal;  /* 16: pose at its end, base frame */
  const double *via;   /* 3: a point on the arc, m; NULL = a straight line */
  unsigned task;       /* components that count (armdyn/inverse_kinematics.h); 0 = all */
  double tolerance;    /* of the path between the computed points, m and rad, 1e-9 to 1; 0 = 1e-5 */
};

/* Find the joint path of a tool path, by inverse kinematics at points that are doubled (33 to 1025) until the cubics between
 * them keep the tolerance, and fit cubics.
 *   path       out
 *   deviation  out  largest distance from the tool path half-way between points, m or rad; NULL = not wanted
 * OK; EINPUT ("/start/q", "/goal/tool", "/via"); EINFEASIBLE where a pose cannot be reached within the position limits, or
 * the joints would have to jump (singular positions); EMEMORY. */
enum armdyn_status armdyn_path_of_tool(const struct armdyn_robot *robot, const struct armdyn_tool_path_request *request,
                                       struct armdyn_trajectory *path, double *deviation, struct armdyn_error *error);

/* A circle of the tool that begins where the arm is, the orientation the same all the way. */
struct armdyn_tool_circle {
  const double *start;  /* n: positions, which choose the branch of the whole path */
  const double *center; /* 3: m, of the base; what it is off the circle's plane does not count */
  const double *normal; /* 3: of the plane, along which it turns by the right hand; any length but 0 */
  double turns;         /* > 0, at most 16 */
  unsigned task;        /* as of armdyn_tool_path_request; the turns about axes that do not count are free */
  double tolerance;     /* likewise */
};
/* As armdyn_path_of_tool, whose parameter is the part of the turns made. Also EINPUT for "/center" on the axis of the start,
 * "/normal" and "/turns". */
enum armdyn_status armdyn_path_of_circle(const struct armdyn_robot *robot, const struct armdyn_tool_circle *circle,
                                         struct armdyn_trajectory *path, double *deviation, struct armdyn_error *error);

/* The highest speed of the tool's origin along any motion, by a dense search.
 *   speed  out  m/s
 *   time   out  s, when; NULL = not wanted
 * OK or EMEMORY. */
enum armdyn_status armdyn_trajectory_tool_speed(const struct armdyn_robot *robot,
                                                const struct armdyn_trajectory *trajectory, double *speed,
                                                double *time);

/* Likewise the largest acceleration of the tool's origin, gravity not in it.
 *   most  out  m/s^2
 *   time  out  s, when; NULL = not wanted
 * OK or EMEMORY. */
enum armdyn_status armdyn_trajectory_tool_acceleration(const struct armdyn_robot *robot,
                                                       const struct armdyn_trajectory *trajectory, double *most,
                                                       double *time);

/* Minimise torque_price times the integral of sum R_j tau_j^2, plus time_price times the duration, from rest to rest. */
struct armdyn_path_timing_request {
  const struct armdyn_trajectory *path;
  const struct armdyn_limits *limits; /* n; NULL = the robot's own. Limits of jerk and torque rate are EINPUT: the
                                         acceleration along the path is a step function */
  double torque_price;                /* >= 0; 0 asks for the shortest motion */
  double time_price;                  /* >= 0, of every second */
  const double *weights;              /* n, R_j > 0; NULL = 1 / torque limit_j^2, or 1 where there is none */
  double duration;                    /* s: the longest that it may take; NAN = free. The optimum may take less */
  size_t intervals;                   /* at least so many constant accelerations along the path, 8 to 4000 */
  double tool_speed;                  /* m/s: most of the tool's origin, > 0; 0 = not limited */
};

struct armdyn_path_timing_result {
  double cost;      /* of the motion, by fine quadrature */
  double duration;  /* s */
  double shortest;  /* s: the shortest duration along this path; NAN where nothing limits the speed */
  double gap;       /* the cost on the mesh is at most this part of itself above the global optimum of the mesh */
  double violation; /* worst usage of a limit anywhere beyond 1, the tool's speed included; at most 1e-3 */
  size_t intervals; /* after refinement */
  size_t iterations;
  bool
      tightened; /* limits were taken a little smaller than they are, so that none is exceeded between points: the gap is
                     that of these limits */
  bool convex; /* false: the model has friction that changes with the speed; it was held at the speeds found until these
                  no longer changed, and the gap is for friction as it is there */
};

/* Time a path.
 *   out     out  piecewise polynomials of twice the path's degree, exactly on the path; waypoint_times are when its points
 *                are passed. Release with armdyn_trajectory_free; nothing to release after a refusal
 *   margin  out  ARMDYN_LIMIT_KINDS x n as in armdyn_profile_plan; NULL = not wanted
 *   result  out
 *   go      in   called at every iteration with `context`; NULL = always on. Being asked to finish is being cancelled
 * OK; EINPUT; EINFEASIBLE (the message names joint and place: a torque that cannot hold the arm there, a position limit, or
 * that the duration is below the shortest one); ECANCELLED; EMEMORY; EUNAVAILABLE when friction keeps changing the answer,
 * or the limits are exceeded between the points of the finest mesh.
 * Allocates. Linear in the number of intervals. */
enum armdyn_status armdyn_path_timing(const struct armdyn_robot *robot,
                                      const struct armdyn_path_timing_request *request, struct armdyn_trajectory *out,
                                      struct armdyn_margin *margin, struct armdyn_path_timing_result *result,
                                      enum armdyn_go (*go)(void *context), void *context, struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
