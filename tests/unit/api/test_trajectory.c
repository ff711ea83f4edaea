#include "api/codec/trajectory.h"

#include <criterion/criterion.h>

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
  cr_assert_eq(request.method, ARMDYN_CUBIC);
  cr_assert_eq(request.start.q[1], 1);
  cr_assert_eq(request.goal.q[1], -2);
  cr_assert(isnan(request.duration));
  cr_assert_eq(request.sample_rate, 1000);
  cr_assert_eq(request.waypoint_count, 0);
  struct armdyn_limits limits[2];
  trajectory_request_limits(&request, &robot, limits);
  for (size_t j = 0; j < 2; j++) cr_assert_eq(memcmp(&limits[j], &robot.joints[j].limits, sizeof *limits), 0);
  struct trajectory_blocker blockers[ARMDYN_LIMIT_KINDS * 2];
  cr_assert_eq(trajectory_request_blockers(&request, &robot, blockers), 0);
  trajectory_request_release(&request);
}

Test(trajectory_request, overrides_removes_and_keeps_limits, .init = two_joints)
{
  cr_assert_eq(decode("{\"method\":\"quintic\",\"start\":{\"q\":[0,1]},\"goal\":{\"q\":[1,-2]},\"duration\":1,"
                      "\"limits\":{\"position\":[[-1,2],null],\"velocity\":[1,2],\"jerk\":null,\"torque\":[20,null]}}"),
               ARMDYN_OK);
  struct armdyn_limits limits[2];
  trajectory_request_limits(&request, &robot, limits);
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
  cr_assert_eq(trajectory_request_blockers(&request, &robot, blockers), 4);
  for (size_t i = 0; i < 4; i++) {
    cr_assert_str_eq(blockers[i].code, expected[i].code);
    cr_assert_eq(blockers[i].limit, expected[i].limit);
    cr_assert_eq(blockers[i].joint, expected[i].joint);
  }
  trajectory_request_release(&request);
}

#define REST "\"method\":\"quintic\",\"start\":{\"q\":[0,0]},\"goal\":{\"q\":[1,1]}"

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
  { "{}", ARMDYN_EINPUT, "/method", FAULT_REQUIRED, 3 },
  { "{" REST ",\"cost\":{}}", ARMDYN_EINPUT, "/cost", FAULT_UNKNOWN, 1 },
  { "{" REST ",\"method\":\"quintic\"}", ARMDYN_EINPUT, "/method", FAULT_DUPLICATE, 1 },
  { "{\"method\":\"energy_optimal\",\"start\":{\"q\":[0,0]},\"goal\":{\"q\":[1,1]}}", ARMDYN_EINPUT, "/method",
    FAULT_ENUM, 1 },
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
      "\"tags\":{\"a\":\"\\\"\"} }";
  static const struct {
    double scale;
    const char *expected;
  } cases[] = {
    { 2, "{" REST ",\"waypoints\":[{\"time\":1,\"q\":[0,1]},{\"q\":[1,1],\"time\":null}],\"tags\":{\"a\":\"\\\"\"},"
         "\"duration\":4}" },
    { 0, "{" REST ",\"waypoints\":[{\"time\":null,\"q\":[0,1]},{\"q\":[1,1],\"time\":null}],\"tags\":{\"a\":\"\\\"\"},"
         "\"duration\":4}" },
  };
  for (size_t i = 0; i < 2; i++) {
    struct buffer out = BUFFER(4096);
    trajectory_request_rewrite(text, sizeof text - 1, 4, cases[i].scale, &out);
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
                             "\"tags\":{\"a\":\"b\"},\"stale\":true,\"samples\":\"/v1/trajectories/ID/samples\","
                             "\"duration\":2,\"energy\":{\"by\":[1],\"total\":5.5},\"cost\":{\"value\":0.25},"
                             "\"minimum_duration\":null}");
  buffer_clear(&out);
  resource.summary = true;
  result_resource_encode(&resource, &out);
  cr_assert_str_eq(out.data, "{\"id\":\"ID\",\"job\":\"JOB\",\"robot\":\"r\",\"revision\":3,\"created_at\":\"T\","
                             "\"tags\":{\"a\":\"b\"},\"metrics\":{\"duration\":2,\"minimum_duration\":null,"
                             "\"energy\":5.5,\"cost\":0.25}}");
  buffer_release(&out);
}
