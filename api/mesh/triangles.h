/* Where the triangles of a mesh go, and what is known of it once they have. */
#ifndef API_MESH_TRIANGLES_H
#define API_MESH_TRIANGLES_H

#include <stddef.h>

#include "armdyn/status.h"

enum { MESH_CORNERS = 9 }; /* numbers of a triangle: x, y, z of its corners */

/* Where triangles go, a few at a time; anything but OK ends the reading. */
struct mesh_sink {
  enum armdyn_status (*take)(void *context, const double *triangles, size_t count);
  void *context;
};

struct mesh_summary {
  const char *format; /* "stl", "stl_ascii" or "obj" */
  size_t triangles;
  double minimum[3], maximum[3]; /* of the box around it, in its own coordinates */
};

#endif
