/* Requests for gravity maps, and their answers. */
#include <criterion/criterion.h>
#include <math.h>

#include "api/codec/gravity_map.h"

static struct faults faults;
static struct armdyn_robot_description robot;
static struct gravity_map_request request;

static enum armdyn_status decode(const char *text)
{
  armdyn_robot_description_init(&robot);
  robot.joint_count = 3;
  for (size_t i = 0; i < 3; i++) {
    armdyn_joint_init(&robot.joints[i]);
    snprintf(robot.joints[i].name, sizeof robot.joints[i].name, "j%zu", i + 1);
  }
  robot.joints[1].limits.position[0] = -1;
  robot.joints[1].limits.position[1] = 2;
  robot.joints[2].type = ARMDYN_PRISMATIC;
  faults.count = 0;
  return gravity_map_decode(text, strlen(text), &robot, &request, &faults);
}

Test(gravity_map, ranges_are_limits_or_a_turn)
{
  cr_assert_eq(decode("{\"joints\":[\"j2\",\"j1\"],\"q\":[0,0,0]}"), ARMDYN_OK);
  cr_assert(request.joints[0] == 1 && request.joints[1] == 0 && request.points[0] == 25 && request.points[1] == 25);
  cr_assert(request.ranges[0] == -1 && request.ranges[1] == 2);
  cr_assert_float_eq(request.ranges[2], -M_PI, 1e-15);
  cr_assert_float_eq(request.ranges[3], M_PI, 1e-15);
  cr_assert_eq(gravity_map_position(&request, 0, 0), -1);
  cr_assert_eq(gravity_map_position(&request, 0, 24), 2);
  cr_assert_float_eq(gravity_map_position(&request, 0, 8), 0, 1e-15);
}

Test(gravity_map, a_slide_without_limits_needs_a_range)
{
  cr_assert_eq(decode("{\"joints\":[\"j3\",\"j1\"],\"q\":[0,0,0]}"), ARMDYN_EINPUT);
  cr_assert(faults.count == 1 && faults.items[0].code == FAULT_REQUIRED);
  cr_assert_str_eq(faults.items[0].where, "/ranges");
  cr_assert_eq(decode("{\"joints\":[\"j3\",\"j1\"],\"q\":[0,0,0],\"ranges\":[[0,0.2],[-1,1]]}"), ARMDYN_OK);
  cr_assert(request.ranges[1] == 0.2 && request.ranges[2] == -1);
}

Test(gravity_map, the_answer_holds_axes_and_surfaces)
{
  cr_assert_eq(decode("{\"joints\":[\"j2\",\"j1\"],\"q\":[0,0,0],\"points\":[2,3],\"ranges\":[[0,1],[-1,1]]}"),
               ARMDYN_OK);
  const double torque[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
  struct buffer out = BUFFER(KB(4));
  gravity_map_encode(&out, &request, &robot, 7, torque);
  cr_assert_str_eq(out.data, "{\"revision\":7,\"joints\":[\"j2\",\"j1\"],\"axes\":[[0,1],[-1,0,1]],"
                             "\"gravity_torque\":[[[1,2,3],[4,5,6]],[[7,8,9],[10,11,12]]]}");
  buffer_release(&out);
}
