/* Cells as meshes of triangles. */
#ifndef API_MESH_CELL_STL_H
#define API_MESH_CELL_STL_H

#include "api/codec/cell.h"
#include "api/wire/buffer.h"

/* As binary STL, in m and the axes of the cell, every body a closed surface of its own: boxes and hulls of points as they are,
 * to single precision, of flat ones the box around them; what is round encloses the body, by at most 1 % of its radius; a
 * half-space is a plate of 100 m x 100 m x 0.1 m below its plane. */
void cell_stl_encode(const struct cell_document *cell, struct buffer *out);

#endif
