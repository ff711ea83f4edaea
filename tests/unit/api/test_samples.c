/* Requests on samples in the three formats, and their answers. */
#include <criterion/criterion.h>
#include <math.h>

#include "api/codec/dynamics.h"
#include "api/codec/parts.h"
#include "api/csv/csv.h"
#include "api/npy/npy.h"

enum { N = 2 };

static struct faults faults;
static struct armdyn_robot_description robot;
static struct samples_request request;

static enum armdyn_status decode(enum samples_call call, enum media media, const char *body, size_t length)
{
  armdyn_robot_description_init(&robot);
  robot.joint_count = N;
  robot.gravity[2] = -9.81;
  faults.count = 0;
  return samples_request_decode(call, media, &robot, body, length, NULL, NULL, &request, &faults);
}

static enum armdyn_status decode_text(enum media media, const char *text)
{
  return decode(CALL_INVERSE_DYNAMICS, media, text, strlen(text));
}

/* Row r of every table is [10 field + r, 10 field + r + 1], of the wrench 1..6 plus r, moments first. */
static void expect_rows(size_t count, bool single, bool wrench)
{
  const struct armdyn_rows *tables[] = { &request.q, &request.qd, &request.qdd };
  cr_assert(request.count == count && request.single == single, "%zu", request.count);
  for (size_t r = 0; r < count; r++) {
    for (int t = 0; t < 3; t++)
      for (int k = 0; k < N; k++) cr_assert_eq(tables[t]->data[r * tables[t]->stride + (size_t)k], 10 * t + (int)r + k);
    if (!wrench) continue;
    const double *w = request.wrench.data + r * request.wrench.stride;
    for (int k = 0; k < 3; k++) cr_assert(w[k] == (int)r + 4 + k && w[k + 3] == (int)r + 1 + k);
  }
  cr_assert_eq(request.wrench.data != NULL, wrench);
}

Test(samples, the_same_batch_in_every_format)
{
  cr_assert_eq(decode_text(MEDIA_JSON, "{\"q\":[[0,1],[1,2]],\"qd\":[[10,11],[11,12]],\"qdd\":[[20,21],[21,22]],"
                                       "\"wrench\":[[1,2,3,4,5,6],[2,3,4,5,6,7]]}"),
               ARMDYN_OK);
  expect_rows(2, false, true);
  samples_request_release(&request);

  cr_assert_eq(decode_text(MEDIA_CSV, "mx,my,mz,fx,fy,fz,qdd2,qdd1,qd2,qd1,q2,q1\n4,5,6,1,2,3,21,20,11,10,1,0\n"
                                      "5,6,7,2,3,4,22,21,12,11,2,1\n"),
               ARMDYN_OK);
  expect_rows(2, false, true);
  samples_request_release(&request);

  const double table[2][12] = { { 0, 1, 10, 11, 20, 21, 1, 2, 3, 4, 5, 6 },
                                { 1, 2, 11, 12, 21, 22, 2, 3, 4, 5, 6, 7 } };
  struct buffer npy = BUFFER(KB(4));
  npy_write(&npy, table[0], (const size_t[]){ 2, 12 }, 2);
  cr_assert_eq(decode(CALL_INVERSE_DYNAMICS, MEDIA_NPY, npy.data, npy.length), ARMDYN_OK);
  expect_rows(2, false, true);
  cr_assert((const char *)request.q.data > npy.data &&
            (const char *)request.q.data < npy.data + npy.length); /* not copied */
  samples_request_release(&request);
  buffer_release(&npy);
}

Test(samples, one_sample_or_a_batch_of_one)
{
  cr_assert_eq(decode_text(MEDIA_JSON, "{\"q\":[0,1],\"qd\":[10,11],\"qdd\":[20,21],\"wrench\":[1,2,3,4,5,6]}"),
               ARMDYN_OK);
  expect_rows(1, true, true);
  samples_request_release(&request);
  cr_assert_eq(decode_text(MEDIA_JSON, "{\"q\":[[0,1]],\"qd\":[[10,11]],\"qdd\":[[20,21]]}"), ARMDYN_OK);
  expect_rows(1, false, false);
  samples_request_release(&request);
  /* one wrench serves every sample */
  cr_assert_eq(
      decode_text(MEDIA_JSON,
                  "{\"q\":[[0,1],[1,2]],\"qd\":[[10,11],[11,12]],\"qdd\":[[20,21],[21,22]],\"wrench\":[1,2,3,4,5,6]}"),
      ARMDYN_OK);
  cr_assert_eq(request.wrench.stride, 0);
  samples_request_release(&request);
}

