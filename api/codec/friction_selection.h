/* What was tried for the friction of each joint. */
#ifndef API_CODEC_FRICTION_SELECTION_H
#define API_CODEC_FRICTION_SELECTION_H

#include "api/json/writer.h"
#include "armdyn/identify.h"

/* "friction_selection": [..], what each trial gained.
 *   choices  in  one of each joint */
void friction_selection_encode(struct json_writer *w, const struct armdyn_robot_description *robot,
                               const struct armdyn_friction_choice *choices);

#endif
