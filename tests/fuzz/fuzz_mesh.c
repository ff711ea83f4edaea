/* Meshes: refusals have reasons; what is accepted has a box around all of its triangles, and is the same again when it is
 * read back as the binary STL that is answered for it. */
#include <math.h>

#include "api/mesh/mesh.h"
#include "tests/fuzz/fuzz.h"

struct copy {
  struct buffer stl;
  size_t triangles;
};

static enum armdyn_status keep(void *context, const double *triangles, size_t count)
{
  struct copy *copy = context;
  for (size_t i = 0; i < count; i++, copy->triangles++) {
    char record[STL_TRIANGLE_SIZE];
    stl_write_triangle(triangles + i * MESH_CORNERS, record);
    buffer_append(&copy->stl, record, sizeof record);
  }
  return copy->stl.failure;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct copy first = { .stl = BUFFER(MB(64)) }, second = { .stl = BUFFER(MB(64)) };
  struct mesh_summary summary, again;
  struct armdyn_error error = { "", "" };
  char *bytes = copy_of(data, size), header[STL_HEADER_SIZE] = "";
  buffer_append(&first.stl, header, sizeof header);
  enum armdyn_status status = mesh_read(bytes, size, &(struct mesh_sink){ keep, &first }, &summary, &error);
  REQUIRE(!status == !*error.message);
  if (!status) {
    REQUIRE(summary.triangles == first.triangles && summary.triangles > 0);
    stl_write_header(first.triangles, header);
    memcpy(first.stl.data, header, sizeof header);
    REQUIRE(!mesh_read(first.stl.data, first.stl.length, &(struct mesh_sink){ keep, &second }, &again, &error));
    REQUIRE(again.triangles == summary.triangles);
    for (int k = 0; k < 3; k++) { /* to the rounding of floats */
      REQUIRE(summary.minimum[k] <= summary.maximum[k]);
      REQUIRE((float)summary.minimum[k] == (float)again.minimum[k] &&
              (float)summary.maximum[k] == (float)again.maximum[k]);
    }
    REQUIRE(second.stl.length + STL_HEADER_SIZE == first.stl.length);
  }
  buffer_release(&first.stl);
  buffer_release(&second.stl);
  free(bytes);
  return 0;
}
