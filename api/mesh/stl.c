#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/mesh/formats.h"
#include "api/mesh/mesh.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as the file has them");

/* -- binary: 80 bytes of anything, the count, then for each triangle its normal, its corners and two bytes more -- */

static uint32_t count_of(const char *bytes)
{
  uint32_t count;
  memcpy(&count, bytes + 80, sizeof count);
  return count;
}

bool stl_is_binary(const char *bytes, size_t length)
{
  return length >= STL_HEADER_SIZE && length == STL_HEADER_SIZE + (uint64_t)count_of(bytes) * STL_TRIANGLE_SIZE;
}

enum armdyn_status stl_read_binary(struct mesh_reader *r)
{
  const size_t count = count_of(r->at);
  enum armdyn_status status = ARMDYN_OK;
  r->at += STL_HEADER_SIZE;
  for (size_t i = 0; i < count && !status; i++, r->at += STL_TRIANGLE_SIZE) {
    float numbers[MESH_CORNERS];
    double corners[MESH_CORNERS];
    memcpy(numbers, r->at + 3 * sizeof(float), sizeof numbers);
    for (int k = 0; k < MESH_CORNERS && !status; k++) {
      corners[k] = (double)numbers[k];
      status = mesh_check_number(r, corners[k], "triangle", i + 1);
    }
    if (!status) status = mesh_add(r, corners);
  }
  return status;
}

void stl_write_header(size_t triangles, char out[STL_HEADER_SIZE])
{
  const uint32_t count = (uint32_t)triangles;
  memset(out, 0, STL_HEADER_SIZE);
  memcpy(out, "binary STL", 10); /* anything but "solid" */
  memcpy(out + 80, &count, sizeof count);
}

void stl_write_triangle(const double t[MESH_CORNERS], char out[STL_TRIANGLE_SIZE])
{
  const double a[3] = { t[3] - t[0], t[4] - t[1], t[5] - t[2] }, b[3] = { t[6] - t[0], t[7] - t[1], t[8] - t[2] };
  const double n[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
  const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  float numbers[3 + MESH_CORNERS] = { 0 };
  for (int k = 0; k < 3 && length > 0; k++) numbers[k] = (float)(n[k] / length);
  for (int k = 0; k < MESH_CORNERS; k++) numbers[3 + k] = (float)t[k];
  memcpy(out, numbers, sizeof numbers);
  out[sizeof numbers] = out[sizeof numbers + 1] = 0;
}

/* -- ASCII -- */

/* The words that must come now. */
static enum armdyn_status expect(struct mesh_reader *r, const char *const *words, size_t count)
{
  struct mesh_word word;
  for (size_t k = 0; k < count; k++) {
    const bool there = mesh_word_anywhere(r, &word);
    if (there && mesh_word_is(word, words[k])) continue;
    return armdyn_refuse(r->error, ARMDYN_ESYNTAX, "", "line %zu: must be '%s' (ASCII STL), got '%.*s'", r->line,
                         words[k], there ? (int)(word.length < 40 ? word.length : 40) : 0, there ? word.at : "");
  }
  return ARMDYN_OK;
}
#define EXPECT(r, ...)                                                                                                 \
  expect(r, (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static enum armdyn_status refuse_end(struct mesh_reader *r)
{
  return armdyn_refuse(r->error, ARMDYN_ESYNTAX, "", "line %zu: the file ends in a facet", r->line);
}

/* Behind the word facet. The normal is often nonsense, even "nan", and follows from the corners. */
static enum armdyn_status read_facet(struct mesh_reader *r)
{
  double corners[MESH_CORNERS];
  struct mesh_word word;
  enum armdyn_status status = EXPECT(r, "normal");
  for (int k = 0; k < 3 && !status; k++)
    if (!mesh_word_anywhere(r, &word)) status = refuse_end(r);
  if (!status) status = EXPECT(r, "outer", "loop");
  for (int k = 0; k < MESH_CORNERS && !status; k++) {
    if (k % 3 == 0) status = EXPECT(r, "vertex");
    if (!status) status = mesh_word_anywhere(r, &word) ? mesh_number(r, word, &corners[k]) : refuse_end(r);
  }
  if (!status) status = EXPECT(r, "endloop", "endfacet");
  return status ? status : mesh_add(r, corners);
}

enum armdyn_status stl_read_ascii(struct mesh_reader *r)
{
  struct mesh_word word;
  enum armdyn_status status = ARMDYN_OK;
  while (!status && mesh_word_anywhere(r, &word)) { /* one solid behind the other */
    if (!mesh_word_is(word, "solid"))
      return armdyn_refuse(r->error, ARMDYN_ESYNTAX, "", "line %zu: must be 'solid' (ASCII STL), got '%.*s'", r->line,
                           (int)(word.length < 40 ? word.length : 40), word.at);
    mesh_next_line(r); /* its name is the rest of the line */
    while (!status) {
      if (!mesh_word_anywhere(r, &word))
        return armdyn_refuse(r->error, ARMDYN_ESYNTAX, "", "line %zu: the file ends without 'endsolid'", r->line);
      if (mesh_word_is(word, "endsolid")) break;
      if (mesh_word_is(word, "facet"))
        status = read_facet(r);
      else
        status = armdyn_refuse(r->error, ARMDYN_ESYNTAX, "",
                               "line %zu: must be 'facet' or 'endsolid' (ASCII STL), got '%.*s'", r->line,
                               (int)(word.length < 40 ? word.length : 40), word.at);
    }
    mesh_next_line(r);
  }
  return status;
}
