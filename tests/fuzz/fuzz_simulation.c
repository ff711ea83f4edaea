/* Requests for simulations: refusals have reasons; what is accepted can be begun: a state or a motion, a rate of samples that
 * the controller's periods meet, and gains that the library takes as they are. */
#include "api/codec/simulation.h"
#include "tests/fuzz/fuzz.h"

static void a_slide(struct armdyn_robot_description *robot)
{
  armdyn_robot_description_init(robot);
  robot->joint_count = 2;
  for (size_t j = 0; j < 2; j++) {
    armdyn_joint_init(&robot->joints[j]);
    snprintf(robot->joints[j].name, sizeof robot->joints[j].name, "j%zu", j + 1);
    robot->joints[j].link.mass = 1;
    robot->joints[j].link.com[0] = 0.1;
  }
}

static void check_control(const struct simulation_request *request, const struct armdyn_robot_description *description)
{
  struct armdyn_robot *robot;
  struct armdyn_controller *controller;
  struct armdyn_control control;
  struct armdyn_workspace *workspace = armdyn_workspace_new(2);
  REQUIRE(workspace && armdyn_robot_new(description, &robot, NULL) == ARMDYN_OK);
  const double periods = request->control.rate_hz / request->sample_rate;
  REQUIRE(periods >= 1 && fabs(periods - round(periods)) < 1e-6 * periods);
  control_in_force(&request->control, robot, 5, request->q, request->friction, workspace, &control);
  REQUIRE(armdyn_controller_new(robot, &control, &controller, NULL) == ARMDYN_OK);
  armdyn_controller_free(controller);
  armdyn_robot_free(robot);
  armdyn_workspace_free(workspace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct faults faults;
  static struct armdyn_robot_description robot;
  static struct simulation_request request;
  char *bytes = copy_of(data, size);
  faults.count = 0;
  a_slide(&robot);
  enum armdyn_status status = simulation_request_decode(bytes, size, &robot, &request, &faults);
  require_reason(status, &faults);
  if (!status) {
    REQUIRE(*request.trajectory || (request.has_q && request.duration > 0));
    REQUIRE(request.sample_rate > 0 && (request.has_control || !request.has_plant));
    if (request.has_control) check_control(&request, &robot);
    REQUIRE(!simulation_replays(&request) || !request.has_control);
    if (request.has_profile)
      REQUIRE(request.profile.tau.rows > 1 && request.duration <= simulation_profile_time(&request));
    simulation_request_release(&request);
  }
  free(bytes);
  return 0;
}
