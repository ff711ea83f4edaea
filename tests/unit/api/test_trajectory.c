#include "api/codec/trajectory.h"

#include <criterion/criterion.h>

#include "armdyn/inverse_kinematics.h"

static struct armdyn_robot_description robot;
static struct trajectory_request request;
static struct faults faults;

/* Two joints; the second one has no jerk limit, and no torque rate limit. */
static void two_joints(void)
{
  armdyn_robot_description_init(&robot);
  robot.joint_count = 2;
  for (size_t j = 0; j < 2; j++) {
    armdyn_joint_init(&robot.joints[j]);
    snprintf(robot.joints[j].name, sizeof robot.joints[j].name, "j%zu", j + 1);
    robot.joints[j].limits =
        (struct armdyn_limits){ { -2, 3 }, 1.5, 4, j ? INFINITY : 50, 20 + (double)j, j ? INFINITY : 500 };
  }
  faults.count = 0;
}

static enum armdyn_status decode(const char *text)
{
  return trajectory_request_decode(text, strlen(text), &robot, &request, &faults);
}

Test(trajectory_request, has_the_defaults_of_the_contract, .init = two_joints)
{
  cr_assert_eq(decode("{\"method\":\"cubic\",\"start\":{\"q\":[0,1]},\"goal\":{\"q\":[1,-2]}}"), ARMDYN_OK);
  cr_assert_str_eq(trajectory_method_name(request.method), "cubic");
  cr_assert_eq(request.start.q[1], 1);
  cr_assert_eq(request.goal.q[1], -2);
  cr_assert(isnan(request.duration));
  cr_assert_eq(request.sample_rate, 1000);
  cr_assert_eq(request.waypoint_count, 0);
  struct armdyn_limits limits[2];
  requested_limits_in_force(&request.limits, &robot, limits);
  for (size_t j = 0; j < 2; j++) cr_assert_eq(memcmp(&limits[j], &robot.joints[j].limits, sizeof *limits), 0);
  struct trajectory_blocker blockers[ARMDYN_LIMIT_KINDS * 2];
  cr_assert_eq(requested_limits_blockers(&request.limits, &robot, blockers), 0);
  trajectory_request_release(&request);
}

Test(trajectory_request, is_energy_optimal_unless_it_says_otherwise, .init = two_joints)
{
  cr_assert_eq(decode("{\"start\":{\"q\":[0,1]},\"goal\":{\"q\":[1,-2]},\"duration\":0.6}"), ARMDYN_OK);
  cr_assert_str_eq(trajectory_method_name(request.method), "energy_optimal");
  cr_assert(request.intervals == 100 && request.multistart == 4 && request.seed == 1 && request.deadline == 10);
  cr_assert(!request.zero_boundary_acceleration && !request.seed_trajectory[0] && !request.cost.weighted);
  trajectory_request_release(&request);
  cr_assert_eq(
      decode("{\"start\":{\"q\":[0,1]},\"goal\":{\"q\":[1,-2]},\"duration\":0.6,\"intervals\":8,\"multistart\":64,"
             "\"seed\":9007199254740991,\"deadline\":0.5,\"zero_boundary_acceleration\":true,\"durations\":[2,0.5],"
             "\"seed_trajectory\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"cost\":{\"model\":\"torque\",\"weights\":[3,4]}}"),
      ARMDYN_OK);
  cr_assert(request.intervals == 8 && request.multistart == 64 && request.seed == 9007199254740991);
  cr_assert(request.deadline == 0.5 && request.zero_boundary_acceleration);
  cr_assert(request.duration_count == 2 && request.durations[0] == 2 && request.durations[1] == 0.5);
  cr_assert(request.cost.weighted && request.cost.weights[1] == 4);
  cr_assert_str_eq(request.seed_trajectory, "01ARZ3NDEKTSV4RRFFQ69G5FAV");
  trajectory_request_release(&request);
}

