#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/mesh/internal.h"

static const double MAGNITUDE_MAX = 1e9; /* so that no scale of a model makes it infinite in float */

/* -- triangles -- */

enum armdyn_status mesh_check_number(struct mesh_reader *r, double number, const char *place, size_t at)
{
  if (fabs(number) <= MAGNITUDE_MAX) return ARMDYN_OK;
  return armdyn_refuse(r->error, ARMDYN_EINPUT, "", "%s %zu: coordinates must be finite and at most %g, got %g", place,
                       at, MAGNITUDE_MAX, number);
}

static enum armdyn_status flush(struct mesh_reader *r)
{
  const size_t count = r->used;
  r->used = 0;
  return count ? r->sink->take(r->sink->context, r->block, count) : ARMDYN_OK;
}

enum armdyn_status mesh_add(struct mesh_reader *r, const double corners[MESH_CORNERS])
{
  struct mesh_summary *summary = r->summary;
  if (summary->triangles == LIMIT_MESH_TRIANGLES)
    return armdyn_refuse(r->error, ARMDYN_ELIMIT, "", "a mesh may have %d triangles at most: simplify it",
                         LIMIT_MESH_TRIANGLES);
  summary->triangles++;
  for (int k = 0; k < MESH_CORNERS; k++) {
    summary->minimum[k % 3] = fmin(summary->minimum[k % 3], corners[k]);
    summary->maximum[k % 3] = fmax(summary->maximum[k % 3], corners[k]);
  }
  memcpy(r->block + r->used * MESH_CORNERS, corners, MESH_CORNERS * sizeof *corners);
  return ++r->used == MESH_BLOCK ? flush(r) : ARMDYN_OK;
}

/* -- words -- */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

bool mesh_word(struct mesh_reader *r, struct mesh_word *word)
{
  while (r->at < r->end && is_blank(*r->at)) r->at++;
  word->at = r->at;
  while (r->at < r->end && !is_blank(*r->at) && *r->at != '\n') r->at++;
  word->length = (size_t)(r->at - word->at);
  return word->length > 0;
}

bool mesh_next_line(struct mesh_reader *r)
{
  const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
  r->at = newline ? newline + 1 : r->end;
  r->line += newline != NULL;
  return newline != NULL;
}

bool mesh_word_anywhere(struct mesh_reader *r, struct mesh_word *word)
{
  while (!mesh_word(r, word))
    if (!mesh_next_line(r)) return false;
  return true;
}

bool mesh_word_is(struct mesh_word word, const char *text)
{
  return word.length == strlen(text) && !strncasecmp(word.at, text, word.length);
}

enum armdyn_status mesh_number(struct mesh_reader *r, struct mesh_word word, double *number)
{
  char text[64] = "", *end = text;
  if (word.length < sizeof text && !memchr(word.at, 'x', word.length) && !memchr(word.at, 'X', word.length)) {
    memcpy(text, word.at, word.length);
    text[word.length] = 0;
    *number = strtod(text, &end);
  }
  if (end == text || *end)
    return armdyn_refuse(r->error, ARMDYN_ESYNTAX, "", "line %zu: must be a number, got '%.*s'", r->line,
                         (int)(word.length < 40 ? word.length : 40), word.at);
  return mesh_check_number(r, *number, "line", r->line);
}

/* -- formats -- */

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
  if (!status) status = flush(&r);
  if (!status && !summary->triangles) status = armdyn_refuse(error, ARMDYN_EINPUT, "", "there is no triangle in it");
  return status;
}
