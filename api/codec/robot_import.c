#include "api/codec/robot_import.h"

#include "api/codec/robot.h"
#include "api/codec/robot_template.h"
#include "api/csv/joint_table.h"
#include "api/toolbox/toolbox.h"
#include "api/urdf/urdf.h"

/* What others wrote down is held against the rules of JSON by going through it: one set of rules, one kind of pointer. */
static enum armdyn_status check(const struct robot_import *how, struct armdyn_robot_description *robot,
                                bool *unphysical, struct faults *faults)
{
  struct buffer document = BUFFER(4 * LIMIT_MODEL_BODY);
  robot_encode(robot, &document);
  enum armdyn_status status = document.failure;
  if (!status) status = robot_decode(document.data, document.length, how->allow_unphysical, robot, unphysical, faults);
  buffer_release(&document);
  return status;
}

enum armdyn_status robot_import(const struct robot_import *how, const char *text, size_t length,
                                struct armdyn_robot_description *robot, bool *unphysical, struct robot_notes *notes,
                                struct faults *faults)
{
  enum armdyn_status status;
  const struct urdf_options urdf = { how->name, how->root, how->tip, how->allow_unphysical };
  if (how->media == MEDIA_XML) return urdf_decode(text, length, &urdf, robot, unphysical, notes, faults);
  if (how->media == MEDIA_MATLAB)
    status = toolbox_decode(text, length, how->name, robot, notes, faults);
  else if (how->media == MEDIA_CSV)
    status = joint_table_decode(text, length, how->name, robot, faults);
  else if (robot_template_named(text, length))
    status = robot_template_decode(text, length, robot, notes, faults);
  else
    return robot_decode(text, length, how->allow_unphysical, robot, unphysical, faults);
  return status ? status : check(how, robot, unphysical, faults);
}
