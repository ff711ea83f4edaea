/* The formats of meshes that are read. */
#ifndef API_MESH_FORMATS_H
#define API_MESH_FORMATS_H

#include "api/mesh/scan.h"

bool stl_is_binary(const char *bytes, size_t length);
enum armdyn_status stl_read_binary(struct mesh_reader *r);
enum armdyn_status stl_read_ascii(struct mesh_reader *r);
enum armdyn_status obj_read(struct mesh_reader *r);

#endif
