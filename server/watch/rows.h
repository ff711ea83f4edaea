/* Rows of a motion that comes bit by bit, and the conditioned pieces that they make: the same samples as the whole motion's,
 * as soon as enough is there on either side of them. */
#ifndef SERVER_WATCH_ROWS_H
#define SERVER_WATCH_ROWS_H

#include "armdyn/identify.h"
#include "server/gateway/telemetry.h"

struct rows {
  size_t n, count, capacity;
  double *time, *q, *tau; /* capacity; capacity x n */
  double origin;          /* s, of the even clock: the first row */
  double done;            /* s, samples before were handed out */
};

void rows_release(struct rows *rows);
/* OK, EMEMORY. */
enum armdyn_status rows_add(struct rows *rows, const struct telemetry_row *row);
/* The next piece, if one is due; with `last` all that is left, but for the trim.
 *   motion  out  release with armdyn_motion_free; count 0: nothing is due
 * OK, or as armdyn_condition_piece. */
enum armdyn_status rows_piece(struct rows *rows, const struct armdyn_conditioning *conditioning, bool last,
                              struct armdyn_motion *motion, struct armdyn_error *error);
/* A new motion. */
void rows_clear(struct rows *rows);

#endif