Test(samples, options_and_overrides)
{
  cr_assert_eq(decode_text(MEDIA_JSON, "{\"q\":[0,1],\"qd\":[10,11],\"qdd\":[20,21]}"), ARMDYN_OK);
  cr_assert(request.friction && !request.decompose && !request.overridden && !request.robot);
  cr_assert_eq(request.wrench_frame, ARMDYN_WRENCH_TOOL);
  samples_request_release(&request);
  cr_assert_eq(decode_text(MEDIA_JSON,
                           "{\"q\":[0,1],\"qd\":[10,11],\"qdd\":[20,21],\"friction\":false,\"decompose\":true,"
                           "\"method\":\"newton_euler\",\"wrench_frame\":\"base\",\"gravity\":[0,0,-1.62],"
                           "\"payload\":{\"mass\":2},\"tool\":{\"translation\":[0,0,0.1]}}"),
               ARMDYN_OK);
  cr_assert(!request.friction && request.decompose && request.wrench_frame == ARMDYN_WRENCH_BASE && request.overridden);
  cr_assert(request.robot->gravity[2] == -1.62 && request.robot->payload.mass == 2);
  cr_assert(request.robot->tool.translation[2] == 0.1 && request.robot->joint_count == N);
  cr_assert_eq(robot.gravity[2], -9.81);
  samples_request_release(&request);
}

static const char *look_up(const void *context, const char *name)
{
  return strcmp(name, "friction") == 0 ? context : strcmp(name, "wrench_frame") == 0 ? "base" : NULL;
}

Test(samples, options_of_csv_and_npy_stand_in_the_query)
{
  static const char text[] = "q1,q2,qd1,qd2,qdd1,qdd2\n1,2,3,4,5,6\n";
  decode_text(MEDIA_CSV, "");
  faults.count = 0;
  cr_assert_eq(samples_request_decode(CALL_INVERSE_DYNAMICS, MEDIA_CSV, &robot, text, sizeof text - 1, look_up, "false",
                                      &request, &faults),
               ARMDYN_OK);
  cr_assert(!request.friction && request.wrench_frame == ARMDYN_WRENCH_BASE);
  samples_request_release(&request);
  cr_assert_eq(samples_request_decode(CALL_INVERSE_DYNAMICS, MEDIA_CSV, &robot, text, sizeof text - 1, look_up, "0",
                                      &request, &faults),
               ARMDYN_EINPUT);
  cr_assert(faults.count == 1 && faults.items[0].place == FAULT_AT_PARAMETER);
  cr_assert_str_eq(faults.items[0].where, "friction");
  cr_assert_str_eq(faults.items[0].detail, "must be true or false, got \"0\"");
}

static const char *guess_method(const void *context, const char *name)
{
  (void)context;
  return strcmp(name, "method") == 0 ? "guess" : NULL;
}

/* What a refusal offers is all that there is to choose from, as of a JSON body. */
Test(samples, a_refused_option_names_every_choice)
{
  static const char text[] = "q1,q2,qd1,qd2,qdd1,qdd2\n1,2,3,4,5,6\n",
                    choices[] = "must be \"newton_euler\", \"lagrange\" or \"closed_form\", got \"guess\"";
  cr_assert_eq(decode_text(MEDIA_JSON, "{\"q\":[0,1],\"qd\":[0,1],\"qdd\":[0,1],\"method\":\"guess\"}"), ARMDYN_EINPUT);
  cr_assert_str_eq(faults.items[0].detail, choices);
  faults.count = 0;
  cr_assert_eq(samples_request_decode(CALL_INVERSE_DYNAMICS, MEDIA_CSV, &robot, text, sizeof text - 1, guess_method,
                                      NULL, &request, &faults),
               ARMDYN_EINPUT);
  cr_assert_eq(faults.count, 1);
  cr_assert_str_eq(faults.items[0].where, "method");
  cr_assert_str_eq(faults.items[0].detail, choices);
}

