/* What a job that is computed has to say to `serve`. */
#ifndef SERVER_WORK_WORK_H
#define SERVER_WORK_WORK_H

#include "api/problem/problem.h"
#include "api/wire/buffer.h"
#include "armdyn/robot.h"
#include "server/store/store.h"

/* One job, as its kind's run function sees it. */
struct work {
  const struct armdyn_robot_description *robot;
  const char *request; /* JSON as accepted, NUL-terminated */
  size_t request_length;
  char job[ID_SIZE];
  struct work_line *line; /* to `serve` */
};

/* Where the work is, 0..1, and a sentence; at most ten a second are sent, the rest is dropped. */
void work_progress(struct work *work, double fraction, const char *sentence);
/* Begin a series of the result: rows that follow belong to it.
 *   columns  in  `width` names, comma-separated */
void work_series(struct work *work, const char *name, const char *columns, size_t width);
/* count x width, row-major; any number of rows. */
void work_rows(struct work *work, const double *rows, size_t count);
/* The end, exactly one of them. */
void work_result(struct work *work, const struct buffer *document);
/* detail: a sentence; faults and extra (further members as JSON text without braces) may be NULL. */
void work_problem(struct work *work, enum problem problem, const char *detail, const struct faults *faults,
                  const char *extra);
/* The end: there was no memory for it, which is bounded. */
void work_out_of_memory(struct work *work);
/* The end, as the library refused: by what its status means to a caller, with the pointer that it gave. */
void work_refused(struct work *work, enum armdyn_status status, const struct armdyn_error *error);

/* The end: the document that `encode` writes of a run, or, with a status, why there is none. */
typedef void work_encode(const void *run, struct buffer *out);
void work_end(struct work *work, enum armdyn_status status, const struct armdyn_error *error, work_encode *encode,
              const void *run);

/* The store, read-only, for data sets (stored_dataset.h) and results to compute from: opened when it is first asked for,
 * closed by the worker. OK, EIO, EMEMORY, EBUSY. */
enum armdyn_status work_store(struct work *work, struct store **store);

/* Bytes that the disk of the store has left; INFINITY when the system does not tell. */
double work_room(const struct work *work);

#endif
