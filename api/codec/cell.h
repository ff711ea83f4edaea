/* Cells, what stands around an arm, between JSON and struct armdyn_cell. */
#ifndef API_CODEC_CELL_H
#define API_CODEC_CELL_H

#include <stdint.h>

#include "api/limits.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/clearance.h"

struct cell_document {
  char name[ARMDYN_NAME_SIZE];
  char description[LIMIT_TAG + 1];
  struct armdyn_cell cell; /* its obstacles are those below */
  struct armdyn_obstacle *obstacles;
  double *points;
};

/* Parse and check in full: OK, ESYNTAX, EINPUT, EMEMORY. Release what is accepted. */
enum armdyn_status cell_decode(const char *text, size_t length, struct cell_document *cell, struct faults *faults);
void cell_release(struct cell_document *cell);
/* What the store keeps; decode(encode(x)) == x. */
void cell_encode(const struct cell_document *cell, struct buffer *out);
/* What GET answers: the same and, as readOnly fields, which revision it is and when it was made. */
void cell_resource_encode(const struct cell_document *cell, int64_t revision, const char *created_at,
                          struct buffer *out);

#endif
