/* Whole arms out of a few lengths and masses: {"template": "scara", "name": ..., "upper_arm": 0.3, ...}. What they take
 * for granted is told as notes. */
#ifndef API_CODEC_ROBOT_TEMPLATE_H
#define API_CODEC_ROBOT_TEMPLATE_H

#include <stdbool.h>

#include "api/codec/notes.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"

/* Does this JSON object name a template? */
bool robot_template_named(const char *text, size_t length);

/*   text, length  in
 *   robot         out  complete unless refused
 *   notes         out  added to: every assumption; NULL = not wanted
 *   faults        out  every fault found
 * OK, ESYNTAX (HTTP 400), EINPUT (422), EMEMORY. */
enum armdyn_status robot_template_decode(const char *text, size_t length, struct armdyn_robot_description *robot,
                                         struct robot_notes *notes, struct faults *faults);

#endif
