/* Requests for positions of a pose, and their answers. */
#include <criterion/criterion.h>
#include <math.h>

#include "api/codec/inverse_kinematics.h"

static struct faults faults;
static struct inverse_kinematics_request request;

static enum armdyn_status decode(const char *text)
{
  faults.count = 0;
  return inverse_kinematics_decode(text, strlen(text), 2, &request, &faults);
}

#define POSE "\"tool\":[[1,0,0,0.5],[0,1,0,0.25],[0,0,1,0],[0,0,0,1]],\"q\":[0.1,0.2]"

Test(inverse_kinematics, all_components_count_by_default)
{
  cr_assert_eq(decode("{" POSE "}"), ARMDYN_OK);
  cr_assert(request.task == ARMDYN_TASK_ALL && request.starts == 60 && request.seed == 1);
  cr_assert(request.tool[3] == 0.5 && request.tool[7] == 0.25 && request.q[1] == 0.2);
  cr_assert_eq(decode("{" POSE ",\"task\":null,\"starts\":0,\"seed\":7}"), ARMDYN_OK);
  cr_assert(request.task == ARMDYN_TASK_ALL && request.starts == 0 && request.seed == 7);
}

Test(inverse_kinematics, components_have_names)
{
  cr_assert_eq(decode("{" POSE ",\"task\":[\"rz\",\"x\",\"y\"]}"), ARMDYN_OK);
  cr_assert_eq(request.task, ARMDYN_TASK_X | ARMDYN_TASK_Y | ARMDYN_TASK_RZ);
  cr_assert_eq(decode("{" POSE ",\"task\":[\"x\",\"roll\",\"x\"]}"), ARMDYN_EINPUT);
  cr_assert(faults.count == 2 && faults.items[0].code == FAULT_ENUM && faults.items[1].code == FAULT_DUPLICATE);
  cr_assert_str_eq(faults.items[0].where, "/task/1");
  cr_assert_eq(decode("{" POSE ",\"task\":[]}"), ARMDYN_EINPUT);
  cr_assert_str_eq(faults.items[0].where, "/task");
}

Test(inverse_kinematics, the_nearest_branch_stands_beside_the_others)
{
  struct armdyn_inverse_kinematics_result result = { .reached = true, .branch_count = 2 };
  struct buffer out = BUFFER(KB(4));
  memcpy(result.branches[0].q, (const double[]){ 1, 2 }, 2 * sizeof(double));
  memcpy(result.branches[1].q, (const double[]){ 3, -2 }, 2 * sizeof(double));
  result.branches[1].orientation = 0.5;
  inverse_kinematics_encode(&out, 2, 4, &result, NULL);
  cr_assert_str_eq(out.data,
                   "{\"revision\":4,\"reached\":true,\"q\":[1,2],\"residual\":{\"position\":0,\"orientation\":0},"
                   "\"freedom\":0,\"branches\":[{\"q\":[3,-2],\"residual\":{\"position\":0,\"orientation\":0.5}}]}");
  buffer_release(&out);
}