Test(trajectory_request, takes_points_by_the_tool, .init = two_joints)
{
  cr_assert_eq(
      decode(
          "{\"method\":\"path_timing\",\"path\":\"arc\",\"tool_speed_max\":0.5,\"duration\":1,\"start\":{\"q\":[0,1]},"
          "\"waypoints\":[{\"tool\":{\"translation\":[1,2,3]},\"task\":[\"z\",\"x\",\"y\"]}],"
          "\"goal\":{\"q\":null,\"tool\":{\"translation\":[4,5,6],\"rpy\":[0.1,0.2,0.3]}}}"),
      ARMDYN_OK);
  const struct trajectory_point *via = request.waypoints, *goal = &request.goal;
  cr_assert(request.path == TRAJECTORY_PATH_ARC && request.tool_speed_max == 0.5 && isnan(request.path_tolerance));
  cr_assert(!request.start.by_tool && via->by_tool && goal->by_tool);
  cr_assert(via->task == (ARMDYN_TASK_X | ARMDYN_TASK_Y | ARMDYN_TASK_Z) && goal->task == ARMDYN_TASK_ALL);
  cr_assert(via->tool.pose.translation[2] == 3 && goal->tool.pose.translation[0] == 4);
  cr_assert(goal->tool.pose.rpy[1] == 0.2 && via->tool.pose.rpy[1] == 0);
  trajectory_request_release(&request);
}

Test(trajectory_request, overrides_removes_and_keeps_limits, .init = two_joints)
{
  cr_assert_eq(decode("{\"method\":\"quintic\",\"start\":{\"q\":[0,1]},\"goal\":{\"q\":[1,-2]},\"duration\":1,"
                      "\"limits\":{\"position\":[[-1,2],null],\"velocity\":[1,2],\"jerk\":null,\"torque\":[20,null]}}"),
               ARMDYN_OK);
  struct armdyn_limits limits[2];
  requested_limits_in_force(&request.limits, &robot, limits);
  cr_assert_eq(limits[0].position[0], -1);
  cr_assert_eq(limits[0].position[1], 2);
  cr_assert_eq(limits[1].position[0], -INFINITY);
  cr_assert_eq(limits[1].position[1], INFINITY);
  cr_assert_eq(limits[0].velocity, 1);
  cr_assert_eq(limits[1].velocity, 2);
  cr_assert_eq(limits[1].acceleration, 4);
  cr_assert_eq(limits[0].jerk, INFINITY);
  cr_assert_eq(limits[0].torque, 20);
  cr_assert_eq(limits[1].torque, INFINITY);
  cr_assert_eq(limits[0].torque_rate, 500);
  cr_assert_not(trajectory_limited(&limits[0], ARMDYN_LIMIT_JERK));
  cr_assert(trajectory_limited(&limits[0], ARMDYN_LIMIT_POSITION));

  /* The second joint never had a jerk limit: nothing of it was removed. A stricter limit blocks nothing. */
  static const struct trajectory_blocker expected[] = {
    { "limit_removed", ARMDYN_LIMIT_JERK, 0 },
    { "limit_removed", ARMDYN_LIMIT_POSITION, 1 },
    { "limit_raised", ARMDYN_LIMIT_VELOCITY, 1 },
    { "limit_removed", ARMDYN_LIMIT_TORQUE, 1 },
  };
  struct trajectory_blocker blockers[ARMDYN_LIMIT_KINDS * 2];
  cr_assert_eq(requested_limits_blockers(&request.limits, &robot, blockers), 4);
  for (size_t i = 0; i < 4; i++) {
    cr_assert_str_eq(blockers[i].code, expected[i].code);
    cr_assert_eq(blockers[i].limit, expected[i].limit);
    cr_assert_eq(blockers[i].joint, expected[i].joint);
  }
  trajectory_request_release(&request);
}

#define OPTIMAL "\"start\":{\"q\":[0,0]},\"goal\":{\"q\":[1,1]}"
#define REST    "\"method\":\"quintic\",\"start\":{\"q\":[0,0]},\"goal\":{\"q\":[1,1]}"

