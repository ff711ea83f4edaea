/* Joint positions for a pose of the tool, by Levenberg-Marquardt iterations within the position limits: for any arm. */
#ifndef ARMDYN_INVERSE_KINEMATICS_H
#define ARMDYN_INVERSE_KINEMATICS_H

#include "armdyn/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Components of a pose: position in base axes, rotation in the axes of the tool as asked for. Without RZ, say, the tool may
 * turn about its own z axis; arms with fewer than six joints need such a choice, or get the nearest pose by least squares. */
enum {
  ARMDYN_TASK_X = 1,
  ARMDYN_TASK_Y = 2,
  ARMDYN_TASK_Z = 4,
  ARMDYN_TASK_RX = 8,
  ARMDYN_TASK_RY = 16,
  ARMDYN_TASK_RZ = 32,
  ARMDYN_TASK_ALL = 63
};

/* A pose as a matrix.
 *   tool  out  4 x 4 homogeneous */
void armdyn_pose_matrix(const struct armdyn_pose *pose, double tool[16]);
/* The other way, to rounding, also at the gimbal lock (pitch +-pi/2), where one of the many pairs of roll and yaw is told.
 *   tool  in   4 x 4 homogeneous
 *   pose  out  pitch within [-pi/2, pi/2], roll and yaw within [-pi, pi] */
void armdyn_matrix_pose(const double tool[16], struct armdyn_pose *pose);

struct armdyn_inverse_kinematics_request {
  const double *tool; /* 16: the pose asked for, 4 x 4 homogeneous, in the base frame */
  const double *seed; /* n: where to start from, and what to be near to; outside the limits it is moved to them */
  unsigned task;      /* components that count, ARMDYN_TASK_...; 0 = all */
  size_t starts;      /* random positions to look for other branches from, 0 to 1000; 0: only from the seed */
  unsigned long random_seed; /* of these: same seed, same answer */
};

/* Positions, and what they leave of the components that count. */
struct armdyn_branch {
  double q[ARMDYN_JOINTS_MAX];
  double position;    /* m: distance */
  double orientation; /* rad: angle */
};

enum { ARMDYN_BRANCHES_MAX = 16 };

struct armdyn_inverse_kinematics_result {
  bool reached;   /* to 1e-9 m and 1e-9 rad; else there is one branch: the nearest pose that was found */
  size_t freedom; /* ways in which the joints can move there without moving those components: 0, or many more positions
                     than can be listed serve as well, and only one branch is told */
  size_t branch_count;
  struct armdyn_branch
      branches[ARMDYN_BRANCHES_MAX]; /* different to more than whole turns; nearest to the seed first */
};

/* Find joint positions within the robot's position limits.
 *   request  in
 *   result   out
 *   error    out
 * OK, also when the pose is not reached; EINPUT for a pose that is none ("/tool"), numbers that are not finite, and options
 * out of range. No allocation. A few microseconds an iteration, some tens of iterations a start; positions that do not
 * reach take the most.
 * Where no pose is reached a metre weighs as much as a radian.
 * Source: Sugihara 2011 for the damping by the remaining error; More 1978. */
enum armdyn_status armdyn_inverse_kinematics(const struct armdyn_robot *robot,
                                             const struct armdyn_inverse_kinematics_request *request,
                                             struct armdyn_workspace *workspace,
                                             struct armdyn_inverse_kinematics_result *result,
                                             struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
