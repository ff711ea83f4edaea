/* What kinds of jobs there are: the table in kinds.c. */
#ifndef SERVER_JOBS_KINDS_H
#define SERVER_JOBS_KINDS_H

#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"
#include "server/jobs/work.h"

struct job_kind {
  const char *name;    /* of the job, and of its result in the store: "trajectory" */
  const char *results; /* where its results are: "/v1/trajectories/" */

  /* At acceptance: is the request right for this robot? Every fault is found.
   *   tags  out  its tags, a JSON object
   * OK, ESYNTAX, EINPUT, EMEMORY. */
  enum armdyn_status (*check)(const struct armdyn_robot_description *robot, const char *request, size_t length,
                              struct buffer *tags, struct faults *faults);

  /* In the worker process: compute, and end with work_result or work_problem. */
  void (*run)(struct work *work);
};

/* NULL when there is no such kind. */
const struct job_kind *job_kind_find(const char *name);

#endif