static const struct {
  const char *text;
  enum armdyn_status status;
  const char *pointer;
  enum fault_code code;
  size_t count;
} bad[] = {
  { "", ARMDYN_ESYNTAX, "", FAULT_SYNTAX, 1 },
  { "{" REST ",}", ARMDYN_ESYNTAX, NULL, FAULT_SYNTAX, 1 },
  { "{" REST ",\"duration\":1e999}", ARMDYN_ESYNTAX, NULL, FAULT_SYNTAX, 1 },
  { "[]", ARMDYN_EINPUT, "", FAULT_TYPE, 1 },
  { "{}", ARMDYN_EINPUT, "/start", FAULT_REQUIRED, 2 },
  { "{" REST ",\"costs\":{}}", ARMDYN_EINPUT, "/costs", FAULT_UNKNOWN, 1 },
  { "{" REST ",\"cost\":{}}", ARMDYN_EINPUT, "/cost", FAULT_INCONSISTENT, 1 },
  { "{" REST ",\"seed_trajectory\":null,\"seed\":1,\"intervals\":50}", ARMDYN_EINPUT, "/intervals", FAULT_INCONSISTENT,
    2 },
  { "{" REST ",\"method\":\"quintic\"}", ARMDYN_EINPUT, "/method", FAULT_DUPLICATE, 1 },
  { "{\"method\":\"energy\",\"start\":{\"q\":[0,0]},\"goal\":{\"q\":[1,1]}}", ARMDYN_EINPUT, "/method", FAULT_ENUM, 1 },
  { "{" OPTIMAL "}", ARMDYN_EINPUT, "/duration", FAULT_REQUIRED, 1 },
  { "{" OPTIMAL ",\"duration\":null}", ARMDYN_EINPUT, "/duration", FAULT_REQUIRED, 1 },
  { "{" OPTIMAL ",\"duration\":0.0009}", ARMDYN_EINPUT, "/duration", FAULT_MINIMUM, 1 },
  { "{" OPTIMAL ",\"duration\":1001}", ARMDYN_EINPUT, "/duration", FAULT_MAXIMUM, 1 },
  { "{" OPTIMAL ",\"duration_min\":1}", ARMDYN_EINPUT, "/duration", FAULT_REQUIRED, 1 },
  { "{" OPTIMAL ",\"time_price\":-1}", ARMDYN_EINPUT, "/time_price", FAULT_MINIMUM, 1 },
  { "{" OPTIMAL ",\"duration_min\":2,\"duration_max\":1}", ARMDYN_EINPUT, "/duration_max", FAULT_INCONSISTENT, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"duration_max\":2}", ARMDYN_EINPUT, "/duration_max", FAULT_INCONSISTENT, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"cost\":{\"model\":\"time\"}}", ARMDYN_EINPUT, "/cost/model", FAULT_INCONSISTENT, 1 },
  { "{" OPTIMAL ",\"cost\":{\"model\":\"time\",\"weights\":[1,1]}}", ARMDYN_EINPUT, "/cost/weights", FAULT_INCONSISTENT,
    1 },
  { "{" OPTIMAL ",\"duration\":1,\"cost\":{\"model\":\"electrical\"}}", ARMDYN_EINPUT, "/cost/model", FAULT_REQUIRED,
    2 },
  { "{" OPTIMAL ",\"duration\":1,\"cost\":{\"model\":\"torque\",\"regeneration\":\"none\"}}", ARMDYN_EINPUT,
    "/cost/regeneration", FAULT_INCONSISTENT, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"cost\":{\"regeneration\":\"none\"}}", ARMDYN_EINPUT, "/cost/model", FAULT_REQUIRED,
    2 },
  { "{" OPTIMAL ",\"duration\":1,\"cost\":{\"model\":\"torque\",\"grid_efficiency\":0.5}}", ARMDYN_EINPUT,
    "/cost/grid_efficiency", FAULT_INCONSISTENT, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"intervals\":8,\"waypoints\":[{\"q\":[0,1]},{\"q\":[0,1]}]}", ARMDYN_EINPUT,
    "/intervals", FAULT_MINIMUM, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"cost\":{\"model\":\"money\"}}", ARMDYN_EINPUT, "/cost/model", FAULT_ENUM, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"cost\":{\"weights\":[1]}}", ARMDYN_EINPUT, "/cost/weights", FAULT_LENGTH, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"cost\":{\"weights\":[1,0]}}", ARMDYN_EINPUT, "/cost/weights/1", FAULT_MINIMUM, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"intervals\":7}", ARMDYN_EINPUT, "/intervals", FAULT_MINIMUM, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"intervals\":2001}", ARMDYN_EINPUT, "/intervals", FAULT_MAXIMUM, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"intervals\":50.5}", ARMDYN_EINPUT, "/intervals", FAULT_TYPE, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"multistart\":0}", ARMDYN_EINPUT, "/multistart", FAULT_MINIMUM, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"multistart\":65}", ARMDYN_EINPUT, "/multistart", FAULT_MAXIMUM, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"seed\":-1}", ARMDYN_EINPUT, "/seed", FAULT_MINIMUM, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"deadline\":0}", ARMDYN_EINPUT, "/deadline", FAULT_MINIMUM, 1 },
  { "{" OPTIMAL ",\"duration\":1,\"seed_trajectory\":\"first\"}", ARMDYN_EINPUT, "/seed_trajectory", FAULT_PATTERN, 1 },
  { "{\"method\":\"cubic\",\"start\":{\"q\":[0]},\"goal\":{\"q\":[1,1,1]}}", ARMDYN_EINPUT, "/start/q", FAULT_LENGTH,
    2 },
  { "{\"method\":\"cubic\",\"start\":{},\"goal\":{\"q\":[1,1]}}", ARMDYN_EINPUT, "/start/q", FAULT_REQUIRED, 1 },
  { "{\"method\":\"cubic\",\"start\":{\"q\":[0,0]},\"goal\":{\"q\":[3.1,-2.1]}}", ARMDYN_EINPUT, "/goal/q/0",
    FAULT_MAXIMUM, 2 },
  { "{" REST ",\"duration\":0}", ARMDYN_EINPUT, "/duration", FAULT_MINIMUM, 1 },
  { "{" REST ",\"duration\":\"1\"}", ARMDYN_EINPUT, "/duration", FAULT_TYPE, 1 },
  { "{" REST ",\"duration\":1,\"sample_rate\":0.5}", ARMDYN_EINPUT, "/sample_rate", FAULT_MINIMUM, 1 },
  { "{" REST ",\"duration\":1,\"sample_rate\":100001}", ARMDYN_EINPUT, "/sample_rate", FAULT_MAXIMUM, 1 },
  { "{" REST ",\"duration\":100,\"sample_rate\":20000}", ARMDYN_EINPUT, "/sample_rate", FAULT_MAXIMUM, 1 },
  { "{" REST ",\"waypoints\":[{\"q\":[0,4]}]}", ARMDYN_EINPUT, "/waypoints/0/q/1", FAULT_MAXIMUM, 1 },
  { "{" REST ",\"waypoints\":[{\"q\":[0,1],\"time\":-1}]}", ARMDYN_EINPUT, "/waypoints/0/time", FAULT_MINIMUM, 1 },
  { "{" REST ",\"duration\":1,\"waypoints\":[{\"q\":[0,1],\"time\":1}]}", ARMDYN_EINPUT, "/waypoints/0/time",
    FAULT_INCONSISTENT, 1 },
  { "{" REST ",\"waypoints\":[{\"q\":[0,1],\"time\":0.5},{\"q\":[0,1],\"time\":0.5}]}", ARMDYN_EINPUT,
    "/waypoints/1/time", FAULT_INCONSISTENT, 1 },
  { "{" REST ",\"limits\":{\"velocity\":[1]}}", ARMDYN_EINPUT, "/limits/velocity", FAULT_LENGTH, 1 },
  { "{" REST ",\"limits\":{\"velocity\":[1,0]}}", ARMDYN_EINPUT, "/limits/velocity/1", FAULT_MINIMUM, 1 },
  { "{" REST ",\"limits\":{\"velocity\":1}}", ARMDYN_EINPUT, "/limits/velocity", FAULT_TYPE, 1 },
  { "{" REST ",\"limits\":{\"position\":[[1,-1],null]}}", ARMDYN_EINPUT, "/limits/position/0", FAULT_INCONSISTENT, 1 },
  { "{" REST ",\"limits\":{\"position\":[1,2]}}", ARMDYN_EINPUT, "/limits/position/0", FAULT_TYPE, 2 },
  { "{" REST ",\"limits\":{\"position\":[[0,0.5],[0,2]]}}", ARMDYN_EINPUT, "/goal/q/0", FAULT_MAXIMUM, 1 },
  { "{" REST ",\"limits\":{\"speed\":[1,1]}}", ARMDYN_EINPUT, "/limits/speed", FAULT_UNKNOWN, 1 },
  { "{" REST ",\"limits\":{\"velocity\":null}}", ARMDYN_EINPUT, "/limits/velocity", FAULT_REQUIRED, 2 },
  { "{" REST ",\"limits\":{\"acceleration\":[1,null]}}", ARMDYN_EINPUT, "/limits/acceleration", FAULT_REQUIRED, 1 },
  { "{" REST ",\"tags\":{\"a\":1}}", ARMDYN_EINPUT, "/tags/a", FAULT_TYPE, 1 },
};

