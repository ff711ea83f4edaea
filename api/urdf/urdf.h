/* URDF, the format that ROS describes robots in: one chain of it becomes a model of convention `frames`, and any model
 * becomes a URDF. Specification: http://wiki.ros.org/urdf/XML.
 *
 * Read: links with their inertials, what shows them and what collides, joints with origin, axis, limits and dynamics,
 * transmissions with their reductions, and Drake's rotor inertia and gear ratio. Not read: textures, safety controllers,
 * calibration. */
#ifndef API_URDF_URDF_H
#define API_URDF_URDF_H

#include <stdbool.h>

#include "api/codec/notes.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"

struct urdf_options {
  const char *name;       /* of the model; NULL: the URDF's own, made legal */
  const char *root, *tip; /* links; NULL: the root of the tree, and its only tip */
  bool allow_unphysical;
};

/* A bound or limit of this magnitude, or beyond it, stands for "none" in both directions; m, rad, and their rates. */
#define URDF_UNLIMITED 1e9

/* Read one chain.
 *   text, length  in
 *   options       in
 *   robot         out  complete unless refused
 *   unphysical    out  true when a body of it is physically impossible; NULL = not wanted
 *   notes         out  added to: what was taken though it is doubtful; NULL = not wanted
 *   faults        out  every fault found, with XPath and line; NULL = not wanted
 * OK, ESYNTAX (HTTP 400), EINPUT or EUNPHYSICAL (422), EMEMORY. Fixed joints are merged: their links' inertia goes to the
 * link that carries them, off the chain too; what follows the last moving joint becomes the tool frame. */
enum armdyn_status urdf_decode(const char *text, size_t length, const struct urdf_options *options,
                               struct armdyn_robot_description *robot, bool *unphysical, struct robot_notes *notes,
                               struct faults *faults);

/* Write any model. Links of dh and mdh models become frames at their joints, as URDF demands. What URDF has no place for is
 * told in comments at the top. */
void urdf_encode(const struct armdyn_robot_description *robot, struct buffer *out);

#endif
