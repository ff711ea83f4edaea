/* Meshes of triangles out of the files of strangers, and back as binary STL.
 *
 * Read: STL, binary and ASCII (3D Systems, StereoLithography Interface Specification, 1989), and Wavefront OBJ, of which the
 * vertices and faces count. Which one it is the content says, not the name: a binary STL is as long as its own count of
 * triangles says, and only that. Normals, colours and textures are left out. */
#ifndef API_MESH_MESH_H
#define API_MESH_MESH_H

#include "api/mesh/triangles.h"

/* Read a whole file.
 *   bytes, length  in
 *   sink           in
 *   summary        out  complete unless refused
 *   error          out  what is wrong, with its line, or its triangle in binary STL
 * OK; ESYNTAX, no such file; EINPUT, numbers or formats that cannot be taken; ELIMIT, more than LIMIT_MESH_TRIANGLES;
 * EMEMORY; or what the sink said. */
enum armdyn_status mesh_read(const char *bytes, size_t length, const struct mesh_sink *sink,
                             struct mesh_summary *summary, struct armdyn_error *error);

/* -- binary STL -- */
enum { STL_HEADER_SIZE = 84, STL_TRIANGLE_SIZE = 50 };
void stl_write_header(size_t triangles, char out[STL_HEADER_SIZE]);
/* With the normal of its corners, counter-clockwise seen from outside; 0 when they are on one line. */
void stl_write_triangle(const double corners[MESH_CORNERS], char out[STL_TRIANGLE_SIZE]);

#endif
