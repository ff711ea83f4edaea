/* Compute threads: a bounded queue of work, and loops split over the threads. */
#ifndef SERVER_BASE_POOL_H
#define SERVER_BASE_POOL_H

#include <stddef.h>

#include "armdyn/status.h"

struct pool;

/* behind: nice of the threads, 0 as everybody. NULL when out of memory or threads. */
struct pool *pool_new(size_t threads, size_t queue_most, int behind);
void pool_free(struct pool *pool); /* finishes what is queued; NULL is fine */
/* EBUSY when the queue is full. Work of one submitter begins in the order of submission. */
enum armdyn_status pool_submit(struct pool *pool, void (*work)(void *context), void *context);
/* Run body(context, first, last) over [0, count) in pieces, on this thread and idle ones; returns when all are done.
 * Never waits for a thread that is busy with other work. */
void pool_for(struct pool *pool, size_t count, size_t piece, void (*body)(void *context, size_t first, size_t last),
              void *context);

#endif
