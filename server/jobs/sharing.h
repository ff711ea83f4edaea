/* The parts of a job that runs: its own worker takes one after the other, and workers that have nothing else to do take some
 * beside it. Who helps gives way as soon as a job is due. Nothing of this is stored: an attempt that is lost loses its
 * parts. */
#ifndef SERVER_JOBS_SHARING_H
#define SERVER_JOBS_SHARING_H

#include "server/jobs/attempt.h"

struct job_parts;
void sharing_free(struct job_parts *sharing); /* NULL is fine */

/* -- on the thread of the job's own runner: how the attempt goes on (ATTEMPT_RESULT: well) -- */

enum attempt_end sharing_begin(struct attempt *a, const struct frame *frame);
/* The worker has asked what is next. Sets a->asks until that is known: others may be at the last parts. */
enum attempt_end sharing_answer(struct attempt *a, struct runner *r);

/* -- on the thread of a runner that has nothing to do -- */

/* Under the lock: is there a job to help? Then r->helps is its id. */
bool sharing_find(struct runner *r);
/* Help it, until there is nothing to do or a job is due. */
void sharing_help(struct runner *r);

#endif
