/* A job as GET answers it. */
#ifndef API_CODEC_JOB_H
#define API_CODEC_JOB_H

#include <stdbool.h>

#include "api/wire/buffer.h"

struct job_resource {
  const char *id, *kind, *robot, *state, *message;
  const char *collection; /* NULL = absent */
  long long revision;
  int priority;
  double time_limit; /* s; 0 = none */
  double progress;
  int attempt;
  long long queue_position;                                 /* 0 is null */
  const char *created_at, *started_at, *finished_at;        /* "" is null */
  const char *href;                                         /* of the result; NULL until there is one */
  const char *request, *tags, *problem, *attempts;          /* JSON texts; NULL = absent */
  const char *job_order_id, *work_master_id, *equipment_id; /* NULL or "" = absent */
  const char *created_by, *reason;                          /* "" is null */
  const char *traceparent;                                  /* "" is null */
  const char *value;                                        /* JSON of the result, when it is included */
  bool summary;                                             /* for lists */
};
void job_encode(const struct job_resource *job, struct buffer *out);

#endif
