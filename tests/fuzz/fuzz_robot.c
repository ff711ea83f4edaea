/* Robot models: what is decoded and encoded is the same again, bit for bit; refusals have reasons; a robot can be built
 * of whatever is accepted. */
#include "api/codec/robot.h"
#include "tests/fuzz/fuzz.h"

/* As the store's row of a revision is written. */
static void write_row(struct json_writer *w, const void *unphysical)
{
  json_key(w, "revision"), json_write_integer(w, 7);
  json_key(w, "created_at"), json_write_text(w, "2025-01-31T12:00:00Z");
  json_key(w, "unphysical"), json_write_truth(w, *(const bool *)unphysical);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct faults faults;
  static struct armdyn_robot_description robot, again;
  struct buffer text = BUFFER(MB(4)), resource = BUFFER(MB(4));
  struct armdyn_robot *built = NULL;
  bool unphysical, as_before;
  char *bytes = copy_of(data, size);
  faults.count = 0;

  /* whoever is refused strictly only for being unphysical is accepted when that is allowed */
  enum armdyn_status strict = robot_decode(bytes, size, false, &robot, &unphysical, &faults);
  require_reason(strict, &faults);
  faults.count = 0;
  enum armdyn_status status = robot_decode(bytes, size, true, &robot, &unphysical, &faults);
  require_reason(status, &faults);
  REQUIRE(strict ? status || unphysical : !status && !unphysical);
  if (!status) {
    REQUIRE(armdyn_robot_new(&robot, &built, NULL) == ARMDYN_OK);
    robot_encode(&robot, &text);
    REQUIRE(buffer_ok(&text));
    REQUIRE(robot_decode(text.data, text.length, true, &again, &as_before, &faults) == ARMDYN_OK);
    REQUIRE(as_before == unphysical && memcmp(&robot, &again, sizeof robot) == 0);

    /* a PUT may be what its GET answered */
    robot_resource_encode(
        &(struct robot_resource){ .robot = &robot, .write_row = write_row, .row = &(bool){ unphysical } }, &resource);
    REQUIRE(robot_decode(resource.data, resource.length, true, &again, NULL, &faults) == ARMDYN_OK);
    REQUIRE(memcmp(&robot, &again, sizeof robot) == 0);
  }
  armdyn_robot_free(built);
  buffer_release(&text);
  buffer_release(&resource);
  free(bytes);
  return 0;
}
