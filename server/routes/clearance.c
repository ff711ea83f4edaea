/* How far an arm stays away from its cell and from itself. */
#include "api/codec/clearance.h"

#include "server/app.h"
#include "server/data/stored_cell.h"
#include "server/data/stored_trajectory.h"
#include "server/routes/cells.h"
#include "server/routes/dynamics.h"
#include "server/routes/robots.h"

/* The cell that is named, or none. false: answered. */
static bool load_cell(struct exchange *x, struct clearance_request *request, struct cell_document *cell)
{
  const int64_t asked = request->around.cell_revision;
  memset(cell, 0, sizeof *cell);
  if (!*request->around.cell) return true;
  enum armdyn_status status =
      stored_cell_read(exchange_app(x)->store, request->around.cell, &request->around.cell_revision, cell);
  if (status == ARMDYN_ENOTFOUND) {
    cell_fault_add(x, request->around.cell, asked);
    status = ARMDYN_EINPUT;
  }
  if (status) answer_status(x, status, NULL);
  return !status;
}

/* Robots without bodies would be clear of everything. */
static enum armdyn_status make_scene(struct exchange *x, const struct armdyn_robot *robot,
                                     const struct clearance_request *request, const struct cell_document *cell,
                                     struct armdyn_scene **scene)
{
  struct armdyn_error error = { "", "" };
  enum armdyn_status status =
      armdyn_scene_new(robot, *request->around.cell ? &cell->cell : NULL, request->around.touches.items,
                       request->around.touches.count, scene, &error);
  if (status == ARMDYN_EINPUT)
    fault_add(exchange_faults(x), FAULT_AT_POINTER, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
  if (status || armdyn_scene_body_count(*scene)) return status;
  fault_add(
      exchange_faults(x), FAULT_AT_POINTER, "", FAULT_INCONSISTENT,
      "robot '%s' has no bodies: give its links some, as \"joints\": [{\"link\": {\"bodies\": [{\"capsule\": ...}]}}]",
      armdyn_robot_description(robot)->name);
  return ARMDYN_EINPUT;
}

static enum armdyn_status compute(const struct armdyn_scene *scene, const struct clearance_request *request,
                                  size_t joints, struct clearance_state *states)
{
  struct armdyn_scene_workspace *workspace = armdyn_scene_workspace_new(scene);
  if (!workspace) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < request->count; i++)
    armdyn_clearance(scene, request->q + i * joints, workspace, &states[i].at, states[i].gradient);
  armdyn_scene_workspace_free(workspace);
  return ARMDYN_OK;
}

static enum armdyn_status compute_motion(struct exchange *x, const struct armdyn_scene *scene,
                                         const struct clearance_request *request, size_t joints,
                                         struct armdyn_motion_clearance *out)
{
  struct armdyn_played_motion motion = { 0 };
  struct armdyn_trajectory trajectory;
  struct armdyn_error error = { "", "" };
  enum armdyn_status status =
      stored_trajectory_open(exchange_app(x)->store, request->trajectory, joints, "/trajectory", &trajectory, &error);
  if (!status) {
    status = played_motion_of(&trajectory, request->rate, &motion, &error);
    armdyn_trajectory_free(&trajectory);
  }
  if (!status) status = armdyn_motion_clearance(scene, &motion, request->deviation, request->tolerance, out, &error);
  if (status == ARMDYN_EINPUT || status == ARMDYN_ECANCELLED) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
    status = ARMDYN_EINPUT;
  }
  free((void *)(uintptr_t)motion.q);
  return status;
}

static void answer_clearance(struct exchange *x, const struct robot_entry *entry, const struct armdyn_robot *robot,
                             struct clearance_request *request)
{
  const size_t joints = armdyn_robot_joint_count(robot);
  struct cell_document cell;
  struct armdyn_scene *scene = NULL;
  if (!load_cell(x, request, &cell)) return;
  const bool moves = *request->trajectory;
  struct armdyn_motion_clearance motion;
  struct clearance_state *states = calloc(request->count + 1, sizeof *states);
  enum armdyn_status status = states ? make_scene(x, robot, request, &cell, &scene) : ARMDYN_EMEMORY;
  if (!status)
    status = moves ? compute_motion(x, scene, request, joints, &motion) : compute(scene, request, joints, states);
  if (status) {
    answer_status(x, status, NULL);
  } else {
    struct buffer body = BUFFER(LIMIT_ANSWER);
    if (moves)
      clearance_motion_encode(&body, request, (long long)entry->revision, &motion);
    else
      clearance_encode(&body, request, joints, (long long)entry->revision, states);
    exchange_set_revision(x, entry->revision);
    answer_json(x, 200, &body);
  }
  free(states);
  armdyn_scene_free(scene);
  cell_release(&cell);
}

enum outcome clearance(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome)) return outcome;

  const struct armdyn_robot_description *model = armdyn_robot_description(entry->robot);
  struct armdyn_robot_description *changed = NULL;
  struct armdyn_robot *own = NULL;
  struct clearance_request *request = calloc(1, sizeof *request);
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (request) status = clearance_decode(body, length, model->joint_count, request, exchange_faults(x));
  const bool decoded = !status;
  if (!status) status = overrides_apply(&request->overrides, model, &changed);
  if (status) {
    answer_status(x, status, NULL);
  } else {
    const struct armdyn_robot *robot = robot_for_call(x, entry, changed, &own);
    if (robot) answer_clearance(x, entry, robot, request);
  }
  if (decoded) clearance_request_release(request);
  free(request);
  armdyn_robot_free(own);
  free(changed);
  robots_release(exchange_app(x)->robots, entry);
  return ANSWERED;
}