Test(trajectory_request, tells_every_fault_and_its_place, .init = two_joints)
{
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    faults.count = 0;
    cr_assert_eq(decode(bad[i].text), bad[i].status, "%s", bad[i].text);
    cr_assert_eq(faults.count, bad[i].count, "%s: %zu faults, the first: %s", bad[i].text, faults.count,
                 faults.items[0].detail);
    cr_assert_eq(faults.items[0].code, bad[i].code, "%s: %s", bad[i].text, faults.items[0].detail);
    if (bad[i].pointer) cr_assert_str_eq(faults.items[0].where, bad[i].pointer, "%s", bad[i].text);
  }
}

Test(trajectory_request, is_rewritten_with_another_duration, .init = two_joints)
{
  static const char text[] =
      "{ \"duration\": 2, " REST ", \"waypoints\":[{\"time\":0.5,\"q\":[0,1]},{\"q\":[1,1],\"time\":null}], "
      "\"tags\":{\"a\":\"\\\"\"}, \"deadline\": 0.5 }";
  static const struct {
    double scale, deadline;
    const char *expected;
  } cases[] = {
    { 2, NAN,
      "{" REST ",\"waypoints\":[{\"time\":1,\"q\":[0,1]},{\"q\":[1,1],\"time\":null}],\"tags\":{\"a\":\"\\\"\"},"
      "\"deadline\":0.5,\"duration\":4}" },
    { 0, 2,
      "{" REST ",\"waypoints\":[{\"time\":null,\"q\":[0,1]},{\"q\":[1,1],\"time\":null}],\"tags\":{\"a\":\"\\\"\"},"
      "\"duration\":4,\"deadline\":2}" },
  };
  for (size_t i = 0; i < 2; i++) {
    struct buffer out = BUFFER(4096);
    trajectory_request_rewrite(text, sizeof text - 1, 4, cases[i].scale, cases[i].deadline, &out);
    cr_assert(buffer_ok(&out));
    cr_assert_str_eq(out.data, cases[i].expected);
    buffer_release(&out);
  }
}