Test(samples, refusals)
{
  static const struct {
    const char *text;
    const char *pointer;
    enum fault_code code;
  } cases[] = {
    { "{\"q\":[0,1],\"qd\":[0,1]}", "/qdd", FAULT_REQUIRED },
    { "{\"q\":[],\"qd\":[0,1],\"qdd\":[0,1]}", "/q", FAULT_LENGTH },
    { "{\"q\":[0,1,2],\"qd\":[0,1],\"qdd\":[0,1]}", "/q", FAULT_LENGTH },
    { "{\"q\":[[0,1],[0]],\"qd\":[[0,1],[0,1]],\"qdd\":[[0,1],[0,1]]}", "/q/1", FAULT_LENGTH },
    { "{\"q\":[[0,1],3],\"qd\":[[0,1],[0,1]],\"qdd\":[[0,1],[0,1]]}", "/q/1", FAULT_TYPE },
    { "{\"q\":[[0,1],[0,\"1\"]],\"qd\":[[0,1],[0,1]],\"qdd\":[[0,1],[0,1]]}", "/q/1/1", FAULT_TYPE },
    { "{\"q\":\"x\",\"qd\":[0,1],\"qdd\":[0,1]}", "/q", FAULT_TYPE },
    { "{\"q\":[0,1],\"qd\":[0,-1e13],\"qdd\":[0,1]}", "/qd/1", FAULT_MAXIMUM },
    { "{\"q\":[[0,1],[0,1]],\"qd\":[[0,1]],\"qdd\":[[0,1],[0,1]]}", "/qd", FAULT_LENGTH },
    { "{\"q\":[[0,1],[0,1]],\"qd\":[[0,1],[0,1]],\"qdd\":[0,1]}", "/qdd", FAULT_TYPE },
    { "{\"q\":[0,1],\"qd\":[0,1],\"qdd\":[0,1],\"wrench\":[1,2,3]}", "/wrench", FAULT_LENGTH },
    { "{\"q\":[0,1],\"qd\":[0,1],\"qdd\":[0,1],\"wrench\":[[1,2,3,4,5,6]]}", "/wrench", FAULT_TYPE },
    { "{\"q\":[0,1],\"qd\":[0,1],\"qdd\":[0,1],\"method\":\"guess\"}", "/method", FAULT_ENUM },
    { "{\"q\":[0,1],\"qd\":[0,1],\"qdd\":[0,1],\"wrench_frame\":\"world\"}", "/wrench_frame", FAULT_ENUM },
    { "{\"q\":[0,1],\"qd\":[0,1],\"qdd\":[0,1],\"payload\":{\"mass\":-1}}", "/payload/mass", FAULT_MINIMUM },
    { "{\"q\":[0,1],\"qd\":[0,1],\"qdd\":[0,1],\"gravity\":[0,0]}", "/gravity", FAULT_LENGTH },
    { "{\"q\":[0,1],\"qd\":[0,1],\"qdd\":[0,1],\"tau\":[0,1]}", "/tau", FAULT_UNKNOWN },
    { "{\"q\":[0,1],\"q\":[0,1],\"qd\":[0,1],\"qdd\":[0,1]}", "/q", FAULT_DUPLICATE },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cr_assert_eq(decode_text(MEDIA_JSON, cases[i].text), ARMDYN_EINPUT, "%s", cases[i].text);
    cr_assert_eq(faults.count, 1, "%s: %zu", cases[i].text, faults.count);
    cr_assert_str_eq(faults.items[0].where, cases[i].pointer, "%s", cases[i].text);
    cr_assert_eq(faults.items[0].code, cases[i].code, "%s: %s", cases[i].text, faults.items[0].detail);
    cr_assert(!request.q.data && !request.robot); /* nothing is left to release */
  }
  cr_assert_eq(decode_text(MEDIA_JSON, "{\"q\":[0,1],\"qd\":[0,1],\"qdd\":[0,1e999]}"), ARMDYN_ESYNTAX);
}

