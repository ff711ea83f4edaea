/* What the readers of the formats share: triangles that are handed on, and words of texts. */
#ifndef API_MESH_SCAN_H
#define API_MESH_SCAN_H

#include <stdbool.h>

#include "api/mesh/triangles.h"

enum { MESH_BLOCK = 128 }; /* triangles handed on at once */

struct mesh_reader {
  const char *at, *end; /* what is left of the file */
  size_t line;          /* of texts, from 1 */
  const struct mesh_sink *sink;
  struct mesh_summary *summary;
  struct armdyn_error *error;
  size_t used;
  double block[MESH_BLOCK * MESH_CORNERS];
};

/* Is this number of a vertex one that can be taken? Else EINPUT. place: "line" or "triangle". */
enum armdyn_status mesh_check_number(struct mesh_reader *r, double number, const char *place, size_t at);
/* The next triangle; its numbers were checked. */
enum armdyn_status mesh_add(struct mesh_reader *r, const double corners[MESH_CORNERS]);

/* -- texts: words between white space, line by line -- */
struct mesh_word {
  const char *at;
  size_t length;
};
/* The next word of this line; false at its end. */
bool mesh_word(struct mesh_reader *r, struct mesh_word *word);
/* The next word of this line or of one behind it; false at the end of the file. */
bool mesh_word_anywhere(struct mesh_reader *r, struct mesh_word *word);
/* To the next line; false at the end of the file. */
bool mesh_next_line(struct mesh_reader *r);
bool mesh_word_is(struct mesh_word word, const char *text); /* case does not matter */
/* A word as a number of a vertex. ESYNTAX, EINPUT. */
enum armdyn_status mesh_number(struct mesh_reader *r, struct mesh_word word, double *number);

enum armdyn_status mesh_flush(struct mesh_reader *r); /* what is left of a block */

#endif
