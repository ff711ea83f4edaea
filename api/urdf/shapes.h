/* Boxes, spheres and cylinders of URDF: the geometry of a <visual> or a <collision>. */
#ifndef API_URDF_SHAPES_H
#define API_URDF_SHAPES_H

#include "api/urdf/rigid.h"
#include "api/urdf/xml.h"
#include "api/wire/buffer.h"

/* Read the shape of a <visual> or <collision>, with its <origin>.
 *   link   in   of the URDF link in the link frame of the model; NULL: they are one
 *   shape  out  in the link frame of the model; what its kind does not use is 0
 *   frame  out  of its middle in that frame
 *   why    out  what is wrong
 * false: it cannot be taken. */
bool urdf_shape_read(const xmlNode *node, const struct rigid *link, struct armdyn_shape *shape, struct rigid *frame,
                     const char **why);

/* <geometry> of a sphere, box or cylinder, on a line of its own, and where its middle is in the axes of the shape. */
void urdf_geometry_write(struct buffer *out, const struct armdyn_shape *shape);
struct armdyn_pose urdf_shape_pose(const struct armdyn_shape *shape);

#endif
