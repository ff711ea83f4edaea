/* What looks suspicious in a robot model though it is allowed. */
#ifndef API_CODEC_WARNINGS_H
#define API_CODEC_WARNINGS_H

#include "api/codec/notes.h"
#include "api/json/writer.h"
#include "armdyn/robot.h"

/* Write a list of {"pointer", "code", "detail"}, empty when nothing is suspicious.
 *   notes  in  remarks of whoever imported the model, which stand first; NULL = none */
void robot_warnings_write(struct json_writer *w, const struct armdyn_robot_description *robot,
                          const struct robot_notes *notes);

#endif
