/* Robot models between JSON and struct armdyn_robot_description, by one field table for both directions. */
#ifndef API_CODEC_ROBOT_H
#define API_CODEC_ROBOT_H

#include "api/codec/notes.h"
#include "api/json/writer.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"

/* Parse and check a model in full: syntax, fields, bounds, and what armdyn_robot_new and armdyn_body_check demand.
 *   text, length      in
 *   allow_unphysical  in   unphysical bodies are then no faults
 *   robot             out  complete unless refused
 *   unphysical        out  true when a body of it is physically impossible; NULL = not wanted
 *   faults            out  every fault found
 * OK, ESYNTAX (HTTP 400), EINPUT or EUNPHYSICAL (422), EMEMORY. Fields marked readOnly in the contract (revision,
 * created_at, unphysical, warnings) are accepted and ignored. */
enum armdyn_status robot_decode(const char *text, size_t length, bool allow_unphysical,
                                struct armdyn_robot_description *robot, bool *unphysical, struct faults *faults);

/* The "friction" of a joint: struct armdyn_friction. */
extern const struct json_type robot_friction_type, robot_elasticity_type;

/* The canonical JSON of a model: what the store keeps; decode(encode(x)) == x. */
void robot_encode(const struct armdyn_robot_description *robot, struct buffer *out);

/* What GET answers: the model and, as readOnly fields, its revision, when it was made, marks and warnings. */
struct robot_resource {
  const struct armdyn_robot_description *robot;
  const struct robot_notes *notes; /* of the import, only in the answer to it; NULL = none */
  /* members of what is kept of a revision beside its model */
  void (*write_row)(struct json_writer *w, const void *row);
  const void *row;
};
void robot_resource_encode(const struct robot_resource *resource, struct buffer *out);

#endif
