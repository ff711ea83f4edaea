/* What a worker and its runner say to each other of one attempt at a job, from its first message to its last. */
#ifndef SERVER_JOBS_CONVERSATION_H
#define SERVER_JOBS_CONVERSATION_H

#include "server/jobs/attempt.h"

/* Run it on the runner's process, until its end. Release it in any case. */
enum attempt_end attempt_run(struct attempt *a, struct runner *r, struct live_job *job);

#endif
