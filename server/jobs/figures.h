/* What there is of jobs, and what was since the start. */
#ifndef SERVER_JOBS_FIGURES_H
#define SERVER_JOBS_FIGURES_H

#include <stddef.h>
#include <stdint.h>

#include "server/store/store.h"

enum { JOB_KINDS_MOST = 16 };
struct jobs_ended {
  char kind[32]; /* "": no more */
  uint64_t count[JOB_STATE_COUNT];
};
struct jobs_figures {
  size_t queued, running, workers, ready;
  size_t live_most;                  /* jobs that are taken */
  uint64_t lost;                     /* attempts whose worker died */
  uint64_t helped;                   /* parts of jobs that another worker than theirs computed */
  uint64_t hung;                     /* workers that were killed for silence or lack of progress */
  size_t waiting_most, running_most; /* jobs of one key; 0: no limit */
  uint64_t refused;                  /* jobs beyond the share of their key */
  struct jobs_ended ended[JOB_KINDS_MOST];
};

#endif
