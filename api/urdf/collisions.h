/* What links take up in space: <collision> elements of URDF and SDF. */
#ifndef API_URDF_COLLISIONS_H
#define API_URDF_COLLISIONS_H

#include "api/codec/notes.h"
#include "api/urdf/rigid.h"
#include "api/urdf/xml.h"
#include "api/wire/buffer.h"
#include "armdyn/robot.h"

enum { URDF_COLLISIONS_MAX = 3 * ARMDYN_BODIES_MAX }; /* of one link: a capsule is three */

/* Where a URDF link is in the model. */
struct collision_place {
  int part;                  /* whose body it is: a joint's, or ARMDYN_OF_BASE */
  const struct rigid *frame; /* of the URDF link in that link frame; NULL: they are one */
};

/* Add the <collision> elements of a link to the model's bodies: boxes and spheres as they are; a cylinder with a sphere of its
 * radius at either end is a capsule (as an export writes it), any other one the smaller of the capsule and the box around it.
 * Meshes, and what is beyond ARMDYN_BODIES_MAX or is no shape, are left out, with a note.
 *   link    in   the <link>
 *   model   in, out
 *   notes   out  added to; NULL = not wanted */
void urdf_collisions_read(const xmlNode *link, const struct collision_place *place,
                          struct armdyn_robot_description *model, struct robot_notes *notes);

/* Write the bodies of a part as <collision> elements; of the tool those of the payload, too. URDF has no capsule: it is a
 * cylinder with a sphere at either end.
 *   link  in  the link frame of the model in the URDF link; NULL: they are one */
void urdf_collisions_write(const struct armdyn_robot_description *model, int part, const struct rigid *link,
                           struct buffer *out);

#endif
