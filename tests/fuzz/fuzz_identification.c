/* Requests around identification, by the first byte: refusals have reasons; of what is accepted every id is there once, and
 * every number is within what its job takes. */
#include "api/codec/collision_check.h"
#include "api/codec/evaluation.h"
#include "api/codec/excitation.h"
#include "api/codec/friction_identification.h"
#include "api/codec/friction_test.h"
#include "tests/fuzz/fuzz.h"

static void check_ids(const struct id_list *list)
{
  REQUIRE(list->count <= LIMIT_DATASETS);
  for (size_t i = 0; i < list->count; i++) {
    REQUIRE(strlen(list->items[i]) == 26);
    for (size_t k = 0; k < i; k++) REQUIRE(strcmp(list->items[i], list->items[k]) != 0);
  }
}

static void check_limits(const struct requested_limits *wishes, const struct armdyn_robot_description *robot)
{
  struct armdyn_limits limits[2];
  requested_limits_in_force(wishes, robot, limits);
  for (size_t j = 0; j < 2; j++)
    REQUIRE(limits[j].position[0] < limits[j].position[1] && limits[j].velocity > 0 && limits[j].torque > 0);
}

static enum armdyn_status identification(const char *text, size_t length, const struct armdyn_robot_description *robot,
                                         struct faults *faults)
{
  static struct identification_request r;
  const enum armdyn_status status = identification_request_decode(text, length, robot, &r, faults);
  if (status) return status;
  check_ids(&r.datasets);
  check_ids(&r.validation);
  check_ids(&r.unloaded);
  REQUIRE(r.datasets.count >= 1 && r.unloaded.count <= 1);
  REQUIRE(isnan(r.validation_fraction) || (r.validation_fraction > 0 && r.validation_fraction < 1));
  REQUIRE(isnan(r.prior_strength) || r.prior_strength > 0);
  return status;
}

static enum armdyn_status evaluation(const char *text, size_t length, const struct armdyn_robot_description *robot,
                                     struct faults *faults)
{
  static struct evaluation_request r;
  const enum armdyn_status status = evaluation_request_decode(text, length, robot, &r, faults);
  if (status) return status;
  check_ids(&r.datasets);
  REQUIRE(r.models.count >= 1 && r.models.count <= LIMIT_EVALUATION_MODELS && r.datasets.count >= 1);
  REQUIRE(r.models.count * r.datasets.count <= LIMIT_EVALUATION_CURVES);
  return status;
}

static enum armdyn_status excitation(const char *text, size_t length, const struct armdyn_robot_description *robot,
                                     struct faults *faults)
{
  static struct excitation_request r;
  const enum armdyn_status status = excitation_request_decode(text, length, robot, &r, faults);
  if (status) return status;
  check_ids(&r.known);
  check_limits(&r.limits, robot);
  REQUIRE(r.duration > 0 && r.harmonics >= 1 && r.population >= 2 && r.generations >= 1 && r.lambda >= 0);
  REQUIRE(excitation_base_frequency(&r) > 0 && r.sample_rate > 0);
  for (size_t k = 0; r.has_box && k < 3; k++) REQUIRE(r.tool_box.min[k] < r.tool_box.max[k]);
  return status;
}

static enum armdyn_status friction_test(const char *text, size_t length, const struct armdyn_robot_description *robot,
                                        struct faults *faults)
{
  static struct friction_test_request r;
  const enum armdyn_status status = friction_test_request_decode(text, length, robot, &r, faults);
  if (status) return status;
  check_limits(&r.limits, robot);
  REQUIRE(r.speeds >= 3 && 0 < r.speed_least && r.speed_least < r.speed_most && r.speed_most <= 1);
  REQUIRE(r.travel > 0 && r.travel <= 1 && r.cruise > 0 && r.sample_rate > 0);
  return status;
}

static enum armdyn_status friction_identification(const char *text, size_t length,
                                                  const struct armdyn_robot_description *robot, struct faults *faults)
{
  static struct friction_identification_request r;
  const enum armdyn_status status = friction_identification_request_decode(text, length, robot, &r, faults);
  if (status) return status;
  check_ids(&r.datasets);
  REQUIRE(r.datasets.count >= 1 && r.position_cutoff_hz >= 0);
  return status;
}

static enum armdyn_status collision_check(const char *text, size_t length, const struct armdyn_robot_description *robot,
                                          struct faults *faults)
{
  static struct collision_check_request r;
  const enum armdyn_status status = collision_check_request_decode(text, length, robot, &r, faults);
  if (status) return status;
  check_ids(&r.datasets);
  check_ids(&r.reference);
  REQUIRE((r.datasets.count > 0) != (*r.trajectory != 0) && r.has_collision == (*r.trajectory != 0));
  REQUIRE((r.reference.count > 0) != r.has_thresholds);
  REQUIRE(r.margin >= 1 && r.observer_bandwidth_hz > 0 && !(r.has_collision && r.collision.time < 0));
  for (size_t j = 0; r.has_thresholds && j < 2; j++) REQUIRE(r.thresholds[j] > 0);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static enum armdyn_status (*const requests[])(const char *, size_t, const struct armdyn_robot_description *,
                                                struct faults *) = {
    identification, evaluation, excitation, friction_test, friction_identification, collision_check
  };
  static struct faults faults;
  static struct armdyn_robot_description robot;
  if (!size) return 0;
  char *bytes = copy_of(data + 1, size - 1);
  faults.count = 0;
  armdyn_robot_description_init(&robot);
  robot.joint_count = 2;
  for (size_t j = 0; j < 2; j++) {
    armdyn_joint_init(&robot.joints[j]);
    snprintf(robot.joints[j].name, sizeof robot.joints[j].name, "j%zu", j + 1);
    robot.joints[j].limits = (struct armdyn_limits){ { -2, 3 }, 1.5, 4, 50, 20, 500 };
  }
  require_reason(requests[data[0] % (sizeof requests / sizeof *requests)](bytes, size - 1, &robot, &faults), &faults);
  free(bytes);
  return 0;
}
