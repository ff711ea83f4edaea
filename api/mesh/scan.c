#include "api/mesh/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/limits.h"

static const double MAGNITUDE_MAX = 1e9; /* so that no scale of a model makes it infinite in float */

/* -- triangles -- */

enum armdyn_status mesh_check_number(struct mesh_reader *r, double number, const char *place, size_t at)
{
  if (fabs(number) <= MAGNITUDE_MAX) return ARMDYN_OK;
  return armdyn_refuse(r->error, ARMDYN_EINPUT, "", "%s %zu: coordinates must be finite and at most %g, got %g", place,
                       at, MAGNITUDE_MAX, number);
}

enum armdyn_status mesh_flush(struct mesh_reader *r)
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
  return ++r->used == MESH_BLOCK ? mesh_flush(r) : ARMDYN_OK;
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
