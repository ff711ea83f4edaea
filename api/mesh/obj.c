#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/limits.h"
#include "api/mesh/formats.h"

enum { VERTICES_MOST = 3 * LIMIT_MESH_TRIANGLES };

/* The vertices so far. */
struct vertices {
  double *numbers; /* count x 3 */
  size_t count, room;
};

static enum armdyn_status add_vertex(struct mesh_reader *r, struct vertices *vertices)
{
  if (vertices->count == VERTICES_MOST)
    return armdyn_refuse(r->error, ARMDYN_ELIMIT, "", "line %zu: a mesh may have %d vertices at most: simplify it",
                         r->line, VERTICES_MOST);
  if (vertices->count == vertices->room) {
    const size_t room = vertices->room ? 2 * vertices->room : 1024;
    double *more = realloc(vertices->numbers, room * 3 * sizeof *more);
    if (!more) return ARMDYN_EMEMORY;
    vertices->numbers = more;
    vertices->room = room;
  }
  struct mesh_word word;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t k = 0; k < 3 && !status; k++) {
    if (!mesh_word(r, &word))
      return armdyn_refuse(r->error, ARMDYN_ESYNTAX, "", "line %zu: a vertex needs 3 numbers, got %zu", r->line, k);
    status = mesh_number(r, word, &vertices->numbers[3 * vertices->count + k]);
  }
  if (!status) vertices->count++;
  return status;
}

/* "7", "7/1", "7//3": the vertex counted from 1, or backwards from the last as -1. */
static enum armdyn_status find_vertex(struct mesh_reader *r, struct mesh_word word, const struct vertices *vertices,
                                      double vertex[3])
{
  char text[24] = "", *end;
  const char *slash = memchr(word.at, '/', word.length);
  const size_t length = slash ? (size_t)(slash - word.at) : word.length;
  if (length < sizeof text) memcpy(text, word.at, length);
  const long long number = strtoll(text, &end, 10);
  const long long index = number < 0 ? (long long)vertices->count + number : number - 1;
  if (end == text || *end)
    return armdyn_refuse(r->error, ARMDYN_ESYNTAX, "", "line %zu: must be the number of a vertex, got '%.*s'", r->line,
                         (int)(word.length < 40 ? word.length : 40), word.at);
  if (!number || index < 0 || (size_t)index >= vertices->count)
    return armdyn_refuse(r->error, ARMDYN_EINPUT, "", "line %zu: there is no vertex %lld, only %zu so far", r->line,
                         number, vertices->count);
  memcpy(vertex, vertices->numbers + 3 * index, 3 * sizeof *vertex);
  return ARMDYN_OK;
}

/* A polygon becomes triangles about its first corner. */
static enum armdyn_status add_face(struct mesh_reader *r, const struct vertices *vertices)
{
  struct mesh_word word;
  double corners[MESH_CORNERS] = { 0 };
  size_t count = 0;
  enum armdyn_status status = ARMDYN_OK;
  for (; !status && mesh_word(r, &word); count++) {
    status = find_vertex(r, word, vertices, corners + 3 * (count < 2 ? count : 2));
    if (status || count < 2) continue;
    status = mesh_add(r, corners);
    for (size_t k = 3; k < 6; k++) corners[k] = corners[k + 3];
  }
  if (!status && count < 3)
    status = armdyn_refuse(r->error, ARMDYN_ESYNTAX, "", "line %zu: a face needs 3 vertices, got %zu", r->line, count);
  return status;
}

enum armdyn_status obj_read(struct mesh_reader *r)
{
  struct vertices vertices = { 0 };
  struct mesh_word word;
  enum armdyn_status status = ARMDYN_OK;
  do {
    if (!mesh_word(r, &word)) continue;
    if (mesh_word_is(word, "v"))
      status = add_vertex(r, &vertices);
    else if (mesh_word_is(word, "f"))
      status = add_face(r, &vertices);
  } while (!status && mesh_next_line(r));
  free(vertices.numbers);
  return status;
}