Test(trajectory_request, keeps_its_tags, .init = two_joints)
{
  struct buffer out = BUFFER(4096);
  cr_assert_eq(decode("{" REST ",\"tags\":{\"part\":\"A7\",\"\\u00e9\":\"\\n\"},\"job_order_id\":\"JO-1\"}"),
               ARMDYN_OK);
  result_tags_encode(&request.labels, &out);
  cr_assert_str_eq(out.data, "{\"part\":\"A7\",\"\u00e9\":\"\\n\"}");
  cr_assert_str_eq(request.labels.job_order_id, "JO-1");
  buffer_release(&out);
  trajectory_request_release(&request);
}

Test(trajectory_resource, adds_what_is_known_around_the_document)
{
  struct result_resource resource = {
    .form = &trajectory_form,
    .id = "ID",
    .job = "JOB",
    .robot = "r",
    .created_at = "T",
    .revision = 3,
    .tags = "{\"a\":\"b\"}",
    .document = "{\"duration\":2,\"energy\":{\"by\":[1],\"total\":5.5},\"cost\":{\"value\":0.25},"
                "\"minimum_duration\":null}",
    .stale = true,
  };
  struct buffer out = BUFFER(4096);
  result_resource_encode(&resource, &out);
  cr_assert_str_eq(out.data, "{\"id\":\"ID\",\"job\":\"JOB\",\"robot\":\"r\",\"revision\":3,\"created_at\":\"T\","
                             "\"tags\":{\"a\":\"b\"},\"label\":\"\",\"pinned\":false,\"notes\":\"\",\"stale\":true,"
                             "\"samples\":\"/v1/trajectories/ID/samples\","
                             "\"duration\":2,\"energy\":{\"by\":[1],\"total\":5.5},\"cost\":{\"value\":0.25},"
                             "\"minimum_duration\":null}");
  buffer_clear(&out);
  cJSON *document = document_open(resource.document);
  result_summary_encode(&trajectory_form, document, &out);
  document_close(document);
  cr_assert_str_eq(out.data, "{\"metrics\":{\"duration\":2,\"minimum_duration\":null,\"energy\":5.5,\"cost\":0.25}}");
  buffer_release(&out);
}
