/* Models in the files of others, fuzzed. */
#ifndef TESTS_FUZZ_IMPORT_H
#define TESTS_FUZZ_IMPORT_H

#include "api/codec/robot.h"
#include "api/codec/robot_import.h"
#include "tests/fuzz/fuzz.h"

/* Refusals have a reason, and never take long; what is accepted makes a model that JSON takes too. */
static inline int fuzz_import(enum media media, const uint8_t *data, size_t size)
{
  static struct faults faults;
  static struct robot_notes notes;
  static struct armdyn_robot_description robot, again;
  const struct robot_import how = { .media = media, .name = "fuzz", .allow_unphysical = true };
  struct buffer json = BUFFER(MB(4));
  bool unphysical, as_before;
  char *text = copy_of(data, size);
  faults.count = notes.count = 0;
  const enum armdyn_status status = robot_import(&how, text, size, &robot, &unphysical, &notes, &faults);
  require_reason(status, &faults);
  if (!status) {
    robot_encode(&robot, &json);
    REQUIRE(buffer_ok(&json));
    REQUIRE(robot_decode(json.data, json.length, true, &again, &as_before, &faults) == ARMDYN_OK);
    REQUIRE(as_before == unphysical && again.joint_count == robot.joint_count);
  }
  buffer_release(&json);
  free(text);
  return 0;
}

#endif