Test(samples, npy_faults_name_row_and_column)
{
  double table[3][6] = { { 0 } };
  struct buffer npy = BUFFER(KB(4));
  table[1][4] = NAN, table[2][0] = -INFINITY, table[2][5] = 1e300;
  npy_write(&npy, table[0], (const size_t[]){ 3, 6 }, 2);
  cr_assert_eq(decode(CALL_INVERSE_DYNAMICS, MEDIA_NPY, npy.data, npy.length), ARMDYN_EINPUT);
  static const size_t places[3][2] = { { 2, 0 }, { 1, 4 }, { 2, 5 } };
  cr_assert_eq(faults.count, 3);
  for (int i = 0; i < 3; i++) cr_assert(faults.items[i].row == places[i][0] && faults.items[i].column == places[i][1]);
  cr_assert(faults.items[0].code == FAULT_FINITE && faults.items[2].code == FAULT_MAXIMUM);
  cr_assert_eq(decode(CALL_FORWARD_KINEMATICS, MEDIA_NPY, npy.data, npy.length), ARMDYN_EINPUT);
  cr_assert(faults.count == 3 && faults.items[0].code == FAULT_FINITE); /* q, qd, qdd of two joints as well */
  buffer_clear(&npy);
  npy_write(&npy, table[0], (const size_t[]){ 3, 4 }, 2);
  cr_assert_eq(decode(CALL_FORWARD_KINEMATICS, MEDIA_NPY, npy.data, npy.length), ARMDYN_EINPUT);
  cr_assert(faults.count == 1 && faults.items[0].code == FAULT_LENGTH);
  buffer_clear(&npy);
  npy_write(&npy, table[0], (const size_t[]){ 0, 6 }, 2);
  cr_assert_eq(decode(CALL_INVERSE_DYNAMICS, MEDIA_NPY, npy.data, npy.length), ARMDYN_EINPUT);
  buffer_release(&npy);
}

Test(samples, answers_have_the_shape_of_the_request)
{
  const double tau[] = { 1, 2, 3, 4 }, tool[] = { 1, 0, 0.5, -1, 5, 6, 7, 8 };
  const struct samples_field fields[] = { { "tau", { 2 }, tau, false }, { "tool", { 2, 2 }, tool, false } };
  struct buffer out = BUFFER(KB(4)), columns = BUFFER(KB(4));
  samples_answer_encode(MEDIA_JSON, fields, 2, 0, 2, false, &out, &columns);
  cr_assert_str_eq(out.data, "{\"tau\":[[1,2],[3,4]],\"tool\":[[[1,0],[0.5,-1]],[[5,6],[7,8]]]}");
  cr_assert_str_eq(columns.data, "tau1,tau2");
  buffer_clear(&out), buffer_clear(&columns);
  samples_answer_encode(MEDIA_JSON, fields, 2, 0, 1, true, &out, NULL);
  cr_assert_str_eq(out.data, "{\"tau\":[1,2],\"tool\":[[1,0],[0.5,-1]]}");
  buffer_clear(&out);
  samples_answer_encode(MEDIA_CSV, fields, 2, 1, 2, false, &out, &columns);
  cr_assert_str_eq(out.data, "tool_1_1,tool_1_2,tool_2_1,tool_2_2\r\n1,0,0.5,-1\r\n5,6,7,8\r\n");
  cr_assert_str_eq(columns.data, "tool_1_1,tool_1_2,tool_2_1,tool_2_2");
  buffer_clear(&out);
  samples_answer_encode(MEDIA_NPY, fields, 2, 1, 2, false, &out, NULL);
  cr_assert_not_null(strstr(out.data + 10, "'shape': (2, 2, 2), }"));
  cr_assert_eq(memcmp(out.data + out.length - sizeof tool, tool, sizeof tool), 0);
  buffer_release(&out), buffer_release(&columns);
}

Test(samples, poses_are_objects_in_json_and_rows_elsewhere)
{
  const double numbers[] = { 1, 2, 3, 0.1, 0.2, 0.3, 4, 5, 6, 0.4, 0.5, 0.6 };
  const struct samples_field one = { "tool_pose", { POSE }, numbers, true },
                             list = { "link_poses", { 2, POSE }, numbers, true };
  struct buffer out = BUFFER(KB(4));
#define FIRST  "{\"translation\":[1,2,3],\"rpy\":[0.1,0.2,0.3]}"
#define SECOND "{\"translation\":[4,5,6],\"rpy\":[0.4,0.5,0.6]}"
  samples_answer_encode(MEDIA_JSON, &one, 1, 0, 1, true, &out, NULL);
  cr_assert_str_eq(out.data, "{\"tool_pose\":" FIRST "}");
  buffer_clear(&out);
  samples_answer_encode(MEDIA_JSON, &one, 1, 0, 2, false, &out, NULL);
  cr_assert_str_eq(out.data, "{\"tool_pose\":[" FIRST "," SECOND "]}");
  buffer_clear(&out);
  samples_answer_encode(MEDIA_JSON, &list, 1, 0, 1, false, &out, NULL);
  cr_assert_str_eq(out.data, "{\"link_poses\":[[" FIRST "," SECOND "]]}");
  buffer_clear(&out);
  samples_answer_encode(MEDIA_CSV, &one, 1, 0, 2, false, &out, NULL);
  cr_assert_str_eq(out.data, "tool_pose1,tool_pose2,tool_pose3,tool_pose4,tool_pose5,tool_pose6\r\n"
                             "1,2,3,0.1,0.2,0.3\r\n4,5,6,0.4,0.5,0.6\r\n");
  buffer_release(&out);
}

