/* Joint positions for a pose of the tool. */
#include "api/codec/inverse_kinematics.h"
#include "server/app.h"
#include "server/base/scratch.h"
#include "server/routes/dynamics.h"
#include "server/routes/request_names.h"
#include "server/routes/robots.h"

/* Where the tool is at every branch. */
static void find_poses(const struct armdyn_robot *robot, const struct armdyn_inverse_kinematics_result *result,
                       struct armdyn_workspace *workspace, struct armdyn_pose *poses)
{
  for (size_t k = 0; k < result->branch_count; k++) {
    double tool[16];
    armdyn_forward_kinematics(robot, result->branches[k].q, workspace, tool, NULL);
    armdyn_matrix_pose(tool, &poses[k]);
  }
}

static void answer_positions(struct exchange *x, const struct robot_entry *entry,
                             const struct inverse_kinematics_request *asked)
{
  const struct armdyn_inverse_kinematics_request request = {
    .tool = asked->tool, .seed = asked->q, .task = asked->task, .starts = asked->starts, .random_seed = asked->seed
  };
  struct armdyn_inverse_kinematics_result result;
  struct armdyn_pose poses[ARMDYN_BRANCHES_MAX];
  struct armdyn_error error = { "", "" };
  struct scratch *scratch = scratch_here();
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (scratch) status = armdyn_inverse_kinematics(entry->robot, &request, scratch->workspace, &result, &error);
  if (status == ARMDYN_EINPUT)
    fault_add(exchange_faults(x), FAULT_AT_POINTER, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
  if (status) {
    answer_status(x, status, NULL);
    return;
  }
  if (asked->by_pose) find_poses(entry->robot, &result, scratch->workspace, poses);
  struct buffer body = BUFFER(LIMIT_ANSWER);
  inverse_kinematics_encode(&body, armdyn_robot_joint_count(entry->robot), (long long)entry->revision, &result,
                            asked->by_pose ? poses : NULL);
  exchange_set_revision(x, entry->revision);
  answer_json(x, 200, &body);
}

/* With the tool of the request, or of the part that it names, in place of the model's. */
static enum armdyn_status answer_request(struct exchange *x, const struct robot_entry *stored, const char *body,
                                         size_t length)
{
  struct robots *robots = exchange_app(x)->robots;
  const struct robot_entry *entry;
  struct inverse_kinematics_request request;
  enum armdyn_status status =
      inverse_kinematics_decode(body, length, armdyn_robot_joint_count(stored->robot), &request, exchange_faults(x));
  if (!status)
    status =
        robots_get_with(robots, exchange_segment(x, "robot"), stored->revision, &request.carried.overrides, &entry);
  if (status) return status;
  answer_positions(x, entry, &request);
  robots_release(robots, entry);
  return ARMDYN_OK;
}

enum outcome inverse_kinematics(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!exchange_may_block(x)) return BLOCKS; /* iterates from many seeds */
  if (!robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome)) return outcome;

  struct buffer written = BUFFER(LIMIT_MODEL_BODY);
  size_t length;
  const char *body = exchange_body(x, &length);
  if (request_names_put_in(x, exchange_segment(x, "robot"), false, body, length, &written)) {
    enum armdyn_status status = written.length ? answer_request(x, entry, written.data, written.length)
                                               : answer_request(x, entry, body, length);
    if (status) answer_status(x, status, NULL);
  }
  buffer_release(&written);
  robots_release(exchange_app(x)->robots, entry);
  return ANSWERED;
}
