/* What is to be cancelled, in JSON: all that meets every condition, of which there is at least one. */
#ifndef API_CODEC_CANCEL_H
#define API_CODEC_CANCEL_H

#include "api/json/fields.h"
#include "armdyn/robot.h"

enum { CANCEL_TIME_SIZE = 32 };

/* Texts "" are no condition, nor are states 0. */
struct order_cancel {
  char controller[ARMDYN_NAME_SIZE];
  char job_order_id[LIMIT_TAG + 1];
  unsigned states; /* bit i: those in state i, of accepted, planning, queued, loading, ready, running, held */
  char created_after[CANCEL_TIME_SIZE], created_before[CANCEL_TIME_SIZE]; /* RFC 3339 */
};
struct job_cancel {
  char kind[ARMDYN_NAME_SIZE], robot[ARMDYN_NAME_SIZE];
  char job_order_id[LIMIT_TAG + 1];
  unsigned states; /* bit 0: those that wait, bit 1: those that run */
  char created_after[CANCEL_TIME_SIZE], created_before[CANCEL_TIME_SIZE];
};
/* OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status order_cancel_decode(const char *text, size_t length, struct order_cancel *out,
                                       struct faults *faults);
enum armdyn_status job_cancel_decode(const char *text, size_t length, struct job_cancel *out, struct faults *faults);

#endif