Test(samples, optional_fields_are_whole_or_absent)
{
  cr_assert_eq(decode(CALL_JACOBIAN, MEDIA_CSV, "q1,q2\n1,2\n", 10), ARMDYN_OK);
  cr_assert(!request.qd.data && request.frame == ARMDYN_JACOBIAN_BASE);
  samples_request_release(&request);
  static const char whole[] = "qd2,q1,q2,qd1\n4,1,2,3\n", half[] = "q1,q2,qd2\n1,2,4\n";
  cr_assert_eq(decode(CALL_JACOBIAN, MEDIA_CSV, whole, sizeof whole - 1), ARMDYN_OK);
  cr_assert(request.qd.data[0] == 3 && request.qd.data[1] == 4);
  samples_request_release(&request);
  cr_assert_eq(decode(CALL_JACOBIAN, MEDIA_CSV, half, sizeof half - 1), ARMDYN_EINPUT);
  cr_assert(faults.count == 1 && faults.items[0].code == FAULT_REQUIRED && strstr(faults.items[0].detail, "\"qd1\""));
}

Test(samples, one_wrench_serves_all_samples_and_nothing_else_does)
{
  static const char wrench[] = "{\"q\":[[0,1],[2,3]],\"wrench\":[1,2,3,4,5,6],\"wrench_frame\":\"base\"}";
  cr_assert_eq(decode(CALL_STATICS, MEDIA_JSON, wrench, sizeof wrench - 1), ARMDYN_OK);
  cr_assert(request.count == 2 && request.wrench.stride == 0 && request.wrench_frame == ARMDYN_WRENCH_BASE);
  samples_request_release(&request);
  static const char velocity[] = "{\"q\":[[0,1],[2,3]],\"qd\":[1,2]}";
  cr_assert_eq(decode(CALL_JACOBIAN, MEDIA_JSON, velocity, sizeof velocity - 1), ARMDYN_EINPUT);
  cr_assert_str_eq(faults.items[0].where, "/qd");
}

Test(samples, numbers_and_members_of_objects)
{
  const double kinetic[] = { 1, 2 }, linear[] = { 1, 2, 3, 4, 5, 6 }, angular[] = { 7, 8, 9, 10, 11, 12 };
  const struct samples_field fields[] = { { "kinetic", { 0 }, kinetic, false },
                                          { "momentum.linear", { 3 }, linear, false },
                                          { "momentum.angular", { 3 }, angular, false },
                                          { "last", { 0 }, kinetic, false } };
  struct buffer out = BUFFER(KB(4));
  samples_answer_encode(MEDIA_JSON, fields, 4, 0, 1, true, &out, NULL);
  cr_assert_str_eq(out.data, "{\"kinetic\":1,\"momentum\":{\"linear\":[1,2,3],\"angular\":[7,8,9]},\"last\":1}");
  buffer_clear(&out);
  samples_answer_encode(MEDIA_JSON, fields, 3, 0, 2, false, &out, NULL);
  cr_assert_str_eq(out.data, "{\"kinetic\":[1,2],\"momentum\":{\"linear\":[[1,2,3],[4,5,6]],"
                             "\"angular\":[[7,8,9],[10,11,12]]}}");
  buffer_clear(&out);
  samples_answer_encode(MEDIA_CSV, fields, 3, 0, 2, false, &out, NULL);
  cr_assert_str_eq(out.data, "kinetic\r\n1\r\n2\r\n");
  buffer_clear(&out);
  samples_answer_encode(MEDIA_NPY, fields, 3, 0, 2, false, &out, NULL);
  cr_assert_not_null(strstr(out.data + 10, "'shape': (2,), }"));
  buffer_release(&out);
}

Test(samples, halves_change_places)
{
  double jacobian[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
  swap_halves(jacobian, 6);
  cr_assert(jacobian[0] == 7 && jacobian[5] == 12 && jacobian[6] == 1 && jacobian[11] == 6);
}
