/* Cells out of meshes of triangles: every connected piece becomes a convex body around it. */
#ifndef API_MESH_CELL_MESH_H
#define API_MESH_CELL_MESH_H

#include "api/codec/cell.h"

struct cell_mesh_options {
  const char *name; /* of the cell */
  double scale;     /* m for 1 of the mesh's own coordinates, > 0 */
};

/* Read a whole file (api/mesh/mesh.h). Triangles that share a corner, to the last bit, are of one piece. A piece that is not
 * convex is filled up: its body is named "...-filled", and the cell's description says by how much.
 *   cell   out  release what is accepted
 *   error  out  what is wrong
 * OK; ESYNTAX, EINPUT; ELIMIT: more triangles or pieces than there may be; EMEMORY. */
enum armdyn_status cell_mesh_decode(const char *bytes, size_t length, const struct cell_mesh_options *options,
                                    struct cell_document *cell, struct armdyn_error *error);

#endif
