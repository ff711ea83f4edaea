/* A model in any of the forms that are taken: JSON, a template, URDF, a script of the Robotics Toolbox, a table of joints. */
#ifndef API_CODEC_ROBOT_IMPORT_H
#define API_CODEC_ROBOT_IMPORT_H

#include <stdbool.h>

#include "api/codec/media.h"
#include "api/codec/notes.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"

struct robot_import {
  enum media media;
  const char *name;       /* of the model; NULL: its own */
  const char *root, *tip; /* of a URDF: see api/urdf/urdf.h */
  bool allow_unphysical;
};

/*   text, length  in
 *   robot         out  complete unless refused: all of them keep the rules that JSON does
 *   unphysical    out  a body of it is physically impossible
 *   notes         out  added to: what was taken though it is doubtful, or for granted
 *   faults        out  every fault found
 * OK, ESYNTAX (HTTP 400), EINPUT or EUNPHYSICAL (422), EMEMORY. */
enum armdyn_status robot_import(const struct robot_import *how, const char *text, size_t length,
                                struct armdyn_robot_description *robot, bool *unphysical, struct robot_notes *notes,
                                struct faults *faults);

#endif
