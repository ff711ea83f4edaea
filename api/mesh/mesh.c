#include "api/mesh/mesh.h"

#include <math.h>
#include <string.h>

#include "api/mesh/formats.h"

static bool begins(const char *bytes, size_t length, const char *with)
{
  return length >= strlen(with) && !memcmp(bytes, with, strlen(with));
}

/* What people have instead, and what to do about it. */
static enum armdyn_status refuse_format(const char *bytes, size_t length, struct armdyn_error *error)
{
  static const char convert[] =
      "convert it to binary STL, e.g. in MeshLab, Blender or by `assimp export link.dae link.stl`";
  const char *at = bytes;
  const size_t head = length < 4096 ? length : 4096;
  while (at < bytes + head && strchr(" \t\r\n\xef\xbb\xbf", *at) && *at) at++;
  if (at < bytes + head && *at == '<' && memmem(bytes, head, "COLLADA", 7))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "this is COLLADA (.dae), which is not read: %s", convert);
  if (begins(bytes, length, "glTF") || begins(bytes, length, "ply") || begins(bytes, length, "PK"))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "this is %s, which is not read: %s",
                         *bytes == 'g'   ? "glTF"
                         : *bytes == 'p' ? "PLY"
                                         : "a zip archive",
                         convert);
  if (length >= STL_HEADER_SIZE) {
    const unsigned char *n = (const unsigned char *)bytes + 80;
    const size_t triangles = n[0] | (size_t)n[1] << 8 | (size_t)n[2] << 16 | (size_t)n[3] << 24;
    return armdyn_refuse(
        error, ARMDYN_ESYNTAX, "",
        "neither text of an STL or OBJ nor binary STL: bytes 80 to 83 of that would mean %zu triangles "
        "and %zu bytes, but there are %zu",
        triangles, STL_HEADER_SIZE + triangles * STL_TRIANGLE_SIZE, length);
  }
  return armdyn_refuse(error, ARMDYN_ESYNTAX, "", "neither STL nor OBJ: %zu bytes", length);
}

/* The keyword of the first line that has one. */
static bool looks_like_obj(struct mesh_reader r)
{
  static const char *const keywords[] = { "v", "vn", "vt", "vp", "f", "o", "g", "s", "mtllib", "usemtl" };
  struct mesh_word word;
  while (mesh_word_anywhere(&r, &word) && *word.at == '#')
    if (!mesh_next_line(&r)) return false;
  for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++)
    if (mesh_word_is(word, keywords[k])) return true;
  return false;
}

enum armdyn_status mesh_read(const char *bytes, size_t length, const struct mesh_sink *sink,
                             struct mesh_summary *summary, struct armdyn_error *error)
{
  struct mesh_reader r = {
    .at = bytes, .end = bytes + length, .line = 1, .sink = sink, .summary = summary, .error = error
  };
  struct mesh_word word;
  *summary = (struct mesh_summary){ .minimum = { INFINITY, INFINITY, INFINITY },
                                    .maximum = { -INFINITY, -INFINITY, -INFINITY } };
  enum armdyn_status status;
  struct mesh_reader first = r;
  if (stl_is_binary(bytes, length)) {
    summary->format = "stl";
    status = stl_read_binary(&r);
  } else if (mesh_word_anywhere(&first, &word) && mesh_word_is(word, "solid")) {
    summary->format = "stl_ascii";
    status = stl_read_ascii(&r);
  } else if (looks_like_obj(r)) {
    summary->format = "obj";
    status = obj_read(&r);
  } else {
    return refuse_format(bytes, length, error);
  }
  if (!status) status = mesh_flush(&r);
  if (!status && !summary->triangles) status = armdyn_refuse(error, ARMDYN_EINPUT, "", "there is no triangle in it");
  return status;
}
