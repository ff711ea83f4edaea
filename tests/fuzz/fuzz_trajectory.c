/* Requests for trajectories: refusals have reasons; what is accepted is accepted again with another duration and free
 * passing times, and asks for limits that are some. */
#include "api/codec/trajectory.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct faults faults;
  static struct armdyn_robot_description robot;
  static struct trajectory_request request;
  struct buffer again = BUFFER(MB(4));
  struct armdyn_limits limits[2];
  char *bytes = copy_of(data, size);
  faults.count = 0;
  armdyn_robot_description_init(&robot);
  robot.joint_count = 2;
  for (size_t j = 0; j < 2; j++) {
    armdyn_joint_init(&robot.joints[j]);
    robot.joints[j].limits = (struct armdyn_limits){ { -2, 3 }, 1.5, 4, 50, 20, 500 };
  }
  enum armdyn_status status = trajectory_request_decode(bytes, size, &robot, &request, &faults);
  require_reason(status, &faults);
  if (!status) {
    requested_limits_in_force(&request.limits, &robot, limits);
    for (size_t j = 0; j < 2; j++) {
      REQUIRE(limits[j].position[0] < limits[j].position[1] && limits[j].velocity > 0 && limits[j].torque_rate > 0);
      REQUIRE(request.start.q[j] >= limits[j].position[0] && request.start.q[j] <= limits[j].position[1]);
    }
    const bool sampled = request.method == TRAJECTORY_SAMPLES; /* which have their duration */
    trajectory_request_release(&request);
    if (sampled) goto out;
    trajectory_request_rewrite(bytes, size, 4, 0, NAN, &again);
    REQUIRE(buffer_ok(&again));
    REQUIRE(trajectory_request_decode(again.data, again.length, &robot, &request, &faults) == ARMDYN_OK);
    REQUIRE(request.duration == 4);
    for (size_t i = 0; i < request.waypoint_count; i++) REQUIRE(isnan(request.waypoints[i].time));
    trajectory_request_release(&request);
  }
out:
  buffer_release(&again);
  free(bytes);
  return 0;
}
